"""Sessions that meet in one working tree."""

from datetime import timedelta

import pytest
from tests.dream.weeks import kept, session
from tests.learn.scripts import played

from reverie.clock import iso, parse_iso
from reverie.dream.traffic.overlaps import overlaps
from reverie.sessions.derived import Chosen
from reverie.sessions.index import SessionRead

HOUR = timedelta(hours=1)


def working(number: int, *files: str, later: timedelta = timedelta(), tree: str = "/w/app"):
    """A session of the first day that edits files, one every hour, in its folder."""
    script = "\n".join(["human: go on", *(f"edit: {file}\nok: done" for file in files)])
    read = session(number, played(script))
    began = parse_iso("2026-03-02T09:00:00Z") + later
    edits = 0
    turns = list(read.turns)
    for place, turn in enumerate(turns):
        edits += turn.kind == "tool_call"
        turns[place] = turn._replace(at=iso(began + HOUR * edits), cwd=tree)
    return SessionRead(read.head, turns, read.project, read.path, read.key, grown=False)


def met(*sessions: SessionRead) -> dict[str, str]:
    """What was told of each session."""
    found = overlaps(Chosen(kept(sessions), tuple(one.key for one in sessions)))
    return {one.session.rpartition(":")[2]: one.quote for one in found}


def test_sessions_that_edit_the_same_file_at_the_same_time_are_told() -> None:
    found = met(working(1, "a.py", "b.py", "c.py"), working(2, "b.py", "c.py"), working(3, "d.py"))
    assert found == {
        "s0001": "b.py was edited by claude-code:s0002, too, at the same time, and 1 more of its"
        " files by others",
        "s0002": "b.py was edited by claude-code:s0001, too, at the same time, and 1 more of its"
        " files by others",
    }


@pytest.mark.parametrize(
    "other",
    [
        working(2, "b.py", later=9 * HOUR),
        working(2, "b.py", tree="/w/app-second"),
        working(2, "z.py"),
    ],
    ids=["after it", "another tree", "other files"],
)
def test_sessions_that_are_apart_do_not_meet(other: SessionRead) -> None:
    assert met(working(1, "a.py", "b.py"), other) == {}


def test_how_many_meet_is_told_with_what_to_do() -> None:
    sessions = [working(1, "a.py", "b.py"), working(2, "b.py"), working(3, "z.py")]
    sessions += [working(4, "a.py", later=20 * HOUR)]
    first = next(overlaps(Chosen(kept(sessions), tuple(one.key for one in sessions))))
    assert "(3 of 4 sessions edit it while another one does, 2 the same files)" in first.text
    assert first.order.startswith("Stage and commit only the files of your own task, by name")
