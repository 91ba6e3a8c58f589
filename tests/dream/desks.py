"""A home with learned sessions for tests of dreaming with a model, and the model's side of it."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.connect.logs import record

from reverie.asker import OWNER
from reverie.clock import iso
from reverie.dream.proposals.work import DreamTask, DreamWork, Taken
from reverie.memory import Memory

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
START = datetime(2026, 11, 2, 9, tzinfo=UTC)

Said = str | tuple[str, str] | tuple[str, str, str]


def write_session(folder: Path, session: str, cwd: Path, day: int, turns: Sequence[Said]) -> None:
    """What a person said, `("agent", text)`, and calls: `("call", command, error)` with its result,
    `("print", command, output)`."""
    blocks: list[tuple[str, Any]] = []
    for turn in turns:
        if isinstance(turn, str):
            blocks.append(("user", turn))
        elif turn[0] == "agent":
            blocks.append(("assistant", [{"type": "text", "text": turn[1]}]))
        else:
            name, error = f"toolu_{len(blocks)}", turn[2] if len(turn) > 2 else ""
            call = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": turn[1]}}
            result = {"type": "tool_result", "tool_use_id": name, "content": error or "done"}
            blocks += [
                ("assistant", [call]),
                ("user", [result | {"is_error": bool(error) and turn[0] == "call"}]),
            ]
    lines = [
        record(session, cwd, number, kind, content)
        | {"timestamp": iso(START + timedelta(days=day, minutes=number))}
        for number, (kind, content) in enumerate(blocks)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{session}.jsonl").write_text(text, encoding="utf-8")


class Desk:
    """Sessions of one project, each on the next day unless said otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.logs = folder / "logs"
        self.memory = Memory.open(
            folder / "home", folder=self.project, asker=OWNER, clock=lambda: NOW
        )

    def learn(self, *sessions: Sequence[Said], days: Sequence[int] = ()) -> None:
        for number, turns in enumerate(sessions):
            day = days[number] if days else number
            write_session(self.logs, f"s{number + 1}", self.project, day, turns)
        self.memory.learn(self.logs, jobs=1)

    @property
    def work(self) -> DreamWork:
        memory = self.memory
        return DreamWork(memory.store, memory.index, memory.clock, memory.redact)

    def take(self) -> DreamTask:
        task = self.work.next()
        assert task is not None
        return task

    def answer(self, task: DreamTask, *patterns: Mapping[str, Any], **more: Any) -> Taken:
        text = json.dumps({"patterns": patterns, **more})
        work = self.work
        return work.submit(work.assignments.find(task.assignment.id), text)

    def close(self) -> None:
        self.memory.close()


def found(text: str, *evidence: str, **more: Any) -> dict[str, Any]:
    """A pattern as a model gives it."""
    return {
        "text": text, "why": None, "type": "feedback", "scope": "project", "worth": 4,
        "kind": "best-practice", "evidence": list(evidence), "instead_of": [], "forms": [],
    } | more  # fmt: skip


def suggested(form: str, *steps: str, **more: Any) -> dict[str, Any]:
    return {"form": form, "name": None, "steps": steps, "match": None, "decision": None} | more


# One thing in three sessions that share hardly a word.
GOLDEN = (
    ["Fix the parser.", ("agent", "Done, I regenerated the snapshots."),
     "why did the golden files change? put them back"],
    ["Add the export.", ("agent", "All tests pass now."),
     "leave the golden files alone, they are what we compare with"],
    ["Speed up the reader.", ("agent", "Finished."),
     "you can't just regenerate what we compare with, restore the golden files"],
)  # fmt: skip
RULE = "Leave the golden files alone: never regenerate what we compare with to make tests pass."
