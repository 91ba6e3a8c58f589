"""What was asked, as search terms.

Stop words go, the rest is quoted and OR-ed: a question never matches because it says "what did we",
and no character of it is read as query syntax (`NEAR(`, `*`, quotes, column filters).
"""

import math
import re
from functools import cache
from typing import NamedTuple

from reverie.data import patterns, sections
from reverie.db.full_text import Term
from reverie.language.lexicon import Lexicon, language_of, lexicon
from reverie.language.scripts import beginning, cut, is_syllables, says_little, share

# A pasted file is a legitimate query; its first part and its first distinct words are enough.
MAX_CHARS = 16_384
MAX_TERMS = 48
MAX_SYNONYMS = 24

_RE = patterns("recall.txt", "query")
_JOINED = re.compile(r"[A-Z](?<=[a-z][A-Z])")
LONGEST_QUESTION = 300  # characters; what is longer tells more than it asks
_EVERYDAY = 0.2  # what of a word's weight is left that stands in prompts about anything
_SYNONYM = 0.5  # what a word counts that was not said but stands for one that was
_SHORT_NUMBER = 2  # digits


class Query(NamedTuple):
    """Distinct terms in the order they were written."""

    terms: tuple[str, ...]
    asks: bool = False  # about the past, rather than for something to be done
    everyday: frozenset[str] = frozenset()  # terms that say little of what it is about
    reasons: re.Pattern[str] | None = None  # how one is given, where one is asked for
    resumes: bool = False  # takes up work again, and names none of it
    synonyms: frozenset[str] = frozenset()  # terms that stand for others, and were not said

    def weight(self, term: str, units: int, seen: int) -> float:
        """How much a term tells that stands in `seen` of `units`.

        In a small store every word is rare, so rarity alone does not tell what is meant.
        """
        literal = _SYNONYM if term in self.synonyms else 1.0
        everyday = _EVERYDAY if term in self.everyday else 1.0
        return literal * everyday * share(term) * weight(units, seen)

    def widened(self) -> "Query":
        """The same with the words that stand for its own in the trade."""
        groups = _synonyms()
        others = [other for term in self.terms for other in groups.get(term, ())]
        new = [word for word in dict.fromkeys(others) if word not in self.terms][:MAX_SYNONYMS]
        return self._replace(terms=(*self.terms, *new), synonyms=frozenset(new))

    @property
    def says_nothing(self) -> bool:
        """Whether it has no telling word, or but a single one of those said about anything."""
        little = len(self.terms) < 2 and self.everyday.issuperset(self.terms)
        return little and not self.resumes

    @property
    def search_terms(self) -> list[Term]:
        """The same for a database."""
        return [search_term(term) for term in self.terms]


@cache
def _synonyms() -> dict[str, list[str]]:
    """Word → the others of its groups."""
    others_of: dict[str, list[str]] = {}
    for line in sections("synonyms.txt")["trade"].splitlines():
        group = line.split()
        for word in group:
            others_of.setdefault(word, []).extend(other for other in group if other != word)
    return others_of


def search_term(word: str) -> Term:
    """A word as it is searched: of one with many endings what all its forms begin with."""
    start = beginning(word)
    return Term(start, prefix=start != word)


def parse_query(text: str) -> Query:
    """The telling terms of `text`, those of `createdAt` together and apart; none of stop words."""
    text = text[:MAX_CHARS]
    without = _RE.scraps.sub(" ", text)
    all_words = cut(without) or cut(text)
    if text != text.lower():
        all_words += cut(spaced(without))
    known = lexicon(language_of(all_words))
    words = [word for word in dict.fromkeys(all_words) if word not in known.stop]
    telling = [word for word in words if not is_syllables(word)][:MAX_TERMS]
    common = known.words("words.everyday")
    everyday = frozenset(word for word in telling if word in common or _is_scrap(word))
    reasons = known.pattern("explains") if known.pattern("asks_why").search(text) else None
    resumes = len(text) <= LONGEST_QUESTION and bool(known.pattern("resumes").search(text))
    return Query(tuple(telling), asks_about_the_past(text), everyday, reasons, resumes)


def _is_scrap(word: str) -> bool:
    """A letter, a number that counts more often than it names, or what joins words."""
    if word.isascii():
        return len(word) == 1 or (word.isdigit() and len(word) <= _SHORT_NUMBER)
    return says_little(word)


def asks_about_the_past(text: str) -> bool:
    """Whether somebody wants to be told something, rather than to have something done."""
    text = text.strip()
    if not text or len(text) > LONGEST_QUESTION:
        return False
    _, known = read(text)
    return bool(known.pattern("asks").match(text) and not known.pattern("requests").match(text))


def spaced(text: str) -> str:
    """Lower case, the parts of `createdAt` apart."""
    return _JOINED.sub(r" \g<0>", text).lower()


def read(text: str) -> tuple[list[str], Lexicon]:
    """All words of a text in lower case, and the lexicon of its language."""
    words = cut(text)
    return words, lexicon(language_of(words))


def words_of(text: str) -> list[str]:
    """All words of a text, lower case, stop words left out; for comparing texts."""
    words, known = read(text)
    return [word for word in words if word not in known.stop]


def weight(units: int, seen: int) -> float:
    """How much a word tells that stands in `seen` of `units`."""
    return math.log(1.0 + (units - min(seen, units) + 0.5) / (seen + 0.5))
