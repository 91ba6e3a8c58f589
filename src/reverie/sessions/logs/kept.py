"""Redacted, compressed copies of logs, line for line, made before the agent deletes its own.

A copy lies at `kept/<agent>/<hash of root>/<path below the root>`, so readers see the names they
know, and a memory's evidence (`…#42`) still names the same line. It carries the log's mtime: that
is how it is known to be up to date. A session inside an agent's database is kept in our own form
(`readers/neutral.py`), which that agent's reader reads back.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reverie.config import user_home
from reverie.errors import Unavailable
from reverie.files import make_private
from reverie.privacy import Carried, Redact, Told, in_as_many_lines, redact_value
from reverie.sessions.hearing import hear, settle
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.lines import MAX_LINE, open_log
from reverie.sessions.model import Head
from reverie.sessions.readers import neutral
from reverie.sessions.readers.agents import by_agent

_LEVEL = 9
_DEFAULT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Rescue:
    """One log, its copy, and the day the agent will delete it (None: it does not)."""

    log: LogFile
    copy: Path
    current: bool
    deleted_on: datetime | None

    def days_left(self, now: datetime) -> int | None:
        """Whole days until the agent deletes the log; 0 when it is due."""
        return None if self.deleted_on is None else max(0, (self.deleted_on - now).days)


def rescues(logs: Iterable[LogFile], kept: Path, env: Mapping[str, str]) -> list[Rescue]:
    """What there is to keep, the most urgent first."""
    periods: dict[str, int | None] = {}
    candidates: list[Rescue] = []
    for log in logs:
        if log.path.is_relative_to(kept) or (log.part and not _portable(log.agent)):
            continue
        if log.agent not in periods:
            periods[log.agent] = deletion_days(log.agent, env)
        days = periods[log.agent]
        changed = datetime.fromtimestamp(log.mtime_ns / 1e9, UTC)
        copy = copy_path(kept, log)
        candidates.append(
            Rescue(log, copy, is_current(copy, log), changed + timedelta(days) if days else None)
        )
    never = datetime.max.replace(tzinfo=UTC)
    return sorted(candidates, key=lambda r: (r.deleted_on or never, str(r.log.path)))


def deletion_days(agent: str, env: Mapping[str, str]) -> int | None:
    """After how many days without a change an agent deletes a log; None when it never does."""
    if agent != "claude-code":
        return None
    folder = env.get("CLAUDE_CONFIG_DIR") or user_home(env) / ".claude"
    settings = Path(folder) / "settings.json"
    try:
        document: Any = json.loads(settings.read_text(encoding="utf-8"))
        days = document["cleanupPeriodDays"]
    except (OSError, ValueError, KeyError, TypeError):
        return _DEFAULT_DAYS
    return days if isinstance(days, int) and days > 0 else _DEFAULT_DAYS


def copy_path(kept: Path, log: LogFile) -> Path:
    """Where the copy of a log lies."""
    root = str(log.path).removesuffix(log.relative)
    folder = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    if log.part:
        name = hashlib.sha256(log.part.encode()).hexdigest()[:8]
        safe = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in log.part)
        part = f"{safe[:100]}-{name}{neutral.SUFFIX}"
        return kept / log.agent / folder / f"{log.relative}.sessions" / part
    suffix = ".zst" if log.path.suffix == ".jsonl" else ""
    return kept / log.agent / folder / (log.relative + suffix)


def is_current(copy: Path, log: LogFile) -> bool:
    """True when the copy was made from the log as it is now."""
    try:
        return copy.stat().st_mtime_ns == _stamp(log)
    except FileNotFoundError:
        return False


def keep(log: LogFile, copy: Path, redact: Redact) -> None:
    """Copy a log, every text of it redacted; an older copy is replaced in one step.

    Raises:
        Unavailable: the log cannot be read.
    """
    folder = copy.parent
    context = _hearing(log, redact)
    make_private(folder)
    partial, freed = (folder / f".{os.getpid()}{mark}.{copy.name[-100:]}" for mark in ("", "-"))
    try:
        _write(partial, _lines(log, copy.suffix, context.redact))
        if settle(context, lambda: by_agent(log.agent).open(log.path, part=log.part)):
            with open_log(partial) as lines:
                _write(freed, (_free(line, context.carried) for line in lines))
            os.replace(freed, partial)
        os.utime(partial, ns=(_stamp(log), _stamp(log)))
        os.replace(partial, copy)
    except OSError as error:
        raise Unavailable(f"cannot keep {log.path}: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
        freed.unlink(missing_ok=True)


def drop(copies: Iterable[Path], kept: Path) -> int:
    """Delete copies, and folders that are empty then; returns how many there were."""
    dropped = 0
    for copy in copies:
        if not copy.is_relative_to(kept) or not copy.is_file():
            continue
        copy.unlink()
        dropped += 1
        for folder in copy.parents:
            if folder == kept or any(folder.iterdir()):
                break
            folder.rmdir()
    return dropped


def redacted_line(line: bytes, redact: Redact) -> bytes:
    """One line of a log with every string in it redacted; it stays one line."""
    body = line.rstrip(b"\r\n")
    if not body:
        return line
    try:
        text = _as_json(redact_value(json.loads(body), redact))
    except (ValueError, RecursionError):
        # Damaged lines are kept as they are, short of their secrets: the reader counts them.
        text = redact(body.decode("utf-8", "replace")).replace("\n", " ")
    return text.encode("utf-8", "replace") + line[len(body) :]


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _hearing(log: LogFile, redact: Redact) -> Told:
    """The same for the lines of this log: what one of them tells holds in all."""
    context = Told(redact)
    try:
        for turn in by_agent(log.agent).open(log.path, part=log.part):
            hear(context, turn)
    except OSError as error:
        raise Unavailable(f"cannot keep {log.path}: {error.strerror}") from error
    return context


def _portable(agent: str) -> bool:
    """Whether the agent's reader reads our own form back."""
    first = next(neutral.lines(Head(agent, ""), ()))
    return by_agent(agent).recognises(Path(f"x{neutral.SUFFIX}"), first)


