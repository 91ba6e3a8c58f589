"""Moods: whether what a lesson asks for was meant by the person who spoke of it.

A sentence can hold every word of a rule and not be one: it tells what was tried once, what others
say or what somebody did wrong, mocks it, or asks who would do such a thing. A lesson rests on the
clause that shares most with it, and is meant if that clause is an order, a wish, a rule or a plain
fact. Words and forms are data (`data/work.txt`); what none of them marks counts as meant.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from reverie.data import lines, patterns
from reverie.language.lexicon import lexicon
from reverie.language.words import content, words
from reverie.learn.statements.utterance import Sentence

_RE = patterns("work.txt", "moods")
_IMPERATIVES = lexicon().words("words.imperatives")
# Past form → the form it has in an order.
_PASTS = {
    past: base
    for base, *pasts in (line.split() for line in lines("work.txt", "moods.irregular"))
    for past in pasts
}

LEAST = 2  # words that a clause must share with a lesson to speak of the same
SHORT = 3  # most words that tell something in a remark about the clause before it

# Meant as it stands; told, as what was or what others say; spoken ill of, or asked in anger.
Mood = Literal["meant", "told", "mocked"]


class Clause(NamedTuple):
    """A part of what was said, and how it was said."""

    text: str
    stems: frozenset[str]
    mood: Mood
    reported: bool = False


def mood_of(lesson: str, heard: Sequence[Sentence]) -> Mood:
    """How the person spoke of what a lesson says; the worst, if it says several things.

    A lesson that itself tells of the past, speaks ill or rules out may rest on such words.
    """
    said = _said(heard)
    found: list[Mood] = []
    for text in orders(lesson):
        if _RE.ruling_out.search(text) or _RE.past.search(text) or _RE.contempt.search(text):
            continue
        found += _carried(text, said)
    return "mocked" if "mocked" in found else "told" if "told" in found else "meant"


def _said(heard: Sequence[Sentence]) -> list[Clause]:
    """All clauses; a sentence that only says what it thinks of it marks the one before."""
    found: list[Clause] = []
    for sentence in heard:
        clauses = _clauses(sentence.text, sentence.question)
        if found and [one.mood for one in clauses] == ["mocked"] and len(clauses[0].stems) < SHORT:
            found[-1] = found[-1]._replace(mood="mocked")
        found += clauses
    return found


def is_meant(text: str) -> bool:
    """Whether a sentence orders, wishes or rules something."""
    return bool(_RE.meant.search(text)) and not speaks_ill(text)


def speaks_ill(text: str) -> bool:
    """Whether a sentence speaks ill of something."""
    return bool(_RE.contempt.search(text) or _RE.indignant.search(text))


def reported(sentence: Sentence) -> list[str]:
    """The parts of a sentence that tell what others say."""
    return [one.text for one in _clauses(sentence.text, sentence.question) if one.reported]


def _carried(lesson: str, said: Sequence[Clause]) -> Iterator[Mood]:
    """The mood of the clauses that share most with a lesson: the best of them."""
    telling = _stems(lesson)
    if _RE.needless.search(lesson):
        said = [one for one in said if one.mood != "mocked" or _RE.denied.search(one.text)]
    shares = [(len(telling & clause.stems), clause) for clause in said]
    most = max((share for share, _ in shares), default=0)
    if most < min(LEAST, len(telling)) or not telling:
        return
    moods = {
        "told" if clause.mood == "meant" and _is_done(lesson, clause.text) else clause.mood
        for share, clause in shares
        if share == most
    }
    yield "meant" if "meant" in moods else "told" if "told" in moods else "mocked"


def _is_done(lesson: str, said: str) -> bool:
    """Whether the very thing that a lesson orders was only said to have been done."""
    head = _RE.order.match(lesson)
    if head is None:
        return False
    verb = head[1].lower()
    regular = verb + ("d" if verb.endswith("e") else "ed"), verb + verb[-1:] + "ed"
    pasts = {*regular, verb[:-1] + "ied", *(past for past, base in _PASTS.items() if base == verb)}
    spoken = words(said)
    if verb in spoken or not pasts & set(spoken):
        return False
    done = "|".join(map(re.escape, sorted(pasts)))
    return not re.search(rf"(?i){_RE.still.pattern}(?:{done})\b", said)


@lru_cache(maxsize=512)
def _clauses(sentence: str, question: bool) -> tuple[Clause, ...]:
    found: list[Clause] = []
    reported = scornful = False
    for text in _parts(sentence):
        reported = bool(_RE.reported.search(text)) or (reported and not _RE.own_turn.match(text))
        mood = "mocked" if scornful else _mood(text, reported=reported, question=question)
        scornful = bool(_RE.scornful.search(text)) and _is_remark(text)
        # "…, which is nonsense" speaks of what stands before it.
        if mood == "mocked" and found and _is_remark(text):
            found[-1] = found[-1]._replace(mood=mood)
        found.append(Clause(text, _stems(text), mood, reported))
    return tuple(found)


def _mood(text: str, *, reported: bool, question: bool) -> Mood:
    if speaks_ill(text):
        return "mocked"
    if reported or (question and _RE.why.search(text)):
        return "told"
    past = _RE.past.search(text) and not _RE.settled.search(text) and not _RE.meant.search(text)
    return "told" if past else "meant"


def _is_remark(text: str) -> bool:
    return bool(_RE.remark.match(text)) or len(_stems(text)) <= SHORT


def _parts(text: str) -> list[str]:
    return [part.strip() for part in _RE.link.split(text.replace("’", "'")) if part.strip()]


def orders(lesson: str) -> list[str]:
    """The parts of a lesson; what begins with no verb goes on with what stands before it."""
    found: list[str] = []
    for part in _parts(lesson):
        head = _RE.order.match(part)
        if found and (head is None or head[1].lower() not in _IMPERATIVES):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def _stems(text: str) -> frozenset[str]:
    return content([_PASTS.get(word, word) for word in words(text)])
