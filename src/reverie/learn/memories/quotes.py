"""The words a memory rests on, copied: the log they came from will be gone in a month."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reverie.db.database import Database, Transaction
from reverie.learn.memories.candidate import Candidate
from reverie.store.seals import EVIDENCE


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
        seal = tx.sealer.seal(EVIDENCE.name, *quote) if tx.sealer else None
        tx.execute(
            "INSERT INTO evidence (id, session, line, at, quote, premise, trust, seal)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
            (*quote, seal),
        )


def quotes(database: Database, ids: Sequence[str]) -> dict[str, Quote]:
    """The kept quotes of these evidence ids; not what somebody else wrote among them."""
    sealer = database.sealer
    found: dict[str, Quote] = {}
    for start in range(0, len(ids), 500):
        part = list(ids[start : start + 500])
        marks = ", ".join("?" * len(part))
        for *row, seal in database.query(
            "SELECT id, session, line, at, quote, premise, trust, seal FROM evidence"
            f" WHERE id IN ({marks})",
            part,
        ):
            if sealer is None or sealer.vouches(seal, EVIDENCE.name, *row):
                found[row[0]] = Quote(*row)
    return found


def unreadable(database: Database) -> list[str]:
    """The ids of quotes that this home did not write."""
    sealer = database.sealer
    if sealer is None:
        return []
    rows = database.query(
        "SELECT id, session, line, at, quote, premise, trust, seal FROM evidence ORDER BY id"
    )
    return [row[0] for row in rows if not sealer.vouches(row[-1], EVIDENCE.name, *row[:-1])]


def drop_unreadable(database: Database) -> None:
    """Delete what is not this home's; learning finds again what was really said."""
    with database.atomic() as tx:
        for identity in unreadable(database):
            tx.execute("DELETE FROM evidence WHERE id = ?", (identity,))


def forget_session(tx: Transaction, session: str) -> None:
    """Drop the quotes of a session."""
    tx.execute("DELETE FROM evidence WHERE session = ?", (session,))
