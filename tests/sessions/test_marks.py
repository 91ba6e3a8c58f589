"""Up to where sessions were processed, through crashes and growth."""

from pathlib import Path

import pytest

from reverie.sessions.marks import Marks
from reverie.sessions.query import DayRow

AT = "2026-11-15T08:00:00.000Z"


def day(session: str, last: str) -> DayRow:
    return DayRow(last[:10], session, "app", "claude-code", 1, last)


FIRST = day("s", "2026-09-01T10:00:00.000Z")
SECOND = day("s", "2026-09-02T10:00:00.000Z")


@pytest.mark.proves("B1")
def test_a_mark_reaches_up_to_the_last_thing_said(tmp_path: Path) -> None:
    marks = Marks.open(tmp_path / "processed.jsonl")
    assert marks.mark([FIRST], "extract", AT) == 1
    assert marks.mark([FIRST], "learn", AT) == 0
    again = Marks.open(marks.file)
    assert again.pending([FIRST, SECOND, day("t", FIRST.last)]) == [SECOND, day("t", FIRST.last)]
    assert marks.file.stat().st_mode & 0o077 == 0


def test_a_later_mark_covers_earlier_days_and_never_goes_back(tmp_path: Path) -> None:
    marks = Marks.open(tmp_path / "processed.jsonl")
    marks.mark([SECOND], "learn", AT)
    marks.mark([FIRST], "drop", AT)
    assert Marks.open(marks.file).pending([FIRST, SECOND]) == []


def test_a_session_without_times_is_processed_as_a_whole(tmp_path: Path) -> None:
    marks = Marks.open(tmp_path / "processed.jsonl")
    timeless = day("s", "")
    assert marks.is_pending(timeless)
    marks.mark([timeless], "learn", AT)
    assert not Marks.open(marks.file).is_pending(timeless)


def test_a_mark_cut_by_a_crash_was_never_made_and_spoils_no_other(tmp_path: Path) -> None:
    other, third = day("t", FIRST.last), day("u", FIRST.last)
    marks = Marks.open(tmp_path / "processed.jsonl")
    marks.mark([FIRST, other], "learn", AT)
    marks.file.write_bytes(marks.file.read_bytes()[:-10])
    marks = Marks.open(marks.file)
    assert marks.pending([FIRST, other]) == [other]
    marks.mark([third], "learn", AT)
    again = Marks.open(marks.file)
    assert again.pending([FIRST, other, third]) == [other]
    assert again.unreadable == 1
