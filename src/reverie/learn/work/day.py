"""Work of kind `day`: somebody writes the account of a day from its diaries and lessons.

It takes the place of the derived daily between the marks; what a person wrote around them stays.
A day on which more happened since is handed out again.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

import msgspec

from reverie.clock import Clock, iso
from reverie.engines.protocol import Prompt
from reverie.errors import TooLarge
from reverie.inert import inert
from reverie.learn.daily.dailies import Chronicler
from reverie.learn.daily.text import LARGE, SMALL, size_of
from reverie.learn.memories.queue import Queue
from reverie.learn.work.answers import MAX_ANSWER, MAX_TITLE, decoded, form, refuse, unkeepable
from reverie.learn.work.assignments import Assignment, Assignments, Stretch
from reverie.learn.work.prompts import fenced, prompt_of
from reverie.learn.work.values import values_in
from reverie.sessions.diaries import days
from reverie.sessions.index import Index
from reverie.store.store import Store

FEWEST = 200  # bytes; less is no account of a day
HEADINGS = "Done Decided and learned Open"
SCHEMA = form({"title": {"type": "string"}, "daily": {"type": "string"}})


class Account(msgspec.Struct, frozen=True):
    """A day in somebody's words."""

    title: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TITLE)]
    daily: str


@dataclass(frozen=True, slots=True)
class DayTask:
    """A day, as somebody gets it to think about."""

    assignment: Assignment
    text: str
    project: str = "all projects"

    @property
    def prompt(self) -> Prompt:
        lines = [inert(line) for line in self.text.splitlines()]
        material = fenced(f"Day: {self.assignment.subject}", *lines)
        return prompt_of(self.assignment, material, SCHEMA)


class DayWork:
    """Hands out days that are over, latest first, and takes their accounts."""

    def __init__(
        self, store: Store, index: Index, clock: Clock, redact: Callable[[str], str]
    ) -> None:
        self._index = index
        self._clock = clock
        self._redact = redact
        self._chronicler = Chronicler(store, Queue(store.database, clock))
        self.assignments = Assignments(store.database, clock)

    def next(self) -> DayTask | None:
        """The latest day that is over and that nobody has written about."""
        return self.assignments.first("day", self._days(), DayTask)

    def waiting(self) -> Iterator[DayTask]:
        """The days that nobody has had; none is taken."""
        return self.assignments.untouched("day", self._days(), DayTask)

    def submit(self, assignment: Assignment, text: str) -> str:
        """Keep the account of a day; returns the day.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: it may not be kept; the message has every reason.
            Conflict: more happened on that day since it was shown.
        """
        day = assignment.subject
        otherwise = f"more happened on {day} since"
        shown = self.assignments.shown(assignment, self._offered([day]), otherwise)
        with self.assignments.judging(assignment):
            account = self._checked(text, shown)
        self._chronicler.hand_in(day, account.title, account.daily)
        self.assignments.done(assignment)
        return day

    def _checked(self, text: str, shown: str) -> Account:
        if len(text) > MAX_ANSWER:
            raise TooLarge(f"an answer has at most {MAX_ANSWER:,} characters, not {len(text):,}")
        given = decoded(text, Account)
        size = size_of(given.daily)
        reasons = unkeepable(f"{given.title}\n{given.daily}", self._redact)
        if not FEWEST <= size <= LARGE:
            reasons.append(f"has {size:,} bytes; between {SMALL:,} and {LARGE:,} are wanted")
        strange = values_in(f"{given.title}\n{given.daily}", (shown, HEADINGS))
        reasons += [f"{value!r} stands nowhere in the material" for value in strange]
        refuse(reasons)
        return given

    def _days(self) -> Iterator[tuple[Stretch, str]]:
        """What is told of each day, latest first; a day is told when it is come to."""
        return self._offered(sorted(days(self._index.database), reverse=True))

    def _offered(self, asked: Iterable[str]) -> Iterator[tuple[Stretch, str]]:
        today = iso(self._clock())[:10]
        for day in asked:
            text = self._chronicler.material(self._index.database, day) if day < today else ""
            if text:
                yield Stretch(day, seed=hashlib.sha256(text.encode()).hexdigest()), text
