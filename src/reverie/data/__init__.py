"""Vocabulary, patterns and weights as files, so that code and lists can be read apart."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

FOLDER = Path(__file__).parent
Value = TypeVar("Value")

_NAMED = re.compile(r"\{([a-z_]+)\}")
_FLAGS = re.compile(r"^\(\?[a-z]+\)")


@cache
def sections(name: str) -> dict[str, str]:
    """The parts of a text file: `[name]` begins one, `#` a line that is for readers alone."""
    parts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            lines = parts[line[1:-1]] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return {part: "\n".join(lines) for part, lines in parts.items()}


class Parts(Generic[Value]):
    """What a module knows by heart: `.name` is `[module.name]` of a file, made when first used."""

    def __init__(
        self, file: str, module: str, made: Callable[["Parts[Value]", str], Value]
    ) -> None:
        self._file, self._module, self._made = file, module, made

    def __getattr__(self, name: str) -> Value:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self.__dict__[name] = self._made(self, self.text(name))
        return value

    def text(self, name: str) -> str:
        """One part as it stands in the file."""
        return sections(self._file)[f"{self._module}.{name}"]


def patterns(file: str, module: str) -> Parts["re.Pattern[str]"]:
    """The patterns of a module: the lines of one belong together, `{name}` is another of them."""
    return Parts(file, module, lambda parts, text: re.compile(_spelled_out(parts, text)))


def _spelled_out(parts: Parts["re.Pattern[str]"], text: str) -> str:
    def other(match: "re.Match[str]") -> str:
        return _FLAGS.sub("", _spelled_out(parts, parts.text(match[1])))

    return _NAMED.sub(other, text.replace("\n", ""))


def word_sets(file: str, module: str) -> Parts[frozenset[str]]:
    """The lists of words of a module."""
    return Parts(file, module, lambda _, text: frozenset(text.split()))


def numbers(file: str, module: str) -> Parts[float]:
    """The numbers of a module, each a part by itself."""
    return Parts(file, module, lambda _, text: float(text))


def pairs(name: str, part: str) -> list[tuple[str, str]]:
    """The lines of a part, each a word and what stands beside it."""
    lines = (line.partition(" ") for line in sections(name)[part].splitlines())
    return [(word, rest) for word, _, rest in lines]


@cache
def _weights(name: str, part: str) -> dict[str, float]:
    return {word: float(number) for word, number in pairs(name, part)}


def weighed(name: str, part: str, counts: Mapping[str, int]) -> float:
    """The sum of the numbers of a table, of those names that were counted."""
    return sum(number for word, number in _weights(name, part).items() if counts[word])


def lines(name: str, part: str) -> tuple[str, ...]:
    """The lines of a part."""
    return tuple(sections(name)[part].splitlines())
