"""Codex memories (`~/.codex/memories`): the register by headings, and the notes made by hand.

A group of the register says where it applies (`applies_to: cwd=…`); what says nothing of it applies
everywhere, as it does for Codex. Summaries of single rollouts and the raw material are left out:
Reverie reads the rollouts themselves, and what was said in them counts more than what was made of
it.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from reverie.config import user_home
from reverie.documents.document import Document
from reverie.imports.base import (
    Found,
    Piece,
    Target,
    by_heading,
    markdown_files,
    read_or_skip,
)

_HEADING = re.compile(r"^#{1,2} +(.+?)\s*#*$", re.M)
_GROUP = re.compile(r"^# ", re.M)
_PLACE = re.compile(r"^applies_to:\s*cwd=(/.*?)(?:;|,? and /|, /|\s*$)", re.M)
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
        contents = Found()
        taken: set[str] = set()
        for file, name in markdown_files(place):
            folder = name.partition("/")[0]
            if name in _DERIVED:
                contents.skip(name, _DERIVED[name])
            elif folder in ("rollout_summaries", "skills") or name.startswith("phase2_"):
                contents.skip(name, "derived from rollouts, which `reverie learn` reads")
            else:
                text = read_or_skip(file, name, contents, target)
                if text is not None:
                    contents.pieces += _pieces(text, name, target, taken, contents)
        return contents


def _pieces(text: str, name: str, target: Target, taken: set[str], contents: Found) -> list[Piece]:
    if name != "MEMORY.md":
        parts = by_heading(text, [], Path(name).stem, taken)
        return [_piece(target.project, document, name) for _, document in parts]
    pieces: list[Piece] = []
    starts = sorted({0, *(group.start() for group in _GROUP.finditer(text))})
    for start, end in pairwise([*starts, len(text)]):
        group = text[start:end]
        cuts = [*_HEADING.finditer(group)]
        store = _store_of(group, target)
        for title, document in by_heading(group, cuts, "", taken, _title_of(group)):
            source = f"{name}, {title}" if cuts else name
            if store:
                pieces.append(_piece(store, document, source))
            else:
                contents.skip(source, "its project is ignored")
    return pieces


def _title_of(group: str) -> str:
    """The title of a group, with which each of its sections can be understood alone."""
    title = _HEADING.match(group)
    return title[1] if title else ""


def _piece(store: str, document: Document, source: str) -> Piece:
    return Piece(store, f"/{document.name}.md", document.text(), source)


def _store_of(group: str, target: Target) -> str:
    """The store of the project a group applies to; "" for one that nothing is taken from."""
    place = _PLACE.search(group)
    return target.project if place is None or target.fixed else target.slug_at(place[1].strip())


def memories_folder(env: Mapping[str, str]) -> Path:
    """Where Codex keeps its memories."""
    return Path(env.get("CODEX_HOME") or user_home(env) / ".codex") / "memories"
