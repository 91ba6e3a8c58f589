"""Diaries and dailies as an operation."""

import json

import pytest

from reverie.errors import InvalidInput, NotFound
from reverie.memory import Memory

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
    row = memory.diary_rows()[0]
    assert all(page.derived for page in memory.diaries(session=row.session))
    task = memory.diary_of_task(row.session, row.number)
    kept = memory.hand_in_diary(task, json.dumps(OWN))
    assert kept.memory.path == row.path
    page = next(p for p in memory.diaries(session=row.session) if p.row.number == row.number)
    assert not page.derived
    assert "asked the person" in page.text


def test_a_task_of_several_must_be_named(memory: Memory) -> None:
    rows = memory.diary_rows()
    counts = {row.session: sum(r.session == row.session for r in rows) for row in rows}
    single = next(session for session, count in counts.items() if count == 1)
    assert memory.diary_of_task(single).session == single
    with pytest.raises(NotFound):
        memory.diary_of_task(single, 99)
    with pytest.raises(NotFound):
        memory.diary_rows(session="nobody")
    for session, count in counts.items():
        if count > 1:
            with pytest.raises(InvalidInput):
                memory.diary_of_task(session)


def test_diaries_of_a_day_are_those_of_no_other(memory: Memory) -> None:
    day = memory.diary_rows()[0].day
    assert {page.row.day for page in memory.diaries(day=day)} == {day}
    assert memory.diaries(day="1999-01-01") == []


def test_a_daily_is_found_by_its_day_and_a_missing_one_names_the_last_before(
    memory: Memory,
) -> None:
    entries = memory.dailies()
    assert [one.day for one in entries] == sorted(one.day for one in entries)
    assert memory.daily().day == entries[-1].day
    page = memory.daily(entries[0].day)
    assert page.memory.path == entries[0].path
    assert page.text.startswith("# ") or page.text.strip()
    composed = memory.composed(page.day)
    assert composed is not None
    assert composed.day == page.day
    with pytest.raises(NotFound) as missing:
        memory.daily("3000-01-01")
    assert missing.value.hint == f"the last one before is of {entries[-1].day}"


def test_without_a_daily_the_hint_says_who_writes_them(fresh: Memory) -> None:
    assert fresh.dailies() == []
    with pytest.raises(NotFound, match="no daily yet"):
        fresh.daily()
