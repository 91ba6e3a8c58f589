"""Assignments: who has which piece of work, and until when.

A piece that is not handed in before its lease ends is given to the next who asks, under the same
id. Whoever answers first is heard; one that was refused too often is given to nobody any more.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

from reverie.clock import Clock, iso
from reverie.db.database import Database
from reverie.errors import Ambiguous, Conflict, NotFound, Refused

WorkKind = Literal["learn", "dream"]
LEASE = timedelta(minutes=30)
MOST_REFUSALS = 3

_COLUMNS = "id, kind, subject, first_line, last_line, status, refusals, leased_until"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One piece of work as the database knows it."""

    id: str
    kind: WorkKind
    subject: str
    first: int
    last: int
    status: str
    refusals: int
    leased_until: str


class Assignments:
    """The pieces that were handed out."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, kind: WorkKind) -> dict[str, list[Assignment]]:
        """By subject, each in the order of its lines."""
        found: dict[str, list[Assignment]] = {}
        for row in self._database.query(
            f"SELECT {_COLUMNS} FROM work WHERE kind = ? ORDER BY subject, first_line, id", (kind,)
        ):
            found.setdefault(row[2], []).append(Assignment(*row))
        return found

    def find(self, reference: str) -> Assignment:
        """A piece that may still be answered, by id or unique beginning.

        Raises:
            NotFound, Ambiguous: none or several fit.
            Conflict: it was answered.
            Refused: it was refused too often.
        """
        rows = [
            row
            for row in self._database.query(f"SELECT {_COLUMNS} FROM work ORDER BY id")
            if str(row[0]).startswith(reference)
        ]
        if not rows or not reference:
            raise NotFound(f"no piece of work {reference!r}", hint="`reverie work next` gives one")
        if len(rows) > 1:
            raise Ambiguous(f"{reference!r} fits several pieces of work")
        found = Assignment(*rows[0])
        if found.status == "done":
            raise Conflict(f"{found.id} was handed in already", hint="go on to the next piece")
        if found.status == "refused":
            raise Refused(
                f"{found.id} was refused {found.refusals} times", hint="go on to the next piece"
            )
        return found

    def lapsed(self, assignment: Assignment) -> bool:
        """Whether a piece is out, and nobody has a right to it any more."""
        return assignment.status == "out" and assignment.leased_until <= iso(self._clock())

    def begin(
        self, kind: WorkKind, subject: str, first: int = 0, last: int = 0, seed: str = ""
    ) -> Assignment | None:
        """Take a new piece; None when somebody else took it just now."""
        until = iso(self._clock() + LEASE)
        identity = self.id_of(kind, subject, first, seed)
        fresh = Assignment(identity, kind, subject, first, last, "out", 0, until)
        with self._database.atomic() as tx:
            taken = tx.execute(
                f"INSERT INTO work ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, 'out', 0, ?)"
                " ON CONFLICT (id) DO NOTHING RETURNING id",
                (fresh.id, kind, subject, first, last, until),
            )
        return fresh if taken else None

    @staticmethod
    def id_of(kind: WorkKind, subject: str, first: int, seed: str = "") -> str:
        """The id of a piece: the same whenever the same is handed out."""
        digest = hashlib.sha256(f"{kind}\0{subject}\0{first}\0{seed}".encode()).hexdigest()
        return f"work_{digest[:16]}"

    def again(self, old: Assignment) -> Assignment | None:
        """Take a piece whose lease ended; None when somebody else took it just now."""
        until = iso(self._clock() + LEASE)
        taken = self._set(
            "leased_until = ?", [until], "id = ? AND leased_until = ?", [old.id, old.leased_until]
        )
        return replace(old, leased_until=until) if taken else None

    def release(self, piece: str) -> None:
        """Let the next who asks have a piece, whoever has it now: nobody thinks about it."""
        self._set("leased_until = ?", [iso(self._clock())], "id = ?", [piece])

    def done(self, assignment: Assignment) -> None:
        """The answer was taken."""
        self._set(
            "status = 'done', finished_at = ?", [iso(self._clock())], "id = ?", [assignment.id]
        )

    def refused(self, assignment: Assignment) -> int:
        """The answer was not; returns how often it still may be tried."""
        count = assignment.refusals + 1
        status = "refused" if count >= MOST_REFUSALS else "out"
        self._set("refusals = ?, status = ?", [count, status], "id = ?", [assignment.id])
        return max(0, MOST_REFUSALS - count)

    def _set(self, what: str, values: list[Any], where: str, keys: list[Any]) -> bool:
        with self._database.atomic() as tx:
            rows = tx.execute(
                f"UPDATE work SET {what} WHERE {where} AND status = 'out' RETURNING id",
                [*values, *keys],
            )
        return bool(rows)
