"""Taking: what becomes of the answer to a piece of sessions, once each part was checked.

A lesson replaces what the rules made of the same words, so nothing stays twice; what the rules had
asked about is answered. Whatever a model says, nothing that a person accepted, edited or pinned is
touched, and nothing that is trusted more than the lesson.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from reverie.data import patterns
from reverie.documents.vocabulary import type_of_kind
from reverie.errors import NotFound, Refused
from reverie.language.words import content, words
from reverie.learn.detect.observe import fit_to_keep
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.naming import name_from, slug
from reverie.learn.memories.queue import Advice, Queue, Review
from reverie.learn.memories.writing import Outcome, Writer, trust_of
from reverie.learn.statements.rule import stands_alone
from reverie.learn.work.answers import MAX_NOTE, Lesson, OnMemory, SessionAnswer
from reverie.learn.work.bearing import bears, ends, remembered, speaks_of
from reverie.learn.work.carried import in_own_words, trust_in
from reverie.learn.work.ground import Ground, Sources, ground_of
from reverie.learn.work.grounding import Grounding, added_words, grounding, keeps
from reverie.learn.work.legible import illegible
from reverie.learn.work.pieces import Line, Part, Piece, Task
from reverie.learn.work.rewording import Entry, Words
from reverie.learn.work.telling import is_in_order, is_of_one_time
from reverie.learn.work.turning import rules_out
from reverie.sessions.statements import StatementRow
from reverie.store.library import GLOBAL, Item
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.trust import Trust, as_trusted

_RE = patterns("work.txt", "taking")
SCORE = 0.5  # of a lesson that waits: neither surer nor less sure than others
MOST_ADDED = 8  # words that are named of those that nobody said
SAYS_MORE = 2  # telling words that a lesson adds to a sentence to be worth another wording
SAME_RULE = 0.5  # share of a rule's telling words from which on a lesson of its turn is about it

RESTATES = ("refined", "narrowed", "contradicted")

Quoted = Mapping[str, tuple[Part, Line]]
OldMemory = tuple[Item, OnMemory]


class TakenLesson(NamedTuple):
    """A lesson of an answer, and what became of it."""

    number: int
    lesson: Lesson
    outcome: Outcome
    trust: Trust


class PartlyTaken(Refused):
    """Some of an answer was taken, and some was not."""

    def __init__(
        self,
        kept: str,
        reasons: Sequence[str],
        hint: str,
        left: Mapping[str, list[Any]],
        taken: Sequence[TakenLesson] = (),
    ) -> None:
        """`kept` says what was taken, "" for nothing; `left` is the rest, to be handed in anew."""
        head = f"taken: {kept}; not taken:" if kept else "the answer is not taken:"
        super().__init__("\n".join([head, *reasons]), hint=hint)
        self.left = left
        self.taken = tuple(taken)


@dataclass
class Taking:
    """One answer on its way into the stores."""

    store: Store
    queue: Queue
    writer: Writer
    shown: Task
    chosen: bool = False  # a person answers, or an engine of theirs
    reasons: list[str] = field(default_factory=list[str])
    # A memory and the words that may have overtaken it, where that could not be done.
    doubts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def take(self, answer: SessionAnswer) -> tuple[list[TakenLesson], list[str]]:
        """Write what is right of an answer; the reasons are why something is not."""
        self.reasons += answer.reasons
        quoted = self.shown.piece.quoted()
        taken: dict[int, TakenLesson] = {}
        for number, lesson in answer.lessons.items():
            taken_lesson = self._lesson(
                number, lesson, quoted, self._replaced(number, answer.memories)
            )
            if taken_lesson is not None:
                taken[number] = taken_lesson
        self._on_statements(answer, taken)
        for verdict in answer.memories:
            self._on_memory(verdict, taken, quoted)
        return list(taken.values()), self.reasons

    def _lesson(
        self, number: int, lesson: Lesson, quoted: Quoted, replaced: Sequence[OldMemory]
    ) -> TakenLesson | None:
        sources = [quoted[name] for name in lesson.evidence]
        said = [(part, line) for part, line in sources if line.who != "agent"]
        if not said:
            candidate = self._candidate(lesson, sources, "agent")
            outcome = self.writer.hold(candidate, why="an agent's own conclusion")
            return TakenLesson(number, lesson, outcome, "agent")
        ground = ground_of(lesson.text, sources, self.shown, [item for item, _ in replaced])
        texts = (lesson.text, lesson.title, lesson.why or "", lesson.when or "")
        checked = grounding(texts, ground)
        reasons = [*checked.reasons, *self._to_mend(lesson, ground, checked)]
        if reasons and self.shown.assignment.tries_left == 1:
            # Nothing more comes of sending it back: a person may judge it, and is told the reason.
            candidate = self._candidate(lesson, said, "agent", lent=True)
            outcome = self.writer.hold(candidate, why="; ".join(reasons)[:MAX_NOTE])
            return TakenLesson(number, lesson, outcome, "agent")
        if reasons:
            self.reasons += [f"lesson {number}: {why}" for why in reasons]
            return None
        sure = checked.whose == "person" and not self._is_doubted(said)
        trust = trust_in(lesson.text, sources) if sure else "agent"
        lesson = in_own_words(lesson, ground) if trust == "user" else lesson
        said.sort(key=lambda source: -_shared(lesson.text, source[1].text))
        candidate = self._candidate(lesson, said, trust, lent=checked.whose != "person")
        candidate = replace(candidate, instead_of=self._overturned(lesson, replaced, quoted))
        if checked.whose == "agent":
            outcome = self.writer.hold(candidate, why=checked.doubt)
        elif is_of_one_time(lesson.text):
            outcome = self.writer.hold(candidate, why="it may have been said of one time")
        elif trust != "user" and (rule := self._written_by_rules(said, lesson.text)) is not None:
            item, standing = rule
            outcome = self._beside_rule(item, candidate, said, checked, standing=standing)
        elif trust != "user" and checked.doubt:
            outcome = self.writer.hold(candidate, why=checked.doubt)
        else:
            outcome = self._write(candidate, said)
        if outcome.action == "known":
            outcome = self._anew(outcome, candidate, said, replaced)
        return TakenLesson(number, lesson, outcome, trust)

    def _is_doubted(self, said: Sources) -> bool:
        """Whether whoever read the whole session doubts that one of these turns is their word."""
        turns = {part.evidence(line) for part, line in said}
        stated = self.shown.statements.values()
        return any(
            statement.trust != "user" and statement.evidence in turns for statement in stated
        )

    def _to_mend(self, lesson: Lesson, ground: Ground, checked: Grounding) -> Iterator[str]:
        """What is asked for once, and taken as it is the second time."""
        if not self.shown.assignment.is_first_try:
            return
        yield from illegible(lesson.text, lesson.kind, (*ground.typed, *ground.agreed))
        if checked.whose == "agent":
            # What would only wait can mostly be cut to what was said.
            added = ", ".join(map(repr, added_words(lesson.text, ground)[:MOST_ADDED]))
            yield (
                f"{checked.doubt}, who did not say {added or 'it so'}: keep to their words, or hand"
                " it in as it is, and it waits until a person decides"
            )

    def _candidate(
        self,
        lesson: Lesson,
        sources: Sources,
        trust: Trust,
        *,
        lent: bool = False,
    ) -> Candidate:
        """A lesson on its way; what the agent had said is kept if that `lent` words to it."""
        part, line = sources[0]
        return Candidate(
            lesson=fit_to_keep(" ".join(lesson.text.split()), line.at),
            type=lesson.type or type_of_kind(lesson.kind) or "project",
            kind=lesson.kind,
            scope="global" if self._holds_everywhere(lesson, sources, trust) else "project",
            project=self.shown.project,
            session=part.session.key,
            evidence=part.evidence(line),
            at=line.at,
            quote=line.text,
            premise=part.before(line.id) if lent else "",
            standing=lesson.standing and trust == "user",
            trust=trust,
            score=SCORE,
            why=_sentence(lesson.why),
            name=slug(lesson.name) or name_from(lesson.text),
            title=" ".join(lesson.title.split()),
            when=_sentence(lesson.when),
            more=tuple(dict.fromkeys(source.evidence(said) for source, said in sources[1:])),
            by_agent=not (self.chosen or trust == "user"),
        )

    def _holds_everywhere(self, lesson: Lesson, sources: Sources, trust: Trust) -> bool:
        """Whether it goes to all projects: a person's word only where they said it of all."""
        turns = {part.evidence(line) for part, line in sources}
        shared = any(
            said.shared and said.evidence in turns for said in self.shown.statements.values()
        )
        return lesson.scope == "global" and (trust != "user" or shared)

    def _write(self, candidate: Candidate, said: Sources) -> Outcome:
        more = self._more(candidate, said)
        outcome = self.writer.distilled(candidate, more, by=self._author(candidate))
        if outcome.memory_id is None and outcome.action == "known":
            with suppress(NotFound):  # a person had it forgotten: no entry of the queue tells
                outcome = replace(outcome, memory_id=self.queue.find(candidate.id).memory_id)
        return outcome

    def _anew(
        self, known: Outcome, candidate: Candidate, said: Sources, replaced: Iterable[OldMemory]
    ) -> Outcome:
        """What is nearly the same as the memory it refines gives that its words; not a person's."""
        for item, verdict in replaced:
            refined = item.memory.id == known.memory_id and verdict.verdict != "narrowed"
            refined = refined and self.chosen
            old = self.writer.untouched(item.store, item.memory.id) if refined else None
            if old is not None and old.memory.trust != "user":
                by, more = self._author(candidate), self._more(candidate, said)
                return self.writer.reword(old, candidate, more, by=by)
        return known

    def _more(self, candidate: Candidate, said: Sources) -> list[Candidate]:
        """The other turns that a lesson rests on."""
        return [
            replace(
                candidate,
                evidence=part.evidence(line),
                at=line.at,
                quote=line.text,
                premise=part.before(line.id) if candidate.trust != "user" else "",
                more=(),
            )
            for part, line in said[1:]
        ]

    def _author(self, candidate: Candidate) -> Author:
        return Author(
            actor=Actor("agent", candidate.session),
            reason=f"learned: distilled in {self.shown.assignment.id} from {candidate.evidence}",
            trust=trust_of(candidate.trust),
            valid_from=candidate.at or None,
        )

    # What the rules made of the same words

    def _raw(self, said: StatementRow) -> tuple[Review, Item | None] | None:
        """What the rules asked about a sentence, and what they wrote of it; None for nothing."""
        try:
            review = self.queue.find(Candidate.of(said).id)
        except NotFound:
            return None
        return review, self.writer.by_rules(review.candidate.store, review.memory_id or "")

    def _written_by_rules(self, said: Sources, lesson: str) -> tuple[Item, bool] | None:
        """What the rules wrote of the same in one of these turns, and whether it always holds.

        A turn may say other things too: what does not always hold is only meant if the lesson keeps
        what it says.
        """
        turns = {part.evidence(line) for part, line in said}
        for statement in self.shown.statements.values():
            raw = self._raw(statement) if statement.evidence in turns else None
            item = raw[1] if raw else None
            if item is None or not stands_alone(statement.rule, 1):
                continue  # it goes for what says it so that others understand it
            rule = _rule_of(item)
            about = statement.standing and _shared(rule, lesson) >= SAME_RULE
            if keeps(rule, lesson) or about:
                return item, statement.standing
        return None

    def _beside_rule(
        self, item: Item, candidate: Candidate, said: Sources, checked: Grounding, *, standing: bool
    ) -> Outcome:
        """Other words for what the rules wrote take its place, told as unconfirmed; a person's
        standing rule keeps theirs. What says the same is known, and what differs waits."""
        rule, lesson = _rule_of(item), candidate.lesson
        if not as_trusted(trust_of(candidate.trust), item.memory.trust):
            whole = keeps(rule, lesson, 1.0) and not checked.doubt
            same = is_in_order(lesson, rule) and is_in_order(rule, lesson)
            added = content(words(lesson)) - content(words(rule))
            if same or (whole and not standing and len(added) < SAYS_MORE):
                return Outcome("known", f"{item.name} says it", item.memory.id)
            if standing or not (whole and self.chosen):
                return self.writer.hold(candidate, why="in other words than the person's")
        if not keeps(rule, lesson):
            return self.writer.hold(candidate, why="in other words than the rule's")
        more = self._more(candidate, said)
        return self.writer.reword(item, candidate, more, by=self._author(candidate))

    def _on_statements(self, answer: SessionAnswer, taken: Mapping[int, TakenLesson]) -> None:
        verdicts = {verdict.id: verdict for verdict in answer.statements}
        for name, said in self.shown.statements.items():
            verdict = verdicts.get(name)
            turn = _turn_of(said, self.shown.piece)
            resting = (
                number
                for number, taken_lesson in taken.items()
                if turn in taken_lesson.lesson.evidence
            )
            number = verdict.lesson if verdict else next(resting, None)
            if number is not None and number in taken:
                self._answer(said, taken[number], "")
            elif verdict and verdict.lesson is None and not self._is_remembered(said, answer):
                self._answer(said, None, verdict.why)

    def _is_remembered(self, said: StatementRow, answer: SessionAnswer) -> bool:
        """Whether a memory that was said again in a statement's turn says all of it; that goes."""
        turn = _turn_of(said, self.shown.piece)
        items = [
            item
            for verdict in answer.memories
            if verdict.verdict == "confirmed" and turn in verdict.evidence
            if (item := self._still_there(verdict.name)) is not None
            if keeps(said.rule, remembered(item), 1.0)
        ]
        review, raw = self._raw(said) or (None, None)
        if said.standing or not items or review is None or raw is None:
            return False
        if any(
            item.memory.id == raw.memory.id or not as_trusted(item.memory.trust, raw.memory.trust)
            for item in items
        ):
            return False
        self.writer.retire(raw, said.evidence, self._author(review.candidate))
        return True

    def _answer(self, said: StatementRow, lesson: TakenLesson | None, why: str) -> None:
        """What the rules asked is answered by a lesson that says it, and so is what they wrote.

        What a person said goes only for what says as much and is trusted as much: what would be
        dropped waits for them, with that advice.
        """
        raw = self._raw(said)
        memory_id = lesson.outcome.memory_id if lesson and _says(lesson, said) else None
        if raw is None or (lesson is not None and memory_id is None):
            return
        review, item = raw
        advice = Advice("reject", "", why)
        if not (self.chosen or (lesson is not None and lesson.trust == "user")):
            # What an agent would drop or say in its own words stays, and stays asked about.
            if lesson is None and review.status == "pending":
                self.queue.advise({review.id: advice})
            return
        if review.status == "pending" and review.memory_id is None:
            if memory_id or said.trust != "user":
                self.queue.decide(review.id, "written" if memory_id else "dropped", memory_id)
            else:
                self.queue.advise({review.id: advice})
        elif review.status != "written" or review.memory_id == memory_id or item is None:
            return
        elif lesson is not None:
            trusted = as_trusted(lesson.trust, item.memory.trust)
            if trusted or _explains(lesson, _rule_of(item)):
                self.writer.retire(item, self.shown.assignment.id, self._author(review.candidate))
        elif not said.standing and item.memory.trust == "user":
            self.writer.advise(item, advice)
        elif not said.standing:
            # No lesson says it: the person is asked again.
            self.writer.retire(item, self.shown.assignment.id, self._author(review.candidate))
            self.queue.ask_again(review.id, advice)

    # What was remembered before

    def _replaced(self, number: int, verdicts: Iterable[OnMemory]) -> list[OldMemory]:
        """The memories that a lesson, by its number, says anew or otherwise."""
        return [
            (item, verdict)
            for verdict in verdicts
            if verdict.lesson == number and verdict.verdict in RESTATES
            if (item := self._still_there(verdict.name)) is not None
        ]

    def _overturned(self, lesson: Lesson, replaced: Iterable[OldMemory], quoted: Quoted) -> str:
        """The memory that is in doubt as long as a lesson waits which a person's words brought up.

        One that a person had a hand in stands until they say so.
        """
        for item, verdict in replaced:
            said = any(
                name in quoted and quoted[name][1].trust == "user" for name in verdict.evidence
            )
            tells_of = speaks_of if item.memory.trust == "user" else bears
            whole = verdict.verdict != "narrowed" and tells_of(lesson.text, item)
            here = (lesson.scope == "global" or lesson.type == "user") == (item.store == GLOBAL)
            untouched = self.writer.untouched(item.store, item.memory.id) is not None
            if said and whole and here and untouched:
                return item.memory.id
        return ""

    def _on_memory(
        self, verdict: OnMemory, taken: Mapping[int, TakenLesson], quoted: Quoted
    ) -> None:
        item = self._still_there(verdict.name)
        if item is None:
            return
        theirs = item.memory.trust == "user"
        # Only a person's words bear on what is remembered; what they chose, on what is unconfirmed.
        said = [
            (part, line)
            for part, line in (quoted[name] for name in verdict.evidence if name in quoted)
            if line.trust == "user" or (line.who == "choice" and not theirs)
        ]
        if not said:
            return
        quotes = [self._quote(part, line) for part, line in said]
        if verdict.verdict == "confirmed":
            self.writer.said_again(item, quotes)
            return
        by = self._author(quotes[-1])
        lesson = taken.get(verdict.lesson or 0)
        instead = (
            lesson is not None
            and lesson.outcome.memory_id not in (None, item.memory.id)
            and bears(lesson.lesson.text, item)
            and (not theirs or speaks_of(lesson.lesson.text, item))
        )
        trusted = lesson is not None and as_trusted(lesson.trust, item.memory.trust)
        trusted = trusted and (self.chosen or (lesson is not None and lesson.trust == "user"))
        over = verdict.verdict == "ended" and any(ends(line.said, item) for _, line in said)
        # What a person accepted or wrote themselves is theirs to take back.
        free = not theirs or self.writer.untouched(item.store, item.memory.id) is not None
        if instead and verdict.verdict == "narrowed":
            self._narrow(item, verdict.text or "", by, trusted=trusted)
        elif ((instead and trusted) or over) and free and not item.document.pinned:
            self.writer.retire(item, quotes[-1].evidence, by)
        else:
            self.doubts += [(item.memory.id, quote.evidence) for quote in quotes]

    def _narrow(self, item: Item, text: str, by: Author, *, trusted: bool) -> None:
        """Leave of a memory what still holds; it stays whole if a person had a hand in it.

        A person's rule is only narrowed by what is `trusted` as much.
        """
        if not text or self.writer.untouched(item.store, item.memory.id) is None:
            return
        entry = Entry.of(item, self.queue, self.store.database)
        if not (self.chosen or entry.candidate.by_agent):
            return
        if (trusted or not entry.is_rule) and not entry.grounding(Words(text)).wrong:
            entry.reword(Words(text), self.writer, by)

    def _still_there(self, name: str) -> Item | None:
        """A memory that was shown, as it is now; None when this very answer replaced it."""
        item = self.shown.memories.get(name) or self.shown.others.get(name)
        try:
            memory = self.store.get(item.store, item.memory.id) if item else None
        except NotFound:
            return None
        current = Item(item.store, memory) if item and memory else None
        return None if current is None or current.archived else current

    def _quote(self, part: Part, line: Line) -> Candidate:
        """A person's words as more evidence of a memory."""
        return Candidate(
            lesson=line.text, type="", kind="", scope="project", project=self.shown.project,
            session=part.session.key, evidence=part.evidence(line), at=line.at, quote=line.text,
            premise="", standing=False, trust=line.trust, score=SCORE,
        )  # fmt: skip


