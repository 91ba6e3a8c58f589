"""Lasting: how much a sentence reads as if it will hold tomorrow, by its marks alone.

A rule, a ban, a choice, a fact, a reason speak for it; a task at hand, a screen, a question speak
against it. What the marks are is in the lexicon; here they are counted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reverie.data import patterns, weighed, word_sets
from reverie.language.cues import Cues, statement_cues
from reverie.language.words import content
from reverie.learn.statements.kinds import Sort, is_heading, sort_of
from reverie.learn.statements.utterance import Sentence, Utterance, is_proposal

_RE = patterns("statements.txt", "lasting")
_WORDS = word_sets("statements.txt", "lasting")

MOST = 14  # sentences that are weighed, of one turn

_QUESTION = -1.5
_PROPOSAL = -1.0
_ARGUED = -0.5  # a question that brings a reason or a ban
_NUMBER = -0.5
_PROPER_NAME = 0.5
_WE_FIRST = 0.5
_SUBJECT = 0.5  # per doubling of the words that carry a subject
_SUBJECT_WORDS = 12  # more say no more about it
_NAMED_CODE = -0.5  # for each, up to three
_SHORT = 4  # words


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence with what was counted in it."""

    sentence: Sentence
    said: Mapping[str, int]  # the human's cues by family
    marks: Mapping[str, int]  # of statements, by family
    weight: float
    sort: Sort


def marked(sentence: Sentence, cues: Cues) -> Marked:
    """Count a sentence; `cues` are the human's."""
    said, marks = cues.counted(sentence.words), statement_cues().counted(sentence.words)
    return Marked(sentence, said, marks, _weight(sentence, said, marks), sort_of(sentence))


def marked_of(utterance: Utterance, cues: Cues) -> list[Marked]:
    """The first sentences of a turn, counted; what is listed below a heading of rules is one."""
    parts = [marked(sentence, cues) for sentence in utterance.sentences[:MOST]]
    below = _below_headings(utterance.prose)
    return [
        replace(part, sort=part.sort._replace(standing=True))
        if below and part.sentence.text in below and not part.sentence.question
        else part
        for part in parts
    ]


def _below_headings(prose: str) -> str:
    """The lists below the headings of rules, each up to the next empty line."""
    return "\n".join(
        block["list"] for block in _RE.block.finditer(prose) if is_heading(block["heading"])
    )


def _weight(sentence: Sentence, said: Mapping[str, int], marks: Mapping[str, int]) -> float:
    weight = weighed("statements.txt", "lasting.marks", marks)
    weight += weighed("statements.txt", "lasting.cues", said)
    weight += _PROPER_NAME * min(3, len(_RE.proper.findall(sentence.text)))
    weight += _NAMED_CODE * min(3, len(_RE.code.findall(sentence.text)))
    subject = min(_SUBJECT_WORDS, len(content(sentence.words)))
    weight += _SUBJECT * math.log2(1 + subject)
    if sentence.question:
        argued = marks["reason"] or marks["ban"]
        asked = _PROPOSAL if is_proposal(sentence.words) else _QUESTION
        weight += _ARGUED if argued else asked
    if sentence.words and sentence.words[0].startswith("we"):
        weight += _WE_FIRST
    if any(word.isdigit() for word in sentence.words):
        weight += _NUMBER
    return weight


def sentence_features(part: Marked, of: int) -> dict[str, float]:
    """The features of one sentence of a turn with so many."""
    sentence = part.sentence
    row = {f"s:{name}": float(min(part.said[name], 2)) for name in _WORDS.said if part.said[name]}
    row |= {
        f"s:{name}": float(min(part.marks[name], 2)) for name in _WORDS.told if part.marks[name]
    }
    row["s:best"] = part.weight
    row["s:of"] = math.log1p(of)
    row["s:question"] = float(sentence.question)
    row["s:tells"] = float(part.sort.tells)
    row["s:short"] = float(len(sentence.words) <= _SHORT)
    row["s:points"] = float(bool(part.marks["refers"] or _RE.address.search(sentence.text)))
    return row


def deciding_features(odds: float, lasting: int) -> dict[str, float]:
    """What the sentences of a turn are as something to decide: the `odds` of keeping one, and how
    many are `lasting`."""
    return {"worth": odds, "several": float(lasting > 1)}


def turn_features(parts: Sequence[Marked]) -> dict[str, float]:
    """What the sentences of a turn are together: told or asked, and how the best one weighs."""
    stated = [p for p in parts if not p.sentence.question and len(p.sentence.words) >= _SHORT]
    asked = sum(part.sentence.question for part in parts)
    row = {
        "say:best": max((part.weight for part in parts), default=-3.0),
        "say:plain_words": min(4.0, sum(len(part.sentence.words) for part in stated) / 15),
        "say:asks_only": float(asked > 0 and not stated),
        "ask:share": asked / max(1, len(parts)),
    }
    for part in parts:
        if part.sentence.question or len(part.sentence.words) >= _SHORT:
            side = "ask" if part.sentence.question else "say"
            for name in _WORDS.kinds:
                if part.marks[name] > part.marks.get(f"no_{name}", 0):
                    row[f"{side}:{name}"] = 1.0
    return row
