"""Folds: held-out scores, whole projects at a time.

Nothing of a project that is scored is seen in training. The calibration and the thresholds of a
fold come from its training part alone, and there again from projects held out in turn.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from reverie.data import sections
from reverie.errors import InvalidInput, NotFound
from reverie.language.cues import human_cues
from reverie.learn.detect.context import scenes
from reverie.learn.detect.features import features
from reverie.learn.detect.judge import LEAST, Head, is_speech
from reverie.learn.statements.lasting import (
    Marked,
    deciding_features,
    marked_of,
    sentence_features,
)
from reverie.learn.statements.utterance import hear
from reverie.measure.fit import Array, Line, calibrate, fit, sigmoid
from reverie.measure.references import same_sentence
from reverie.sessions.logs.discover import logs_in
from reverie.sessions.model import Turn
from reverie.sessions.readers.agents import by_agent

Places = NDArray[np.intp]
Key = tuple[str, int, str]  # transcript, line, turn

DIGITS = 5  # of a weight
# What fewer use is a habit of one team, and might say whose.
MIN_PROJECTS = 2
MIN_SESSIONS = 5
# By its worth alone, what is written without review is somewhat less likely kept than not; with the
# forms that may be written at all, and beside nothing that frames it, four of five are kept.
SURE = 0.33
# An implicit correction is told as a mistake when it is right this often in held-out projects.
RIGHT = 0.85


class Spoken(NamedTuple):
    """One sentence as a second, stricter reader labelled it."""

    text: str
    act: str
    keep: str


@dataclass(frozen=True, slots=True)
class Label:
    """What readers said of one human turn."""

    transcript: str
    line: int
    turn: str
    correction: str
    durable: str
    sentences: tuple[Spoken, ...] = ()  # none where nobody read sentence by sentence
    taught: str = "none"  # the correction from which the stricter reader made a memory

    @property
    def project(self) -> str:
        """The first folder of the transcript: one per repository."""
        return self.transcript.split("/", 1)[0]

    @property
    def key(self) -> Key:
        return self.transcript, self.line, self.turn

    @property
    def strict(self) -> bool:
        """Whether the stricter reader would keep something of it."""
        return any(sentence.keep != "none" for sentence in self.sentences)

    @property
    def corrects(self) -> bool:
        """Whether the stricter reader saw a correction."""
        return self.taught != "none" or any(
            sentence.act == "correction" for sentence in self.sentences
        )


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled turn as the detector sees it; `row` is empty when rules alone decide."""

    label: Label
    text: str
    row: dict[str, float]
    sentences: tuple[dict[str, float], ...] = ()
    kept: tuple[bool, ...] = ()  # by the stricter reader, for each sentence


def read_labels(file: Path) -> list[Label]:
    """The labels of a `labels.jsonl`, with those of a `sentences.jsonl` beside it, by place.

    Raises:
        NotFound: there is no such file.
        InvalidInput: a line is not a label.
    """
    if not file.is_file():
        raise NotFound(f"there is no label file {file}")
    spoken: dict[Key, list[Spoken]] = {}
    for key, (text, act, keep) in _beside(file, "sentences.jsonl", "text", "act", "keep"):
        spoken.setdefault(key, []).append(Spoken(text, act, keep))
    taught = {
        key: correction for key, (correction,) in _beside(file, "memories.jsonl", "correction")
    }
    labels = [
        Label(*key, correction, durable, tuple(spoken.get(key, ())), taught.get(key, "none"))
        for key, (correction, durable) in _records(file, "correction", "durable")
    ]
    return sorted(labels, key=lambda label: label.key)


def _beside(file: Path, name: str, *wanted: str) -> Iterator[tuple[Key, list[str]]]:
    """The records of another file of the same folder; none if it is not there."""
    other = file.with_name(name)
    return _records(other, *wanted) if other.is_file() else iter(())


