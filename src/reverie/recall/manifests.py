"""Which versions a project's manifests ask for, and whether a version that is named agrees.

A version is a span: `18` is everything from 18 up to 19, `^18.2` from 18.2 up to 19, `>=3.11` from
there on. What is named agrees with a manifest when the two spans meet. What cannot be read as a
span (`workspace:*`, an address, a branch) says nothing.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, cast

from reverie.data import pairs, patterns

_RE = patterns("recall.txt", "manifests")
_ALIASES = dict(pairs("recall.txt", "manifests.aliases"))

Version = tuple[int, ...]
Span = tuple[Version, Version]  # from, up to
_END: Version = (1 << 31,)


class Asked(NamedTuple):
    """What one manifest asks for, as it stands there."""

    version: str
    file: str

    def __str__(self) -> str:
        return f"{self.version} in {self.file}"


def asked_in(files: Iterable[tuple[str, str]]) -> dict[str, list[Asked]]:
    """Package → the versions that the manifests among `files` (path, text) ask for."""
    by_package: dict[str, list[Asked]] = {}
    for path, text in files:
        for name, version in _entries(path.rsplit("/", 1)[-1], text):
            for spelled in {plain(name), plain(name.rsplit("/", 1)[-1])}:
                by_package.setdefault(spelled, []).append(Asked(version.strip(), path))
    return by_package


def is_manifest(path: str) -> bool:
    return path.rsplit("/", 1)[-1] in _READERS


def plain(name: str) -> str:
    """A package as people spell it: `Next.js` is `next`, `golang` is `go`."""
    lower = name.lower().replace("_", "-").removesuffix(".js")
    return _ALIASES.get(lower, lower)


def agrees(named: str, asked: Iterable[Asked]) -> bool | None:
    """Whether one of the manifests allows what is named; `None` when none of them can tell."""
    spans = [allowed for each in asked if (allowed := spans_of(each.version))]
    claim = spans_of(named)
    if not spans or not claim:
        return None
    return any(_meet(a, b) for allowed in spans for a in allowed for b in claim)


def spans_of(text: str) -> list[Span]:
    """The spans a version allows; none when it cannot be told."""
    spans: list[Span] = []
    for choice in text.split("||"):
        low, high = (0,), _END
        parts = list(_RE.part.finditer(choice))
        if not parts or _RE.part.sub("", choice).strip(" ,\t"):
            return []
        for part in parts:
            start, end = _span(part["sign"] or "", _numbers(part["number"]))
            low, high = max(low, start), min(high, end)
        spans.append((low, high))
    return spans


def _span(sign: str, number: Version) -> Span:
    match sign:
        case ">=" | ">" | "+":
            return number, _END
        case "<":
            return (0,), number
        case "<=":
            return (0,), _next(number)
        case "^":
            first = next((place for place, part in enumerate(number) if part), len(number) - 1)
            return number, _next(number[: first + 1])
        case "~" | "~=" | "~>":
            return number, _next(number[: max(len(number) - 1, 1)])
        case _:
            return number, _next(number)


def _next(number: Version) -> Version:
    return (*number[:-1], number[-1] + 1)


def _numbers(text: str) -> Version:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _meet(span: Span, other: Span) -> bool:
    return max(span[0], other[0]) < min(span[1], other[1])


def _entries(file: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        yield from _READERS[file](text)
    except (ValueError, RecursionError):
        return  # a manifest that cannot be read says nothing


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _package_json(text: str) -> Iterator[tuple[str, str]]:
    data = _table(json.loads(text))
    for part in ("dependencies", "devDependencies", "peerDependencies", "engines", "require"):
        for name, version in _table(data.get(part)).items():
            if isinstance(version, str):
                yield name, version
    name, _, version = str(data.get("packageManager", "")).partition("@")
    if version:
        yield name, version.partition("+")[0]


def _pyproject(text: str) -> Iterator[tuple[str, str]]:
    data = tomllib.loads(text)
    project = _table(data.get("project"))
    yield "python", str(project.get("requires-python", ""))
    listed = [project.get("dependencies"), *_table(project.get("optional-dependencies")).values()]
    for group in (*listed, *_table(data.get("dependency-groups")).values()):
        if isinstance(group, list):
            lines = [line for line in cast("list[object]", group) if isinstance(line, str)]
            yield from _requirements("\n".join(lines))
    yield from _named_versions(_table(_table(data.get("tool")).get("poetry")))


def _cargo(text: str) -> Iterator[tuple[str, str]]:
    data = tomllib.loads(text)
    yield "rust", str(_table(data.get("package")).get("rust-version", ""))
    for name, version in _named_versions(data):
        # A bare version of Cargo's is a caret.
        yield name, f"^{version}" if version[:1].isdigit() else version


def _named_versions(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for part in ("dependencies", "dev-dependencies"):
        for name, value in _table(data.get(part)).items():
            version = _table(value).get("version", value)
            if isinstance(version, str):
                yield name, version


def _requirements(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if match := _RE.requirement.match(line):
            yield match["name"], match["version"]


def _go_mod(text: str) -> Iterator[tuple[str, str]]:
    for match in _RE.go.finditer(text):
        yield _RE.major.sub("", match["name"]), match["version"]


def _gemfile(text: str) -> Iterator[tuple[str, str]]:
    for match in _RE.gem.finditer(text):
        yield match["name"] or "ruby", match["version"]


_READERS: dict[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "package.json": _package_json,
    "composer.json": _package_json,
    "pyproject.toml": _pyproject,
    "requirements.txt": _requirements,
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
    "Gemfile": _gemfile,
    ".nvmrc": lambda text: iter([("node", text.strip())]),
    ".python-version": lambda text: iter([("python", text.strip())]),
}
