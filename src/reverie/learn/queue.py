"""The one review queue: what was found but is not sure enough to be written unasked.

States: pending → accepted | edited | rejected. A decision is never asked for twice: a candidate has
the same id on every run.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from reverie.clock import Clock, iso
from reverie.errors import Ambiguous, NotFound
from reverie.learn.candidates import Candidate
from reverie.store.database import Database

Status = Literal["pending", "written", "accepted", "edited", "rejected"]
_COLUMNS = "id, status, score, why, candidate, created_at, decided_at, memory_id"


@dataclass(frozen=True, slots=True)
class Review:
    """One entry of the queue."""

    id: str
    status: Status
    score: float
    why: str  # why it waits, or why it was written at once
    candidate: Candidate
    created_at: str
    decided_at: str | None
    memory_id: str | None


class Queue:
    """Reviews in the truth database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def known(self, ids: Iterable[str]) -> dict[str, Status]:
        """Which of these candidates were seen before, and what became of them."""
        found: dict[str, Status] = {}
        wanted = sorted(set(ids))
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ", ".join("?" * len(part))
            for row in self._database.query(
                f"SELECT id, status FROM reviews WHERE id IN ({marks})", part
            ):
                found[row[0]] = row[1]
        return found

    def add(
        self,
        candidate: Candidate,
        *,
        why: str,
        status: Status = "pending",
        memory_id: str | None = None,
    ) -> bool:
        """Put a candidate into the queue; False when it is already there, whatever its state."""
        now = iso(self._clock())
        with self._database.atomic() as tx:
            rows = tx.execute(
                "INSERT INTO reviews (id, session, status, score, why, candidate, created_at,"
                " decided_at, memory_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO NOTHING RETURNING id",
                (
                    candidate.id, candidate.session, status, candidate.score, why,
                    candidate.dumps(), now, None if status == "pending" else now, memory_id,
                ),
            )  # fmt: skip
        return bool(rows)

    def pending(self) -> list[Review]:
        """What waits for a person, surest first."""
        return self.with_status("pending")

    def with_status(self, *statuses: Status) -> list[Review]:
        marks = ", ".join("?" * len(statuses))
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM reviews WHERE status IN ({marks})"
            " ORDER BY score DESC, created_at, id",
            list(statuses),
        )
        return [_review(row) for row in rows]

    def of_sessions(self, sessions: Iterable[str]) -> list[Review]:
        """What these sessions brought up and nobody turned down: surest first, then earliest."""
        found: list[Review] = []
        wanted = sorted(set(sessions))
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ", ".join("?" * len(part))
            rows = self._database.query(
                f"SELECT {_COLUMNS} FROM reviews WHERE session IN ({marks})"
                " AND status <> 'rejected'",
                part,
            )
            found += [_review(row) for row in rows]
        return sorted(found, key=_first_told)

    def find(self, reference: str) -> Review:
        """A review by id or unique prefix.

        Raises:
            NotFound, Ambiguous: none or several fit.
        """
        escaped = reference.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM reviews WHERE id LIKE ? ESCAPE '\\' ORDER BY id LIMIT 2",
            [escaped + "%"],
        )
        if not rows:
            raise NotFound(f"no review {reference!r}", hint="`reverie review --json` lists them")
        if len(rows) > 1:
            raise Ambiguous(f"{reference!r} fits several reviews")
        return _review(rows[0])

    def decide(self, review_id: str, status: Status, memory_id: str | None = None) -> None:
        """Record what a person decided.

        Raises:
            NotFound: there is no such review.
        """
        with self._database.atomic() as tx:
            rows = tx.execute(
                "UPDATE reviews SET status = ?, decided_at = ?, memory_id = COALESCE(?, memory_id)"
                " WHERE id = ? RETURNING id",
                (status, iso(self._clock()), memory_id, review_id),
            )
        if not rows:
            raise NotFound(f"no review {review_id!r}")


def _first_told(one: Review) -> tuple[bool, float, str, str]:
    return one.status == "pending", -one.score, one.candidate.at, one.id


def _review(row: tuple[object, ...]) -> Review:
    identity, status, score, why, candidate, created, decided, memory = row
    return Review(
        id=str(identity),
        status=status,  # type: ignore[arg-type]  # the column holds only Status values
        score=float(score),  # type: ignore[arg-type]
        why=str(why),
        candidate=Candidate.loads(str(candidate)),
        created_at=str(created),
        decided_at=None if decided is None else str(decided),
        memory_id=None if memory is None else str(memory),
    )
