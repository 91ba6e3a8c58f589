"""Detection: how well corrections and lasting statements are found, beside simple baselines.

Ours is scored on projects its model never saw. The shipped model is scored too, as it is; on the
corpus it was trained on that flatters it. Two readers labelled the turns: one turn by turn, a
stricter one sentence by sentence; both are right to differ, so a verdict is taken against each.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reverie.data import patterns
from reverie.errors import InvalidInput
from reverie.language.cues import human_cues
from reverie.learn.detect.judge import Head, Judge, Judgement, shipped
from reverie.measure.fit import Array
from reverie.measure.folds import Example, Key, Label, Places, examples, is_kept, read_labels, train
from reverie.sessions.discover import logs_in
from reverie.sessions.readers.agents import by_agent

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
    """One detector against the labels; F1 is the mean of both readings."""

    detector: str
    correction_f1: Estimate
    correction_precision: Estimate
    correction_recall: Estimate
    correction_auc: Estimate
    durable_f1: Estimate
    durable_precision: Estimate
    durable_recall: Estimate
    durable_auc: Estimate
    write_precision: Estimate | None  # right by either reading,
    write_strict: Estimate | None  # by the stricter one,
    write_recall: Estimate | None  # of what either keeps
    sentence: Estimate | None  # the right sentence, where the turn is right


@dataclass(frozen=True, slots=True)
class Report:
    """All detectors, and how many labels the readers found."""

    labelled: int
    found: int
    corrections: int
    durable: int
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class _Answers:
    """What one detector says of each example: how likely, and yes or no."""

    correction: Array
    corrects: Array
    worth: Array
    lasts: Array
    written: Array | None = None
    quoted: Array | None = None  # 1 right sentence, 0 wrong one, NaN not asked


@dataclass(frozen=True, slots=True)
class _Truth:
    """The two readings."""

    wrong: Array
    wrong_strictly: Array
    lasting: Array
    lasting_strictly: Array


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
    read = [example.label for example in found]
    truth = _Truth(
        _flags(read, lambda label: label.correction != "none"),
        _flags(read, lambda label: label.corrects),
        _flags(read, lambda label: label.durable != "none"),
        _flags(read, lambda label: label.strict),
    )
    draws = _draws([label.transcript for label in read], rounds)
    keyword = np.array([float(bool(_RE.keywords.search(e.text))) for e in found])
    cue = np.array([float(bool(_RE.cues.search(e.text))) for e in found])
    refused = _flags(read, lambda label: label.turn == "reject_feedback")
    both = np.maximum(cue, refused)
    answers = {
        "keyword list": _Answers(keyword, keyword, keyword, keyword),
        "cue phrases and refused calls": _Answers(both, both, cue, cue),
        "ours, projects held out": _judged(corpus, found, _held_out(found)),
        "the shipped model, as it is": _judged(corpus, found, lambda _: shipped()),
    }
    return Report(
        labelled=len(wanted),
        found=len(found),
        corrections=int(truth.wrong.sum()),
        durable=int(truth.lasting.sum()),
        results=tuple(_result(name, one, truth, draws) for name, one in answers.items()),
    )


def _flags(labels: Sequence[Label], test: Callable[[Label], bool]) -> Array:
    return np.array([float(test(label)) for label in labels])


def _held_out(found: Sequence[Example]) -> Callable[[str], Mapping[str, Head]]:
    """For each project the heads of a model that saw all others."""

    def heads(project: str) -> Mapping[str, Head]:
        fitted = train([one for one in found if one.label.project != project])
        return {name: one.head(table.names) for name, (table, one) in fitted.items()}

    return heads


def _judged(
    corpus: Path, found: Sequence[Example], heads: Callable[[str], Mapping[str, Head]]
) -> _Answers:
    """What a judge says of each example, with the heads for its project."""
    judges: dict[str, Judge] = {}
    verdicts: dict[Key, Judgement] = {}
    wanted = {example.label.transcript: example.label.project for example in found}
    for log in logs_in(corpus).logs:
        if (project := wanted.get(log.relative)) is None:
            continue
        if project not in judges:
            judges[project] = Judge(heads(project), human_cues())
        turns = list(by_agent(log.agent).open(log.path, part=log.part))
        for verdict in judges[project].session(turns):
            turn = turns[verdict.turn_index]
            verdicts[log.relative, turn.line, turn.kind] = verdict
    rows = [_answer(verdicts[example.label.key], example.label) for example in found]
    return _Answers(*(np.array(column) for column in zip(*rows, strict=True)))


def _answer(verdict: Judgement, label: Label) -> tuple[float, ...]:
    best = verdict.best
    asked = best is not None and label.strict
    return (
        verdict.correction.score,
        float(verdict.correction.label != "none"),
        verdict.worth,
        float(best is not None),
        float(best is not None and best.sure),
        float(is_kept(best.quote, label)) if asked and best is not None else np.nan,
    )


def _result(name: str, one: _Answers, truth: _Truth, draws: Sequence[Places]) -> Result:
    columns: list[list[float]] = []
    for places in draws:
        strictly, either = truth.lasting_strictly[places], _either(truth)[places]
        wrong = _measures(
            one.corrects[places],
            one.correction[places],
            (truth.wrong[places], truth.wrong_strictly[places]),
        )
        lasting = _measures(one.lasts[places], one.worth[places], (truth.lasting[places], strictly))
        written = [0.0] * 4
        if one.written is not None and one.quoted is not None:
            wrote, quoted = one.written[places], one.quoted[places]
            _, right, recall = _against(wrote, either)
            asked = quoted[~np.isnan(quoted)]
            written = [right, _against(wrote, strictly)[1], recall]
            written.append(float(asked.mean()) if len(asked) else 0.0)
        columns.append([*wrong, *lasting, *written])
    estimates = [
        Estimate(column[0], *(float(x) for x in np.quantile(column[1:] or column, [0.025, 0.975])))
        for column in (list(values) for values in zip(*columns, strict=True))
    ]
    return Result(name, *estimates[:8], *(estimates[8:] if one.written is not None else [None] * 4))


def _either(truth: _Truth) -> Array:
    return np.maximum(truth.lasting, truth.lasting_strictly)


def _measures(yes: Array, scores: Array, readings: tuple[Array, Array]) -> list[float]:
    """Mean F1 of the readings that found anything; precision, recall and AUC of the first."""
    told = [one for one in readings if one.any()] or [readings[0]]
    mean = float(np.mean([_against(yes, one)[0] for one in told]))
    _, precision, recall = _against(yes, readings[0])
    return [mean, precision, recall, auc(scores, readings[0])]


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
