"""Running a client of the user's: in a process group of its own, told all on standard input."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import CallFailed

NOTHING = (0, 0, 0, 0)  # tokens of a run that never asked a model
_LAST_WORDS_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Ran:
    """How a client ended, and what it said."""

    code: int
    out: str
    err: str

    def last_words(self) -> str:
        """What it said last, on one line; nothing leads further than a sentence or two."""
        return " ".join((self.err or self.out).split())[-300:]


def run_client(
    who: str,
    command: Sequence[str],
    material: str,
    *,
    folder: Path,
    env: Mapping[str, str],
    seconds: float,
) -> Ran:
    """Start a client, tell it `material`, and wait; a slow one is ended with all it started.

    What is told stands in no command line, which every user of the machine could read. Our own
    hooks do nothing inside (`REVERIE_INSIDE`).

    Raises:
        CallFailed: it cannot be started, or took too long and was ended.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**env, "REVERIE_INSIDE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        why = f"{who} cannot be started: {error.strerror}"
        raise CallFailed(why, whole=True, used=NOTHING) from None
    try:
        out, err = process.communicate(material.encode("utf-8", "replace"), timeout=seconds)
    except subprocess.TimeoutExpired:
        _end_group(process)
        raise CallFailed(f"{who} took longer than {seconds:g} s and was ended") from None
    except BaseException:
        _end_group(process)
        raise
    return Ran(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def find_program(name: str, who: str, environ: Mapping[str, str]) -> str:
    """Where a client is.

    Raises:
        CallFailed: it is not on the path.
    """
    if program := shutil.which(name, path=environ.get("PATH", "")):
        return program
    raise CallFailed(f"{who} is not on the PATH", whole=True, used=NOTHING)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    # What left the group may hold the pipes open for as long as it likes.
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_LAST_WORDS_SECONDS)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()
