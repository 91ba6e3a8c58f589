"""A basic-memory vault: notes with `title`, `permalink` and observations.

The body is kept as it is: observations (`- [category] text`), relations and `[[links]]` read well.
Only the frontmatter becomes ours, since `type: note` and the like mean something else there.
"""

from pathlib import Path

from reverie.documents import frontmatter
from reverie.documents.document import Document
from reverie.documents.frontmatter import Value
from reverie.errors import InvalidInput
from reverie.imports.base import (
    Found,
    Piece,
    Target,
    day_of,
    markdown_files,
    one_line,
    read_or_skip,
    slug,
    text_of,
    unique,
)


class BasicMemory:
    """A folder of notes; the project's `.basic-memory` lies elsewhere and is not read."""

    kind = "basic-memory"
    about = "a basic-memory vault"

    def recognises(self, place: Path) -> bool:
        if not place.is_dir():
            return False
        notes = (front(_text_of_any(file))[0] for file, _ in markdown_files(place))
        return any("permalink" in values and "title" in values for values in notes)

    def read(self, place: Path, target: Target) -> Found:
        contents = Found()
        taken: set[str] = set()
        for file, name in markdown_files(place):
            text = read_or_skip(file, name, contents, target)
            if text is None:
                continue
            values, body = front(text)
            title = _text(values, "title") or file.stem
            # The last part of the permalink is what links point to.
            permalink = _text(values, "permalink").rpartition("/")[2]
            document = Document(
                name=unique(slug(permalink) or slug(title) or "note", taken),
                description=one_line(title),
                type="reference" if _text(values, "type") in ("spec", "reference") else "project",
                created=_text(values, "created")[:10] or day_of(file),
                trust="agent",
                body=body.lstrip("\n"),
            )
            contents.pieces.append(
                Piece(target.project, f"/{document.name}.md", document.text(), name)
            )
        return contents


def _text_of_any(file: Path) -> str:
    """The text of a file; nothing if it has none."""
    try:
        return text_of(file)
    except InvalidInput:
        return ""


def front(text: str) -> tuple[dict[str, Value], str]:
    """The frontmatter's values and the body; a text without any is all body."""
    try:
        parsed = frontmatter.split(text)
    except InvalidInput:
        return {}, ""
    return ({}, text) if parsed is None else (dict(parsed.values), parsed.body)


def _text(values: dict[str, Value], key: str) -> str:
    value = values.get(key, "")
    return value.strip() if isinstance(value, str) else ""
