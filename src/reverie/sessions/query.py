"""Questions to the index: which sessions, which turns, who said these words."""

import re
import sqlite3
from dataclasses import dataclass
from typing import Any

from reverie.errors import Ambiguous, NotFound

_WORD = re.compile(r"\w+")
_PHRASE = re.compile(r'"([^"]*)"')
_MAX_WORDS = 64
_ABOUT = 60

_SESSION_COLUMNS = (
    "key, agent, session_id, path, project, cwd, branch, remote, started, ended, title, version,"
    " parent, subagent, turns, human_turns, (SELECT substr(o.text, 1, 200) FROM turns o"
    " WHERE o.session = s.id AND o.role = 'human' AND o.text != ''"
    " ORDER BY o.copied, o.seq LIMIT 1)"
)
_TURN_COLUMNS = "seq, line, role, kind, t.at, text, tool, typed, undone, copied"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session of the index."""

    key: str
    agent: str
    session_id: str
    path: str
    project: str
    cwd: str
    branch: str
    remote: str
    started: str
    ended: str
    title: str
    version: str
    parent: str
    subagent: bool
    turns: int
    human_turns: int
    opening: str | None  # how the person began; None when no one spoke

    @property
    def about(self) -> str:
        """What it was about, on one line of at most 60 characters."""
        text = " ".join((self.title or self.opening or "").split())
        return text if len(text) <= _ABOUT else f"{text[: _ABOUT - 1]}…"


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One stored turn."""

    seq: int
    line: int
    role: str
    kind: str
    at: str
    text: str
    tool: str
    typed: str
    undone: bool
    copied: bool


@dataclass(frozen=True, slots=True)
class TurnHit:
    """One turn that was found."""

    session: str
    line: int
    role: str
    kind: str
    at: str
    snippet: str
    agent: str
    project: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class DayRow:
    """What a person said in one session on one day."""

    day: str  # YYYY-MM-DD, UTC; "" when the log has no times
    session: str
    project: str
    agent: str
    human_turns: int
    last: str


@dataclass(frozen=True, slots=True)
class Totals:
    """How much was read: sessions of people, their projects, and what people said in them."""

    sessions: int
    projects: int
    human_turns: int


def totals(connection: sqlite3.Connection) -> Totals:
    """How much the index holds, without sessions that a model started."""
    row = connection.execute(
        "SELECT count(*), count(DISTINCT project), coalesce(sum(human_turns), 0)"
        " FROM sessions WHERE NOT subagent"
    ).fetchone()
    return Totals(*row)


def sessions(
    connection: sqlite3.Connection,
    agent: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    subagents: bool,
) -> list[SessionRow]:
    """Sessions that were going on in the time asked for, by start and key."""
    where, values = _filter(agent, project)
    if since:
        where.append("s.ended >= ?")
        values.append(since)
    if until:
        where.append("s.started < ?")
        values.append(until)
    if not subagents:
        where.append("NOT s.subagent")
    rows = connection.execute(
        f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE {' AND '.join(where)}"
        " ORDER BY started, key",
        values,
    )
    return [_session(row) for row in rows]


def any_session(connection: sqlite3.Connection) -> bool:
    """Whether the index holds a session."""
    return connection.execute("SELECT 1 FROM sessions LIMIT 1").fetchone() is not None


def session(connection: sqlite3.Connection, reference: str) -> SessionRow:
    """One session by key or id, or an unambiguous beginning of one.

    Raises:
        NotFound: nothing fits.
        Ambiguous: several fit.
    """
    pattern = reference.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = connection.execute(
        f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE key LIKE ? ESCAPE '\\'"
        " OR session_id LIKE ? ESCAPE '\\' ORDER BY key LIMIT 20",
        (pattern, pattern),
    )
    found = [_session(row) for row in rows] if reference else []
    exact = [row for row in found if reference in (row.key, row.session_id)]
    if len(exact) == 1 or len(found) == 1:
        return (exact or found)[0]
    if found:
        raise Ambiguous(
            f"{reference!r} fits {len(found)} sessions or more",
            hint="such as " + ", ".join(row.key for row in found[:3]),
        )
    raise NotFound(f"no session {reference!r}", hint="`reverie sessions list` shows those known")


