"""Folds: held-out scores, whole sessions or whole projects at a time.

Nothing of a session that is scored is seen in training, and with `by project` nothing of its
repository. The calibration and the thresholds of a fold come from its training part alone.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from reverie.data import sections
from reverie.errors import InvalidInput, NotFound
from reverie.language.cues import human_cues
from reverie.language.words import Said, said
from reverie.learn.detect.context import scenes
from reverie.learn.detect.features import features
from reverie.learn.detect.judge import is_speech, may_stand_unreviewed
from reverie.learn.statements.lesson import lesson_of
from reverie.measure.fit import Array, Flags, Line, calibrate, fit, sigmoid
from reverie.sessions.discover import logs_in
from reverie.sessions.model import Turn
from reverie.sessions.readers.agents import by_agent

Places = NDArray[np.intp]

PARTS = 5
SEED = 20_261_115
# What fewer use is a habit of one team, and might say whose.
MIN_PROJECTS = 2
MIN_SESSIONS = 5
# What is written without review must be right this often in held-out sessions.
SURE = 0.85


# Examples: labelled human turns with their features.
@dataclass(frozen=True, slots=True)
class Label:
    """What a reader said of one human turn."""

    transcript: str
    line: int
    turn: str
    correction: str
    durable: str
    span: str
    type: str
    kind: str

    @property
    def project(self) -> str:
        """The first folder of the transcript: one per repository."""
        return self.transcript.split("/", 1)[0]


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled turn as the detector sees it; `row` is empty when rules alone decide."""

    label: Label
    text: str
    row: dict[str, float]
    writable: bool  # of the sort that may be written without review


