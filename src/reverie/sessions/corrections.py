"""The corrections table of `index.db`: what a person said against what an agent held.

`learn` fills it, `recall` and `stats` read it; it lives here because neither may import the other.
It is derived: deleting `index.db` loses nothing that the logs do not hold.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from reverie.db.database import Database, Transaction
from reverie.db.full_text import Source, learn_pairs
from reverie.language.scripts import runs
from reverie.sessions.derived import replace_rows

# Turns below `explicit`/`implicit` are kept with label `none` when they are worth remembering
# (a durable statement) or nearly a correction; readers choose by label and score.
CorrectionLabel = Literal["none", "explicit", "implicit"]
Tier = Literal["critical", "high", "medium", "low"]


CORRECTIONS = Source(
    "corrections_fts",
    "corrections",
    key="row",
    weights=(1.0, 1.0, 0.5, 0.5),
    names=("text", "lesson", "premise", "context"),
    pairs="corrections_pairs",
)


class CorrectionRow(NamedTuple):
    """One row; texts are redacted before they come here."""

    id: str  # evidence id: `agent:session#line`
    session: str  # session key
    agent: str
    line: int
    at: str
    project: str  # slug
    text: str  # the person's words, verbatim
    span: str = ""  # the words that carry the correction; part of `text`
    premise: str = ""  # what the agent held, verbatim
    premise_line: int | None = None
    context: str = ""  # the end of what was said just before it: searched, never shown
    label: CorrectionLabel = "none"
    score: float = 0.0
    durable: Literal["none", "project", "global"] = "none"
    durable_score: float = 0.0
    type: str = ""  # of the memory it would make; "" when nothing is worth keeping
    kind: str = ""
    lesson: str = ""
    gist: str = ""  # one line of it, which a session that begins may be told
    standing: bool = False  # a rule said outright: "always…", "from now on…"
    sure: bool = False  # certain enough to become a memory without review
    trust: str = "user"
    tier: Tier = "low"
    position: float = 0.0  # where in its topic, 0 first … 1 last
    density: float = 0.0  # corrections near it
    signals: Mapping[str, float] = {}


_COLUMNS = ", ".join(CorrectionRow._fields)
_FLAGS = (CorrectionRow._fields.index("standing"), CorrectionRow._fields.index("sure"))
_SIGNALS = CorrectionRow._fields.index("signals")


def replace_session(
    database: Database, session: str, rows: Iterable[CorrectionRow], since: int = 0
) -> None:
    """Make `rows` all there is of `session` from a line on; the caller owns the transaction."""
    ordered = sorted(rows, key=lambda row: (row.line, row.id))
    values = map(_values, ordered)
    columns = CorrectionRow._fields
    replace_rows(database, "corrections", session, columns, values, ("line", since))
    if any(map(_unspaced, ordered)):
        pair_corrections(database, "session = ? AND line >= ?", (session, since))


def pair_corrections(
    database: Database | Transaction, where: str = "1 = 1", values: Sequence[Any] = ()
) -> None:
    """Make rows found that are written without spaces; the caller owns the transaction."""
    rows = (database.execute if isinstance(database, Transaction) else database.query)(
        f"SELECT row, {', '.join(CORRECTIONS.names)} FROM corrections WHERE {where}", values
    )
    learn_pairs(database, CORRECTIONS, ((row, "\n".join(texts)) for row, *texts in rows))


def _unspaced(row: CorrectionRow) -> bool:
    return bool(runs(row.text) or runs(row.premise) or runs(row.context))


def replace_signals(database: Database, rows: Iterable[CorrectionRow]) -> None:
    """Store the signals of rows that are already there; the caller owns the transaction."""
    database.execute_many(
        "UPDATE corrections SET signals = ? WHERE id = ?",
        [(json.dumps(dict(row.signals), sort_keys=True), row.id) for row in rows],
    )


def corrections(
    database: Database,
    *,
    projects: Iterable[str] | None = None,
    since: str | None = None,
    labels: Iterable[CorrectionLabel] | None = None,
    session: str | None = None,
    line: int = 0,
) -> list[CorrectionRow]:
    """Rows in order of time, then id; of a session only from a line on."""
    clauses: list[str] = ["1 = 1"]
    values: list[Any] = []
    for column, wanted in (("project", projects), ("label", labels)):
        if wanted is not None:
            chosen = sorted(set(wanted))
            clauses.append(f"{column} IN ({', '.join('?' * len(chosen))})")
            values += chosen
    if since is not None:
        clauses.append("at >= ?")
        values.append(since)
    if session is not None:
        clauses.append("session = ? AND line >= ?")
        values += [session, line]
    rows = database.query(
        f"SELECT {_COLUMNS} FROM corrections WHERE {' AND '.join(clauses)} ORDER BY at, id", values
    )
    return [_correction(row) for row in rows]


def corrections_said(database: Database) -> list[tuple[str, bool]]:
    """When corrections were said, and whether each is a rule that stands."""
    rows = database.query("SELECT at, standing FROM corrections WHERE label <> 'none'")
    return [(str(at), bool(standing)) for at, standing in rows]


def corrections_by_day(database: Database) -> list[tuple[str, str, str, int]]:
    """Project, agent, day → how many; as the detector judged them."""
    return database.query(
        "SELECT project, agent, substr(at, 1, 10), count(*) FROM corrections"
        " WHERE label <> 'none' GROUP BY 1, 2, 3"
    )


def named(database: Database, ids: Iterable[str]) -> list[CorrectionRow]:
    """The rows with these ids, as far as they are there."""
    wanted = sorted(set(ids))
    matches: list[CorrectionRow] = []
    for place in range(0, len(wanted), 500):
        some = wanted[place : place + 500]
        marks = ", ".join("?" * len(some))
        rows = database.query(f"SELECT {_COLUMNS} FROM corrections WHERE id IN ({marks})", some)
        matches += map(_correction, rows)
    return matches


def count_corrections(database: Database) -> int:
    """How many rows there are, of all projects."""
    return int(database.query("SELECT count(*) FROM corrections")[0][0])


def within(project: str, since: str, types: Sequence[str]) -> tuple[str, list[Any]]:
    """The condition on rows, named `u`, of one project from a moment on; and its values."""
    where, values = "u.project = ? AND u.at >= ?", [project, since]
    if types:
        where += f" AND u.type IN ({', '.join('?' * len(types))})"
        values += types
    return where, values


def numbered(database: Database, numbers: Sequence[int]) -> dict[int, CorrectionRow]:
    """The rows with these numbers, as a search names them."""
    if not numbers:
        return {}
    rows = database.query(
        f"SELECT row, {_COLUMNS} FROM corrections WHERE row IN ({', '.join('?' * len(numbers))})",
        numbers,
    )
    return {int(row[0]): _correction(row[1:]) for row in rows}


# How likely a row teaches anything: it is a correction, or it lasts.
MAY_TEACH = 0.15  # below, nothing is an answer
TEACHES = "(1.0 - (1.0 - u.score) * (1.0 - u.durable_score))"


def teaching(
    database: Database, where: str, values: Sequence[Any], most: int
) -> list[CorrectionRow]:
    """The rows of a condition that most likely teach something, best first."""
    return latest(database, where, values, most, before=f"{TEACHES} DESC, ")


def latest(
    database: Database, where: str, values: Sequence[Any], most: int, *, before: str = ""
) -> list[CorrectionRow]:
    """The rows of a condition that were said last, the last first; `before` goes another order."""
    rows = database.query(
        f"SELECT {', '.join(f'u.{name}' for name in CorrectionRow._fields)} FROM corrections u"
        f" WHERE {where} ORDER BY {before}u.at DESC, u.id LIMIT ?",
        (*values, most),
    )
    return [_correction(row) for row in rows]


def taught_at(database: Database, where: str, values: Sequence[Any]) -> list[tuple[int, str, int]]:
    """Number, session and line of the rows of a condition that may teach something."""
    rows = database.query(
        f"SELECT u.row, u.session, u.line FROM corrections u WHERE {where} AND {TEACHES} >= ?",
        (*values, MAY_TEACH),
    )
    return [(number, session, line) for number, session, line in rows]


def weightiest(
    database: Database, where: str, values: Sequence[Any], most: int
) -> list[CorrectionRow]:
    """The surest rows among those of a condition, by id."""
    rows = database.query(
        f"SELECT {_COLUMNS} FROM corrections WHERE row IN (SELECT u.row FROM corrections u"
        f" WHERE {where} AND (u.label <> 'none' OR u.durable <> 'none') ORDER BY"
        " CASE WHEN u.score > u.durable_score THEN u.score ELSE u.durable_score END"
        " + 0.2 * u.standing DESC, u.at DESC, u.id LIMIT ?) ORDER BY id",
        (*values, most),
    )
    return [_correction(row) for row in rows]


def _correction(row: Sequence[Any]) -> CorrectionRow:
    values = list(row)
    for place in _FLAGS:
        values[place] = bool(values[place])
    values[_SIGNALS] = json.loads(values[_SIGNALS])
    return CorrectionRow._make(values)


def _values(row: CorrectionRow) -> tuple[Any, ...]:
    values: list[Any] = list(row)
    for place in _FLAGS:
        values[place] = int(values[place])
    values[_SIGNALS] = json.dumps(dict(row.signals), sort_keys=True)
    return tuple(values)
