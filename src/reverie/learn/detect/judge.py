"""Judge: is a human turn a correction, and which of its sentences are worth remembering?

Rules decide what is near certain (machine text is neither); linear heads decide the rest: `keep` of
each sentence and `decide` of what is kept, `durable` of a turn by its best one, `correction` and
`explicit` of the turn.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from reverie.data import FOLDER, weighed
from reverie.errors import InvalidInput
from reverie.language.cues import Cues, human_cues
from reverie.language.findings import is_finding
from reverie.language.material import voiced
from reverie.language.words import content, words
from reverie.learn.detect.context import Scene, scenes
from reverie.learn.detect.features import features
from reverie.learn.detect.premise import EVENTS, Premise, premise_of
from reverie.learn.detect.speaker import is_believed, plainly, repeats
from reverie.learn.statements.gist import gist_of
from reverie.learn.statements.kinds import confirms
from reverie.learn.statements.lasting import (
    Marked,
    deciding_features,
    marked_of,
    sentence_features,
)
from reverie.learn.statements.statement import (
    TELLING,
    Around,
    Statement,
    is_framed,
    may_be_written,
    statement,
)
from reverie.learn.statements.together import together
from reverie.learn.statements.utterance import Utterance, hear
from reverie.sessions.model import Turn
from reverie.settings import Learn

LOOKS_BACK = EVENTS  # turns that a judgement may depend on
CorrectionLabel = Literal["none", "explicit", "implicit"]

# How far a phrase from `learn.cues` moves the log-odds of a correction.
OWN_CUE = 2.0
LEAST = -6.0  # log-odds of keeping a turn without a sentence
NEARLY = 0.05  # how likely a turn teaches anything, from which it is kept without a label
# … and from which a session that did not ask is told of it. Below, one turn in fifteen of held-out
# projects teaches anything: orders of the day, questions, symptoms. What is stated gets more room.
UNASKED, STATED = 0.3, 0.1
LIKELY = 0.5  # from which an explicit correction is told as a mistake; an implicit one must be sure


# Heads: linear questions in plain numbers, so that no training library is needed to use them.
FILE = FOLDER / "detector.json"
FORM = 2  # of the file; another form is refused


@dataclass(frozen=True, slots=True)
class Head:
    """One linear question: weights on raw features, then a calibrating line, then the logistic."""

    bias: float
    weights: Mapping[str, float]
    threshold: float  # probability from which the answer counts as yes
    sure: float  # probability from which it may be acted on unasked

    def total(self, row: Mapping[str, float]) -> float:
        """What features add to the log-odds of yes; the bias is not among them."""
        weights = self.weights
        # Exact, so that the order of the features, which hashing decides, does not matter.
        return math.fsum(value * weights.get(name, 0.0) for name, value in row.items() if value)

    def score(self, row: Mapping[str, float], lift: float = 0.0) -> float:
        """The probability of yes; `lift` is added to the log-odds."""
        return likely(self.bias + self.total(row) + lift)


def likely(odds: float) -> float:
    """The probability that log-odds stand for."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


@cache
def shipped() -> Mapping[str, Head]:
    """The heads of this version by name, read once per process."""
    return load(FILE)


