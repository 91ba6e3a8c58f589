"""Diaries and dailies as an operation."""

import json

import pytest

from reverie.errors import InvalidInput, NotFound
from reverie.memory import Memory
from reverie.operations import diaries

OWN = {
    "task": "Sort the orders",
    "approaches": ["sorted in SQL → worked: fewer rows"],
    "worked": ["asked the person"],
    "mistakes": [],
    "errors": [],
    "edge_cases": [],
    "patterns": ["Ask before orders are deleted, because refunds rest on them"],
}


def test_an_agents_own_diary_stands_before_the_derived_one(memory: Memory) -> None:
    row = diaries.diary_rows(memory)[0]
    assert all(page.derived for page in diaries.diaries(memory, session=row.session))
    task = diaries.diary_of_task(memory, row.session, row.number)
    kept = diaries.hand_in_diary(memory, task, json.dumps(OWN))
    assert kept.memory.path == row.path
    page = next(
        p for p in diaries.diaries(memory, session=row.session) if p.row.number == row.number
    )
    assert not page.derived
    assert "asked the person" in page.text


def test_a_task_of_several_must_be_named(memory: Memory) -> None:
    rows = diaries.diary_rows(memory)
    counts = {row.session: sum(r.session == row.session for r in rows) for row in rows}
    single = next(session for session, count in counts.items() if count == 1)
    assert diaries.diary_of_task(memory, single).session == single
    with pytest.raises(NotFound):
        diaries.diary_of_task(memory, single, 99)
    with pytest.raises(NotFound):
        diaries.diary_rows(memory, session="nobody")
    for session, count in counts.items():
        if count > 1:
            with pytest.raises(InvalidInput):
                diaries.diary_of_task(memory, session)


def test_diaries_of_a_day_are_those_of_no_other(memory: Memory) -> None:
    day = diaries.diary_rows(memory)[0].day
    assert {page.row.day for page in diaries.diaries(memory, day=day)} == {day}
    assert diaries.diaries(memory, day="1999-01-01") == []


def test_a_daily_is_found_by_its_day_and_a_missing_one_names_the_last_before(
    memory: Memory,
) -> None:
    entries = diaries.dailies(memory)
    assert [one.day for one in entries] == sorted(one.day for one in entries)
    assert diaries.daily(memory).day == entries[-1].day
    page = diaries.daily(memory, entries[0].day)
    assert page.path == entries[0].path
    assert page.text.startswith("# ") or page.text.strip()
    composed = diaries.composed(memory, page.day)
    assert composed is not None
    assert composed.day == page.day
    with pytest.raises(NotFound) as missing:
        diaries.daily(memory, "3000-01-01")
    assert missing.value.hint == f"the last one before is of {entries[-1].day}"


def test_without_a_daily_the_hint_says_who_writes_them(fresh: Memory) -> None:
    assert diaries.dailies(fresh) == []
    with pytest.raises(NotFound, match="no daily yet"):
        diaries.daily(fresh)
