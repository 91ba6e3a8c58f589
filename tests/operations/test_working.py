"""Work for agents as an operation: pieces of the right project, and what became of answers."""

import json

import pytest

from reverie import forms
from reverie.errors import InvalidInput, NotFound, Unavailable
from reverie.learn.work.desk import Task
from reverie.memory import Memory


def test_pieces_are_of_the_project_here_unless_others_are_asked_for(
    memory: Memory, fresh: Memory
) -> None:
    here = memory.next_piece()
    assert here is not None
    assert here.project == "shop-api"
    other = memory.next_piece(project="feed-loader")
    assert other is not None
    assert other.project == "feed-loader"
    with pytest.raises(InvalidInput, match="belongs to no project"):
        fresh.next_piece()
    assert fresh.next_piece(everything=True) is None


def test_an_answer_is_checked_and_what_is_taken_waits_for_a_person(memory: Memory) -> None:
    piece = memory.next_piece()
    assert isinstance(piece, Task)
    with pytest.raises(InvalidInput):
        memory.submit_piece(piece.assignment.id, "prose")
    lesson = {
        "lesson": "Releases are cut from the branch of the week.",
        "kind": "best-practice",
        "evidence": [piece.material[-1]["id"]],
    }
    taken = memory.submit_piece(piece.assignment.id, json.dumps({"lessons": [lesson]}))
    (outcome,) = [outcome for _, outcome in taken.lessons]
    assert outcome.action == "queued"
    waiting = [one.candidate.lesson for one in memory.review().pending().reviews]
    assert lesson["lesson"] in waiting
    assert forms.taken(taken)["lessons"][0]["action"] == "queued"
    with pytest.raises(NotFound):
        memory.submit_piece("nothing", "{}")


def test_an_answer_about_memories_becomes_a_proposal(memory: Memory) -> None:
    piece = memory.next_piece("dream")
    assert piece is not None
    shown = forms.task(piece)
    assert shown["kind"] == "dream"
    assert "session" not in shown
    known = next(one for one in shown["material"] if one.get("evidence"))
    change = {
        "verb": "archive",
        "memory": known["memory"],
        "reason": "it is over",
        "evidence": known["evidence"][:1],
    }
    taken = memory.submit_piece(piece.assignment.id, json.dumps({"changes": [change]}))
    assert taken.proposal == memory.proposals()[0].id
    assert [one.verb for one in taken.changes] == ["archive"]


def test_without_the_client_no_fork_is_made(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with Memory.open(memory.config.home, folder=memory.folder, clock=memory.clock) as alone:
        runs = alone.run_pieces(2)
        with pytest.raises(Unavailable, match="not on the PATH"):
            next(runs)