def _turn_of(said: StatementRow, piece: Piece) -> str:
    """What the turn of a statement is called in a piece."""
    letters = (letter for letter, part in piece.lettered() if part.session.key == said.session)
    return f"{next(letters, '')}{said.line}"


def _shared(lesson: str, said: str) -> float:
    """How much of a lesson was said in a turn: the one that says most is quoted first."""
    telling = content(words(lesson))
    return len(telling & content(words(said))) / (len(telling) or 1)


def _says(lesson: TakenLesson, said: StatementRow) -> bool:
    """Whether a lesson tells what the rules heard.

    What may not be a person's word need not be told, and what nobody understands alone cannot be.
    """
    rule = _without_address(said.rule, said.type)
    if said.trust != "user" or _explains(lesson, rule):
        return True
    # What is not the person's own word may not turn round what they said.
    theirs = lesson.trust == "user" or rules_out(rule) == rules_out(lesson.lesson.text)
    return theirs and _shared(rule, lesson.lesson.text) >= SAME_RULE


def _explains(lesson: TakenLesson, rule: str) -> bool:
    """Whether a lesson says, in the same direction, what nobody understands as it was said."""
    return not stands_alone(rule, 1) and rules_out(rule) == rules_out(lesson.lesson.text)


def _rule_of(item: Item) -> str:
    return _without_address(item.document.description, item.document.type)


def _without_address(rule: str, type: str) -> str:
    """A rule without the address where more of it stands; of a reference that is all it tells."""
    return rule if type == "reference" else _RE.address.sub(" ", rule)


def _sentence(text: str | None) -> str:
    """One line that ends like a sentence; "" for nothing."""
    line = " ".join((text or "").split()).rstrip(" .")
    return f"{line[:1].upper()}{line[1:]}." if line else ""
