"""Codex memories (`~/.codex/memories`): the register by headings, and the notes made by hand.

Summaries of single rollouts and the raw material are left out: Reverie reads the rollouts
themselves, and what was said in them counts more than what was made of it.
"""

import re
from pathlib import Path

from reverie.imports.base import (
    Found,
    Piece,
    Target,
    by_heading,
    markdown_files,
    read_or_skip,
)

_HEADING = re.compile(r"^#{1,2} +(.+?)\s*#*$", re.M)
_DERIVED = {
    "memory_summary.md": "made from MEMORY.md",
    "raw_memories.md": "raw material of the register",
}


class Codex:
    """The folder with `MEMORY.md` and `memory_summary.md` or `raw_memories.md`."""

    kind = "codex"
    about = "Codex memories"

    def recognises(self, place: Path) -> bool:
        return place.is_dir() and (
            (place.name == "memories" and place.parent.name == ".codex")
            or any((place / name).is_file() for name in _DERIVED)
        )

    def read(self, place: Path, target: Target) -> Found:
        found = Found()
        taken: set[str] = set()
        for file, name in markdown_files(place):
            folder = name.partition("/")[0]
            if name in _DERIVED:
                found.skip(name, _DERIVED[name])
            elif folder in ("rollout_summaries", "skills") or name.startswith("phase2_"):
                found.skip(name, "derived from rollouts, which `reverie learn` reads")
            else:
                text = read_or_skip(file, name, found)
                if text is not None:
                    found.pieces += _pieces(text, name, target, taken)
        return found


def _pieces(text: str, name: str, target: Target, taken: set[str]) -> list[Piece]:
    cuts = [*_HEADING.finditer(text)] if name == "MEMORY.md" else []
    return [
        Piece(
            target.project,
            f"/{document.name}.md",
            document.text(),
            f"{name}, {title}" if cuts else name,
        )
        for title, document in by_heading(text, cuts, "" if cuts else Path(name).stem, taken)
    ]
