"""Detection: how well corrections and lasting statements are found, beside simple baselines.

Ours is scored on turns its model never saw: whole sessions held out, and whole projects. The
shipped model is scored too, as it is; on the corpus it was trained on that flatters it.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reverie.data import patterns
from reverie.errors import InvalidInput
from reverie.learn.detect.records import judged_records
from reverie.measure.fit import Array
from reverie.measure.folds import (
    CORRECTION,
    DURABLE,
    SURE,
    Example,
    Places,
    examples,
    nested,
    project_folds,
    read_labels,
    session_folds,
    table,
    truths,
)

_RE = patterns("detector.txt", "detection")

ROUNDS = 400  # of the bootstrap
SEED = 7


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval over resampled sessions."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Result:
    """One detector against the labels."""

    detector: str
    correction_f1: Estimate
    correction_precision: Estimate
    correction_recall: Estimate
    correction_auc: Estimate
    durable_f1: Estimate
    durable_precision: Estimate
    durable_recall: Estimate
    durable_auc: Estimate
    write_precision: Estimate | None
    write_recall: Estimate | None


@dataclass(frozen=True, slots=True)
class Report:
    """All detectors, and how many labels the readers found."""

    labelled: int
    found: int
    corrections: int
    durable: int
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """Scores, yes/no and sure/unsure of one head, one number per example."""

    scores: Array
    yes: Array
    sure: Array | None = None


def detection(corpus: Path, labels: Path, rounds: int = ROUNDS) -> Report:
    """Measure every detector on the labelled turns under `corpus`.

    Raises:
        NotFound: there is no such folder or label file.
        InvalidInput: a line of the file is not a label, or none is of a turn found there.
    """
    wanted = read_labels(labels)
    found = examples(corpus, wanted)
    if not found:
        raise InvalidInput(f"none of the {len(wanted)} labels belongs to a turn under {corpus}")
    truth = truths(found)
    draws = _draws([e.label.transcript for e in found], rounds)

    def result(name: str, correction: _Answer, durable: _Answer) -> Result:
        wrong = _measures(correction, truth["correction"], draws)
        lasting = _measures(durable, truth["durable"], draws)
        written = lasting[4:] if durable.sure is not None else (None, None)
        return Result(name, *wrong[:4], *lasting[:4], *written)

    refused = [e.label.turn == "reject_feedback" for e in found]
    keyword = _answer([bool(_RE.keywords.search(e.text)) for e in found])
    cue = [bool(_RE.cues.search(e.text)) for e in found]
    both = _answer([a or b for a, b in zip(cue, refused, strict=True)])
    results = [
        result("keyword list", keyword, keyword),
        result("cue phrases and refused calls", both, _answer(cue)),
        result("ours, projects held out", *_held_out(found, truth, project_folds)),
        result("ours, sessions held out", *_held_out(found, truth, session_folds)),
        result("the shipped model, as it is", *_shipped(corpus, found)),
    ]
    return Report(
        labelled=len(wanted),
        found=len(found),
        corrections=int(truth["correction"].sum()),
        durable=int(truth["durable"].sum()),
        results=tuple(results),
    )


def _answer(yes: Sequence[bool]) -> _Answer:
    numbers = np.array(yes, dtype=np.float64)
    return _Answer(numbers, numbers)


def _held_out(
    found: Sequence[Example],
    truth: dict[str, Array],
    split: Callable[[Sequence[str]], list[Places]],
) -> tuple[_Answer, _Answer]:
    """Both heads, each example answered by a model that saw nothing of its session or project."""
    places = np.array([i for i, e in enumerate(found) if e.row])
    data = table([found[int(i)] for i in places])
    groups = data.projects if split is project_folds else data.sessions
    folds = split(groups)
    correction = nested(data, truth["correction"][places], CORRECTION, folds, SURE)
    durable = nested(data, truth["durable"][places], DURABLE, folds, SURE)
    return (_spread(correction, places, len(found)), _spread(durable, places, len(found)))


def _spread(parts: tuple[Array, Array, Array], places: Places, total: int) -> _Answer:
    """Answers on the spoken examples, with no for the ones that rules had decided."""
    full: list[Array] = []
    for part in parts:
        numbers = np.zeros(total)
        numbers[places] = part
        full.append(numbers)
    return _Answer(full[0], full[1], full[2])


def _shipped(corpus: Path, found: Sequence[Example]) -> tuple[_Answer, _Answer]:
    judged = {(r["transcript"], r["line"], r["turn"]): r for r in judged_records(corpus)}
    records = [judged.get((e.label.transcript, e.label.line, e.label.turn)) for e in found]

    def column(part: str, key: str) -> list[object]:
        return [record[part][key] if record else None for record in records]

    def scores(part: str) -> Array:
        values = column(part, "score")
        return np.array([v if isinstance(v, float) else 0.0 for v in values], dtype=np.float64)

    def yes(part: str) -> Array:
        return np.array([float(v not in {None, "none"}) for v in column(part, "label")])

    written = np.array([float(bool(value)) for value in column("durable", "write")])
    return (
        _Answer(scores("correction"), yes("correction")),
        _Answer(scores("durable"), yes("durable"), written),
    )


def _draws(sessions: Sequence[str], rounds: int) -> list[Places]:
    """Places of all examples, then of `rounds` samples of whole sessions with replacement."""
    groups: dict[str, list[int]] = {}
    for place, session in enumerate(sessions):
        groups.setdefault(session, []).append(place)
    names = sorted(groups)
    chance = random.Random(SEED)  # noqa: S311  (a fixed sample, not a secret)
    drawn = [np.arange(len(sessions))]
    for _ in range(rounds):
        picked = chance.choices(names, k=len(names))
        drawn.append(np.array([place for name in picked for place in groups[name]]))
    return drawn


def _measures(answer: _Answer, truth: Array, draws: Sequence[Places]) -> list[Estimate]:
    """F1, precision, recall, AUC, and precision and recall of what is sure."""
    columns: list[list[float]] = [[] for _ in range(6)]
    for places in draws:
        real = truth[places]
        values = [*_against(answer.yes[places], real), auc(answer.scores[places], real)]
        sure = answer.sure[places] if answer.sure is not None else np.zeros(len(real))
        values.extend(_against(sure, real)[1:])
        for column, value in zip(columns, values, strict=True):
            column.append(value)
    return [
        Estimate(column[0], *(float(x) for x in np.quantile(column[1:] or column, [0.025, 0.975])))
        for column in columns
    ]


def _against(yes: Array, truth: Array) -> tuple[float, float, float]:
    """(F1, precision, recall)"""
    right = float((yes * truth).sum())
    precision = right / float(yes.sum()) if yes.any() else 0.0
    recall = right / float(truth.sum()) if truth.any() else 0.0
    together = precision + recall
    return (2 * precision * recall / together if together else 0.0), precision, recall


def auc(scores: Array, truth: Array) -> float:
    """The chance that a yes scores above a no; ties count half."""
    positive, negative = scores[truth > 0], np.sort(scores[truth <= 0])
    if not len(positive) or not len(negative):
        return 0.5
    below = np.searchsorted(negative, positive, side="left")
    upto = np.searchsorted(negative, positive, side="right")
    return float((below + upto).sum() / 2 / len(positive) / len(negative))
