"""Thinking as an operation: what waits, and what nobody is asked about."""

import pytest

from reverie.errors import InvalidInput, NotFound, Refused
from reverie.learn.work.pieces import Task
from reverie.memory import Memory
from reverie.operations.engines import thinking, working


def test_what_waits_is_seen_in_the_order_in_which_it_is_handed_out(memory: Memory) -> None:
    seen = list(thinking.waiting_tasks(memory, thinking.wanted(memory, everything=True)))
    assert len(seen) > 1
    handed: list[Task] = []
    while isinstance(task := working.next_piece(memory, everything=True), Task):
        handed.append(task)
    assert [task.prompt.id for task in handed] == [task.prompt.id for task in seen]
    assert handed[0].prompt == seen[0].prompt


def test_looking_takes_nothing(memory: Memory) -> None:
    asked = thinking.wanted(memory)
    first = thinking.first_task(memory, asked)
    assert thinking.first_task(memory, asked).prompt == first.prompt


def test_only_the_project_here_is_meant_unless_others_are_asked_for(
    memory: Memory, fresh: Memory
) -> None:
    here = thinking.waiting_tasks(memory, thinking.wanted(memory))
    assert {task.project for task in here} == {"shop-api"}
    with pytest.raises(InvalidInput, match="belongs to no project"):
        thinking.wanted(fresh)
    with pytest.raises(NotFound, match="nothing waits"):
        thinking.first_task(fresh, thinking.wanted(fresh, everything=True))


@pytest.mark.proves("D8")
def test_what_an_agent_saved_itself_is_given_to_no_model(memory: Memory) -> None:
    asked = thinking.wanted(memory, everything=True)
    first = thinking.first_task(memory, asked)
    assert isinstance(first, Task)
    session = first.piece.parts[0].session.key
    thinking.pass_over(memory, session)
    for task in thinking.waiting_tasks(memory, asked):
        assert isinstance(task, Task)
        assert session not in {part.session.key for part in task.piece.parts}


@pytest.mark.parametrize("kind", ["day", "dream", "triage"])
def test_no_work_can_hold_the_words_of_a_project_that_is_kept_out(
    memory: Memory, kind: working.Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_ENGINES_IGNORE_PROJECTS", "feed-loader")
    with Memory.open(memory.config.home, folder=memory.folder, clock=memory.clock) as opened:
        asked = thinking.wanted(opened, everything=True, kind=kind)
        with pytest.raises(Refused, match="ignore_projects"):
            thinking.first_task(opened, asked)
        with pytest.raises(Refused, match="ignore_projects"):
            thinking.first_task(opened, thinking.wanted(opened, project="feed-loader", kind=kind))
