"""Writing a file so that a reader sees the old content or the new, never half of it."""

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Put `content` at `path` in one step; the folder is made (0700) if it is missing.

    The content reaches the disk before the name does. Nothing is left behind on failure. It does
    not protect against a second writer: the last one wins.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
