"""The lexicon of a language: its words and phrases by what they are for, one file per language.

A file is TOML of one shape, tables of literal strings, so that one pattern reads it: a TOML parser
alone would cost a recall more than all of its words.
"""

import re
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent
ENGLISH = "en"  # where nothing speaks for another language

_TABLE = re.compile(r"^\[(\w+)\]$", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+) = '''\n?(.*?)'''$", re.MULTILINE | re.DOTALL)
_NEVER = re.compile(r"(?!)")
_NAMED = re.compile(r"\{([a-z_]+)\}")  # in a pattern: another one of the same language


class Lexicon:
    """The words of one language; `table.name` is a concept, and what it does not hold is empty."""

    def __init__(self, language: str) -> None:
        self.language = language
        parts = _TABLE.split((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
        self._unread = dict(zip(parts[1::2], parts[2::2], strict=True))
        self._tables: dict[str, dict[str, str]] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def table(self, name: str) -> dict[str, str]:
        """The concepts of a table in the order of the file."""
        if name not in self._tables:
            self._tables[name] = dict(_ENTRY.findall(self._unread.get(name, "")))
        return self._tables[name]

    def text(self, name: str) -> str:
        """A concept as it stands in the file."""
        table, _, concept = name.partition(".")
        return self.table(table).get(concept, "")

    def words(self, name: str) -> frozenset[str]:
        """The words of a concept."""
        if name not in self._words:
            self._words[name] = frozenset(self.text(name).split())
        return self._words[name]

    def lines(self, name: str) -> list[str]:
        """The lines of a concept."""
        return self.text(name).splitlines()

    def pairs(self, name: str) -> dict[str, str]:
        """The lines of a concept, each a word and what stands beside it."""
        return {word: rest for word, _, rest in (line.partition(" ") for line in self.lines(name))}

    def pattern(self, name: str) -> re.Pattern[str]:
        """A turn of phrase; it is nowhere where the language has none of that name."""
        if name not in self._patterns:
            text = _NAMED.sub(
                lambda other: self.text(f"patterns.{other[1]}"), self.text(f"patterns.{name}")
            ).replace("\n", "")
            self._patterns[name] = re.compile(text) if text else _NEVER
        return self._patterns[name]

    def families(self, speaker: str) -> dict[str, tuple[str, ...]]:
        """The phrases of `human`, `agent` or `statement`, by the name of their family."""
        return {
            name: tuple(text.replace(",\n", ", ").split(", "))
            for name, text in self.table(speaker).items()
        }

    @cached_property
    def stop(self) -> frozenset[str]:
        """The words that no sentence is about."""
        return frozenset(" ".join(self.table("stop").values()).split())


_read = cache(Lexicon)


def lexicon(language: str = ENGLISH) -> Lexicon:
    """The lexicon of a language, read once per process."""
    return _read(language)


@cache
def languages() -> tuple[str, ...]:
    """The languages that have a lexicon, English first."""
    others = {file.stem for file in FOLDER.glob("*.toml")} - {ENGLISH}
    return (ENGLISH, *sorted(others))


@cache
def _telling() -> dict[str, frozenset[str]]:
    """The stop words that speak for one language alone."""
    stop = {name: lexicon(name).stop for name in languages()}
    return {
        name: words
        - lexicon(name).words("stop.shared")
        - frozenset[str]().union(*(stop[other] for other in stop if other != name))
        for name, words in stop.items()
    }


@cache
def _foreign() -> frozenset[str]:
    by_language = _telling()
    return frozenset[str]().union(*(by_language[name] for name in by_language if name != ENGLISH))


def language_of(tokens: Sequence[str]) -> str:
    """The language of which most stop words are among lower-case words; English if in doubt."""
    if _foreign().isdisjoint(tokens):
        return ENGLISH
    counts = {name: len(words.intersection(tokens)) for name, words in _telling().items()}
    return max(counts, key=counts.__getitem__)


# Each quote of a turn is looked at with all the sentences around it.
@lru_cache(maxsize=2048)
def is_phrase(name: str, sentence: str) -> bool:
    """Whether a sentence begins with a turn of phrase, in any language: what follows may be in
    another."""
    return any(lexicon(language).pattern(name).match(sentence) for language in languages())