def _records(file: Path, *wanted: str) -> Iterator[tuple[Key, list[str]]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            data = cast("dict[str, Any]", json.loads(line))
            key = (data["transcript"], data["line"], data["turn"])
            yield key, [data[name] for name in wanted]
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{file}:{number} is not a label: {error}") from None


def examples(corpus: Path, labels: list[Label]) -> list[Example]:
    """The labelled turns that the readers find under `corpus`, in the order of their places."""
    wanted: dict[str, dict[tuple[int, str], Label]] = {}
    for label in labels:
        wanted.setdefault(label.transcript, {})[label.line, label.turn] = label
    sample: list[Example] = []
    for log in sorted(logs_in(corpus).logs, key=lambda log: log.relative):
        if log.relative in wanted:
            turns = list(by_agent(log.agent).open(log.path, part=log.part))
            sample.extend(_labelled(turns, wanted[log.relative]))
    return sample


def _labelled(turns: list[Turn], wanted: dict[tuple[int, str], Label]) -> Iterator[Example]:
    cues = human_cues()
    for scene in scenes(turns):
        heard = hear(scene.turn.text)
        label = wanted.get((scene.turn.line, scene.turn.kind))
        if label is not None and not is_speech(scene, heard):
            yield Example(label, scene.turn.text, {})
        elif label is not None:
            parts = marked_of(heard, cues)
            yield Example(
                label,
                scene.turn.text,
                features(scene, heard, cues, parts)[0],
                tuple(sentence_features(part, len(parts)) for part in parts),
                _kept(parts, label),
            )


def _kept(parts: Sequence[Marked], label: Label) -> tuple[bool, ...]:
    """Which sentences are worth keeping; where nobody read them one by one, the likeliest."""
    if label.sentences or label.durable == "none":
        return tuple(is_kept(part.sentence.text, label) for part in parts)
    best = max(range(len(parts)), key=lambda at: parts[at].weight, default=-1)
    return tuple(at == best for at in range(len(parts)))


def is_kept(quote: str, label: Label) -> bool:
    """Whether words share more than half with a sentence that the stricter reader keeps."""
    return any(
        sentence.keep != "none" and same_sentence(quote, sentence.text)
        for sentence in label.sentences
    )


# Directions: for each head, which features may speak for it and which against it.
@dataclass(frozen=True, slots=True)
class Direction:
    """The two sides of one head, features the ridge holds back less, and how much it holds back."""

    speaks_for: frozenset[str]
    speaks_against: frozenset[str]
    trusted: Mapping[str, float]
    penalty: float

    @property
    def names(self) -> frozenset[str]:
        return self.speaks_for | self.speaks_against

    def signs(self, names: Sequence[str]) -> list[int]:
        """+1, -1 or 0 for each feature."""
        return [(n in self.speaks_for) - (n in self.speaks_against) for n in names]


def _direction(head: str, penalty: float, trusted: Mapping[str, float] | None = None) -> Direction:
    sides = sections("directions.txt")
    up, down = sides[f"{head} for"], sides[f"{head} against"]
    return Direction(frozenset(up.split()), frozenset(down.split()), trusted or {}, penalty)


HEADS = {
    "keep": _direction("keep", 250.0, {"s:best": 4.0, "impersonal": 2.0}),
    "correction": _direction("correction", 300.0),
    "explicit": _direction("explicit", 200.0),  # of a correction: does it say what is right?
    "decide": _direction("decide", 40.0, {"worth": 2.0}),  # of what lasts: is it worth a decision?
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of features as arrays; of turns, or of their sentences."""

    names: tuple[str, ...]
    rows: Array
    projects: tuple[str, ...]
    sessions: tuple[str, ...]
    turns: Places  # which turn each row belongs to

    def take(self, places: Places) -> "Table":
        """Only these rows."""
        return Table(
            self.names,
            self.rows[places],
            tuple(self.projects[int(i)] for i in places),
            tuple(self.sessions[int(i)] for i in places),
            self.turns[places],
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


def turn_table(sample: Sequence[Example]) -> Table:
    """A row per turn."""
    return _table(sample, [example.row for example in sample], np.arange(len(sample)))


def sentence_table(sample: Sequence[Example]) -> Table:
    """A row per sentence: its own features and those of its turn."""
    rows = [{**example.row, **row} for example in sample for row in example.sentences]
    turns = [at for at, example in enumerate(sample) for _ in example.sentences]
    return _table([sample[at] for at in turns], rows, np.array(turns, dtype=np.intp))


def decide_table(
    sample: Sequence[Example], sentences: Table, logits: Array, threshold: float
) -> Table:
    """The best sentence of each turn that lasts, or of all turns where none does."""
    scores = sigmoid(logits)
    best = {
        int(turn): int(at)
        for at, turn in sorted(
            enumerate(sentences.turns), key=lambda pair: (logits[pair[0]], -pair[0])
        )
    }
    lasting = {turn: at for turn, at in best.items() if scores[at] >= threshold} or best
    turns = sorted(lasting)
    rows: list[dict[str, float]] = []
    for turn in turns:
        at = lasting[turn]
        places = np.flatnonzero(sentences.turns == turn)
        more = deciding_features(float(logits[at]), int((scores[places] >= threshold).sum()))
        sentence = sample[turn].sentences[int(at - places[0])]
        rows.append({**sample[turn].row, **sentence, **more})
    return _table([sample[turn] for turn in turns], rows, np.array(turns, dtype=np.intp))


def _table(sample: Sequence[Example], rows: Sequence[dict[str, float]], turns: Places) -> Table:
    """Names in alphabetical order, whatever the order in the code."""
    names = tuple(sorted({name for row in rows for name in row}))
    numbers = np.array([[row.get(name, 0.0) for name in names] for row in rows], dtype=np.float64)
    projects = tuple(example.label.project for example in sample)
    return Table(
        names, numbers, projects, tuple(example.label.transcript for example in sample), turns
    )


@dataclass(frozen=True, slots=True)
class Fitted:
    """A calibrated line with its thresholds, as the model file keeps it."""

    line: Line
    threshold: float
    sure: float

    def head(self, names: Sequence[str]) -> Head:
        """The line as the detector uses it; weights that round to nothing are left out."""
        rounded = (
            (name, round(float(w), DIGITS))
            for name, w in zip(names, self.line.weights, strict=True)
        )
        weights = {name: weight for name, weight in rounded if weight}
        return Head(round(self.line.bias, DIGITS), weights, self.threshold, self.sure)


def fit_line(data: Table, truth: Array, direction: Direction) -> Line:
    """A line on all of `data` that keeps to the directions of its head."""
    trust = [direction.trusted.get(name, 1.0) for name in data.names]
    signs = [
        sign if data.is_common(place) else 0
        for place, sign in enumerate(direction.signs(data.names))
    ]
    return fit(data.rows, truth, signs, trust, direction.penalty)


def held_out(data: Table, truth: Array, direction: Direction) -> Array:
    """Log-odds of each row from a line fitted without its project."""
    logits = np.zeros(len(truth))
    names = np.array(data.projects)
    for name in sorted(set(data.projects)):
        fold, rest = np.flatnonzero(names == name), np.flatnonzero(names != name)
        logits[fold] = fit_line(data.take(rest), truth[rest], direction).logits(data.rows[fold])
    return logits


def fit_calibrated(
    data: Table,
    truth: Array,
    direction: Direction,
    readings: Sequence[Array],
    sure: float = 0.0,
) -> tuple[Fitted, Array]:
    """A line on all of `data`, and the log-odds of each row with its project held out.

    Calibration and thresholds come from these: `threshold` is best for the turns' `readings`; where
    no `sure` is given, it is from where on they are right.
    """
    logits = held_out(data, truth, direction)
    # A probability of a turn is that of the first reading, whatever it was fitted to.
    whole = len(data.turns) == len(readings[0])
    slope, shift = calibrate(logits, readings[0] if whole else truth)
    line = fit_line(data, truth, direction)
    scores = sigmoid(slope * logits + shift)
    turns = best_of_turns(scores, data.turns, len(readings[0]))
    sure = sure or sure_threshold(turns, np.max(np.stack(readings), axis=0), RIGHT)
    scaled = Line(slope * line.bias + shift, slope * line.weights)
    return Fitted(scaled, best_threshold(turns, readings), sure), slope * logits + shift


def best_of_turns(scores: Array, turns: Places, total: int, least: float = 0.0) -> Array:
    """For each turn the highest of its rows."""
    best = np.full(total, least)
    np.maximum.at(best, turns, scores)
    return best


def best_threshold(scores: Array, readings: Sequence[Array]) -> float:
    """The middle of the thresholds whose F1 is within 0.02 of the best: a plateau, not a peak."""
    steps = np.arange(0.03, 0.80, 0.005)
    values = np.array(
        [
            np.mean([f1((scores >= step).astype(np.float64), reading) for reading in readings])
            for step in steps
        ]
    )
    good = steps[values >= values.max() - 0.02]
    return round(float(np.median(good)), 3)


def sure_threshold(scores: Array, truth: Array, wanted: float) -> float:
    """The lowest threshold from which precision stays at least `wanted`."""
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


def train(sample: Sequence[Example]) -> dict[str, tuple[Table, Fitted]]:
    """All heads, fitted on these examples."""
    spoken = [example for example in sample if example.row]
    sentences = sentence_table(spoken)
    kept = np.array([float(k) for example in spoken for k in example.kept])
    labels = [example.label for example in spoken]
    durable = np.array([float(label.durable != "none") for label in labels])
    strict = np.array([float(label.strict) for label in labels])
    wrong = np.array([float(label.correction != "none") for label in labels])
    corrects = np.array([float(label.corrects) for label in labels])
    explicit = np.array([float(label.correction == "explicit") for label in labels])
    lasting = (durable, strict) if strict.any() else (durable,)
    keep, logits = fit_calibrated(sentences, kept, HEADS["keep"], lasting, SURE)
    worth = best_of_turns(logits, sentences.turns, len(spoken), LEAST)
    turns = turn_table(spoken)
    worth_table = replace(turns, names=("worth",), rows=worth.reshape(-1, 1))
    waiting = decide_table(spoken, sentences, logits, keep.threshold)
    either = np.max(np.stack(lasting), axis=0)[waiting.turns]
    slope, shift = calibrate(worth, durable)
    lasts = Fitted(Line(shift, np.array([slope])), 0.5, 0.5)
    readings = (wrong, corrects) if corrects.any() else (wrong,)
    correction, _ = fit_calibrated(turns, np.mean(readings, axis=0), HEADS["correction"], readings)
    # What is right is only asked of corrections.
    asked = np.flatnonzero(wrong > 0)
    only = replace(turns.take(asked), turns=np.arange(len(asked)))
    right = explicit[asked]
    some, _ = fit_calibrated(only, right, HEADS["explicit"], (right,))
    asked_for = replace(waiting, turns=np.arange(len(either)))
    decide, _ = fit_calibrated(asked_for, either, HEADS["decide"], (either,))
    return {
        "keep": (sentences, keep),
        "decide": (waiting, decide),
        "durable": (worth_table, lasts),
        "correction": (turns, correction),
        "explicit": (turns, some),
    }
