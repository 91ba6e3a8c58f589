"""The account of a day in somebody's words, in place of the derived daily."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.learn.work.test_desk import Desk, talk

from reverie.errors import Conflict, InvalidInput, Refused
from reverie.learn.work.day import DayTask
from reverie.operations import diaries
from reverie.operations.engines import working

ACCOUNT = (
    "The check was mended, and from now on make lint runs before a commit.\n\n"
    "## Done\n\n- project: the failing check was fixed and committed.\n\n"
    "## Decided and learned\n\n- Run make lint before anything is committed.\n"
)


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    made = Desk(tmp_path)
    made.learn("one", *talk())
    yield made
    made.close()


def taken(desk: Desk) -> DayTask:
    task = working.next_piece(desk.memory, "day", everything=True)
    assert isinstance(task, DayTask)
    return task


def submit(desk: Desk, task: DayTask, **given: str) -> str:
    return working.submit(desk.memory, task.assignment.id, json.dumps(given)).day


def test_a_day_is_handed_out_only_with_all_projects(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="all projects"):
        working.next_piece(desk.memory, "day", project="project")
    task = taken(desk)
    assert task.assignment.subject == "2026-11-10"
    assert "make lint" in task.prompt.material
    assert working.next_piece(desk.memory, "day", everything=True) is None


def test_an_account_takes_the_place_of_the_derived_daily_and_stays(desk: Desk) -> None:
    assert submit(desk, taken(desk), title="Lint before commits", daily=ACCOUNT) == "2026-11-10"
    (page,) = diaries.dailies(desk.memory)
    assert "the failing check was fixed" in page.text
    desk.now += timedelta(days=1)
    desk.learn("two", *talk("Please use port 8081."))
    (page,) = diaries.dailies(desk.memory)
    assert page.memory is not None
    assert "the failing check was fixed" in page.memory.content
    # More happened on that day: it is handed out again.
    assert taken(desk).assignment.subject == "2026-11-10"


def test_what_a_person_wrote_around_it_stays(desk: Desk) -> None:
    (page,) = diaries.dailies(desk.memory)
    assert page.memory is not None
    mine = page.memory.content + "\n## Notes\n\nCall Ann about the lease.\n"
    desk.memory.store.update(
        "global", page.memory.id, content=mine, by=desk.memory.asker.author("")
    )
    submit(desk, taken(desk), title="Lint before commits", daily=ACCOUNT)
    (page,) = diaries.dailies(desk.memory)
    assert page.memory is not None
    assert "Call Ann about the lease." in page.memory.content
    assert "the failing check was fixed" in page.memory.content


@pytest.mark.proves("F13")
@pytest.mark.parametrize(
    "daily",
    [
        "Short.",
        ACCOUNT + "- Deployed to port 9444 with Kamal.\n",
        ACCOUNT * 40,
        ACCOUNT + "- The key is ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8.\n",
    ],
)
def test_an_account_that_says_more_than_the_day_held_is_sent_back(desk: Desk, daily: str) -> None:
    with pytest.raises(Refused):
        submit(desk, taken(desk), title="A day", daily=daily)
    (page,) = diaries.dailies(desk.memory)
    assert "9444" not in page.content


def test_an_account_of_a_day_that_went_on_is_not_taken(desk: Desk) -> None:
    task = taken(desk)
    desk.learn("two", *talk("Please use port 8081."))
    with pytest.raises(Conflict):
        submit(desk, task, title="A day", daily=ACCOUNT)
