"""A session is split where the human's aim changes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.learn.scripts import Case, cases, judged, played

from reverie.learn.diary.tasks import tasks
from reverie.sessions.model import Turn

LINES = st.sampled_from(
    [
        "human: Please add a health endpoint to the server that answers with the version",
        "human: The invoice exporter rounds totals wrongly for Swiss francs",
        "human: yes",
        "human: No, that is wrong, use port 8443 instead of 8080",
        "agent: Done, all tests pass.",
        "run: git commit -m done",
        "compact",
        "wait: 9h",
        "stop",
        "plan: Implement the following plan: a new exporter",
    ]
)


def corrected(turns: list[Turn]) -> set[int]:
    return {j.turn_index for j in judged(turns) if j.correction.label != "none"}


@pytest.mark.proves("A1")
@pytest.mark.parametrize("case", cases("tasks.txt"), ids=lambda case: case.name)
def test_a_session_is_split_where_the_aim_changes(case: Case) -> None:
    turns = played(case.script)
    split = tasks(turns, corrected(turns))
    numbers = [
        next(str(task.number) for task in split if task.start <= place < task.end)
        for place, turn in enumerate(turns)
        if turn.kind == "prompt"
    ]
    assert [" ".join(numbers)] == case.expected


@given(st.lists(LINES, max_size=30))
def test_tasks_cover_all_turns_without_overlap(lines: list[str]) -> None:
    turns = played(lines)
    split = tasks(turns)
    if split:
        assert split[0].start == 0
        assert split[-1].end == len(turns)
    assert all(before.end == after.start for before, after in pairwise(split))
    assert [task.number for task in split] == list(range(1, len(split) + 1))
    assert all(task.why for task in split)


@given(st.lists(LINES, max_size=20), st.lists(LINES, max_size=10))
def test_a_session_that_grows_keeps_the_tasks_it_had(first: list[str], more: list[str]) -> None:
    before = tasks(played(first))
    after = tasks(played(first + more))
    starts = [task.start for task in after]
    assert [task.start for task in before] == starts[: len(before)]


def test_a_session_in_which_nothing_happened_has_no_task() -> None:
    assert tasks([]) == []
    assert tasks(played("agent: hello")) == []


def test_work_without_a_prompt_is_one_task() -> None:
    turns = played("run: make\nfail 2: make: *** No rule to make target")
    assert [(task.start, task.end) for task in tasks(turns)] == [(0, 2)]


def test_the_reasons_for_a_split_are_told() -> None:
    (case,) = [case for case in cases("tasks.txt") if case.name == "a night begins a task"]
    assert tasks(played(case.script))[1].why == ("14 hours had passed", "its words are new")
