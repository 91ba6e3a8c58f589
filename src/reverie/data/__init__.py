"""Vocabulary, patterns and weights as files, so that code and lists can be read apart."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


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


_NAMED = re.compile(r"\{([a-z_]+)\}")


def patterns(name: str, module: str) -> dict[str, str]:
    """The patterns of a module, `[module.name]` in a file: `{name}` is another one of them."""
    found: dict[str, str] = {}
    for part, text in sections(name).items():
        of, _, pattern = part.partition(".")
        if of == module:
            # The lines of a pattern are one; it may name those above it.
            found[pattern] = _NAMED.sub(lambda match: found[match[1]], text.replace("\n", ""))
    return found


def pairs(name: str, part: str) -> list[tuple[str, str]]:
    """The lines of a part, each a word and what stands beside it."""
    lines = (line.partition(" ") for line in sections(name)[part].splitlines())
    return [(word, rest) for word, _, rest in lines]


def lines(name: str, part: str) -> tuple[str, ...]:
    """The lines of a part."""
    return tuple(sections(name)[part].splitlines())
