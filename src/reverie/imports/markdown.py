"""A folder of Markdown files: each one a memory, under the path it has there."""

from pathlib import Path

from reverie.imports.base import Found, Piece, Target, markdown_files, read_or_skip

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
        found = Found()
        text = read_or_skip(place, place.name, found)
        if text is not None:
            path = f"/context/{place.name.lstrip('.')}.txt"
            quoted = "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())
            words = f"Quoted from {place.name} as of {target.today}; not a memory.\n\n{quoted}"
            found.pieces.append(
                Piece(target.project, path, words, place.name, trust="tool", checked=False)
            )
            found.notes.append(f"{place.name} is kept as quoted context at {path}")
        return found


class Markdown:
    """Any folder, or a single file."""

    kind = "markdown"
    about = "a folder of Markdown files"

    def recognises(self, place: Path) -> bool:
        if place.is_file():
            return place.suffix == ".md"
        return any(True for _ in markdown_files(place))

    def read(self, place: Path, target: Target) -> Found:
        found = Found()
        files = [(place, place.name)] if place.is_file() else list(markdown_files(place))
        for file, name in files:
            if name in _INDEX and len(files) > 1:
                found.skip(name, "an index or a description of the folder, not a memory")
                continue
            text = read_or_skip(file, name, found)
            if text is not None:
                found.pieces.append(Piece(target.project, f"/{name}", text, name))
        return found
