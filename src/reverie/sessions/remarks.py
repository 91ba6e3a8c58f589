"""The remarks table of `index.db`: what a person said that could hold for more than one session.

`learn` fills it, `dream` reads it. A remark is one sentence; most are said once and never again.
Derived, like all of the index.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reverie.db.database import Database
from reverie.sessions.derived import replace_rows


class RemarkRow(NamedTuple):
    """One sentence of one human turn, redacted; there are several per session."""

    session: str
    line: int
    place: int  # of the sentence in its turn
    agent: str
    project: str
    at: str
    text: str  # without address and politeness
    quote: str  # as it was said
    lasting: float  # 0 … 1: how much it reads as if it will hold tomorrow
    standing: bool
    shared: bool  # said of all projects, or of the person
    passing: bool  # said of this one time: "for now", "just this once"
    kind: str
    type: str
    trust: str

    @property
    def evidence(self) -> str:
        return f"{self.session}#{self.line}"


_COLUMNS = ", ".join(RemarkRow._fields)


def replace_remarks(
    database: Database, session: str, rows: Iterable[RemarkRow], since: int = 0
) -> None:
    """Make `rows` all there is of `session` from a line on; the caller owns the transaction."""
    replace_rows(database, "remarks", session, RemarkRow._fields, rows, ("line", since))


def remarks(database: Database, session: str | None = None, since: int = 0) -> Iterator[RemarkRow]:
    """Those of a session from a line on, or all, by time and place; one at a time, so that memory
    stays small."""
    where, values = "", tuple[object, ...]()
    if session is not None:
        where, values = " WHERE session = ? AND line >= ?", (session, since)
    order = " ORDER BY at, session, line, place"
    for row in database.stream(f"SELECT {_COLUMNS} FROM remarks{where}{order}", values):
        remark = RemarkRow(*row)
        yield remark._replace(
            standing=bool(remark.standing), shared=bool(remark.shared), passing=bool(remark.passing)
        )
