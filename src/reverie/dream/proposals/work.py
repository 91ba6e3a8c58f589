"""Work of kind `dream`: somebody who thinks looks over the sessions and memories of projects.

A piece is handed out again only when what it shows has changed; what was taken of its answer is
kept, so that a dream that is told to use a model asks only for the rest. What comes of it is a
proposal like that of any dream: nothing changes until a person has accepted it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from reverie.clock import Clock
from reverie.dream.model import Ask, Change, Drop, Night, Observation, Pattern, Quoted, named_once
from reverie.dream.proposals.edits import CHANGES, MOST_CHANGES, Shown, edits_of
from reverie.dream.proposals.instructed import Instructed
from reverie.dream.proposals.kept import Kept
from reverie.dream.proposals.material import (
    MOST_PORTIONS,
    PORTION,
    SAID,
    Material,
    Portion,
)
from reverie.dream.proposals.pattern_forms import HOOK
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.proposals.readings import MOST_PATTERNS, PATTERNS, Reader
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
    MAX_LESSON,
    MAX_NOTE,
    TEXT,
    again,
    form,
    listed,
    read_answer,
    rows,
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

SCHEMA = form(
    {"patterns": PATTERNS, "changes": CHANGES, "rejects": rows({"id": TEXT, "why": TEXT})}
)
MOST = 1_000_000  # pieces
LITTLE = 2  # worth, up to which a pattern with a fault is left out and not sent back
FOUND = "FOUND in the pieces before (id, in how many sessions)"


@dataclass(frozen=True, slots=True)
class DreamTask:
    """A piece of work as somebody gets it."""

    assignment: Assignment
    portion: Portion
    before: Mapping[str, Pattern]  # of the pieces before
    ask: Ask

    @property
    def project(self) -> str:
        return ", ".join(dict.fromkeys(map(named_once, self.portion.projects)))

    @property
    def prompt(self) -> Prompt:
        place, of = self.portion.place, self.portion.of
        which = f"Piece {place} of {of}, one after the other; each shows other words\n"
        return prompt_of(
            self.assignment,
            fenced(
                f"Project: {inert(self.project)}",
                which if of > 1 else "",
                _told(self.before),
                self.portion.text,
            ),
            SCHEMA,
            sessions=self.ask.min_sessions,
            days=self.ask.min_days,
            most=MOST_PATTERNS,
            edits=MOST_CHANGES,
        )

    def material_of(self, left: Mapping[str, Sequence[Any]]) -> str:
        """What parts of an answer speak of."""
        items = [item for part in ("patterns", "changes") for item in left.get(part, ())]
        names = {str(name) for item in items for name in _ids_of(item)}
        patterns = {name: pattern for name, pattern in self.before.items() if name in names}
        return fenced(f"Project: {inert(self.project)}", _told(patterns), self.portion.about(names))


def _told(patterns: Mapping[str, Pattern]) -> str:
    lines = [
        f"{name} ({pattern.support}) {inert(pattern.text)}" for name, pattern in patterns.items()
    ]
    return "\n".join([FOUND, *lines]) + "\n" if lines else ""


def _ids_of(item: Any) -> Iterator[Any]:
    """What a part of an answer names: ids and memories, as far as it has the form."""
    given = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    yield from (given.get(name) for name in ("memory", "by"))
    for name in ("evidence", "instead_of"):
        ids = given.get(name)
        yield from cast("list[Any]", ids) if isinstance(ids, list) else ()


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
    """What an answer comes to, part by part; each part by its number, from 1."""

    patterns: dict[int, Pattern]
    wrong: dict[int, tuple[str, ...]]  # with patterns, or with their forms alone
    changes: dict[int, Change]
    unfit: list[str]  # why other changes are none
    rejects: dict[int, tuple[Review, str]]
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
        return self.assignments.first("dream", self._offered(self._bundles(project)), self._task)

    def waiting(self, project: str | None = None) -> Iterator[DreamTask]:
        """The pieces that nobody has had; none is taken."""
        offered = self._offered(self._bundles(project))
        return self.assignments.untouched("dream", offered, self._task)

    def _task(self, assignment: Assignment, portion: Portion) -> DreamTask:
        patterns, _ = self._answered(portion.projects, assignment.parts[0].first)
        return DreamTask(assignment, portion, patterns, self._ask)

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
        known = {
            memory.store: 0 for memory in self._night.known if memory.store not in self._leave_out
        }
        bundles: list[tuple[str, ...]] = []
        size = 0
        for name, more in sorted((known | sizes).items()):
            if bundles and size + more <= PORTION * MOST_PORTIONS:
                bundles[-1] = (*bundles[-1], name)
                size += more
            else:
                bundles.append((name,))
                size = more
        return bundles

    def _all_portions(self, projects: tuple[str, ...]) -> list[Portion]:
        if projects not in self._portions:
            waiting = [
                review for review in self._queue.pending() if review.candidate.store in projects
            ]
            material = Material(
                self._night,
                projects,
                self._index.turns,
                self._handed_in(projects),
                sorted(waiting, key=lambda review: review.id),
            )
            self._portions[projects] = material.portions()
        return self._portions[projects]

    def _handed_in(self, projects: Sequence[str]) -> list[tuple[str, int, str]]:
        """Diaries that agents wrote themselves: session, line, text."""
        chosen = Chosen(self._index.database, self._night.sessions)
        known = Forgotten(self._store.database)
        pages: list[tuple[str, int, str]] = []
        for project in projects:
            for row in diaries(chosen, project=project):
                if not (page := preferred(self._store, row, known)).derived:
                    line = min(diary_from(row.data).spoken, default=0)
                    pages.append((row.session, line, page.text))
        return pages

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
            hint = again(self.assignments.refused(assignment))
            error.hint = error.hint or hint
            raise
        before, _ = self._answered(portion.projects, assignment.parts[0].first)
        kept = Kept.of(self.assignments.answer(assignment.id))
        once = not kept.sent_back
        if not once:
            answer["patterns"] = kept.answered(answer["patterns"])
        reading = self._read(answer, portion, before)
        held = self._held(reading, portion.projects) if once else {}
        for number, why in (*held.items(), *(self._hooks_unmade(reading) if once else ())):
            reading.wrong[number] = (*reading.wrong.get(number, ()), why)
        back = _worth_mending(answer["patterns"], reading.wrong) if once else []
        reasons = [f"pattern {number}: {why}" for number in back for why in reading.wrong[number]]
        reasons += reading.unfit if once else []
        standing = [
            pattern for number, pattern in reading.patterns.items() if number not in {*back, *held}
        ]
        rejects = reading.rejects.values()
        self._queue.advise({review.id: Advice("reject", "", why) for review, why in rejects})
        made = Taken(assignment, patterns=len(standing), advised=len(reading.rejects))
        if propose:
            made, against = self._proposed(made, standing, list(reading.changes.values()))
            reasons += against if once else []
        changes = [answer["changes"][number - 1] for number in reading.changes]
        kept = kept.plus(answer["patterns"], changes, back, held=held, sent_back=bool(reasons))
        self.assignments.keep(assignment, kept.text)
        if reasons:
            left = {
                "patterns": [answer["patterns"][number - 1] for number in back],
                "changes": without(answer["changes"], reading.changes),
                "rejects": [],
            }
            summary = f"{len(standing)} patterns and {len(reading.changes)} changes"
            hint = again(self.assignments.refused(assignment))
            raise PartlyTaken(summary, reasons, hint, left)
        self.assignments.done(assignment)
        return made

    def _read(
        self, answer: Mapping[str, list[Any]], portion: Portion, patterns: Mapping[str, Pattern]
    ) -> Reading:
        ids = portion.ids | {name: pattern.group.members for name, pattern in patterns.items()}
        reader = Reader(self._night, ids, self._redact, instructions("dream").version)
        reading = Reading({}, {}, {}, [], {}, [])
        for number, item in enumerate(answer["patterns"], 1):
            outcome = reader.read(item)
            if outcome.reasons:
                reading.wrong[number] = outcome.reasons
                text = str(item.get("text"))[:MAX_LESSON]
                reading.drops.extend(Drop("think", text, why) for why in outcome.reasons)
            if outcome.pattern is not None:
                reading.patterns[number] = outcome.pattern
        changes, why = edits_of(answer["changes"], self._shown(portion, ids), self._redact)
        reading.changes.update(changes)
        reading.unfit.extend(why)
        waiting = {name: e.review for e in portion.entries if e.review for name in e.ids}
        for number, item in enumerate(answer["rejects"], 1):
            review, why_not = waiting.get(str(item.get("id"))), item.get("why")
            if review is not None and isinstance(why_not, str):
                reading.rejects[number] = review, why_not[:MAX_NOTE]
        return reading

    def _held(self, reading: Reading, projects: Collection[str]) -> dict[int, str]:
        """Patterns that instructions hold: which line."""
        instructed = Instructed(self._night, projects)
        faults = {number: instructed.fault(found) for number, found in reading.patterns.items()}
        return {number: why for number, why in faults.items() if why}

    def _hooks_unmade(self, reading: Reading) -> Iterator[tuple[int, str]]:
        """Patterns whose hook would not be offered: why."""
        hooked = {
            number: pattern
            for number, pattern in reading.patterns.items()
            if any(wanted.form == "hook" for wanted in pattern.suggested)
        }
        if not hooked:
            return
        tried = formed(replace(self._night, patterns=tuple(hooked.values()), drops=()))
        unmade = {drop.text: drop.why for drop in tried.drops if drop.why.startswith(HOOK)}
        yield from (
            (number, unmade[pattern.text])
            for number, pattern in hooked.items()
            if pattern.text in unmade
        )

    def _shown(self, portion: Portion, ids: Mapping[str, tuple[Observation, ...]]) -> Shown:
        """Whose words each id of a piece stands for."""
        known = {e.known.document.name: e.known for e in portion.entries if e.known is not None}
        sources = {
            name: tuple(
                Quoted(
                    source.evidence,
                    source.session,
                    source.at,
                    (source.quote or source.text)[:SAID],
                    source.trust,
                )
                for source in seen
            )
            for name, seen in ids.items()
        }
        cited = quotes(
            self._store.database,
            [source for old in known.values() for source in old.document.evidence],
        )
        for name, old in known.items():
            sources[name] = tuple(
                Quoted(source, kept.session, kept.at, kept.quote[:SAID], trust_of(kept.trust))
                for source in old.document.evidence
                if (kept := cited.get(source)) is not None
            )
        return Shown(self._night.now, known, sources)

    def _proposed(
        self, made: Taken, patterns: Sequence[Pattern], edits: Sequence[Change]
    ) -> tuple[Taken, list[str]]:
        """What was taken, as a proposal of its own, and why something of it is not proposed."""
        written = write(formed(replace(self._night, patterns=tuple(patterns))))
        groups = {pattern.group.id for pattern in patterns}
        changes = [*(change for change in written.changes if change.pattern in groups), *edits]
        checked = check(replace(self._night, changes=tuple(changes), drops=()))
        against = [f"{drop.text}: {drop.why}" for drop in checked.drops]
        if not checked.changes:
            return made, against
        proposals = Proposals(self._store.database, self._clock)
        with self._store.database.atomic() as tx:
            identity = proposals.add(tx, made.assignment.id, checked.changes)
        return made._replace(proposal=identity, changes=checked.changes), against

    # --- what was found -------------------------------------------------------------------------

    def thought(self, night: Night, project: str | None = None) -> Night:
        """A night with what was found in the pieces that are answered, in place of the rules' own.

        What a model was shown and did not take up is no pattern, however often it was seen.
        """
        findings: list[Pattern] = []
        shown: set[str] = set()
        changes: list[Change] = []
        drops: list[Drop] = []
        for projects in self._bundles(project):
            patterns, readings = self._answered(projects)
            findings += patterns.values()
            for portion, reading in readings:
                shown |= portion.groups
                changes += reading.changes.values()
                drops += reading.drops
        findings.sort(key=lambda pattern: (-pattern.rank, -pattern.support, pattern.text))
        places = {member.evidence for pattern in findings for member in pattern.group.members}
        groups = {pattern.group.id for pattern in findings}
        kept: list[Pattern] = []
        for pattern in night.patterns:
            if pattern.group.id in groups or places & {m.evidence for m in pattern.group.members}:
                drops.append(Drop("think", pattern.text, "a model says what is in it"))
            elif pattern.group.id in shown and pattern.status == "pattern":
                reason = "a model that saw it did not take it up"
                kept.append(replace(pattern, status="candidate", reason=reason))
            else:
                kept.append(pattern)
        note = f"{len(findings)} patterns of a model, {len(changes)} changes"
        return night.after("think", note, drops, patterns=(*findings, *kept), edits=tuple(changes))

    def _answered(
        self, projects: tuple[str, ...], before: int = MOST
    ) -> tuple[dict[str, Pattern], list[tuple[Portion, Reading]]]:
        """The patterns of the pieces before one, by the ids they are shown under, and what was
        taken of each piece."""
        patterns: dict[str, Pattern] = {}
        readings: list[tuple[Portion, Reading]] = []
        for stretch, portion in self._offered([projects]):
            text = self.assignments.answer(self.assignments.id_of("dream", stretch))
            if not text or stretch.first >= before:
                continue
            kept = Kept.of(text)
            answer = {"patterns": kept.all_patterns, "changes": list(kept.changes), "rejects": []}
            reading = self._read(answer, portion, patterns)
            told = {str(item.get("text")) for item in answer["patterns"]}
            left_out = {text: why for text, why in kept.held.items() if text not in told}
            reading.drops.extend(Drop("think", text, why) for text, why in left_out.items())
            for number, pattern in reading.patterns.items():
                for name in answer["patterns"][number - 1]["evidence"]:
                    patterns.pop(name, None)  # what is named by a later one is part of it
                patterns[f"P{stretch.first + 1}.{number}"] = pattern
            readings.append((portion, reading))
        return patterns, readings


def _parts(text: str) -> dict[str, list[Any]]:
    """The lists of an answer; only the patterns must be there.

    Raises:
        InvalidInput, Refused: it is not what was asked for.
    """
    patterns = read_answer(text, "patterns", MOST_PATTERNS)
    return {"patterns": patterns} | {
        name: [item for item in listed(text, name) if isinstance(item, dict)][:MOST_CHANGES]
        for name in ("changes", "rejects")
    }


def _worth_mending(items: Sequence[Any], wrong: Mapping[int, Sequence[str]]) -> list[int]:
    """Of the patterns with a fault those that are sent back; others are not worth a second look."""
    worth = {number: items[number - 1].get("worth") for number in wrong}
    return [
        number for number, rating in worth.items() if not isinstance(rating, int) or rating > LITTLE
    ]
