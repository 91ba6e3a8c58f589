"""Vocabulary, patterns and weights as files, so that code and lists can be read apart."""

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
