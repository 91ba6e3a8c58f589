"""Recall on question–answer pairs: is the correction that answers inside what is handed over?

The corrections are those that `learn` finds in the logs; the labels only say what was to be found.
Two tables: without the question (what a project needs now, against chance, recency, each signal
and their mixture) and with it (against BM25, TF-IDF and recency). Every strategy chooses among the
same corrections, under the same budget, in the same form.
"""

import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.clock import fixed
from reverie.config import Settings
from reverie.errors import InvalidInput
from reverie.learn.detect.judge import Judge
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.privacy import redactor_for
from reverie.recall.rank import SIGNALS
from reverie.recall.recall import Request, Sources, recall
from reverie.sessions.corrections import corrections
from reverie.sessions.discover import logs_under
from reverie.sessions.index import Index
from reverie.store.store import Store

UNASKED = ("ours", "random", *SIGNALS, "mixture")
ASKED = ("ours", "bm25", "tfidf", "recency")
SEEDS = 20  # of the random strategy
ROUNDS = 2_000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, and the words that answer it in one session of one project."""

    session: str
    project: str
    question: str
    span: str


@dataclass(frozen=True, slots=True)
class StrategyScore:
    """The share of pairs inside the recall, and by how much ours is better (95 % interval)."""

    strategy: str
    share: float
    ours_better: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairsReport:
    """Both tables, and how many of the pairs the detector gave recall a chance at."""

    pairs: int
    learned: int
    corrections: int
    budget: int
    unasked: tuple[StrategyScore, ...]
    asked: tuple[StrategyScore, ...]


def measure_pairs(corpus: Path, labels: Path, budget: int = 4_096) -> PairsReport:
    """Learn from `corpus` in a scratch home and ask for every pair of `labels`.

    Raises:
        InvalidInput: the labels hold no pair of a log in the corpus.
    """
    settings = Settings()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        with Index.open(home / "index.db") as index, _store(home) as store:
            redact = redactor_for(home, settings.privacy)
            writer = Writer(store, Queue(store.database, store.context.clock))
            judge = Judge.load(settings.learn)
            Learner(index, writer, judge, redact).learn(logs_under(corpus))
            pairs = _pairs(index, corpus, labels)
            rows = corrections(index.database)
            last = max(row.at for row in rows)
            sources = Sources(store.database, index.database, settings, fixed(last))
            asking = _Asking(sources, budget)
            texts = {" ".join(row.text.split()) for row in rows}
            return PairsReport(
                pairs=len(pairs),
                learned=sum(1 for p in pairs if any(_flat(p.span) in text for text in texts)),
                corrections=len(rows),
                budget=budget,
                unasked=_table(pairs, UNASKED, lambda p, s, seed: asking.hit(p, "", s, seed)),
                asked=_table(pairs, ASKED, lambda p, s, seed: asking.hit(p, p.question, s, seed)),
            )


def _store(home: Path) -> Store:
    return Store.open(f"sqlite:///{home / 'memory.db'}")


class _Asking:
    """Recalls of one corpus; without a question one recall answers for a whole project."""

    def __init__(self, sources: Sources, budget: int) -> None:
        self._sources = sources
        self._budget = budget
        self._seen: dict[tuple[str, str, str, int], str] = {}

    def hit(self, pair: Pair, query: str, strategy: str, seed: int) -> bool:
        key = (pair.project, query, strategy, seed)
        if key not in self._seen:
            request = Request(
                query=query,
                project=pair.project,
                budget=self._budget,
                strategy=strategy,
                rules=False,
                seed=seed,
            )
            self._seen[key] = _flat(recall(request, self._sources).text)
        return _flat(pair.span) in self._seen[key]


def _flat(text: str) -> str:
    """Without line ends, quotation marks of lines and the escape of `<`."""
    return " ".join(text.replace("\n> ", " ").replace("&lt;", "<").split())


def _pairs(index: Index, corpus: Path, labels: Path) -> list[Pair]:
    try:
        records: list[dict[str, Any]] = [
            json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()
        ]
        asked = [(r["transcript"], r["question"], r["span"]) for r in records if r["question"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{labels} is not a file of labels: {error!r}") from None
    project = {row.path: row.project for row in index.sessions(subagents=True)}
    pairs = [
        Pair(transcript, project.get(str((corpus / transcript).resolve()), ""), question, span)
        for transcript, question, span in asked
    ]
    if not any(pair.project for pair in pairs):
        raise InvalidInput(f"no question of {labels} belongs to a log of {corpus}")
    return pairs


def _table(
    pairs: Sequence[Pair], strategies: Sequence[str], hit: Callable[[Pair, str, int], bool]
) -> tuple[StrategyScore, ...]:
    hits: dict[str, list[float]] = {}
    for strategy in strategies:
        seeds = range(SEEDS if strategy == "random" else 1)
        hits[strategy] = [sum(hit(p, strategy, s) for s in seeds) / len(seeds) for p in pairs]
    sessions = [pair.session for pair in pairs]
    return tuple(
        StrategyScore(
            strategy, sum(values) / len(values), *_difference(hits["ours"], values, sessions)
        )
        for strategy, values in hits.items()
    )


def _difference(
    ours: Sequence[float], other: Sequence[float], sessions: Sequence[str]
) -> tuple[float, float, float]:
    """Mean difference and its 95 % interval over resampled sessions, pairs kept together."""
    groups: dict[str, list[float]] = {}
    for session, mine, theirs in zip(sessions, ours, other, strict=True):
        groups.setdefault(session, []).append(mine - theirs)
    parts = [(sum(values), len(values)) for _, values in sorted(groups.items())]
    dice = random.Random(0)  # noqa: S311  (a bootstrap, the same at every run)
    means: list[float] = []
    for _ in range(ROUNDS):
        drawn = dice.choices(parts, k=len(parts))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    mean = sum(total for total, _ in parts) / len(ours)
    return mean, means[int(0.025 * ROUNDS)], means[int(0.975 * ROUNDS)]
