"""Phrasing: what does not change a lesson's meaning is taken off its words.

Case, politeness, singular and plural, tense, word order and the commonest synonyms of engineering
talk. The lists hold general words only; what they do not know is taken as a name.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from reverie.data import patterns
from reverie.data.english import is_listed
from reverie.language.lexicon import languages, lexicon
from reverie.language.words import stem

_RE = patterns("language.txt", "wording")
_EN = lexicon()

Sort = Literal["word", "name", "number", "mark"]

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})

_NUMBERS = _EN.pairs("words.numbers")
_JOINED = {"pull": "pr", "type": "annotation", "doc": "docstring", "time": "timeout"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word, name, number or mark of a lesson, with the root it is compared by."""

    text: str
    root: str
    sort: Sort


def _synonyms() -> dict[str, str]:
    roots: dict[str, str] = {}
    for line in _EN.lines("lessons.synonyms"):
        words = line.split()
        for word in words:
            roots[stem(word)] = stem(words[0])
            roots[word] = stem(words[0])
    return roots


_SYNONYMS = _synonyms()
# Lessons of several languages stand side by side: small words of any of them tell nothing.
_LEXICONS = [lexicon(name) for name in languages()]
NEGATIONS = _EN.words("words.negations").union(
    _EN.words("words.negations_elsewhere"), *(known.words("stop.denials") for known in _LEXICONS)
)
EMPTY = frozenset(
    form
    for known in _LEXICONS
    for word in (known.words("stop.words") | known.words("lessons.talk"))
    for form in (word, stem(word))
)


def root_of(word: str) -> str:
    """What a word is compared by: its stem, or the word that stands for its synonyms."""
    lower = word.lower()
    short = stem(lower)
    return _SYNONYMS.get(lower) or _SYNONYMS.get(short, short)


