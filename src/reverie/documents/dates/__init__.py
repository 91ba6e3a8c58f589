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
from reverie.documents.dates.calendar import Moment, Rule

_RE = patterns("dates.txt", "dates")

# Words that are common in one language and rare in the others.
_VOTES = {language: frozenset(words.split()) for language, words in pairs("dates.txt", "common")}
# Words that are enough on their own, for lines too short to vote on.
_CERTAIN = {language: frozenset(words.split()) for language, words in pairs("dates.txt", "telling")}

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
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        pieces.append(_line(text, start, end, shielded, _language(line, whole), moment))
        start = end
    return "".join(pieces)


def _line(
    text: str, start: int, end: int, shielded: list[tuple[int, int]], language: str, moment: Moment
) -> str:
    found: list[_Found] = []
    for rule in _rules(language):
        for match in rule.pattern.finditer(text, start, end):
            if any(a < match.end() and match.start() < b for a, b in shielded) or _quoted(match):
                continue
            resolved = rule.resolve(match, moment)
            if resolved is not None:
                found.append(_Found(match.start(), match.end(), resolved))
    # Leftmost, then longest: "the day after tomorrow" hides the "tomorrow" in it.
    found.sort(key=lambda item: (item.start, -item.end))
    pieces: list[str] = []
    at = start
    for item in found:
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
    words = re.findall(r"[^\W\d_]+", text.lower())
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
def _rules(language: str) -> tuple[Rule, ...]:
    module = {"english": "english", "chinese": "asian", "japanese": "asian"}.get(
        language, "european"
    )
    return getattr(importlib.import_module(f"reverie.documents.dates.{module}"), language)()
