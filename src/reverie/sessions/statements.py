"""The statements table of `index.db`: the sentences a person said, and what each would teach.

`learn` fills it. What is worth keeping becomes a candidate; what came back on other days is what
`dream` looks for. Derived, like all of the index.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reverie.db.database import Database
from reverie.sessions.derived import Chosen, replace_rows


class StatementRow(NamedTuple):
    """One sentence of one human turn, redacted; there are several per session."""

    session: str
    line: int
    place: int  # of the sentence in its turn
    agent: str
    project: str
    at: str
    rule: str  # without address and politeness
    quote: str  # as it was said
    why: str  # the reason given with it
    premise: str  # what the agent held, of a turn that corrects it
    act: str
    worth: float  # 0 … 1: how much it deserves a decision
    lasting: float  # 0 … 1: how much it reads as if it will hold tomorrow, by its words alone
    lasts: bool  # worth keeping
    sure: bool  # written without a question
    standing: bool
    shared: bool  # said of all projects, or of the person
    passing: bool  # said of this one time: "for now", "just this once"
    kind: str
    type: str
    trust: str

    @property
    def evidence(self) -> str:
        return f"{self.session}#{self.line}"


_COLUMNS = ", ".join(StatementRow._fields)
_FLAGS = ("lasts", "sure", "standing", "shared", "passing")


def replace_statements(
    database: Database, session: str, rows: Iterable[StatementRow], since: int = 0
) -> None:
    """Make `rows` all there is of `session` from a line on; the caller owns the transaction."""
    numbers = ([int(v) if isinstance(v, bool) else v for v in row] for row in rows)
    columns = StatementRow._fields
    replace_rows(database, "statements", session, columns, numbers, ("line", since))


def statements(chosen: Chosen, *, lasting: bool = False, since: int = 0) -> Iterator[StatementRow]:
    """Those from a line on, by time and place; `lasting` only those worth keeping.

    One at a time, so that memory stays small.
    """
    where, keys = chosen.where()
    kept = " AND lasts = 1" if lasting else ""
    rows = chosen.database.stream(
        f"SELECT {_COLUMNS} FROM statements WHERE {where} AND line >= ?{kept}"
        " ORDER BY at, session, line, place",
        (*keys, since),
    )
    for row in rows:
        statement = StatementRow(*row)
        yield statement._replace(**{name: bool(getattr(statement, name)) for name in _FLAGS})
