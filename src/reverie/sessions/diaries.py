"""The diaries table of `index.db`: each task's diary as data, and what is wrong with it.

`learn` fills it and writes the same as Markdown into the project's store; dailies, `dream` and
`doctor` read it. Derived, like all of the index.
"""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields

from reverie.db.database import Database
from reverie.sessions.derived import Chosen, replace_rows, select_rows


@dataclass(frozen=True, slots=True)
class DiaryRow:
    """One diary; `data` is its JSON."""

    session: str
    number: int
    project: str  # slug; "" when the session had none
    path: str  # of the memory in the project's store
    day: str
    started: str
    title: str
    outcome: str
    human_turns: int
    failures: int
    broken: str  # names of the invariants it breaks, space-separated; "" when all hold
    data: str


_COLUMNS: tuple[str, ...] = tuple(f.name for f in fields(DiaryRow))


def replace_diaries(
    database: Database, session: str, rows: Iterable[DiaryRow], after: int = 0
) -> None:
    """Make `rows` all there is of `session` after so many tasks; the caller commits."""
    values = [astuple(row) for row in rows]
    replace_rows(database, "diaries", session, _COLUMNS, values, ("number", after + 1))


# A session in which a person typed, and nobody else may have.
_TYPED = "d.session IN (SELECT s.key FROM sessions s JOIN turns t ON t.session = s.id WHERE {})"
_ASKED = "t.role = 'human' AND t.kind IN ('prompt', 'steer', 'command') AND t.typed {} 'typed'"


def days(database: Database) -> list[str]:
    """The days that have one."""
    rows = database.query("SELECT DISTINCT day FROM diaries WHERE day <> '' ORDER BY day")
    return [str(day) for (day,) in rows]


def last_diary(database: Database, project: str) -> DiaryRow | None:
    """The latest of a project of which a person gave every order, in the order of `diaries`.

    What a script asks is not what the person was about, and its words are told to nobody unasked.
    """
    typed, other = (_TYPED.format(_ASKED.format(sign)) for sign in ("=", "<>"))
    rows = database.query(
        f"SELECT {', '.join(_COLUMNS)} FROM diaries d"
        f" WHERE project = ? AND {typed} AND NOT {other}"
        " ORDER BY started DESC, session DESC, number DESC LIMIT 1",
        (project,),
    )
    return DiaryRow(*rows[0]) if rows else None


def diaries(
    chosen: Chosen,
    *,
    project: str | None = None,
    day: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> list[DiaryRow]:
    """Rows in order of time, then session and number; `since` and `until` are days, inclusive."""
    wanted = (("project =", project), ("day =", day), ("day >=", since), ("day <=", until))
    order = "started, session, number"
    return [DiaryRow(*row) for row in select_rows(chosen, "diaries", _COLUMNS, wanted, order)]


def diaries_of(database: Database, sessions: Sequence[str]) -> dict[str, list[DiaryRow]]:
    """The diaries of some sessions, each in order."""
    by_session: dict[str, list[DiaryRow]] = {}
    chosen = Chosen(database, tuple(sessions))
    for row in select_rows(chosen, "diaries", _COLUMNS, (), "session, number"):
        by_session.setdefault(row[0], []).append(DiaryRow(*row))
    return by_session
