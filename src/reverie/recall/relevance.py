"""How well an entry meets a question: a gate that judges entries, not questions.

An entry is weighed by how much of its own telling words the question meets, rare ones most. Words
are not all: a lesson is often needed by a prompt that shares none of its words but is about the
same work, so it counts as well how much of the question was said around the place an entry comes
from. Long questions do not starve, because what an entry leaves unmet is its own, and a question
without telling words meets nothing. What was said lately matters most, but what is meant to last
does not fade.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from reverie.clock import age_days
from reverie.data import numbers
from reverie.db.database import Database
from reverie.db.full_text import counts
from reverie.language.scripts import (
    beginning,
    breadth,
    composed,
    is_form,
    is_unspaced,
    runs,
    unmarked,
)
from reverie.language.words import stem
from reverie.recall.entry import Entry
from reverie.recall.nearness import Nearness
from reverie.recall.query import Query, search_term, spaced, weight, words_of
from reverie.sessions.corrections import CORRECTIONS, MAY_TEACH, count_corrections
from reverie.sessions.schema import times_written
from reverie.store.heads import WORDS, totals

_SHORT = numbers("recall.txt", "relevance")  # what is asked of entries in a short history
# Set on readers' verdicts (docs/design/recall.md); each lies on a plateau.
_OWN = 0.4  # what the words of an entry count beside the place it comes from
_SPREAD = 0.75  # how much the share of the entry's own words counts
_SLACK = 2.0  # so that two words are not wholly met by one
_NEARNESS = 0.8  # what an entry is given amid whose exchange all of the question was said
_AROUND = 0.3  # for who asks: what of a word counts that was only said before an entry
_LITTLE = 4.0  # as if a question weighed so much more: who says little is not wholly met by a word
_SURENESS = 1.1  # how much it counts that an entry is worth telling at all
_FADING = 0.6  # the power of its age in days by which what was said for the moment fades
_ASKED = 0.55  # the same for who asks: of any age, but it has to answer
_TELLING = 0.3  # of a typical word; what weighs more is a sign by itself
_CLOSE = 0.12  # how near a place is that bears out a single word
_REASON = 0.5  # what a sentence is given that gives a reason, of all the question weighs
# A telling word of an entry stands about this far apart, and weighs this share of a unique one.
_CHARACTERS_A_WORD = 11
_SIGNS_A_WORD = 5  # where none stands between spaces
_TYPICAL = 0.7
# As if there were so many units more: in a small store, too, a word of one's own tells much.
_MORE_UNITS = 50
_WHOLE = 3  # letters up to which a word has to stand as it is
# What may follow a stem in another form of the word: `commit`, `committed`, `commits`.
_ENDINGS = frozenset(
    "e s es ed d ing er ers or ors y ies ied ly able al ally ion ions ation ment ments en n".split()
)
_REST = re.compile(r"[^\W_]*")
_SUBSTANCE = 4  # telling words from which on a text says something by itself
_LONG = 120  # characters that have them


class Match(NamedTuple):
    """What search and comparison say of one entry."""

    bm25: float  # share of the best score of its source
    relevance: float
    nearly: bool = False  # whether it is company for others


class Meeting:
    """One question, ready to be met by entries."""

    def __init__(
        self,
        query: Query,
        units: int,
        seen: Mapping[str, int],
        now: datetime,
        near: Nearness | None = None,
    ) -> None:
        little = min(1.0, units / _SHORT.few)
        units += _MORE_UNITS
        self._weights: dict[str, float] = {}
        for term in query.terms:
            part = _part(term)
            tells = query.weight(term, units, seen[term])
            self._weights[part] = max(self._weights.get(part, 0.0), tells)
        # What stands for a word is no more to be met beside it.
        others = {_part(term) for term in query.synonyms}
        self._total = sum(value for part, value in self._weights.items() if part not in others)
        self._typical = _TYPICAL * weight(units, 1)
        telling = (_part(term) for term in query.terms if term not in query.everyday)
        self._signs = {sign for sign in telling if self._weights[sign] > _TELLING * self._typical}
        self._now = now
        # In scripts that no lexicon reads a word gives fewer signs; there nothing more is asked.
        read = all(term.isascii() for term in query.terms)
        self._told = little * (1.0 if near is None else near.told) if read else 0.0
        self._asks = query.asks
        # Who asks for something wants that, not what else was taught in the same work; and who
        # takes up work again does not say what it is.
        self._near = None if query.asks or query.resumes else near
        self._reasons = query.reasons

    def relevance(self, entry: Entry) -> float:
        """How well an entry answers, from 0 on; what is good enough is for the gate to say."""
        return self.match(entry).relevance

    def match(self, entry: Entry, bm25: float = 0.0) -> Match:
        """The same, with what a search made of it, and whether it is company for others."""
        if entry.prior < MAY_TEACH:
            return Match(bm25, 0.0)
        words = f"{entry.title}\n{entry.text}" if entry.title not in entry.text else entry.text
        direct = self._met(words)
        met = sum(direct.values())
        if self._asks:
            before = self._met(f"{entry.premise}\n{entry.context}")
            met += _AROUND * sum(value for part, value in before.items() if part not in direct)
        unmet = self._typical * max(0.0, _size(words) - breadth(direct))
        # What somebody wrote down, or whose session is gone, is as near as its own words.
        place = self._near.of(entry.evidence) if self._near else 0.0
        near = max(place, met / (self._total + _LITTLE))
        value = _OWN * met * (met / (met + unmet + _SLACK)) ** _SPREAD + _NEARNESS * near
        signs = len(self._signs & direct.keys())
        alone = signs == 0 or (signs == 1 and place < _CLOSE)
        value *= self._fresh(entry) * entry.prior**_SURENESS * substance(entry.text)
        again = _SHORT.again * (_SHORT.alone if alone else 1.0)
        if self._fades(entry) and age_days(entry.at, self._now) > _SHORT.days:
            again *= _SHORT.over
        return Match(bm25, value / again**self._told, nearly=value >= _SHORT.nearly)

    def in_company(self, match: Mapping[str, Match]) -> dict[str, Match]:
        """What was found for the question, each by how much else is near; not for who asks."""
        others = sum(met.nearly for met in match.values()) - 1
        missing = max(0.0, 1.0 - others / _SHORT.company)
        lone = 1.0 if self._asks else _SHORT.lone ** (self._told * missing)
        return {name: met._replace(relevance=met.relevance / lone) for name, met in match.items()}

    def _fresh(self, entry: Entry) -> float:
        """1 for what lasts and what was just said, less for what was said for a moment long ago."""
        if self._asks:
            return _ASKED
        if not self._fades(entry):
            return 1.0
        return (1.0 + age_days(entry.at, self._now)) ** -_FADING

    def _fades(self, entry: Entry) -> bool:
        """Not what lasts, and nothing for who asks about the past."""
        return not (self._asks or entry.origin == "memory" or entry.standing)

    def worth(self, text: str) -> float:
        """How much of the question stands in a text, and whether it gives a reason asked for."""
        reason = self._reasons is not None and self._reasons.search(text) is not None
        return sum(self._met(text).values()) + _REASON * self._total * reason

    def _met(self, text: str) -> dict[str, float]:
        """The words of the question that stand in a text, with their weights."""
        lowered = unmarked(composed(spaced(text)))
        return {
            part: value
            for part, value in self._weights.items()
            if part in lowered and stands(part, lowered)
        }


def substance(text: str) -> float:
    """1 for what says something by itself, less for the few words of a passing remark."""
    if len(text) >= _LONG:
        return 1.0
    return min(1.0, breadth(set(words_of(text))) / _SUBSTANCE)


def _size(text: str) -> float:
    """How many telling words a text of its length has."""
    signs = sum(map(len, runs(text)))
    return (len(text) - signs) / _CHARACTERS_A_WORD + signs / _SIGNS_A_WORD


def _part(term: str) -> str:
    """What of a term has to stand in a text."""
    if term.isascii():
        short = stem(term)
        return short if len(short) > _WHOLE else term
    return unmarked(beginning(term))


def stands(part: str, text: str) -> bool:
    """Is a word of `text` a form of the stem `part`? A short one has to be the whole word."""
    if is_unspaced(part):
        return part in text
    at = text.find(part)
    while at >= 0:
        if not (at and text[at - 1].isalnum()):
            rest = _REST.match(text, at + len(part))
            if rest is not None and _is_ending(rest[0], part):
                return True
        at = text.find(part, at + 1)
    return False


def _is_ending(rest: str, part: str) -> bool:
    if not rest:
        return True
    if not part.isascii() and is_form(rest):
        return True
    if len(part) <= _WHOLE:
        return False
    return rest in _ENDINGS or (rest[0] == part[-1] and rest[1:] in _ENDINGS)


def matches(scored: Sequence[tuple[Entry, float]], meeting: Meeting) -> dict[str, Match]:
    """Id → match, for the entries of one source with their search scores."""
    top = max((score for _, score in scored), default=0.0)
    return {
        entry.id: meeting.match(entry, score / top if top > 0 else 0.0) for entry, score in scored
    }


# In how many units a term stands. Counting walks the whole posting list of a word, and those of
# common words are long. A server is asked with the same words again and again, so what was counted
# is kept until something is written.
MOST_KEPT = 4_096  # terms; a few hundred kilobytes


class Counted(NamedTuple):
    """How common the terms of one question are."""

    units: int  # memories and corrections, of all stores and projects
    seen: dict[str, int]  # term → in how many of them it stands


class TermCounts:
    """The counts of one home; it may live as long as its databases are open, for all threads."""

    def __init__(self) -> None:
        # What the databases held when it was counted, corrections, and term → units.
        self._kept: tuple[tuple[int, ...], int, dict[str, int]] = ((), 0, {})

    def of(self, query: Query, database: Database, index: Database) -> Counted:
        """Count what is not known yet, or all anew if anything was written since."""
        there = totals(database)
        now = (*there, times_written(index))
        written, corrections, seen = self._kept
        if now != written:
            corrections, seen = count_corrections(index), {}
        new = [term for term in query.terms if term not in seen]
        if len(seen) + len(new) > MOST_KEPT:
            new, seen = list(query.terms), {}
        if new:
            seen = seen | dict(zip(new, _counts(new, database, index), strict=True))
        # Threads may overwrite each other's: then a term is counted once more.
        self._kept = now, corrections, seen
        units = max(1, there[1] + corrections)
        return Counted(units, {term: seen[term] for term in query.terms})


def _counts(terms: Sequence[str], database: Database, index: Database) -> list[int]:
    """One statement per database, whatever the question."""
    asked = [search_term(term) for term in terms]
    counted = [counts(index, CORRECTIONS, asked)]
    if database.dialect == "sqlite":
        counted.append(counts(database, WORDS, asked))
    return [sum(of_term) for of_term in zip(*counted, strict=True)]
