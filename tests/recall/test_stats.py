"""Repeats, and what had been recalled before them."""

from typing import Any

import pytest
from tests.recall.conftest import Correct

from reverie.memory import Memory
from reverie.operations.recalling import ledger
from reverie.recall.stats import repeats, stats
from reverie.sessions.corrections import CorrectionRow, corrections


def row(number: int, text: str, at: str, **fields: Any) -> CorrectionRow:
    values: dict[str, Any] = {"project": "harbour", "label": "explicit", **fields}
    session = f"codex:s{number}"
    return CorrectionRow(
        id=f"{session}#1", session=session, agent="codex", line=1, at=at, text=text, **values
    )


def test_the_same_correction_in_another_session_is_a_repeat() -> None:
    rows = [
        row(1, "no, moor the tender at the north quay", "2026-01-01"),
        row(2, "paint the buoy red", "2026-01-02"),
        row(3, "again: moor the tender at the north quay please", "2026-01-03"),
    ]
    (found,) = repeats(rows, [])
    assert (found.first.id, found.again.id) == ("codex:s1#1", "codex:s3#1")


def test_the_same_words_in_one_session_or_another_project_are_none() -> None:
    text = "no, moor the tender at the north quay"
    same = [row(1, text, "2026-01-01"), row(1, text, "2026-01-02")]
    other = [row(1, text, "2026-01-01"), row(2, text, "2026-01-02", project="lighthouse")]
    assert repeats(same, []) == repeats(other, []) == []


@pytest.mark.proves("F3")
def test_the_rate_counts_what_came_again_after_it_was_recalled(
    memory: Memory, correct: Correct
) -> None:
    text = "no, moor the tender at the north quay"
    correct(1, text, at="2026-11-13T00:00:00.000Z")
    correct(2, "the buoy must be painted red", at="2026-11-14T00:00:00.000Z")
    memory.recall("moor tender north quay; paint the buoy")
    correct(3, f"as I said: {text}", at="2026-11-20T00:00:00.000Z")
    rows = corrections(memory.index_database)
    found = stats(memory.index_database, rows, ledger(memory).rows())
    assert (found.corrections, found.recalled, len(found.repeats)) == (3, 2, 1)
    assert found.repeat_rate == 0.5
    assert found.repeats[0].recalls[0].query.startswith("moor tender")


def test_without_any_recall_there_is_no_rate(memory: Memory, correct: Correct) -> None:
    correct(1, "no, moor it")
    assert stats(memory.index_database, corrections(memory.index_database), []).repeat_rate is None
