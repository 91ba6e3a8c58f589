"""Writing one session into the index: rows, full text, and what is a copy of what."""

import sqlite3
from collections.abc import Iterable, Sequence

from reverie.sessions.intake import Reading, Row
from reverie.sessions.model import SPOKEN, Head, session_key

_INSERT = (
    "INSERT INTO turns (id, session, seq, said, line, offset, role, kind, at, text, tool, typed,"
    f" undone, copied, searchable, event) VALUES ({', '.join('?' * 16)})"
)
_SPOKEN = ", ".join(f"'{kind}'" for kind in sorted(SPOKEN))
_INDEXED = "searchable AND NOT copied"

# The words of a log, to see whether one file tells everything another does.
Content = set[tuple[str, str, str]]


class SessionWriter:
    """Stores readings; the caller owns the transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def path_of(self, key: str) -> str | None:
        """Where the session of this key was read from; None when there is no such session."""
        row = self._connection.execute("SELECT path FROM sessions WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def content(self, key: str) -> Content:
        """What the stored session says."""
        rows = self._connection.execute(
            "SELECT kind, t.at, text FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE s.key = ? AND searchable",
            (key,),
        )
        return set(rows)

    @staticmethod
    def content_of(reading: Reading) -> Content:
        """What a reading says, comparable with `content`."""
        return {(row.kind, row.at, row.text) for row in reading.rows if row.searchable}

    def write(
        self, key: str, head: Head, project: str, path: str, reading: Reading, since: int
    ) -> list[int]:
        """Make the session what `reading` says; returns the places of rows that are copies.

        `since` is the byte at which the reading began: rows from there on are replaced, those
        before it stay.
        """
        session = self._session(key, head, project, path)
        freed = self._clear(session, since)
        copied = self._copied(session, head, reading.rows, since)
        self._insert(session, reading.rows, copied)
        self._promote(freed)
        for first, last in reading.undone:
            self._connection.execute(
                "UPDATE turns SET undone = 1 WHERE session = ? AND line >= ? AND line < ?",
                (session, first, last),
            )
        self._summarise(session, head)
        return sorted(copied)

    def remove(self, key: str) -> None:
        """Take a session out of the index; what only it held becomes its copies' own."""
        row = self._connection.execute("SELECT id FROM sessions WHERE key = ?", (key,)).fetchone()
        if row is None:
            return
        freed = self._clear(row[0], 0)
        self._connection.execute("DELETE FROM sessions WHERE id = ?", row)
        self._promote(freed)

    def _session(self, key: str, head: Head, project: str, path: str) -> int:
        values = (
            head.agent, head.session_id, path, project, head.cwd, head.branch, head.remote,
            head.title, head.version, head.parent, int(head.subagent), key,
        )  # fmt: skip
        row = self._connection.execute("SELECT id FROM sessions WHERE key = ?", (key,)).fetchone()
        if row is not None:
            self._connection.execute(
                "UPDATE sessions SET agent = ?, session_id = ?, path = ?, project = ?, cwd = ?,"
                " branch = ?, remote = ?, title = ?, version = ?, parent = ?, subagent = ?"
                " WHERE key = ?",
                values,
            )
            return int(row[0])
        inserted = self._connection.execute(
            "INSERT INTO sessions (agent, session_id, path, project, cwd, branch, remote, title,"
            " version, parent, subagent, key, started, ended, turns, human_turns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0, 0)",
            values,
        )
        return int(inserted.lastrowid or 0)

    def _clear(self, session: int, since: int) -> list[int]:
        """Delete the rows from byte `since` on; returns the events they were the first to hold."""
        where = "session = ? AND offset >= ?"
        bound = (session, since)
        freed = [
            event
            for (event,) in self._connection.execute(
                f"SELECT event FROM turns WHERE {where} AND NOT copied AND event IS NOT NULL", bound
            )
        ]
        self._connection.execute(
            "INSERT INTO turns_fts (turns_fts, rowid, text)"
            f" SELECT 'delete', id, text FROM turns WHERE {where} AND {_INDEXED}",
            bound,
        )
        self._connection.execute(f"DELETE FROM turns WHERE {where}", bound)
        return freed

    def _copied(self, session: int, head: Head, rows: Sequence[Row], since: int) -> set[int]:
        taken = self._taken({row.event for row in rows if row.event is not None})
        copied: set[int] = set()
        for place, row in enumerate(rows):
            if row.event is None:
                continue
            if row.event in taken:
                copied.add(place)
            taken.add(row.event)
        if head.parent and since == 0:
            copied |= self._inherited(session, head, rows)
        return copied

    def _taken(self, events: set[int]) -> set[int]:
        taken: set[int] = set()
        wanted = sorted(events)
        for start in range(0, len(wanted), 500):
            chunk = wanted[start : start + 500]
            found = self._connection.execute(
                "SELECT event FROM turns WHERE NOT copied AND event IS NOT NULL"
                f" AND event IN ({', '.join('?' * len(chunk))})",
                chunk,
            )
            taken.update(event for (event,) in found)
        return taken

    def _inherited(self, session: int, head: Head, rows: Sequence[Row]) -> set[int]:
        """Places of the history a fork begins with, for agents that write it with new times."""
        parent = self._connection.execute(
            "SELECT kind, text FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE s.key = ? AND s.id != ? AND searchable ORDER BY seq",
            (session_key(head.agent, head.parent), session),
        ).fetchall()
        own = [(place, row) for place, row in enumerate(rows) if row.searchable]
        inherited: set[int] = set()
        for (place, row), (kind, text) in zip(own, parent, strict=False):
            if (row.kind, row.text) != (kind, text):
                break
            inherited.add(place)
        return inherited

    def _insert(self, session: int, rows: Sequence[Row], copied: set[int]) -> None:
        first = self._one("SELECT coalesce(max(id), 0) + 1 FROM turns")
        seq = self._one("SELECT coalesce(max(seq), -1) + 1 FROM turns WHERE session = ?", session)
        said = self._one("SELECT coalesce(max(said), -1) + 1 FROM turns WHERE session = ?", session)
        values: list[tuple[object, ...]] = []
        for place, row in enumerate(rows):
            spoken = row.role == "human" or row.kind == "text"
            values.append((
                first + place, session, seq + place, said if spoken else None, row.line,
                row.offset, row.role, row.kind, row.at, row.text, row.tool, row.typed,
                int(row.undone), int(place in copied), int(row.searchable), row.event,
            ))  # fmt: skip
            said += spoken
        self._connection.executemany(_INSERT, values)
        self._connection.execute(
            "INSERT INTO turns_fts (rowid, text)"
            f" SELECT id, text FROM turns WHERE id >= ? AND {_INDEXED}",
            (first,),
        )

    def _promote(self, freed: Iterable[int]) -> None:
        """An event whose first holder is gone is no longer a copy where it is still told."""
        for event in freed:
            row = self._connection.execute(
                "SELECT min(id), max(NOT copied) FROM turns WHERE event = ?", (event,)
            ).fetchone()
            if row[0] is None or row[1]:
                continue
            self._connection.execute("UPDATE turns SET copied = 0 WHERE id = ?", (row[0],))
            self._connection.execute(
                "INSERT INTO turns_fts (rowid, text)"
                f" SELECT id, text FROM turns WHERE id = ? AND {_INDEXED}",
                (row[0],),
            )
            (session,) = self._connection.execute(
                "SELECT session FROM turns WHERE id = ?", (row[0],)
            ).fetchone()
            self._summarise(session, None)

    def _summarise(self, session: int, head: Head | None) -> None:
        turns, human, started, ended = self._connection.execute(
            f"SELECT count(*), sum(role = 'human' AND kind IN ({_SPOKEN}) AND NOT copied),"
            " min(nullif(at, '')), max(at) FROM turns WHERE session = ?",
            (session,),
        ).fetchone()
        if head is not None:
            started, ended = started or head.started, ended or head.ended
        self._connection.execute(
            "UPDATE sessions SET turns = ?, human_turns = ?, started = ?, ended = ? WHERE id = ?",
            (turns, human or 0, started or "", ended or "", session),
        )

    def _one(self, sql: str, *values: object) -> int:
        return int(self._connection.execute(sql, values).fetchone()[0])