def load(path: Path) -> Mapping[str, Head]:
    """Read the heads `keep`, `decide`, `durable`, `correction` and `explicit` of a model file.

    Raises:
        InvalidInput: the file is not a model of this form.
    """
    try:
        data = json.loads(path.read_bytes())
        if data["form"] != FORM:
            raise InvalidInput(f"{path} has form {data['form']}, this version reads {FORM}")
        return {
            name: Head(
                bias=head["bias"],
                weights=head["weights"],
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


def span_of(text: str, utterance: Utterance, cues: Cues, agent: frozenset[str]) -> str:
    """The whole of a short turn, else its sentence with most against the agent's words.

    The sentence after it comes along when it goes on with the same subject and both are short.
    """
    stripped = text.strip()
    if len(stripped) <= WHOLE and "\n\n" not in stripped and voiced(text) == text:
        return stripped
    source = utterance.prose or stripped
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
    tokens = words(piece)
    counts = cues.counted(tokens)
    cue = weighed("detector.txt", "span.weights", counts)
    echo = min(4, len(content(tokens) & agent))
    return cue + 0.4 * echo + min(1.0, len(tokens) / 12)


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
class Judgement:
    """All verdicts on one human turn."""

    turn_index: int
    line: int
    correction: CorrectionVerdict
    confirms: bool
    worth: float = 0.0  # how likely it holds something that lasts
    statements: tuple[Statement, ...] = ()  # in order
    gist: str = ""  # what it says in one line, of those that may teach something

    @property
    def chance(self) -> float:
        """How likely it teaches anything."""
        return 1.0 - (1.0 - self.correction.score) * (1.0 - self.worth)

    @property
    def teaches(self) -> bool:
        """Corrections, lasting statements, and what is nearly one."""
        return self.correction.label != "none" or self.chance >= NEARLY or self.best is not None

    @property
    def told_unasked(self) -> bool:
        """Whether it teaches enough for a session that did not ask."""
        # Where no lexicon reads the words, what they do is not known.
        stated = any(
            remark.act in TELLING or not remark.quote.isascii() for remark in self.statements
        )
        return self.teaches and self.chance >= (STATED if stated else UNASKED)

    @property
    def best(self) -> Statement | None:
        """The statement that the turn is kept for: what is written unasked, else the worthiest."""
        lasting = [remark for remark in self.statements if remark.lasts]
        return max(lasting, key=lambda remark: (remark.sure, remark.worth), default=None)


class Judge:
    """The heads with the user's cues; keeps nothing between sessions."""

    def __init__(self, heads: Mapping[str, Head], cues: Cues, write: str = "rules") -> None:
        self._heads = heads
        self._cues = cues
        self._write = write

    @classmethod
    def load(cls, settings: Learn) -> "Judge":
        """The shipped model, with the cues and the policy of the settings."""
        return cls(shipped(), human_cues(settings.cues, settings.not_cues), settings.write)

    def session(self, turns: Sequence[Turn], since: int = 0, spoken: int = 0) -> list[Judgement]:
        """One judgement per spoken human turn from the place `since` on, in order.

        `turns` is the whole session, or the end of one in which so many had `spoken` before. A
        judgement looks back as far as `LOOKS_BACK` says, and ahead to the next human turn.
        """
        judged: list[Judgement] = []
        for scene in scenes(turns):
            scene.position += spoken
            if scene.index >= since:
                judged.append(self._turn(scene, turns, hear(scene.turn.text)))
        return judged

    def _turn(self, scene: Scene, turns: Sequence[Turn], utterance: Utterance) -> Judgement:
        if not is_speech(scene, utterance):
            return self._of_command(scene)
        parts = marked_of(utterance, self._cues)
        row, added = features(scene, utterance, self._cues, parts)
        looks = [sentence_features(part, len(parts)) for part in parts]
        worths = self._worths(row, looks)
        correction = self._correction(scene, turns, utterance, row, OWN_CUE if added else 0.0)
        confirming = correction.label == "none" and scene.position > 0 and confirms(utterance)
        worth = self._heads["durable"].score({"worth": max(worths, default=LEAST)})
        reviewed = is_finding(scene.turn.text)
        written = reviewed or bool(row["impersonal"] or row["templated"])
        around = Around(utterance.sentences, correction.label != "none", written, reviewed)
        said = [
            self._statement(part, place, likely(odds), around, scene.turn.text)
            for place, (part, odds) in enumerate(zip(parts, worths, strict=True))
        ]
        merits = self._merits(row, looks, worths)
        # What the agent had said in the same words is shown, and answered by the rest.
        agent = plainly(scene.before)
        shown = [
            plainly(part.sentence.text) for part in parts if repeats(part.sentence.text, agent)
        ]
        theirs = [
            not any(text in plainly(f"{remark.quote} {remark.rule}") for text in shown)
            for remark in said
        ]
        statements = tuple(
            remark._replace(
                merit=merit,
                lasts=remark.lasts and is_theirs,
                sure=remark.sure and is_theirs and _is_theirs(turns, scene.index, remark.quote),
            )
            for remark, merit, is_theirs in zip(said, merits, theirs, strict=True)
        )
        statements = together(
            statements,
            scene.turn.text,
            lambda remark: (
                not is_framed(remark.quote, scene.turn.text)
                and _is_theirs(turns, scene.index, remark.quote)
            ),
        )
        judged = Judgement(scene.index, scene.turn.line, correction, confirming, worth, statements)
        if not judged.told_unasked:
            return judged
        return replace(judged, gist=gist_of(utterance, parts, self._cues))

    def _of_command(self, scene: Scene) -> Judgement:
        """What is given to a command may be for it alone: of that a rule waits, at most."""
        if scene.turn.kind != "command":
            return _silent(scene)
        _, _, given = scene.turn.text.partition(" ")
        utterance = hear(given)
        parts = marked_of(utterance, self._cues)
        around = Around(utterance.sentences)
        said = (
            self._statement(part, place, 0.0, around, scene.turn.text)._replace(sure=False)
            for place, part in enumerate(parts)
        )
        rules = tuple(remark for remark in said if remark.standing and remark.lasts)
        return replace(_silent(scene), statements=rules)

    def _statement(
        self, part: Marked, place: int, worth: float, around: Around, turn: str
    ) -> Statement:
        keep = self._heads["keep"]
        said = statement(part, place, worth, around)
        sure = may_be_written(said, self._write, keep.sure) and not is_framed(said.quote, turn)
        ruling = said.telling or (said.standing and not around.written)
        worthy = worth >= keep.threshold and not around.reviewed
        lasts = bool(said.rule) and (sure or ruling or worthy)
        return said._replace(sure=sure, lasts=lasts)

    def _worths(
        self, row: Mapping[str, float], looks: Sequence[Mapping[str, float]]
    ) -> list[float]:
        """Log-odds of keeping each sentence: by the turn it stands in, and its own form."""
        keep = self._heads["keep"]
        around = keep.bias + keep.total(row)
        return [around + keep.total(look) for look in looks]

    def _merits(
        self, row: Mapping[str, float], looks: Sequence[Mapping[str, float]], worths: list[float]
    ) -> list[float]:
        """How much each sentence deserves that a person decides about it: as its turn does, for the
        best one, and the others as much less as they are worth less."""
        if not worths:
            return []
        decide, keep = self._heads["decide"], self._heads["keep"]
        best = max(range(len(worths)), key=worths.__getitem__)
        lasting = sum(likely(odds) >= keep.threshold for odds in worths)
        more = deciding_features(worths[best], lasting)
        merit = likely(decide.bias + sum(decide.total(part) for part in (row, looks[best], more)))
        return [merit * likely(odds) / likely(worths[best]) for odds in worths]

    def _correction(
        self,
        scene: Scene,
        turns: Sequence[Turn],
        utterance: Utterance,
        row: dict[str, float],
        lift: float,
    ) -> CorrectionVerdict:
        head, explicit = self._heads["correction"], self._heads["explicit"]
        score = head.score(row, lift)
        if score < head.threshold:
            return CorrectionVerdict(score, "none", None, "")
        label = "explicit" if explicit.score(row) >= explicit.threshold else "implicit"
        agent = content(words(scene.before))
        span = span_of(scene.turn.text, utterance, self._cues, agent)
        sure = score >= (LIKELY if label == "explicit" else head.sure)
        return CorrectionVerdict(
            score, label, premise_of(scene, turns, utterance, span), span, sure
        )


def is_speech(scene: Scene, utterance: Utterance) -> bool:
    """False for commands, `!shell` lines and turns that are pasted or injected machine text."""
    if scene.turn.kind in {"command", "shell"} or scene.turn.typed == "injected":
        return False
    text = scene.turn.text.lstrip()
    if text.startswith("<") and ">" in text[:60] and utterance.share < 0.5:
        return False
    return bool(utterance.words)


def _is_theirs(turns: Sequence[Turn], at: int, quote: str) -> bool:
    """Whether a quote of a turn is the word of who typed it."""
    return is_believed(turns, at, " ".join(quote.split()))


def _silent(scene: Scene) -> Judgement:
    return Judgement(
        turn_index=scene.index,
        line=scene.turn.line,
        correction=CorrectionVerdict(0.0, "none", None, ""),
        confirms=False,
    )
