"""Premise: what of the agent's words or acts a human turn answers, verbatim and with its place.

Every sentence the agent said since the human last spoke, and every act, is weighed by the words it
shares with the correction: values and names count more, what lies further back less. Questions
about how to go on are answered by everything, and so say nothing about what was wrong.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from reverie.data import patterns
from reverie.language.lexicon import lexicon
from reverie.language.words import content, words
from reverie.learn.detect.context import BEFORE, Scene, call_kind
from reverie.learn.statements.utterance import Utterance
from reverie.learn.traffic.attempts import files_of
from reverie.learn.traffic.commands import clipped
from reverie.learn.traffic.homes import tilde
from reverie.sessions.model import SPOKEN, Tool, Turn

LONGEST = 400  # characters of a premise
LOOKED_BACK = 12  # texts and acts before the turn,
EVENTS = 400  # within so many events
READ = 4_000  # characters of the texts of a call
PIECES = 60  # of one text, from its end

_LIST_MARK = " \t-*•>#|"
# The argument of a call that says most, by the order agents name them.
_TELLING = ("command", "cmd", "file_path", "path", "filePath", "pattern", "query", "url", "plan")
# The arguments that hold what was to be written.
_WRITTEN = ("plan", "new_string", "content", "newString", "file_text", "patch", "input", "body")
_RE = patterns("detector.txt", "premise")
# What a client writes into a log in the agent's name.
_EMPTY = frozenset({"", "no response requested.", "(no content)"})
# Words of corrections as such: sharing them does not make a sentence the one that is meant.
_LIGHT = content(words(lexicon().text("passing.correcting")))

VALUE = 2.0  # how much more a value counts than a word
BESIDE = 0.4  # and a word of the turn outside of what carries the correction
LIGHT = 0.3
CLAIM = 0.15
QUESTION = 0.1
HEADING = 0.7
OPENING = 0.85  # of a list
CODE = 0.6
BACK = 0.7  # per text further back
FAR = 1.5  # what a sentence of an earlier text must share at least
ACT = 0.7


@dataclass(frozen=True, slots=True)
class Premise:
    """The agent's words or act, and the line of the log that holds them."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class _Held:
    """Something the agent said or did, and how well it fits."""

    premise: Premise
    shared: float
    score: float


def premise_of(
    scene: Scene, turns: Sequence[Turn], utterance: Utterance, span: str
) -> Premise | None:
    """What the turn speaks about; with nothing shared, the act it stopped or the last statement."""
    sought = _sought(utterance, span)
    held = list(_said(scene, turns, sought))
    # Among equals the last, as people answer it.
    best = max(reversed(held), key=lambda candidate: candidate.score, default=None)
    if scene.call is None:
        return best.premise if best is not None else None
    act = _act(scene.call, scene.call_line, sought)
    return act.premise if best is None or best.shared < _enough(scene, act) else best.premise


def _enough(scene: Scene, act: _Held) -> float:
    """What a sentence must share to be meant rather than the act that was stopped."""
    if scene.refused:
        return max(2.0, act.shared)
    return 1.0 if scene.interrupted and call_kind(scene.call) != "other" else 0.0


def call_line(tool: Tool) -> str:
    """A tool call in one line: `Bash: npm test`."""
    for key in _TELLING:
        value = tool.input.get(key)
        if isinstance(value, str) and value.strip():
            return clipped(tilde(f"{tool.name}: {' '.join(value.split())}"), LONGEST)
    if not tool.input:
        return tool.name
    shown = json.dumps(tool.input, ensure_ascii=False, sort_keys=True, default=str)
    return clipped(tilde(f"{tool.name}: {shown}"), LONGEST)


def _sought(utterance: Utterance, span: str) -> Mapping[str, float]:
    """The words of a correction by what they weigh."""
    telling = content(words(span)) & utterance.content or utterance.content
    return {word: _weight(word, telling) for word in utterance.content}


def _weight(word: str, telling: frozenset[str]) -> float:
    if word in _LIGHT:
        return LIGHT
    return (1.0 if word in telling else BESIDE) * (VALUE if _RE.value.search(word) else 1.0)


