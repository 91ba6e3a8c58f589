"""The checklist of the contract, as the official Python client sees it.

    python checks.py URL KEY sync|async

Runs in the environment of one version of the client and prints, as JSON, each check with what went
wrong, "" for nothing. Responses are validated strictly. Nothing of Reverie is imported here.
"""

import asyncio
import hashlib
import importlib
import inspect
import json
import sys
import unicodedata
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

anthropic: Any = importlib.import_module("anthropic")
VERSION = tuple(int(part) for part in anthropic.__version__.split("."))
LOOP = asyncio.new_event_loop()


def done(value: Any) -> Any:
    """The value, waited for if need be."""
    if inspect.isawaitable(value):

        async def wait() -> Any:
            return await value

        return LOOP.run_until_complete(wait())
    return value


def collected(pages: Any) -> list[Any]:
    """All items of all pages."""
    if hasattr(pages, "__aiter__"):

        async def gather() -> list[Any]:
            return [item async for item in pages]

        return LOOP.run_until_complete(gather())
    return list(pages)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Checks:
    """One client of one kind, and what it expects."""

    def __init__(self, url: str, key: str, kind: str, retries: int) -> None:
        make = anthropic.AsyncAnthropic if kind == "async" else anthropic.Anthropic
        self.make: Callable[..., Any] = lambda **more: make(
            **(
                {"base_url": url, "api_key": key, "max_retries": retries}
                | {"_strict_response_validation": True}
                | more
            )
        )
        self.url = url
        self.key = key
        self.client = self.make()
        self.sent = 0
        self.client._client.event_hooks = {
            "request": [self.count_later if kind == "async" else self.count]
        }
        self.stores = self.client.beta.memory_stores
        self.memories = self.stores.memories
        self.versions = self.stores.memory_versions

    def count(self, _request: Any) -> None:
        self.sent += 1

    async def count_later(self, request: Any) -> None:
        self.count(request)

    # What checks are made of

    def store(self, **given: Any) -> str:
        return done(self.stores.create(**({"name": "Demo"} | given))).id

    def memory(self, store: str, path: str = "/a.md", content: str = "one") -> Any:
        return done(self.memories.create(store, path=path, content=content))

    def update(self, store: str, memory: str, **given: Any) -> Any:
        return done(self.memories.update(memory, memory_store_id=store, **given))

    def get(self, store: str, memory: str, **given: Any) -> Any:
        return done(self.memories.retrieve(memory, memory_store_id=store, **given))

    def history(self, store: str, **given: Any) -> list[Any]:
        return collected(self.versions.list(store, **given))

    def precondition(self, text: str) -> dict[str, str]:
        return {"type": "content_sha256", "content_sha256": sha(text)}

    def refused(self, status: int, kind: str, act: Callable[[], Any]) -> Any:
        """What a refusal says, which has to be of this kind."""
        before = self.sent
        try:
            done(act())
        except anthropic.APIStatusError as error:
            body = error.body
            assert error.status_code == status, (error.status_code, body)
            assert body["type"] == "error", body
            assert body["error"]["type"] == kind, body
            assert body["request_id"] == error.request_id, error.request_id
            assert str(error.request_id).startswith("req_")
            if status == 409:
                assert error.response.headers["x-should-retry"] == "false"
                assert self.sent - before == 1, "a conflict is not to be tried again"
            return body["error"]
        raise AssertionError(f"not refused with {status}")

    # The checks

    def check_store_fields(self) -> None:
        made = done(self.stores.create(name="Demo", metadata={"a": "b"}))
        assert made.type == "memory_store"
        assert made.id.startswith("memstore_")
        assert (made.description, made.metadata, made.archived_at) == ("", {"a": "b"}, None)
        assert isinstance(made.created_at, datetime)
        read = done(self.stores.retrieve(made.id))
        assert read == made

    def check_store_update(self) -> None:
        store = self.store(description="d", metadata={"a": "1", "b": "2"})
        changed = done(self.stores.update(store, metadata={"a": None, "c": "3"}))
        assert changed.metadata == {"b": "2", "c": "3"}, changed.metadata
        assert changed.description == "d"
        assert done(self.stores.update(store, name=None, description=None)).description == "d"
        assert done(self.stores.update(store, description="")).description == ""
        assert done(self.stores.update(store, name="Other", metadata=None)).name == "Other"
        many = {f"k{n}": "v" for n in range(15)}
        self.refused(400, "invalid_request_error", lambda: self.stores.update(store, metadata=many))

    def check_store_archive(self) -> None:
        store = self.store()
        memory = self.memory(store)
        self.update(store, memory.id, content="two")
        archived = done(self.stores.archive(store))
        assert archived.archived_at
        assert done(self.stores.archive(store)) == archived
        bad = "invalid_request_error"
        self.refused(400, bad, lambda: self.stores.update(store, name="x"))
        self.refused(400, bad, lambda: self.memories.create(store, path="/b", content=""))
        self.refused(
            400, bad, lambda: self.memories.update(memory.id, memory_store_id=store, content="3")
        )
        assert self.get(store, memory.id).content == "two"
        redacted = self.redact(store, memory.memory_version_id)
        assert redacted.redacted_at
        assert done(self.memories.delete(memory.id, memory_store_id=store)).type == "memory_deleted"
        listed = [one.id for one in collected(self.stores.list(include_archived=True))]
        assert store in listed
        assert store not in [one.id for one in collected(self.stores.list(limit=100))]
        gone = done(self.stores.delete(store))
        assert (gone.id, gone.type) == (store, "memory_store_deleted")
        self.refused(404, "not_found_error", lambda: self.stores.retrieve(store))
        self.refused(404, "not_found_error", lambda: self.stores.delete(store))

    def check_store_list(self) -> None:
        ids = [self.store(name=f"s{n}") for n in range(3)]
        found = collected(self.stores.list(limit=1))
        assert [one.id for one in found if one.id in ids] == ids[::-1]
        by_id = {one.id: one.created_at for one in found}
        middle = by_id[ids[1]]
        within = collected(self.stores.list(created_at_gte=middle, created_at_lte=middle))
        assert ids[1] in [one.id for one in within]
        later = collected(self.stores.list(created_at_gte=middle + timedelta(days=1)))
        assert later == []
        text = (middle - timedelta(days=1)).isoformat()
        assert len(collected(self.stores.list(created_at_gte=text))) >= 3
        first = done(self.stores.list(limit=1))
        assert first.next_page
        for limit in (0, 101, -1, 10**9):
            self.refused(
                400, "invalid_request_error", lambda limit=limit: self.stores.list(limit=limit)
            )
        self.refused(400, "invalid_request_error", lambda: self.stores.list(page="page_x"))

    def check_store_limits(self) -> None:
        bad = "invalid_request_error"
        self.store(name="n" * 255, description="d" * 1_024)
        for given in (
            {"name": "n" * 256},
            {"name": ""},
            {"name": "a\tb"},
            {"description": "d" * 1_025},
            {"metadata": {"k" * 65: ""}},
            {"metadata": {"": ""}},
            {"metadata": {"k": "v" * 513}},
            {"metadata": {str(n): "" for n in range(17)}},
        ):
            body: dict[str, Any] = {"name": "x"} | given
            self.refused(400, bad, lambda body=body: self.stores.create(**body))

    def check_memory_fields(self) -> None:
        store = self.store()
        memory = self.memory(store, "/notes/é.md", "grüße")
        assert memory.type == "memory"
        assert memory.id.startswith("mem_")
        assert memory.memory_version_id.startswith("memver_")
        assert memory.memory_store_id == store
        assert (memory.content, memory.path) == (None, "/notes/é.md")
        assert memory.content_sha256 == sha("grüße")
        assert memory.content_size_bytes == len("grüße".encode())
        assert self.get(store, memory.id).content == "grüße"
        assert self.get(store, memory.id, view="basic").content is None
        full = done(self.memories.create(store, path="/f", content="x", view="full"))
        assert full.content == "x"
        changed = self.update(store, full.id, content="y", view="full")
        assert (changed.content, changed.id) == ("y", full.id)
        assert changed.updated_at >= changed.created_at

    def check_memory_conflicts(self) -> None:
        store = self.store()
        memory = self.memory(store, "/notes/todo")
        for path in ("/notes/todo", "/notes", "/notes/todo/x"):
            error = self.refused(
                409,
                "memory_path_conflict_error",
                lambda path=path: self.memories.create(store, path=path, content=""),
            )
            assert error["conflicting_memory_id"] == memory.id, error
            assert error["conflicting_path"] == "/notes/todo", error
        self.memory(store, "/notes/other")
        self.memory(store, "/notes-2")

    def check_memory_content(self) -> None:
        store = self.store()
        # Two bytes each: sizes are of bytes, not of characters.
        largest = "é" * 51_200
        memory = self.memory(store, "/large", largest)
        assert memory.content_size_bytes == 102_400
        bad = "invalid_request_error"
        for content in (largest + "a", "a\0b", None):
            self.refused(
                400,
                bad,
                lambda content=content: self.memories.create(store, path="/x", content=content),
            )
        assert self.memory(store, "/empty", "").content_sha256 == sha("")
        exact = "a\r\nb\r" + unicodedata.normalize("NFD", "é") + "\u202e \n"
        kept = self.get(store, self.memory(store, "/exact", exact).id)
        assert (kept.content, kept.content_sha256) == (exact, sha(exact))

    def check_memory_paths(self) -> None:
        store = self.store()
        self.memory(store, "/" + "/".join(["s"] * 20))
        self.memory(store, "/" + "p" * 1_023)
        for path in (
            "/" + "/".join(["t"] * 21),
            "/" + unicodedata.normalize("NFD", "é"),
            "/a\u200b",
            "/a\u2028",
            "/a\u2029",
            "/trailing/",
            "/" + "q" * 1_024,
            "/" + "é" * 512,
            "relative",
            "",
            "/",
            "//a",
            "/a//b",
            "/../x",
            "/a/./b",
            "/a\nb",
            "/.anthropic-memory-store",
        ):
            self.refused(
                400,
                "invalid_request_error",
                lambda path=path: self.memories.create(store, path=path, content=""),
            )

    def check_memory_update(self) -> None:
        store = self.store()
        memory = self.memory(store, content="one")
        two = self.update(store, memory.id, content="two", precondition=self.precondition("one"))
        assert two.content_sha256 == sha("two")
        self.refused(
            409,
            "memory_precondition_failed_error",
            lambda: self.memories.update(
                memory.id,
                memory_store_id=store,
                content="three",
                precondition=self.precondition("one"),
            ),
        )
        # What already is as asked for is a success, whatever the precondition; and no version.
        again = self.update(store, memory.id, content="two", precondition=self.precondition("one"))
        assert again.memory_version_id == two.memory_version_id
        assert self.update(store, memory.id, path="/a.md") == again
        assert len(self.history(store)) == 2
        moved = self.update(store, memory.id, path="/b/c.md", precondition=self.precondition("two"))
        assert (moved.id, moved.path) == (memory.id, "/b/c.md")
        self.refused(
            409,
            "memory_precondition_failed_error",
            lambda: self.memories.update(
                memory.id,
                memory_store_id=store,
                path="/d.md",
                precondition=self.precondition("one"),
            ),
        )
        deeper = self.update(store, memory.id, path="/b/c.md/d")
        assert deeper.path == "/b/c.md/d"
        other = self.memory(store, "/other")
        for path in ("/other", "/other/x"):
            error = self.refused(
                409,
                "memory_path_conflict_error",
                lambda path=path: self.memories.update(memory.id, memory_store_id=store, path=path),
            )
            assert error["conflicting_memory_id"] == other.id

    def check_memory_update_refusals(self) -> None:
        store = self.store()
        memory = self.memory(store)
        for given in (
            {},
            {"content": None},
            {"content": "x", "precondition": {"type": "content_sha256", "content_sha256": "ab"}},
            {
                "content": "x",
                "precondition": {"type": "content_sha256", "content_sha256": sha("one").upper()},
            },
            {"content": "x", "precondition": {"type": "other"}},
        ):
            body: dict[str, Any] = given
            self.refused(
                400,
                "invalid_request_error",
                lambda body=body: self.memories.update(memory.id, memory_store_id=store, **body),
            )
        assert self.get(store, memory.id).content == "one"

    def check_memory_delete(self) -> None:
        store = self.store()
        memory = self.memory(store)
        for expected, status, kind in (
            (sha("other"), 409, "memory_precondition_failed_error"),
            ("zz", 400, "invalid_request_error"),
        ):
            self.refused(
                status,
                kind,
                lambda expected=expected: self.memories.delete(
                    memory.id, memory_store_id=store, expected_content_sha256=expected
                ),
            )
        gone = done(
            self.memories.delete(
                memory.id, memory_store_id=store, expected_content_sha256=sha("one")
            )
        )
        assert (gone.id, gone.type) == (memory.id, "memory_deleted")
        self.refused(
            404,
            "not_found_error",
            lambda: self.memories.delete(memory.id, memory_store_id=store),
        )
        self.refused(
            404,
            "not_found_error",
            lambda: self.memories.retrieve(memory.id, memory_store_id=store),
        )
        assert [v.operation for v in self.history(store, memory_id=memory.id)] == [
            "deleted",
            "created",
        ]
        assert self.memory(store).id != memory.id

    def check_memory_elsewhere(self) -> None:
        store, other = self.store(), self.store()
        memory = self.memory(store)
        missing = "not_found_error"
        for ref in (memory.id, "mem_unknown"):
            self.refused(
                404, missing, lambda ref=ref: self.memories.retrieve(ref, memory_store_id=other)
            )
        version = memory.memory_version_id
        self.refused(404, missing, lambda: self.versions.retrieve(version, memory_store_id=other))
        self.refused(404, missing, lambda: self.versions.redact(version, memory_store_id=other))
        self.refused(404, missing, lambda: self.stores.retrieve("Demo"))

    def check_memory_list(self) -> None:
        store = self.store()
        for path in ("/a.md", "/notes/b.md", "/notes/sub/c.md", "/notes-2/d.md", "/z.md"):
            self.memory(store, path, path)

        def listed(**given: Any) -> list[str]:
            return [one.path for one in collected(self.memories.list(store, **given))]

        assert listed() == [
            "/a.md",
            "/notes-2/d.md",
            "/notes/b.md",
            "/notes/sub/c.md",
            "/z.md",
        ]
        assert listed(path_prefix="/notes/") == ["/notes/b.md", "/notes/sub/c.md"]
        assert listed(depth=0, path_prefix="/") == listed()
        folded = ["/a.md", "/notes-2/", "/notes/", "/z.md"]
        assert listed(depth=1) == folded
        assert listed(depth=1, limit=1) == folded
        kinds = [one.type for one in collected(self.memories.list(store, depth=1))]
        assert kinds == ["memory", "memory_prefix", "memory_prefix", "memory"]
        assert listed(depth=1, path_prefix="/notes/") == ["/notes/b.md", "/notes/sub/"]
        assert listed(path_prefix="/nothing/") == []
        basic = collected(self.memories.list(store))
        assert [one.content for one in basic] == [None] * 5
        assert [one.content_sha256 for one in basic] == [sha(one.path) for one in basic]
        full = collected(self.memories.list(store, view="full"))
        assert [one.content for one in full] == [one.path for one in full]
        bad = "invalid_request_error"
        for given in (
            {"path_prefix": "/notes"},
            {"depth": 2},
            {"depth": -1},
            {"limit": 0},
            {"limit": 101},
            {"page": "page_e30"},
            {"view": "other"},
        ):
            asked: dict[str, Any] = given
            self.refused(400, bad, lambda asked=asked: self.memories.list(store, **asked))

    def check_memory_pages(self) -> None:
        store = self.store()
        for n in range(45):
            self.memory(store, f"/m{n:02}", str(n))
        assert len(done(self.memories.list(store)).data) == 20
        assert len(done(self.memories.list(store, limit=100)).data) == 45
        assert len(done(self.memories.list(store, limit=100, view="full")).data) == 20
        first = done(self.memories.list(store, limit=10))
        # Others write between two pages: what was there is listed once.
        gone = first.data[-1]
        done(self.memories.delete(gone.id, memory_store_id=store))
        self.memory(store, "/m05-new")
        rest = collected(self.memories.list(store, limit=10, page=first.next_page))
        assert [one.path for one in rest] == [f"/m{n:02}" for n in range(10, 45)]
        self.refused(
            400,
            "invalid_request_error",
            lambda: self.memories.list(store, path_prefix="/x/", page=first.next_page),
        )
        other = self.store()
        self.refused(
            400, "invalid_request_error", lambda: self.memories.list(other, page=first.next_page)
        )

    def redact(self, store: str, version: str) -> Any:
        return done(self.versions.redact(version, memory_store_id=store))

    def check_versions(self) -> None:
        store = self.store()
        memory = self.memory(store)
        self.update(store, memory.id, content="two")
        done(self.memories.delete(memory.id, memory_store_id=store))
        deleted, modified, created = self.history(store, view="full")
        assert [v.operation for v in (deleted, modified, created)] == [
            "deleted",
            "modified",
            "created",
        ]
        assert [v.content for v in (deleted, modified, created)] == [None, "two", "one"]
        assert [v.content_sha256 for v in (deleted, modified, created)] == [
            None,
            sha("two"),
            sha("one"),
        ]
        assert (deleted.path, deleted.content_size_bytes) == ("/a.md", None)
        assert all(
            v.type == "memory_version" and v.memory_id == memory.id for v in self.history(store)
        )
        assert [v.content for v in self.history(store)] == [None, None, None]
        assert created.created_by.type == "api_actor"
        assert created.created_by.api_key_id.startswith("apikey_")
        assert (created.redacted_at, created.redacted_by) == (None, None)
        one = done(self.versions.retrieve(created.id, memory_store_id=store))
        assert one.content == "one"
        brief = done(self.versions.retrieve(created.id, memory_store_id=store, view="basic"))
        assert (brief.content, brief.content_sha256) == (None, sha("one"))

    def check_version_filters(self) -> None:
        store = self.store()
        memory = self.memory(store)
        other = self.memory(store, "/b.md")
        self.update(store, memory.id, content="two")
        both = self.history(store, limit=1)
        assert len(both) == 3
        assert [v.memory_id for v in self.history(store, memory_id=other.id)] == [other.id]
        assert [v.operation for v in self.history(store, operation="modified")] == ["modified"]
        author = both[0].created_by.api_key_id
        assert len(self.history(store, api_key_id=author)) == 3
        assert self.history(store, api_key_id="apikey_other") == []
        assert self.history(store, session_id="sesn_1") == []
        assert self.history(store, session_id="sesn_1", api_key_id=author) == []
        if VERSION >= (0, 123):
            assert self.history(store, service_account_id="svac_1") == []
        for number in range(20):
            self.update(store, other.id, content=str(number))
        assert len(done(self.versions.list(store, limit=100)).data) == 23
        assert len(done(self.versions.list(store, limit=100, view="full")).data) == 20
        assert len(self.history(store, view="full")) == 23
        newest = both[0].created_at
        until = self.history(store, created_at_lte=newest)
        assert {one.id for one in both} <= {one.id for one in until}
        assert both[0].id in [v.id for v in self.history(store, created_at_gte=newest)]
        assert both[0].id not in [
            v.id for v in self.history(store, created_at_lte=newest - timedelta(milliseconds=1))
        ]
        assert self.history(store, created_at_gte=newest + timedelta(days=1)) == []
        for given in ({"limit": 0}, {"limit": 101}, {"page": "x"}, {"operation": "renamed"}):
            asked: dict[str, Any] = given
            self.refused(
                400,
                "invalid_request_error",
                lambda asked=asked: self.versions.list(store, **asked),
            )

    def check_redaction(self) -> None:
        store = self.store()
        memory = self.memory(store)
        head = self.update(store, memory.id, content="two").memory_version_id
        self.refused(
            400,
            "invalid_request_error",
            lambda: self.versions.redact(head, memory_store_id=store),
        )
        redacted = self.redact(store, memory.memory_version_id)
        nothing = (None, None, None, None)
        told = (redacted.path, redacted.content, redacted.content_sha256)
        assert (*told, redacted.content_size_bytes) == nothing
        assert redacted.redacted_at
        assert redacted.redacted_by.type == "api_actor"
        assert redacted.created_by.type == "api_actor"
        assert redacted.operation == "created"
        assert self.redact(store, memory.memory_version_id) == redacted
        read = done(
            self.versions.retrieve(memory.memory_version_id, memory_store_id=store, view="full")
        )
        assert read == redacted

    def check_secrets(self) -> None:
        store = self.store()
        memory = self.memory(store)
        secret = "AKIA" + "Z7QK2M4PX6TR3WLB"
        for act in (
            lambda: self.memories.create(store, path="/k", content=f"key {secret}"),
            lambda: self.memories.update(memory.id, memory_store_id=store, content=f"key {secret}"),
        ):
            error = self.refused(400, "invalid_request_error", act)
            assert "aws" in error["message"], error
            assert secret not in error["message"]
        assert len(self.history(store)) == 1

    def check_headers(self) -> None:
        store = self.store()
        for betas in (
            ["managed-agents-2026-04-01"],
            ["x-1"],
            ["agent-memory-2026-07-22", "managed-agents-2026-04-01"],
        ):
            assert done(self.stores.retrieve(store, betas=betas)).id == store
        for version in ("2023-06-01", "2026-10-21", "2031-01-01"):
            given = {"anthropic-version": version}
            assert done(self.stores.retrieve(store, extra_headers=given)).id == store
        tolerated = {"beta": "true", "order": "asc", "order_by": "path", "unknown": "1"}
        assert done(self.stores.retrieve(store, extra_query=tolerated)).id == store
        assert collected(self.memories.list(store, extra_query=tolerated)) == []
        made = done(self.stores.create(name="x", extra_body={"unknown": [1, {"a": None}]}))
        assert made.name == "x"

    def check_auth(self) -> None:
        store = self.store()
        by_token = self.make(api_key=None, auth_token=self.key)
        assert done(by_token.beta.memory_stores.retrieve(store)).id == store
        given = {"x-api-key": self.key}
        assert done(self.stores.retrieve(store, extra_headers=given)).id == store
        wrong = self.make(api_key="sk-ant-nothing")
        self.refused(401, "authentication_error", lambda: wrong.beta.memory_stores.retrieve(store))

    def check_unknown_paths(self) -> None:
        from_raw = self.client.get

        def act() -> Any:
            return from_raw("/v1/nothing", cast_to=object)

        self.refused(404, "not_found_error", act)


def main(sort: type[Checks] = Checks) -> None:
    url, key, kind = sys.argv[1:4]
    told: dict[str, str] = {}
    for retries in (2, 0):
        checks = sort(url, key, kind, retries)
        for name in [name for name in vars(sort) if name.startswith("check_")]:
            try:
                getattr(checks, name)()
                told[f"{name} (retries {retries})"] = ""
            except Exception as error:  # noqa: BLE001 - each check is told by itself
                import traceback

                place = traceback.extract_tb(error.__traceback__)[-1]
                told[f"{name} (retries {retries})"] = f"line {place.lineno}: {error!r}"[:2_000]
    print(json.dumps(told))


if __name__ == "__main__":
    main()
