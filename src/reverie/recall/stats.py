"""Does memory help? Corrections per 100 turns over time, and corrections that had to come again.

A repeat is a correction that says what an earlier one of the same project, from another session,
already said. If the earlier one had been recalled in between, memory was there and did not help:
that share is the repeat-correction rate.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reverie.db.database import Database
from reverie.language.compare import relation
from reverie.language.words import stem
from reverie.recall.ledger import LedgerRow
from reverie.recall.query import words_of
from reverie.sessions.corrections import CorrectionRow
from reverie.sessions.query import sessions

COMMON = 100  # a word in more corrections than this is no reason to compare two

CONFOUNDERS = (
    "fewer corrections can also mean easier work, another model, or a person who gave up",
    "what is not in the logs, or not recognised as a correction, is not counted",
    "what was recalled is known; whether the agent read it is not",
    "only a run with and without memory on the same tasks shows cause",
)


@dataclass(frozen=True, slots=True)
class Period:
    """One month of one agent in one project."""

    project: str
    agent: str
    month: str
    sessions: int
    turns: int
    corrections: int

    @property
    def per_100_turns(self) -> float:
        return 100.0 * self.corrections / self.turns if self.turns else 0.0


@dataclass(frozen=True, slots=True)
class Repeat:
    """A correction that had to come again, and the recalls that held the first in between."""

    first: CorrectionRow
    again: CorrectionRow
    recalls: tuple[LedgerRow, ...]


@dataclass(frozen=True, slots=True)
class Stats:
    """What is counted, over everything asked for."""

    periods: tuple[Period, ...]
    corrections: int
    repeats: tuple[Repeat, ...]
    recalled: int  # corrections that were handed over at least once

    @property
    def repeat_share(self) -> float:
        """Of all corrections, how many had been said before."""
        return len(self.repeats) / self.corrections if self.corrections else 0.0

    @property
    def repeat_rate(self) -> float | None:
        """Of the corrections that were recalled, how many came again after it; None: none were."""
        again = {repeat.first.id for repeat in self.repeats if repeat.recalls}
        return len(again) / self.recalled if self.recalled else None


def everything(session: str) -> bool:
    """Every session counts."""
    return True


def stats(
    index: Database,
    rows: Sequence[CorrectionRow],
    ledger: Sequence[LedgerRow],
    counts: Callable[[str], bool] = everything,
) -> Stats:
    """Count `rows`, which are corrections in order of time, against sessions and the ledger.

    `counts` says of a session whether it does.
    """
    real = [row for row in rows if row.label != "none"]
    known = {row.id for row in real}
    recalled = {name for recall in ledger for name in told_in(recall)}
    return Stats(
        periods=_periods(index, real, counts),
        corrections=len(real),
        repeats=tuple(repeats(real, ledger)),
        recalled=len(known & recalled),
    )


def repeats(rows: Sequence[CorrectionRow], ledger: Sequence[LedgerRow]) -> list[Repeat]:
    """Each correction with the latest earlier one, from another session, that says the same."""
    texts = [said_in(row) for row in rows]
    by_word: dict[str, list[int]] = defaultdict(list)
    said_again: list[Repeat] = []
    for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
        words = {stem(word) for word in words_of(text)}
        earlier = {n for word in words if len(by_word[word]) <= COMMON for n in by_word[word]}
        for other in sorted(earlier, reverse=True):
            first = rows[other]
            apart = first.session != row.session and first.project == row.project
            if apart and relation(texts[other], text) == "same":
                said_again.append(Repeat(first, row, tuple(_between(first, row, ledger))))
                break
        for word in words:
            by_word[word].append(place)
    return said_again


def said_in(row: CorrectionRow) -> str:
    """The words of a correction that say what is right."""
    return row.lesson or row.span or row.text


def _between(
    first: CorrectionRow, again: CorrectionRow, ledger: Iterable[LedgerRow]
) -> list[LedgerRow]:
    return [
        recall
        for recall in ledger
        if recall.project == first.project
        and first.at < recall.at <= again.at
        and first.id in told_in(recall)
    ]


def told_in(recall: LedgerRow) -> set[str]:
    """Evidence ids a recall handed over, as themselves or through a memory that rests on them."""
    return {name for entry in recall.entries for name in (entry.entry, *entry.evidence)}


def _periods(
    index: Database, rows: Sequence[CorrectionRow], counts: Callable[[str], bool]
) -> tuple[Period, ...]:
    counted: dict[tuple[str, str, str], int] = defaultdict(int)
    projects = {row.project for row in rows}
    month_of = dict[str, str]()
    turns: dict[tuple[str, str, str], tuple[int, int]] = {}
    for session in filter(lambda session: counts(session.key), sessions(index)):
        month_of[session.key] = session.started[:7]
        place = (session.project, session.agent, session.started[:7])
        many, spoken = turns.get(place, (0, 0))
        turns[place] = (many + 1, spoken + session.human_turns)
    for row in rows:
        counted[row.project, row.agent, month_of.get(row.session, row.at[:7])] += 1
    return tuple(
        Period(*place, *turns[place], counted.get(place, 0))
        for place in sorted(turns)
        if place[0] in projects or turns[place][1]
    )
