"""Work for agents as an operation: pieces of the right project, and what became of answers."""

import json

import pytest

from reverie import forms
from reverie.errors import InvalidInput, NotFound
from reverie.learn.work.pieces import Task
from reverie.memory import Memory
from reverie.operations.engines import working


def test_pieces_are_of_the_project_here_unless_others_are_asked_for(
    memory: Memory, fresh: Memory
) -> None:
    here = working.next_piece(memory)
    assert here is not None
    assert here.project == "shop-api"
    other = working.next_piece(memory, project="feed-loader")
    assert other is not None
    assert other.project == "feed-loader"
    with pytest.raises(InvalidInput, match="belongs to no project"):
        working.next_piece(fresh)
    assert working.next_piece(fresh, everything=True) is None


def test_an_answer_is_checked_and_what_is_taken_waits_for_a_person(memory: Memory) -> None:
    piece = working.next_piece(memory)
    assert isinstance(piece, Task)
    with pytest.raises(InvalidInput):
        working.submit(memory, piece.assignment.id, "prose")
    quoted = piece.piece.quoted()
    lesson = {
        "text": "Releases are cut from the branch of the week.",
        "kind": "best-practice",
        "evidence": [next(name for name, (_, line) in quoted.items() if line.who == "agent")],
    }
    taken = working.submit(memory, piece.assignment.id, json.dumps({"lessons": [lesson]}))
    assert [one.outcome.action for one in taken.lessons] == ["queued"]
    waiting = [one.candidate.lesson for one in memory.review().pending().reviews]
    assert lesson["text"] in waiting
    assert forms.taken(taken)["lessons"][0]["action"] == "queued"
    with pytest.raises(NotFound):
        working.submit(memory, "nothing", "{}")


def test_an_answer_about_memories_becomes_a_proposal(memory: Memory) -> None:
    piece = working.next_piece(memory, "dream")
    assert piece is not None
    shown = forms.task(piece)
    assert shown["kind"] == "dream"
    assert "sessions" not in shown
    memories = shown["material"].partition("MEMORIES\n")[2].splitlines()
    known = memories[0].partition(":")[0]
    change = {"verb": "archive", "memory": known, "reason": "it is over", "evidence": [known]}
    answer = {"patterns": [], "changes": [change]}
    taken = working.submit(memory, piece.assignment.id, json.dumps(answer))
    assert taken.proposal == memory.proposals.all()[0].id
    assert [one.verb for one in taken.changes] == ["archive"]
