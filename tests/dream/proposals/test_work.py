"""An agent looks over a project's memories: its changes become a proposal, or are sent back."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.config import Store as Limits
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.proposals.work import DreamTask, DreamWork, Taken
from reverie.errors import Conflict, Refused
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer
from reverie.store.model import Actor, Author
from reverie.store.store import Store

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def clock() -> datetime:
    return NOW


def candidate(lesson: str, session: str, trust: str = "user") -> Candidate:
    return Candidate(
        lesson=lesson, type="feedback", kind="best-practice", scope="project", project="shop",
        session=f"codex:{session}", evidence=f"codex:{session}#3", at="2026-11-02T09:00:00.000Z",
        quote=lesson, premise="", standing=True, trust=trust, score=0.9,
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path}/memory.db", clock=clock, limits=Limits())
    writer = Writer(opened, Queue(opened.database, clock))
    for number, lesson in enumerate(("Always run make lint first.", "Deploys go through staging.")):
        said = candidate(lesson, f"s{number}")
        writer.remember(said, by=Author(Actor("agent", said.session), "learned", "user"))
    Queue(opened.database, clock).add(candidate("Run make lint first, please.", "s7"), why="unsure")
    yield opened
    opened.close()


def desk(store: Store) -> DreamWork:
    return DreamWork(store, clock, lambda text: text.replace("hunter2", "[redacted:x:0]"))


def taken(store: Store) -> DreamTask:
    task = desk(store).next("shop")
    assert task is not None
    return task


def answer(store: Store, task: DreamTask, *changes: dict[str, Any]) -> Taken:
    made = desk(store)
    found = made.assignments.find(task.assignment.id)
    return made.submit(found, json.dumps({"changes": changes}))


def change(verb: str, **fields: Any) -> dict[str, Any]:
    return {"verb": verb, "reason": "it reads better", "evidence": ["codex:s7#3"], **fields}


@pytest.mark.proves("B14")
def test_memories_and_what_waits_are_shown_with_their_evidence(store: Store) -> None:
    task = taken(store)
    material = [entry.data for entry in task.entries]
    assert all(entry["id"] in task.prompt.material for entry in material)
    assert [entry.get("says") or entry["waiting"] for entry in material] == [
        "Deploys go through staging.",
        "Always run make lint first.",
        "Run make lint first, please.",
    ]
    assert material[1]["evidence"] == ["codex:s0#3"]


@pytest.mark.proves("B14")
def test_changes_become_a_proposal_and_nothing_is_changed_before_it_is_accepted(
    store: Store,
) -> None:
    task = taken(store)
    before = {memory.path: memory.content for memory in store.walk("shop")}
    offered = answer(
        store,
        task,
        change("corroborate", memory="run-make-lint-first"),
        change("archive", memory="deploys-go-through-staging"),
    )
    assert [one.verb for one in offered.changes] == ["corroborate", "archive"]
    assert {memory.path: memory.content for memory in store.walk("shop")} == before
    proposals = Proposals(store.database, clock)
    applying = Applying(store, proposals)
    for offer in proposals.pending(offered.proposal):
        assert applying.accept(offer).outcome == "done"
    after = {memory.path: memory for memory in store.walk("shop")}
    assert "codex:s7#3" in after["/run-make-lint-first.md"].content
    assert after["/run-make-lint-first.md"].trust == "user"
    assert "/archive/2026-11-15/deploys-go-through-staging.md" in after


def test_two_answers_stand_beside_each_other(store: Store) -> None:
    answer(store, taken(store), change("archive", memory="deploys-go-through-staging"))
    Queue(store.database, clock).add(candidate("Keep pull requests small.", "s8"), why="unsure")
    new = change("create", text="Keep pull requests small.", kind="best-practice")
    answer(store, taken(store), new | {"evidence": ["codex:s8#3"]})
    assert len(Proposals(store.database, clock).pending()) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (change("delete", memory="deploys-go-through-staging"), '"verb" must be one of'),
        (change("archive", memory="somewhere-else"), "name of a memory of this piece"),
        (change("refine", memory="deploys-go-through-staging", text="Use CI."), "correction"),
        (change("create", text="Run make lint first.", kind="command"), "says it already"),
        (change("create", text="Use hunter2 to log in.", kind="command"), "secret"),
        (change("supersede", memory="deploys-go-through-staging"), '"by" must be'),
        (change("archive", memory="deploys-go-through-staging", reason=""), '"reason" must'),
        (change("archive", memory="deploys-go-through-staging", evidence=["x:y#1"]), "evidence"),
        (change("create", text="x" * 301, kind="command"), "1 to 300"),
    ],
)
def test_a_change_that_cannot_be_proposed_is_sent_back_with_the_reason(
    store: Store, given: dict[str, Any], said: str
) -> None:
    task = taken(store)
    with pytest.raises(Refused) as caught:
        answer(store, task, change("corroborate", memory="run-make-lint-first"), given)
    assert "change 2: " in caught.value.message
    assert said in caught.value.message
    assert Proposals(store.database, clock).pending() == []


def test_what_only_tools_said_is_proposed_with_their_trust(store: Store) -> None:
    tool = replace(candidate("The cache needs a restart after a deploy.", "s9"), trust="tool")
    Queue(store.database, clock).add(tool, why="only a tool said so")
    new = change("create", text="The cache is restarted after each deploy.", kind="data-quirk")
    answer(store, taken(store), new | {"evidence": ["codex:s9#3"]})
    (offer,) = Proposals(store.database, clock).pending()
    assert (offer.change.trust, offer.change.quarantined) == ("tool", True)


def test_memories_that_changed_meanwhile_are_shown_again(store: Store) -> None:
    task = taken(store)
    by = Author(Actor("user"), "edited")
    memory = store.get("shop", "/deploys-go-through-staging.md")
    store.update("shop", memory.id, content=memory.content + "\nSince May.\n", by=by)
    with pytest.raises(Conflict, match="changed since"):
        answer(store, task, change("archive", memory="deploys-go-through-staging"))
    assert taken(store).assignment.id != task.assignment.id


def test_what_was_looked_at_is_not_shown_again(store: Store) -> None:
    nothing = answer(store, taken(store))
    assert (nothing.proposal, nothing.changes) == (None, ())
    assert desk(store).next("shop") is None
