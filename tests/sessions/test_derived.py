"""What was made of some sessions, read without the others."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.sessions.derived import Chosen
from reverie.sessions.index import Index
from reverie.sessions.traces import Trace, counted, holders, replace_traces, shared, traces


@pytest.fixture
def everything(database_url: str, tmp_path: Path) -> Iterator[Chosen]:
    elsewhere = database_url if database_url.startswith("postgresql") else None
    with Index.open(tmp_path / "index.db", url=elsewhere) as index:
        with index.database.atomic():
            for number, key in enumerate(("lint", "lint", "test", "test")):
                found = Trace(1, f"2026-05-0{number + 1}", "failure", key, data={})
                replace_traces(index.database, f"codex:{number}'\"é", "app", [found])
        yield Chosen(index.database)


def test_sessions_that_were_not_chosen_count_for_nothing(everything: Chosen) -> None:
    sessions = tuple(row.session for row in traces(everything, "failure"))
    assert [len(rows) for rows in shared(everything, "failure")] == [2, 2]
    some = everything._replace(sessions=sessions[:3])
    assert tuple(row.session for row in traces(some, "failure")) == sessions[:3]
    assert [len(rows) for rows in shared(some, "failure")] == [2]
    assert counted(some, "failure") == {"lint": 2, "test": 1}
    assert holders(some, "failure")[-1] == ("test", sessions[2])


def test_no_session_chosen_is_not_all_of_them(everything: Chosen) -> None:
    none = everything._replace(sessions=())
    assert list(traces(none, "failure")) == list(shared(none, "failure")) == []
    assert not counted(none, "failure")


def test_more_sessions_may_be_chosen_than_a_database_takes_values(everything: Chosen) -> None:
    many = tuple(f"codex:{number}" for number in range(70_000))
    assert list(traces(everything._replace(sessions=many), "failure")) == []
