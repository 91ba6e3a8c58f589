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
from reverie.learn.memories.candidate import Candidate, name_from, slug
from reverie.learn.memories.queue import Advice, Queue, Review
from reverie.learn.memories.writing import Outcome, Writer, trust_of
from reverie.learn.statements.rule import stands_alone
from reverie.learn.statements.utterance import hear
from reverie.learn.work.answers import MAX_NOTE, Lesson, OnMemory, SessionAnswer
from reverie.learn.work.bearing import bears, built_on, ends, settled, speaks_of, told
from reverie.learn.work.grounding import (
    Ground,
    Grounding,
    added_words,
    grounding,
    keeps,
    rules_out,
)
from reverie.learn.work.legible import illegible
from reverie.learn.work.pieces import Line, Part, Piece, Task
from reverie.learn.work.rewording import Entry, Words
from reverie.learn.work.telling import is_in_order, is_of_one_time
from reverie.learn.work.turning import turned
from reverie.learn.work.voice import called, is_tellable, trust_in
from reverie.sessions.statements import StatementRow
from reverie.store.library import GLOBAL, Item
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.trust import Trust, as_trusted

_RE = patterns("work.txt", "taking")
SCORE = 0.5  # of a lesson that waits: neither surer nor less sure than others
OPENING = 120  # characters of a session's first words, which say what it is about
MOST_ADDED = 8  # words that are named of those that nobody said
SAYS_MORE = 2  # telling words that a lesson adds to a sentence to be worth another wording
SAME_RULE = 0.5  # share of a rule's telling words from which on a lesson of its turn is about it

RESTATES = ("refined", "narrowed", "contradicted")

Quoted = Mapping[str, tuple[Part, Line]]
OldMemory = tuple[Item, OnMemory]
Said = Sequence[tuple[Part, Line]]


class TakenLesson(NamedTuple):
    """A lesson of an answer, and what became of it."""

    number: int
    lesson: Lesson
    outcome: Outcome
    trust: Trust


