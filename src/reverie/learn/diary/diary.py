"""A diary: the structured record of one task, with the same parts every time.

Every line says on which lines of the log it rests, so a reader can go back to what was said and
done. The value is the truth; Markdown (`diary_text`) and data (`as_data`) are two views of it.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from reverie.errors import InvalidInput

Outcome = Literal[
    "merged", "pull request", "committed", "accepted", "working", "answered", "failing",
    "interrupted", "refused", "open",
]  # fmt: skip
Verdict = Literal["worked", "failed", "refused", "interrupted", "unchecked"]
FORM = 1  # of the data
# The parts that are lists of lines.
LINED: tuple[str, ...] = (
    "task", "worked", "mistakes", "edge_cases", "patterns", "files", "commits", "links", "created",
)  # fmt: skip


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
    files: tuple[Line, ...]
    commits: tuple[Line, ...]
    links: tuple[Line, ...]
    outcome: Outcome
    # Calls that failed without being a try at anything; with the errors they are all that failed.
    refused: tuple[int, ...]
    cancelled: tuple[int, ...]
    empty: tuple[int, ...]
    created: tuple[Line, ...] = ()  # files that were not there before

    @property
    def spoken(self) -> frozenset[int]:
        """Lines of the human turns this diary accounts for."""
        return frozenset(line for said in self.task for line in said.lines)

    @property
    def failed(self) -> frozenset[int]:
        """Lines of the failed calls this diary accounts for."""
        counted = {line for error in self.errors for line in error.lines}
        return frozenset(counted.union(self.refused, self.cancelled, self.empty))

    def as_data(self) -> dict[str, Any]:
        return {"form": FORM, **asdict(self)}


def diary_from(data: dict[str, Any]) -> Diary:
    """The diary of `Diary.as_data`.

    Raises:
        InvalidInput: it is of another form.
    """
    if data.get("form") != FORM:
        raise InvalidInput(f"a diary of form {data.get('form')}, this version reads {FORM}")
    # Diaries that were written before files were told apart have none.
    known: dict[str, Any] = {"created": (), **data}
    values = {f.name: known[f.name] for f in fields(Diary)}
    for name in LINED:
        values[name] = tuple(_line(item) for item in values[name])
    values["approaches"] = tuple(_approach(item) for item in values["approaches"])
    values["errors"] = tuple(_error(item) for item in values["errors"])
    for name in ("begins", "refused", "cancelled", "empty"):
        values[name] = tuple(values[name])
    return Diary(**values)


def retold(diary: Diary, change: Callable[[str], str]) -> Diary:
    """The diary with every text changed; places and counts stay."""

    def line(one: Line) -> Line:
        return replace(one, text=change(one.text))

    lined: dict[str, Any] = {name: tuple(map(line, getattr(diary, name))) for name in LINED}
    ways = tuple(
        replace(
            way,
            aim=line(way.aim) if way.aim else None,
            steps=tuple(map(line, way.steps)),
            why=change(way.why),
        )
        for way in diary.approaches
    )
    errors = tuple(
        replace(
            note,
            message=change(note.message),
            tried=change(note.tried),
            overcome=change(note.overcome),
        )
        for note in diary.errors
    )
    return replace(diary, title=change(diary.title), approaches=ways, errors=errors, **lined)


def _line(item: dict[str, Any]) -> Line:
    return Line(item["text"], tuple(item["lines"]), item["by"])


def _approach(item: dict[str, Any]) -> Approach:
    return Approach(
        aim=_line(item["aim"]) if item["aim"] else None,
        steps=tuple(_line(step) for step in item["steps"]),
        verdict=item["verdict"],
        why=item["why"],
        signature=item["signature"],
        lines=tuple(item["lines"]),
        checked=item.get("checked", False),
    )


def _error(item: dict[str, Any]) -> ErrorNote:
    return replace(ErrorNote(**item), lines=tuple(item["lines"]))
