"""Reviewing as an operation: one desk for lessons and changes, and forms in their places."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reverie.asker import OWNER, Asker
from reverie.documents.document import parse
from reverie.dream.model import FORMS, Known, change_of
from reverie.dream.proposals.proposals import Offer, Proposals
from reverie.errors import InvalidInput, NotFound, Refused
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.queue import Queue, Review
from reverie.memory import Memory
from reverie.operations import stores
from reverie.operations.reviewing import Desk


@pytest.fixture
def dreamt(memory: Memory, sample: Path) -> Memory:
    memory.dream(sample, jobs=1)
    return memory


def test_accepting_writes_with_a_persons_trust_and_teaches_the_detector(memory: Memory) -> None:
    desk = memory.review()
    entry = next(r for r in desk.pending().reviews if r.candidate.project == "shop-api")
    said = entry.candidate
    done = desk.accept(entry.id[:12])
    assert done.words.startswith(f"created {said.store}:")
    assert done.back == f"reverie forget {done.words.removeprefix('created ')}"
    assert entry.id not in {one.id for one in desk.pending().reviews}
    assert memory.labels.all()[said.evidence].durable == said.scope
    found = [m for m in memory.store.walk(said.store) if said.evidence in m.content]
    assert {one.trust for one in found if not one.path.startswith(("/d", "/archive"))} == {"user"}


@pytest.mark.proves("F8")
@pytest.mark.hostile("M9")
@pytest.mark.parametrize("surface", ["shell", "script"])
def test_only_a_person_turns_down_what_waits_for_them(memory: Memory, surface: str) -> None:
    memory.asker = Asker(surface, "s-1")
    desk = memory.review()
    waiting = desk.pending().reviews
    for entry in waiting:
        with pytest.raises(Refused, match="only they turn it down"):
            desk.reject(entry)
    assert waiting and desk.pending().reviews == waiting


@pytest.mark.proves("F8")
def test_what_an_agent_accepts_keeps_the_trust_of_an_agent_and_teaches_nothing(
    memory: Memory,
) -> None:
    memory.asker = Asker("shell", "s-1")
    desk = memory.review()
    waiting = [one for one in desk.pending().reviews if one.candidate.trust == "user"]
    created: list[str] = []
    for entry in waiting:
        with suppress(Refused):  # what stands against a person's word
            created += [entry.id] * desk.accept(entry).words.startswith("created")
    found = [(one, desk.find(one.id)) for one in waiting if one.id in created]
    written = [
        memory.store.get(one.candidate.store, review.memory_id or "")
        for one, review in found
        if isinstance(review, Review)
    ]
    assert written
    assert {one.trust for one in written} == {"agent"}
    newest = [memory.store.version(one.version_id) for one in written]
    assert {(one.actor.kind, one.actor.id) for one in newest} == {("agent", "s-1")}
    assert memory.labels.all() == {}


def test_what_an_agent_accepts_replaces_no_persons_word(memory: Memory) -> None:
    desk = memory.review()
    entry = desk.pending().reviews[0]
    lesson = "Releases are cut from the branch release/next, never from main."
    kept = memory.remember(lesson, scope=entry.candidate.store).item
    text = entry.candidate.document().text()
    against = "Releases are cut from main, never from the branch release/next."
    edited = desk.edited(entry, text.replace(entry.candidate.lesson, against))
    memory.asker = Asker("shell")
    with pytest.raises(Refused) as refusal:
        memory.review().accept(entry, document=edited)
    assert "trusted more" in refusal.value.message
    assert f"reverie review --accept {entry.id[:12]}" in (refusal.value.hint or "")
    assert memory.store.get(kept.memory.store_id, kept.memory.id).version == 1
    assert desk.find(entry.id).status == "pending"


@pytest.mark.proves("F8")
def test_a_change_that_an_agent_accepts_keeps_the_trust_of_an_agent(
    memory: Memory, sample: Path
) -> None:
    for item in memory.library.documents(everywhere=True):  # so that the dream has something new
        memory.store.delete(item.store, item.memory.id, by=OWNER.author("made anew"))
    memory.dream(sample, jobs=1)
    memory.asker = Asker("shell", "s-1")
    desk = memory.review()
    refused: list[str] = []
    written: set[str] = set()
    for offer in desk.pending().offers:
        try:
            desk.accept(offer)
        except Refused as error:
            refused.append(error.hint or "")
            continue
        fresh = desk.find(offer.id)
        assert isinstance(fresh, Offer)
        head = memory.store.get(offer.change.store, fresh.applied["memory"])
        written.add(head.trust)
        assert f"trust: {head.trust}" in head.content
    assert written
    assert "user" not in written
    quarantined = [one for one in desk.pending().offers if one.change.quarantined]
    assert all(any(one.id in hint for hint in refused) for one in quarantined)


def test_an_agent_puts_no_form_in_its_place(dreamt: Memory, tmp_path: Path) -> None:
    dreamt.asker = Asker("shell")
    desk = dreamt.review(root=tmp_path, forms=FORMS)
    offer = desk.pending().offers[0]
    before = set(tmp_path.rglob("*"))
    with pytest.raises(Refused):
        desk.accept(offer)
    assert set(tmp_path.rglob("*")) == before
    assert desk.find(offer.id).status == "pending"


def test_rejecting_is_remembered_and_can_be_taken_back(memory: Memory) -> None:
    desk = memory.review()
    entry = desk.pending().reviews[0]
    assert desk.reject(entry).words == "rejected"
    assert memory.labels.all()[entry.candidate.evidence].durable == "none"
    desk.accept(entry.id)
    assert memory.labels.all()[entry.candidate.evidence].durable == entry.candidate.scope


def test_an_edited_lesson_has_the_name_of_what_it_says_now(memory: Memory) -> None:
    desk = memory.review()
    entry = desk.pending().reviews[0]
    text = entry.candidate.document().text()
    lesson = entry.candidate.lesson
    edited = desk.edited(entry, text.replace(lesson, "Feed the walrus."))
    assert edited.name == "feed-walrus"
    desk.accept(entry, document=edited)
    kept = memory.library.find(f"{entry.candidate.store}:feed-walrus")
    assert kept.document.description == "Feed the walrus."
    with pytest.raises(InvalidInput):
        desk.edited(entry, "---\nname: [\n---\n")


def test_only_what_belongs_to_a_project_or_a_proposal_is_shown(dreamt: Memory) -> None:
    desk = dreamt.review()
    everything = desk.pending()
    assert everything.reviews
    assert everything.offers
    project = everything.reviews[0].candidate.project
    assert {one.candidate.project for one in desk.pending(project=project).reviews} == {project}
    proposal = dreamt.proposals.all()[0].id
    assert desk.pending(proposal=proposal) == ([], everything.offers)
    with pytest.raises(NotFound):
        desk.pending(proposal="nothing")


def test_forms_are_put_in_place_with_their_change_and_taken_back_with_it(
    dreamt: Memory, tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    before = {one.version_id for one in dreamt.store.walk("shop-api")}
    desk = dreamt.review(root=root, forms=FORMS)
    proposal = dreamt.proposals.all()[0]
    placed = [line for offer in desk.pending().offers for line in desk.accept(offer).placed]
    assert placed
    assert all(line.partition(": ")[2].startswith(str(root)) for line in placed)
    assert any(root.rglob("*"))
    undone = desk.undo(proposal.id)
    assert {one.result.outcome for one in undone} == {"done"}
    assert [file for file in root.rglob("*") if file.is_file()] == []
    assert {one.content for one in dreamt.store.walk("shop-api")} == {
        dreamt.store.version(version).content for version in before
    }
    with pytest.raises(InvalidInput):
        desk.undo(proposal.id)


def test_a_rejected_change_is_known_by_its_beginning_and_writes_nothing(dreamt: Memory) -> None:
    desk = dreamt.review()
    offer = desk.pending().offers[0]
    before = dreamt.store.sequences()
    desk.reject(offer.id[:10])
    assert dreamt.store.sequences() == before
    assert desk.find(offer.id).status == "rejected"


def test_an_edited_change_keeps_its_name(dreamt: Memory) -> None:
    desk = dreamt.review()
    offer = next(one for one in desk.pending().offers if one.change.verb == "create")
    text = offer.change.after.replace("name: ", "name: other-")
    desk.accept(offer, document=desk.edited(offer, text))
    assert desk.find(offer.id).status == "edited"
    kept = dreamt.store.get(offer.change.store, offer.change.path)
    assert "name: other-" not in kept.content


def test_what_is_accepted_shows_in_a_mounted_folder(memory: Memory, tmp_path: Path) -> None:
    desk = memory.review()
    entry = next(r for r in desk.pending().reviews if r.candidate.project == "shop-api")
    stores.mount(memory, entry.candidate.store, str(tmp_path / "shown"))
    desk.accept(entry)
    files = (tmp_path / "shown").glob("*.md")
    assert any(entry.candidate.evidence in one.read_text(encoding="utf-8") for one in files)


def waiting_as(offer: Offer) -> Candidate:
    """The candidate that says what a change says, in a turn it rests on."""
    document = parse(offer.change.after, path=offer.change.path)
    return Candidate(
        lesson=document.description,
        type=document.type,
        kind=document.kind,
        scope="global" if offer.change.store == "global" else "project",
        project=offer.change.store,
        session=document.evidence[0].rpartition("#")[0],
        evidence=document.evidence[0],
        at="2026-11-01T10:00:00Z",
        quote="as I said",
        premise="",
        standing=True,
        trust="user",
        score=0.5,
    )


def creating(desk: Desk) -> Offer:
    return next(one for one in desk.pending().offers if one.change.verb == "create")


def said_in(memory: Memory, store: str) -> list[str]:
    return [item.document.description for item in memory.memories(store=store)]


@pytest.mark.proves("F1")
def test_a_lesson_and_a_change_that_say_the_same_make_one_memory(dreamt: Memory) -> None:
    desk = dreamt.review()
    offer = creating(desk)
    said = waiting_as(offer)
    queue = Queue(dreamt.database, dreamt.clock)
    queue.add(said, why="unsure")
    desk.accept(said.id)
    kept = dreamt.memories(store=offer.change.store)
    done = desk.accept(offer)
    assert done.words.startswith(f"corroborate: {offer.change.store}/")
    assert said_in(dreamt, offer.change.store).count(said.lesson) == 1
    assert {item.memory.id for item in dreamt.memories(store=offer.change.store)} == {
        item.memory.id for item in kept
    }
    fresh = desk.find(offer.id)
    assert isinstance(fresh, Offer)
    richer = dreamt.store.get(offer.change.store, fresh.applied["memory"])
    assert set(parse(offer.change.after).evidence) <= set(parse(richer.content).evidence)
    desk.undo(offer.proposal)
    back = dreamt.store.get(offer.change.store, fresh.applied["memory"])
    assert parse(back.content).evidence == (said.evidence,)


@pytest.mark.proves("F1")
def test_accepting_a_change_answers_what_waits_and_undoing_asks_again(dreamt: Memory) -> None:
    desk = dreamt.review()
    offer = creating(desk)
    said = waiting_as(offer)
    turns = parse(offer.change.after, path=offer.change.path).evidence
    queue = Queue(dreamt.database, dreamt.clock)
    other = replace(said, lesson="The crane is painted green", evidence=f"{said.session}#9999")
    for one in (said, other):
        queue.add(one, why="unsure")
    words = desk.accept(offer).words
    waits = {one.id for one in desk.pending().reviews}
    assert other.id in waits
    assert said.id not in waits
    assert "waited for review" in words
    left = [one for one in desk.pending().reviews if one.candidate.evidence in turns]
    assert not left
    desk.undo(offer.proposal)
    assert said.id in {one.id for one in desk.pending().reviews}


@pytest.mark.proves("F1")
def test_of_a_turn_that_brought_several_things_up_only_the_words_quoted_are_answered(
    dreamt: Memory,
) -> None:
    desk = dreamt.review()
    offer = creating(desk)
    quote = offer.change.evidence[0]
    said = replace(waiting_as(offer), evidence=quote.evidence, session=quote.session)
    here = replace(said, lesson="Tidy the quay before lunch", quote=quote.quote)
    other = replace(said, lesson="The crane is painted green", quote="paint it green")
    queue = Queue(dreamt.database, dreamt.clock)
    for one in (here, other):
        queue.add(one, why="unsure")
    desk.accept(offer)
    waits = {one.id for one in queue.pending()}
    assert other.id in waits
    assert here.id not in waits
    desk.undo(offer.proposal)
    assert here.id in {one.id for one in queue.pending()}


def superseding(memory: Memory, session: str) -> tuple[str, str]:
    """A rule that rests on one session, and the memory it superseded; both by a dream."""
    old = memory.remember("Releases are cut from main.", scope="global").item
    rule = "Releases are cut from the branch release/next, never from main."
    text = replace(
        old.document, name="cut-from-next", description=rule, evidence=(f"{session}#1",), body=rule
    ).text()
    known = Known("global", old.memory, old.document)
    fields: dict[str, Any] = {
        "reason": "", "support": "", "sessions": 1, "chance": 0.0, "confidence": 0.9,
        "trust": "user", "evidence": (),
    }  # fmt: skip
    created = change_of("create", "global", "/cut-from-next.md", None, text, title=rule, **fields)
    ended = change_of(
        "supersede", "global", old.memory.path, known, old.memory.content, title=rule,
        new_path=f"/archive/2026-11-18{old.memory.path}", superseded_by="global:cut-from-next",
        **fields,
    )  # fmt: skip
    proposals = Proposals(memory.database, memory.clock)
    with memory.database.atomic() as tx:
        proposals.add(tx, "drm_1", (created, ended))
    desk = memory.review()
    for change in (created, ended):
        assert desk.accept(change.id).outcome == "done"
    return old.name, created.id


@pytest.mark.proves("C5")
def test_what_a_dream_superseded_because_of_a_session_comes_back_when_it_is_unlearned(
    memory: Memory,
) -> None:
    session = memory.index.sessions()[0].key
    # The name is taken, so that what holds instead comes to lie elsewhere.
    memory.remember("Something else entirely about quays.", scope="global", name="cut-from-next")
    name, _ = superseding(memory, session)
    (gone,) = [one for one in memory.store.walk("global", "/archive/") if name in one.path]
    cause = memory.store.version(gone.version_id).cause
    assert cause.kind == "superseded"
    assert cause.subject == "global:cut-from-next-2"
    done = memory.unlearn(session, "asked")
    assert f"global/{name}.md" in done.restored
    assert name in {item.name for item in memory.memories(store="global")}


@pytest.mark.proves("C5")
def test_undoing_a_supersession_puts_the_memory_back(memory: Memory) -> None:
    name, _ = superseding(memory, memory.index.sessions()[0].key)
    assert name not in {item.name for item in memory.memories(store="global")}
    memory.review().undo(memory.proposals.all()[0].id)
    assert name in {item.name for item in memory.memories(store="global")}


def snapshot(memory: Memory) -> dict[str, str]:
    return {item.memory.path: item.memory.content for item in memory.memories(everywhere=True)}


@pytest.mark.proves("F1")
def test_every_decision_is_taken_back_the_last_one_first(dreamt: Memory) -> None:
    desk = dreamt.review()
    asked = [*desk.pending().offers, *desk.pending().reviews]
    before = snapshot(dreamt), {one.id for one in asked}
    labels = dreamt.labels.all()
    decided: list[str] = []
    states = [before]
    for number, one in enumerate(asked):
        if desk.find(one.id).status != "pending":
            continue  # answered by one of those before
        done = desk.reject(one) if number % 3 == 2 else desk.accept(one)
        if done.outcome == "done":
            decided.append(one.id)
            waiting = {one.id for part in desk.pending() for one in part}
            states.append((snapshot(dreamt), waiting))
    assert len(decided) > 3
    while decided:
        states.pop()
        taken = desk.take_back()
        assert taken is not None
        assert taken.id == decided.pop()
        waiting = {one.id for part in desk.pending() for one in part}
        assert (snapshot(dreamt), waiting) == states[-1]
    assert dreamt.labels.all() == labels
    assert desk.take_back() is None
