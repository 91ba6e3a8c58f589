"""What readers share whose records are plain JSON objects, one per line or in a list."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from reverie.sessions.logs.document import messages_of
from reverie.sessions.logs.lines import DamageCount
from reverie.sessions.logs.transcript import Resume, Transcript, WholeTranscript
from reverie.sessions.model import Head, Kind, Role, Tool, Turn, Typed
from reverie.sessions.readers.base import text_of
from reverie.sessions.readers.provenance import foreign

Table = dict[str, Any]


class Place(NamedTuple):
    """Where and when a record stands, and its own id."""

    line: int
    offset: int
    at: str
    event: str = ""


class Memo:
    """What a parser remembers of a session from record to record, and the head it makes of it.

    Of `fields`, those named like a member of `Head` become its value; `id` is the session's, `here`
    the folder at this point of the log.
    """

    agent = ""
    fields: frozenset[str] = frozenset()  # named like a source, though typed messages have them
    typed: Typed = "typed"  # how sure it is that a person typed what a person said
    stamped = True  # each record has a time or an id: a role alone can be written by anybody
    undecided = False

    def __init__(self, session: str, resume: Resume | None = None) -> None:
        state = resume.state if resume else {}
        self._named = session
        self._fields: dict[str, str] = dict(state.get("fields", {}))
        self._told: set[str] = set(state.get("told", ()))
        self._calls: dict[str, str] = dict(state.get("calls", {}))
        self.withdrawn: set[int] = set()
        self._undone: list[tuple[int, int]] = [(a, b) for a, b in state.get("undone", ())]
        self._spent: int = state.get("spent", 0)

    def save(self) -> Table:
        return {
            "fields": dict(self._fields),
            "told": sorted(self._told),
            "calls": dict(self._calls),
            "undone": [list(pair) for pair in self._undone],
            "spent": self._spent,
        }

    @property
    def undone(self) -> list[tuple[int, int]]:
        return self._undone

    def seen(self, at: str) -> None:
        """Note the time of a record."""
        if at:
            self._fields.setdefault("started", at)
            self._fields["ended"] = max(at, self._fields.get("ended", ""))

    def once(self, key: str) -> bool:
        """True the first time a key is asked for; lines may stand twice in a log."""
        if key in self._told:
            return False
        self._told.add(key)
        return True

    def from_elsewhere(self, *tables: Table) -> bool:
        """Whether the parts of a person's message say that it is not one: by another role, or by a
        field named like a source."""
        return any(
            table.get("role") not in (None, "user", "human")
            or foreign(table, self.fields, lenient=True)
            for table in tables
        )

    def turn(
        self,
        place: Place,
        role: Role,
        kind: Kind,
        text: str,
        tool: Tool | None = None,
        *,
        doubt: bool = False,
    ) -> Turn:
        """What a record says, at the place and in the folder where it was said; with `doubt` when
        the record does not say by its structure that it was a person."""
        line, offset, at, event = place
        doubt = doubt or (self.stamped and not at and not event)
        cwd = self._fields.get("here") or self._fields.get("cwd", "")
        typed: Typed = "typed" if role != "human" else "probable" if doubt else self.typed
        branch = self._fields.get("branch", "")
        spent, self._spent = self._spent, 0
        return Turn(
            line, offset, role, kind, at, text, event, cwd, branch, typed, tool, tokens=spent
        )

    def head(self) -> Head:
        fields = self._fields
        return Head(
            agent=self.agent,
            session_id=fields.get("id") or self._named,
            cwd=fields.get("cwd", ""),
            started=fields.get("started", ""),
            ended=fields.get("ended", ""),
            title=fields.get("title", ""),
            version=fields.get("version", ""),
            remote=fields.get("remote", ""),
            branch=fields.get("branch", ""),
            parent=fields.get("parent", ""),
            subagent=bool(fields.get("subagent")),
        )


class Objects(Memo):
    """A parser of objects. Subclasses say what a whole record is and what it tells."""

    def decode(self, data: bytes) -> Table:
        value = msgspec.json.decode(data)
        if not isinstance(value, dict):
            raise msgspec.DecodeError("not an object")
        return cast("Table", value)

    def adopt(self, value: Table) -> Table | None:
        return value if self.whole(value) else None

    def whole(self, value: Table) -> bool:
        """Whether an object is a whole record, and not something nested in one."""
        raise NotImplementedError

    def is_message(self, value: Table) -> bool:
        """Whether an object is a member of the list in a document."""
        return self.whole(value)

    def describe(self, fields: Table) -> None:
        """Note the members of a document besides its list."""

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        """Append the turns of one record to `out`."""
        raise NotImplementedError


def opened(
    path: Path, parser: Objects, lists: tuple[str, ...], resume: Resume | None = None
) -> Transcript:
    """A log that is lines of objects or, by its name, a document with one of these lists."""
    if ".jsonl" in path.name:
        return Transcript(parser.agent, path, parser, resume)
    return document(path, parser, lists)


def document(path: Path, parser: Objects, lists: tuple[str, ...]) -> Transcript:
    """A log that is one document, read from its start each time."""

    def records(damage: DamageCount) -> Iterator[tuple[int, object]]:
        return messages_of(path, lists, parser.is_message, parser.describe, damage)

    return WholeTranscript(parser.agent, path, parser, records)


def tables(value: Any) -> list[Table]:
    """The objects of a value that should be a list of them."""
    if not isinstance(value, list):
        return []
    return [cast("Table", item) for item in cast("list[Any]", value) if isinstance(item, dict)]


def texts_of(content: Any, kinds: Iterable[str] = ("text",)) -> str:
    """The text of a message: a string, or the text blocks of a list, one per line."""
    if isinstance(content, str):
        return content
    wanted = set(kinds)
    blocks = [block for block in tables(content) if text_of(block.get("type", "text")) in wanted]
    return "\n".join(text for block in blocks if (text := text_of(block.get("text"))))


def strings(value: Any) -> list[str]:
    """The texts of a value that should be a list of them."""
    if not isinstance(value, list):
        return []
    return [item for item in cast("list[Any]", value) if isinstance(item, str)]