def read_labels(file: Path) -> list[Label]:
    """The labels of a `labels.jsonl`, sorted by place.

    Raises:
        NotFound: there is no such file.
        InvalidInput: a line is not a label.
    """
    if not file.is_file():
        raise NotFound(f"there is no label file {file}")
    found: list[Label] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            data = cast("dict[str, Any]", json.loads(line))
            found.append(
                Label(
                    transcript=data["transcript"],
                    line=data["line"],
                    turn=data["turn"],
                    correction=data["correction"],
                    durable=data["durable"],
                    span=data.get("span") or "",
                    type=data.get("type") or "",
                    kind=data.get("kind") or "",
                )
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{file}:{number} is not a label: {error}") from None
    return sorted(found, key=lambda label: (label.transcript, label.line, label.turn))


def examples(corpus: Path, labels: list[Label]) -> list[Example]:
    """The labelled turns that the readers find under `corpus`, in the order of their places."""
    wanted: dict[str, dict[tuple[int, str], Label]] = {}
    for label in labels:
        wanted.setdefault(label.transcript, {})[label.line, label.turn] = label
    found: list[Example] = []
    for log in sorted(logs_in(corpus).logs, key=lambda log: log.relative):
        if log.relative in wanted:
            turns = list(by_agent(log.agent).open(log.path, part=log.part))
            found.extend(_labelled(turns, wanted[log.relative]))
    return found


def _labelled(turns: list[Turn], wanted: dict[tuple[int, str], Label]) -> Iterator[Example]:
    cues = human_cues()
    earlier: list[Said] = []
    for scene in scenes(turns):
        own = said(scene.turn.text)
        label = wanted.get((scene.turn.line, scene.turn.kind))
        if label is not None:
            row: dict[str, float] = {}
            writable = False
            if is_speech(scene, own):
                row = features(scene, own, earlier, cues)[0]
                writable = may_stand_unreviewed(row, lesson_of(own, own.prose.strip(), cues))
            yield Example(label, scene.turn.text, row, writable)
        earlier.append(own)


# Directions: for each head, which features may speak for it and which against it.
@dataclass(frozen=True, slots=True)
class Direction:
    """The two sides of one head, and features the ridge holds back less."""

    speaks_for: frozenset[str]
    speaks_against: frozenset[str]
    trusted: Mapping[str, float]

    def signs(self, names: Sequence[str]) -> list[int]:
        """+1, -1 or 0 for each feature."""
        return [(n in self.speaks_for) - (n in self.speaks_against) for n in names]


def _direction(head: str, trusted: Mapping[str, float] | None = None) -> Direction:
    sides = sections("directions.txt")
    up, down = sides[f"{head} for"], sides[f"{head} against"]
    return Direction(frozenset(up.split()), frozenset(down.split()), trusted or {})


CORRECTION = _direction("correction")
DURABLE = _direction("durable", {"say:best": 4.0, "impersonal": 2.0})
EXPLICIT = _direction("explicit")  # of a correction: does it say what is right?
HEADS = {"correction": CORRECTION, "durable": DURABLE, "explicit": EXPLICIT}


@dataclass(frozen=True, slots=True)
class Table:
    """Examples as arrays."""

    names: tuple[str, ...]
    rows: Array
    projects: tuple[str, ...]
    sessions: tuple[str, ...]
    writable: Flags

    def take(self, places: Places) -> "Table":
        """Only these examples."""
        return Table(
            self.names,
            self.rows[places],
            tuple(self.projects[int(i)] for i in places),
            tuple(self.sessions[int(i)] for i in places),
            self.writable[places],
        )

    def is_common(self, column: int) -> bool:
        """False for a family of phrases that too few projects or sessions use."""
        kind, _, family = self.names[column].partition(":")
        if kind not in {"cue", "start"}:
            return True
        places = np.flatnonzero(self.rows[:, self.names.index(f"cue:{family}")])
        projects = {self.projects[int(i)] for i in places}
        sessions = {self.sessions[int(i)] for i in places}
        return len(projects) >= MIN_PROJECTS and len(sessions) >= MIN_SESSIONS


@dataclass(frozen=True, slots=True)
class Fitted:
    """A calibrated line with its thresholds, as the model file keeps it."""

    line: Line
    threshold: float
    sure: float

    def scores(self, rows: Array) -> Array:
        """Calibrated probabilities."""
        return sigmoid(self.line.logits(rows))


def table(examples: Sequence[Example]) -> Table:
    """The feature table; names in alphabetical order, whatever the order in the code."""
    names = tuple(sorted({name for example in examples for name in example.row}))
    rows = np.array([[e.row.get(name, 0.0) for name in names] for e in examples], dtype=np.float64)
    return Table(
        names,
        rows,
        tuple(e.label.project for e in examples),
        tuple(e.label.transcript for e in examples),
        np.array([e.writable for e in examples], dtype=bool),
    )


def truths(examples: Sequence[Example]) -> dict[str, Array]:
    """The answer of each head for each example."""
    return {
        "correction": np.array([float(e.label.correction != "none") for e in examples]),
        "durable": np.array([float(e.label.durable != "none") for e in examples]),
        "explicit": np.array([float(e.label.correction == "explicit") for e in examples]),
    }


def session_folds(sessions: Sequence[str], parts: int = PARTS, seed: int = SEED) -> list[Places]:
    """Held-out places, whole sessions together, in `parts` folds of like size."""
    names = sorted(set(sessions))
    random.Random(seed).shuffle(names)  # noqa: S311  (a fixed split, not a secret)
    part = {name: place % parts for place, name in enumerate(names)}
    where = np.array([part[name] for name in sessions])
    return [np.flatnonzero(where == number) for number in range(parts)]


def project_folds(projects: Sequence[str]) -> list[Places]:
    """Held-out places, one fold per project."""
    names = np.array(projects)
    return [np.flatnonzero(names == name) for name in sorted(set(projects))]


def fit_line(data: Table, truth: Array, direction: Direction) -> Line:
    """A line on all of `data` that keeps to the directions of its head."""
    trust = [direction.trusted.get(name, 1.0) for name in data.names]
    signs = [
        sign if data.is_common(place) else 0
        for place, sign in enumerate(direction.signs(data.names))
    ]
    return fit(data.rows, truth, signs, trust)


def held_out_logits(
    data: Table, truth: Array, direction: Direction, folds: Sequence[Places]
) -> Array:
    """Log-odds of each example from a line fitted without its fold."""
    logits = np.zeros(len(truth))
    everything = np.arange(len(truth))
    for fold in folds:
        if not len(fold):
            continue
        rest = np.setdiff1d(everything, fold)
        line = fit_line(data.take(rest), truth[rest], direction)
        logits[fold] = line.logits(data.rows[fold])
    return logits


def fit_calibrated(
    data: Table, truth: Array, direction: Direction, wanted_precision: float, repeats: int = 3
) -> Fitted:
    """A line on all of `data`; calibration and thresholds from held-out sessions inside it."""
    logits = np.mean(
        [
            held_out_logits(
                data, truth, direction, session_folds(data.sessions, seed=SEED + repeat)
            )
            for repeat in range(repeats)
        ],
        axis=0,
    )
    slope, shift = calibrate(logits, truth)
    held_out = sigmoid(slope * logits + shift)
    line = fit_line(data, truth, direction)
    scaled = Line(slope * line.bias + shift, slope * line.weights)
    places = np.flatnonzero(data.writable)
    sure = sure_threshold(held_out[places], truth[places], wanted_precision)
    return Fitted(scaled, best_threshold(held_out, truth), sure)


def nested(
    data: Table,
    truth: Array,
    direction: Direction,
    folds: Sequence[Places],
    wanted_precision: float,
) -> tuple[Array, Array, Array]:
    """(scores, label yes/no, sure yes/no) of each example, all from models that never saw it."""
    scores, yes, sure = (np.zeros(len(truth)) for _ in range(3))
    everything = np.arange(len(truth))
    for fold in folds:
        rest = np.setdiff1d(everything, fold)
        fitted = fit_calibrated(
            data.take(rest), truth[rest], direction, wanted_precision, repeats=1
        )
        scores[fold] = fitted.scores(data.rows[fold])
        yes[fold] = scores[fold] >= fitted.threshold
        sure[fold] = (scores[fold] >= fitted.sure) & data.writable[fold]
    return scores, yes, sure


def best_threshold(scores: Array, truth: Array) -> float:
    """The middle of the thresholds whose F1 is within 0.01 of the best: a plateau, not a peak."""
    steps = np.arange(0.05, 0.80, 0.005)
    values = np.array([f1((scores >= step).astype(np.float64), truth) for step in steps])
    good = steps[values >= values.max() - 0.01]
    return round(float(np.median(good)), 3)


def sure_threshold(scores: Array, truth: Array, wanted: float) -> float:
    """The lowest threshold from which precision stays at least `wanted`, smoothed by one miss."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(truth[order])
    precision = right / (np.arange(len(order)) + 1.0)
    good = np.flatnonzero(precision >= wanted)
    if not len(good):
        return 1.0
    return round(float(scores[order[good[-1]]]), 4)


def f1(yes: Array, truth: Array) -> float:
    """Of a yes/no answer against the truth."""
    right = float((yes * truth).sum())
    total = float(yes.sum() + truth.sum())
    return 2 * right / total if total else 0.0
