"""Memories written into Claude Code's own memory folder, when its user asks for it.

Being a good neighbour: only new files and new lines of its index. A file that is there and says
something else is left alone and named; nothing is changed and nothing is removed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reverie.documents.document import Document
from reverie.documents.index_file import Listed, index_line
from reverie.errors import InvalidInput
from reverie.files import replace_file
from reverie.mounts.names import encoded

INDEX = "MEMORY.md"
MAX_LINES = 200  # what Claude Code loads of the index
MAX_LINE = 150


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What became of each memory, by file name."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    left: tuple[str, ...]  # another text is there
    unlisted: tuple[str, ...]  # written, but the index is full


def write_back(documents: Iterable[Document], folder: Path) -> WrittenBack:
    """Write documents into `folder`.

    Raises:
        InvalidInput: `folder` is not a folder.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InvalidInput(f"{folder} is not a folder of files")
    written: list[str] = []
    unchanged: list[str] = []
    left: list[str] = []
    lines: dict[str, str] = {}
    for document in sorted(documents, key=lambda document: document.name):
        name = f"{document.name}.md"
        # Names come from the frontmatter, and here nothing remembers which file stands for which.
        if "/" in name or not name.isprintable() or name != encoded(name) or name == INDEX:
            left.append(name)
            continue
        file, text = folder / name, document.text()
        if file.is_symlink() or file.exists():
            same = not file.is_symlink() and file.is_file() and file.read_bytes() == text.encode()
            (unchanged if same else left).append(name)
            continue
        replace_file(file, text)
        written.append(name)
        lines[name] = index_line(Listed(name, document), MAX_LINE).rstrip("\n")
    unlisted = _list(folder / INDEX, lines) if lines else []
    return WrittenBack(tuple(written), tuple(unchanged), tuple(left), tuple(unlisted))


def _list(index: Path, lines: dict[str, str]) -> list[str]:
    """Add lines to the index; the names it has no room for."""
    if index.is_symlink():
        return list(lines)
    text = index.read_text(encoding="utf-8") if index.exists() else ""
    room = MAX_LINES - len(text.splitlines())
    new = {name: line for name, line in lines.items() if f"]({name})" not in text}
    fitting = list(new.values())[: max(room, 0)]
    if fitting:
        joint = "" if not text or text.endswith("\n") else "\n"
        replace_file(index, text + joint + "\n".join(fitting) + "\n")
    return list(new)[len(fitting) :]
