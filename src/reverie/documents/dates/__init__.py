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

from reverie.documents.dates.calendar import Moment, Rule

# Words that are common in one language and rare in the others.
_MARKS = {
    "german": "der die das und ist nicht wir ich mit auf für den dem ein eine wird wurde bis seit "
    "vor im zum zur haben hat sind bitte alle ab am noch auch von nach soll muss keine",
    "spanish": "el la los las y es que de del en por para con una un se hay no lo al este esta "
    "hace está fue desde hasta antes debe usar todos",
    "french": "le la les des et est une un du que qui dans pour avec pas nous il au aux ce cette "
    "sur se sont été depuis avant après doit ne vers tous",
    "english": "the a and is of to in on for it we this that was with by at be are from until "
    "before not i you my our since due will has have",
}
_VOTES = {language: frozenset(words.split()) for language, words in _MARKS.items()}
# Words that are enough on their own, for lines too short to vote on.
_TELLING = {
    "german": "gestern heute übermorgen vorgestern nächste nächsten nächster letzte letzten "
    "letzter tagen wochen monaten woche montag dienstag mittwoch donnerstag freitag",
    "spanish": "ayer hoy mañana anteayer próximo próxima pasado pasada semana semanas días lunes "
    "martes miércoles jueves viernes",
    "french": "demain aujourd hier prochain prochaine dernier dernière semaine semaines jours "
    "lundi mardi mercredi jeudi vendredi",
    "english": "today tomorrow yesterday next last week ago",
}
_CERTAIN = {language: frozenset(words.split()) for language, words in _TELLING.items()}
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u4e00-\u9fff]")

# What is never touched: code, addresses, the value of a command line flag.
_PROTECTED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^\n]*?``|`[^`\n]*`"
    r"|\b[a-z][a-z0-9+.-]{0,20}://\S+|(?<![\w-])--?[a-z][\w-]*[= ](?:\"[^\"\n]*\"|'[^'\n]*'|\S+)"
    r"|\[\[[^\[\]\n]*\]\]",
    re.S,
)


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
    shielded = [match.span() for match in _PROTECTED.finditer(text)]
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
    return importlib.import_module(f"reverie.documents.dates.{language}").RULES
