"""The words a memory rests on, copied: the log they came from will be gone in a month."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reverie.db.database import Database, Transaction
from reverie.learn.memories.candidate import Candidate, is_about
from reverie.sessions.derived import among
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

    @property
    def answered(self) -> str:
        """What the agent had said, if the person's words speak of it; else ""."""
        return self.premise if is_about(self.quote, self.premise) else ""


_COLUMNS = ", ".join((*Quote._fields, "seal"))


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
            f"INSERT INTO evidence ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO NOTHING",
            (*quote, seal),
        )


def quotes(database: Database, ids: Sequence[str]) -> dict[str, Quote]:
    """The kept quotes of these evidence ids; not what somebody else wrote among them."""
    kept = _read(database, *among(database, "id", ids))
    return {quote.id: quote for quote, vouched in kept if vouched}


def unreadable(database: Database) -> list[str]:
    """The ids of quotes that this home did not write."""
    return [quote.id for quote, vouched in _read(database, "1 = 1") if not vouched]


def _read(
    database: Database, condition: str, values: Sequence[str] = ()
) -> Iterator[tuple[Quote, bool]]:
    """Quotes, and whether this home wrote them."""
    sealer = database.sealer
    for *row, seal in database.query(
        f"SELECT {_COLUMNS} FROM evidence WHERE {condition} ORDER BY id", values
    ):
        yield Quote(*row), sealer is None or sealer.vouches(seal, EVIDENCE.name, *row)


def drop_unreadable(database: Database) -> None:
    """Delete what is not this home's; learning finds again what was really said."""
    with database.atomic() as tx:
        for identity in unreadable(database):
            tx.execute("DELETE FROM evidence WHERE id = ?", (identity,))


def forget_session(tx: Transaction, session: str) -> None:
    tx.execute("DELETE FROM evidence WHERE session = ?", (session,))
