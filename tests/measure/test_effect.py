"""The repeat-correction rate before and after memory, and when there is too little to say."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import as_bytes, claude, prompt, reply

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.measure.effect import Pair, Share, compared, counted, effect
from reverie.memory import Memory
from reverie.operations import recalling
from reverie.recall.ledger import HandOver, LedgerEntry
from reverie.sessions.corrections import corrections

RULE = "no, that is wrong: install with the wheelhouse, the proxy blocks the public index"
MEMORY_AT = "2026-06-01"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "harbour"
    made.mkdir()
    return made


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    with Memory.open(folder=folder, clock=fixed("2026-11-15T08:00:00Z")) as made:
        yield made


def log(folder: Path, number: int, day: str, *said: str) -> str:
    """A session of a day; returns its id."""
    session = f"{number:08d}-0000-4000-8000-000000000000"
    turns = [
        turn
        for text in said
        for turn in (reply("I installed from the public index."), prompt(text))
    ]
    lines = claude(prompt(f"set up part {number}"), *turns, reply("You're right, sorry."))
    for place, line in enumerate(lines):
        line |= {
            "cwd": str(folder),
            "sessionId": session,
            "timestamp": f"{day}T10:00:{place:02d}.000Z",
        }
    file = folder.parent / "logs" / f"{session}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(as_bytes(lines))
    return session


def tell(memory: Memory, session: str, day: str, *evidence: str) -> None:
    """An agent's session was told lessons."""
    entry = LedgerEntry("found", "wheelhouse", evidence, 40)
    with memory.at(asker=Asker("mcp", session, agent="claude-code")) as agent:
        agent.clock = fixed(f"{day}T09:00:00Z")
        recalling.record(agent, HandOver("recall", "harbour", "x", "ours", 100, "y" * 40, (entry,)))


@pytest.mark.proves("F3")
def test_what_is_said_again_counts_before_and_since_memory_and_by_what_was_told(
    memory: Memory, folder: Path
) -> None:
    log(folder, 1, "2026-01-01", RULE)
    log(folder, 2, "2026-02-01", RULE)
    log(folder, 3, "2026-03-01")
    told = log(folder, 4, "2026-07-01")
    log(folder, 5, "2026-08-01", RULE)
    memory.learn(folder.parent / "logs")
    first = corrections(memory.index_database)[0]
    tell(memory, told, "2026-06-30", first.id)
    found = counted(memory)
    assert found.since == {"harbour": "2026-06-30T09:00:00.000Z"}
    before = [one.without for one in found.by_time if one.without.chances]
    since = [one.with_memory for one in found.by_time if one.with_memory.chances]
    # The first saying is no repeat; the second is, and the one in July.
    assert [(one.times, one.chances) for one in before] == [(0, 2), (1, 2), (0, 1)]
    assert [(one.times, one.chances) for one in since] == [(0, 1), (1, 2)]
    # Since then: one session was told the lesson and did not need it, one was not and did.
    assert found.by_lesson == [
        Pair(Share(0, 0), Share(0, 1)),
        Pair(Share(1, 1), Share(0, 0)),
    ]
    measured = effect(memory)
    assert all(table.note.startswith("not enough to say: ") for table in measured.tables)
    assert any("small numbers" in note for note in measured.notes)
    assert effect(memory) == measured
    earlier = counted(memory, since="2026-01-15")
    assert sum(one.with_memory.chances for one in earlier.by_time) == 6


@pytest.mark.proves("F3")
def test_without_any_hand_over_everything_was_before(memory: Memory, folder: Path) -> None:
    log(folder, 1, "2026-01-01", RULE)
    memory.learn(folder.parent / "logs")
    found = counted(memory)
    assert not found.since and not found.by_lesson
    assert compared(found.by_lesson).verdict.startswith("not enough to say: 0 and 0 sessions")


def pairs(before: int, after: int, sessions: int = 40) -> list[Pair]:
    """As many sessions of ten turns on each side, with so many repeats in all."""
    sides: list[Any] = []
    for place in range(sessions):
        sides.append(Pair(Share(place < before, 10), Share()))
        sides.append(Pair(Share(), Share(place < after, 10)))
    return sides


@pytest.mark.proves("F3")
@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (30, 2, "said again less often"),
        (2, 30, "said again more often"),
        (10, 9, "no difference that chance would not explain"),
        (3, 1, "not enough to say: 40 and 40 sessions, 4 said again"),
    ],
)
def test_a_difference_is_claimed_only_where_there_is_one(
    before: int, after: int, verdict: str
) -> None:
    found = compared(pairs(before, after))
    assert found.verdict.startswith(verdict)
    assert found.without and found.with_memory
    assert found.without.value == pytest.approx(100 * before / 400)
    assert found.without.low <= found.without.value <= found.without.high
    assert (found.difference is None) == verdict.startswith("not enough")
    assert compared(pairs(before, after)) == found
