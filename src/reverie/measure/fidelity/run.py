"""Every history is rebuilt by every strategy under every budget, and each context is judged.

One history is learned once and rebuilt in one process; several are done side by side.
"""

import gzip
import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from reverie.errors import InvalidInput
from reverie.measure.fidelity.histories import Pool, learned, pools
from reverie.measure.fidelity.questions import Judge, Question, Verdict, read_questions
from reverie.measure.fidelity.strategies import ABLATED, AWARE, BLIND, Packing, contexts
from reverie.measure.result import labelled

BUDGETS = (1_024, 2_048, 4_096, 8_192)
SIZES = (30, 100, 400, None)
FEW = 4  # histories for which starting processes costs more than it saves


@dataclass(frozen=True, slots=True)
class Plan:
    """What is rebuilt."""

    budgets: tuple[int, ...] = BUDGETS
    sizes: tuple[int | None, ...] = SIZES
    seed: int = 7

    @property
    def main(self) -> int:
        """The budget of the tables that stand for all: 4 kB, or what is nearest to it."""
        return min(self.budgets, key=lambda budget: abs(budget - 4_096))


class Rebuilt(NamedTuple):
    """One context that was made for one question, and what it holds."""

    question: Question
    pool: str
    aware: bool  # whether the strategy saw the question
    context: Packing
    verdict: Verdict


class Rebuildings(NamedTuple):
    """All contexts of one run."""

    contexts: list[Rebuilt]
    plan: Plan
    largest: str  # name of the pool with the most sessions
    data: dict[str, str]


def rebuild(corpus: Path, labels: Path, plan: Plan) -> Rebuildings:
    """Learn every history, rebuild it in every way, and judge by words.

    Raises:
        InvalidInput: no question belongs to a log, or a budget or a size holds nothing.
    """
    if min(plan.budgets) < 1 or any(size is not None and size < 1 for size in plan.sizes):
        raise InvalidInput("a budget and a pool hold at least one")
    questions = read_questions(labels)
    histories = pools(corpus, questions, plan.sizes, plan.seed)
    largest = histories[-1].name
    work = partial(_rebuilt, corpus, plan, largest)
    with _workers(len(histories)) as workers:
        cases = [case for part in workers.map(work, histories) for case in part]
    data = labelled(corpus, labels) | {
        "sessions": str(len(histories[-1].logs)),
        "questions": str(len({case.question.id for case in cases})),
    }
    return Rebuildings(cases, plan, largest, data)


def _workers(tasks: int) -> Executor:
    count = min(os.cpu_count() or 1, tasks)
    if count < 2 or tasks < FEW:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


def _rebuilt(corpus: Path, plan: Plan, largest: str, pool: Pool) -> list[Rebuilt]:
    cases: list[Rebuilt] = []
    with learned(corpus, pool) as home:
        rebuilding, blind = contexts(home, plan.budgets, BLIND, plan.seed)
        if pool.name == largest:
            blind += contexts(home, [plan.main], ABLATED, plan.seed)[1]
        for context in blind:
            judge = Judge(context.text)
            cases += [Rebuilt(q, pool.name, False, context, judge.of(q)) for q in pool.questions]
        for question in pool.questions:
            for strategy in AWARE:
                for budget in plan.budgets:
                    text = rebuilding.aware(strategy, budget, question.text)
                    verdict = Judge(text).of(question)
                    context = Packing(strategy, budget, text)
                    cases.append(Rebuilt(question, pool.name, True, context, verdict))
    return cases


def write_contexts(file: Path, cases: Sequence[Rebuilt]) -> None:
    """One line for each question, strategy, budget and pool, for whoever judges for themselves.

    A file that ends in `.gz` is compressed.
    """
    with _opened(file) as write:
        for line in _lines(cases):
            write(line.encode("utf-8", "replace"))


@contextmanager
def _opened(file: Path) -> Generator[Callable[[bytes], object]]:
    with file.open("wb") as stream:
        if file.suffix != ".gz":
            yield stream.write
            return
        # Without name and moment, so that the same contexts give the same bytes.
        with gzip.GzipFile("", "wb", 6, stream, 0) as packed:
            yield packed.write


def _lines(cases: Iterable[Rebuilt]) -> Iterator[str]:
    for question, pool, aware, context, _ in cases:
        record = {
            "question": question.id,
            "session": question.transcript,
            "kind": question.kind,
            "strategy": context.strategy,
            "aware": aware,
            "budget": context.budget,
            "pool": pool,
            "draw": context.draw,
            "evidence": question.evidence,
            "answer_words": question.telling,
            "superseded": question.superseded,
            "text": context.text,
        }
        yield json.dumps(record, ensure_ascii=False) + "\n"
