"""Work of kind `revise`: lessons that were distilled piece by piece, read side by side.

Whoever distils a session sees little of what came before it and nothing of what came after. So once
a project has some new lessons they are read together: what a later word replaced goes, two that say
the same become one, what only a task needed goes, what lacks its object is said with it. Only what
a model or the rules wrote and no person has touched since can change, most of it must stay, and
what goes lies in the archive.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import msgspec

from reverie.clock import Clock
from reverie.engines.protocol import Prompt
from reverie.inert import inert
from reverie.language.meaning import stems
from reverie.language.neighbours import Alike
from reverie.learn.memories.candidate import Candidate, passage
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.quotes import Quote
from reverie.learn.memories.writing import Writer, held_since, is_later, trust_of
from reverie.learn.work.answers import (
    MAX_LESSON,
    MAX_NOTE,
    MAX_TITLE,
    again,
    converted,
    form,
    read_answer,
    refuse,
    several,
    unkeepable,
)
from reverie.learn.work.assignments import MOST_REFUSALS, Assignment, Assignments, Stretch
from reverie.learn.work.grounding import keeps
from reverie.learn.work.prompts import fenced, prompt_of
from reverie.learn.work.rewording import Entry, Words
from reverie.learn.work.taking import PartlyTaken
from reverie.store.library import Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.trust import as_trusted

FEWEST = 8  # new lessons of a project that are worth another look
MANY = 16  # at which a run that goes on does not wait for more
NEWEST = 24  # of them are shown, with
NEAR = 3  # older ones for each that speak of the same,
MOST = 40  # and no more than so many together
SAID, QUOTED = 3, 500  # turns that are quoted with each, and characters of one;
BRIEF, ANSWERED = 160, 240  # with so few, as much of what they answer

VERDICTS = ("drop", "reword", "half", "replaced", "same")
SCHEMA = form(
    {
        "verdicts": several(
            form(
                {
                    "id": {"type": "string"},
                    "verdict": {"type": "string", "enum": list(VERDICTS)},
                    "by": {"type": ["string", "null"]},
                    "text": {"type": ["string", "null"]},
                    "name": {"type": ["string", "null"]},
                    "when": {"type": ["string", "null"]},
                    "reason": {"type": "string"},
                }
            )
        )
    }
)


class Verdict(msgspec.Struct, frozen=True):
    """What should become of one memory."""

    id: str
    verdict: Literal["drop", "reword", "half", "replaced", "same"]
    by: str | None = None
    text: Annotated[str, msgspec.Meta(max_length=MAX_LESSON)] | None = None
    name: Annotated[str, msgspec.Meta(max_length=MAX_TITLE)] | None = None
    when: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] = ""

    @property
    def takes_away(self) -> bool:
        return self.verdict not in ("reword", "half")

    @property
    def words(self) -> Words:
        return Words(self.text or "", self.name or "", self.when or "")


@dataclass(frozen=True, slots=True)
class RevisionTask:
    """Memories of one project, oldest first, as somebody gets them to read."""

    assignment: Assignment
    entries: tuple[Entry, ...]
    named: frozenset[str] = frozenset()  # ids of those that are shown once more; none: all are

    @property
    def project(self) -> str:
        return self.assignment.subject

    def only(self, answer: Mapping[str, Sequence[Any]]) -> "RevisionTask":
        """As much of it as somebody needs who corrects these verdicts; else all."""
        given = answer.get("verdicts", ())
        named = {str(item.get(key)) for item in given for key in ("id", "by")}
        return replace(self, named=frozenset(named)) if given else self

    @property
    def prompt(self) -> Prompt:
        lines = [
            inert(json.dumps(_shown(entry, number), ensure_ascii=False))
            for number, entry in enumerate(self.entries, 1)
            if not self.named or f"m{number}" in self.named
        ]
        material = fenced(f"Project: {inert(self.project)}", *lines)
        return prompt_of(self.assignment, material, SCHEMA)


class RevisionWork:
    """Hands out what was distilled, and takes what should become of it."""

    def __init__(self, store: Store, clock: Clock, redact: Callable[[str], str]) -> None:
        self._store = store
        self._redact = redact
        self._queue = Queue(store.database, clock)
        self._writer = Writer(store, self._queue)
        self.assignments = Assignments(store.database, clock)

    def next(self, project: str | None = None) -> RevisionTask | None:
        """The memories of a project with enough new ones; of any when none is named."""
        taken = self.assignments.first("revise", self._offered(project))
        return RevisionTask(*taken) if taken else None

    def waiting(self, project: str | None = None, fewest: int = FEWEST) -> Iterator[RevisionTask]:
        """What nobody has had, of projects with so many new lessons; none is taken."""
        offered = self._offered(project, fewest)
        for planned, part in self.assignments.untouched("revise", offered):
            yield RevisionTask(planned, part)

    def submit(self, assignment: Assignment, text: str) -> int:
        """Do as an answer says; how many memories it changed.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: something of it is not taken; the message has every reason.
            Conflict: the memories changed since they were shown.
        """
        part = self.assignments.shown(assignment, self._offered(assignment.subject))
        entries = {f"m{number}": entry for number, entry in enumerate(part, 1)}
        with self.assignments.judging(assignment):
            verdicts = self._verdicts(text, entries, assignment)
        with self._store.database.atomic():
            self.assignments.keep(assignment, "")
            for verdict in sorted(verdicts.values(), key=lambda one: one.takes_away):
                self._do(verdict, verdicts.values(), entries, assignment.id)
            self.assignments.done(assignment)
        return len(verdicts)

    # What is shown

    def _offered(
        self, project: str | None, fewest: int = FEWEST
    ) -> Iterator[tuple[Stretch, tuple[Entry, ...]]]:
        looked_at = self.assignments.of("revise")
        for store, count in sorted(self._queue.distilled().items()):
            done = [one.last for one in looked_at.get(store, ()) if one.status == "done"]
            seen = max(done, default=0)
            if project in (None, store) and count - seen >= fewest:
                part = self._entries(store)
                seed = hashlib.sha256()
                for entry in part:
                    seed.update(f"{entry.item.memory.version_id}\n".encode())
                if len(part) > 1:
                    yield Stretch(store, seen, count, seed.hexdigest()), part

    def _entries(self, store: str) -> tuple[Entry, ...]:
        thought = self.assignments.finished("session", ("done", "refused"))
        items = [
            item
            for found in Library(self._store, store).documents()
            if found.store == store
            and (item := self._writer.untouched(store, found.memory.id)) is not None
            and (
                # Whoever reads the session of a raw sentence knows better what it means.
                all(map(thought.covers, item.document.evidence))
                or self._writer.by_rules(store, item.memory.id) is None
            )
        ]
        items.sort(key=lambda item: (held_since(item), item.memory.path))
        return tuple(Entry.of(item, self._queue, self._store.database) for item in _chosen(items))

    # What is answered

    def _verdicts(
        self, text: str, entries: Mapping[str, Entry], held: Assignment
    ) -> dict[str, Verdict]:
        """What of an answer can be done, with what was right of those before.

        The rest is sent back, and the last time left out: those memories stay as they are.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: nothing of it can be done, or too much would go.
            PartlyTaken: something is to be corrected; the rest is kept until then.
        """
        reasons: list[str] = []
        given: list[Verdict] = []
        kept = self.assignments.answer(held.id)
        answered = read_answer(text, "verdicts", len(entries))
        anew = {str(item.get("id")) for item in answered}
        before = read_answer(kept, "verdicts", len(entries)) if kept else []
        answered += [item for item in before if item["id"] not in anew]
        for number, item in enumerate(answered, 1):
            verdict, malformed = converted(item, Verdict)
            reasons += [f"verdict {number}: {malformed}"] if verdict is None else []
            given += [verdict] if verdict is not None else []
        found: dict[str, Verdict] = {}
        for verdict in given:
            why = self._wrong(verdict, entries, _lenders(verdict, given, entries))
            reasons += [f"{verdict.id}: {one}" for one in why]
            if not why:
                found[verdict.id] = verdict
        gone = {name for name, one in found.items() if one.takes_away}
        chained = {name for name, one in found.items() if one.by in gone}
        reasons += [f"{name}: what takes its place goes itself" for name in sorted(chained)]
        if len(gone) > len(entries) / 2:
            refuse([*reasons, "more than half of them would go; name only those that must"])
        left = {name: one for name, one in found.items() if name not in chained}
        tries = MOST_REFUSALS - held.parts[0].refusals - 1
        if reasons and left and tries:
            right = [item for item in answered if item.get("id") in left]
            wrong = [item for item in answered if item.get("id") not in left]
            self.assignments.keep(held, json.dumps({"verdicts": right}, ensure_ascii=False))
            raise PartlyTaken(", ".join(left), reasons, again(tries), {"verdicts": wrong})
        if not left:
            refuse(reasons)
        return left

    def _wrong(
        self, given: Verdict, entries: Mapping[str, Entry], twins: Sequence[Entry]
    ) -> list[str]:
        entry = entries.get(given.id)
        if entry is None:
            return [f"{given.id!r} is not one of this piece"]
        if given.verdict == "reword":
            return self._unsaid(given, entry, twins)
        if given.verdict == "drop":
            rule = "the person said it as a rule: reword it, or leave it"
            return [rule] if entry.is_rule else []
        other = entries.get(given.by or "")
        if other is None or other is entry:
            return ['"by" must be another memory of this piece']
        if entry.is_rule and not as_trusted(other.item.memory.trust, entry.item.memory.trust):
            return [f"{given.by} is trusted less than {given.id}: leave it, or name the other one"]
        if given.verdict != "same" and is_later(held_since(entry.item), held_since(other.item)):
            return [f"{given.id} was said later than {given.by}"]
        return self._unsaid(given, entry, twins) if given.verdict == "half" else []

    def _unsaid(self, given: Verdict, entry: Entry, twins: Sequence[Entry]) -> list[str]:
        """What is wrong with new words for a memory."""
        if not given.text:
            return ["other words need their text"]
        whole = given.verdict == "reword"
        if whole and entry.is_rule and not keeps(entry.candidate.lesson, given.text):
            return ["it leaves out too much of what the person said"]
        found = entry.grounding(given.words, twins)
        unsaid = ["little of it was said by a person"] if found.whose == "agent" else []
        return [*unkeepable(given.text, self._redact), *found.reasons, *unsaid]

    def _do(
        self,
        given: Verdict,
        verdicts: Iterable[Verdict],
        entries: Mapping[str, Entry],
        piece: str,
    ) -> None:
        entry, other = entries[given.id], entries.get(given.by or "")
        trust = entry.item.memory.trust
        actor = Actor("agent", entry.candidate.session)
        by = Author(actor, f"learned: {given.verdict} in {piece}", trust)
        if not given.takes_away:
            entry.reword(given.words, self._writer, by, _lenders(given, verdicts, entries))
            return
        if other is not None and given.verdict == "same":
            self._writer.said_again(
                other.item, [_in_their_words(entry, one) for one in entry.quoted]
            )
        # The turn that came instead; unlearning its session brings this one back.
        instead = other.item.document.evidence if other is not None else ()
        self._writer.retire(entry.item, instead[-1] if instead else piece, by)
        for review in entry.behind:
            self._queue.decide(review.id, "dropped")


def _lenders(
    given: Verdict, verdicts: Iterable[Verdict], entries: Mapping[str, Entry]
) -> list[Entry]:
    """The memories whose words a reworded one may use: those it takes in, and a later name's."""
    names = [one.id for one in verdicts if one.by == given.id and one.id != given.id]
    names += [given.by] if given.by and given.verdict == "reword" else []
    return [entries[name] for name in names if name in entries]


