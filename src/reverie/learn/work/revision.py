"""Work of kind `revise`: lessons that were distilled piece by piece, read side by side.

Whoever distils a session sees little of what came before it and nothing of what came after. So once
a project has some new lessons they are read together, with what the person said later about the
same: what a later word replaced goes, two that say the same become one, what only a task needed
goes, what lacks its object is said with it. Only what a model or the rules wrote and no person has
touched since can change, most of it must stay, and what goes lies in the archive.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec

from reverie.clock import Clock
from reverie.documents.document import load
from reverie.engines.protocol import Prompt
from reverie.inert import inert
from reverie.language.meaning import stems
from reverie.language.neighbours import Alike
from reverie.language.words import content, words
from reverie.learn.memories.candidate import passage
from reverie.learn.memories.queue import Advice, Queue
from reverie.learn.memories.quotes import Quote
from reverie.learn.memories.writing import Writer, held_since, is_later
from reverie.learn.work.answers import (
    MAX_LESSON,
    MAX_NOTE,
    MAX_TITLE,
    PERHAPS,
    TEXT,
    again,
    converted_all,
    form,
    one_of,
    read_answer,
    refuse,
    rows,
    unkeepable,
)
from reverie.learn.work.assignments import HANDED_IN, Assignment, Assignments, Stretch, Thinker
from reverie.learn.work.bearing import speaks_of
from reverie.learn.work.grounding import keeps
from reverie.learn.work.later import Later, later_words
from reverie.learn.work.legible import illegible
from reverie.learn.work.prompts import fenced, prompt_of
from reverie.learn.work.rewording import Entry, Words, in_their_words
from reverie.learn.work.taking import PartlyTaken
from reverie.learn.work.values import values_in
from reverie.sessions.index import Index
from reverie.store.library import Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.trust import as_trusted

FEWEST = 8  # new lessons of a project that are worth another look,
FEW = 3  # at the end of a run over several pieces,
MANY = 16  # and at which a run that goes on does not wait for more
READ = 120  # of a project, the newest, of which are shown
NEWEST = 24  # those that nobody judged as they are now, with
NEAR = 3  # others for each that speak of the same,
MOST = 40  # and no more than so many together
SAID, QUOTED = 2, 360  # turns that are quoted with each, and characters of one;
BRIEF, ANSWERED = 160, 240  # with so few, as much of what they answer
AFTER = 240  # characters of what was said later

Ruling = Literal["keep", "drop", "reword", "half", "replaced", "over", "same", "join"]
_VERDICT = {
    "id": TEXT,
    "verdict": one_of(get_args(Ruling)),
    "by": PERHAPS,
    "text": PERHAPS,
    "name": PERHAPS,
    "when": PERHAPS,
    "reason": TEXT,
}
SCHEMA = form({"verdicts": rows(_VERDICT)})


class Verdict(msgspec.Struct, frozen=True):
    """What should become of one memory."""

    id: str
    verdict: Ruling
    by: str | None = None
    text: Annotated[str, msgspec.Meta(max_length=MAX_LESSON)] | None = None
    name: Annotated[str, msgspec.Meta(max_length=MAX_TITLE)] | None = None
    when: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] = ""

    @property
    def takes_away(self) -> bool:
        return self.verdict in ("drop", "replaced", "over", "same")

    @property
    def words(self) -> Words:
        return Words(self.text or "", self.name or "", self.when or "")


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Memories of one project, oldest first, and what was said after them about the same."""

    entries: tuple[Entry, ...]
    later: tuple[Later, ...] = ()
    judged: frozenset[str] = frozenset()  # versions that were judged before

    def memory(self, name: str | None) -> Entry | None:
        """The memory of an id (m1, m2, …)."""
        return dict(self.memories()).get(name or "")

    def memories(self) -> Iterator[tuple[str, Entry]]:
        return ((f"m{number}", entry) for number, entry in enumerate(self.entries, 1))

    def words(self) -> Iterator[tuple[str, Later]]:
        return ((f"l{number}", said) for number, said in enumerate(self.later, 1))

    def said_after(self, name: str | None, memory: str) -> Quote | None:
        """The later words of an id (l1, l2, …), if they may bear on a memory."""
        said = dict(self.words()).get(name or "")
        return said.quote if said and int(memory[1:]) - 1 in said.near else None

    @property
    def seed(self) -> str:
        """The same for the same versions and words."""
        names = [entry.item.memory.version_id for entry in self.entries]
        names += [said.quote.id for said in self.later]
        return hashlib.sha256("".join(f"{name}\n" for name in names).encode()).hexdigest()


