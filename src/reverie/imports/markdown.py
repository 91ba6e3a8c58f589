"""A folder of Markdown files: each one a memory, under the path it has there."""

from pathlib import Path

from reverie.imports.base import Found, Piece, Target, markdown_files, read_or_skip

_INDEX = ("MEMORY.md", "README.md")


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
