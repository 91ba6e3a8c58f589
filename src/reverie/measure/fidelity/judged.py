"""With engines: one answers from a context alone, others judge, and nobody is told the strategy.

A judge of the answerer's own family is refused, for it likes what it would have said itself.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from reverie.data import pairs
from reverie.engines.protocol import Prompt
from reverie.errors import InvalidInput, Refused
from reverie.learn.work.asking import (
    MOST_JUDGED,
    Given,
    answer_prompt,
    judge_prompt,
    read_reply,
    read_verdicts,
)
from reverie.measure.fidelity.questions import Question
from reverie.measure.fidelity.strategies import WITHOUT
from reverie.measure.result import Estimate, Row, Table, bootstrap

TRIES = 3  # answers of an engine, if what it says is not of the form
AGREE = 0.6  # κ above which two judges mean the same
RISE = 0.05  # of retention, above which other weights are worth it
NOTHING, WHOLE = "empty context (guessing)", "full session (ceiling)"

_MODELS = pairs("families.txt", "models")
_ENGINES = dict(pairs("families.txt", "engines"))


class Thinker(NamedTuple):
    """An engine that is asked."""

    engine: str
    model: str
    ask: Callable[[Prompt], str]

    @property
    def family(self) -> str:
        """Who made the model; its name itself where nobody is known to have."""
        name = self.model.lower().rpartition("/")[2]
        by_model = next((family for start, family in _MODELS if name.startswith(start)), "")
        return by_model or _ENGINES.get(self.engine, "") or name or self.engine

    def __str__(self) -> str:
        return f"{self.engine}:{self.model} ({self.family})"


class Asked(NamedTuple):
    """A context from which a question is to be answered."""

    question: Question
    strategy: str
    aware: bool
    context: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of it: an answer, and what each judge says; no answer is not judged."""

    asked: Asked
    answer: str
    right: tuple[bool, ...]


def check_families(answerer: Thinker, judges: Sequence[Thinker], *, same_family: bool) -> str:
    """What has to be said of who judges whom.

    Raises:
        InvalidInput: there is no judge.
        Refused: a judge is of the answerer's family, and that was not agreed to.
    """
    if not judges:
        raise InvalidInput("an answerer needs a judge", hint="--judge ENGINE[:MODEL]")
    alike = [judge for judge in judges if judge.family == answerer.family]
    if alike and not same_family:
        raise Refused(
            f"{alike[0]} is of the family of the answerer, {answerer}",
            hint="choose a judge of another family, or --same-family, which the figures will say",
        )
    who = f"answered by {answerer}, judged by {' and '.join(map(str, judges))}"
    return f"SAME FAMILY: {who}; a judge likes its own" if alike else who


def judged(
    asked: Sequence[Asked], answerer: Thinker, judges: Sequence[Thinker], seed: int
) -> list[Judged]:
    """Have every question answered from its context, and the answers judged, all in drawn order."""
    answers = _answers(asked, answerer, seed)
    answered = {
        (case.question.id, answer): Given(case.question.text, case.question.answer, answer)
        for case, answer in zip(asked, answers, strict=True)
        if answer
    }
    verdicts = [_verdicts(answered, judge, seed + 1 + n) for n, judge in enumerate(judges)]
    return [
        Judged(
            case,
            answer,
            tuple(bool(answer) and verdict_of[case.question.id, answer] for verdict_of in verdicts),
        )
        for case, answer in zip(asked, answers, strict=True)
    ]


def _answers(asked: Sequence[Asked], answerer: Thinker, seed: int) -> list[str]:
    # Strategies that packed the same are answered the same, and cost one call.
    pieces = sorted({(case.question.id, case.question.text, case.context) for case in asked})
    _dice(seed).shuffle(pieces)
    replies = {
        (name, context): asked_of(answerer, answer_prompt(question, context), read_reply)
        for name, question, context in pieces
    }
    return [replies[case.question.id, case.context] for case in asked]


Key = tuple[str, str]
Read = TypeVar("Read")