class Judged(NamedTuple):
    """A verdict with what it speaks of."""

    given: Verdict
    entry: Entry
    other: Entry | None  # the memory, and
    after: Quote | None  # the later words that take its place
    lenders: tuple[Entry, ...]  # memories whose words it may be said in

    def rests_on(self) -> Iterator[str]:
        """All that new words may rest on."""
        for entry in (self.entry, *self.lenders):
            yield entry.candidate.lesson
            yield from (quote.quote for quote in entry.quoted)
        if self.after is not None:
            yield self.after.quote


@dataclass(frozen=True, slots=True)
class RevisionTask:
    """Memories of one project as somebody gets them to read."""

    assignment: Assignment
    part: SideBySide
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
            _memory_shown(name, entry, judged=entry.item.memory.version_id in self.part.judged)
            for name, entry in self.part.memories()
            if not self.named or name in self.named
        ]
        after = [
            _later_shown(name, said, self.part.entries)
            for name, said in self.part.words()
            if not self.named or name in self.named
        ]
        lines += [{"said later": after}] if after else []
        shown = (inert(json.dumps(line, ensure_ascii=False)) for line in lines)
        material = fenced(f"Project: {inert(self.project)}", *shown)
        return prompt_of(self.assignment, material, SCHEMA)


class RevisionWork:
    """Hands out what was distilled, and takes what should become of it."""

    def __init__(
        self, store: Store, index: Index, clock: Clock, redact: Callable[[str], str]
    ) -> None:
        self._store = store
        self._index = index
        self._redact = redact
        self._queue = Queue(store.database, clock)
        self._writer = Writer(store, self._queue)
        self.assignments = Assignments(store.database, clock)

    def next(self, project: str | None = None, fewest: int = FEWEST) -> RevisionTask | None:
        """The memories of a project with enough new ones; of any when none is named."""
        return self.assignments.first("revise", self._offered(project, fewest), RevisionTask)

    def waiting(self, project: str | None = None, fewest: int = FEWEST) -> Iterator[RevisionTask]:
        """What nobody has had, of projects with so many new lessons; none is taken."""
        return self.assignments.untouched("revise", self._offered(project, fewest), RevisionTask)

    def submit(self, assignment: Assignment, text: str, *, by: Thinker = "agent") -> int:
        """Do as an answer says; how many memories it changed.

        From an agent it is advice, but on what agents worded.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: something of it is not taken; the message has every reason.
            Conflict: the memories changed since they were shown.
        """
        part = self.assignments.shown(assignment, self._offered(assignment.subject, 1))
        with self.assignments.judging(assignment):
            verdicts = self._verdicts(text, part, assignment)
        changing = [judged for judged in verdicts if judged.given.verdict != "keep"]
        with self._store.database.atomic():
            self.assignments.keep(assignment, "")
            for judged in sorted(changing, key=lambda judged: judged.given.takes_away):
                if by != "agent" or judged.entry.candidate.by_agent:
                    self._do(judged, assignment.id)
                else:
                    self._advise(judged)
            self.assignments.keep(assignment, json.dumps({"judged": self._seen(part)}))
            self.assignments.done(assignment)
        return len(changing)

    def _seen(self, part: SideBySide) -> list[str]:
        """What was judged: memories as they are now, and the words that came after them."""
        items = [entry.item for entry in part.entries]
        now = [self._store.get(item.store, item.memory.id).version_id for item in items]
        return [*now, *(said.quote.id for said in part.later)]

    # What is shown

    def _offered(self, project: str | None, fewest: int) -> Iterator[tuple[Stretch, SideBySide]]:
        looked_at = self.assignments.of("revise")
        for store, count in sorted(self._queue.distilled().items()):
            done = [look.last for look in looked_at.get(store, ()) if look.status == "done"]
            seen = max(done, default=0)
            if project in (None, store) and count - seen >= fewest:
                part = self._side_by_side(store)
                if len(part.entries) > 1:
                    yield Stretch(store, seen, count, part.seed), part

    def _side_by_side(self, store: str) -> SideBySide:
        """What nobody judged as it is now, what is near to it, and what new words speak of."""
        kept = map(json.loads, self.assignments.kept("revise"))
        judged = frozenset(name for answer in kept for name in answer.get("judged", ()))
        entries = self._entries(store)
        sessions = self._index.sessions(project=store)
        later = later_words(self._index.database, sessions, entries, self._doubts())
        fresh = {
            place
            for place, entry in enumerate(entries)
            if entry.item.memory.version_id not in judged
        }
        unread = [said for said in later if said.quote.id not in judged or said.near & fresh]
        places = _chosen(entries, fresh, {place for said in unread for place in said.near})
        anew = {place: number for number, place in enumerate(places)}
        renumbered = [
            Later(
                said.quote,
                frozenset(anew[place] for place in said.near if place in anew),
                frozenset(anew[place] for place in said.doubts if place in anew),
            )
            for said in unread
        ]
        return SideBySide(
            tuple(entries[place] for place in places),
            tuple(said for said in renumbered if said.near),
            judged,
        )

    def _doubts(self) -> dict[str, set[str]]:
        """The words that may have overtaken memories, as those who read the sessions said."""
        doubts: dict[str, set[str]] = {}
        for text in self.assignments.kept("session"):
            for memory, evidence in json.loads(text):
                doubts.setdefault(memory, set()).add(evidence)
        return doubts

    def _entries(self, store: str) -> list[Entry]:
        thought = self.assignments.finished("session", ("done", HANDED_IN, "refused"))
        items = [
            item
            for remembered in Library(self._store, store).documents()
            if remembered.store == store
            and (item := self._writer.untouched(store, remembered.memory.id)) is not None
            and (
                # Whoever reads the session of a raw sentence knows better what it means.
                all(map(thought.covers, item.document.evidence))
                or self._writer.by_rules(store, item.memory.id) is None
            )
        ]
        items.sort(key=lambda item: (held_since(item), item.memory.path))
        return [Entry.of(item, self._queue, self._store.database) for item in items[-READ:]]

    # What is answered

    def _verdicts(self, text: str, part: SideBySide, held: Assignment) -> list[Judged]:
        """What of an answer can be done, with what was right of those before.

        The rest is sent back, and the last time left out: those memories stay as they are.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: nothing of it can be done, or too much would go.
            PartlyTaken: something is to be corrected; the rest is kept until then.
        """
        kept = self.assignments.answer(held.id)
        answered = read_answer(text, "verdicts", len(part.entries))
        anew = {str(item.get("id")) for item in answered}
        before = read_answer(kept, "verdicts", len(part.entries)) if kept else []
        answered += [item for item in before if item["id"] not in anew]
        read, reasons = converted_all(answered, Verdict, "verdict")
        given = [verdict for said in read for verdict in _joined(said, read, reasons)]
        accepted: dict[str, Judged] = {}
        for verdict in given:
            judged = _judged(verdict, given, part)
            why = self._wrong(judged) if judged else [f"{verdict.id!r} is not one of this piece"]
            if judged and not why and verdict.text and held.is_first_try:
                why = list(illegible(verdict.text, "decision", judged.rests_on()))
            reasons += [f"{verdict.id}: {reason}" for reason in why]
            if judged and not why:
                accepted[verdict.id] = judged
        gone = {name for name, judged in accepted.items() if judged.given.takes_away}
        chained = {name for name, judged in accepted.items() if judged.given.by in gone}
        reasons += [f"{name}: what takes its place goes itself" for name in sorted(chained)]
        # Of two that were to be joined, none goes while the other does not say both.
        chained |= {
            name
            for name, (given, *_) in accepted.items()
            if given.text and given.verdict == "same" and given.by not in accepted
        }
        if len(gone) > len(part.entries) / 2:
            refuse([*reasons, "more than half of them would go; name only those that must"])
        left = {name: judged for name, judged in accepted.items() if name not in chained}
        if reasons and left and held.tries_left > 1:
            right = [item for item in answered if item.get("id") in left]
            wrong = [item for item in answered if item.get("id") not in left]
            self.assignments.keep(held, json.dumps({"verdicts": right}, ensure_ascii=False))
            hint = again(held.tries_left - 1)
            raise PartlyTaken(", ".join(left), reasons, hint, {"verdicts": wrong})
        if not left:
            refuse(reasons)
        return list(left.values())

    def _wrong(self, judged: Judged) -> list[str]:
        """Why a verdict cannot be done."""
        given, entry = judged.given, judged.entry
        if given.verdict == "keep":
            return []
        if given.verdict == "drop" or (given.verdict == "over" and given.by is None):
            return ["the person said it as a rule: reword it, or leave it"] if entry.is_rule else []
        later = judged.after is not None and given.verdict != "same"
        why = [] if later or given.verdict == "reword" else _unfit_other(judged)
        return why or (self._unsaid(judged) if given.verdict in ("reword", "half") else [])

    def _unsaid(self, judged: Judged) -> list[str]:
        """What is wrong with new words for a memory."""
        given, entry = judged.given, judged.entry
        if not given.text:
            return ["other words need their text"]
        whole = given.verdict == "reword"
        if whole and entry.is_rule and not keeps(entry.candidate.lesson, given.text):
            return ["it leaves out too much of what the person said"]
        checked = entry.grounding(given.words, judged.lenders, judged.after)
        return [*unkeepable(given.text, self._redact), *checked.wrong]

    def _advise(self, judged: Judged) -> None:
        given = judged.given
        verdict = "reject" if given.takes_away else "reword"
        self._writer.advise(judged.entry.item, Advice(verdict, given.text or "", given.reason))

    def _do(self, judged: Judged, piece: str) -> None:
        given, entry, other, after, lenders = judged
        actor = Actor("agent", entry.candidate.session)
        by = Author(actor, f"learned: {given.verdict} in {piece}", entry.item.memory.trust)
        if not given.takes_away:
            entry.reword(given.words, self._writer, by, lenders, after)
            return
        says = self._store.get(other.item.store, other.item.memory.id) if other else None
        now = load(says.content, path=says.path).description if says else ""
        if not _may_go(judged, now):
            self._writer.advise(entry.item, Advice("reject", "", given.reason))
            return
        if other is not None and given.verdict == "same":
            again = [in_their_words(entry.candidate, quote) for quote in entry.quoted]
            self._writer.said_again(other.item, again)
        # The turn that came instead; unlearning its session brings this one back.
        instead = other.item.document.evidence if other is not None else ()
        where = after.id if after is not None else instead[-1] if instead else piece
        self._writer.retire(entry.item, where, by)
        for review in entry.behind:
            self._queue.decide(review.id, "dropped")


