"""A session that grows: what it costs is what is new, and what comes of it is the same."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.clock import iso
from reverie.memory import Memory
from reverie.operations.diaries import daily, diaries
from reverie.sessions.growing import SETTLED, still_growing, tail_of

START = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)
SESSION = "6f0c9d1e-0000-4000-8000-000000000001"
KEY = f"claude-code:{SESSION}"
# What is made of a session, without what only says when it was made.
TABLES = {
    "corrections": "id, line, text, span, premise, context, label, score, durable, lesson, gist,"
    " standing, sure, position, density",
    "statements": "line, place, rule, quote, why, premise, act, worth, lasting, lasts, sure, kind",
    "fixes": "id, fixed_line, kind, failed, fix, lesson",
    "diaries": "number, path, day, title, outcome, human_turns, failures, broken",
    "turns": "seq, line, role, kind, text, copied, undone",
}
WHOLE = {"traces": "what, line, key, times, data", "diaries": "number, data"}

Record = dict[str, Any]


def said(text: str) -> tuple[str, Any]:
    return "user", text


def told(text: str) -> tuple[str, Any]:
    return "assistant", [{"type": "text", "text": text}]


def called(name: str, answer: str, *, failed: bool = False, **given: Any) -> list[tuple[str, Any]]:
    use = {"type": "tool_use", "id": "", "name": name, "input": given}
    result = {"type": "tool_result", "tool_use_id": "", "content": answer, "is_error": failed}
    return [("assistant", [use]), ("user", [result])]


EXCHANGES: tuple[list[tuple[str, Any]], ...] = (
    [
        said("Add a column for the customer number to the invoice export"),
        told("The exporter reads the schema. I'll add the column there."),
        *called("Edit", "The file has been updated.", file_path="/w/app/export.py"),
        *called("Bash", "1 failed: KeyError: 'number'", failed=True, command="pytest tests"),
        *called("Bash", "12 passed", command="uv run pytest tests"),
        told("Done: the export now has the customer number, because the schema names it."),
    ],
    [
        said("no, not like that: the number must stay a string, the importer reads it as text"),
        told("You're right, I'll keep it as text."),
        *called("Edit", "The file has been updated.", file_path="/w/app/export.py"),
        told("It is a string now."),
    ],
    [said("yes"), told("Good. Shall I go on with the tests of the importer?")],
    [
        said("From now on always run the linter before you commit"),
        told("Understood, I will run it before each commit."),
        *called("Bash", "All checks passed!", command="ruff check ."),
        *called("Bash", "[main 1a2b3c4] Export the customer number", command="git commit -am x"),
        told("Linted and committed."),
    ],
    [
        said("Now let's look at the login page, the session cookie expires far too early"),
        told("The cookie's age is set in auth.py."),
        *called("Read", "MAX_AGE = 60", file_path="/w/app/auth.py"),
        told("The root cause is the age of sixty seconds; it was meant to be minutes."),
    ],
    [said("/clear"), said("Write a changelog entry for the cookie fix"), told("Written.")],
    [said("don't use emojis in the changelog, please"), told("Removed them.")],
)


def records(numbers: Sequence[int], pauses: Sequence[int]) -> list[Record]:
    """The records of a session of these exchanges, some after a pause of hours."""
    found: list[Record] = []
    moment = START
    for place, number in enumerate(numbers):
        moment += timedelta(hours=pauses[place % len(pauses)] if place else 0)
        call = 0
        for role, content in EXCHANGES[number % len(EXCHANGES)]:
            moment += timedelta(seconds=20)
            line = len(found)
            if isinstance(content, list):
                part = dict(content[0])
                call += part["type"] == "tool_use"
                name = f"call-{place}-{call}"
                part |= {"id": name} if "id" in part else {}
                part |= {"tool_use_id": name} if "tool_use_id" in part else {}
                content = [part]
            found.append(
                {
                    "type": role,
                    "sessionId": SESSION,
                    "uuid": f"{line:08x}-0000-4000-8000-{line:012x}",
                    "timestamp": iso(moment),
                    "cwd": "/w/app",
                    "version": "2.0.0",
                    "message": {"role": role, "content": content},
                }
            )
    return found


def moment_of(record: Record) -> datetime:
    return datetime.fromisoformat(record["timestamp"])


class Grown:
    """A home that learns one session in steps."""

    def __init__(self, folder: Path, session: Sequence[Record]) -> None:
        self.log = folder / "logs" / "-w-app" / f"{SESSION}.jsonl"
        self.log.parent.mkdir(parents=True)
        self.session = session
        self.now = START
        self.at = 0
        self.memory = Memory.open(folder / "home", folder=folder, clock=lambda: self.now)

    def grow(self, end: int) -> None:
        """Learn up to a record, a minute after it."""
        with self.log.open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps(one) + "\n" for one in self.session[self.at : end])
        self.at = end
        self.now = moment_of(self.session[end - 1]) + timedelta(minutes=1)
        self.memory.learn(self.log.parent.parent)

    def settle(self) -> None:
        self.now += SETTLED
        self.memory.learn(self.log.parent.parent)

    def rows(self, tables: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
        query = self.memory.index.database.query
        return {
            name: query(f"SELECT {columns} FROM {name} ORDER BY {columns}")
            for name, columns in tables.items()
        }

    def kept(self) -> dict[str, Any]:
        """Memories and queue."""
        query = self.memory.database.query
        store = self.memory.store
        texts = {
            (info.name, memory.path): memory.content
            for info in store.stores()
            for memory in store.walk(info.id)
        }
        queue = query("SELECT id, status, score, why FROM reviews ORDER BY id")
        return {"memories": texts, "queue": queue}

    def versions(self) -> int:
        return int(self.memory.database.query("SELECT count(*) FROM versions")[0][0])


def learned(folder: Path, session: Sequence[Record], ends: Iterable[int]) -> Grown:
    grown = Grown(folder, session)
    for end in ends:
        grown.grow(end)
    return grown


def handed_back(session: Sequence[Record]) -> list[int]:
    """The places after an agent's last words to a person, where a hook would learn."""
    ends = [
        place
        for place, (one, following) in enumerate(pairwise(session), 1)
        if isinstance(following["message"]["content"], str) and one["type"] == "assistant"
    ]
    return [*ends, len(session)]


