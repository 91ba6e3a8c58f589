"""Traces are kept once per session, redacted, replaced when it grows, and gone when it is."""

import pytest
from tests.dream.weeks import kept, seen, session, weeks
from tests.learn.scripts import played

from reverie.dream.steps.gather import traffic
from reverie.learn.traffic.commands import form_of
from reverie.learn.traffic.traces import traces
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import Trace, replace_traces
from reverie.sessions.traces import traces as stored

pytestmark = pytest.mark.usefixtures("scratch_on_both")

SCRIPT = """
    human: go on
    read: docs/wire.md
    ok: text
    run: make test
    ok: 3 passed
"""


def test_the_same_sessions_show_the_same_in_the_same_order() -> None:
    scripts = [SCRIPT, SCRIPT.replace("wire", "other"), SCRIPT]
    assert list(traffic(Chosen(weeks(*scripts)))) == list(traffic(Chosen(weeks(*scripts))))


def test_a_session_that_grew_replaces_its_traces() -> None:
    database = weeks(SCRIPT)
    grown = session(0, played(SCRIPT + "    run: make lint\n    ok: fine"))
    replace_traces(database, grown.key, "app", traces(grown))
    assert [row.trace.times for row in stored(Chosen(database), "runs")] == [2]


def test_what_a_session_repeats_from_the_one_before_is_not_counted_again() -> None:
    from dataclasses import replace

    one = session(0, played(SCRIPT))
    again = replace(one, copied=frozenset(range(len(one.turns))))
    assert traces(again) == []


def test_a_trace_comes_back_as_it_was_kept() -> None:
    database = kept([])
    trace = Trace(3, "2026-01-01T00:00:00.000Z", "failure", "k", 2, 2, 1.5, 7, {"a": ["b"]})
    replace_traces(database, "claude-code:x", "app", [trace])
    (row,) = stored(Chosen(database), "failure")
    assert row.trace == trace
    assert row.evidence == "claude-code:x#3"


def test_an_empty_index_shows_nothing() -> None:
    assert list(traffic(Chosen(kept([])))) == []
    assert seen(weeks("human: hello"), "fix") == {}


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("git commit -m 'fix it' src/a.py", "git commit -m …"),
        ("npm run build:web", "npm run build:web"),
        ("python -m pytest tests/a.py -q", "python -m pytest … -q"),
        ("python scripts/load.py --day=2", "python scripts/load.py --day=…"),
        ("/usr/bin/make test", "make test"),
        ("./run.sh 12 a b", "./run.sh …"),
        ("head -5 notes.txt", "head …"),
    ],
)
def test_a_form_keeps_what_is_the_same_in_every_task(command: str, form: str) -> None:
    assert form_of(tuple(command.split())) == form