def _judged(given: Verdict, verdicts: Iterable[Verdict], part: SideBySide) -> Judged | None:
    """A verdict with the memories and words it speaks of; None if it is of no memory here."""
    entry, other = part.memory(given.id), part.memory(given.by)
    if entry is None:
        return None
    # New words may be those of what is taken in, and of what a later name stands for.
    taken_in = [part.memory(verdict.id) for verdict in verdicts if verdict.by == given.id]
    named = [other] if given.verdict == "reword" else []
    lenders = tuple(lender for lender in (*taken_in, *named) if lender and lender is not entry)
    return Judged(given, entry, other, part.said_after(given.by, given.id), lenders)


def _unfit_other(judged: Judged) -> list[str]:
    """Why a memory cannot take the place of one."""
    given, entry, other, *_ = judged
    if other is None or other is entry:
        later = "" if given.verdict == "same" else ", or later words near to it"
        return [f'"by" must be another memory of this piece{later}']
    if entry.is_rule and not as_trusted(other.item.memory.trust, entry.item.memory.trust):
        return [f"{given.by} is trusted less than {given.id}: leave it, or name the other one"]
    if given.verdict != "same" and is_later(held_since(entry.item), held_since(other.item)):
        return [f"{given.id} was said later than {given.by}"]
    return []


