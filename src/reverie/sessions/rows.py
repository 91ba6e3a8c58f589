"""Writing one session into the index: rows, full text, and what is a copy of what."""

from collections.abc import Iterable, Sequence

from reverie.db.database import Database
from reverie.db.full_text import learn_pairs
from reverie.sessions.intake import Reading, Row
from reverie.sessions.model import SPOKEN, Head, session_key
from reverie.sessions.query import TURNS

_INSERT = (
    'INSERT INTO turns (id, session, seq, said, line, "offset", role, kind, at, text, tool, typed,'
    f" undone, copied, searchable, event) VALUES ({', '.join('?' * 16)})"
)
_SPOKEN = ", ".join(f"'{kind}'" for kind in sorted(SPOKEN))
_INDEXED = "searchable = 1 AND copied = 0"

# The words of a log, to see whether one file tells everything another does.
Content = set[tuple[str, str, str]]


class SessionWriter:
    """Stores readings; the caller owns the transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._query = database.query

    def path_of(self, key: str) -> str | None:
        """Where the session of this key was read from; None when there is no such session."""
        rows = self._query("SELECT path FROM sessions WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def project_of(self, key: str) -> str:
        """The project the session of this key is in; "" when there is no such session."""
        rows = self._query("SELECT project FROM sessions WHERE key = ?", (key,))
        return rows[0][0] if rows else ""

    def content(self, key: str) -> Content:
        """What the stored session says."""
        return {
            (kind, at, text)
            for kind, at, text in self._query(
                "SELECT kind, t.at, text FROM turns t JOIN sessions s ON s.id = t.session"
                " WHERE s.key = ? AND searchable = 1",
                (key,),
            )
        }

    @staticmethod
    def content_of(reading: Reading) -> Content:
        """What a reading says, comparable with `content`."""
        return {(row.kind, row.at, row.text) for row in reading.rows if row.searchable}

    def write(
        self,
        key: str,
        head: Head,
        project: str,
        path: str,
        reading: Reading,
        since: int,
        copied: frozenset[int] | None = None,
        owner: str = "",
    ) -> frozenset[int]:
        """Make the session what `reading` says; returns the places of rows that are copies.

        `since` is the byte at which the reading began: rows from there on are replaced, those
        before it stay. Whoever has just asked for the `copies` need not have them looked up again.
        """
        session = self._session(key, head, project, path, owner)
        freed = self._clear(session, since)
        if copied is None:
            copied = frozenset(self._copied(session, head, reading.rows, since))
        self._insert(session, reading.rows, copied)
        self._promote(freed)
        for first, last in reading.undone:
            self._query(
                "UPDATE turns SET undone = 1 WHERE session = ? AND line >= ? AND line < ?",
                (session, first, last),
            )
        self._summarise(session, head)
        return copied

    def remove(self, key: str) -> None:
        """Take a session out of the index; what only it held becomes its copies' own."""
        for (session,) in self._query("SELECT id FROM sessions WHERE key = ?", (key,)):
            freed = self._clear(session, 0)
            self._query("DELETE FROM sessions WHERE id = ?", (session,))
            self._promote(freed)

    def moved(self, key: str, old: str, new: str) -> None:
        """The log of a session lies elsewhere now."""
        self._query("UPDATE sessions SET path = ? WHERE key = ? AND path = ?", (new, key, old))

    def copies(self, key: str, head: Head, rows: Sequence[Row], since: int) -> frozenset[int]:
        """Places of rows that another session, or an earlier line of this one, already holds."""
        stored = self._query("SELECT id FROM sessions WHERE key = ?", (key,))
        return frozenset(self._copied(stored[0][0] if stored else 0, head, rows, since))

    def _session(self, key: str, head: Head, project: str, path: str, owner: str) -> int:
        values = (
            head.agent, head.session_id, path, project, head.cwd, head.branch, head.remote,
            head.title, head.version, head.parent, int(head.subagent), owner, key,
        )  # fmt: skip
        stored = self._query("SELECT id FROM sessions WHERE key = ?", (key,))
        if stored:
            self._query(
                "UPDATE sessions SET agent = ?, session_id = ?, path = ?, project = ?, cwd = ?,"
                " branch = ?, remote = ?, title = ?, version = ?, parent = ?, subagent = ?,"
                " owner = ? WHERE key = ?",
                values,
            )
            return int(stored[0][0])
        inserted = self._query(
            "INSERT INTO sessions (agent, session_id, path, project, cwd, branch, remote, title,"
            " version, parent, subagent, owner, key, started, ended, turns, human_turns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0, 0) RETURNING id",
            values,
        )
        return int(inserted[0][0])

    def _clear(self, session: int, since: int) -> list[int]:
        """Delete the rows from byte `since` on; returns the events they were the first to hold."""
        where = 'session = ? AND "offset" >= ?'
        bound = (session, since)
        freed = self._query(
            f"SELECT event FROM turns WHERE {where} AND copied = 0 AND event IS NOT NULL", bound
        )
        self._words(where, bound, gone=True)
        self._query(f"DELETE FROM turns WHERE {where}", bound)
        return [event for (event,) in freed]

    def _words(self, where: str, bound: Sequence[object], *, gone: bool = False) -> None:
        """Tell the full text of turns that are new or about to go; PostgreSQL sees by itself."""
        if self._database.dialect != "sqlite":
            return
        command, value = ("turns_fts, ", "'delete', ") if gone else ("", "")
        self._query(
            f"INSERT INTO turns_fts ({command}rowid, text)"
            f" SELECT {value}id, text FROM turns WHERE {where} AND {_INDEXED}",
            bound,
        )

    def _copied(self, session: int, head: Head, rows: Sequence[Row], since: int) -> set[int]:
        taken = self._taken({row.event for row in rows if row.event is not None}, session, since)
        copied: set[int] = set()
        for place, row in enumerate(rows):
            if row.event is None:
                continue
            sure = row.typed != "probable"
            # A copy that is less sure does not take the place of the original.
            if taken.get(row.event, False) or (row.event in taken and not sure):
                copied.add(place)
            taken[row.event] = taken.get(row.event, False) or sure
        if head.parent and since == 0:
            copied |= self._inherited(session, head, rows)
        return copied

    def _taken(self, events: set[int], session: int, since: int) -> dict[int, bool]:
        """Events that are told elsewhere, and whether surely; what the session itself tells from
        `since` on will go."""
        taken: dict[int, bool] = {}
        wanted = sorted(events)
        for start in range(0, len(wanted), 500):
            chunk = wanted[start : start + 500]
            holders = self._query(
                "SELECT event, typed FROM turns WHERE copied = 0 AND event IS NOT NULL"
                f" AND event IN ({', '.join('?' * len(chunk))})"
                ' AND NOT (session = ? AND "offset" >= ?)',
                (*chunk, session, since),
            )
            for event, typed in holders:
                taken[event] = taken.get(event, False) or typed != "probable"
        return taken

    def _inherited(self, session: int, head: Head, rows: Sequence[Row]) -> set[int]:
        """Places of the history a fork begins with, for agents that write it with new times."""
        parent = self._query(
            "SELECT kind, text FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE s.key = ? AND s.id != ? AND searchable = 1 ORDER BY seq",
            (session_key(head.agent, head.parent), session),
        )
        searchable = [(place, row) for place, row in enumerate(rows) if row.searchable]
        inherited: set[int] = set()
        for (place, row), (kind, text) in zip(searchable, parent, strict=False):
            if (row.kind, row.text) != (kind, text):
                break
            inherited.add(place)
        return inherited

    def _insert(self, session: int, rows: Sequence[Row], copied: frozenset[int]) -> None:
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
        self._database.execute_many(_INSERT, values)
        self._words("id >= ?", (first,))
        texts = (
            (first + place, row.text)
            for place, row in enumerate(rows)
            if row.searchable and place not in copied
        )
        learn_pairs(self._database, TURNS, texts)

    def _promote(self, freed: Iterable[int]) -> None:
        """An event whose first holder is gone is no longer a copy where it is still told."""
        for event in freed:
            holders = self._query(
                "SELECT id, session, copied FROM turns WHERE event = ? ORDER BY id", (event,)
            )
            if not holders or not all(copied for _, _, copied in holders):
                continue
            turn, session, _ = holders[0]
            self._query("UPDATE turns SET copied = 0 WHERE id = ?", (turn,))
            self._words("id = ?", (turn,))
            texts = self._query(f"SELECT id, text FROM turns WHERE id = ? AND {_INDEXED}", (turn,))
            learn_pairs(self._database, TURNS, ((key, text) for key, text in texts))
            self._summarise(session, None)

    def _summarise(self, session: int, head: Head | None) -> None:
        ((turns, human, started, ended),) = self._query(
            "SELECT count(*), count(CASE WHEN role = 'human'"
            f" AND kind IN ({_SPOKEN}) AND copied = 0 THEN 1 END),"
            " min(nullif(at, '')), max(at) FROM turns WHERE session = ?",
            (session,),
        )
        if head is not None:
            started, ended = started or head.started, ended or head.ended
        self._query(
            "UPDATE sessions SET turns = ?, human_turns = ?, started = ?, ended = ? WHERE id = ?",
            (turns, human, started or "", ended or "", session),
        )

    def _one(self, sql: str, *values: object) -> int:
        return int(self._query(sql, values)[0][0])
