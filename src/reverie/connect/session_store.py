"""The transcripts of Agent SDK agents, mirrored into Reverie as they are written.

    ClaudeAgentOptions(session_store=MirroredSessions())

An agent in a container leaves no log behind. What the SDK hands over is written as Claude Code
would write it, under `mirrored/` in the home, where `reverie learn` finds it like any other log. It
must come back as it was, so it is not redacted there; what is learned from it is.
"""

import json
import os
import re
import shutil
from asyncio import to_thread
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote

from reverie.db.locks import lock
from reverie.errors import InvalidInput
from reverie.files import make_private, replace_file
from reverie.memory import Memory

Key = Mapping[str, Any]
Entry = dict[str, Any]

_SUFFIX = ".jsonl"
_MAX_NAME = 200
_EMPTY = "%"  # no quoted name is just this
_DOTS = re.compile(r"\.+\Z")


class MirroredSessions:
    """A `SessionStore` of `claude-agent-sdk`: files of JSON lines, one per session or subagent."""

    def __init__(self, folder: Path | None = None, *, memory: Memory | None = None) -> None:
        self._folder = folder or (memory or Memory.open()).config.mirrored
        self._known: dict[Path, tuple[int, set[str]]] = {}

    async def append(self, key: Key, entries: Sequence[Entry]) -> None:
        """Add entries to a transcript; one whose `uuid` is there already is left out."""
        if entries:
            await to_thread(self._append, dict(key), list(entries))

    async def load(self, key: Key) -> list[Entry] | None:
        """All entries of a transcript, None when nothing was ever written."""
        return await to_thread(self._load, self._path(key))

    async def list_sessions(self, project_key: str) -> list[dict[str, Any]]:
        """The sessions of a project, without subagents: id and time of the last write in ms."""
        folder = self._folder / "projects" / _named(project_key)
        return [
            {"session_id": _name_of(path), "mtime": _milliseconds(path)}
            for path in sorted(folder.glob(f"*{_SUFFIX}"))
        ]

    async def list_session_summaries(self, project_key: str) -> list[dict[str, Any]]:
        """What the SDK keeps on each session for its lists; opaque here."""
        folder = self._folder / "summaries" / _named(project_key)
        return [summary for path in sorted(folder.glob("*.json")) if (summary := _loaded(path))]

    async def delete(self, key: Key) -> None:
        """Delete a subagent's transcript, or a session with all of its subagents."""
        await to_thread(self._delete, dict(key))

    async def list_subkeys(self, key: Key) -> list[str]:
        """The subpaths of a session."""
        folder = self._path({**key, "subpath": None}).with_suffix("")
        paths = sorted(folder.rglob(f"*{_SUFFIX}"))
        return ["/".join(_parts(path.relative_to(folder))) for path in paths]

    def _path(self, key: Key) -> Path:
        session = self._folder / "projects" / _named(key["project_key"]) / _named(key["session_id"])
        subpath = key.get("subpath")
        if subpath is None:
            return session.with_name(session.name + _SUFFIX)
        *folders, name = (_named(part) if part else _EMPTY for part in str(subpath).split("/"))
        return session.joinpath(*folders, name + _SUFFIX)

    def _summary_path(self, key: Key) -> Path:
        folder = self._folder / "summaries" / _named(key["project_key"])
        return folder / f"{_named(key['session_id'])}.json"

    def _append(self, key: Key, entries: list[Entry]) -> None:
        path = self._path(key)
        make_private(path.parent)
        with _locked(path) as file:
            known = self._uuids(path, file)
            fresh: list[Entry] = []
            for entry in entries:
                uuid = entry.get("uuid")
                if isinstance(uuid, str):
                    if uuid in known:
                        continue
                    known.add(uuid)
                fresh.append(entry)
            end = os.lseek(file, 0, os.SEEK_END)
            # A writer that died in the middle of a line must not cost the next one too.
            gap = b"\n" if end and os.pread(file, 1, end - 1) != b"\n" else b""
            _write(file, gap + b"".join(map(_line, fresh)))
            self._known[path] = (os.lseek(file, 0, os.SEEK_END), known)
            if key.get("subpath") is None and fresh:
                self._fold(key, path, fresh)

    def _uuids(self, path: Path, file: int) -> set[str]:
        """The ids in a transcript; only what another process added since is read."""
        offset, known = self._known.get(path, (0, set[str]()))
        if os.fstat(file).st_size < offset:
            offset, known = 0, set[str]()
        for entry in _entries(_tail(file, offset)):
            if isinstance(uuid := entry.get("uuid"), str):
                known.add(uuid)
        return known

    def _fold(self, key: Key, path: Path, entries: list[Entry]) -> None:
        """Bring the SDK's summary up to date. It is there whenever the SDK calls us."""
        try:
            from claude_agent_sdk import (  # pyright: ignore[reportMissingImports]
                fold_session_summary,  # pyright: ignore[reportUnknownVariableType]
            )
        except ImportError:
            return
        place = self._summary_path(key)
        fold = cast("Any", fold_session_summary)
        summary: Entry = fold(_loaded(place) or None, key, entries)
        replace_file(place, json.dumps({**summary, "mtime": _milliseconds(path)}))

    def _load(self, path: Path) -> list[Entry] | None:
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        return _entries(data)

    def _delete(self, key: Key) -> None:
        path = self._path(key)
        self._known.pop(path, None)
        path.unlink(missing_ok=True)
        if key.get("subpath") is None:
            self._summary_path(key).unlink(missing_ok=True)
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)


def _named(text: str) -> str:
    """A key as the name of a file; every key has its own, and none leaves the folder.

    Raises:
        InvalidInput: it is empty or too long for a name.
    """
    name = quote(text, safe=" +,=@")
    name = _DOTS.sub(lambda dots: "%2E" * len(dots.group()), name)
    if not name or len(name) > _MAX_NAME:
        raise InvalidInput(f"not a key for a session: {text[:80]!r}")
    return name


def _name_of(path: Path) -> str:
    return unquote(path.name.removesuffix(_SUFFIX))


def _parts(path: Path) -> list[str]:
    parts = (*path.parts[:-1], path.name.removesuffix(_SUFFIX))
    return ["" if part == _EMPTY else unquote(part) for part in parts]


@contextmanager
def _locked(path: Path) -> Generator[int]:
    """A transcript opened for appending by one process at a time."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        lock(file)
        yield file
    finally:
        os.close(file)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _tail(file: int, offset: int) -> bytes:
    os.lseek(file, offset, os.SEEK_SET)
    with open(file, "rb", closefd=False) as stream:
        return stream.read()


def _line(entry: Entry) -> bytes:
    # Just as the agent writes it, so that the mirror of a log at hand is known for a copy.
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _entries(data: bytes) -> list[Entry]:
    entries: list[Entry] = []
    for line in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            entry: Any = json.loads(line.decode("utf-8", "surrogatepass"))
            if isinstance(entry, dict):
                entries.append(cast("Entry", entry))
    return entries


def _loaded(path: Path) -> Entry:
    try:
        value: Any = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return cast("Entry", value) if isinstance(value, dict) else {}


def _milliseconds(path: Path) -> int:
    return path.stat().st_mtime_ns // 1_000_000
