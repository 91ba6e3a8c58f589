"""What every agent's reader offers. A new agent is one module with one of these, and one line in
`readers/agents.py`."""

import hashlib
import re
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from reverie.config import user_home
from reverie.files import walk
from reverie.sessions.logs.transcript import Resume, Transcript

# So much of a file is enough to say which agent wrote it.
HEAD_BYTES = 64 * 1024

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LAST_MS = 253_402_300_799_000  # the end of the year 9999


class Part(NamedTuple):
    """One session inside a file of many; its size changes when it grows."""

    name: str
    size: int
    mtime_ns: int


class Reader(Protocol):
    """Finds and opens the logs of one agent."""

    @property
    def agent(self) -> str:
        """The agent's name, as everywhere else: `claude-code`."""
        ...

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        """The folders the agent writes to, under this environment. They need not exist."""
        ...

    def candidates(self, root: Path) -> Iterator[Path]:
        """The files under a root that may be logs, in a stable order."""
        ...

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether this agent wrote the file, by its name and first bytes (decompressed)."""
        ...

    def parts(self, path: Path) -> list[Part] | None:
        """The sessions of a file that holds several; None for one file, one session."""
        ...

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        """The log, ready to iterate; nothing is read yet."""
        ...


class SingleSession:
    """What many readers have in common: one file is one session. Those that say nothing about
    where it lies have no place of their own; their files come with `--logs`."""

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        return []

    def candidates(self, root: Path) -> Iterator[Path]:
        return iter(())

    def parts(self, path: Path) -> list[Part] | None:
        return None


@lru_cache(maxsize=256)
def version_of(text: str | None) -> tuple[int, ...]:
    """`2.1.217` as numbers that compare; empty when it is none."""
    numbers = (text or "")[:40].split("-")[0].split(".")
    return tuple(map(int, numbers)) if all(n.isdecimal() for n in numbers) else ()


def named_by(path: Path) -> str:
    """The session that a file is named after, "" when its name holds no id."""
    named = UUID.search(path.name)
    return named.group() if named else ""


def home(env: Mapping[str, str]) -> Path:
    """The user's home folder in this environment."""
    return Path(env.get("HOME") or env.get("USERPROFILE") or user_home(env))


def files_under(root: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Regular files below `root` with one of the suffixes, sorted; links are not followed."""
    for folder, names, files in walk(root):
        names.sort()
        for name in sorted(files):
            if name.endswith(suffixes):
                path = Path(folder, name)
                try:
                    regular = stat.S_ISREG(path.lstat().st_mode)
                except OSError:
                    continue
                if regular:
                    yield path


def files_matching(root: Path, *layouts: str) -> Iterator[Path]:
    """Regular files whose path below `root` has one of the layouts (patterns of a whole path with
    `/`), sorted; links are not followed. An agent's folder holds much besides its logs."""
    form = re.compile("|".join(f"(?:{layout})" for layout in layouts))
    for path in files_under(root, (".jsonl", ".jsonl.zst", ".json", ".txt")):
        if form.fullmatch(path.relative_to(root).as_posix()):
            yield path


def head_lines(head: bytes, limit: int = 40) -> list[bytes]:
    """The first lines of a file's first bytes, damaged ones included, blank ones not."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", limit)[:limit]
    return [line for line in lines if line.strip(b" \t\r\0")]


def text_of(value: Any) -> str:
    """A value of a foreign format that should be text; "" when it is not."""
    return value if isinstance(value, str) else ""


def table_of(value: Any) -> dict[str, Any]:
    """A value of a foreign format that should be an object; empty when it is not."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def between(text: str, tag: str) -> Iterator[str]:
    """What stands between each `<tag>` and the `</tag>` after it; a last one left open is not told.

    Found by searching, in linear time: a pattern that also trims blanks costs far more on a text
    that is made for it.
    """
    opening, closing = f"<{tag}>", f"</{tag}>"
    start = text.find(opening)
    while start >= 0:
        start += len(opening)
        stop = text.find(closing, start)
        if stop < 0:
            return
        yield text[start:stop].strip()
        start = text.find(opening, stop)


def possible_ms(value: Any) -> bool:
    """Whether a value is a time in milliseconds since 1970."""
    return isinstance(value, int | float) and 0 < value <= _LAST_MS


def iso_of_ms(value: Any) -> str:
    """Milliseconds since 1970 as ISO time; "" for none or an impossible one."""
    if not possible_ms(value):
        return ""
    at = datetime.fromtimestamp(value / 1000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def trace_of(at: str, words: str) -> str:
    """Tells one message from another without its words: a reader's state is stored as it is."""
    digest = hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8)
    return f"{at}/{digest.hexdigest()}"