def _may_go(judged: Judged, now: str) -> bool:
    """Whether what takes the place of a memory says as much; `now` is what the other one says.

    What a person said goes for their own later words about it, or for what is trusted as much and
    speaks of it; a twin has every telling word that it has. The rest is theirs to decide.
    """
    given, entry, other, after, _ = judged
    held = entry.item.memory.trust
    if held != "user":
        return True
    if after is not None:
        return after.trust == "user" and speaks_of(after.quote, entry.item)
    if given.verdict == "drop" or other is None:
        return False
    said = entry.candidate.lesson
    whole = content(words(said)) <= content(words(now)) and not values_in(said, (now,))
    twin = given.verdict != "same" or whole
    return twin and speaks_of(now, entry.item) and as_trusted(other.item.memory.trust, held)


def _memory_shown(name: str, entry: Entry, *, judged: bool) -> dict[str, object]:
    said = entry.candidate
    latest = sorted(entry.quoted, key=lambda quote: quote.at)[-SAID:]
    return {
        "id": name,
        "says": said.lesson,
        "why": said.why or None,
        "when": said.when or None,
        **({"rule": True} if entry.is_rule else {}),
        **({"judged": True} if judged else {}),
        "said": [_turn(quote, said.lesson) for quote in latest],
    }


def _later_shown(name: str, said: Later, entries: Sequence[Entry]) -> dict[str, object]:
    near = sorted(said.near)
    about = " ".join(entries[place].candidate.lesson for place in near)
    text = passage(" ".join(said.quote.quote.split()), about, AFTER)
    return {
        "id": name,
        "near": [f"m{place + 1}" for place in near],
        **({"doubts": [f"m{place + 1}" for place in sorted(said.doubts)]} if said.doubts else {}),
        "said": f"{said.quote.at[:10]}{'' if said.quote.trust == 'user' else ' (agent)'}: {text}",
    }


