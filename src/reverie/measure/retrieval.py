"""How well the search finds what answers a question, in dialogues over many sessions.

The same `recall.search` that serves `reverie recall`, with turns as units, beside BM25 alone. Each
question is asked in its own dialogue, and again with all dialogues in one index. Recall is the
share of what answers that stands among the first k; turns, and sessions in the order of their best
turn.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.db.database import Database
from reverie.db.full_text import Source, Term, best
from reverie.db.opening import open_database
from reverie.measure.dialogues import Dialogue, Question, Unit, pooled, read_dialogues
from reverie.measure.result import (
    SEED,
    Estimate,
    Measurement,
    Record,
    Row,
    Table,
    bootstrap,
    fingerprint,
)
from reverie.recall.query import parse_query
from reverie.recall.search import search

TURNS = Source(fts="unit_fts", content="unit", key="id", sequence=("session", "place"))

FIRST = (1, 5, 10)
BUDGETS = (1_000, 2_000, 4_000, 8_000)
DEPTH = 100  # what stands behind is not looked at
_WORD = re.compile(r"[^\W_]+")

RANKED = (*(f"recall@{k}" for k in FIRST), "MRR", "nDCG@10")
PACKED = tuple(f"{budget:,} characters" for budget in BUDGETS)

Strategy = Callable[[Database, str], list[int]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found for a question, best first."""

    question: Question
    found: tuple[Unit, ...]

    def turns(self) -> tuple[float, ...]:
        """The figures of `RANKED` for turns; none where the file does not say which answer."""
        return ranked([unit.name for unit in self.found], self.question.turns)

    def sessions(self) -> tuple[float, ...]:
        """The same for sessions."""
        order = list(dict.fromkeys(unit.session for unit in self.found))
        return ranked(order, self.question.sessions)

    def packed(self) -> tuple[float, ...]:
        """The share of the turns that answer, in what fits into each budget."""
        return tuple(
            len(self.question.turns & within(self.found, budget)) / len(self.question.turns)
            for budget in BUDGETS
        )

    def record(self, strategy: str, pool: bool) -> Record:
        """What an outside scorer needs: names, sessions and lengths."""
        asked = self.question
        return {
            "question_id": asked.name,
            "question": asked.text,
            "category": asked.category,
            "pooled": pool,
            "strategy": strategy,
            "turns": sorted(asked.turns),
            "sessions": sorted(asked.sessions),
            "ranking": [[unit.name, unit.session, len(unit.text)] for unit in self.found],
        }


def measure_retrieval(data: Path, *, seed: int = SEED) -> Measurement:
    """Search every question of a file in its own dialogue, then in all of them together.

    Raises:
        InvalidInput: the file is of no known format.
    """
    dialogues = read_dialogues(data)
    together = pooled(dialogues)
    tables: list[Table] = []
    records: list[Record] = []
    for where, pools in (("in its own history", dialogues), ("in all histories", [together])):
        rankings = {name: list(_rankings(pools, ask)) for name, ask in STRATEGIES.items()}
        tables += _tables(where, rankings, seed)
        records += [
            ranking.record(name, where == "in all histories")
            for name, by_question in rankings.items()
            for ranking in by_question
        ]
    return Measurement(
        "retrieval",
        tuple(tables),
        seed=seed,
        data={data.name: fingerprint(data)},
        notes=(
            f"{len(together.questions)} questions, {len(dialogues)} histories,"
            f" {len(together.units)} turns; intervals over questions",
            f"what stands behind the first {DEPTH} turns counts as not found",
        ),
        records=tuple(records),
    )


