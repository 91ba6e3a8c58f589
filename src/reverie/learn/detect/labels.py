"""What a person said about single turns; it trains the misstep probability and overrides it."""

from dataclasses import dataclass

from reverie.clock import Clock, iso
from reverie.db.database import Database
from reverie.errors import InvalidInput

CORRECTION_LABELS = ("none", "explicit", "implicit")
DURABLE_LABELS = ("none", "project", "global")


@dataclass(frozen=True, slots=True)
class Label:
    """One judgement by a person."""

    evidence: str
    session: str
    correction: str
    durable: str
    labelled_at: str


class Labels:
    """Labels in the truth database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def put(self, evidence: str, session: str, correction: str, durable: str) -> None:
        """Record or change a label.

        Raises:
            InvalidInput: not one of the known labels.
        """
        if correction not in CORRECTION_LABELS or durable not in DURABLE_LABELS:
            raise InvalidInput(f"{correction!r}/{durable!r} is not a label")
        with self._database.atomic() as tx:
            tx.execute(
                "INSERT INTO labels (evidence, session, correction, durable, labelled_at)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (evidence) DO UPDATE SET"
                " correction = excluded.correction, durable = excluded.durable,"
                " labelled_at = excluded.labelled_at",
                (evidence, session, correction, durable, iso(self._clock())),
            )

    def all(self) -> dict[str, Label]:
        """Evidence id → label, in the order of the ids."""
        rows = self._database.query(
            "SELECT evidence, session, correction, durable, labelled_at FROM labels"
            " ORDER BY evidence"
        )
        return {row[0]: Label(*row) for row in rows}