def _turn(quote: Quote, lesson: str) -> str:
    """A person's words; few of them mean what the agent had said before."""
    text = passage(" ".join(quote.quote.split()), lesson, QUOTED)
    if quote.premise and len(text) <= BRIEF:
        before = passage(" ".join(quote.premise.split()), lesson, ANSWERED)
        text = f"(agent: {before}) {text}"
    return f"{quote.at[:10]}: {text}"


def _chosen(entries: Sequence[Entry], fresh: Set[int], spoken_of: Set[int]) -> list[int]:
    """The places of the newest that are `fresh`, and of others that are near, in order of time."""
    newest = sorted(fresh)[-NEWEST:]
    index = Alike[int]()
    telling = [stems(entry.item.document.description) for entry in entries]
    for place, tells in enumerate(telling):
        if place not in newest:
            index.add(place, tells)
    near = {place for new in newest for place in index.near(telling[new], NEAR)}
    others = sorted((near | spoken_of) - set(newest))
    return sorted([*others[-(MOST - len(newest)) :], *newest])


def _joined(given: Verdict, verdicts: Iterable[Verdict], reasons: list[str]) -> Iterator[Verdict]:
    """A verdict as what is to be done: of two that are joined one goes, the other says both."""
    into = [other for other in verdicts if other.verdict == "join" and other.by == given.id]
    if given.verdict == "join" and given.by:
        yield msgspec.structs.replace(given, verdict="same")
        if all(other.id != given.by for other in verdicts):
            yield msgspec.structs.replace(given, id=given.by, verdict="reword", by=None)
    elif given.verdict == "keep" and into:
        yield msgspec.structs.replace(into[0], id=given.id, verdict="reword", by=None)
    elif into:
        reasons.append(f"{given.id}: it is joined with {into[0].id}, and needs no other verdict")
    else:
        yield given
