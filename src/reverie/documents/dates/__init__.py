"""Relative dates in text become absolute, against the moment the text was said.

    absolute_dates("we freeze next Tuesday", at)  →  "we freeze 2026-11-24"

English, German, Spanish, French, Japanese and Chinese; the language is guessed per line. A memory
is read for months, so "tomorrow" in it is worse than nothing; but a duration turned into a date is
worse still. Whatever may be a duration, a habit ("on Fridays"), a name, a version or code is left
alone. Rules, choices and scores: docs/design/dates.md.
"""

import importlib
import re
from datetime import datetime
from functools import cache
from typing import NamedTuple

from reverie.data import pairs, patterns
from reverie.documents.dates.calendar import Moment, Rules

_RE = patterns("dates.txt", "dates")

# Words that are common in one language and rare in the others.
_VOTES = {language: frozenset(words.split()) for language, words in pairs("dates.txt", "common")}
# Words that are enough on their own, for lines too short to vote on.
_CERTAIN = {language: frozenset(words.split()) for language, words in pairs("dates.txt", "telling")}

# Most lines are English, and have no word that speaks for another language.
_SPEAKING = {name: marks | _CERTAIN[name] for name, marks in _VOTES.items()}
_ENGLISH = _SPEAKING.pop("english")
_FOREIGN = frozenset[str]().union(*_SPEAKING.values())

_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class _Found(NamedTuple):
    start: int
    end: int
    text: str


def absolute_dates(text: str, at: datetime) -> str:
    """`text` with every relative date that is surely one written as an ISO date.

    Days are those of `at`'s own zone. The result is stable: a second pass changes nothing.
    """
    if not text:
        return text
    moment = Moment(at)
    shielded = [match.span() for match in _RE.protected.finditer(text)]
    pieces: list[str] = []
    start = 0
    whole = _language(text, "english")
    lines = text.splitlines(keepends=True)
    for line in lines:
        end = start + len(line)
        language = _language(line, whole) if len(lines) > 1 else whole
        pieces.append(_line(text, start, end, shielded, language, moment))
        start = end
    return "".join(pieces)


def _line(
    text: str, start: int, end: int, shielded: list[tuple[int, int]], language: str, moment: Moment
) -> str:
    rules = _rules(language)
    # Most lines have no date: one search tells.
    if not rules.any_of.search(text, start, end):
        return text[start:end]
    phrases: list[_Found] = []
    for rule in rules.every:
        for match in rule.pattern.finditer(text, start, end):
            if any(a < match.end() and match.start() < b for a, b in shielded) or _quoted(match):
                continue
            resolved = rule.resolve(match, moment)
            if resolved is not None:
                phrases.append(_Found(match.start(), match.end(), resolved))
    # Leftmost, then longest: "the day after tomorrow" hides the "tomorrow" in it.
    phrases.sort(key=lambda item: (item.start, -item.end))
    pieces: list[str] = []
    at = start
    for item in phrases:
        if item.start >= at:
            pieces += (text[at : item.start], item.text)
            at = item.end
    pieces.append(text[at:end])
    return "".join(pieces)


def _quoted(match: re.Match[str]) -> bool:
    """Is it the whole of a quotation, as a label or a literal is?"""
    text, a, b = match.string, match.start(), match.end()
    before, after = text[a - 1 : a], text[b : b + 1]
    return (before, after) in {('"', '"'), ("'", "'"), ("“", "”"), ("«", "»"), ("「", "」")}


def _language(text: str, default: str) -> str:
    if _KANA.search(text):
        return "japanese"
    if _HAN.search(text):
        return "japanese" if default == "japanese" else "chinese"
    words = _WORD.findall(text.lower())
    if _FOREIGN.isdisjoint(words):
        return default if _ENGLISH.isdisjoint(words) else "english"
    scores = {
        name: sum(1 for word in words if word in marks)
        + 2 * sum(1 for word in words if word in _CERTAIN[name])
        for name, marks in _VOTES.items()
    }
    best = max(scores.values())
    winners = [name for name, score in scores.items() if score == best]
    if best == 0 or default in winners:
        return default
    return winners[0]


@cache
def _rules(language: str) -> Rules:
    module = {"english": "english", "chinese": "asian", "japanese": "asian"}.get(
        language, "european"
    )
    return getattr(importlib.import_module(f"reverie.documents.dates.{module}"), language)()
