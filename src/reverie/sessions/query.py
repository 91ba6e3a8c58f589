"""Questions to the index: which sessions, which turns, who said these words."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reverie.db.database import Database, Dialect
from reverie.db.full_text import Source, Term, best, fts5, holding, tsquery
from reverie.errors import Ambiguous, NotFound
from reverie.language.scripts import cut, is_syllables, is_unspaced, parts, runs

_WORD = re.compile(r"\w+")
_PHRASE = re.compile(r'"([^"]*)"')
_MAX_WORDS = 64
_ABOUT = 60
_SNIPPET_WORDS = 24
_SNIPPET_SIGNS = 60  # where no spaces part words

_SESSION_COLUMNS = (
    "key, agent, session_id, path, project, cwd, branch, remote, started, ended, title, version,"
    " parent, subagent, turns, human_turns, (SELECT substr(o.text, 1, 200) FROM turns o"
    " WHERE o.session = s.id AND o.role = 'human' AND o.text != ''"
    " ORDER BY o.copied, o.seq LIMIT 1)"
)
# What human and agent said; neighbours are those said just before and after in the session.
TURNS = Source(
    "turns_fts",
    "turns",
    key="id",
    sequence=("session", "said"),
    names=("text",),
    pairs="turns_pairs",
)
_TURN_COLUMNS = "seq, line, role, kind, t.at, text, tool, typed, undone, copied"


class SessionRow(NamedTuple):
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


class TurnRow(NamedTuple):
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


class TurnHit(NamedTuple):
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


class DayRow(NamedTuple):
    """What a person said in one session on one day."""

    day: str  # YYYY-MM-DD, UTC; "" when the log has no times
    session: str
    project: str
    agent: str
    human_turns: int
    last: str


class Totals(NamedTuple):
    """How much was read: sessions of people, their projects, and what people said in them."""

    sessions: int
    projects: int
    human_turns: int


def totals(database: Database) -> Totals:
    """How much the index holds, without sessions that a model started."""
    row = database.query(
        "SELECT count(*), count(DISTINCT project), coalesce(sum(human_turns), 0)"
        " FROM sessions WHERE subagent = 0"
    )[0]
    return Totals(*map(int, row))


def sessions(
    database: Database,
    agent: str | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    *,
    subagents: bool = False,
) -> list[SessionRow]:
    """Sessions that were going on in the time asked for, by start and key.

    `since` is inclusive, `until` exclusive, both ISO.
    """
    where, values = _going_on(agent, project, since, until)
    if not subagents:
        where.append("s.subagent = 0")
    rows = database.query(
        f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE {' AND '.join(where)}"
        " ORDER BY started, key",
        values,
    )
    return [_session(row) for row in rows]


def latest(
    database: Database,
    agent: str | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    *,
    first: int = 0,
    limit: int,
) -> list[SessionRow]:
    """Some of the same, those of people alone, the newest first."""
    where, values = _going_on(agent, project, since, until)
    # How a session began is looked up for those that are returned, not for all that come before.
    rows = database.query(
        f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE s.id IN (SELECT s.id FROM sessions s"
        f" WHERE {' AND '.join(where)} AND s.subagent = 0"
        " ORDER BY s.started DESC, s.key DESC LIMIT ? OFFSET ?)"
        " ORDER BY s.started DESC, s.key DESC",
        (*values, limit, first),
    )
    return [_session(row) for row in rows]


def _going_on(
    agent: str | None, project: str | None, since: str | None, until: str | None
) -> tuple[list[str], list[Any]]:
    where, values = _filter(agent, project)
    if since:
        where.append("s.ended >= ?")
        values.append(since)
    if until:
        where.append("s.started < ?")
        values.append(until)
    return where, values


def agents_known(database: Database) -> list[str]:
    """The agents whose sessions are in the index."""
    return [
        str(agent) for (agent,) in database.query("SELECT DISTINCT agent FROM sessions ORDER BY 1")
    ]


def any_session(database: Database) -> bool:
    """Whether the index holds a session."""
    return bool(database.query("SELECT 1 FROM sessions LIMIT 1"))


def session(database: Database, reference: str, project: str | None = None) -> SessionRow:
    """One session by key or id, or an unambiguous beginning of one; of one project, or of any.

    Raises:
        NotFound: nothing fits.
        Ambiguous: several fit.
    """
    pattern = reference.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = database.query(
        f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE (lower(key) LIKE lower(?) ESCAPE '\\'"
        " OR lower(session_id) LIKE lower(?) ESCAPE '\\')"
        f"{'' if project is None else ' AND project = ?'} ORDER BY key LIMIT 20",
        (pattern, pattern, *(() if project is None else (project,))),
    )
    matches = [_session(row) for row in rows] if reference else []
    exact = [row for row in matches if reference in (row.key, row.session_id)]
    if len(exact) == 1 or len(matches) == 1:
        return (exact or matches)[0]
    if matches:
        raise Ambiguous(
            f"{reference!r} fits {len(matches)} sessions or more",
            hint="such as " + ", ".join(row.key for row in matches[:3]),
        )
    raise NotFound(f"no session {reference!r}", hint="`reverie sessions list` shows those known")


def sessions_of_log(database: Database, log: Path) -> list[SessionRow]:
    """The sessions that one log holds."""
    rows = database.query(f"SELECT {_SESSION_COLUMNS} FROM sessions s WHERE path = ?", (str(log),))
    return [_session(row) for row in rows]


class DayCount(NamedTuple):
    """How much was done on one day by one agent in one project."""

    project: str
    agent: str
    day: str
    sessions: int
    human_turns: int


def sessions_by_day(database: Database) -> list[DayCount]:
    """Sessions of people and what they said in them, by the day they began."""
    rows = database.query(
        "SELECT project, agent, substr(started, 1, 10), count(*), sum(human_turns) FROM sessions"
        " WHERE subagent = 0 GROUP BY 1, 2, 3"
    )
    return [DayCount(*row) for row in rows]


def keys_of(database: Database, session_ids: Collection[str]) -> dict[str, str]:
    """Id of a session, as its agent names it → its key, of those that were read."""
    chosen = sorted(session_ids)
    known = ", ".join("?" * len(chosen))
    return dict(
        database.query(
            f"SELECT session_id, key FROM sessions WHERE session_id IN ({known})", chosen
        )
    )


def projects_of_sessions(database: Database) -> dict[str, str]:
    """Session key → slug of its project."""
    return dict(database.query("SELECT key, project FROM sessions"))


def turns(database: Database, key: str) -> list[TurnRow]:
    """The stored turns of one session, in order."""
    rows = database.query(
        f"SELECT {_TURN_COLUMNS} FROM turns t JOIN sessions s ON s.id = t.session"
        " WHERE s.key = ? ORDER BY seq",
        (key,),
    )
    return [TurnRow(*_with_bools(row, 8, 9)) for row in rows]


def repeated_openings(database: Database, fewest: int) -> frozenset[str]:
    """How turns begin that nobody is known to have typed, and that so many sessions share."""
    rows = database.query(
        "SELECT DISTINCT session, substr(text, 1, 200) FROM turns"
        " WHERE role = 'human' AND typed = 'probable' AND text <> ''"
    )
    openings = {(session, opening_of(str(text))) for session, text in rows}
    counted = Counter(opening for _, opening in openings)
    return frozenset(opening for opening, count in counted.items() if count >= fewest)


def opening_of(text: str) -> str:
    """How a turn begins, to tell it from others."""
    return " ".join(text.split())[:_ABOUT]


def days(
    database: Database, project: str | None = None, session: str | None = None
) -> list[DayRow]:
    """Every day on which a person spoke in a session, by day and session."""
    where, values = _filter(None, project)
    if session is not None:
        where.append("s.key = ?")
        values.append(session)
    rows = database.query(
        "SELECT substr(t.at, 1, 10) AS day, s.key, s.project, s.agent, count(*), max(t.at)"
        " FROM turns t JOIN sessions s ON s.id = t.session"
        f" WHERE t.role = 'human' AND t.copied = 0 AND s.subagent = 0 AND {' AND '.join(where)}"
        " GROUP BY day, s.key, s.project, s.agent ORDER BY day, s.key",
        values,
    )
    return [DayRow(*row) for row in rows]


def search(
    database: Database,
    words: str,
    *,
    agent: str | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int = 20,
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
    if any(is_unspaced(term.words) for term in terms):
        return _search_signs(database, terms, where, values, limit)
    for every in (True, False):
        sql, match = _matching(database.dialect, terms, every)
        rows = database.query(
            f"{sql} AND {' AND '.join(where)} ORDER BY score, t.at DESC, s.key, t.seq LIMIT ?",
            (*match, *values, limit),
        )
        if rows:
            return [TurnHit(*columns, score=-score) for *columns, score in rows]
    return []


def _matching(dialect: Dialect, terms: Sequence[Term], every: bool) -> tuple[str, list[Any]]:
    """The turns that hold the terms with a piece of their text; a lower score is better."""
    columns = (
        "SELECT s.key, t.line, t.role, t.kind, t.at, {}, s.agent, s.project, s.title, {} AS score"
    )
    if dialect == "sqlite":
        columns = columns.format(
            f"snippet(turns_fts, 0, '', '', '…', {_SNIPPET_WORDS})", "bm25(turns_fts)"
        )
        return (
            f"{columns} FROM turns_fts JOIN turns t ON t.id = turns_fts.rowid"
            " JOIN sessions s ON s.id = t.session WHERE turns_fts MATCH ?"
        ), [fts5(terms, every=every)]
    query, words = tsquery(terms, every=every)
    shape = f"StartSel='', StopSel='', MaxWords={_SNIPPET_WORDS}, MinWords=8"
    columns = columns.format(
        f"ts_headline('english', t.text, q.query, $${shape}$$)", "-ts_rank_cd(t.words, q.query, 1)"
    )
    return (
        f"{columns} FROM (SELECT {query} AS query) q, turns t"
        " JOIN sessions s ON s.id = t.session WHERE t.words @@ q.query"
    ), words


def _search_signs(
    database: Database, terms: Sequence[Term], where: list[str], values: list[Any], limit: int
) -> list[TurnHit]:
    """The same where something is written without spaces, which is in a table of its own."""
    ours = (
        "u.id IN (SELECT t.id FROM turns t JOIN sessions s ON s.id = t.session"
        f" WHERE {' AND '.join(where)})"
    )
    held = [holding(term, TURNS, database.dialect) for term in terms]
    all_held = "".join(f" AND u.id IN ({sql})" for sql, _ in held)
    sought = [value for _, each in held for value in each]
    scores = best(database, TURNS, terms, limit, ours + all_held, (*values, *sought))
    scores = scores or best(database, TURNS, terms, limit, ours, values)
    if not scores:
        return []
    rows = database.query(
        "SELECT t.id, s.key, t.line, t.role, t.kind, t.at, t.text, s.agent, s.project, s.title"
        " FROM turns t JOIN sessions s ON s.id = t.session"
        f" WHERE t.id IN ({', '.join('?' * len(scores))})",
        [key for key, _ in scores],
    )
    by_id = {key: row for key, *row in rows}
    hits = [TurnHit(*by_id[key], score=score) for key, score in scores if key in by_id]
    return [hit._replace(snippet=_around(hit.snippet, terms)) for hit in hits]


def _around(text: str, terms: Sequence[Term]) -> str:
    """A piece of a text that begins a little before the first of the terms."""
    places = [at for term in terms if (at := text.lower().find(term.words)) >= 0]
    start = max(0, min(places, default=0) - _SNIPPET_SIGNS // 4)
    piece = " ".join(text[start : start + _SNIPPET_SIGNS].split())
    return ("…" if start else "") + piece + ("…" if start + _SNIPPET_SIGNS < len(text) else "")


def query_terms(words: str) -> list[Term]:
    """The words and quoted phrases of any text."""
    phrases = [" ".join(_WORD.findall(phrase)) for phrase in _PHRASE.findall(words)]
    phrases = [part for phrase in phrases for part in (parts(phrase) if runs(phrase) else [phrase])]
    loose = _WORD.findall(_PHRASE.sub(" ", words))
    loose = [part for word in loose for part in (_signs(word) if runs(word) else [word])]
    terms = [Term(term) for term in (*phrases, *loose) if term]
    return list(dict.fromkeys(terms))[:_MAX_WORDS]


def _signs(word: str) -> list[str]:
    return [part for part in cut(word) if not is_syllables(part)]


def spoken_in(project: str, since: str) -> tuple[str, list[Any]]:
    """The condition on turns, named `u`, said in a project from a moment on; and its values."""
    # The plus keeps a planner from going through every session of the project first.
    return (
        "u.said IS NOT NULL AND u.copied = 0 AND u.at >= ?"
        " AND +u.session IN (SELECT id FROM sessions WHERE project = ?)"
    ), [since, project]


def count_exchanges(database: Database, project: str) -> int:
    """How often a person spoke in the sessions of a project."""
    rows = database.query(
        "SELECT coalesce(sum(human_turns), 0) FROM sessions WHERE project = ?", (project,)
    )
    return int(rows[0][0])


def places_that_said(
    database: Database, term: Term, project: str, most: int
) -> list[tuple[str, int]] | None:
    """Where a term was said: session key and line; None if in more than `most` turns.

    Turns of all projects count for `most`: it bounds the work, not the answer.
    """
    held, values = holding(term, TURNS, database.dialect)
    ((count,),) = database.query(
        f"SELECT count(*) FROM ({held} LIMIT ?) AS held", (*values, most + 1)
    )
    if count > most:
        return None
    rows = database.query(
        "SELECT s.key, t.line FROM turns t JOIN sessions s ON s.id = t.session"
        f" WHERE t.id IN ({held}) AND s.project = ? AND t.copied = 0",
        (*values, project),
    )
    return [(key, line) for key, line in rows]


def human_lines(database: Database, sessions: Collection[str]) -> dict[str, list[int]]:
    """The lines at which a person spoke in some sessions, in order."""
    lines: dict[str, list[int]] = {}
    if sessions:
        rows = database.query(
            "SELECT s.key, t.line FROM sessions s JOIN turns t ON t.session = s.id"
            f" WHERE s.key IN ({', '.join('?' * len(sessions))}) AND t.role = 'human'"
            " ORDER BY t.session, t.line",
            tuple(sessions),
        )
        for key, line in rows:
            lines.setdefault(key, []).append(line)
    return lines


def numbered_turns(database: Database, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """(session key, line, role, time, text) of the turns with these numbers."""
    if not numbers:
        return {}
    rows = database.query(
        "SELECT t.id, s.key, t.line, t.role, t.at, t.text FROM turns t"
        f" JOIN sessions s ON s.id = t.session WHERE t.id IN ({', '.join('?' * len(numbers))})",
        numbers,
    )
    return {int(row[0]): row[1:] for row in rows}


def learned_until(database: Database) -> dict[str, int]:
    """Each session that was learned from, with the line a person last spoke at.

    Learned is a session whose log was read, and whose memories were written.
    """
    rows = database.query(
        "SELECT s.key, max(t.line) FROM sessions s JOIN turns t ON t.session = s.id"
        " WHERE s.subagent = 0 AND t.role = 'human' AND t.copied = 0 AND EXISTS (SELECT 1"
        " FROM files f WHERE f.session = s.key AND f.state = 'read' AND f.visited = 1)"
        " AND s.key NOT IN (SELECT session FROM awaiting_learning) GROUP BY s.key"
    )
    return {key: int(line) for key, line in rows}


def join_sessions(database: Database, gone: str, kept: str) -> int:
    """Make the sessions of one project another's; how many. The caller owns the transaction."""
    moved = database.query(
        "UPDATE sessions SET project = ? WHERE project = ? RETURNING id", (kept, gone)
    )
    return len(moved)


def _filter(agent: str | None, project: str | None) -> tuple[list[str], list[Any]]:
    where, values = ["1 = 1"], list[Any]()
    for column, wanted in (("agent", agent), ("project", project)):
        if wanted is not None:
            where.append(f"s.{column} = ?")
            values.append(wanted)
    return where, values


def _session(row: tuple[Any, ...]) -> SessionRow:
    return SessionRow(*_with_bools(row, 13))


def _with_bools(row: tuple[Any, ...], *places: int) -> list[Any]:
    return [bool(value) if place in places else value for place, value in enumerate(row)]