class RawMemory(NamedTuple):
    """What the rules wrote of a sentence, and whether that was said to hold always."""

    item: Item
    standing: bool


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
    reasons: list[str] = field(default_factory=list[str])
    # A memory and the words that may have overtaken it, where that could not be done.
    doubts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def take(self, answer: SessionAnswer) -> tuple[list[TakenLesson], list[str]]:
        """Write what is right of an answer; the reasons are why something is not."""
        self.reasons += answer.reasons
        quoted = self.shown.piece.quoted()
        taken: dict[int, TakenLesson] = {}
        for number, lesson in answer.lessons.items():
            found = self._lesson(number, lesson, quoted, self._replaced(number, answer.memories))
            if found is not None:
                taken[number] = found
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
        ground = self._ground(lesson, sources, quoted, [item for item, _ in replaced])
        found = self._grounding(lesson, ground, [item for item, _ in replaced])
        reasons = [*found.reasons, *self._to_mend(lesson, ground, found)]
        if reasons and self.shown.assignment.is_last_try:
            # Nothing more comes of sending it back: a person may judge it, and is told the reason.
            candidate = self._candidate(lesson, said, "agent", lent=True)
            outcome = self.writer.hold(candidate, why="; ".join(reasons)[:MAX_NOTE])
            return TakenLesson(number, lesson, outcome, "agent")
        if reasons:
            self.reasons += [f"lesson {number}: {why}" for why in reasons]
            return None
        trust = trust_in(lesson.text, sources, found)
        lesson = called(lesson, ground) if trust == "user" else lesson
        said.sort(key=lambda one: -_shared(lesson.text, one[1].text))
        candidate = self._candidate(lesson, said, trust, lent=found.whose != "person")
        candidate = replace(candidate, instead_of=self._overturned(lesson, replaced, quoted))
        if found.whose == "agent":
            outcome = self.writer.hold(candidate, why="little of it was said by a person")
        elif is_of_one_time(lesson.text):
            outcome = self.writer.hold(candidate, why="it may have been said of one time")
        elif trust != "user" and (rule := self._written_by_rules(said, lesson.text)) is not None:
            outcome = self._beside_rule(rule, candidate, said, ground)
        elif trust != "user" and not is_tellable(lesson.text, ground, _refined(lesson, replaced)):
            outcome = self.writer.hold(candidate, why="it may say something else than was said")
        else:
            outcome = self._write(candidate, said)
        if outcome.action == "known":
            outcome = self._anew(outcome, candidate, said, replaced)
        return TakenLesson(number, lesson, outcome, trust)

    def _to_mend(self, lesson: Lesson, ground: Ground, found: Grounding) -> Iterator[str]:
        """What is asked for once, and taken as it is the second time."""
        if self.shown.assignment.parts[0].refusals:
            return
        yield from illegible(lesson.text, lesson.kind, ground.words)
        if found.whose == "agent":
            # What would only wait can mostly be cut to what was said.
            added = ", ".join(map(repr, added_words(lesson.text, ground)[:MOST_ADDED]))
            yield (
                f"little of it was said by a person, who did not say {added or 'it so'}: keep to"
                " their words, or hand it in as it is, and it waits until a person decides"
            )

    def _grounding(self, lesson: Lesson, ground: Ground, replaced: Iterable[Item]) -> Grounding:
        """What is remembered was checked when it was written, and lends its words as what it is."""
        texts = (lesson.text, lesson.title, lesson.why or "", lesson.when or "")
        found = grounding(texts, ground)
        unconfirmed = tuple(told(item) for item in replaced if item.memory.trust == "agent")
        if unconfirmed and (found.reasons or found.whose == "agent"):
            restated = (*ground.restated, *unconfirmed)
            found = grounding(texts, replace(ground, restated=restated))
            found = found._replace(whose="agent" if found.whose == "agent" else "both")
        return found

    def _ground(
        self,
        lesson: Lesson,
        sources: Said,
        quoted: Quoted,
        replaced: Iterable[Item],
    ) -> Ground:
        beside = [line.text for _, line in sources if line.who == "agent"]
        for part, line in sources:
            beside += [near.text for near in part.beside(line.id)]
        restated = [
            rule
            for item in replaced
            if item.memory.trust == "user" and not _turns_round(lesson.text, rule := told(item))
        ]
        session = sources[0][0].session
        cited = {part.evidence(line) for part, line in sources}
        elsewhere = [
            (name, line.text)
            for name, (part, line) in quoted.items()
            if part.evidence(line) not in cited
        ]
        opening = next((line.text for line in sources[0][0].lines if line.who == "person"), "")
        folder = session.cwd.rpartition("/")[2]
        return Ground(
            tuple(line.said for _, line in sources if line.who == "person"),
            tuple(beside),
            (
                self.shown.project,
                session.agent,
                folder,
                session.remote,
                opening[:OPENING],
                *(line.at[:10] for _, line in sources),
            ),
            tuple(line.text for _, line in sources if line.who == "choice"),
            elsewhere=tuple(elsewhere),
            settled=tuple(settled(sources)),
            restated=tuple(restated),
            named=tuple(map(told, (*self.shown.memories.values(), *self.shown.others.values()))),
            built_on=tuple(built_on(lesson.text, sources)),
        )

    def _candidate(
        self,
        lesson: Lesson,
        sources: Said,
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
            more=tuple(dict.fromkeys(one.evidence(said) for one, said in sources[1:])),
        )

    def _holds_everywhere(self, lesson: Lesson, sources: Said, trust: Trust) -> bool:
        """Whether it goes to all projects: a person's word only where they said it of all."""
        turns = {part.evidence(line) for part, line in sources}
        shared = any(
            said.shared and said.evidence in turns for said in self.shown.statements.values()
        )
        return lesson.scope == "global" and (trust != "user" or shared)

    def _write(self, candidate: Candidate, said: Said) -> Outcome:
        more = self._more(candidate, said)
        outcome = self.writer.distilled(candidate, more, by=self._author(candidate))
        if outcome.memory_id is None and outcome.action == "known":
            with suppress(NotFound):  # a person had it forgotten: no entry of the queue tells
                outcome = replace(outcome, memory_id=self.queue.find(candidate.id).memory_id)
        return outcome

    def _anew(
        self, known: Outcome, candidate: Candidate, said: Said, replaced: Iterable[OldMemory]
    ) -> Outcome:
        """What is nearly the same as the memory it refines gives that its words; not a person's."""
        for item, verdict in replaced:
            refined = item.memory.id == known.memory_id and verdict.verdict != "narrowed"
            old = self.writer.untouched(item.store, item.memory.id) if refined else None
            if old is not None and old.memory.trust != "user":
                by, more = self._author(candidate), self._more(candidate, said)
                return self.writer.reword(old, candidate, more, by=by)
        return known

    def _more(self, candidate: Candidate, said: Said) -> list[Candidate]:
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

    def _written_by_rules(self, said: Said, lesson: str) -> RawMemory | None:
        """What the rules wrote of the same in one of these turns, which may say other things too.

        One that does not always hold is only meant if the lesson keeps what it says.
        """
        turns = {part.evidence(line) for part, line in said}
        for statement in self.shown.statements.values():
            if statement.evidence in turns:
                with suppress(NotFound):
                    found = self.queue.find(Candidate.of(statement).id)
                    item = self.writer.by_rules(found.candidate.store, found.memory_id or "")
                    if item is None or not stands_alone(statement.rule, 1):
                        continue  # it goes for what says it so that others understand it
                    rule = _told_words(item.document.description, item.document.type)
                    if keeps(rule, lesson) or (
                        statement.standing and _shared(rule, lesson) >= SAME_RULE
                    ):
                        return RawMemory(item, statement.standing)
        return None

    def _beside_rule(
        self, raw: RawMemory, candidate: Candidate, said: Said, ground: Ground
    ) -> Outcome:
        """Other words for what the rules wrote take its place, told as unconfirmed; a person's
        standing rule keeps theirs. What says the same is known, and what differs waits."""
        rule = raw.item
        kept = _told_words(rule.document.description, rule.document.type)
        if not as_trusted(trust_of(candidate.trust), rule.memory.trust):
            whole = keeps(kept, candidate.lesson, 1.0) and is_tellable(candidate.lesson, ground)
            same = is_in_order(candidate.lesson, kept) and is_in_order(kept, candidate.lesson)
            added = content(words(candidate.lesson)) - content(words(kept))
            if same or (whole and not raw.standing and len(added) < SAYS_MORE):
                return Outcome("known", f"{rule.name} says it", rule.memory.id)
            if raw.standing or not whole:
                return self.writer.hold(candidate, why="in other words than the person's")
        if not keeps(kept, candidate.lesson):
            return self.writer.hold(candidate, why="in other words than the rule's")
        return self.writer.reword(
            rule, candidate, self._more(candidate, said), by=self._author(candidate)
        )

    def _on_statements(self, answer: SessionAnswer, taken: Mapping[int, TakenLesson]) -> None:
        verdicts = {verdict.id: verdict for verdict in answer.statements}
        for name, said in self.shown.statements.items():
            verdict = verdicts.get(name)
            number = verdict.lesson if verdict else _same_words(said, taken, self.shown.piece)
            if number is not None and number in taken:
                self._answer(said, taken[number], "")
            elif verdict is None or verdict.lesson is not None:
                continue
            elif not self._is_remembered(said, answer.memories):
                self._answer(said, None, verdict.why)

    def _is_remembered(self, said: StatementRow, verdicts: Iterable[OnMemory]) -> bool:
        """Whether a memory that was said again in a statement's turn says all of it; that goes."""
        turn = _id_of(said, self.shown.piece)
        again = (one for one in verdicts if one.verdict == "confirmed" and turn in one.evidence)
        items = [item for one in again if (item := self._still_there(one.name)) is not None]
        items = [item for item in items if keeps(said.rule, told(item), 1.0)]
        if said.standing or not items:
            return False
        with suppress(NotFound):
            review = self.queue.find(Candidate.of(said).id)
            raw = self.writer.by_rules(review.candidate.store, review.memory_id or "")
            if raw is not None and all(
                raw.memory.id != item.memory.id and as_trusted(item.memory.trust, raw.memory.trust)
                for item in items
            ):
                self.writer.retire(raw, said.evidence, self._author(review.candidate))
                return True
        return False

    def _answer(self, said: StatementRow, lesson: TakenLesson | None, why: str) -> None:
        """What the rules asked is answered by a lesson that says it, and so is what they wrote.

        What a person said goes only for what says as much and is trusted as much: what would be
        dropped waits for them, with that advice.
        """
        instead = lesson if lesson and _says(lesson, said) else None
        memory_id = instead.outcome.memory_id if instead else None
        if lesson is not None and memory_id is None:
            return
        with suppress(NotFound):
            review = self.queue.find(Candidate.of(said).id)
            if review.status == "pending" and review.memory_id is None:
                if memory_id or said.trust != "user":
                    self.queue.decide(review.id, "written" if memory_id else "dropped", memory_id)
                else:
                    self.queue.advise({review.id: Advice("reject", "", why)})
            elif review.status == "written" and review.memory_id != memory_id:
                self._retire(review, instead, why, standing=said.standing)

    def _retire(
        self, review: Review, lesson: TakenLesson | None, why: str, *, standing: bool
    ) -> None:
        """What the rules wrote goes for a lesson; if none says it, the person is asked again."""
        item = self.writer.by_rules(review.candidate.store, review.memory_id or "")
        if item is None or (lesson is None and standing):
            return
        if lesson is not None and not as_trusted(lesson.trust, item.memory.trust):
            told = _told_words(item.document.description, item.document.type)
            if not _explains(lesson, told):
                return
        advice = Advice("reject", "", why)
        if lesson is None and item.memory.trust == "user":
            self.writer.advise(item, advice)
            return
        self.writer.retire(item, self.shown.assignment.id, self._author(review.candidate))
        if lesson is None:
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
        # Only a person's words bear on what is remembered; what they chose, on what is unconfirmed.
        choices = item.memory.trust != "user"
        said = [
            (part, line)
            for part, line in (quoted[name] for name in verdict.evidence if name in quoted)
            if line.trust == "user" or (choices and line.who == "choice")
        ]
        if not said:
            return
        if verdict.verdict == "confirmed":
            self.writer.said_again(item, [self._quote(part, line) for part, line in said])
            return
        where = said[-1][0].evidence(said[-1][1])
        by = self._author(self._quote(*said[-1]))
        lesson = taken.get(verdict.lesson or 0)
        instead = (
            lesson is not None
            and lesson.outcome.memory_id not in (None, item.memory.id)
            and bears(lesson.lesson.text, item)
        )
        trusted = lesson is not None and as_trusted(lesson.trust, item.memory.trust)
        over = verdict.verdict == "ended" and any(ends(line.said, item) for _, line in said)
        theirs = item.memory.trust == "user"
        if theirs and lesson is not None:
            instead = instead and speaks_of(lesson.lesson.text, item)
        # What a person accepted or wrote themselves is theirs to take back.
        free = not theirs or self.writer.untouched(item.store, item.memory.id) is not None
        if instead and verdict.verdict == "narrowed":
            self._narrow(item, verdict.text or "", by, trusted=trusted)
        elif ((instead and trusted) or over) and free and not item.document.pinned:
            self.writer.retire(item, where, by)
        else:
            self.doubts += [(item.memory.id, part.evidence(line)) for part, line in said]

    def _narrow(self, item: Item, text: str, by: Author, *, trusted: bool) -> None:
        """Leave of a memory what still holds; it stays whole if a person had a hand in it.

        A person's rule is only narrowed by what is `trusted` as much.
        """
        if not text or self.writer.untouched(item.store, item.memory.id) is None:
            return
        entry = Entry.of(item, self.queue, self.store.database)
        found = entry.grounding(Words(text))
        if (trusted or not entry.is_rule) and not found.reasons and found.whose != "agent":
            entry.reword(Words(text), self.writer, by)

    def _still_there(self, name: str) -> Item | None:
        """A memory that was shown, as it is now; None when this very answer replaced it."""
        item = self.shown.memories.get(name) or self.shown.others.get(name)
        try:
            memory = self.store.get(item.store, item.memory.id) if item else None
        except NotFound:
            return None
        found = Item(item.store, memory) if item and memory else None
        return None if found is None or found.archived else found

    def _quote(self, part: Part, line: Line) -> Candidate:
        """A person's words as more evidence of a memory."""
        return Candidate(
            lesson=line.text, type="", kind="", scope="project", project=self.shown.project,
            session=part.session.key, evidence=part.evidence(line), at=line.at, quote=line.text,
            premise="", standing=False, trust=line.trust, score=SCORE,
        )  # fmt: skip