numbers = st.lists(st.integers(0, len(EXCHANGES) - 1), min_size=2, max_size=9)
hours = st.lists(st.sampled_from([0, 0, 0, 2, 9]), min_size=1, max_size=5)


@given(numbers=numbers, pauses=hours, data=st.data())
@settings(max_examples=8, deadline=None)
def test_a_session_learned_in_steps_is_as_if_it_was_learned_at_once(
    numbers: list[int],
    pauses: list[int],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    session = records(numbers, pauses)
    places = handed_back(session)
    steps = sorted(data.draw(st.sets(st.sampled_from(places))) | {len(session)})
    folder = tmp_path_factory.mktemp("grown")
    stepwise = learned(folder / "steps", session, steps)
    at_once = learned(folder / "once", session, [len(session)])
    assert stepwise.rows(TABLES) == at_once.rows(TABLES)
    assert stepwise.kept()["queue"] == at_once.kept()["queue"]
    stepwise.settle()
    at_once.settle()
    assert stepwise.rows(TABLES | WHOLE) == at_once.rows(TABLES | WHOLE)
    assert stepwise.kept() == at_once.kept()
    assert not still_growing(stepwise.memory.index.database)


@given(numbers=numbers, pauses=hours, data=st.data())
@settings(max_examples=8, deadline=None)
def test_rows_are_the_same_wherever_a_log_was_cut(
    numbers: list[int],
    pauses: list[int],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    session = records(numbers, pauses)
    steps = sorted(data.draw(st.sets(st.integers(1, len(session)), max_size=8)) | {len(session)})
    folder = tmp_path_factory.mktemp("cut")
    stepwise = learned(folder / "steps", session, steps)
    at_once = learned(folder / "once", session, [len(session)])
    assert stepwise.rows(TABLES) == at_once.rows(TABLES)


def test_what_is_kept_at_hand_does_not_grow_with_the_session(tmp_path: Path) -> None:
    sizes: list[int] = []
    for number, rounds in enumerate((12, 30)):
        session = records(list(range(7)) * rounds, [0])
        grown = learned(tmp_path / str(number), session, handed_back(session)[19::20])
        tail = tail_of(grown.memory.index.database, KEY)
        assert tail is not None and tail.checkpoint.tasks > 0
        sizes.append(len(tail.turns))
    assert sizes[1] < 1.5 * sizes[0]


def test_a_rewind_is_seen_in_what_was_read_before(tmp_path: Path) -> None:
    session = records([0, 1, 3, 4], [0])
    for before, after in pairwise(session):
        after["parentUuid"] = before["uuid"]
    first, second, *_ = handed_back(session)
    # The person goes back to where the second exchange began, and says something else.
    session[second]["parentUuid"] = session[first - 1]["uuid"]
    stepwise = learned(tmp_path / "steps", session, [first, second, second + 3, len(session)])
    at_once = learned(tmp_path / "once", session, [len(session)])
    assert stepwise.rows(TABLES) == at_once.rows(TABLES)
    assert any(row[-1] for row in stepwise.rows({"turns": "seq, undone"})["turns"])


def test_diaries_and_dailies_are_published_once_the_session_is_over(tmp_path: Path) -> None:
    session = records([0, 1, 2, 3, 4], [0])
    grown = learned(tmp_path, session, handed_back(session))
    open_paths = [path for _, path in grown.kept()["memories"]]
    assert not any("/diary/" in path or "/daily/" in path for path in open_paths)
    (page, *_) = diaries(grown.memory)
    assert "customer number" in page.text
    assert "customer number" in daily(grown.memory).text
    grown.settle()
    paths = [path for _, path in grown.kept()["memories"]]
    assert sum("/diary/" in path for path in paths) == len(diaries(grown.memory))
    assert "/daily/2026-09-01.md" in paths
    before = grown.versions()
    grown.settle()
    assert grown.versions() == before


def test_words_the_agent_still_works_on_are_not_written_yet(tmp_path: Path) -> None:
    session = records([0, 3, 4], [0])
    rule = next(n for n, one in enumerate(session) if "From now on" in str(one["message"])) + 1
    grown = learned(tmp_path, session, [rule])
    assert grown.kept()["queue"] == []
    grown.grow(rule + 1)
    assert "linter" in str(grown.kept()["memories"])


def test_what_was_written_and_is_put_in_doubt_by_the_next_words_waits(tmp_path: Path) -> None:
    session = records([0, 3, 1], [0])
    stepwise = learned(tmp_path / "steps", session, [*handed_back(session)])
    at_once = learned(tmp_path / "once", session, [len(session)])
    assert stepwise.kept() == at_once.kept()
