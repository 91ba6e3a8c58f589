"""What the contract says of sessions and dreams, as the official Python client sees it.

    python dream_checks.py URL KEY sync|async

As `checks.py`; a worker has to run beside the server.
"""

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import checks
from checks import VERSION, Checks, collected, done

FIRST = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
LAG = timedelta(minutes=31)
STARTS = (0, 190, 45, 400, 95, 270)  # minutes: nothing but the lag is regular
PORT = "The staging database listens on port 5433"
SAME = {"/staging-port.md": f"{PORT}\n", "/port-of-staging.md": f"{PORT}.\n"}
OVER = ("completed", "failed", "canceled")


def watch(day: int) -> str:
    """A transcript of the day: one alert, and half an hour later another."""
    start = FIRST + timedelta(days=day, minutes=STARTS[day])
    lines: list[str] = []
    for at, text in ((start, "WARN CPU spike on db-2"), (start + LAG, "ALERT QueueBacklog on q-1")):
        stamp = at.isoformat().replace("+00:00", "Z")
        record: dict[str, Any] = {
            "sessionId": f"watch-{day}",
            "cwd": "/w/ops",
            "version": "2.1.240",
            "isSidechain": False,
            "type": "user",
            "uuid": f"{day}-{len(lines)}",
            "timestamp": stamp,
            "message": {"role": "user", "content": f"{stamp} {text}"},
        }
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"


