"""What was asked, as search terms.

Stop words go, the rest is quoted and OR-ed: a question never matches because it says "what did we",
and no character of it is read as query syntax (`NEAR(`, `*`, quotes, column filters).
"""

import math
import re
from typing import NamedTuple

from reverie.db.full_text import Term
from reverie.language.lexicon import language_of, lexicon

# A pasted file is a legitimate query; its first part and its first distinct words are enough.
MAX_CHARS = 16_384
MAX_TERMS = 48

_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")
# A question about the past: it asks, and not for something to be done.
_REQUESTS = re.compile(
    r"\s*(?:(?:so|and|ok|okay|also|hey) )?(?:can|could|would|will) (?:you|we)\b", re.I
)
_ASKS = re.compile(
    r"\s*(?:(?:and|but|so|hey|ok|okay|also|do you know|do you remember) )?"
    r"(?:what|which|who|whom|whose|when|where|why|how|did|do|does|is|are|was|were|can|could|should"
    r"|has|have|had)\b"
    r"|.*\?\s*$"
    r"|.*\b(?:(?:did|have|had) we|last time|remember|remind me|we (?:decided|agreed|said))\b",
    re.I | re.S,
)
LONGEST_QUESTION = 300  # characters; what is longer tells more than it asks


class Query(NamedTuple):
    """Distinct terms in the order they were written."""

    terms: tuple[str, ...]
    asks: bool = False  # about the past, rather than for something to be done

    @property
    def search_terms(self) -> list[Term]:
        """The same for a database."""
        return [Term(term) for term in self.terms]


def parse_query(text: str) -> Query:
    """The telling terms of `text`, those of `createdAt` together and apart; none of stop words."""
    text = text[:MAX_CHARS]
    found = _WORD.findall(text.lower())
    if text != text.lower():
        found += _WORD.findall(spaced(text))
    stop = lexicon(language_of(found)).stop
    telling = [word for word in dict.fromkeys(found) if word not in stop]
    return Query(tuple(telling[:MAX_TERMS]), asks_about_the_past(text))


def asks_about_the_past(text: str) -> bool:
    """Whether somebody wants to be told something, rather than to have something done."""
    text = text.strip()
    if not text or len(text) > LONGEST_QUESTION or _REQUESTS.match(text):
        return False
    return bool(_ASKS.match(text))


def spaced(text: str) -> str:
    """Lower case, the parts of `createdAt` apart."""
    return _JOINED.sub(" ", text).lower()


def words_of(text: str) -> list[str]:
    """All words of a text, lower case, stop words left out; for comparing texts."""
    found: list[str] = _WORD.findall(text.lower())
    stop = lexicon(language_of(found)).stop
    return [word for word in found if word not in stop]


def weight(units: int, seen: int) -> float:
    """How much a word tells that stands in `seen` of `units`."""
    return math.log(1.0 + (units - min(seen, units) + 0.5) / (seen + 0.5))
