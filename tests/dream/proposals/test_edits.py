"""What a model would change in memories: in verbs, with evidence, and never without a person."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dream.desks import Desk

from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposals
from reverie.errors import Conflict
from reverie.learn.work.taking import PartlyTaken
from reverie.store.model import Actor, Author


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    made.learn(
        ["From now on always run make lint before you commit anything."],
        ["From now on all deploys go through staging first."],
        ["Did you run make lint before the commit?"],
    )
    yield made
    made.close()


def named(desk: Desk, begin: str) -> str:
    return next(item.name for item in desk.memory.memories() if begin in item.name)


def change(desk: Desk, verb: str, begin: str, **more: Any) -> dict[str, Any]:
    reason = {"reason": "it reads better", "text": None, "by": None}
    return {"verb": verb, "memory": named(desk, begin), "evidence": ["3.0"]} | reason | more


@pytest.mark.proves("B14")
def test_changes_become_a_proposal_and_nothing_is_changed_before_it_is_accepted(
    desk: Desk,
) -> None:
    store = desk.memory.store
    before = {memory.path: memory.content for memory in store.walk("shop")}
    lint, deploy = named(desk, "lint"), named(desk, "deploy")
    taken = desk.answer(
        desk.take(),
        changes=[change(desk, "corroborate", "lint"), change(desk, "archive", "deploy")],
    )
    assert [one.verb for one in taken.changes] == ["corroborate", "archive"]
    assert {memory.path: memory.content for memory in store.walk("shop")} == before
    proposals = Proposals(store.database, desk.memory.clock)
    for offer in proposals.pending(taken.proposal):
        assert Applying(store, proposals).accept(offer).outcome == "done"
    after = {memory.path: memory for memory in store.walk("shop")}
    assert "claude-code:s3#0" in after[f"/{lint}.md"].content
    assert after[f"/{lint}.md"].trust == "user"
    assert f"/archive/2026-11-20/{deploy}.md" in after


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"verb": "delete"}, "$.verb"),
        ({"verb": "create"}, "$.verb"),
        ({"memory": "somewhere-else"}, "name of a memory of this piece"),
        ({"verb": "refine", "text": "Use CI."}, "correction"),
        ({"verb": "correct", "text": "x" * 301}, "$.text"),
        ({"verb": "supersede"}, '"by" must be'),
        ({"reason": ""}, "$.reason"),
        ({"evidence": ["9.9"]}, "evidence"),
    ],
)
def test_a_change_that_cannot_be_proposed_is_sent_back_and_its_neighbour_taken(
    desk: Desk, given: dict[str, Any], said: str
) -> None:
    good = change(desk, "corroborate", "lint")
    with pytest.raises(PartlyTaken) as caught:
        desk.answer(desk.take(), changes=[good, change(desk, "archive", "deploy") | given])
    assert "change 2: " in caught.value.message
    assert said in caught.value.message
    pending = Proposals(desk.memory.store.database, desk.memory.clock).pending()
    assert [offer.change.verb for offer in pending] == ["corroborate"]


def test_memories_that_changed_meanwhile_are_shown_again(desk: Desk) -> None:
    task = desk.take()
    store = desk.memory.store
    memory = store.get("shop", f"/{named(desk, 'deploy')}.md")
    reworded = memory.content.replace("staging", "the staging area")
    store.update("shop", memory.id, content=reworded, by=Author(Actor("user"), "edited"))
    with pytest.raises(Conflict, match="changed since"):
        desk.answer(task, changes=[change(desk, "archive", "deploy")])
    assert desk.take().assignment.id != task.assignment.id
