"""Tables of fidelity: shares with intervals over sessions, and differences by the paired test."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from reverie.measure.fidelity.questions import Question
from reverie.measure.fidelity.run import Rebuildings, Rebuilt
from reverie.measure.fidelity.strategies import ABLATED, AWARE, BLIND, OURS, WITHOUT
from reverie.measure.result import Cell, Estimate, Row, Table, bootstrap

Value = Callable[[Rebuilt], float | None]  # None: the question does not count


class Point(NamedTuple):
    """Where a figure is taken."""

    pool: str
    aware: bool
    strategy: str
    budget: int


def evidence(case: Rebuilt) -> float | None:
    """Whether the words of the correction stand in it."""
    return float(case.verdict.evidence)


def answer(kind: str) -> Value:
    """Whether the answer stands in it, of questions of one kind."""

    def value(case: Rebuilt) -> float | None:
        return float(case.verdict.answer) if case.question.kind == kind else None

    return value


def misleads(case: Rebuilt) -> float | None:
    """Whether it tells what was superseded and not what took its place."""
    return float(case.verdict.misleads) if case.question.superseded else None


def characters(case: Rebuilt) -> float | None:
    return float(len(case.context.text))


OPEN = answer("open")


class Figures:
    """The values of a run by where they were taken; draws of one strategy are averaged."""

    def __init__(self, cases: Iterable[Rebuilt]) -> None:
        self._at: dict[Point, list[Rebuilt]] = defaultdict(list)
        for case in cases:
            at = Point(case.pool, case.aware, case.context.strategy, case.context.budget)
            self._at[at].append(case)

    def values(self, at: Point, value: Value) -> dict[Question, float]:
        """By question, those that count."""
        sums: dict[Question, list[float]] = defaultdict(list)
        for case in self._at[at]:
            if (number := value(case)) is not None:
                sums[case.question].append(number)
        return {question: sum(some) / len(some) for question, some in sums.items()}

    def share(self, at: Point, value: Value, seed: int) -> Estimate | None:
        """The mean over questions, None where none counts."""
        return estimate(self.values(at, value), seed)

    def difference(self, point: Point, other: Point, value: Value, seed: int) -> Estimate | None:
        """By how much one is better, over the same questions."""
        ours, others = self.values(point, value), self.values(other, value)
        return estimate({question: ours[question] - others[question] for question in ours}, seed)


def estimate(values: Mapping[Question, float], seed: int) -> Estimate | None:
    """A mean with its interval over sessions; None without values."""
    if not values:
        return None
    return bootstrap(list(values.values()), [q.transcript for q in values], seed=seed)


def tables(run: Rebuildings) -> list[Table]:
    """What a reader wants first stands first."""
    figures = Figures(run.contexts)
    names = list(dict.fromkeys(case.pool for case in run.contexts))
    results = [_main(run, figures, aware) for aware in (True, False)]
    results += [
        _paired(run, figures, names),
        _against_random(run, figures),
        _ablations(run, figures),
    ]
    for pool in reversed(names):
        results += [_by_budget(run, figures, pool, aware) for aware in (True, False)]
    return results


def _head(aware: bool) -> str:
    return "with the question" if aware else "without the question"


def _strategies(aware: bool) -> Sequence[str]:
    return AWARE if aware else BLIND


def _main(run: Rebuildings, figures: Figures, aware: bool) -> Table:
    budget, seed = run.plan.main, run.plan.seed
    kinds = (OPEN, answer("yes/no"), answer("half-given"))
    at = Point(run.largest, aware, OURS, budget)
    counts = [len(figures.values(at, value)) for value in (evidence, *kinds, misleads)]
    rows: list[Row] = []
    for strategy in _strategies(aware):
        at = at._replace(strategy=strategy)
        sizes = figures.values(at, characters)
        cells: list[Cell] = [
            *(figures.share(at, value, seed) for value in (evidence, *kinds, misleads)),
            round(sum(sizes.values()) / len(sizes)),
        ]
        rows.append(Row(strategy, tuple(cells)))
    labels = ("correction inside", "answer inside", "yes/no", "half-given", "superseded told")
    return Table(
        f"fidelity {_head(aware)}, {budget} characters, pool {run.largest}",
        (*(f"{name} ({n})" for name, n in zip(labels, counts, strict=True)), "characters"),
        tuple(rows),
    )


def _by_budget(run: Rebuildings, figures: Figures, pool: str, aware: bool) -> Table:
    columns = [(f"{what} {budget}", value, budget)
               for what, value in (("correction", evidence), ("answer", OPEN))
               for budget in run.plan.budgets]  # fmt: skip
    rows = [
        Row(
            strategy,
            tuple(
                figures.share(Point(pool, aware, strategy, budget), value, run.plan.seed)
                for _, value, budget in columns
            ),
        )
        for strategy in _strategies(aware)
    ]
    title = f"{_head(aware)}, pool {pool}"
    return Table(title, tuple(name for name, *_ in columns), tuple(rows))


def _paired(run: Rebuildings, figures: Figures, names: Sequence[str]) -> Table:
    rows: list[Row] = []
    for pool in reversed(names):
        for other in AWARE:
            for budget in run.plan.budgets if other != OURS else ():
                point = Point(pool, True, OURS, budget)
                cells = _compared(run, figures, point, point._replace(strategy=other))
                rows.append(Row(f"− {other}, {budget}, pool {pool}", cells))
    note = "Paired bootstrap over sessions: leads or trails where the interval leaves 0 out."
    return Table("ours with the question", _COMPARED, tuple(rows), note)


_COMPARED = ("correction inside", "it", "answer inside", "it then")


def _compared(
    run: Rebuildings, figures: Figures, point: Point, other: Point
) -> tuple[Cell, Cell, Cell, Cell]:
    differences = [
        figures.difference(point, other, value, run.plan.seed) for value in (evidence, OPEN)
    ]
    return differences[0], verdict(differences[0]), differences[1], verdict(differences[1])


def verdict(difference: Estimate | None) -> str:
    """What an interval of a difference says."""
    if difference is None:
        return ""
    return "leads" if difference.low > 0 else "trails" if difference.high < 0 else "level"


def _against_random(run: Rebuildings, figures: Figures) -> Table:
    at = Point(run.largest, False, "random", run.plan.main)
    rows = [
        Row(strategy, _compared(run, figures, at._replace(strategy=strategy), at))
        for strategy in BLIND
        if strategy != "random"
    ]
    title = f"better than random without the question, {run.plan.main}, pool {run.largest}"
    return Table(title, _COMPARED, tuple(rows))


def _ablations(run: Rebuildings, figures: Figures) -> Table:
    at = Point(run.largest, False, "mixture", run.plan.main)
    rows = [
        Row(
            f"without {name.removeprefix(WITHOUT)}",
            _compared(run, figures, at._replace(strategy=name), at),
        )
        for name in ABLATED
    ]
    title = f"the mixture without one of its signals, {run.plan.main}, pool {run.largest}"
    return Table(
        title, _COMPARED, tuple(rows), "A signal that helps makes the mixture trail without it."
    )
