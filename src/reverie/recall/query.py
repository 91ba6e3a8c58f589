"""What was asked, as search terms.

Stop words go, the rest is quoted and OR-ed: a question never matches because it says "what did we",
and no character of it is read as query syntax (`NEAR(`, `*`, quotes, column filters).
"""

import re
from typing import NamedTuple

from reverie.db.full_text import Term

# A pasted file is a legitimate query; its first part and its first distinct words are enough.
MAX_CHARS = 16_384
MAX_TERMS = 48

_WORD = re.compile(r"[^\W_]+")

_STOP = """
a about after again all also am an and any are as at be because been before being between both
but by can could did do does doing down during each few for from further had has have having he
her here hers him his how i if in into is it its itself just me more most my no nor not of off
on once only or other our ours out over own same she should so some such than that the their
them then there these they this those through to too under until up very was we were what when
use used uses using where which while who whom whose why will with would you your yours s t d ll m
re ve don
"""
STOP_WORDS: frozenset[str] = frozenset(_STOP.split())


class Query(NamedTuple):
    """Distinct terms in the order they were written."""

    terms: tuple[str, ...]

    @property
    def search_terms(self) -> list[Term]:
        """The same for a database."""
        return [Term(term) for term in self.terms]


def parse_query(text: str) -> Query:
    """The terms of `text`; its stop words too when it holds nothing else."""
    words = dict.fromkeys(_WORD.findall(text[:MAX_CHARS].lower()))
    telling = [word for word in words if word not in STOP_WORDS]
    return Query(tuple((telling or list(words))[:MAX_TERMS]))


def words_of(text: str) -> list[str]:
    """All words of a text, lower case, stop words left out; for comparing texts."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]
