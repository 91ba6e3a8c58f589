"""Insight: what guests' sessions show, and what thinking about them cost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from reverie.engines.receipts import Spent
from reverie.errors import InvalidInput, NotFound
from reverie.hosting import jobs, reading, sessions
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.operations import correcting
from reverie.operations.engines import catalog
from reverie.operations.engines.catalog import Costs
from reverie.store.heads import totals

if TYPE_CHECKING:
    from reverie.recall.sources import RankedCorrection

MAX_SESSIONS = 100  # that are read for one question


class State(NamedTuple):
    """How a server is, for whoever looks after it."""

    database: str  # its dialect
    stores: int
    memories: int
    versions: int
    sessions: int
    dreams: dict[str, int]  # by status


def corrections(
    server: ServerHome,
    view: ServerHome,
    guest: Guest,
    session_ids: Sequence[str],
    *,
    since: str | None = None,
) -> "list[RankedCorrection]":
    """What people said against what agents held in a guest's sessions, the most telling first.

    Sessions that are named are read first; without any, those that dreams read already count.

    Raises:
        NotFound: a session is not there for the guest.
        InvalidInput: too many are named, or `since` is no moment.
    """
    if len(session_ids) > MAX_SESSIONS:
        raise InvalidInput(f"at most {MAX_SESSIONS} sessions are read at once")
    if gone := sessions.missing(server.database, session_ids, guest):
        raise NotFound(f"there is no session {gone[0]!r}")
    keys = set(reading.read_into_index(server, session_ids, lambda: None)) if session_ids else None
    ranked = correcting.corrections(view, since=since)
    return [correction for correction in ranked if keys is None or correction.row.session in keys]


def costs(view: ServerHome, since: str = "") -> Costs:
    """The receipts of calls about sessions that a guest sees."""
    known = catalog.costs(view, since)
    receipts = [
        receipt for receipt in known.receipts if all(map(view.guest_sees, receipt.session.split()))
    ]
    today = Spent()
    for receipt in receipts:
        if receipt.at[:10] == view.now[:10]:
            today = today.plus(receipt)
    return Costs(receipts, today, known.cap_usd_per_day)


def answering(server: ServerHome) -> None:
    """Nothing, if both databases answer.

    Raises:
        Unavailable, StoreDamaged: one does not.
    """
    server.store.any_memory()
    sessions.count(server.database)
    server.index_database.query("SELECT 1")


def state(server: ServerHome) -> State:
    """How much there is of everything."""
    return State(
        server.database.dialect,
        *totals(server.database),
        sessions.count(server.database),
        jobs.counts(server.database),
    )
