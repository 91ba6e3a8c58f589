"""The worker's part: take what hooks staged, one project at a time, and have it learned.

One worker holds the project's lock (an OS lock: it is gone when the process is, however it died).
What is staged while it works is done right after, without any throttle. A file leaves the spool
only after what it stands for was learned, and learning is incremental, so a killed worker loses
nothing and repeats nothing.
"""

import contextlib
import json
import os
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from reverie.connect import spool
from reverie.db.locks import try_lock
from reverie.files import replace_file
from reverie.sessions.logs.saved import stretches, stretches_file

ATTEMPTS = 3
OVER = "SessionEnd"  # the event after which nothing is added, unless it is resumed


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a session added to its log since the last extraction."""

    transcript: Path
    start: int
    end: int
    over: bool = False  # the session has ended
    # Whether the agent saved memory itself (D8) since the session was last over.
    saved: bool = False


@dataclass(slots=True)
class Drained:
    """What one run of the worker did."""

    learned: list[Path] = field(default_factory=list[Path])
    failed: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    busy: bool = False


Learn = Callable[[Stretch], None]
SavedBetween = Callable[[Path, int, int], bool]
Settle = Callable[[Path], None]
IsLog = Callable[[Path], bool]


def any_log(transcript: Path) -> bool:
    """Whoever asks nothing takes what is staged."""
    return True


def drain(
    home: Path,
    project: str,
    learn: Learn,
    saved_between: SavedBetween,
    settle: Settle,
    is_log: IsLog = any_log,
) -> Drained:
    """Learn everything that is staged for a project; returns at once if another worker does.

    What is no log of an agent is left out, with a line in `hooks.log`: anybody can call a hook.
    """
    drained = Drained()
    tried: set[str] = set()
    while True:
        with locked(home, project) as held:
            if not held:
                drained.busy = True
                return drained
            while fresh := _fresh(home, project, tried):
                for staged in _by_transcript(fresh):
                    settle(staged.transcript)
                    if _refused(home, staged, is_log):
                        drained.refused.append(str(staged.transcript))
                        continue
                    _extract(home, project, staged, learn, saved_between, drained)
                tried.update(fresh)
        # Somebody may have staged after the last look and found the lock taken.
        if not _fresh(home, project, tried):
            return drained


@dataclass(slots=True)
class _Staged:
    """What hooks left about one session."""

    transcript: Path
    files: list[str] = field(default_factory=list[str])
    over: bool = False


def _refused(home: Path, staged: _Staged, is_log: IsLog) -> bool:
    transcript = staged.transcript
    if not transcript.is_file() or is_log(transcript):
        return False
    spool.log(str(home), "extract", f"{transcript} is not where its agent puts logs: not read")
    for file in staged.files:
        Path(file).unlink(missing_ok=True)
    return True


def _fresh(home: Path, project: str, tried: set[str]) -> list[str]:
    return [file for file in spool.waiting(str(home), project) if file not in tried]


def _by_transcript(files: list[str]) -> list[_Staged]:
    grouped: dict[str, _Staged] = {}
    for file in files:
        fields = _read(file)
        transcript = str(fields.get("transcript", ""))
        staged = grouped.setdefault(transcript, _Staged(Path(transcript)))
        staged.files.append(file)
        staged.over = fields.get("event") == OVER
    return list(grouped.values())


def _read(file: str) -> dict[str, Any]:
    try:
        fields: object = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}


def _extract(
    home: Path,
    project: str,
    staged: _Staged,
    learn: Learn,
    saved_between: SavedBetween,
    drained: Drained,
) -> None:
    transcript = staged.transcript
    try:
        if not transcript.is_file():
            raise FileNotFoundError(f"{transcript} is gone")
        learn(_stretch(home, project, staged, saved_between))
    except Exception as error:  # noqa: BLE001 - outermost of one stretch: the others must go on
        spool.log(str(home), "extract", f"{transcript.name}: {type(error).__name__}: {error}")
        drained.failed.append(str(transcript))
        for file in staged.files:
            _postpone(Path(file), gone=isinstance(error, FileNotFoundError))
        return
    drained.learned.append(transcript)
    for file in staged.files:
        Path(file).unlink(missing_ok=True)


def _postpone(file: Path, *, gone: bool) -> None:
    """Count the attempt; after the last one, or when there is nothing to read, set it aside."""
    try:
        fields = cast("dict[str, Any]", json.loads(file.read_text(encoding="utf-8")))
        attempts = int(fields.get("attempts", 0)) + 1
    except (OSError, ValueError, TypeError, AttributeError):
        fields, attempts = {}, ATTEMPTS
    if gone or attempts >= ATTEMPTS:
        aside = file.parent / "failed"
        aside.mkdir(mode=0o700, exist_ok=True)
        file.replace(aside / file.name)
    else:
        replace_file(file, json.dumps({**fields, "attempts": attempts}))


def _stretch(home: Path, project: str, staged: _Staged, saved_between: SavedBetween) -> Stretch:
    """Where the session stands, written down before it is learned.

    Written first because learning knows by itself what it has read; what it cannot know later is
    where a stretch began.
    """
    transcript = staged.transcript
    spooled = Path(spool.folder_of(str(home), project))
    known = stretches(spooled)
    before = known.get(str(transcript), {"end": 0, "saved": []})
    start, end = int(before["end"]), transcript.stat().st_size
    if end < start:
        start = 0
    saved = [(int(a), int(b)) for a, b in before["saved"]]
    if end > start and saved_between(transcript, start, end):
        saved.append((start, end))
    thought = min(int(before.get("over", 0)), end)
    known = {path: state for path, state in known.items() if state["saved"] or Path(path).exists()}
    state = {"end": end, "saved": [list(pair) for pair in saved]}
    known[str(transcript)] = {**state, "over": end if staged.over else thought}
    replace_file(stretches_file(spooled), json.dumps(known, sort_keys=True))
    itself = any(first >= thought for first, _ in saved)
    return Stretch(transcript, start, end, staged.over, itself)


@contextlib.contextmanager
def locked(home: Path, project: str) -> Generator[bool]:
    """Hold the project's lock; False when another process has it."""
    folder = Path(spool.folder_of(str(home), project))
    spool.make_folder(str(folder))
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def sweep(home: Path, before: float) -> None:
    """Drop the turn counts of sessions that never ended properly, last counted before a time."""
    for count in sorted(home.glob("spool/turns/*")):
        if count.stat().st_mtime < before:
            count.unlink(missing_ok=True)


def troubles(home: Path) -> list[str]:
    """What `doctor` says about hooks: stretches given up, and the newest failures."""
    asides = {aside: sum(1 for _ in aside.iterdir()) for aside in home.glob("spool/*/failed")}
    problems = [
        f"{count} stretches could not be extracted ({aside})"
        for aside, count in sorted(asides.items())
        if count
    ]
    log = home / "hooks.log"
    if log.is_file():
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        problems.extend(f"hook failure: {line}" for line in lines[-3:])
    return problems