def _stamp(log: LogFile) -> int:
    # The clock inside a database may stand still while a session grows: its size counts as well.
    return log.mtime_ns + (log.size if log.part else 0)


def _write(path: Path, lines: Iterable[bytes]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        if path.suffix == ".zst":
            import zstandard

            compressor = zstandard.ZstdCompressor(level=_LEVEL)
            with compressor.stream_writer(file, closefd=False) as compressed:
                for line in lines:
                    compressed.write(line)
        else:
            file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _lines(log: LogFile, suffix: str, redact: Redact) -> Iterator[bytes]:
    if log.part:
        transcript = by_agent(log.agent).open(log.path, part=log.part)
        turns = transcript.read()
        yield from (redacted_line(line, redact) for line in neutral.lines(transcript.head, turns))
        return
    with open_log(log.path) as source:
        if suffix == ".json":
            # One document, not lines: it may spread over many.
            yield redacted_line(source.read(), redact)
        elif suffix == ".zst":
            while line := source.readline(MAX_LINE):
                yield redacted_line(line, redact)
        else:
            # A log that is read as one text: what names a secret may stand on the line above it.
            text = source.read().decode("utf-8", "surrogateescape")
            lines = in_as_many_lines(text, redact(text)).encode("utf-8", "surrogateescape")
            yield from (redacted_line(line, redact) for line in lines.splitlines(keepends=True))


def _free(line: bytes, carried: Carried) -> bytes:
    """A redacted line without what the session names elsewhere."""
    text = line.decode("utf-8", "surrogateescape")
    if not carried.is_in(text):
        return line
    body = text.rstrip("\r\n")
    try:
        clean = _as_json(carried.everywhere(json.loads(body)))
    except (ValueError, RecursionError):
        clean = carried.without(body)
    return (clean + text[len(body) :]).encode("utf-8", "surrogateescape")