def _refined(lesson: Lesson, replaced: Iterable[OldMemory]) -> list[str]:
    """What is remembered and said again, not its opposite."""
    texts = (told(item) for item, _ in replaced)
    return [text for text in texts if not _turns_round(lesson.text, text)]


def _turns_round(lesson: str, rule: str) -> bool:
    """Whether a lesson says the opposite of a rule, which then lends it no words."""
    return rules_out(lesson) != rules_out(rule) or bool(turned([lesson], hear(rule).sentences))


def _same_words(said: StatementRow, taken: Mapping[int, TakenLesson], piece: Piece) -> int | None:
    """The lesson that rests on the turn a statement was said in; None when none does."""
    name = _id_of(said, piece)
    return next((number for number, one in taken.items() if name in one.lesson.evidence), None)


def _id_of(said: StatementRow, piece: Piece) -> str:
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
    rule = _told_words(said.rule, said.type)
    if said.trust != "user" or _explains(lesson, rule):
        return True
    # What is not the person's own word may not turn round what they said.
    theirs = lesson.trust == "user" or rules_out(rule) == rules_out(lesson.lesson.text)
    return theirs and _shared(rule, lesson.lesson.text) >= SAME_RULE


def _explains(lesson: TakenLesson, rule: str) -> bool:
    """Whether a lesson says, in the same direction, what nobody understands as it was said."""
    return not stands_alone(rule, 1) and rules_out(rule) == rules_out(lesson.lesson.text)


def _told_words(rule: str, type: str) -> str:
    """A rule without the address where more of it stands; of a reference that is all it tells."""
    return rule if type == "reference" else _RE.address.sub(" ", rule)


def _sentence(text: str | None) -> str:
    """One line that ends like a sentence; "" for nothing."""
    line = " ".join((text or "").split()).rstrip(" .")
    return f"{line[:1].upper()}{line[1:]}." if line else ""
