"""Premise: what of the agent's words or acts a human turn answers, verbatim and with its place."""

import json
import re
from dataclasses import dataclass

from reverie.learn.context import Scene
from reverie.learn.words import Said, content, words
from reverie.sessions.model import Tool

LONGEST = 400  # characters of a premise

_PIECE = re.compile(r"[^.!?\n](?:[^.!?\n]|[.!?](?!\s))*[.!?:]*")
_LIST_MARK = " \t-*•>#|"
# The argument of a call that says most, by the order agents name them.
_TELLING = ("command", "cmd", "file_path", "path", "filePath", "pattern", "query", "url", "plan")


@dataclass(frozen=True, slots=True)
class Premise:
    """The agent's words or act, and the line of the log that holds them."""

    text: str
    line: int


def premise_of(scene: Scene, own: Said) -> Premise | None:
    """The refused call, else the sentence of the agent's last text that the turn speaks about."""
    if scene.refused and scene.call is not None:
        sentence = _best_sentence(scene, own)
        if sentence is not None and sentence[1] >= 2:
            return Premise(sentence[0], scene.before_line)
        return Premise(call_line(scene.call), scene.call_line)
    sentence = _best_sentence(scene, own)
    if sentence is not None:
        return Premise(sentence[0], scene.before_line)
    if scene.call is not None:
        return Premise(call_line(scene.call), scene.call_line)
    return None


def call_line(tool: Tool) -> str:
    """A tool call in one line: `Bash: npm test`."""
    for key in _TELLING:
        value = tool.input.get(key)
        if isinstance(value, str) and value.strip():
            return _clip(f"{tool.name}: {' '.join(value.split())}")
    if not tool.input:
        return tool.name
    shown = json.dumps(tool.input, ensure_ascii=False, sort_keys=True, default=str)
    return _clip(f"{tool.name}: {shown}")


def _best_sentence(scene: Scene, own: Said) -> tuple[str, float] | None:
    """The sentence that shares most with the turn; among equals the last, as people answer it."""
    best: tuple[float, int, str] | None = None
    for place, match in enumerate(_PIECE.finditer(scene.before)):
        text = match.group().strip(_LIST_MARK)
        found = content(words(text))
        if not found:
            continue
        shared = len(found & own.content)
        score = shared / (1.0 + 0.04 * len(found))
        if best is None or (score, place) >= best[:2]:
            best = (score, place, text)
    if best is None:
        return None
    return _clip(best[2]), best[0]


def _clip(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
