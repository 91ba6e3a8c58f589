"""Judge: for each human turn of a session, is it a correction, and is it worth remembering?

Rules decide what is near certain (machine text is neither); linear heads decide the rest.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from reverie.config import Learn
from reverie.data import FOLDER, weighed
from reverie.errors import InvalidInput
from reverie.language.words import Said, content, said, unquoted, words
from reverie.learn.detect.context import Scene, scenes
from reverie.learn.detect.cues import Cues, human_cues
from reverie.learn.detect.features import EARLIER, features
from reverie.learn.detect.premise import EVENTS, Premise, premise_of
from reverie.learn.statements import kinds
from reverie.learn.statements.gist import gist_of
from reverie.learn.statements.lesson import lesson_of, stands_alone
from reverie.sessions.model import Turn

LOOKS_BACK = EARLIER  # human turns a judgement may depend on
LOOKS_BACK_TURNS = EVENTS  # and turns of any kind
CorrectionLabel = Literal["none", "explicit", "implicit"]
DurableLabel = Literal["none", "project", "global"]

# How far a phrase from `learn.cues` moves the log-odds of a correction.
OWN_CUE = 2.0
NEARLY = 0.05  # how likely a turn teaches anything, from which it is kept without a label
LIKELY = 0.5  # from which an explicit correction is told as a mistake; an implicit one must be sure


# Heads: linear questions in plain numbers, so that no training library is needed to use them.
FILE = FOLDER / "detector.json"
FORM = 1  # of the file; another form is refused


@dataclass(frozen=True, slots=True)
class Head:
    """One linear question: weights on raw features, then a calibrating line, then the logistic."""

    bias: float
    weights: Mapping[str, float]
    threshold: float  # probability from which the answer counts as yes
    sure: float  # probability from which it may be acted on unasked

    def score(self, row: Mapping[str, float], lift: float = 0.0) -> float:
        """The probability of yes; `lift` is added before the logistic."""
        total = self.bias + lift
        weights = self.weights
        for name, value in row.items():
            if value:
                total += value * weights.get(name, 0.0)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@cache
def shipped() -> Mapping[str, Head]:
    """The heads of this version by name, read once per process."""
    return load(FILE)


def load(path: Path) -> Mapping[str, Head]:
    """Read the heads `correction`, `explicit` and `durable` of a model file.

    Raises:
        InvalidInput: the file is not a model of this form.
    """
    try:
        data = json.loads(path.read_bytes())
        if data["form"] != FORM:
            raise InvalidInput(f"{path} has form {data['form']}, this version reads {FORM}")
        names = data["features"]
        return {
            name: Head(
                bias=head["bias"],
                weights=dict(zip(names, head["weights"], strict=True)),
                threshold=head["threshold"],
                sure=head["sure"],
            )
            for name, head in data["heads"].items()
        }
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not a detector model: {error}") from None


# Span: the words of a human turn that carry the correction, verbatim.
WHOLE = 160  # characters up to which a turn is its own span
LONGEST = 400

_PIECE = re.compile(r"[^\n.!?]+(?:[.!?]+(?!\s)[^\n.!?]+)*[.!?]*")


def span_of(text: str, own: Said, cues: Cues, agent: frozenset[str]) -> str:
    """The whole of a short turn, else its sentence with most against the agent's words.

    The sentence after it comes along when it goes on with the same subject and both are short.
    """
    stripped = text.strip()
    if len(stripped) <= WHOLE and "\n\n" not in stripped and unquoted(text) == text:
        return stripped
    source = own.prose or stripped
    pieces = [match.group().strip() for match in _PIECE.finditer(source)]
    pieces = [piece for piece in pieces if any(c.isalpha() for c in piece)]
    if not pieces:
        return stripped[:LONGEST]
    scores = [_weight(piece, cues, agent) for piece in pieces]
    best = max(range(len(pieces)), key=lambda place: (scores[place], -place))
    chosen = pieces[best]
    following = best + 1
    if following < len(pieces) and scores[following] > 0.6 * scores[best] > 0:
        joined = _joined(source, chosen, pieces[following])
        # Between the two there may have stood pasted lines that are not part of the prose.
        chosen = joined if len(joined) <= LONGEST and joined in text else chosen
    return chosen[:LONGEST]


def _weight(piece: str, cues: Cues, agent: frozenset[str]) -> float:
    found = words(piece)
    counts = cues.counted(found)
    cue = weighed("detector.txt", "span.weights", counts)
    echo = min(4, len(content(found) & agent))
    return cue + 0.4 * echo + min(1.0, len(found) / 12)


def _joined(source: str, first: str, second: str) -> str:
    """Both sentences as they stand in the text, with what is between them."""
    start = source.find(first)
    end = source.find(second, start)
    return source[start : end + len(second)] if start >= 0 and end >= 0 else first


@dataclass(frozen=True, slots=True)
class CorrectionVerdict:
    """Whether a turn says that the agent was wrong."""

    score: float
    label: CorrectionLabel
    premise: Premise | None
    span: str
    sure: bool = False  # enough to be told as a mistake without a question


@dataclass(frozen=True, slots=True)
class DurableVerdict:
    """Whether a turn holds something for later sessions; the texts are empty when it does not."""

    score: float
    label: DurableLabel
    write: bool  # sure enough to be written without review
    type: str
    kind: str
    lesson: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """All verdicts on one human turn."""

    turn_index: int
    line: int
    correction: CorrectionVerdict
    durable: DurableVerdict
    standing: bool
    confirms: bool
    gist: str = ""  # what it says in one line, of those worth keeping

    @property
    def worth_keeping(self) -> bool:
        """Corrections, lasting statements, and what is nearly one."""
        labelled = self.correction.label != "none" or self.durable.label != "none"
        teaches = 1.0 - (1.0 - self.correction.score) * (1.0 - self.durable.score)
        return labelled or teaches >= NEARLY


class Judge:
    """The heads with the user's cues; keeps nothing between sessions."""

    def __init__(self, heads: Mapping[str, Head], cues: Cues) -> None:
        self._heads = heads
        self._cues = cues

    @classmethod
    def load(cls, settings: Learn) -> "Judge":
        """The shipped model, with the cues added and forbidden in the settings."""
        return cls(shipped(), human_cues(settings.cues, settings.not_cues))

    def session(self, turns: Sequence[Turn], since: int = 0, spoken: int = 0) -> list[Judgement]:
        """One judgement per spoken human turn from the place `since` on, in order.

        `turns` is the whole session, or the end of one in which so many had `spoken` before. A
        judgement looks back as far as `LOOKS_BACK` says, and ahead to the next human turn.
        """
        judged: list[Judgement] = []
        earlier: list[Said] = []
        for scene in scenes(turns):
            scene.position += spoken
            own = said(scene.turn.text)
            if scene.index >= since:
                judged.append(self._turn(scene, turns, own, earlier))
            earlier.append(own)
        return judged

    def _turn(
        self, scene: Scene, turns: Sequence[Turn], own: Said, earlier: Sequence[Said]
    ) -> Judgement:
        if not is_speech(scene, own):
            return _silent(scene)
        row, added = features(scene, own, earlier, self._cues)
        heads = self._heads
        wrong = heads["correction"].score(row, OWN_CUE if added else 0.0)
        correction = self._correction(scene, turns, own, row, wrong)
        durable = self._durable(own, row, correction)
        judged = Judgement(
            turn_index=scene.index,
            line=scene.turn.line,
            correction=correction,
            durable=durable,
            standing=durable.label != "none" and kinds.is_standing(own),
            confirms=correction.label == "none" and scene.position > 0 and kinds.confirms(own),
        )
        return replace(judged, gist=gist_of(own, self._cues)) if judged.worth_keeping else judged

    def _correction(
        self, scene: Scene, turns: Sequence[Turn], own: Said, row: dict[str, float], score: float
    ) -> CorrectionVerdict:
        heads = self._heads
        if score < heads["correction"].threshold:
            return CorrectionVerdict(score, "none", None, "")
        explicit = heads["explicit"]
        label = "explicit" if explicit.score(row) >= explicit.threshold else "implicit"
        agent = content(words(scene.before))
        span = span_of(scene.turn.text, own, self._cues, agent)
        sure = score >= (LIKELY if label == "explicit" else heads["correction"].sure)
        return CorrectionVerdict(score, label, premise_of(scene, turns, own, span), span, sure)

    def _durable(
        self, own: Said, row: dict[str, float], correction: CorrectionVerdict
    ) -> DurableVerdict:
        head = self._heads["durable"]
        score = head.score(row)
        lesson = lesson_of(own, correction.span or own.prose.strip(), self._cues)
        unaided = may_stand_unreviewed(row, lesson)
        # What a person states as a rule is a memory at once, whatever the model makes of it.
        if unaided and kinds.is_standing(own):
            score = max(score, head.sure)
        if score < head.threshold:
            return DurableVerdict(score, "none", False, "", "", "")
        kind = kinds.kind_of(own, correction.label == "explicit")
        return DurableVerdict(
            score=score,
            label="global" if kinds.is_global(own) else "project",
            write=unaided and score >= head.sure,
            type=kinds.type_of(kind, own),
            kind=kind,
            lesson=lesson,
        )


def may_stand_unreviewed(row: dict[str, float], lesson: str) -> bool:
    """Whether a turn is of the sort that may be written without review, if it is sure enough.

    A person's own statement, neither asked nor doubted, whose line can be understood alone.
    """
    refused = ("impersonal", "templated", "question_end", "start:wait", "start:doubt")
    if any(row[name] for name in refused) or not row["say:plain"]:
        return False
    return stands_alone(lesson)


def is_speech(scene: Scene, own: Said) -> bool:
    """False for commands, `!shell` lines and turns that are pasted or injected machine text."""
    if scene.turn.kind in {"command", "shell"} or scene.turn.typed == "injected":
        return False
    text = scene.turn.text.lstrip()
    if text.startswith("<") and ">" in text[:60] and own.share < 0.5:
        return False
    return bool(own.words)


def _silent(scene: Scene) -> Judgement:
    return Judgement(
        turn_index=scene.index,
        line=scene.turn.line,
        correction=CorrectionVerdict(0.0, "none", None, ""),
        durable=DurableVerdict(0.0, "none", False, "", "", ""),
        standing=False,
        confirms=False,
    )
