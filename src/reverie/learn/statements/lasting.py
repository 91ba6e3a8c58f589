"""Statements: sentences that will hold tomorrow, as a rule, a ban, a choice, a fact, a reason."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reverie.data import patterns, weighed
from reverie.language.cues import Cues, statement_cues
from reverie.language.lexicon import Lexicon, language_of, lexicon
from reverie.language.words import content, words

_RE = patterns("statements.txt", "lasting")

MOST = 14  # sentences looked at

_MARKS = ("rule", "ban", "ours", "choice", "reason", "fact", "contrast")


_QUESTION = -1.5
_PROPOSAL = -1.0  # "can we…", "should it…": a wish put as a question
_ARGUED = -0.5  # a question that brings a reason or a ban
_NUMBER = -0.5
_PROPER_NAME = 0.5
_WE_FIRST = 0.5
_SUBJECT = 0.5  # per doubling of the words that carry a subject
_SUBJECT_WORDS = 12  # more say no more about it
_NAMED_CODE = -0.5  # for each, up to three


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the person's own words."""

    text: str
    question: bool
    words: list[str]


def sentences(prose: str) -> list[Sentence]:
    """The sentences of `prose`, in order, without list marks and quoting."""
    found: list[Sentence] = []
    for part in _RE.sentence_end.split(prose):
        text = part.strip(" \t-*•>")
        if text:
            cut = words(text)
            found.append(Sentence(text, is_question(cut), cut))
    return found


def is_question(found: Sequence[str]) -> bool:
    """Ends in a question mark, begins like a question, or turns verb and subject round.

    Many people type no mark.
    """
    if "?" in found[-1:]:
        return True
    known = lexicon(language_of(found))
    verbs, subjects = known.words("questions.turned"), known.words("questions.subjects")
    denied, pointed = known.words("turns.negative_first"), known.words("questions.pointed")
    return _asks(*_head(found, known), known) or any(
        (verb in verbs and subject in subjects) or (verb in denied and subject in pointed)
        for verb, subject in pairwise(found)
    )


def _asks(first: str, second: str, known: Lexicon) -> bool:
    """ "Do not…", "have a look", "when merging…" begin no question; "do we…", "when is…" do."""
    if first in {"do", "have", "has"}:
        return second in known.words("questions.asked")
    if first in {"when", "where", "which", "who"}:
        return second in known.words("questions.asked_when")
    return first in known.words("questions.asking")


def _head(found: Sequence[str], known: Lexicon) -> tuple[str, str]:
    """The first two words from the first on that is no filler."""
    fillers = known.words("questions.fillers")
    place = next((at for at, word in enumerate(found[:3]) if word not in fillers), len(found))
    first, second = (*found[place : place + 2], "", "")[:2]
    return first, second


def lasting(sentence: Sentence, cues: Cues) -> float:
    """How much the sentence reads as if it will hold tomorrow; `cues` are the human's."""
    return _weight(sentence, statement_cues().counted(sentence.words), cues)


def _weight(sentence: Sentence, marks: Mapping[str, int], cues: Cues) -> float:
    said = cues.counted(sentence.words)
    weight = weighed("statements.txt", "lasting.marks", marks)
    weight += weighed("statements.txt", "lasting.cues", said)
    weight += _PROPER_NAME * min(3, len(_RE.proper.findall(sentence.text)))
    weight += _NAMED_CODE * min(3, len(_RE.code.findall(sentence.text)))
    subject = min(_SUBJECT_WORDS, len(content(sentence.words)))
    weight += _SUBJECT * math.log2(1 + subject)
    if sentence.question:
        weight += _asked(sentence, bool(marks["reason"] or marks["ban"]))
    if sentence.words and sentence.words[0].startswith("we"):
        weight += _WE_FIRST
    if any(word.isdigit() for word in sentence.words):
        weight += _NUMBER
    return weight


def _asked(sentence: Sentence, argued: bool) -> float:
    """How much less a question holds than a statement."""
    if argued:
        return _ARGUED
    known = lexicon(language_of(sentence.words))
    first, second = _head(sentence.words, known)
    proposed = first in known.words("questions.proposed")
    return _PROPOSAL if proposed and second in known.words("questions.asked") else _QUESTION


def statement_features(prose: str, cues: Cues) -> dict[str, float]:
    """Marks of lasting sentences, told and asked apart, and the weight of the best one."""
    row = {f"say:{name}": 0.0 for name in _MARKS} | {f"ask:{name}": 0.0 for name in _MARKS}
    best = -3.0
    plain = plain_words = passing = pronouns = total = 0
    asked = count = 0
    for sentence in sentences(prose)[:MOST]:
        marks = statement_cues().counted(sentence.words)
        best = max(best, _weight(sentence, marks, cues))
        told = not sentence.question and len(sentence.words) >= 4
        count += 1
        asked += sentence.question
        plain += told
        plain_words += len(sentence.words) if told else 0
        if told or sentence.question:
            kind = "ask" if sentence.question else "say"
            for name in _MARKS:
                if marks[name] > marks.get(f"no_{name}", 0):
                    row[f"{kind}:{name}"] = 1.0
        passing += marks["passing"]
        pronouns += marks["pronoun"]
        total += len(sentence.words)
    row["say:best"] = best
    row["say:plain"] = min(5.0, plain)
    row["say:plain_words"] = min(4.0, plain_words / 15)
    row["say:asks_only"] = float(asked > 0 and not plain)
    row["ask:share"] = asked / max(1, count)
    row["say:passing"] = min(4.0, passing / max(1, total) * 10)
    row["say:pronouns"] = min(4.0, pronouns / max(1, total) * 10)
    return row
