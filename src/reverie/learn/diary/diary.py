"""A diary: the structured record of one task, with the same parts every time.

Every line says on which lines of the log it rests, so a reader can go back to what was said and
done. The value is the truth; Markdown (`text`) and data are two views of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, cast

import msgspec

from reverie.errors import InvalidInput

Outcome = Literal[
    "merged", "pull request", "committed", "accepted", "working", "answered", "failing",
    "interrupted", "refused", "open",
]  # fmt: skip
Verdict = Literal["worked", "failed", "refused", "interrupted", "unchecked"]
FORM = 1  # of the data


@dataclass(frozen=True, slots=True)
class Line:
    """One statement and the lines of the log it rests on."""

    text: str
    lines: tuple[int, ...]
    by: str = ""  # human, agent or tool: whose words these are; "" for what was counted


@dataclass(frozen=True, slots=True)
class Approach:
    """Edits and commands that belong together, and how they ended."""

    aim: Line | None  # what the agent said it was about to do
    steps: tuple[Line, ...]
    verdict: Verdict
    why: str  # what decided it: the check that passed, the failure it ended with
    signature: str
    lines: tuple[int, ...]  # first and last
    checked: bool = False  # a check decided it, and passed
    failing: str = ""  # the name of the call that failed, without a word of its arguments


@dataclass(frozen=True, slots=True)
class ErrorNote:
    """One failure, however often it came."""

    signature: str
    message: str
    tried: str
    trouble: str
    count: int
    overcome: str  # what then worked, "" when nothing did
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Diary:
    """The record of one task of one session."""

    session: str  # key
    project: str
    number: int
    tasks: int  # in the session when it was written
    day: str
    started: str
    ended: str
    title: str
    begins: tuple[str, ...]  # why a task begins here
    task: tuple[Line, ...]
    approaches: tuple[Approach, ...]
    worked: tuple[Line, ...]
    mistakes: tuple[Line, ...]
    errors: tuple[ErrorNote, ...]
    edge_cases: tuple[Line, ...]
    patterns: tuple[Line, ...]
    commits: tuple[Line, ...]
    links: tuple[Line, ...]
    outcome: Outcome
    # Calls that failed without being a try at anything; with the errors they are all that failed.
    refused: tuple[int, ...]
    cancelled: tuple[int, ...]
    empty: tuple[int, ...]
    created: tuple[Line, ...] = ()  # files that were not there before
    title_by: str = ""  # human: it is what a person asked for, and typed
    form: int = FORM

    @property
    def spoken(self) -> frozenset[int]:
        """Lines of the human turns this diary accounts for."""
        return frozenset(line for said in self.task for line in said.lines)

    @property
    def failed(self) -> frozenset[int]:
        """Lines of the failed calls this diary accounts for."""
        counted = {line for error in self.errors for line in error.lines}
        return frozenset(counted.union(self.refused, self.cancelled, self.empty))

    def cited(self) -> Iterator[tuple[int, ...]]:
        """The lines of the log that each point rests on."""
        parts = (self.task, self.worked, self.mistakes, self.errors, self.edge_cases)
        left = (self.patterns, self.commits, self.links, self.created, self.approaches)
        for point in chain(*parts, *left):
            yield point.lines
        for way in self.approaches:
            yield from (step.lines for step in way.steps)
            if way.aim:
                yield way.aim.lines

    def as_data(self) -> dict[str, Any]:
        return msgspec.to_builtins(self)

    def dumps(self) -> str:
        """As the index keeps it."""
        return msgspec.json.encode(self).decode()


def diary_from(data: str) -> Diary:
    """The diary of `Diary.dumps`; parts it does not know are passed over.

    Raises:
        InvalidInput: it is of another form.
    """
    try:
        diary = msgspec.json.decode(data, type=Diary)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"not a diary: {error}") from None
    if diary.form != FORM:
        raise InvalidInput(f"a diary of form {diary.form}, this version reads {FORM}")
    return diary


def retold(diary: Diary, change: Callable[[str], str]) -> Diary:
    """The diary with every text changed; places and counts stay."""
    return msgspec.convert(changed(diary.as_data(), change), Diary)


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data with every text in it changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {key: changed(item, change) for key, item in table.items()}
    if isinstance(value, list | tuple):
        return [changed(item, change) for item in cast("list[Any]", value)]
    return value
