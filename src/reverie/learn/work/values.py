"""Values: the names, numbers, paths, flags and quotations of a lesson, and where they stand.

A value must have been said or shown. A name that people mistype, or that a dictation takes for
another by its sound, was said all the same if it is a name that is known: a word of the language,
or one that stands beside or in what is remembered.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from reverie.data import pairs, patterns, word_sets
from reverie.language.lexicon import lexicon
from reverie.language.spelling import is_word
from reverie.language.words import words

_RE = patterns("work.txt", "values")
_WORDS = word_sets("work.txt", "values")
_DENY = word_sets("work.txt", "grounding").deny
_SOUNDS = pairs("work.txt", "values.sounds")
_NUMBERS = lexicon().pairs("words.numbers")

NAMED, CONTEXT = 2, 60  # lines with a value that was said elsewhere, and characters before it
SHORTEST = 5  # letters of a name that may be a slip of the finger, or of the ear
ALIKE = 0.8  # share of the letters that two words have in common, in the same order


def values_of(text: str) -> Iterator[str]:
    """The names, numbers, paths, flags and quoted values of a text."""
    bare = _RE.blank.sub(" ", text)
    for match in _RE.code.finditer(bare):
        yield from match[1].split()
    bare = _RE.code.sub(" ", bare)
    for match in _RE.quotation.finditer(bare):
        yield match[1] or match[2]
    for form in (_RE.exact, _RE.name):
        for match in form.finditer(bare):
            if match[0].lower() not in _WORDS.everyday:
                yield match[0].rstrip(".,;:!?)/")


def opening_names(text: str) -> Iterator[str]:
    """Names at the beginning of a sentence, where all have a capital: what is no word is one."""
    for match in _RE.opening.finditer(_RE.code.sub(" ", text)):
        if match[0].lower() not in _WORDS.everyday and not is_word(match[0].lower()):
            yield match[0]


def names_of(text: str) -> Iterator[str]:
    """The names of things in what somebody said: capitals, and what is no word of the language."""
    plain = _RE.exact.sub(" ", text)
    yield from (match[0] for match in _RE.name.finditer(plain))
    for word in words(plain):
        if word.isalpha() and not is_word(word) and word not in _WORDS.everyday:
            yield word


def values_in(text: str, sources: tuple[str, ...]) -> list[str]:
    """The values of a text that stand in none of these."""
    return [value for value in dict.fromkeys(values_of(text)) if not folded(sources).hold(value)]


def unsaid(value: str, elsewhere: Iterable[tuple[str, str]]) -> str:
    """What to tell about a value that stands nowhere, with the lines by which it may be mended."""
    where = [
        f"{name} says {text[max(0, text.lower().find(value.lower()) - CONTEXT) :][: 2 * CONTEXT]!r}"
        for name, text in elsewhere
        if folded((text,)).hold(value)
    ][:NAMED]
    hint = f"; {', '.join(where)}: name that too if it speaks of the same" if where else ""
    return f"{value!r} stands neither in its evidence nor beside it{hint}"


def is_name(value: str) -> bool:
    """Whether it is written like the name of a thing, in letters alone."""
    return bool(_RE.plain_name.fullmatch(value))


def is_slip(value: str, said: Iterable[str], known: "Folded", shown: "Folded") -> bool:
    """Whether a name was meant by a word that nobody knows, and that looks or sounds like it.

    The name itself is a word of the language, is `known`, or was `shown` in the same sessions.
    """
    low = value.lower()
    real = is_word(low) or known.hold(low) or shown.hold(value)
    if not is_name(value) or len(low) < SHORTEST or not real:
        return False
    spoken = {word for text in said for word in words(text) if word.isalpha() and word.isascii()}
    return any(
        _is_alike(word, low)
        for word in spoken
        if len(word) >= SHORTEST - 1 and word[0] == low[0] and not is_word(word)
        if not known.hold(word.capitalize()) and not shown.hold(word.capitalize())
    )


def mistyped(lesson: str, said: Iterable[str]) -> list[str]:
    """The words of a lesson that were said as no word: with a slip, or cut short."""
    typed = {word for text in said for word in words(text) if word.isalpha() and word.isascii()}
    typed = {word for word in typed if len(word) >= SHORTEST - 1 and not is_word(word)}
    return [
        word
        for word in words(lesson)
        if len(word) >= SHORTEST and is_word(word) and word not in typed
        if any(
            said[0] == word[0] and (word.startswith(said) or _is_alike(said, word))
            for said in typed
        )
    ]


def _is_alike(word: str, name: str) -> bool:
    return _sound(word) == _sound(name) or SequenceMatcher(None, word, name).ratio() >= ALIKE


def _sound(word: str) -> str:
    """A word by its consonants, as they are heard."""
    for written, heard in _SOUNDS:
        word = word.replace(written, heard)
    first, rest = word[0], _RE.vowels.sub("", word[1:])
    return _RE.doubles.sub(r"\1", first + rest)


class Folded(NamedTuple):
    """Texts in the forms a value is looked for in."""

    plain: str
    spaced: str  # each word, and each part of a name, behind a space
    joined: str
    numbers: frozenset[str]

    def hold(self, value: str) -> bool:
        if _RE.number.fullmatch(value):
            return value in self.numbers
        low = value.lower().strip("`'\"()[]{}.,;:")
        if _RE.simple_name.fullmatch(value):
            # No part of another name: "React" is not Preact; the kit of "corekit" is a Kit.
            before = (match[1] for match in re.finditer(rf"\b(\w{{3,}}){low}", self.plain))
            return f" {low}" in self.spaced or any(map(is_word, before))
        if low in self.plain or _joined(value) in self.joined:
            return True
        if (page := _RE.page.fullmatch(value)) and page[1].lower() in self.plain:
            return True  # "the changelog" is CHANGELOG.md
        parts = [part for part in _RE.join.split(low) if part]  # "readers/writers", "team/shop#7"
        if len(parts) > 1 and all(part in self.plain for part in parts):
            return True
        # "Acme-compatible" speaks of Acme.
        names = [part for part in value.split("-") if part != part.lower()]
        rest = [part for part in value.split("-") if part not in names]
        return (
            bool(names and rest)
            and all(part.lower() in self.plain for part in names)
            and all(part.isalpha() and part not in _DENY for part in rest)
        )


@lru_cache(maxsize=256)
def folded(texts: tuple[str, ...]) -> Folded:
    """Texts in these forms."""
    whole = "\n".join(texts)
    numbers = {match[0] for match in _RE.number.finditer(whole)}
    numbers |= {_NUMBERS[word] for word in words(whole) if word in _NUMBERS}
    spaced = f" {_RE.part.sub(' ', whole).lower()}"
    return Folded(whole.lower(), spaced, _joined(whole), frozenset(numbers))


def _joined(text: str) -> str:
    return _RE.joint.sub("", text).lower()
