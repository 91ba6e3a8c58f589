"""What readers share whose records are plain JSON objects, one per line or in a list."""

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from reverie.sessions.model import Head
from reverie.sessions.readers.base import text_of
from reverie.sessions.transcript import Resume

Table = dict[str, Any]


class Objects:
    """A parser of objects. Subclasses say what a whole record is and what it tells."""

    agent = ""
    undecided = False

    def __init__(self, session: str, resume: Resume | None = None) -> None:
        state = resume.state if resume else {}
        self._named = session
        self._fields: dict[str, str] = dict(state.get("fields", {}))
        self._told: set[str] = set(state.get("told", ()))
        self._calls: dict[str, str] = dict(state.get("calls", {}))
        self.withdrawn: set[int] = set()
        self._undone: list[tuple[int, int]] = [(a, b) for a, b in state.get("undone", ())]

    def save(self) -> Table:
        return {
            "fields": dict(self._fields),
            "told": sorted(self._told),
            "calls": dict(self._calls),
            "undone": [list(pair) for pair in self._undone],
        }

    @property
    def undone(self) -> list[tuple[int, int]]:
        return self._undone

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