def _said(scene: Scene, turns: Sequence[Turn], sought: Mapping[str, float]) -> Iterator[_Held]:
    """The agent's sentences and acts before the turn, the latest last."""
    recent: list[tuple[Turn, float]] = []
    factor = 1.0
    for turn in reversed(turns[max(0, scene.index - EVENTS) : scene.index]):
        spoken = turn.role == "human" and turn.kind in SPOKEN
        if len(recent) == LOOKED_BACK or (spoken and factor < 1):
            break
        if turn.role == "agent" and _says_something(turn):
            recent.append((turn, factor))
            if turn.kind == "text" and scene.refused:
                break  # a refusal is of the call and of what was said to it
            factor *= BACK if turn.kind == "text" else 1.0
    for turn, weight in reversed(recent):
        if turn.tool is not None:
            act = _act(turn.tool, turn.line, sought)
            if act.shared >= VALUE:
                yield _Held(act.premise, act.shared, act.score * weight * ACT)
        else:
            yield from _sentences(turn, weight, sought)


def _says_something(turn: Turn) -> bool:
    if turn.kind == "text":
        return turn.text.strip().lower() not in _EMPTY
    return turn.kind == "tool_call" and turn.tool is not None


def _sentences(turn: Turn, weight: float, sought: Mapping[str, float]) -> Iterator[_Held]:
    text = turn.text[-BEFORE:]
    fences = [match.start() for match in re.finditer("```", text)]
    for match in list(_RE.piece.finditer(text))[-PIECES:]:
        piece = _RE.numbered.sub("", match.group().strip(_LIST_MARK))
        piece = piece.rstrip("*:") if piece.count("**") % 2 else piece
        shared, score = _fit(piece, sought)
        if score is None or (weight < 1 and shared < FAR):
            continue
        inside = sum(place < match.start() for place in fences) % 2 == 1
        factor = weight * (CODE if inside else HEADING if _RE.heading.match(match.group()) else 1.0)
        yield _Held(Premise(clipped(piece, LONGEST), turn.line), shared, score * factor)


class _Piece(NamedTuple):
    """What a sentence or a line says, whatever is sought in it."""

    content: frozenset[str]
    asks: bool  # how to go on
    claims: bool


# Several human turns in a row look back at the same words.
@lru_cache(maxsize=2048)
def _read(piece: str) -> _Piece:
    asks, claims = _RE.procedure.search(piece), _RE.claim.search(piece)
    return _Piece(content(words(piece)), asks is not None, claims is not None)


def _fit(piece: str, sought: Mapping[str, float]) -> tuple[float, float | None]:
    """How much a sentence shares, and what that is worth; None when it says nothing."""
    stems, asks, claims = _read(piece)
    if not stems:
        return 0.0, None
    # In a fixed order: sums of fractions depend on it.
    shared = sum(sought[word] for word in sorted(stems & sought.keys()))
    score = shared / (1.0 + 0.04 * len(stems))
    if asks:
        return shared * QUESTION, score * QUESTION
    if piece.endswith(":"):
        return shared, score * OPENING
    if shared:
        return shared, score
    # With nothing shared, a statement is meant, and one that says something.
    return 0.0, 0.01 * min(5, len(stems)) + (CLAIM if claims else 0.0)


def _act(tool: Tool, line: int, sought: Mapping[str, float]) -> _Held:
    """A call as a premise: with the line of what it would have written that fits best."""
    whole = call_line(tool)
    shared, score = _fit(f"{whole} {_head(tool)}", sought)
    best = _Held(Premise(whole, line), shared, score or 0.0)
    for key in _WRITTEN:
        value = tool.input.get(key)
        if not isinstance(value, str):
            continue
        for piece in value[:READ].splitlines():
            stripped = piece.strip(_LIST_MARK)
            more, fit = _fit(stripped, sought)
            if fit is not None and more >= 2 and fit > best.score:
                best = _Held(
                    Premise(clipped(tilde(f"{_head(tool)}: {stripped}"), LONGEST), line), more, fit
                )
    return best


def _head(tool: Tool) -> str:
    """The call without what it writes: `Edit app.py`."""
    path = next(iter(files_of(tool)), "").replace("\\", "/")
    return f"{tool.name} {path.rpartition('/')[2]}".strip()