LIGHT = frozenset(root for word in _EN.words("lessons.light") for root in (word, root_of(word)))


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a lesson in order; code in quotes is a name, prose in quotes is words."""
    wording: list[Token] = []
    plain = _EN.pattern("joined").sub(_join, text.translate(_APOSTROPHES))
    for match in _RE.token.finditer(plain):
        sort, value = match.lastgroup or "mark", match.group(match.lastgroup or 0)
        if sort == "date":
            continue
        if sort == "code":
            wording += tokens(value) if " " in value else [_name(value)]
        elif sort in {"quoted", "name"}:
            wording.append(_name(value))
        elif sort == "dotted":
            # "fmt.Println" is a name; where the first part is a word, a blank was left out.
            first, _, rest = value.partition(".")
            wording += (
                tokens(f"{first}. {rest}")
                if is_ordinary(root_of(first.lower()))
                else [_name(value)]
            )
        elif sort == "number":
            wording.append(Token(value, value.replace(",", "").lower(), "number"))
        elif sort == "word":
            wording.append(_word(value))
        else:
            wording.append(Token(value, value, "mark"))
    return tuple(wording)


def _name(value: str) -> Token:
    """A name keeps its letters; only ordinary words in quotes lose their endings."""
    if value.isdigit():
        return Token(value, value, "number")
    lower = value.lower().removesuffix("()")
    return Token(value, _SYNONYMS.get(lower, lower), "name")


def _word(value: str) -> Token:
    lower = value.lower()
    if lower in _NUMBERS:
        return Token(value, _NUMBERS[lower], "number")
    return Token(value, root_of(lower), "word")


def _join(match: re.Match[str]) -> str:
    first = next(group for group in match.groups() if group)
    lower = first.lower()
    if match[1]:
        return f"{first}case"
    return _JOINED.get(lower, f"{lower}end")


# Values: the part of a lesson that an update changes while the subject stays. A port, a prefix, a
# tool, a style: two of them for the same subject cannot both hold. What is only added (another
# import, another decorator) can.
AFFIX = -1  # the choice between pieces of names
CHOICES: dict[str, int] = {
    form: number
    for number, line in enumerate(_EN.lines("lessons.choices"))
    for word in line.split()
    for form in (word, root_of(word))  # as a name in code, and as a word
}
STYLES = frozenset(root_of(word) for word in _EN.words("lessons.choices") if word.endswith("case"))
ADDITIVE = frozenset(root_of(word) for word in _EN.words("lessons.additive"))
_COMMON = frozenset(root_of(word) for word in _EN.words("lessons.ordinary"))
_AFFIX = re.compile(r"^(?:[a-z0-9]{0,6}[_-]|[_-][a-z0-9]{0,6})$")
_ORDINARY_END = re.compile(r"(?:ings?|tions?|ments?|ness|[cdlnrstv]it|all|ed|ous|ful)$")


def is_affix(root: str) -> bool:
    """`a_`, `_q`, `get-`: a piece of a name."""
    return ("_" in root or "-" in root) and _AFFIX.match(root) is not None


@lru_cache(maxsize=8192)
def is_ordinary(root: str) -> bool:
    """Whether a word is one of the language, not the name of a tool or a thing."""
    return root in _COMMON or bool(_ORDINARY_END.search(root))


def choices_of(roots: Collection[str]) -> set[int]:
    """Of which choices some words are alternatives; pieces of names are those of one."""
    kinds = {CHOICES[root] for root in roots if root in CHOICES}
    return kinds | {AFFIX} if any(map(is_affix, roots)) else kinds


# Things: the kind of thing in code that a lesson is about. A rule about methods is not one about
# functions, nor is one about the names of a function's arguments one about the names of functions:
# the last noun of a compound decides.
_NOUNS = frozenset(root_of(word) for word in _EN.words("lessons.nouns"))
_OF_A_NAME = frozenset(root_of(word) for word in ("name", "names", "naming", "identifier"))
_INSIDE = {
    root_of("argument"): frozenset({root_of("function"), root_of("method"), root_of("class")}),
    root_of("method"): frozenset({root_of("class")}),
    root_of("attribute"): frozenset({root_of("class")}),
    root_of("column"): frozenset({root_of("table")}),
}
# Where a piece of a name goes; two places never make one rule.
_PLACES = {
    word: place for place, words in _EN.pairs("lessons.places").items() for word in words.split()
}

_PLACE_ROOTS = frozenset(root_of(word) for word in _PLACES)


@dataclass(frozen=True, slots=True)
class Thing:
    """A kind of thing as it was named: `function argument` in "function argument names"."""

    start: int  # token
    end: int
    head: str  # root of the last noun
    phrase: str
    named: bool  # its names are spoken of


def things(wording: Sequence[Token]) -> list[Thing]:
    """The kinds of thing named, in order; nouns that follow each other are one."""
    runs: list[Thing] = []
    start = -1
    for place in range(len(wording) + 1):
        noun = (
            place < len(wording) and wording[place].sort == "word" and wording[place].root in _NOUNS
        )
        if noun and start < 0:
            start = place
        elif not noun and start >= 0:
            runs.append(_thing(wording, start, place))
            start = -1
    return runs


def inner(heads: Iterable[str]) -> frozenset[str]:
    """Only the most inner kinds: arguments belong to functions, methods to classes."""
    known = frozenset(heads)
    return known - {noun for head in known for noun in _INSIDE.get(head, ())}


def objects(wording: Sequence[Token]) -> frozenset[str]:
    """The kinds of thing a lesson is about, the most inner ones only."""
    return inner(thing.head for thing in things(wording))


def _thing(wording: Sequence[Token], start: int, end: int) -> Thing:
    words = [token.text.lower().removesuffix("'s") for token in wording[start:end]]
    last = words[-1]
    if last != "class" and last.endswith("s"):
        last = last[:-3] + "y" if last.endswith("ies") else last.removesuffix("s")
        last = last.removesuffix("e") if words[-1].endswith(("sses", "ches")) else last
    before = wording[start - 1].root if start else ""
    after = wording[end].root if end < len(wording) else ""
    named = after in _OF_A_NAME or before in _OF_A_NAME
    if start > 1 and wording[start - 2].root in _OF_A_NAME:
        named = True
    return Thing(start, end, wording[end - 1].root, " ".join([*words[:-1], last]), named)


def places(wording: Sequence[Token]) -> frozenset[str]:
    """Where something goes: at the start or the end of a name, before or after a step."""
    return frozenset(
        place for token in wording if (place := _PLACES.get(token.text.lower())) is not None
    )


def is_place_word(root: str) -> bool:
    return root in _PLACE_ROOTS


def infinitive(word: str) -> str:
    """The verb of a form like "naming", "committed", "kept"; empty where it is none."""
    if verb := _EN.pairs("words.participles").get(word):
        return verb
    root = next((word.removesuffix(end) for end in ("ing", "ed") if word.endswith(end)), "")
    if len(root) < 2:
        return ""
    doubled = root[:-1] if root[-1] == root[-2] else ""
    verbs = [form for form in (f"{root}e", root, doubled) if form]
    verbs += [f"{root[:-1]}y"] if root.endswith("i") else []
    ordered = _EN.words("words.imperatives")
    return next((verb for verb in verbs if verb in ordered), "") or next(
        (verb for verb in verbs if len(verb) > 2 and is_listed(verb)), ""
    )