def _tables(where: str, rankings: dict[str, list[Ranking]], seed: int) -> Iterator[Table]:
    """Turns, sessions and budgets, each over all questions and by category."""
    with_turns = {
        name: [ranking for ranking in by_question if ranking.question.turns]
        for name, by_question in rankings.items()
    }
    for title, columns, counted, figures in (
        ("Turns that answer, searched", RANKED, with_turns, Ranking.turns),
        ("Turns that answer, packed", PACKED, with_turns, Ranking.packed),
        ("Sessions that answer, searched", RANKED, rankings, Ranking.sessions),
    ):
        if any(counted.values()):
            rows = tuple(_rows(counted, figures, seed))
            yield Table(f"{title} {where}", (*columns, "questions"), rows)


def _rows(
    rankings: dict[str, list[Ranking]],
    figures: Callable[[Ranking], tuple[float, ...]],
    seed: int,
) -> Iterator[Row]:
    for strategy, by_question in rankings.items():
        yield _row(strategy, [figures(ranking) for ranking in by_question], seed)
    ours = rankings["ours"]
    for category in dict.fromkeys(ranking.question.category for ranking in ours):
        some = [figures(ranking) for ranking in ours if ranking.question.category == category]
        yield _row(f"… {category}", some, seed)


def _row(name: str, figures: Sequence[tuple[float, ...]], seed: int) -> Row:
    estimates: list[Estimate] = [
        bootstrap(column, range(len(column)), seed=seed) for column in zip(*figures, strict=True)
    ]
    return Row(name, (*estimates, len(figures)))


def ranked(order: Sequence[str], wanted: frozenset[str]) -> tuple[float, ...]:
    """Recall at each of `FIRST`, the reciprocal rank of the first, and nDCG@10."""
    hits = [name in wanted for name in order]
    gain = sum(1 / math.log2(place + 2) for place, hit in enumerate(hits[:10]) if hit)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    return (
        *(sum(hits[:k]) / len(wanted) for k in FIRST),
        1 / (hits.index(True) + 1) if any(hits) else 0.0,
        gain / ideal,
    )


def within(units: Sequence[Unit], characters: int) -> set[str]:
    """The turns that fit, taken in order; one that is too long is passed over."""
    taken: set[str] = set()
    for unit in units:
        if len(unit.text) <= characters:
            characters -= len(unit.text)
            taken.add(unit.name)
    return taken


# --- searching ----------------------------------------------------------------------------------


def _ours(database: Database, question: str) -> list[int]:
    return [hit.key for hit in search(database, TURNS, parse_query(question), limit=DEPTH)]


def _bm25(database: Database, question: str) -> list[int]:
    """Every word of the question counts, and a turn stands for itself."""
    terms = [Term(word) for word in dict.fromkeys(_WORD.findall(question.lower()))]
    return [hit.key for hit in best(database, TURNS, terms, DEPTH)] if terms else []


STRATEGIES: dict[str, Strategy] = {"ours": _ours, "BM25 alone": _bm25}


def _rankings(dialogues: Sequence[Dialogue], ask: Strategy) -> Iterator[Ranking]:
    for dialogue in dialogues:
        database = _indexed(dialogue)
        for question in dialogue.questions:
            hits = tuple(dialogue.units[key] for key in ask(database, question.text))
            yield Ranking(question, hits)
        database.close()


def _indexed(dialogue: Dialogue) -> Database:
    database = open_database("sqlite:///:memory:")
    with database.atomic() as tx:
        for statement in (
            "CREATE TABLE unit (id INTEGER PRIMARY KEY, session TEXT, place INTEGER, text TEXT)",
            "CREATE INDEX unit_places ON unit (session, place)",
            "CREATE VIRTUAL TABLE unit_fts USING fts5 (text, content = 'unit',"
            " content_rowid = 'id', tokenize = 'porter unicode61')",
        ):
            tx.execute(statement)
        tx.execute_many(
            "INSERT INTO unit VALUES (?, ?, ?, ?)",
            [(place, unit.session, place, unit.text) for place, unit in enumerate(dialogue.units)],
        )
        tx.execute("INSERT INTO unit_fts (unit_fts) VALUES ('rebuild')")
    return database
