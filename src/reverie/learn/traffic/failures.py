"""Failures: the telling line of an error output, its signature, and what sort of trouble it is.

Two outputs have the same signature when they are the same failure on another day: paths, numbers,
hashes, times and colours are levelled, names that carry the meaning stay.
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

from reverie.data import pairs, patterns
from reverie.learn.traffic.commands import shortened
from reverie.learn.traffic.homes import tilde

Trouble = Literal[
    "missing-command", "usage", "missing-path", "missing-module", "permission", "network", "auth",
    "git", "busy", "environment", "tool", "code", "unknown",
]  # fmt: skip

MISCALLED: frozenset[Trouble] = frozenset({"missing-command", "usage"})  # the call itself is wrong
MAX_MESSAGE = 240
MAX_SIGNATURE = 120

_RE = patterns("traffic.txt", "failures")
# Which lines tell most, and whether the first or the last of them does (an exception's last line).
_ORDER = (("tests", 0), ("raised", -1), ("marked", 0), ("crosses", 0), ("plain", 0))
_KINDS: list[tuple[Trouble, "re.Pattern[str]"]] = [
    (cast(Trouble, trouble), re.compile(pattern, re.I | re.M))
    for trouble, pattern in pairs("traffic.txt", "failures.kinds")
]
_LEVELS = [
    (re.compile(pattern), word.strip("-"))
    for word, pattern in pairs("traffic.txt", "failures.levels")
]


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt: its telling line and what it is an instance of."""

    message: str
    signature: str
    trouble: Trouble
    missing: str = ""  # the command that was not found


def failure_of(
    program: str, output: str, *, checking: bool = False, code: int | None = None
) -> Failure:
    """What went wrong, out of the output of `program` (a tool's name where there is no command)."""
    text = plain(output)
    sought = (len(text) < 2_000 or code == 127) and _RE.unknown.search(text)
    missing = _RE.missing.search(text) if sought else None
    name = next((group for group in missing.groups() if group), "") if missing else ""
    message = tilde(telling_line(text, missing))
    if not message and code is not None:
        message = f"exit code {code}"
    trouble = _trouble(program, text, message, checking, bool(name), code)
    return Failure(message, signature_of(program, message), trouble, name.rsplit("/", 1)[-1])


def plain(output: str) -> str:
    """The output without colours and without the lines an agent's harness puts before it."""
    text = _RE.header.sub("", output)
    return _RE.escapes.sub("", text) if "\x1b" in text else text


def telling_line(text: str, missing: "re.Match[str] | None" = None) -> str:
    """The one line that says what went wrong."""
    if tool := _RE.tool.search(text):
        return shortened(tool[1].strip().split("\n")[0], MAX_MESSAGE)
    if missing:
        start = text.rfind("\n", 0, missing.start() + 1) + 1
        return shortened(text[start : missing.end()], MAX_MESSAGE)
    for name, place in _ORDER:
        lines: list[str] = getattr(_RE, name).findall(text)
        telling = [line for line in lines if not is_hollow(line)]
        if telling:
            return shortened(telling[place], MAX_MESSAGE)
    rest = [line for line in text.splitlines() if any(map(str.isalpha, line))]
    saying = [line for line in rest if not is_hollow(line)] or rest
    return shortened(saying[-1], MAX_MESSAGE) if saying else ""


def is_hollow(line: str) -> bool:
    """Whether a line only says that something failed."""
    return bool(_RE.hollow.search(line))


def signature_of(program: str, message: str) -> str:
    """The levelled message, after the program it came from."""
    level = message
    for pattern, word in _LEVELS:
        level = pattern.sub(word, level)
    level = " ".join(level.split()).strip(" .:")
    if program and not level.lower().startswith(program.lower()):
        level = f"{program}: {level}"
    return level[:MAX_SIGNATURE].rstrip()


def _trouble(
    program: str, text: str, message: str, checking: bool, missing: bool, code: int | None
) -> Trouble:
    if missing or (code == 127 and "no such file" not in message.lower()):
        return "missing-command"
    if kind := _kind(message):
        return kind
    if program in {"git", "gh"} and _RE.git.search(message):
        return "git"
    # A failing check is about the code unless its one line of output says otherwise.
    if checking:
        return "code"
    return (_kind(text) if text.count("\n") < 12 else None) or "unknown"


def _kind(text: str) -> Trouble | None:
    return next((trouble for trouble, pattern in _KINDS if pattern.search(text)), None)
