"""How well an entry meets a question: a gate that judges entries, not questions.

An entry is weighed by how much of its own telling words the question meets, rare ones most; what
was said around it counts a little. Words are not all: a lesson is often needed by a prompt that
shares none of its words but is about the same work, so it counts as well how much of the question
was said around the place an entry comes from. Long questions do not starve, because what an entry
leaves unmet is its own, and a question without telling words meets nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from reverie.db.database import Database
from reverie.db.full_text import Term, counts
from reverie.language.words import stem
from reverie.recall.entry import Entry
from reverie.recall.nearness import Nearness
from reverie.recall.query import Query, spaced, weight, words_of
from reverie.sessions.corrections import CORRECTIONS, MAY_TEACH, count_corrections
from reverie.sessions.schema import times_written
from reverie.store.heads import WORDS, totals

# Fitted by projects held out (docs/design/recall.md); each lies on a plateau.
_AROUND = 0.3  # of a word that stands only in what was said before the entry
_MOST_AROUND = 2.0
_SPREAD = 0.5  # how much the share of the entry's own words counts
_SLACK = 2.0  # so that two words are not wholly met by one
_OWN = 0.5  # what the words of an entry count beside the place it comes from
_NEARNESS = 0.8  # what an entry is given amid whose exchange all of the question was said
_SAID = 0.43  # what it is given besides if it says all of that itself
_ANSWERED = 1.0  # what an entry is given that meets every word of a question; less by the cube
_BESIDE = 0.5  # what of the question counts that was said just before an entry
_BESIDE_QUESTION = 0.25  # the same for who asks for something particular
_REASON = 0.5  # what a sentence is given that gives a reason, of all the question weighs
_SURENESS = 1.1  # how much it counts that an entry is worth telling at all
# A telling word of an entry stands about this far apart, and weighs this share of a unique one.
_CHARACTERS_A_WORD = 11
_TYPICAL = 0.7
# As if there were so many units more: in a small store, too, a word of one's own tells much.
_MORE_UNITS = 50
_WHOLE = 3  # letters up to which a word has to stand as it is
_SUBSTANCE = 4  # telling words from which on a text says something by itself
_LONG = 120  # characters that have them


class Match(NamedTuple):
    """What search and comparison say of one entry."""

    bm25: float  # share of the best score of its source
    relevance: float


class Meeting:
    """One question, ready to be met by entries."""

    def __init__(
        self, query: Query, units: int, seen: Mapping[str, int], near: Nearness | None = None
    ) -> None:
        units += _MORE_UNITS
        self._weights: dict[str, float] = {}
        for term in query.terms:
            short = stem(term)
            part = short if len(short) > _WHOLE else term
            tells = query.weight(term, units, seen[term])
            self._weights[part] = max(self._weights.get(part, 0.0), tells)
        self._total = sum(self._weights.values()) or 1.0
        self._typical = _TYPICAL * weight(units, 1)
        # Who asks for something wants that, not what else was taught in the same work.
        self._near = None if query.asks else near
        self._beside = _BESIDE_QUESTION if query.asks else _BESIDE
        self._reasons = query.reasons

    def relevance(self, entry: Entry) -> float:
        """How well an entry answers, from 0 on; what is good enough is for the gate to say."""
        if entry.prior < MAY_TEACH:
            return 0.0
        words = f"{entry.title}\n{entry.text}" if entry.title not in entry.text else entry.text
        own = self._met(words)
        met = sum(own.values())
        around = sum(self._met(f"{entry.premise}\n{entry.context}", but=own).values())
        reached = met + min(_MOST_AROUND, _AROUND * around)
        unmet = self._typical * max(0.0, len(words) / _CHARACTERS_A_WORD - len(own))
        share = min(1.0, reached / (met + unmet + _SLACK))
        value = share**_SPREAD * reached + _ANSWERED * (met / self._total) ** 3
        # What somebody wrote down, or whose session is gone, is as near as its own words.
        near = said = (met + self._beside * around) / self._total
        if self._near:
            near = max(said, self._near.of(entry.evidence))
        value = _OWN * value + _NEARNESS * near + _SAID * said
        return value * entry.prior**_SURENESS * substance(entry.text)

    def worth(self, text: str) -> float:
        """How much of the question stands in a text, and whether it gives a reason asked for."""
        reason = self._reasons is not None and self._reasons.search(text) is not None
        return sum(self._met(text).values()) + _REASON * self._total * reason

    def _met(self, text: str, but: Collection[str] = ()) -> dict[str, float]:
        """The words of the question that stand in a text, but for some, with their weights."""
        lowered = spaced(text)
        return {
            part: value
            for part, value in self._weights.items()
            if part not in but and stands(part, lowered)
        }


def substance(text: str) -> float:
    """1 for what says something by itself, less for the few words of a passing remark."""
    if len(text) >= _LONG:
        return 1.0
    return min(1.0, len(set(words_of(text))) / _SUBSTANCE)


def stands(part: str, text: str) -> bool:
    """Does a word of `text` begin with `part`? A short one has to be the whole word."""
    at = text.find(part)
    while at >= 0:
        after = text[at + len(part) : at + len(part) + 1]
        whole = len(part) > _WHOLE or not after.isalnum()
        if whole and not (at and text[at - 1].isalnum()):
            return True
        at = text.find(part, at + 1)
    return False


def matches(found: Sequence[tuple[Entry, float]], meeting: Meeting) -> dict[str, Match]:
    """Id → match, for the entries of one source with their search scores."""
    top = max((score for _, score in found), default=0.0)
    return {
        entry.id: Match(score / top if top > 0 else 0.0, meeting.relevance(entry))
        for entry, score in found
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
    asked = [Term(term) for term in terms]
    found = [counts(index, CORRECTIONS, asked)]
    if database.dialect == "sqlite":
        found.append(counts(database, WORDS, asked))
    return [sum(of_term) for of_term in zip(*found, strict=True)]
