"""Diaries as a source of dreams: what agents handed in after several tasks."""

from pathlib import Path

import pytest
from tests.dream.nights import Sleeper
from tests.dream.planted import plant

from reverie.dream.model import Ask, Night, Pattern
from reverie.learn.diary.diaries import hand_in
from reverie.learn.diary.handed_in import OwnApproach, OwnDiary
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import DiaryRow, diaries

Entry = tuple[str, str]  # a mistake or edge case, and what might generalise

EXPIRED: tuple[Entry, ...] = (
    (
        "tried it with a new login only; it broke once the session had expired",
        "test auth flows with an expired session, always",
    ),
    (
        "an old session got a blank page, nobody had covered it",
        "cover the expired session whenever authentication changes",
    ),
    (
        "the refresh of an expired token was never run",
        "authentication needs a test with an expired token",
    ),
    (
        "logged-out users saw a loop, the cookie had expired",
        "run each login test with an expired session too",
    ),
)
FRIENDLY: tuple[Entry, ...] = (
    ("the dialog showed a stack trace", "error messages must be friendly to users"),
    ("support got a raw exception by mail", "show a friendly error message, never the exception"),
    ("nobody understood the text of the failure", "write error messages that users understand"),
)
VALIDATED: tuple[Entry, ...] = (
    ("a blank name was stored", "validate input before it is stored"),
    ("validation of the amount was asked for afterwards", "add input validation to every form"),
    ("the import took a date in the future", "all input needs validation"),
)
OTHERS: tuple[Entry, ...] = (
    ("the pager skipped a row", "count rows from zero in the pager"),
    ("the icon was blurred", "export icons at double size"),
    ("the mail went out twice", "make the mail job idempotent"),
)


def tasks(sleeper: Sleeper) -> list[DiaryRow]:
    """The first diary of each session."""
    first: dict[str, DiaryRow] = {}
    for row in diaries(Chosen(sleeper.index.database)):
        first.setdefault(row.session, row)
    return list(first.values())


def dreamt(home: Path, entries: tuple[Entry, ...]) -> Night:
    """A dream over sessions of which every second one has a diary that was handed in."""
    plant(home / "logs", 7, sessions=12)
    (home / "night").mkdir()
    sleeper = Sleeper(home / "night")
    try:
        sleeper.read(home / "logs")
        for row, (mistake, pattern) in zip(tasks(sleeper)[::2], entries, strict=False):
            way = OwnApproach(what="changed it", outcome="worked")
            own = OwnDiary("a task", (way,), mistakes=(mistake,), patterns=(pattern,))
            hand_in(sleeper.store, row, own)
        return sleeper.dreamer.dry(Ask())
    finally:
        sleeper.close()


def noted(night: Night) -> list[Pattern]:
    return [p for p in night.patterns if p.group.source == "diary" and p.status == "pattern"]


@pytest.mark.parametrize("entries", [EXPIRED, FRIENDLY, VALIDATED])
@pytest.mark.proves("A2")
def test_diaries_worded_differently_make_one_pattern_with_its_sources(
    tmp_path: Path, entries: tuple[Entry, ...]
) -> None:
    night = dreamt(tmp_path, entries)
    (one,) = noted(night)
    assert one.support == len(entries)
    assert one.text.rstrip(".").lower() in {pattern.rstrip(".") for _, pattern in entries}
    assert one.group.trust == "agent"
    (change,) = [change for change in night.changes if change.pattern == one.group.id]
    assert len(change.evidence) == len(entries)
    assert change.forms


def test_diaries_about_other_things_make_none(tmp_path: Path) -> None:
    assert noted(dreamt(tmp_path, OTHERS)) == []


def test_two_diaries_are_not_enough(tmp_path: Path) -> None:
    assert noted(dreamt(tmp_path, EXPIRED[:2])) == []