class DreamChecks(Checks):
    """Sessions and dreams."""

    def __init__(self, url: str, key: str, kind: str, retries: int) -> None:
        super().__init__(url, key, kind, retries)
        self.sessions = self.client.beta.sessions
        self.dreams = self.client.beta.dreams

    def session(self, **given: Any) -> Any:
        return done(self.sessions.create(**({"agent": "watch", "environment_id": "env_x"} | given)))

    def brought(self, day: int) -> str:
        """A transcript, imported through our own route."""
        answer = done(
            self.client.post(
                f"/v1/reverie/sessions/import?filename=watch-{day}.jsonl",
                cast_to=object,
                content=watch(day).encode(),
                options={"headers": {"content-type": "application/octet-stream"}},
            )
        )
        return answer["data"][0]["id"]

    def dream(self, store: str, sessions: list[str], **given: Any) -> Any:
        inputs = [
            {"type": "memory_store", "memory_store_id": store},
            {"type": "sessions", "session_ids": sessions},
        ]
        return done(self.dreams.create(**({"inputs": inputs, "model": "rules"} | given)))

    def ended(self, dream: str) -> Any:
        give_up = time.monotonic() + 600
        while (now := done(self.dreams.retrieve(dream))).status not in OVER:
            assert time.monotonic() < give_up
            time.sleep(0.05)
        return now

    def hashes(self, store: str) -> dict[str, str]:
        return {one.path: one.content_sha256 for one in collected(self.memories.list(store))}

    # Sessions

    def check_session(self) -> None:
        store = self.store(name="Demo Memory", description="d")
        attached = [{"type": "memory_store", "memory_store_id": store, "instructions": "note all"}]
        said = {"type": "user.message", "content": [{"type": "text", "text": "hello"}]}
        made = self.session(
            title="one", metadata={"a": "b"}, resources=attached, initial_events=[said]
        )
        assert made.id.startswith("sesn_")
        assert (made.status, made.title, made.metadata) == ("idle", "one", {"a": "b"})
        assert made.agent.id == "watch"
        (resource,) = made.resources
        assert resource.mount_path == "/mnt/memory/demo-memory"
        assert (resource.access, resource.name) == ("read_write", "Demo Memory")
        assert done(self.sessions.retrieve(made.id)) == made
        changed = done(self.sessions.update(made.id, title="two", metadata={"a": None, "c": "d"}))
        assert (changed.title, changed.metadata) == ("two", {"c": "d"})
        assert made.id in [one.id for one in collected(self.sessions.list(memory_store_id=store))]
        assert collected(self.sessions.list(memory_store_id="memstore_x")) == []
        archived = done(self.sessions.archive(made.id))
        assert archived.archived_at
        assert done(self.sessions.archive(made.id)) == archived
        assert collected(self.sessions.list(memory_store_id=store)) == []
        both = self.sessions.list(memory_store_id=store, include_archived=True, order="asc")
        assert [one.id for one in collected(both)] == [made.id]
        gone = done(self.sessions.delete(made.id))
        assert (gone.id, gone.type) == (made.id, "session_deleted")
        self.refused(404, "not_found_error", lambda: self.sessions.retrieve(made.id))
        many = attached * 9
        self.refused(400, "invalid_request_error", lambda: self.session(resources=many))

    def check_events(self) -> None:
        session = self.session().id
        sent = [
            {"type": "user.message", "content": [{"type": "text", "text": f"line {n}"}]}
            for n in range(5)
        ]
        answered = done(self.sessions.events.send(session, events=sent))
        assert [one.type for one in answered.data] == ["user.message"] * 5
        listed = collected(self.sessions.events.list(session, limit=2))
        assert [one.content[0].text for one in listed] == [f"line {n}" for n in range(5)]
        assert [one.id for one in listed] == [one.id for one in answered.data]
        newest = collected(self.sessions.events.list(session, order="desc", limit=3))
        assert newest == listed[::-1]
        assert collected(self.sessions.events.list(session, types=["agent.message"])) == []
        wrong = {"type": "agent.message", "content": []}
        self.refused(
            400,
            "invalid_request_error",
            lambda: self.sessions.events.send(session, events=[wrong]),
        )

    def check_import(self) -> None:
        session = self.brought(0)
        events = collected(self.sessions.events.list(session))
        assert [one.type for one in events] == ["user.message", "user.message"]
        assert "CPU spike" in events[0].content[0].text
        assert self.brought(0) == session  # the same again is the same

    # Dreams

    def check_dream(self) -> None:
        sessions = [self.brought(day) for day in range(6)]
        store = self.store(name="Watch")
        for path, content in SAME.items():
            self.memory(store, path, content)
        before = self.hashes(store)
        made = self.dream(store, sessions[::-1])
        assert (made.type, made.outputs, made.ended_at) == ("dream", [], None)
        assert made.inputs[1].session_ids == sorted(sessions)
        assert (made.model.id, made.model.speed) == ("rules", "standard")
        assert made.output_behavior.type == "create_new"
        over = self.ended(made.id)
        assert (over.status, over.error) == ("completed", None), over
        assert self.hashes(store) == before
        (output,) = over.outputs
        found = {
            one.path: one
            for one in collected(self.memories.list(output.memory_store_id, view="full"))
        }
        (lag,) = [one for path, one in found.items() if "queuebacklog" in path]
        assert "after about 31 minutes" in lag.content
        for session in sessions:
            assert f"{session}#" in lag.content
        assert sum(path in found for path in SAME) == 1
        assert any(path.startswith("/archive/") for path in found), list(found)
        (version, *_) = self.history(output.memory_store_id, memory_id=lag.id)
        assert version.created_by.session_id == over.session_id
        told = collected(self.sessions.events.list(over.session_id))
        assert told[-1].content[0].text.startswith("completed")
        assert done(self.sessions.retrieve(over.session_id)).archived_at
        assert over.usage.input_tokens == 0

    def check_dream_in_place(self) -> None:
        sessions = [self.brought(day) for day in range(6)]
        store = self.store(name="Watch")
        target = {"type": "update_existing", "memory_store_id": store}
        made = self.dream(store, sessions, output_behavior=target)
        if made.status == "pending" and done(self.dreams.retrieve(made.id)).status not in OVER:
            error = self.refused(
                409,
                "conflict_error",
                lambda: self.dream(store, sessions, output_behavior=target),
            )
            assert made.id in error["message"]
        over = self.ended(made.id)
        assert [one.memory_store_id for one in over.outputs] == [store]
        assert any("queuebacklog" in path for path in self.hashes(store))
        other = {"type": "update_existing", "memory_store_id": self.store()}
        self.refused(
            400,
            "invalid_request_error",
            lambda: self.dream(store, sessions, output_behavior=other),
        )

    def check_dream_inputs(self) -> None:
        store, session = self.store(), self.brought(0)
        stores = {"type": "memory_store", "memory_store_id": store}
        read = {"type": "sessions", "session_ids": [session]}
        bad: tuple[dict[str, Any], ...] = (
            {"inputs": [stores]},
            {"inputs": [read]},
            {"inputs": [stores, stores, read]},
            {"inputs": [stores, {"type": "sessions", "session_ids": []}]},
            {"inputs": [stores, {"type": "sessions", "session_ids": [session, session]}]},
            {"inputs": [stores, {"type": "sessions", "session_ids": [session] * 101}]},
            {"instructions": ""},
            {"instructions": "x" * 4_097},
            {"model": {"id": "rules", "speed": "fast"}},
            {"model": "nobody-mapped-this"},
        )
        for given in bad:
            self.refused(
                400,
                "invalid_request_error",
                lambda given=given: self.dream(store, [session], **given),
            )
        self.refused(404, "not_found_error", lambda: self.dream(store, ["sesn_x"]))
        self.refused(404, "not_found_error", lambda: self.dream("memstore_x", [session]))
        done(self.stores.archive(store))
        self.refused(400, "invalid_request_error", lambda: self.dream(store, [session]))

    def check_dream_life(self) -> None:
        store, session = self.store(), self.brought(1)
        made = self.dream(store, [session], instructions="x" * 4_096, model={"id": "rules"})
        over = self.ended(made.id)
        assert over.status == "completed"
        self.refused(400, "invalid_request_error", lambda: self.dreams.cancel(made.id))
        archived = done(self.dreams.archive(made.id))
        assert archived.archived_at
        assert done(self.dreams.archive(made.id)) == archived
        assert made.id not in [one.id for one in collected(self.dreams.list(limit=1))]
        listed = self.dreams.list(include_archived=True, statuses=["completed", "failed"], limit=2)
        assert made.id in [one.id for one in collected(listed)]
        moment, instant = made.created_at, timedelta(milliseconds=1)
        for bounds, there in (
            ({"created_at_gt": moment}, False),
            ({"created_at_lt": moment}, False),
            ({"created_at_gt": moment - instant, "created_at_lt": moment + instant}, True),
        ):
            asked: dict[str, Any] = bounds
            found = collected(self.dreams.list(include_archived=True, **asked))
            assert (made.id in [one.id for one in found]) == there, bounds
        self.refused(404, "not_found_error", lambda: self.dreams.retrieve("drm_x"))
        second = self.dream(store, [session])
        canceled = done(self.dreams.cancel(second.id))
        assert canceled.status == "canceled"
        assert canceled.ended_at
        assert done(self.dreams.cancel(second.id)) == canceled
        assert done(self.dreams.archive(second.id)).archived_at


if __name__ == "__main__":
    assert VERSION >= (0, 122), "earlier clients know no dreams"
    checks.main(DreamChecks)
