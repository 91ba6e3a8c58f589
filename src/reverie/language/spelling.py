"""Spelling: slips of the finger in a line that is kept, mended where no other word can be meant.

A word is a slip only if no dictionary has it, it stands as plain prose, and two letters that
changed places, a lost or a stray one inside it make a word of English. Names of tools and things,
British and American spelling, and whatever has two readings stay as they were typed. A wrong letter
is never mended: of `claude` it would make a clause.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from reverie.data import patterns, sections, word_sets
from reverie.data.english import is_listed
from reverie.language.lexicon import language_of, lexicon
from reverie.language.words import stem, words

_RE = patterns("language.txt", "spelling")
_WORDS = word_sets("language.txt", "spelling")
_EN = lexicon("en")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHORTEST = 3  # letters of a word that is looked at
INNER = 5  # from which on a letter may be lost, or doubled
STRAY = 8  # and from which on one may be too many
PART = 3  # of each of two words that were joined
ENGLISH = 0.6  # of the words of a line, that it is one of this language
LEGIBLE = 0.5  # of the telling words of a sentence, that it is in English …
COMMON = 0.25  # … and of the common ones of another language


def spelled(text: str) -> str:
    """An English line with its slips mended; a line of another language as it is."""
    if not text:
        return ""
    prose = [word.lower() for word in _RE.word.findall(text)]
    if language_of(words(text)) != "en" or not _is_english(prose):
        return text
    text = _RE.twice.sub(r"\1", text)
    text = _RE.contracted.sub(lambda match: _contraction(match[0]), text)
    text = _RE.alone.sub("I", _RE.its.sub(r"\1t's", text))
    # Most lines have no slip.
    if all(_right(word) == word for word in prose):
        return text
    return _RE.word.sub(lambda match: _mended(match[0]), text)


def has_slip(text: str) -> bool:
    """Whether there is a slip that only its writer can mend: `ot`, `an statement`."""
    if _RE.garbled.search(text):
        return True
    short = (word for word in _RE.word.findall(text) if len(word) < SHORTEST)
    return any(word[::-1] in _EN.stop and not is_word(word) for word in short)


def is_legible(text: str) -> bool:
    """Whether a text is in a language that has a lexicon: what it says in another is not known.

    Of English there is a dictionary; of another language its common words are enough. Names tell
    nothing of it.
    """
    tokens = words(text)
    names = {name.lower() for name in _RE.named.findall(text)}
    telling = [
        word
        for word in tokens
        if len(word) >= SHORTEST and word not in names and _RE.plain.fullmatch(word)
    ]
    if not telling:
        return all(word.isascii() for word in tokens if word not in names)
    if tokens[0] in _EN.words("words.imperatives"):
        return True
    language = language_of(tokens)
    if language != "en":
        common = lexicon(language).stop
        return sum(word in common for word in telling) >= COMMON * len(telling)
    common = _EN.stop | _EN.words("frames.openers")
    known = sum(word in common or is_word(word) for word in telling)
    return known > LEGIBLE * len(telling)


def _is_english(prose: Sequence[str]) -> bool:
    """Most of it is: in a line of French, `fonction` is no slip."""
    return sum(is_word(word) for word in prose) >= ENGLISH * len(prose)


def _contraction(word: str) -> str:
    full = _EN.pairs("words.contractions")[word.lower()]
    return full[0].upper() + full[1:] if word[0].isupper() or full.startswith("i'") else full


def _mended(word: str) -> str:
    right = _right(word.lower())
    return right[0].upper() + right[1:] if word[0].isupper() else right


@lru_cache(maxsize=4096)
def _right(word: str) -> str:
    if word in _WORDS.turned:
        return word[::-1]
    if len(word) < SHORTEST or is_word(word) or _is_joined(word):
        return word
    plain = [slip for slip in (*_turned(word), *_doubled(word)) if is_listed(slip)]
    others = [slip for slip in (*_lost(word), *_stray(word)) if _is_ordinary(slip)]
    for slips in (plain, others):
        likely = {slip for slip in slips if not _is_variant(word, slip)}
        if likely:
            return likely.pop() if len(likely) == 1 else word
    return word


def _turned(word: str) -> Iterator[str]:
    """Two letters changed places; of a short word only if it then says nothing by itself."""
    for at in range(1, len(word) - 1):
        slip = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if len(word) >= INNER or slip in _EN.stop or (len(word) > SHORTEST and _is_ordinary(slip)):
            yield slip


def _lost(word: str) -> Iterator[str]:
    if len(word) >= INNER:
        for at in range(1, len(word)):
            yield from (word[:at] + letter + word[at:] for letter in _LETTERS)


def _doubled(word: str) -> Iterator[str]:
    if len(word) >= INNER:
        for at in range(1, len(word) - 1):
            if word[at] == word[at + 1]:
                yield word[:at] + word[at + 1 :]


def _stray(word: str) -> Iterator[str]:
    if len(word) >= STRAY:
        yield from (word[:at] + word[at + 1 :] for at in range(1, len(word) - 1))


def _is_variant(word: str, other: str) -> bool:
    """Whether they are one word in two ways to write it: `colour`, `normalise`."""
    return any(
        word.replace(british, american) == other.replace(british, american)
        for british, american in _EN.pairs("words.british").items()
    )


def _is_joined(word: str) -> bool:
    """Two words in one, as names of the trade are: `frontend`, `filetree`."""
    return any(
        is_listed(word[:at]) and is_listed(word[at:]) for at in range(PART, len(word) - PART + 1)
    )


@lru_cache(maxsize=16384)
def is_word(word: str) -> bool:
    """Listed, or a form of a word of the trade: `configs`; of a listed word all forms are."""
    base = stem(word)
    return is_listed(word) or (base in _ordinary() and not is_listed(base))


def _is_ordinary(word: str) -> bool:
    return stem(word) in _ordinary() and is_listed(word)


@cache
def _ordinary() -> frozenset[str]:
    common = sections("judgement.txt")["common"].split()
    return frozenset(stem(word) for word in (*common, *_EN.stop))


__all__ = ["has_slip", "is_legible", "is_word", "spelled"]