def sessions_of_log(connection: sqlite3.Connection, path: str) -> list[SessionRow]:
    """The sessions that one log holds."""
    rows = connection.execute(f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE path = ?", (path,))
    return [_session(row) for row in rows]


def projects_of_sessions(connection: sqlite3.Connection) -> dict[str, str]:
    """Session key → slug of its project."""
    return dict(connection.execute("SELECT key, project FROM sessions").fetchall())


def turns(connection: sqlite3.Connection, key: str) -> list[TurnRow]:
    """The stored turns of one session, in order."""
    rows = connection.execute(
        f"SELECT {_TURN_COLUMNS} FROM turns t JOIN sessions s ON s.id = t.session"
        " WHERE s.key = ? ORDER BY seq",
        (key,),
    )
    return [TurnRow(*_with_bools(row, 8, 9)) for row in rows]


def days(connection: sqlite3.Connection, project: str | None = None) -> list[DayRow]:
    """Every day on which a person spoke in a session, by day and session."""
    where, values = _filter(None, project)
    rows = connection.execute(
        "SELECT substr(t.at, 1, 10) AS day, s.key, s.project, s.agent, count(*), max(t.at)"
        " FROM turns t JOIN sessions s ON s.id = t.session"
        f" WHERE t.role = 'human' AND NOT t.copied AND NOT s.subagent AND {' AND '.join(where)}"
        " GROUP BY day, s.key ORDER BY day, s.key",
        values,
    )
    return [DayRow(*row) for row in rows]


def search(
    connection: sqlite3.Connection,
    words: str,
    agent: str | None,
    project: str | None,
    since: str | None,
    until: str | None,
    limit: int,
) -> list[TurnHit]:
    """Turns that hold all words (or, when there is none, any of them), best first."""
    terms = query_terms(words)
    if not terms or limit < 1:
        return []
    where, values = _filter(agent, project)
    for bound, sign in ((since, ">="), (until, "<")):
        if bound:
            where.append(f"t.at {sign} ?")
            values.append(bound)
    sql = (
        "SELECT s.key, t.line, t.role, t.kind, t.at, snippet(turns_fts, 0, '', '', '…', 24),"
        " s.agent, s.project, s.title, bm25(turns_fts) AS score"
        " FROM turns_fts JOIN turns t ON t.id = turns_fts.rowid"
        " JOIN sessions s ON s.id = t.session"
        f" WHERE turns_fts MATCH ? AND {' AND '.join(where)}"
        " ORDER BY score, t.at DESC, s.key, t.seq LIMIT ?"
    )
    for joint in (" ", " OR "):
        found = connection.execute(sql, (joint.join(terms), *values, limit)).fetchall()
        if found:
            return [TurnHit(*values, score=-score) for *values, score in found]
    return []


def query_terms(words: str) -> list[str]:
    """Any text as FTS5 terms: words and quoted phrases, each quoted, so nothing is an operator."""
    phrases = [" ".join(_WORD.findall(phrase)) for phrase in _PHRASE.findall(words)]
    loose = _WORD.findall(_PHRASE.sub(" ", words))
    terms = [f'"{term}"' for term in (*phrases, *loose) if term]
    return list(dict.fromkeys(terms))[:_MAX_WORDS]


def _filter(agent: str | None, project: str | None) -> tuple[list[str], list[Any]]:
    where, values = ["1"], list[Any]()
    for column, wanted in (("agent", agent), ("project", project)):
        if wanted is not None:
            where.append(f"s.{column} = ?")
            values.append(wanted)
    return where, values


def _session(row: tuple[Any, ...]) -> SessionRow:
    return SessionRow(*_with_bools(row, 13))


def _with_bools(row: tuple[Any, ...], *places: int) -> list[Any]:
    return [bool(value) if place in places else value for place, value in enumerate(row)]
