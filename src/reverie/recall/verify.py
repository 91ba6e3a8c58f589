"""Does what a memory names still exist?

Paths are looked up; functions, classes, flags and commands are searched in the working tree, all in
one bounded pass; versions are compared with the manifests. `verified`: it is there. `changed`: it
is there, but not where or not as the memory says. `gone`: the project's own, and not there. `not
found here`: it may well belong to a tool or a package from outside. What could not be looked at in
time is said to be unchecked, never guessed. Reasons ("Why: …") are not claims and pass.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from reverie.data import patterns, word_sets
from reverie.recall import manifests

_RE = patterns("recall.txt", "verify")
_WORDS = word_sets("recall.txt", "verify")

State = Literal["verified", "changed", "gone", "not found here", "unchecked"]
# A name is a word with the form of one in code: it may be a function here, or a product.
Sort = Literal["path", "symbol", "flag", "command", "name", "outside", "version"]

MAX_REFERENCES = 6  # of one memory
MAX_VERSIONS = 4
MAX_MANIFESTS = 40
MAX_FILES = 8_000
MAX_FILE_BYTES = 512 * 1024
MAX_TOTAL_BYTES = 48 * 1024 * 1024


# Tools whose targets are listed in a file: name → (file, how a target stands in it).
_RUNNERS: dict[str, tuple[str, str]] = {
    "npm": ("package.json", '"{}"'),
    "pnpm": ("package.json", '"{}"'),
    "yarn": ("package.json", '"{}"'),
    "bun": ("package.json", '"{}"'),
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
    """What `text` claims to exist: paths, functions, flags, commands, versions; reasons are not."""
    if not _RE.hint.search(text):
        return ()
    claims = _RE.why.sub(" ", text)
    by_needle: dict[tuple[Sort, str], Reference] = {}

    def add(sort: Sort, shown: str, needle: str) -> None:
        by_needle.setdefault((sort, needle), Reference(sort, shown, needle))

    for code in _RE.code.findall(claims):
        _from_code(code.strip(), add)
    for match in _RE.path.finditer(claims):
        path = match.group().removeprefix("./")
        if _RE.address.match(path):
            add("outside", path, path.rstrip("/"))
        elif path.count("/") > 1 or path.endswith("/") or _suffix(path) in _WORDS.suffixes:
            add("path", path, path.rstrip("/"))
    for match in _RE.file.finditer(_RE.path.sub(" ", claims)):
        if _suffix(match.group()) in _WORDS.suffixes:
            add("path", match.group(), match.group())
    for match in _RE.flag.finditer(claims):
        add("flag", match.group(), match.group())
    for match in _RE.call.finditer(claims):
        if match.group().endswith("()"):
            add("symbol", match.group(), match.group(1))
    _from_prose(_RE.path.sub(" ", _RE.code.sub(" ", claims)), add)
    return (*tuple(by_needle.values())[:MAX_REFERENCES], *_versions(claims))


def _from_code(code: str, add: Callable[[Sort, str, str], None]) -> None:
    if " " in code:
        add("command", code, code)
        return
    match = _RE.name.match(code)
    telling = "_" in code or "." in code or "::" in code or code != code.lower()
    if match and telling and _suffix(code) not in _WORDS.suffixes:
        add("symbol", code, match.group(1))


def _from_prose(text: str, add: Callable[[Sort, str, str], None]) -> None:
    called: set[str] = set()
    for match in _RE.noun.finditer(text):
        name = match.group(1) or match.group(2)
        called.add(name)
        add("symbol", name, name)
    for match in _RE.bare.finditer(_RE.call.sub(" ", text)):
        if match.group() not in called:
            add("name", match.group(), match.group())


def _versions(text: str) -> list[Reference]:
    by_needle: dict[str, Reference] = {}
    for match in _RE.version.finditer(text):
        sign = ">=" if match["later"] else ""
        needle = f"{manifests.plain(match['name'])} {sign}{match['number']}"
        by_needle.setdefault(needle, Reference("version", match.group(), needle))
    return list(by_needle.values())[:MAX_VERSIONS]


def _suffix(name: str) -> str:
    return name.rsplit(".", 1)[-1].lower() if "." in name else ""


class Tree:
    """One working tree, read at most once and only as far as time allows."""

    def __init__(self, root: str, expired: Callable[[], bool]) -> None:
        self.root = root
        self.expired = expired
        self._files: list[str] | None = None
        self._complete = True
        self._asked: dict[str, list[manifests.Asked]] | None = None

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
        """Needle → the first file that holds it as a whole word; and whether all was read."""
        wanted = {needle: (needle.encode(), _whole(needle)) for needle in needles}
        held: dict[str, str] = {}
        total = 0
        for path in self.files():
            if not wanted:
                return held, True
            if total > MAX_TOTAL_BYTES or self.expired():
                return held, False
            data = _content(os.path.join(self.root, path))
            total += len(data)
            # Most files hold no needle at all, and to see that is cheap.
            near = [n for n, (raw, whole) in wanted.items() if raw in data and whole.search(data)]
            for needle in near:
                held[needle] = path
                del wanted[needle]
        return held, self._complete

    def asked(self) -> dict[str, list[manifests.Asked]]:
        """Package → the versions that manifests of the tree ask for."""
        if self._asked is None:
            paths = [path for path in self.files() if manifests.is_manifest(path)]
            self._asked = manifests.asked_in(
                (path, _content(os.path.join(self.root, path)).decode("utf-8", "replace"))
                for path in paths[:MAX_MANIFESTS]
            )
        return self._asked


def _whole(needle: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w-])" + re.escape(needle.encode()) + rb"(?![\w]|-\w)")


def verify(items: Iterable[Reference], tree: Tree) -> list[Finding]:
    """Look every reference up in `tree`."""
    asked = list(dict.fromkeys(items))
    findings: dict[Reference, Finding] = {}
    for reference in asked:
        if finding := _look_up(reference, tree):
            findings[reference] = finding
    rest = [reference for reference in asked if reference not in findings]
    if rest:
        sought = {r.needle for r in rest if r.sort != "path"} | {_head(r) for r in rest}
        held, complete = tree.holding(sorted(sought - {""}))
        for reference in rest:
            findings[reference] = _searched(reference, tree, held, complete)
    return [findings[reference] for reference in asked]


def runner(command: str) -> tuple[str, str] | None:
    """The file that lists what a command runs, and the target in it; `None` for other commands."""
    words = command.split()
    if len(words) < 2 or words[0] not in _RUNNERS:
        return None
    rest = words[2:] if words[1] == "run" else words[1:]
    if len(rest) != 1 or rest[0].startswith("-") or "=" in rest[0]:
        return None
    file, _ = _RUNNERS[words[0]]
    if file == "package.json" and words[1] != "run" and rest[0] in _WORDS.verbs:
        return None
    return file, rest[0]


def _look_up(reference: Reference, tree: Tree) -> Finding | None:
    """What one glance at the disk tells; `None` if the tree has to be searched."""
    if reference.sort == "version":
        return _compared(reference, tree)
    if reference.sort == "command":
        ran = runner(reference.text)
        if ran is None:
            return None
        form = _RUNNERS[reference.text.split()[0]][1]
        content = b"\n" + _content(os.path.join(tree.root, ran[0]))
        there = form.format(ran[1]).encode() in content
        return Finding(reference, "verified" if there else "gone")
    if reference.sort != "path":
        return None
    parts = reference.needle.split("/")
    if ".." in parts or "" in parts:
        return Finding(reference, "unchecked")
    if os.path.lexists(os.path.join(tree.root, *parts)):
        return Finding(reference, "verified")
    return None


def _compared(reference: Reference, tree: Tree) -> Finding:
    """A version beside what the manifests ask for; what no manifest knows is no claim."""
    name, _, number = reference.needle.partition(" ")
    asked = tree.asked().get(name, [])
    agreed = manifests.agrees(number, asked)
    if agreed is None:
        return Finding(reference, "unchecked")
    return (
        Finding(reference, "verified") if agreed else Finding(reference, "changed", str(asked[0]))
    )


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
    return Finding(reference, _missing(reference, tree, held) if complete else "unchecked")


def _missing(reference: Reference, tree: Tree, held: dict[str, str]) -> State:
    """What it means that the whole tree was read and does not have it."""
    head = _head(reference)
    match reference.sort:
        case "command":
            return "unchecked"  # a command need not be written down anywhere to be right
        case "flag" | "outside":
            return "not found here"
        case "name":
            # Two capitals make `PostgreSQL` too; an underscore is code for sure.
            return "unchecked" if reference.text[0].isupper() else "not found here"
        case "path" if _RE.product.match(reference.text):
            return "unchecked"
        case _:
            outside = bool(head) and (head not in held or manifests.plain(head) in tree.asked())
            return "not found here" if outside else "gone"


def _head(reference: Reference) -> str:
    """The module or package before a dotted name: if it is not of the tree, nor is the name."""
    if reference.sort == "symbol":
        match = _RE.head.match(reference.text)
        return match.group(1) if match else ""
    return ""


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
