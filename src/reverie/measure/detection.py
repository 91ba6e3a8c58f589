"""Detection: how well corrections and lasting statements are found, beside simple baselines.

Ours is scored on projects its model never saw. The shipped model is scored too, as it is; on the
corpus it was trained on that flatters it. Two readers labelled the turns: one turn by turn, a
stricter one sentence by sentence; both are right to differ, so a verdict is taken against each.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reverie.data import patterns
from reverie.errors import InvalidInput
from reverie.language.cues import human_cues
from reverie.learn.detect.judge import Head, Judge, Judgement, shipped
from reverie.measure.fit import Array
from reverie.measure.folds import Example, Key, Label, Places, examples, is_kept, read_labels, train
from reverie.measure.result import (
    ROUNDS,
    SEED,
    Estimate,
    Measurement,
    Row,
    Table,
    draws,
    interval,
    labelled,
)
from reverie.sessions.logs.discover import logs_in
from reverie.sessions.readers.agents import by_agent

_RE = patterns("detector.txt", "detection")

CHOICES = ("F1", "precision", "recall", "AUC")
WRITTEN = ("right by either reading", "right strictly", "recall of either", "right sentence")


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


def measure_detection(
    corpus: Path, labels: Path, *, seed: int = SEED, rounds: int = ROUNDS
) -> Measurement:
    """Measure every detector on the labelled turns under `corpus`.

    Raises:
        NotFound: there is no such folder or label file.
        InvalidInput: a line of the file is not a label, or none is of a turn found there.
    """
    wanted = read_labels(labels)
    sample = examples(corpus, wanted)
    if not sample:
        raise InvalidInput(f"none of the {len(wanted)} labels belongs to a turn under {corpus}")
    read = [example.label for example in sample]
    truth = _Truth(
        _flags(read, lambda label: label.correction != "none"),
        _flags(read, lambda label: label.corrects),
        _flags(read, lambda label: label.durable != "none"),
        _flags(read, lambda label: label.strict),
    )
    sessions = [label.transcript for label in read]
    places = [np.array(drawn) for drawn in draws(sessions, rounds=rounds, seed=seed)]
    estimates = {
        name: _estimates(answers, truth, places) for name, answers in _detectors(corpus, sample)
    }
    return Measurement(
        "detection",
        (
            _table("Is it a correction?", CHOICES, estimates, 0),
            _table("Is it worth remembering?", CHOICES, estimates, 4),
            _table("What is written without asking", WRITTEN, estimates, 8),
        ),
        seed=seed,
        data=labelled(corpus, labels, "sentences.jsonl", "memories.jsonl"),
        notes=(
            f"{len(sample)} of {len(wanted)} labelled turns read:"
            f" {int(truth.wrong.sum())} corrections, {int(truth.lasting.sum())} worth remembering",
            "F1 is the mean of both readings; precision, recall and AUC are of the first",
            "intervals over sessions",
        ),
    )


def _table(
    title: str, columns: tuple[str, ...], estimates: Mapping[str, list[Estimate]], start: int
) -> Table:
    """One question of the three; a detector that does not answer it has no row."""
    rows = [
        Row(name, tuple(values[start : start + len(columns)]))
        for name, values in estimates.items()
        if len(values) > start
    ]
    return Table(title, columns, tuple(rows))


def _detectors(corpus: Path, sample: Sequence[Example]) -> Iterator[tuple[str, _Answers]]:
    keyword = np.array([float(bool(_RE.keywords.search(e.text))) for e in sample])
    cue = np.array([float(bool(_RE.cues.search(e.text))) for e in sample])
    refused = _flags([e.label for e in sample], lambda label: label.turn == "reject_feedback")
    both = np.maximum(cue, refused)
    yield "keyword list", _Answers(keyword, keyword, keyword, keyword)
    yield "cue phrases and refused calls", _Answers(both, both, cue, cue)
    yield "ours, projects held out", _judged(corpus, sample, held_out(sample))
    yield "the shipped model, as it is", _judged(corpus, sample, lambda _: shipped())


def _flags(labels: Sequence[Label], test: Callable[[Label], bool]) -> Array:
    return np.array([float(test(label)) for label in labels])


def held_out_of(corpus: Path, labels: Path) -> Callable[[str], Mapping[str, Head]]:
    """For each project the heads of a model that saw the labels of all others."""
    return held_out(examples(corpus, read_labels(labels)))


def held_out(sample: Sequence[Example]) -> Callable[[str], Mapping[str, Head]]:
    """For each project the heads of a model that saw all others."""

    def heads(project: str) -> Mapping[str, Head]:
        fitted = train([example for example in sample if example.label.project != project])
        return {name: fit.head(table.names) for name, (table, fit) in fitted.items()}

    return heads


def _judged(
    corpus: Path, sample: Sequence[Example], heads: Callable[[str], Mapping[str, Head]]
) -> _Answers:
    """What a judge says of each example, with the heads for its project."""
    judges: dict[str, Judge] = {}
    verdicts: dict[Key, Judgement] = {}
    wanted = {example.label.transcript: example.label.project for example in sample}
    for log in logs_in(corpus).logs:
        if (project := wanted.get(log.relative)) is None:
            continue
        if project not in judges:
            judges[project] = Judge(heads(project), human_cues())
        turns = list(by_agent(log.agent).open(log.path, part=log.part))
        for verdict in judges[project].session(turns):
            turn = turns[verdict.turn_index]
            verdicts[log.relative, turn.line, turn.kind] = verdict
    rows = [_answer(verdicts[example.label.key], example.label) for example in sample]
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


def _estimates(answers: _Answers, truth: _Truth, samples: Sequence[Places]) -> list[Estimate]:
    """In the order of the tables' columns."""
    columns: list[list[float]] = []
    for places in samples:
        strictly, either = truth.lasting_strictly[places], _either(truth)[places]
        values = _measures(
            answers.corrects[places],
            answers.correction[places],
            (truth.wrong[places], truth.wrong_strictly[places]),
        )
        lasting = (truth.lasting[places], strictly)
        values += _measures(answers.lasts[places], answers.worth[places], lasting)
        if answers.written is not None and answers.quoted is not None:
            wrote, quoted = answers.written[places], answers.quoted[places]
            _, right, recall = _against(wrote, either)
            asked = quoted[~np.isnan(quoted)]
            values += [right, _against(wrote, strictly)[1], recall]
            values.append(float(asked.mean()) if len(asked) else 0.0)
        columns.append(values)
    return [interval(column) for column in zip(*columns, strict=True)]


def _either(truth: _Truth) -> Array:
    return np.maximum(truth.lasting, truth.lasting_strictly)


def _measures(yes: Array, scores: Array, readings: tuple[Array, Array]) -> list[float]:
    """Mean F1 of the readings that found anything; precision, recall and AUC of the first."""
    telling = [reading for reading in readings if reading.any()] or [readings[0]]
    mean = float(np.mean([_against(yes, reading)[0] for reading in telling]))
    _, precision, recall = _against(yes, readings[0])
    return [mean, precision, recall, auc(scores, readings[0])]


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
