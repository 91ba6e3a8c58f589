"""Proposals: what dreams offer, in the truth database, until a person has decided.

A change is `pending` until it is accepted, edited or rejected; a newer proposal replaces what is
still pending of older ones. Ids come from content, so the same dream offers the same proposal.
"""

import hashlib
import json
from collections.abc import Container, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

from reverie.clock import Clock, iso
from reverie.db.database import Database, Transaction, literally
from reverie.dream.model import Change, Rejected
from reverie.errors import Ambiguous, NotFound

Decision = Literal["pending", "accepted", "edited", "rejected", "undone", "replaced"]
DREAM = "drm"  # how the ids of dreams begin
_COLUMNS = "proposal, id, status, change, note, applied"


@dataclass(frozen=True, slots=True)
class Offer:
    """One change of one proposal and what became of it."""

    proposal: str
    change: Change
    status: Decision
    note: str
    applied: dict[str, Any]

    @property
    def id(self) -> str:
        return self.change.id


@dataclass(frozen=True, slots=True)
class Proposal:
    """The changes of one dream."""

    id: str
    dream: str
    created_at: str
    offers: tuple[Offer, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(offer.change for offer in self.offers)

    @property
    def status(self) -> str:
        """`open`, `applied`, `decided` or `undone`, from its changes."""
        statuses = {offer.status for offer in self.offers}
        if "pending" in statuses:
            return "open"
        if statuses & {"accepted", "edited"}:
            return "applied"
        return "undone" if "undone" in statuses else "decided"


class Proposals:
    """All proposals."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, tx: Transaction, dream: str, changes: Sequence[Change]) -> str:
        """Offer changes; what older dreams still offered is replaced. Returns the id."""
        identity = proposal_id(changes)
        if tx.execute("SELECT 1 FROM proposals WHERE id = ?", (identity,)):
            return identity
        if dream.startswith(DREAM):
            # A dream sees all that the one before saw; an agent's piece of work does not.
            tx.execute(
                "UPDATE proposal_changes SET status = 'replaced' WHERE status = 'pending'"
                " AND proposal IN (SELECT id FROM proposals WHERE dream LIKE ?)",
                (f"{DREAM}%",),
            )
        tx.execute(
            "INSERT INTO proposals (id, dream, created_at) VALUES (?, ?, ?)",
            (identity, dream, iso(self._clock())),
        )
        for place, change in enumerate(changes):
            tx.execute(
                "INSERT INTO proposal_changes (proposal, id, place, status, pattern, title,"
                " sessions, change, note, applied) VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, '', '')",
                (
                    identity, change.id, place, change.pattern, change.title, change.sessions,
                    dumps(change),
                ),
            )  # fmt: skip
        return identity

    def all(self) -> list[Proposal]:
        """Newest first."""
        rows = self._database.query(
            "SELECT id, dream, created_at FROM proposals ORDER BY created_at DESC, id"
        )
        return [self._with_offers(row) for row in rows]

    def find(self, reference: str) -> Proposal:
        """A proposal by id or unique prefix.

        Raises:
            NotFound, Ambiguous: none or several fit.
        """
        rows = [
            row
            for row in self._database.query(
                "SELECT id, dream, created_at FROM proposals ORDER BY id"
            )
            if str(row[0]).startswith(reference)
        ]
        if not rows:
            raise NotFound(f"no proposal {reference!r}", hint="`reverie proposals` lists them")
        if len(rows) > 1:
            raise Ambiguous(f"{reference!r} fits several proposals")
        return self._with_offers(rows[0])

    def waiting(self) -> int:
        """How many changes wait for a person."""
        rows = self._database.query(
            "SELECT count(*) FROM proposal_changes WHERE status = 'pending'"
        )
        return int(rows[0][0])

    def pending(self, proposal: str | None = None) -> list[Offer]:
        """What waits for a person, in the order it was offered."""
        where, values = "", list[Any]()
        if proposal is not None:
            where, values = " AND proposal = ?", [proposal]
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM proposal_changes WHERE status = 'pending'{where}"
            " ORDER BY proposal, place",
            values,
        )
        return [_offer(row) for row in rows]

    def offer(self, reference: str) -> Offer:
        """One change by id or unique prefix, the newest offer of it.

        Raises:
            NotFound, Ambiguous: none or several fit.
        """
        escaped = reference.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM proposal_changes WHERE id LIKE ? ESCAPE '\\'"
            " ORDER BY CASE status WHEN 'pending' THEN 0 ELSE 1 END, proposal",
            [escaped + "%"],
        )
        if not rows:
            raise NotFound(f"no change {reference!r}", hint="`reverie review --json` lists them")
        if len({row[1] for row in rows}) > 1:
            raise Ambiguous(f"{reference!r} fits several changes")
        return _offer(rows[0])

    def rejected(self, stores: Container[str] | None = None) -> tuple[Rejected, ...]:
        """Patterns that were turned down for any of these stores, with the support they had."""
        rows = self._database.query(
            "SELECT pattern, title, sessions, change FROM proposal_changes"
            " WHERE status = 'rejected' AND pattern != '' ORDER BY pattern, title, sessions"
        )
        most = {
            (pattern, title): sessions
            for pattern, title, sessions, change in rows
            if stores is None or loads(change).store in stores
        }
        return tuple(Rejected(*known, sessions) for known, sessions in most.items())

    def decide(
        self,
        offer: Offer,
        status: Decision,
        *,
        change: Change | None = None,
        note: str = "",
        applied: dict[str, Any] | None = None,
    ) -> None:
        """Record what became of a change."""
        with self._database.atomic() as tx:
            tx.execute(
                "UPDATE proposal_changes SET status = ?, change = ?, note = ?, applied = ?,"
                " decided_at = ? WHERE proposal = ? AND id = ?",
                (
                    status,
                    dumps(change or offer.change),
                    note,
                    json.dumps(applied if applied is not None else offer.applied, sort_keys=True),
                    None if status == "pending" else iso(self._clock()),
                    offer.proposal,
                    offer.id,
                ),
            )

    def _with_offers(self, row: tuple[Any, ...]) -> Proposal:
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM proposal_changes WHERE proposal = ? ORDER BY place", (row[0],)
        )
        return Proposal(row[0], row[1], row[2], tuple(_offer(offer_row) for offer_row in rows))


def proposal_id(changes: Sequence[Change]) -> str:
    digest = hashlib.sha256("\0".join(change.id for change in changes).encode()).hexdigest()
    return f"prop_{digest[:16]}"


def dumps(change: Change) -> str:
    """A change as JSON, the same bytes every time."""
    return json.dumps(asdict(change), ensure_ascii=False, sort_keys=True)


def loads(text: str) -> Change:
    """The change `dumps` wrote."""
    return msgspec.convert(json.loads(text), Change)


def _offer(row: tuple[Any, ...]) -> Offer:
    proposal, _, status, change, note, applied = row
    return Offer(proposal, loads(change), status, note, json.loads(applied or "{}"))


def join_projects(tx: Transaction, gone: str, kept: str) -> None:
    """What is offered for the store of a project that is part of another now is void."""
    for proposal, identity, change in tx.execute(
        "SELECT proposal, id, change FROM proposal_changes WHERE status = 'pending'"
    ):
        if json.loads(change)["store"] == gone:
            tx.execute(
                "UPDATE proposal_changes SET status = 'replaced' WHERE proposal = ? AND id = ?",
                (proposal, identity),
            )


def forget_session(tx: Transaction, session: str, memories: Iterable[str]) -> None:
    """A change that quotes the session goes with it, whatever was decided about it."""
    tx.execute(
        "DELETE FROM proposal_changes WHERE change LIKE ? ESCAPE '\\'",
        (f'%"{literally(session)}"%',),
    )


def last_dreamt(database: Database) -> str:
    """When the last dream ended; "" when there was none."""
    rows = database.query("SELECT max(finished_at) FROM dreams WHERE finished_at IS NOT NULL")
    return str(rows[0][0] or "")
