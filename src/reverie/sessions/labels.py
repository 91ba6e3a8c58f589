"""What a person said about single turns.

It trains the misstep probability and comes before whatever the detector says, wherever that counts:
in what is learned, listed, recalled, told at a session's start, asked about, and dreamt of.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reverie.clock import Clock, iso, system_clock
from reverie.db.database import Database, Transaction
from reverie.errors import InvalidInput
from reverie.sessions.corrections import CorrectionLabel, CorrectionRow

CORRECTION_LABELS = ("none", "explicit", "implicit")
_COLUMNS = "evidence, session, correction, durable, labelled_at"
DURABLE_LABELS = ("none", "project", "global")


ENOUGH_LABELS = 50  # from so many on, the misstep probability is fitted to them
FITTED = "labels"  # the fact of the index that says to which it was


class Label(NamedTuple):
    """One judgement by a person."""

    evidence: str
    session: str
    correction: CorrectionLabel
    durable: str
    labelled_at: str

    @property
    def lasts(self) -> bool:
        """Whether the person wants it remembered."""
        return self.durable != "none"

    @property
    def denies(self) -> bool:
        """Whether there is nothing to learn from the turn."""
        return self.correction == "none" and not self.lasts


class Labels:
    """Labels in the truth database."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
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
                f"INSERT INTO labels ({_COLUMNS})"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT (evidence) DO UPDATE SET"
                " correction = excluded.correction, durable = excluded.durable,"
                " labelled_at = excluded.labelled_at",
                (evidence, session, correction, durable, iso(self._clock())),
            )

    def take_back(self, evidence: Sequence[str], before: Mapping[str, Label]) -> None:
        """These turns have the labels they had `before`, or none."""
        with self._database.atomic() as tx:
            for turn in evidence:
                tx.execute("DELETE FROM labels WHERE evidence = ?", (turn,))
                if turn in before:
                    tx.execute(
                        f"INSERT INTO labels ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)", before[turn]
                    )

    def of(self, evidence: Sequence[str]) -> dict[str, Label]:
        """Evidence id → label, of these."""
        marks = ", ".join("?" * len(evidence))
        rows = self._database.query(
            f"SELECT {_COLUMNS} FROM labels WHERE evidence IN ({marks})", evidence
        )
        return {row[0]: Label(*row) for row in rows}

    def last_given(self) -> str:
        """Moves with every label."""
        ((count, last),) = self._database.query("SELECT count(*), max(labelled_at) FROM labels")
        return f"{count} {last}"

    def all(self) -> dict[str, Label]:
        """Evidence id → label, in the order of the ids."""
        rows = self._database.query(f"SELECT {_COLUMNS} FROM labels ORDER BY evidence")
        return {row[0]: Label(*row) for row in rows}


def stamp(labels: Mapping[str, Label]) -> str:
    """Moves with every label, once there are enough of them to fit to; "" before."""
    if len(labels) < ENOUGH_LABELS:
        return ""
    return f"{len(labels)} {max(label.labelled_at for label in labels.values())}"


def as_labelled(rows: Iterable[CorrectionRow], labels: Mapping[str, Label]) -> list[CorrectionRow]:
    """Rows with the person's word on what is a correction in the place of the detector's."""
    return [
        row._replace(label=label.correction) if (label := labels.get(row.id)) else row
        for row in rows
    ]


def forget_session(tx: Transaction, session: str) -> None:
    """Drop the labels of a session."""
    tx.execute("DELETE FROM labels WHERE session = ?", (session,))
