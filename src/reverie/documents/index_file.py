"""`MEMORY.md`: the index an agent loads at the start, one line per memory.

Order: pinned first; then by type (user, feedback, project, reference, none); within a type the
newest first; then by file name. What the limits cut is therefore the oldest of what matters
least. Lines are cut before bytes, and the last line then says which limit did it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from reverie.documents.document import Document
from reverie.documents.vocabulary import TYPES
from reverie.inert import inert


class Limits(NamedTuple):
    """What Claude Code loads of an index; more is cut there anyway, without a word."""

    lines: int = 200
    bytes: int = 25_000
    line_chars: int = 150


class Listed(NamedTuple):
    """One memory of the index: its file, relative to the index, and what it says."""

    file: str
    document: Document


def index_markdown(memories: Iterable[Listed], limits: Limits = Limits()) -> str:  # noqa: B008
    """The whole file; empty when there are no memories."""
    lines = [index_line(item, limits.line_chars) for item in sorted(memories, key=_rank)]
    shown, cut_by = lines, ""
    by_lines, by_bytes = f"{limits.lines} lines", f"{limits.bytes:,} bytes"
    if len(lines) > limits.lines:
        # One line is kept free for the warning.
        shown, cut_by = lines[: limits.lines - 1], by_lines
    if cut_by or _size(shown) > limits.bytes:
        # The warning comes with the first line that goes, so its size counts from the start.
        widest = max(len(_warning(len(lines), len(lines), by)) for by in (by_lines, by_bytes))
        fitting = _fitting(shown, limits.bytes - widest)
        if len(fitting) < len(shown):
            shown, cut_by = fitting, by_bytes
    if cut_by:
        shown = [*shown, _warning(len(lines) - len(shown), len(lines), cut_by)]
    return "".join(shown)


def index_line(item: Listed, width: int = 150) -> str:
    """`- [Title](file.md) — hook`, at most `width` characters and a line end."""
    title = _one_line(item.document.title).replace("[", "(").replace("]", ")")
    link = f"<{item.file}>" if any(c in item.file for c in " ()") else item.file
    hook = _one_line(item.document.description)
    if hook.rstrip(".") == title:
        hook = ""
    room = width - len(f"- []({link})")
    if room < 8:
        # A path this long cannot be linked inside one line; the end of it still finds the file.
        return "- …" + item.file[-(width - 3) :] + "\n"
    line = f"- [{_cut(title, room)}]({link})"
    if hook and len(line) + 4 < width:
        line += f" — {_cut(hook, width - len(line) - 3)}"
    return line + "\n"


def _rank(item: Listed) -> tuple[bool, int, tuple[int, ...], str]:
    document = item.document
    type_rank = TYPES.index(document.type) if document.type in TYPES else len(TYPES)
    newest_first = tuple(-ord(c) for c in document.modified or document.created) or (1,)
    return (not document.pinned, type_rank, newest_first, item.file)


def _warning(cut: int, total: int, limit: str) -> str:
    return (
        f"- WARNING: {cut} of {total} memories are not listed: the index is limited to {limit}.\n"
    )


def _size(lines: list[str]) -> int:
    return sum(len(line.encode("utf-8", "replace")) for line in lines)


def _fitting(lines: list[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode("utf-8", "replace"))
        if room < 0:
            break
        kept.append(line)
    return kept


def _one_line(text: str) -> str:
    return inert(" ".join(text.split()))


def _cut(text: str, width: int) -> str:
    """`text` within `width` characters, cut at a word where one ends late enough."""
    if len(text) <= width:
        return text
    head = text[: width - 1]
    at_word = head.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > width // 2 else head).rstrip(" ,;:–—") + "…"
