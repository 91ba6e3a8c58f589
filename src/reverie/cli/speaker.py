"""Who speaks on the command line: a person at a terminal, an agent in its shell, or a script.

What an agent runs is not the person's word. Its shell is known by the variables that agents set in
it, and by an agent among the processes above, which no variable and no pseudo-terminal hides.
Elsewhere without a terminal (cron, a script) nobody can tell: the setting `trust.scripts` says
whose word that is. The tables are in `data/agents.txt`.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from reverie.asker import OWNER, Asker
from reverie.data import pairs, sections
from reverie.errors import Refused

if TYPE_CHECKING:
    from reverie.memory import Memory

MOST_ABOVE = 64
_TABLES = "agents.txt"
_COMMAND_LINE = re.compile(r"-[a-z]*c")  # `bash -lc '…'`
_UNSURE = 'no terminal; `trust.scripts = "user"` in config.toml if your scripts speak for you'


class Program(NamedTuple):
    """A running program: its command line, and where its relative paths begin."""

    command: list[str]
    folder: str = ""


class Speaker(NamedTuple):
    """Who speaks, and why that is no person; "" for one."""

    asker: Asker
    why: str = ""


def speaker(environ: Mapping[str, str], scripts: str, session: str = "") -> Speaker:
    """Who speaks in this process; `scripts` is the setting `trust.scripts`."""
    if agent := agent_here(environ):
        return Speaker(Asker("shell", session, "agent"), f"an agent's shell: {agent}")
    if scripts == "user" or at_a_terminal():
        return Speaker(OWNER._replace(session=session))
    return Speaker(Asker("script", session, "agent"), _UNSURE)


def only_a_person(deed: str, command: str) -> None:
    """Leave a deed to the person.

    Raises:
        Refused: this is an agent's shell.
    """
    if agent := agent_here(os.environ):
        raise Refused(
            f"only a person may {deed}, and this is an agent's shell: {agent}",
            hint=f"in a terminal of your own: `reverie {command}`",
        )


def only_the_person(memory: "Memory", deed: str, command: str) -> None:
    """Leave to the person what gives trust or takes away what they said for good; a script may only
    if their settings say so.

    Raises:
        Refused: whoever speaks has not the word of a person.
    """
    only_a_person(deed, command)
    if memory.asker.trust != "user":
        raise Refused(
            f"only a person may {deed}", hint=f"in a terminal of your own: `reverie {command}`"
        )


def at_a_terminal() -> bool:
    """Whether a person reads and types here: one of the streams may well be a file or a pipe.

    Programs that run commands catch both outputs, also those that are in no table of ours.
    """
    return sum(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)) > 1


def agent_here(environ: Mapping[str, str]) -> str:
    """The agent whose shell this is, with the variable that says so; "" when none is seen."""
    return agent_in(environ) or agent_among(programs_above())


def agent_in(environ: Mapping[str, str]) -> str:
    """The agent that left its mark in these variables."""
    for mark, agent in pairs(_TABLES, "variables"):
        name, _, wanted = mark.partition("=")
        value = environ.get(name, "")
        if value and wanted in ("", value):
            return f"{agent}, by {name}"
    return ""


def agent_among(programs: Iterable[Program]) -> str:
    """The first of these programs that is an agent."""
    return next((agent for program in programs if (agent := _agent_of(program))), "")


def programs_above() -> Iterator[Program]:
    """The programs that started this one, nearest first, as far as they can be seen."""
    process = os.getppid()
    for _ in range(MOST_ABOVE):
        if process <= 1:
            return
        program, process = _looked_up(process)
        yield program


def _agent_of(program: Program) -> str:
    command = program.command
    if not command:
        return ""
    name = os.path.basename(command[0]).removesuffix(".exe")
    agent = dict(pairs(_TABLES, "programs")).get(name) or _agent_at(command[0], program.folder)
    if not agent and name.rstrip("0123456789.") in sections(_TABLES)["interpreters"].split():
        script = _script(command[1:])
        named = dict(pairs(_TABLES, "scripts")).get(os.path.basename(script))
        return named or _agent_at(script, program.folder)
    return agent


def _script(words: list[str]) -> str:
    """What an interpreter was told to run: a file or a module; "" for a line of code."""
    valued = sections(_TABLES)["valued"].split()
    rest = iter(words)
    for word in rest:
        if word in ("-e", "-p", "--eval", "--print") or _COMMAND_LINE.fullmatch(word):
            return ""
        if word == "-m":
            return next(rest, "").partition(".")[0]
        if word in valued:
            next(rest, "")
        elif word != "run" and not word.startswith("-"):
            return word
    return ""


def _agent_at(file: str, folder: str) -> str:
    """The agent whose place this is: what lies in a `bin` is often a link to it."""
    path = os.path.realpath(os.path.join(folder, file)) if "/" in file else file
    for place, agent in pairs(_TABLES, "places"):
        if f"/{place}/" in f"/{path}/":
            return agent
    return ""


def _looked_up(process: int) -> tuple[Program, int]:
    """A process and its parent; nothing, and no parent, where that cannot be seen."""
    place = f"/proc/{process}"
    if not os.path.isdir("/proc/self"):
        return _asked(process)
    try:
        with open(f"{place}/cmdline", "rb") as file:
            words = os.fsdecode(file.read()).split("\0")
        with open(f"{place}/stat", "rb") as file:
            # The name in brackets may hold anything, also brackets and blanks.
            parent = int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return Program([]), 0
    try:
        folder = os.readlink(f"{place}/cwd")
    except OSError:
        folder = ""
    return Program([word for word in words if word], folder), parent


def _asked(process: int) -> tuple[Program, int]:
    """The same from `ps`, where there is no /proc."""
    import subprocess

    try:
        done = subprocess.run(
            ["ps", "-o", "ppid=,command=", "-p", str(process)],
            capture_output=True,
            text=True,
            timeout=2,
            check=False,
        )
        parent, *words = done.stdout.split()
        return Program(words), int(parent)
    except (OSError, ValueError, subprocess.SubprocessError):
        return Program([]), 0
