"""Signs: what a remark asks for and what it rules out, word by word.

`learn.polarity` reads negations. People also rule a thing out by what they say of it ("csv only
causes trouble"), and in "no keys in settings, read them from the vault" the keys are not what is
ruled out: they are told where to go.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from reverie.language.alike import exact, meant
from reverie.language.common import root
from reverie.language.compare import meaning_of
from reverie.language.plainest import plainly

_CLAUSE = re.compile(r"[,;:.!?]\s+|\s+(?:because|since|otherwise|so)\s+", re.I)
_BLAMED = re.compile(
    r"\b(?:trouble|problems?|bugs?|leaks?|breaks?|broke|fails?|slow|hides?|distract\w*|useless|wrong|"
    r"bad|ugly|unreadable|annoy\w*|mess\w*|waste\w*|confus\w*|hate|loses?|again|painful|fragile)\b",
    re.I,
)
_TAKEN_UP = re.compile(r"\b(?:them|they|those)\b", re.I)
_DENIED = re.compile(r"\b(?:no|not|never|don'?t|avoid|without|isn'?t|aren'?t)\b", re.I)


@lru_cache(maxsize=8192)
def signed(text: str) -> Mapping[str, int]:
    """The stems of a text, asked for (1), ruled out (-1) or neither; a quality is `^short`."""
    meaning = meant(text)
    found = {root(stem): -1 for stem in meaning.replaced}
    for stem in sorted(meaning.solid | meaning.names | meaning.numbers):
        found[root(stem)] = meaning.signs.get(stem, 1)
    found |= {f"={value}": 1 for value in exact(text)}
    found |= {f"^{pole}": sign for pole, sign in meaning.poles.items()}
    _reread(plainly(text), found)
    return found


def _reread(text: str, found: dict[str, int]) -> None:
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    read = [meaning_of(clause) for clause in clauses]
    bags = [{root(stem) for stem in meaning.solid} & found.keys() for meaning in read]
    denied = [bool(_DENIED.search(clause)) for clause in clauses]
    for place, clause in enumerate(clauses):
        elsewhere = {stem for other, bag in enumerate(bags) if other != place for stem in bag}
        if denied[place]:
            taken_up = any(_TAKEN_UP.search(later) for later in clauses[place + 1 :])
            asked = {s for o, bag in enumerate(bags) if not denied[o] for s in bag}
            found |= dict.fromkeys(bags[place] if taken_up else bags[place] & asked, 0)
        elif _BLAMED.search(clause):
            found |= dict.fromkeys(bags[place] - elsewhere, -1)
            turned = {f"^{pole}": -sign for pole, sign in read[place].poles.items()}
            found |= {stem: sign for stem, sign in turned.items() if stem in found}
