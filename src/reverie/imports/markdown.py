"""A folder of Markdown files: each one a memory, under the path it has there."""

from pathlib import Path

from reverie.imports.base import (
    Found,
    Piece,
    Target,
    markdown_files,
    noted,
    notes_in_index,
    read_or_skip,
)
from reverie.mounts.transfer import exhibits, is_export
from reverie.store.library import is_memory

_INDEX = ("MEMORY.md", "README.md")


# CLAUDE.md, AGENTS.md and their like: quoted as context, never copied as memory.
NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")


class Instructions:
    """One instruction file."""

    kind = "instructions"
    about = "a CLAUDE.md or AGENTS.md, as quoted context"

    def recognises(self, place: Path) -> bool:
        return place.is_file() and place.name in NAMES

    def read(self, place: Path, target: Target) -> Found:
        contents = Found()
        text = read_or_skip(place, place.name, contents, target)
        if text is not None:
            path = f"/context/{place.name.lstrip('.')}.txt"
            quoted = "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())
            words = f"Quoted from {place.name} as of {target.today}; not a memory.\n\n{quoted}"
            contents.pieces.append(
                Piece(target.project, path, words, place.name, trust="tool", checked=False)
            )
            contents.notes.append(f"{place.name} is kept as quoted context at {path}")
        return contents


class Markdown:
    """Any folder, or a single file."""

    kind = "markdown"
    about = "a folder of Markdown files"

    def recognises(self, place: Path) -> bool:
        if place.is_file():
            return place.suffix == ".md"
        return any(True for _ in markdown_files(place))

    def read(self, place: Path, target: Target) -> Found:
        if is_export(place):
            return _exported(place, target)
        contents = Found()
        files = [(place, place.name)] if place.is_file() else list(markdown_files(place))
        taken: set[str] = set()
        for file, name in files:
            text = read_or_skip(file, name, contents, target)
            if text is None:
                continue
            if name not in _INDEX or len(files) == 1:
                contents.pieces.append(Piece(target.project, f"/{name}", text, name))
                continue
            contents.skip(name, "an index or a description of the folder, not a memory")
            for note in notes_in_index(text) if name == "MEMORY.md" else ():
                document = noted(note, taken)
                path = f"/{document.name}.md"
                contents.pieces.append(
                    Piece(target.project, path, document.text(), f"{name}, {note}")
                )
        return contents


def _exported(place: Path, target: Target) -> Found:
    """An export of stores: each memory into the store of the name it came from."""
    contents = Found()
    for store, path, file in exhibits(place):
        source = file.relative_to(place).as_posix()
        text = read_or_skip(file, source, contents, target)
        if text is not None:
            name = target.project if target.fixed else store
            contents.pieces.append(Piece(name, path, text, source, checked=is_memory(path)))
    return contents