def _in_their_words(entry: Entry, quote: Quote) -> Candidate:
    """A turn as more evidence of another memory."""
    return replace(
        entry.candidate,
        evidence=quote.id,
        session=quote.session,
        at=quote.at,
        quote=quote.quote,
        trust=trust_of(quote.trust),
        more=(),
    )


def _shown(entry: Entry, number: int) -> dict[str, object]:
    said = entry.candidate
    latest = sorted(entry.quoted, key=lambda one: one.at)[-SAID:]
    return {
        "id": f"m{number}",
        "says": said.lesson,
        "why": said.why or None,
        "when": said.when or None,
        "rule": entry.is_rule,
        "said": [_turn(quote, said.lesson) for quote in latest],
    }


def _turn(quote: Quote, lesson: str) -> str:
    """A person's words; few of them mean what the agent had said before."""
    text = passage(" ".join(quote.quote.split()), lesson, QUOTED)
    if quote.premise and len(text) <= BRIEF:
        before = passage(" ".join(quote.premise.split()), lesson, ANSWERED)
        text = f"(agent: {before}) {text}"
    return f"{quote.at[:10]}: {text}"


def _chosen(items: Sequence[Item]) -> list[Item]:
    """The newest, and the older ones that are nearest to them, in order of time."""
    older, newest = items[:-NEWEST], items[-NEWEST:]
    index = Alike[int]()
    for number, item in enumerate(older):
        index.add(number, stems(item.document.description))
    near = {
        number for item in newest for number in index.near(stems(item.document.description), NEAR)
    }
    return [older[number] for number in sorted(near)][-(MOST - len(newest)) :] + list(newest)
