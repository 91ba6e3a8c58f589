"""A scripted agent on watch: reads runbooks, shares notes, and leaves a session log behind."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.clock import iso
from reverie.documents.document import load
from reverie.errors import NotFound, ReadOnly
from reverie.store.model import Actor, Author, Memory, Principal
from reverie.store.store import Store

RUNBOOKS = "runbooks"
TRIAGE = "triage"
NOTE = "/in-flight/queue-backlog.md"
REPAIR = timedelta(hours=4)
OPENINGS = (
    "The watch is yours now.",
    "Anything going on?",
    "Take over, I am in a meeting.",
    "Have a look at the monitor, will you?",
    "Somebody paged us.",
)

Say = Callable[[str], None]


class Clock:
    """A clock that the story sets."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


class Watch:
    """One agent during one watch: one session."""

    def __init__(self, name: str, store: Store, clock: Clock, logs: Path, say: Say) -> None:
        self.name = name
        self._store = store.acting_as(Principal("agent", name))
        self._clock = clock
        self._say = say
        self._session = (
            f"{clock.now:%Y%m%d}-{clock.now:%H%M}-4000-8000-{name.encode().hex():0>12.12}"
        )
        self._path = logs / "-srv-code-mail-service" / f"{self._session}.jsonl"
        self._calls = 0

    def handle(self, printed: str) -> None:
        """The monitor printed something: look, decide, note."""
        self._log("user", OPENINGS[self._clock.now.toordinal() % len(OPENINGS)])
        self._call("monitor --since 2h", printed)
        if "QueueBacklog" not in printed:
            self._tell("it ended by itself, as the runbook says: nothing to do")
            return
        self._store.get(RUNBOOKS, "/queue-backlog.md")
        note = self._note()
        if note is None:
            self._tell("nobody is on it: I roll the workers and leave a note")
            self._start(None)
        elif note.valid_to and note.valid_to > iso(self._clock.now):
            until = note.valid_to[11:16]
            self._tell(
                f"a fix is in flight until {until} (“{_first(note)}”): I start no second one"
            )
        else:
            expired = (note.valid_to or "")[:16].replace("T", " ")
            self._tell(f"there was a fix, but its note expired on {expired}: I start a new one")
            self._start(note)

    def correct_runbook(self) -> None:
        """Try what an agent may not do."""
        by = Author(Actor("agent", self.name), "the runbook is out of date", trust="agent")
        try:
            self._store.update(RUNBOOKS, "/queue-backlog.md", content="# Roll twice\n", by=by)
        except ReadOnly as refused:
            self._tell(f"I cannot change the runbook: {refused}")

    def expect(self, event: str, learned: str) -> None:
        """An event came: what does the memory say will follow?"""
        for hit in self._store.search(f"{event} follows", [learned], limit=1):
            known = load(hit.memory.content, path=hit.memory.path).description
            self._tell(f"{known}. I look at the workers now, not after the alert")

    def _note(self) -> Memory | None:
        try:
            return self._store.get(TRIAGE, NOTE)
        except NotFound:
            return None

    def _start(self, before: Memory | None) -> None:
        now = self._clock.now
        by = Author(
            Actor("agent", self.name),
            "a repair was started",
            trust="agent",
            valid_from=iso(now),
            valid_to=iso(now + REPAIR),
        )
        content = f"{self.name} is rolling the workers since {now:%H:%M}.\n"
        seen = before.content_sha256 if before else None
        # Compare-and-set: of two agents that start at once, one is told that the other did.
        self._store.put(TRIAGE, NOTE, content, by, if_sha256=seen)
        self._call("workers roll", "rolling 1 of 12")

    def _tell(self, words: str) -> None:
        self._say(f"{self._clock.now:%a %H:%M}  {self.name}: {words}")
        self._log("assistant", [{"type": "text", "text": words}])

    def _call(self, command: str, output: str) -> None:
        self._calls += 1
        call = f"toolu_{self._session}_{self._calls}"
        given = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        self._log("assistant", [given])
        self._log("user", [{"type": "tool_result", "tool_use_id": call, "content": output}])

    def _log(self, role: str, content: Any) -> None:
        record = {
            "type": role,
            "message": {"role": role, "content": content},
            "sessionId": self._session,
            "timestamp": iso(self._clock.now),
            "cwd": "/srv/code/mail-service",
            "version": "2.1.240",
            "userType": "external",
            "isSidechain": False,
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def _first(memory: Memory) -> str:
    lines = memory.content.strip().splitlines()
    return lines[-1].rstrip(".") if lines else ""
