"""Moods: whether what a lesson asks for was meant by the person who spoke of it.

A sentence can hold every word of a rule and not be one: it tells what was tried once, what others
say or what somebody did wrong, mocks it, or asks who would do such a thing. A lesson rests on the
clause that shares most with it, and is meant if that clause is an order, a wish, a rule or a plain
fact. Words and forms are data (`data/work.txt`); what none of them marks counts as meant.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

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


class Clause(NamedTuple):
    """A part of what was said, and whether the person meant it."""

    text: str
    meant: bool
    reported: bool = False  # as what others say

    @property
    def stems(self) -> frozenset[str]:
        return _stems(self.text)


def is_meant(lesson: str, heard: Sequence[Sentence]) -> bool:
    """Whether the person meant all that a lesson asks for, in the words it rests on.

    A lesson that itself tells of the past, speaks ill or rules out may rest on any.
    """
    said = _said(heard)
    return all(
        _rests_on_meant(part, said)
        for part in _parts_of(lesson)
        if not any(form.search(part) for form in (_RE.ruling_out, _RE.past, _RE.contempt))
    )


def is_wished(text: str) -> bool:
    """Whether a sentence orders, wishes or rules something."""
    return bool(_RE.meant.search(text)) and not speaks_ill(text)


def speaks_ill(text: str) -> bool:
    """Whether a sentence speaks ill of something."""
    return bool(_RE.contempt.search(text) or _RE.indignant.search(text))


def reported(sentence: Sentence) -> list[str]:
    """The parts of a sentence that tell what others say."""
    return [part.text for part in _clauses(sentence.text, sentence.question) if part.reported]


def _rests_on_meant(part: str, said: Sequence[Clause]) -> bool:
    """Whether one of the clauses that share most with a part of a lesson was meant."""
    telling = _stems(part)
    if _RE.needless.search(part):
        said = [clause for clause in said if clause.meant or _RE.denied.search(clause.text)]
    shares = [(len(telling & clause.stems), clause) for clause in said]
    most = max((share for share, _ in shares), default=0)
    speaks_of_it = bool(telling) and most >= min(LEAST, len(telling))
    return not speaks_of_it or any(clause.meant for share, clause in shares if share == most)


def _said(heard: Sequence[Sentence]) -> list[Clause]:
    """All clauses; one that only says what it thinks of the one before marks that."""
    clause_list: list[Clause] = []
    for sentence in heard:
        clauses = _clauses(sentence.text, sentence.question)
        first = clauses[0] if len(clauses) == 1 else None
        if clause_list and first and speaks_ill(first.text) and len(first.stems) < SHORT:
            clause_list[-1] = clause_list[-1]._replace(meant=False)
        clause_list += clauses
    return clause_list


@lru_cache(maxsize=512)
def _clauses(sentence: str, question: bool) -> tuple[Clause, ...]:
    clause_list: list[Clause] = []
    reported = scornful = False
    for text in _split(sentence):
        reported = bool(_RE.reported.search(text)) or (reported and not _RE.own_turn.match(text))
        meant = not (scornful or reported or speaks_ill(text) or _is_told(text, question))
        scornful = bool(_RE.scornful.search(text)) and _is_remark(text)
        # "…, which is nonsense" speaks of what stands before it.
        if clause_list and speaks_ill(text) and _is_remark(text):
            clause_list[-1] = clause_list[-1]._replace(meant=False)
        clause_list.append(Clause(text, meant, reported))
    return tuple(clause_list)


def _is_told(text: str, question: bool) -> bool:
    """Whether a clause tells of the past, or asks why or who."""
    if question and _RE.why.search(text):
        return True
    return bool(_RE.past.search(text)) and not (_RE.settled.search(text) or _RE.meant.search(text))


def _is_remark(text: str) -> bool:
    return bool(_RE.remark.match(text)) or len(_stems(text)) <= SHORT


def _split(text: str) -> list[str]:
    return [part.strip() for part in _RE.link.split(text.replace("’", "'")) if part.strip()]


def _parts_of(lesson: str) -> list[str]:
    """The parts of a lesson; what begins with no verb goes on with what stands before it."""
    parts: list[str] = []
    for part in _split(lesson):
        head = _RE.order.match(part)
        if parts and (head is None or head[1].lower() not in _IMPERATIVES):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return parts


def _stems(text: str) -> frozenset[str]:
    return content([_PASTS.get(word, word) for word in words(text)])
