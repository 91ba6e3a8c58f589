"""Work of kind `dream`: somebody who thinks looks over the sessions and memories of projects.

A piece is handed out again only when what it shows has changed; what was taken of its answer is
kept, so that a dream that is told to use a model asks only for the rest. What comes of it is a
proposal like that of any dream: nothing changes until a person has accepted it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from reverie.clock import Clock
from reverie.dream.model import Ask, Change, Drop, Night, Observation, Pattern, Quoted
from reverie.dream.proposals.edits import CHANGE, MOST_CHANGES, Shown, edits_of
from reverie.dream.proposals.material import MOST_PORTIONS, PORTION, SAID, Material, Portion
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.proposals.readings import MOST_PATTERNS, PATTERN, Reader
from reverie.dream.run import Dreamer, settled
from reverie.dream.steps.check import check
from reverie.dream.steps.form import form as formed
from reverie.dream.steps.write import write
from reverie.engines.protocol import Prompt
from reverie.errors import InvalidInput, Refused
from reverie.inert import inert
from reverie.learn.diary.diaries import preferred
from reverie.learn.diary.diary import diary_from
from reverie.learn.memories.queue import Advice, Queue, Review
from reverie.learn.memories.quotes import quotes
from reverie.learn.memories.writing import trust_of
from reverie.learn.work.answers import (
    MAX_NOTE,
    again,
    form,
    listed,
    read_answer,
    several,
    without,
)
from reverie.learn.work.assignments import Assignment, Assignments, Stretch
from reverie.learn.work.prompts import fenced, instructions, prompt_of
from reverie.learn.work.taking import PartlyTaken, TakenLesson
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import diaries
from reverie.sessions.forgotten import Forgotten
from reverie.sessions.index import Index
from reverie.store.store import Store

_TEXT: dict[str, Any] = {"type": "string"}
SCHEMA = form(
    {
        "patterns": several(PATTERN),
        "changes": several(CHANGE),
        "rejects": several(form({"id": _TEXT, "why": _TEXT})),
    }
)
MOST = 1_000_000  # pieces
FOUND = "FOUND in other pieces (id, in how many sessions)"


@dataclass(frozen=True, slots=True)
class DreamTask:
    """A piece of work as somebody gets it."""

    assignment: Assignment
    portion: Portion
    found: Mapping[str, Pattern]  # of other pieces
    ask: Ask

    @property
    def project(self) -> str:
        return ", ".join(self.portion.projects)

    @property
    def prompt(self) -> Prompt:
        told = [f"{name} ({one.support}) {inert(one.text)}" for name, one in self.found.items()]
        parts = (
            f"Project: {inert(self.project)}",
            "\n".join([FOUND, *told]) + "\n" if told else "",
            self.portion.text,
        )
        return prompt_of(
            self.assignment,
            fenced(*parts),
            SCHEMA,
            sessions=self.ask.min_sessions,
            days=self.ask.min_days,
            most=MOST_PATTERNS,
            edits=MOST_CHANGES,
        )


class Taken(NamedTuple):
    """What became of an answer: lessons of sessions, a proposal, advice, or a daily."""

    assignment: Assignment
    lessons: tuple[TakenLesson, ...] = ()
    proposal: str | None = None
    changes: tuple[Change, ...] = ()
    advised: int = 0  # entries of the queue
    revised: int = 0  # memories
    day: str = ""  # that was written about
    patterns: int = 0


class Reading(NamedTuple):
    """What an answer comes to, part by part."""

    patterns: dict[int, Pattern]
    changes: dict[int, Change]
    rejects: dict[int, tuple[Review, str]]
    reasons: list[str]
    drops: list[Drop]


class DreamWork:
    """Hands out what sessions showed of projects, and takes patterns and edits."""

    def __init__(
        self,
        store: Store,
        index: Index,
        clock: Clock,
        redact: Callable[[str], str],
        ask: Ask | None = None,
        *,
        leave_out: Set[str] = frozenset(),
    ) -> None:
        self._store = store
        self._index = index
        self._clock = clock
        self._redact = redact
        self._ask = ask or Ask()
        self._leave_out = leave_out  # projects of which nothing may be shown
        self._queue = Queue(store.database, clock)
        self._dreamt: Night | None = None
        self._portions: dict[tuple[str, ...], list[Portion]] = {}
        self.assignments = Assignments(store.database, clock)

    # --- pieces ---------------------------------------------------------------------------------

    def next(self, project: str | None = None) -> DreamTask | None:
        """The first piece nobody has; of all projects when none is named."""
        taken = self.assignments.first("dream", self._offered(self._bundles(project)))
        return self._task(*taken) if taken else None

    def waiting(self, project: str | None = None) -> Iterator[DreamTask]:
        """The pieces that nobody has had; none is taken."""
        offered = self._offered(self._bundles(project))
        for planned, portion in self.assignments.untouched("dream", offered):
            yield self._task(planned, portion)

    def _task(self, assignment: Assignment, portion: Portion) -> DreamTask:
        found = self._found(portion.projects, before=assignment.parts[0].first)
        return DreamTask(assignment, portion, found, self._ask)

    def _offered(self, bundles: Sequence[tuple[str, ...]]) -> Iterator[tuple[Stretch, Portion]]:
        for projects in bundles:
            for place, portion in enumerate(self._all_portions(projects)):
                yield Stretch(" ".join(projects), place, place, portion.seed), portion

    def _bundles(self, project: str | None) -> list[tuple[str, ...]]:
        """Projects that are looked at together: all, as far as there is room for their words."""
        if project is not None:
            return [(project,)]
        sizes: dict[str, int] = {}
        for row in self._night.reach.rows if self._night.reach else ():
            if row.key in self._night.sessions and row.project not in self._leave_out:
                sizes[row.project] = sizes.get(row.project, 0) + row.human_turns * SAID // 2
        known = {one.store: 0 for one in self._night.known if one.store not in self._leave_out}
        found: list[tuple[str, ...]] = []
        size = 0
        for name, more in sorted((known | sizes).items()):
            if found and size + more <= PORTION * MOST_PORTIONS:
                found[-1] = (*found[-1], name)
                size += more
            else:
                found.append((name,))
                size = more
        return found

    def _all_portions(self, projects: tuple[str, ...]) -> list[Portion]:
        if projects not in self._portions:
            waiting = [one for one in self._queue.pending() if one.candidate.store in projects]
            material = Material(
                self._night,
                projects,
                self._index.turns,
                self._handed_in(projects),
                sorted(waiting, key=lambda one: one.id),
            )
            self._portions[projects] = material.portions()
        return self._portions[projects]

    def _handed_in(self, projects: Sequence[str]) -> list[tuple[str, int, str]]:
        """Diaries that agents wrote themselves: session, line, text."""
        chosen = Chosen(self._index.database, self._night.sessions)
        known = Forgotten(self._store.database)
        found: list[tuple[str, int, str]] = []
        for project in projects:
            for row in diaries(chosen, project=project):
                if not (page := preferred(self._store, row, known)).derived:
                    line = min(diary_from(row.data).spoken, default=0)
                    found.append((row.session, line, page.text))
        return found

    @property
    def _night(self) -> Night:
        """What the rules make of it all, before anything is written."""
        if self._dreamt is None:
            begun = Dreamer(self._store, self._index, self._clock).night(self._ask)
            self._dreamt = settled(begun)
        return self._dreamt

    # --- answers --------------------------------------------------------------------------------

    def submit(self, assignment: Assignment, text: str) -> Taken:
        """Turn an answer into a proposal.

        Raises:
            InvalidInput: it has not the form that was asked for.
            PartlyTaken: something of it is not taken; the message has every reason.
            Conflict: what was shown has changed since.
        """
        return self._take(assignment, text, propose=True)

    def keep(self, assignment: Assignment, text: str) -> Taken:
        """Keep an answer for the dream that asked for it; raises as `submit`."""
        return self._take(assignment, text, propose=False)

    def _take(self, assignment: Assignment, text: str, *, propose: bool) -> Taken:
        offered = self._offered([tuple(assignment.subject.split())])
        portion = self.assignments.shown(assignment, offered)
        try:
            answer = _parts(text)
        except (InvalidInput, Refused) as error:
            error.hint = error.hint or again(self.assignments.refused(assignment))
            raise
        before = self._found(portion.projects, before=assignment.parts[0].first)
        reading = self._read(answer, portion, before)
        taken = {
            "patterns": [answer["patterns"][number - 1] for number in reading.patterns],
            "changes": [answer["changes"][number - 1] for number in reading.changes],
        }
        self.assignments.keep(assignment, _joined(self.assignments.answer(assignment.id), taken))
        rejects = reading.rejects.values()
        self._queue.advise({one.id: Advice("reject", "", why) for one, why in rejects})
        made = Taken(assignment, patterns=len(reading.patterns), advised=len(reading.rejects))
        if propose:
            made = self._proposed(made, reading)
        if reading.reasons:
            left = {
                "patterns": without(answer["patterns"], reading.patterns),
                "changes": without(answer["changes"], reading.changes),
                "rejects": [],
            }
            kept = f"{len(reading.patterns)} patterns and {len(reading.changes)} changes"
            hint = again(self.assignments.refused(assignment))
            raise PartlyTaken(kept, reading.reasons, hint, left)
        self.assignments.done(assignment)
        return made

    def _read(
        self, answer: Mapping[str, list[Any]], portion: Portion, found: Mapping[str, Pattern]
    ) -> Reading:
        ids = portion.ids | {name: one.group.members for name, one in found.items()}
        reader = Reader(self._night, ids, self._redact, instructions("dream").version)
        reading = Reading({}, {}, {}, [], [])
        for number, item in enumerate(answer["patterns"], 1):
            one = reader.read(item)
            reading.reasons.extend(f"pattern {number}: {why}" for why in one.reasons)
            reading.drops.extend(one.drops)
            if one.pattern is not None:
                reading.patterns[number] = one.pattern
        changes, why = edits_of(answer["changes"], self._shown(portion, ids), self._redact)
        reading.changes.update(changes)
        reading.reasons.extend(why)
        waiting = {name: e.review for e in portion.entries if e.review for name in e.ids}
        for number, item in enumerate(answer["rejects"], 1):
            review, why_not = waiting.get(str(item.get("id"))), item.get("why")
            if review is not None and isinstance(why_not, str):
                reading.rejects[number] = review, why_not[:MAX_NOTE]
        return reading

    def _shown(self, portion: Portion, ids: Mapping[str, tuple[Observation, ...]]) -> Shown:
        """Whose words each id of a piece stands for."""
        known = {e.known.document.name: e.known for e in portion.entries if e.known is not None}
        sources = {
            name: tuple(
                Quoted(one.evidence, one.session, one.at, (one.quote or one.text)[:SAID], one.trust)
                for one in seen
            )
            for name, seen in ids.items()
        }
        cited = quotes(
            self._store.database, [one for old in known.values() for one in old.document.evidence]
        )
        for name, old in known.items():
            sources[name] = tuple(
                Quoted(one, kept.session, kept.at, kept.quote[:SAID], trust_of(kept.trust))
                for one in old.document.evidence
                if (kept := cited.get(one)) is not None
            )
        return Shown(self._night.now, known, sources)

    def _proposed(self, made: Taken, reading: Reading) -> Taken:
        """What was taken, as a proposal of its own."""
        patterns = tuple(reading.patterns.values())
        written = write(formed(replace(self._night, patterns=patterns)))
        own = {one.group.id for one in patterns}
        changes = [one for one in written.changes if one.pattern in own]
        changes += reading.changes.values()
        checked = check(replace(self._night, changes=tuple(changes), drops=()))
        reading.reasons.extend(f"{drop.text}: {drop.why}" for drop in checked.drops)
        if not checked.changes:
            return made
        proposals = Proposals(self._store.database, self._clock)
        with self._store.database.atomic() as tx:
            identity = proposals.add(tx, made.assignment.id, checked.changes)
        return made._replace(proposal=identity, changes=checked.changes)

    # --- what was found -------------------------------------------------------------------------

    def thought(self, night: Night, project: str | None = None) -> Night:
        """A night with what was found in the pieces that are answered, in place of the rules' own.

        What a model was shown and did not take up is no pattern, however often it was seen.
        """
        found: list[Pattern] = []
        shown: set[str] = set()
        changes: list[Change] = []
        drops: list[Drop] = []
        for projects in self._bundles(project):
            found += self._found(projects).values()
            for portion, reading in self._readings(projects):
                shown |= portion.groups
                changes += reading.changes.values()
                drops += reading.drops
        found.sort(key=lambda one: (-one.rank, -one.support, one.text))
        places = {one.evidence for pattern in found for one in pattern.group.members}
        own = {one.group.id for one in found}
        kept: list[Pattern] = []
        for one in night.patterns:
            if one.group.id in own or places & {m.evidence for m in one.group.members}:
                drops.append(Drop("think", one.text, "a model says what is in it"))
            elif one.group.id in shown and one.status == "pattern":
                reason = "a model that saw it did not take it up"
                kept.append(replace(one, status="candidate", reason=reason))
            else:
                kept.append(one)
        note = f"{len(found)} patterns of a model, {len(changes)} changes"
        return night.after("think", note, drops, patterns=(*found, *kept), edits=tuple(changes))

    def _readings(
        self, projects: tuple[str, ...], found: dict[str, Pattern] | None = None, before: int = MOST
    ) -> Iterator[tuple[Portion, Reading]]:
        """What was taken of the pieces before one; `found` is filled with their patterns."""
        found = {} if found is None else found
        for stretch, portion in self._offered([projects]):
            text = self.assignments.answer(self.assignments.id_of("dream", stretch))
            if not text or stretch.first >= before:
                continue
            answer = _parts(text)
            reading = self._read(answer, portion, dict(found))
            for number, pattern in reading.patterns.items():
                for name in answer["patterns"][number - 1]["evidence"]:
                    found.pop(name, None)  # what is named by a later one is part of it
                found[f"P{stretch.first + 1}.{number}"] = pattern
            yield portion, reading

    def _found(self, projects: tuple[str, ...], before: int = MOST) -> dict[str, Pattern]:
        """The patterns of the pieces before one, by the ids they are shown under."""
        found: dict[str, Pattern] = {}
        for _ in self._readings(projects, found, before):
            pass
        return found


def _parts(text: str) -> dict[str, list[Any]]:
    """The lists of an answer; only the patterns must be there.

    Raises:
        InvalidInput, Refused: it is not what was asked for.
    """
    patterns = read_answer(text, "patterns", MOST_PATTERNS)
    return {"patterns": patterns} | {
        name: [one for one in listed(text, name) if isinstance(one, dict)][:MOST_CHANGES]
        for name in ("changes", "rejects")
    }


def _joined(before: str, taken: Mapping[str, list[Any]]) -> str:
    """What was taken of one answer after another."""
    kept: dict[str, list[Any]] = json.loads(before) if before else {}
    both = {name: [*kept.get(name, ()), *more] for name, more in taken.items()}
    return json.dumps(both, ensure_ascii=False)
