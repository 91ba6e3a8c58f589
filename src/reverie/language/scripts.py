"""Scripts: how text is cut into words, also where it is written without spaces between them.

Of Chinese, Japanese, Korean, Thai and the like every two signs that stand side by side are a word:
that needs no dictionary, and what two texts share is found wherever a word begins. A sign that
ends in Japanese syllables (使う, 使って) stands for all forms of its word by itself.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

from reverie.data import patterns

_RE = patterns("language.txt", "scripts")  # compiled when first used: they are costly
_WORD = re.compile(r"[^\W_]+")
_SYLLABLES = frozenset(map(chr, range(0x3041, 0x30A0)))  # of which endings and particles are made
# Signs that say how words belong together: of, and, not, this, please, …
_PARTICLES = frozenset(
    "的了是我你他她它们們在不这這那个個有和就都也要请請把被给給让讓对對与與及或从從到为為以会會可能还還很吗嗎呢吧啊"
)
# What of a word a pair is. A Chinese word is mostly of two signs, beside which stand pairs that are
# none; where signs are sounds, it is of four and more.
_OF_CHINESE = 0.7
_OF_SOUNDS = 0.5
_LAST_MARKED = "\u0e00"  # below it letters with marks are the same letters


def cut(text: str) -> list[str]:
    """The words of a text in lower case, in order, as often as they stand there."""
    text = composed(text).lower()
    if text.isascii() or not _RE.run.search(text):
        return _WORD.findall(text)
    return [
        word for part in parts(text) for word in (_pairs(part) if is_unspaced(part) else (part,))
    ]


def parts(text: str) -> list[str]:
    """The words of a text, and what of it is written without spaces as it stands."""
    return (_WORD if text.isascii() else _RE.part).findall(text)


def _pairs(run: str) -> Iterator[str]:
    """The pairs of signs of a run; not those that only stand side by side across a particle."""
    for first, second in pairwise(run):
        if (first in _SYLLABLES) == (second in _SYLLABLES):
            yield first + second
        elif _RE.chinese.match(first):
            yield first
    if len(run) == 1 or (run[-2] in _SYLLABLES and run[-1] not in _SYLLABLES):
        yield run[-1]


def is_unspaced(word: str) -> bool:
    """Whether a word is of signs that are written without spaces."""
    return not word.isascii() and _RE.run.match(word) is not None


def runs(text: str) -> list[str]:
    """The parts of a text that are written without spaces."""
    return [] if text.isascii() else _RE.run.findall(composed(text))


def is_syllables(word: str) -> bool:
    """Whether a word is only of Japanese syllables, as endings and particles are."""
    return not word.isascii() and _SYLLABLES.issuperset(word)


def says_little(word: str) -> bool:
    """Whether signs are there to join words, or a letter stands for itself."""
    return not _PARTICLES.isdisjoint(word) or (len(word) == 1 and not is_unspaced(word))


def beginning(word: str) -> str:
    """What all forms of a Cyrillic word begin with; any other word as it is."""
    if word.isascii() or not _RE.cyrillic.fullmatch(word):
        return word
    return _RE.ending.sub("", word)


def is_form(rest: str) -> bool:
    """Whether Cyrillic letters may follow the beginning of a word in one of its forms."""
    return _RE.form.fullmatch(rest) is not None


def share(word: str) -> float:
    """How much of a word it is."""
    if not is_unspaced(word):
        return 1.0
    return _OF_CHINESE if _RE.chinese.match(word) else _OF_SOUNDS


def breadth(words: Iterable[str]) -> float:
    """How many words they are."""
    return sum(map(share, words))


def composed(text: str) -> str:
    """A text with each letter and its marks as one, and wide and narrow forms as the usual ones."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def unmarked(text: str) -> str:
    """A text without the marks of its letters: `naïve` is `naive`."""
    if text.isascii():
        return text
    return "".join(
        "".join(c for c in unicodedata.normalize("NFD", sign) if not unicodedata.combining(c))
        if sign < _LAST_MARKED
        else sign
        for sign in text
    )