def _verdicts(answered: dict[Key, Given], judge: Thinker, seed: int) -> dict[Key, bool]:
    keys = sorted(answered)
    _dice(seed).shuffle(keys)
    verdicts: dict[Key, bool] = {}
    for start in range(0, len(keys), MOST_JUDGED):
        part = keys[start : start + MOST_JUDGED]
        prompt = judge_prompt([answered[key] for key in part])

        def read(text: str, count: int = len(part)) -> list[bool]:
            return read_verdicts(text, count)

        verdicts |= zip(part, asked_of(judge, prompt, read), strict=True)
    return verdicts


def _dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  (an order, not a secret)


def asked_of(thinker: Thinker, prompt: Prompt, read: Callable[[str], Read]) -> Read:
    """What an engine says, tried again where it is not of the form.

    Raises:
        InvalidInput: it never was.
    """
    for left in reversed(range(TRIES)):
        try:
            return read(thinker.ask(prompt))
        except InvalidInput:
            if not left:
                raise
    raise AssertionError("the last answer is read or not")


def kappa(judge: Sequence[bool], other: Sequence[bool]) -> float | None:
    """Cohen's κ of two judges; None where chance alone explains all there is."""
    count = len(judge)
    if not count:
        return None
    same = sum(a == b for a, b in zip(judge, other, strict=True)) / count
    first, second = sum(judge) / count, sum(other) / count
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (same - chance) / (1 - chance)


def agreement(cases: Sequence[Judged]) -> float | None:
    """κ of the first two judges over what both judged; None with one judge."""
    both = [case.right for case in cases if case.answer and len(case.right) > 1]
    return kappa([right[0] for right in both], [right[1] for right in both]) if both else None


def retention(cases: Sequence[Judged], seed: int) -> Table:
    """The share of questions answered right from each context, by each judge."""
    rows: list[Row] = []
    judges = range(max(len(case.right) for case in cases))
    for aware, strategy in dict.fromkeys((case.asked.aware, case.asked.strategy) for case in cases):
        some = [case for case in cases if case.asked[1:3] == (strategy, aware)]
        shares = [_share(some, judge, seed) for judge in judges]
        silent = sum(not case.answer for case in some) / len(some)
        name = f"{strategy}, question seen" if aware else strategy
        rows.append(Row(name, (*shares, silent)))
    columns = (*(f"right by judge {judge + 1}" for judge in judges), "unknown")
    return Table("retention, judged by engines", columns, tuple(rows))


def _share(cases: Sequence[Judged], judge: int, seed: int) -> Estimate:
    values = [float(case.right[judge]) for case in cases]
    return bootstrap(values, [case.asked.question.transcript for case in cases], seed=seed)


def recommendation(cases: Sequence[Judged], seed: int) -> list[str]:
    """Which weights should change: only where two judges agree and much more is retained."""
    agreed = agreement(cases)
    note = "κ of the judges: " + ("none, one judge" if agreed is None else f"{agreed:.2f}")
    if agreed is None or agreed <= AGREE:
        return [f"{note}; no weight is recommended to change: that needs κ > {AGREE}"]
    shares = {
        strategy: _share([o for o in cases if o.asked[1:3] == (strategy, False)], 0, seed).value
        for strategy in dict.fromkeys(o.asked.strategy for o in cases if not o.asked.aware)
    }
    base = shares.get("mixture")
    ablated = {name: share for name, share in shares.items() if name.startswith(WITHOUT)}
    if base is None or not ablated:
        return [f"{note}; no ablation was judged"]
    best = max(ablated, key=lambda name: (ablated[name], name))
    rise = ablated[best] - base
    signal = best.removeprefix(WITHOUT)
    if rise <= RISE:
        return [
            f"{note}; no weight is recommended to change: the best, without {signal}, retains"
            f" {100 * rise:+.1f} points, and more than {100 * RISE:.0f} are needed"
        ]
    return [f"{note}; recommended: signals.{signal} = 0, which retains {100 * rise:+.1f} points"]
