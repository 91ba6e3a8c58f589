"""What hooks leave for the worker: one small file per staged stretch, in one folder per project.

    $REVERIE_HOME/spool/<project>/<time>-<pid>.json    staged, in order
    $REVERIE_HOME/spool/<project>/lock                 held by the one worker of the project
    $REVERIE_HOME/spool/<project>/failed/              given up after several attempts
    $REVERIE_HOME/spool/told/<time>-<pid>.json         what a session was told at its start
    $REVERIE_HOME/spool/turns/<session>                as many bytes as turns were counted
    $REVERIE_HOME/hooks.log                            what went wrong, bounded

A file appears by rename, so the worker never sees half of one. On the hot path of every hook, hence
plain strings and few imports.
"""

import os
import time

from reverie.connect import quick_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LOG_BYTES = 256_000


def make_folder(folder: str) -> None:
    """Make a folder of the spool; each above it is the user's alone, too, whatever the umask."""
    above = os.path.dirname(folder)
    if not os.path.isdir(above):
        make_folder(above)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def folder_of(home: str, project: str) -> str:
    """Where the project's stretches wait."""
    return os.path.join(home, "spool", project)


def stage(home: str, project: str, stretch: "Mapping[str, str]") -> str:
    """Leave one stretch for the worker; returns the file."""
    folder = folder_of(home, project)
    make_folder(folder)
    # The name only has to be new and sort by arrival; no clock of the domain is meant.
    path = os.path.join(folder, f"{time.time_ns():020d}-{os.getpid()}.json")
    part = f"{path}.part"
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(quick_json.dumps(dict(stretch)))
    os.replace(part, path)
    return path


def waiting(home: str, project: str) -> list[str]:
    """The staged files of a project, oldest first."""
    folder = folder_of(home, project)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if name.endswith(".json")]


def count_turn(home: str, session: str) -> int:
    """Count one turn of a session; how many there are now.

    One byte is appended per turn: atomic, and nothing has to be parsed.
    """
    folder = os.path.join(home, "spool", "turns")
    make_folder(folder)
    descriptor = os.open(
        os.path.join(folder, _file_name(session)), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
    )
    try:
        os.write(descriptor, b".")
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def forget_turns(home: str, session: str) -> None:
    """The session is over: its count goes."""
    try:
        os.unlink(os.path.join(home, "spool", "turns", _file_name(session)))
    except FileNotFoundError:
        return


def _file_name(session: str) -> str:
    kept = "".join(c for c in session if c.isascii() and (c.isalnum() or c == "-"))
    return kept[:100] or "unknown"


def _without_secrets(home: str, message: str) -> str:
    """A failure may quote what was asked; only here a hook loads the rules."""
    from pathlib import Path

    from reverie.errors import ReverieError
    from reverie.privacy import redactor_for
    from reverie.settings import Privacy

    try:
        return redactor_for(Path(home), Privacy()).redact(message[:20_000])
    except (OSError, ReverieError) as error:
        return f"(the message is not shown: {type(error).__name__})"


def log(home: str, where: str, message: str) -> None:
    """Write down a failure; a full file becomes `hooks.log.1`, so there are never more than two."""
    path = os.path.join(home, "hooks.log")
    os.makedirs(home, mode=0o700, exist_ok=True)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {where}: {_without_secrets(home, message)}".replace("\n", " ")[:2000] + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode("utf-8", "replace"))
        size = os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
    if size > LOG_BYTES:
        os.replace(path, f"{path}.1")
