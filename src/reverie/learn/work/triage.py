"""Work of kind `triage`: somebody looks over the review queue and advises; the person decides.

A lesson that would be reworded is held to what was said like any other, so that taking all advice
at once can put nothing into a person's mouth.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import msgspec

from reverie.clock import Clock
from reverie.engines.protocol import Prompt
from reverie.inert import inert
from reverie.learn.memories.queue import Advice, Queue, Review
from reverie.learn.work.answers import (
    MAX_LESSON,
    MAX_NOTE,
    PERHAPS,
    TEXT,
    converted,
    form,
    one_of,
    read_answer,
    refuse,
    rows,
    unkeepable,
)
from reverie.learn.work.assignments import Assignment, Assignments, Stretch
from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import grounding
from reverie.learn.work.prompts import fenced, prompt_of
from reverie.store.store import Store

MOST = 25  # entries of one piece
QUOTED = 500  # characters of each quote

Ruling = Literal["accept", "reword", "reject"]
_VERDICT = {"id": TEXT, "verdict": one_of(get_args(Ruling)), "text": PERHAPS, "reason": TEXT}
SCHEMA = form({"verdicts": rows(_VERDICT)})


class Verdict(msgspec.Struct, frozen=True):
    """What a person should do with one entry."""

    id: str
    verdict: Ruling
    reason: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] = ""
    text: Annotated[str, msgspec.Meta(max_length=MAX_LESSON)] | None = None


@dataclass(frozen=True, slots=True)
class TriageTask:
    """Part of the queue, as somebody gets it to think about."""

    assignment: Assignment
    entries: tuple[Review, ...]

    @property
    def project(self) -> str:
        return self.assignment.subject

    @property
    def prompt(self) -> Prompt:
        shown = [
            {
                "id": f"q{number}",
                "lesson": review.candidate.lesson,
                "said": review.candidate.quote[:QUOTED],
                "answering": review.candidate.premise[:QUOTED],
                "day": review.candidate.at[:10],
                "times": len(review.also) + 1,
            }
            for number, review in enumerate(self.entries, 1)
        ]
        lines = [inert(json.dumps(entry, ensure_ascii=False)) for entry in shown]
        material = fenced(f"Project: {inert(self.project)}", *lines)
        return prompt_of(self.assignment, material, SCHEMA)


class TriageWork:
    """Hands out what waits and nobody has advised about, and takes advice."""

    def __init__(self, store: Store, clock: Clock, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._queue = Queue(store.database, clock)
        self.assignments = Assignments(store.database, clock)

    def next(self, project: str | None = None) -> TriageTask | None:
        """The next part of a project's queue; of all projects when none is named."""
        return self.assignments.first("triage", self._parts(project), TriageTask)

    def waiting(self, project: str | None = None) -> Iterator[TriageTask]:
        """The parts that nobody has had; none is taken."""
        return self.assignments.untouched("triage", self._parts(project), TriageTask)

    def submit(self, assignment: Assignment, text: str) -> int:
        """Keep advice; how much there is.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: something of it is not taken; the message has every reason.
            Conflict: the queue changed since it was shown.
        """
        part = self.assignments.shown(assignment, self._parts(assignment.subject))
        with self.assignments.judging(assignment):
            advice = self._advice(text, part)
        self._queue.advise(advice)
        self.assignments.done(assignment)
        return len(advice)

    def _advice(self, text: str, part: Sequence[Review]) -> dict[str, Advice]:
        by_name = {f"q{number}": entry for number, entry in enumerate(part, 1)}
        advice: dict[str, Advice] = {}
        reasons: list[str] = []
        for number, item in enumerate(read_answer(text, "verdicts", len(part)), 1):
            given, malformed = converted(item, Verdict)
            review = by_name.get(given.id) if given is not None else None
            why = [malformed] if given is None else self._wrong(given, review)
            reasons += [f"verdict {number}: {reason}" for reason in why]
            if given is not None and review is not None and not why:
                advice[review.id] = Advice(given.verdict, given.text or "", given.reason)
        refuse(reasons)
        return advice

    def _wrong(self, given: Verdict, review: Review | None) -> list[str]:
        if review is None:
            return [f"{given.id!r} is not one of this piece"]
        if given.verdict != "reword":
            return []
        if not given.text:
            return ["a reworded lesson needs its text"]
        said = review.candidate
        turns = (said.quote, *(again.quote for again in review.also))
        ground = Ground(turns, (said.premise, said.lesson), (said.project,))
        return [*unkeepable(given.text, self._redact), *grounding((given.text,), ground).wrong]

    def _parts(self, project: str | None) -> Iterator[tuple[Stretch, tuple[Review, ...]]]:
        known = self._queue.advice()
        by_project: dict[str, list[Review]] = {}
        for review in self._queue.asked():
            if review.id not in known and project in (None, review.candidate.project):
                by_project.setdefault(review.candidate.project, []).append(review)
        for name, entries in sorted(by_project.items()):
            for start in range(0, len(entries), MOST):
                part = tuple(entries[start : start + MOST])
                seed = hashlib.sha256("\n".join(review.id for review in part).encode())
                yield Stretch(name, seed=seed.hexdigest()), part
