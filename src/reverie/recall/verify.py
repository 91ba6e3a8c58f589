"""Does what a memory names still exist?

Paths are looked up; functions, flags and commands are searched in the working tree, all in one
bounded pass. `verified`: it is there. `changed`: it is there, but not where the memory says.
`gone`: it is not. What could not be looked at in time is said to be unchecked, never guessed.
Reasons ("Why: …") are not claims about the tree and pass.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets

_RE = patterns("recall.txt", "verify")
_WORDS = word_sets("recall.txt", "verify")

State = Literal["verified", "changed", "gone", "unchecked"]
Sort = Literal["path", "symbol", "flag", "command"]

MAX_REFERENCES = 6  # of one memory
MAX_FILES = 8_000
MAX_FILE_BYTES = 512 * 1024
MAX_TOTAL_BYTES = 48 * 1024 * 1024


# Tools whose targets are listed in a file: name → (file, how a target stands in it).
_RUNNERS: dict[str, tuple[str, str]] = {
    "npm": ("package.json", '"{}"'),
    "pnpm": ("package.json", '"{}"'),
    "yarn": ("package.json", '"{}"'),
    "make": ("Makefile", "\n{}:"),
    "just": ("justfile", "\n{}"),
}


class Reference(NamedTuple):
    """One thing a memory names."""

    sort: Sort
    text: str
    needle: str  # what is looked for in files; the path itself for paths


class Finding(NamedTuple):
    """What became of it; `where` says the new place if it moved."""

    reference: Reference
    state: State
    where: str = ""

    def __str__(self) -> str:
        moved = f" (now {self.where})" if self.where else ""
        return f"{self.reference.text} {self.state}{moved}"


def references(text: str) -> tuple[Reference, ...]:
    """Paths, functions, flags and commands that `text` claims to exist; reasons are left out."""
    if not _RE.hint.search(text):
        return ()
    claims = _RE.why.sub(" ", text)
    found: dict[tuple[Sort, str], Reference] = {}

    def add(sort: Sort, shown: str, needle: str) -> None:
        found.setdefault((sort, needle), Reference(sort, shown, needle))

    for code in _RE.code.findall(claims):
        _from_code(code.strip(), add)
    for match in _RE.path.finditer(claims):
        path = match.group().removeprefix("./")
        if path.count("/") > 1 or path.endswith("/") or _suffix(path) in _WORDS.suffixes:
            add("path", path, path.rstrip("/"))
    for match in _RE.file.finditer(_RE.path.sub(" ", claims)):
        if _suffix(match.group()) in _WORDS.suffixes:
            add("path", match.group(), match.group())
    for match in _RE.flag.finditer(claims):
        add("flag", match.group(), match.group())
    for match in _RE.call.finditer(claims):
        if match.group().endswith("()"):
            add("symbol", match.group(), match.group(1))
    return tuple(found.values())[:MAX_REFERENCES]


def _from_code(code: str, add: Callable[[Sort, str, str], None]) -> None:
    if " " in code:
        add("command", code, code)
        return
    match = _RE.name.match(code)
    telling = "_" in code or "." in code or "::" in code or code != code.lower()
    if match and telling and _suffix(code) not in _WORDS.suffixes:
        add("symbol", code, match.group(1))


def _suffix(name: str) -> str:
    return name.rsplit(".", 1)[-1].lower() if "." in name else ""


class Tree:
    """One working tree, read at most once and only as far as time allows."""

    def __init__(self, root: str, expired: Callable[[], bool]) -> None:
        self.root = root
        self.expired = expired
        self._files: list[str] | None = None
        self._complete = True

    def files(self) -> list[str]:
        """Paths relative to the root, in order; ignored folders left out."""
        if self._files is None:
            self._files = []
            for path in _walk(self.root, _ignored(self.root)):
                if len(self._files) >= MAX_FILES or self.expired():
                    self._complete = False
                    break
                self._files.append(path)
        return self._files

    def holding(self, needles: Sequence[str]) -> tuple[dict[str, str], bool]:
        """Needle → the first file that holds it; and whether everything was read."""
        wanted = {needle: needle.encode() for needle in needles}
        found: dict[str, str] = {}
        total = 0
        for path in self.files():
            if not wanted:
                return found, True
            if total > MAX_TOTAL_BYTES or self.expired():
                return found, False
            data = _content(os.path.join(self.root, path))
            total += len(data)
            for needle in [n for n, raw in wanted.items() if raw in data]:
                found[needle] = path
                del wanted[needle]
        return found, self._complete


def verify(items: Iterable[Reference], tree: Tree) -> list[Finding]:
    """Look every reference up in `tree`."""
    asked = list(dict.fromkeys(items))
    found: dict[Reference, Finding] = {}
    for reference in asked:
        if reference.sort in ("path", "command") and (finding := _look_up(reference, tree)):
            found[reference] = finding
    rest = [reference for reference in asked if reference not in found]
    if rest:
        held, complete = tree.holding([r.needle for r in rest if r.sort != "path"])
        for reference in rest:
            found[reference] = _searched(reference, tree, held, complete)
    return [found[reference] for reference in asked]


def _look_up(reference: Reference, tree: Tree) -> Finding | None:
    """What one glance at the disk tells; `None` if the tree has to be searched."""
    if reference.sort == "command":
        words = reference.text.split()
        if words[0] not in _RUNNERS or words[-1].startswith("-"):
            return None
        file, form = _RUNNERS[words[0]]
        content = b"\n" + _content(os.path.join(tree.root, file))
        there = form.format(words[-1]).encode() in content
        return Finding(reference, "verified" if there else "gone")
    parts = reference.needle.split("/")
    if ".." in parts or "" in parts:
        return Finding(reference, "unchecked")
    if os.path.lexists(os.path.join(tree.root, *parts)):
        return Finding(reference, "verified")
    return None


def _searched(reference: Reference, tree: Tree, held: dict[str, str], complete: bool) -> Finding:
    if reference.sort == "path":
        # A bare file name may lie anywhere; a path that lies elsewhere now has moved.
        end = "/" + reference.needle.rsplit("/", 1)[-1]
        place = next((path for path in tree.files() if ("/" + path).endswith(end)), "")
        if place:
            moved = "/" in reference.needle
            return Finding(reference, "changed" if moved else "verified", place if moved else "")
    elif reference.needle in held:
        return Finding(reference, "verified")
    elif reference.sort == "command":
        # A command need not be written down anywhere to be right.
        return Finding(reference, "unchecked")
    return Finding(reference, "gone" if complete else "unchecked")


def _walk(root: str, ignored: frozenset[str]) -> Iterator[str]:
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda e: e.name)
        except OSError:
            continue
        below: list[str] = []
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink() or entry.name in ignored or path in ignored:
                continue
            if entry.is_dir(follow_symlinks=False):
                below.append(path)
            else:
                yield path
        pending.extend(reversed(below))


def _ignored(root: str) -> frozenset[str]:
    """Folders never read, and the plain names of the root's .gitignore; patterns are not obeyed."""
    lines = _content(os.path.join(root, ".gitignore")).decode("utf-8", "replace").splitlines()
    plain = (line.strip().strip("/") for line in lines if not line.startswith(("#", "!")))
    return _WORDS.skipped | {name for name in plain if name and not set(name) & set("*?[\\")}


def _content(path: str) -> bytes:
    """A small regular file; b"" for anything else: a FIFO must not hold up a recall."""
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_FILE_BYTES:
            return b""
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES)
    except OSError:
        return b""
    return b"" if b"\0" in data[:1024] else data
