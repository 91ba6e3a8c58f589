"""Recall on question–answer pairs: is the correction that answers inside what is handed over?

The corrections are those that `learn` finds in the logs; the labels only say what was to be found.
Two tables: without the question (what a project needs now, against chance, recency, each signal
and their mixture) and with it (against BM25, TF-IDF and recency). Every strategy chooses among the
same corrections, under the same budget, in the same form.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.clock import fixed
from reverie.config import Settings
from reverie.errors import InvalidInput
from reverie.learn.detect.judge import Judge
from reverie.learn.memories.queue import Queue
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.measure.result import (
    SEED,
    Measurement,
    Record,
    Row,
    Table,
    bootstrap,
    labelled,
    read_records,
)
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


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, and the words that answer it in one session of one project."""

    session: str
    project: str
    question: str
    span: str


def measure_pairs(
    corpus: Path, labels: Path, *, budget: int = 4_096, seed: int = SEED
) -> Measurement:
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
            learned = sum(1 for p in pairs if any(_flat(p.span) in text for text in texts))
            return Measurement(
                "retrieval",
                (
                    _table("Without the question", UNASKED, pairs, seed,
                           lambda p, s, n: asking.hit(p, "", s, n)),
                    _table("With the question", ASKED, pairs, seed,
                           lambda p, s, n: asking.hit(p, p.question, s, n)),
                ),
                seed=seed,
                data=labelled(corpus, labels),
                notes=(
                    f"{len(pairs)} questions, {learned} answered by one of {len(rows)} learned"
                    f" corrections; {budget} characters",
                    "intervals over sessions",
                ),
                records=tuple(asking.records),
            )  # fmt: skip


def _store(home: Path) -> Store:
    return Store.open(f"sqlite:///{home / 'memory.db'}")


class _Asking:
    """Recalls of one corpus; without a question one recall answers for a whole project."""

    def __init__(self, sources: Sources, budget: int) -> None:
        self._sources = sources
        self._budget = budget
        self._seen: dict[tuple[str, str, str, int], str] = {}
        self.records: list[Record] = []

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
        inside = _flat(pair.span) in self._seen[key]
        self.records.append(
            {
                "session": pair.session,
                "question": pair.question,
                "asked": bool(query),
                "strategy": strategy,
                "seed": seed,
                "span": _flat(pair.span),
                "context": self._seen[key],
                "inside": inside,
            }
        )
        return inside


def _flat(text: str) -> str:
    """Without line ends, quotation marks of lines and the escape of `<`."""
    return " ".join(text.replace("\n> ", " ").replace("&lt;", "<").split())


def _pairs(index: Index, corpus: Path, labels: Path) -> list[Pair]:
    records = read_records(labels)
    try:
        asked = [(r["transcript"], r["question"], r["span"]) for r in records if r["question"]]
    except KeyError as error:
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
    title: str,
    strategies: Sequence[str],
    pairs: Sequence[Pair],
    seed: int,
    hit: Callable[[Pair, str, int], bool],
) -> Table:
    hits: dict[str, list[float]] = {}
    for strategy in strategies:
        seeds = range(seed, seed + (SEEDS if strategy == "random" else 1))
        hits[strategy] = [sum(hit(p, strategy, s) for s in seeds) / len(seeds) for p in pairs]
    sessions = [pair.session for pair in pairs]
    rows: list[Row] = []
    for strategy, values in hits.items():
        better = [ours - theirs for ours, theirs in zip(hits["ours"], values, strict=True)]
        rows.append(
            Row(
                strategy,
                (
                    bootstrap(values, sessions, seed=seed),
                    None if strategy == "ours" else bootstrap(better, sessions, seed=seed),
                ),
            )
        )
    return Table(title, ("answered", "ours better by"), tuple(rows))
