"""Writing files: a reader sees the old content or the new, never half of it.

The modules here change files that belong to somebody else, and take the change back.
"""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

_DEEPEST = 100
_OBEYED = frozenset(
    {"head", "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md"}
)


def make_private(folder: Path) -> None:
    """Make a folder and what is missing above it, for the user only (0700)."""
    # `Path.mkdir(parents=True)` would give the mode to the last one only.
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Put `content` at `path` in one step; the folder is made (0700) if it is missing.

    The content reaches the disk before the name does. Nothing is left behind on failure. It does
    not protect against a second writer: the last one wins.
    """
    import tempfile  # loads a dozen modules, and most commands only read

    data = content.encode("utf-8") if isinstance(content, str) else content
    make_private(path.parent)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def append_line(path: Path, line: str) -> None:
    """Add one line to a file that is only appended to; a single write is not torn by others'."""
    make_private(path.parent)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def is_obeyed(name: str) -> bool:
    """Whether other programs take a file of this name for settings or instructions.

    Hidden files configure tools, a folder with a HEAD can be a repository whose settings git obeys,
    and agents are instructed by files like CLAUDE.md wherever they lie.
    """
    return name.startswith(".") or name.casefold() in _OBEYED


def walk(
    root: Path, onerror: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`, to a depth at which no honest folder ends; `onerror` is told of deeper ones.

    Before Python 3.12 `os.walk` calls itself for each level and ends with the stack.
    """
    deepest = os.fspath(root).count(os.sep) + _DEEPEST
    for folder, names, files in os.walk(root, onerror=onerror):
        yield folder, names, files
        if names and folder.count(os.sep) >= deepest:
            if onerror is not None:
                onerror(OSError(errno.ENAMETOOLONG, "nested too deep", folder))
            names.clear()
