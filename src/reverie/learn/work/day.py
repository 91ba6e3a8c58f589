"""Work of kind `day`: somebody writes the account of a day from its diaries and lessons.

It takes the place of the derived daily between the marks; what a person wrote around them stays.
A day on which more happened since is handed out again.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from reverie.clock import Clock, iso
from reverie.engines.protocol import Prompt
from reverie.errors import Conflict, InvalidInput, Refused, TooLarge
from reverie.inert import inert
from reverie.learn.daily.dailies import Chronicler, days_with_diaries
from reverie.learn.daily.text import LARGE, SMALL, size_of
from reverie.learn.memories.queue import Queue
from reverie.learn.work.answers import MAX_ANSWER, MAX_TITLE, form, unkeepable
from reverie.learn.work.assignments import Assignment, Assignments, Stretch
from reverie.learn.work.grounding import values_in
from reverie.learn.work.prompts import fenced, instructions
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
        asked = instructions("day")
        lines = [inert(line) for line in self.text.splitlines()]
        return Prompt(
            id=self.assignment.id,
            kind="day",
            version=asked.version,
            instructions=asked.text,
            material=fenced(f"Day: {self.assignment.subject}", *lines),
            schema=SCHEMA,
        )


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
        given_up = {one.id: one for one in self.assignments.lapsed("day")}
        for day, text in self._days():
            stretch = _stretch(day, text)
            taken = self.assignments.begin("day", [stretch])
            if taken is None:
                old = given_up.get(self.assignments.id_of("day", stretch))
                taken = self.assignments.again(old) if old else None
            if taken is not None:
                return DayTask(taken, text)
        return None

    def waiting(self) -> Iterator[DayTask]:
        """The same days, taken by nobody."""
        known = {part.id for parts in self.assignments.of("day").values() for part in parts}
        for day, text in self._days():
            stretch = _stretch(day, text)
            if self.assignments.id_of("day", stretch) not in known:
                yield DayTask(self.assignments.plan("day", [stretch]), text)

    def submit(self, assignment: Assignment, text: str) -> str:
        """Keep the account of a day; returns the day.

        Raises:
            InvalidInput: it has not the form that was asked for.
            Refused: it may not be kept; the message has every reason.
            Conflict: more happened on that day since it was shown.
        """
        day = assignment.subject
        shown = next((told for name, told in self._days() if name == day), "")
        if assignment.id != self.assignments.id_of("day", _stretch(day, shown)):
            raise Conflict(f"more happened on {day} since", hint="take the next piece instead")
        try:
            account = self._checked(text, shown)
        except (InvalidInput, Refused):
            self.assignments.refused(assignment)
            raise
        self._chronicler.hand_in(day, account.title, account.daily)
        self.assignments.done(assignment)
        return day

    def _checked(self, text: str, shown: str) -> Account:
        if len(text) > MAX_ANSWER:
            raise TooLarge(f"an answer has at most {MAX_ANSWER:,} characters, not {len(text):,}")
        try:
            given = msgspec.json.decode(text, type=Account)
        except msgspec.DecodeError as error:
            raise InvalidInput(f"the answer is not of the form: {error}") from None
        size = size_of(given.daily)
        reasons = unkeepable(f"{given.title}\n{given.daily}", self._redact)
        if not FEWEST <= size <= LARGE:
            reasons.append(f"has {size:,} bytes; between {SMALL:,} and {LARGE:,} are wanted")
        strange = values_in(f"{given.title}\n{given.daily}", (shown, HEADINGS))
        reasons += [f"{value!r} stands nowhere in the material" for value in strange]
        if reasons:
            raise Refused("\n".join(["the answer is not taken:", *reasons]))
        return given

    def _days(self) -> Iterator[tuple[str, str]]:
        today = iso(self._clock())[:10]
        for day in sorted(days_with_diaries(self._index.database), reverse=True):
            text = self._chronicler.material(self._index.database, day) if day < today else ""
            if text:
                yield day, text


def _stretch(day: str, text: str) -> Stretch:
    seed: Any = hashlib.sha256(text.encode())
    return Stretch(day, seed=seed.hexdigest())
