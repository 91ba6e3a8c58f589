"""The words a memory rests on, copied: the log they came from will be gone in a month."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reverie.db.database import Database, Transaction
from reverie.learn.memories.candidate import Candidate


class Quote(NamedTuple):
    """One turn that something was learned from."""

    id: str
    session: str
    line: int
    at: str
    quote: str
    premise: str
    trust: str


def quote_of(candidate: Candidate) -> Quote:
    return Quote(
        id=candidate.evidence,
        session=candidate.session,
        line=int(candidate.evidence.rpartition("#")[2]),
        at=candidate.at,
        quote=candidate.quote,
        premise=candidate.premise,
        trust=candidate.trust,
    )


def keep_quotes(tx: Transaction, quotes: Iterable[Quote]) -> None:
    """Copy quotes into the truth; one that is there already stays as it was."""
    for quote in quotes:
        tx.execute(
            "INSERT INTO evidence (id, session, line, at, quote, premise, trust)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
            quote,
        )


def quotes(database: Database, ids: Sequence[str]) -> dict[str, Quote]:
    """The kept quotes of these evidence ids."""
    found: dict[str, Quote] = {}
    for start in range(0, len(ids), 500):
        part = list(ids[start : start + 500])
        marks = ", ".join("?" * len(part))
        for row in database.query(
            "SELECT id, session, line, at, quote, premise, trust FROM evidence"
            f" WHERE id IN ({marks})",
            part,
        ):
            found[row[0]] = Quote(*row)
    return found


def forget_session(tx: Transaction, session: str) -> None:
    """Drop the quotes of a session."""
    tx.execute("DELETE FROM evidence WHERE session = ?", (session,))
