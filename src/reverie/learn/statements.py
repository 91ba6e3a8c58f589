"""Statements: sentences that will hold tomorrow, as a rule, a ban, a choice, a fact, a reason."""

import re
from dataclasses import dataclass

from reverie.learn.cues import Cues, statement_cues
from reverie.learn.words import words

MOST = 14  # sentences looked at

_BREAK = re.compile(r"(?<=[.!?])\s+|\n+|;\s+")
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z][a-zA-Z]+")
_MARKS = ("rule", "ban", "ours", "choice", "reason", "fact", "contrast")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the person's own words."""

    text: str
    question: bool
    words: list[str]


def sentences(prose: str) -> list[Sentence]:
    """The sentences of `prose`, in order, without list marks and quoting."""
    found: list[Sentence] = []
    for part in _BREAK.split(prose):
        text = part.strip(" \t-*•>")
        if text:
            cut = words(text)
            found.append(Sentence(text, "?" in cut[-1:], cut))
    return found


def marks(sentence: Sentence, cues: Cues) -> tuple[dict[str, float], float]:
    """(which marks of a lasting statement the sentence has, how lasting it is as a whole)."""
    count = cues.counted(sentence.words)
    found = {name: float(count[name] > 0) for name in _MARKS}
    found["ban"] = float(count["ban"] > count["no_ban"])
    found["contrast"] = float(count["contrast"] > count["no_contrast"])
    weight = sum(found.values()) - count["passing"] + min(1.0, len(sentence.words) / 20)
    return found, weight


def statement_features(prose: str) -> dict[str, float]:
    """How much of `prose` reads like something that will hold tomorrow."""
    cues = statement_cues()
    parts = sentences(prose)[:MOST]
    row = {f"say:{name}": 0.0 for name in _MARKS} | {f"ask:{name}": 0.0 for name in _MARKS}
    best = 0.0
    plain = plain_words = passing = pronouns = 0
    for sentence in parts:
        found, weight = marks(sentence, cues)
        told = not sentence.question and len(sentence.words) >= 4
        if told:
            plain += 1
            plain_words += len(sentence.words)
            best = max(best, weight)
        if told or sentence.question:
            kind = "ask" if sentence.question else "say"
            for name, mark in found.items():
                row[f"{kind}:{name}"] = max(row[f"{kind}:{name}"], mark)
        count = cues.counted(sentence.words)
        passing += count["passing"]
        pronouns += count["pronoun"]
    total = max(1, sum(len(sentence.words) for sentence in parts))
    row["say:best"] = best
    row["say:plain"] = min(5.0, plain)
    row["say:plain_words"] = min(4.0, plain_words / 15)
    row["say:asks_only"] = float(bool(parts) and not plain and any(s.question for s in parts))
    row["say:passing"] = min(4.0, passing / total * 10)
    row["say:pronouns"] = min(4.0, pronouns / total * 10)
    row["say:proper"] = min(4.0, len(_PROPER.findall(prose)))
    return row
