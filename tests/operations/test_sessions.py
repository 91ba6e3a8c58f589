"""Sessions, what was said in them and what of it was processed, without a command line."""

from datetime import date
from pathlib import Path

import pytest

from reverie.errors import InvalidInput, NotFound
from reverie.memory import Memory
from reverie.operations import learning, sessions


def test_sessions_come_newest_first_and_a_slip_is_told_from_nothing(read: Memory):
    assert [row.session_id for row in sessions.sessions(read)] == ["bbbb-2", "aaaa-1"]
    assert [row.session_id for row in sessions.sessions(read, project="app")] == ["aaaa-1"]
    assert sessions.sessions(read, agent="codex") == []
    with pytest.raises(InvalidInput):
        sessions.sessions(read, agent="codecs")
    with pytest.raises(NotFound):
        sessions.sessions(read, project="nowhere")


def test_a_session_is_read_from_a_line_on_or_as_a_whole(read: Memory):
    assert [turn.text for turn in sessions.transcript(read, "aaaa", human=True).turns] == [
        "use tabs here",
        "no, tabs please",
    ]
    assert [turn.line for turn in sessions.transcript(read, "aaaa", line=2, limit=1).turns] == [2]
    assert len(sessions.trajectory(read, "aaaa")["steps"]) == 3


def test_turns_are_found_by_their_words(read: Memory):
    (hit,) = sessions.search(read, "printer not found")
    assert (hit.project, hit.role) == ("tool", "tool")
    with pytest.raises(InvalidInput):
        sessions.search(read, "printer", agent="codecs")


def test_what_was_extracted_and_marked_is_not_pending(read: Memory):
    assert [one.day for one in sessions.pending(read)] == ["2026-09-01", "2026-09-02"]
    first = sessions.extract(read, date(2026, 9, 1))
    assert [(one.row.project, len(one.turns)) for one in first] == [("app", 3)]
    assert (sessions.mark_extracted(read, first), sessions.mark_extracted(read, first)) == (1, 0)
    assert [(one.day, one.projects) for one in sessions.pending(read)] == [("2026-09-02", ["tool"])]
    assert [one.row.project for one in sessions.extract(read)] == ["tool"]
    assert len(sessions.extract(read, everything=True)) == 2
    assert sessions.extract(read, date(2026, 9, 1)) == first


def test_kept_copies_go_when_their_session_is_dropped(read: Memory, logs: Path):
    looked = sessions.keep_logs(read, everything=True, dry_run=True)
    assert (len(looked.due), read.config.kept.exists()) == (2, False)
    done = sessions.keep_logs(read, everything=True)
    assert (len(done.found), len(done.due), done.failed) == (2, 2, [])
    learning.read(read)
    assert [one.log.path.name for one in sessions.keep_logs(read, everything=True).due] == []
    dropped = sessions.drop(read, [date(2026, 9, 1), "bbbb"])
    assert (dropped.marked, len(dropped.sessions)) == (2, 2)
    assert sessions.drop(read, processed=True).marked == 0
    assert logs.is_dir()
    with pytest.raises(NotFound):
        sessions.drop(read, ["nothing"])
