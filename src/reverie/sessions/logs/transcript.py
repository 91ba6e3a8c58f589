"""One log, read: turns in file order, then what the log says as a whole, then its damage."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from reverie.sessions.logs.lines import DamageCount, RecordReader, open_log
from reverie.sessions.model import Damage, Head, Turn

# Turns go out in batches; so many at most wait for an open question (was this text delivered?).
BATCH = 256
MAX_HELD = 8_000


@dataclass(frozen=True, slots=True)
class Resume:
    """Where to go on in a log that has grown. JSON-able through `to_json` and `from_json`.

    Turns at or after `offset` were provisional: drop them, the next read gives them again.
    """

    offset: int = 0
    line: int = 0
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    damage: Damage = field(default_factory=Damage)

    def to_json(self) -> dict[str, Any]:
        return {
            "offset": self.offset,
            "line": self.line,
            "state": self.state,
            "damage": [self.damage.bad_lines, self.damage.bad_bytes, self.damage.reasons],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Resume":
        lines, size, reasons = data["damage"]
        return cls(data["offset"], data["line"], data["state"], Damage(lines, size, dict(reasons)))


class Session(Protocol):
    """What an agent's reader makes of the records of one session, one after the other."""

    @property
    def undone(self) -> list[tuple[int, int]]:
        """Line ranges [first, last) that the person rewound."""
        ...

    def feed(self, line: int, offset: int, record: Any, out: list[Turn]) -> None:
        """Append the turns of one record to `out`."""
        ...

    def head(self) -> Head: ...


class Parser(Session, Protocol):
    """A session in a file that only grows: decodes its lines, and can be gone on with."""

    @property
    def undecided(self) -> bool:
        """True while the meaning of an earlier record is open; its turns are held back."""
        ...

    @property
    def withdrawn(self) -> set[int]:
        """Offsets of held turns that were told again elsewhere; emptied by the caller."""
        ...

    def decode(self, data: bytes) -> Any:
        """One line → record. Raises msgspec.DecodeError when it is not JSON."""
        ...

    def adopt(self, value: dict[str, Any]) -> Any | None:
        """A value found in a damaged line → record, None unless it is a whole record."""
        ...

    def save(self) -> dict[str, Any]:
        """The state, JSON-able, without what is undecided."""
        ...


class Transcript:
    """One reading of one log: iterate once, or `read()`.

    `head`, `damage`, `undone`, `end_offset` and `resume` are complete afterwards.
    """

    def __init__(self, agent: str, path: Path, parser: Parser, resume: Resume | None = None):
        self._parser = parser
        self._begin(agent, path, parser, resume or Resume())

    def _begin(self, agent: str, path: Path, session: Session, resume: Resume) -> None:
        self.agent = agent
        self.path = path
        self._session = session
        self._from = resume
        self.resume = resume
        self.damage = resume.damage
        self.end_offset = resume.offset

    @property
    def head(self) -> Head:
        return self._session.head()

    @property
    def undone(self) -> list[tuple[int, int]]:
        """Line ranges [first, last) on branches the person rewound, over the whole file."""
        return self._session.undone

    def read(self) -> list[Turn]:
        """All turns at once, those on a rewound branch marked."""
        turns = list(self)
        ranges = _merged(self.undone)
        if not ranges:
            return turns
        starts = [first for first, _ in ranges]

        def rewound(line: int) -> bool:
            index = bisect_right(starts, line) - 1
            return index >= 0 and line < ranges[index][1]

        return [turn._replace(undone=True) if rewound(turn.line) else turn for turn in turns]

    def __iter__(self) -> Iterator[Turn]:
        parser = self._parser
        feed = parser.feed
        begin = self._from
        held: list[Turn] = []
        safe: Resume | None = None
        undecided = False
        with open_log(self.path) as stream:
            _skip(stream, begin.offset)
            reader = RecordReader(
                stream,
                parser.decode,
                parser.adopt,
                offset=begin.offset,
                line=begin.line,
                damage=begin.damage,
            )
            for line, offset, record in reader:
                if reader.waiting and safe is None:
                    # The line may still grow: it is told now, and read again next time.
                    safe = Resume(reader.offset, reader.line, parser.save(), reader.damage.value())
                if reader.torn:
                    feed(line, offset, record, turns := [])
                    held.extend(map(_doubtful, turns))
                else:
                    feed(line, offset, record, held)
                if parser.undecided is not undecided:
                    undecided = not undecided
                    if undecided and safe is None:
                        safe = Resume(offset, line, parser.save(), reader.damage.value())
                    elif not undecided and not reader.waiting:
                        safe = None
                if len(held) >= (MAX_HELD if undecided else BATCH):
                    yield from self._settled(held)
                    held.clear()
        self.damage = reader.damage.value()
        self.end_offset = reader.offset
        self.resume = safe or Resume(reader.offset, reader.line, parser.save(), self.damage)
        yield from self._settled(held)

    def _settled(self, held: list[Turn]) -> list[Turn]:
        withdrawn = self._parser.withdrawn
        if not withdrawn:
            return list(held)
        kept = [turn for turn in held if turn.role != "human" or turn.offset not in withdrawn]
        withdrawn.clear()
        return kept


class WholeTranscript(Transcript):
    """A session that is always read from its start: a JSON document that is written anew each time,
    rows of a database, one part of a Markdown file. There is no place to go on at."""

    def __init__(
        self,
        agent: str,
        path: Path,
        session: Session,
        records: Callable[[DamageCount], Iterator[tuple[int, Any]]],
    ):
        """`records` gives (line or message index, record) and counts what it cannot read."""
        self._records = records
        self._begin(agent, path, session, Resume())

    def __iter__(self) -> Iterator[Turn]:
        damage = DamageCount()
        held: list[Turn] = []
        for line, record in self._records(damage):
            self._session.feed(line, 0, record, turns := [])
            held.extend(map(_doubtful, turns) if damage.torn else turns)
            if len(held) >= BATCH:
                yield from held
                held.clear()
        self.damage = damage.value()
        yield from held


def _doubtful(turn: Turn) -> Turn:
    """What stands in a broken record may be anybody's: a tool's answer can look like a record."""
    return turn._replace(typed="probable") if turn.role == "human" else turn


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same lines as ranges in order that do not overlap."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _skip(stream: Any, offset: int) -> None:
    """Go to a byte; a decompressed stream cannot seek, so it is read up to there."""
    if stream.seekable():
        stream.seek(offset)
        return
    while offset > 0:
        chunk = stream.read(min(offset, 1024 * 1024))
        if not chunk:
            return
        offset -= len(chunk)
