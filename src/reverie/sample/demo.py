"""`make demo`: the whole loop on the bundled sample, in a scratch home.

Every step runs the real command line in a process of its own, with an environment that holds
nothing but the scratch home: no log, memory or setting of the user is read.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from reverie.data import sections
from reverie.sample import NOW, place

# What of the caller's environment a command may see: where programs are, how to talk to the screen.
_KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "COLUMNS", "NO_COLOR", "SYSTEMROOT", "PYTHONPATH")
# And what a browser needs to be opened.
_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XAUTHORITY", "BROWSER")

_LINES = 17
_MARGIN = "   "
LATER = "2026-04-20T08:00:00Z"
PROPOSAL = "{proposal}"  # stands for the id of the newest one


@dataclass(frozen=True, slots=True)
class Step:
    """One thing Reverie does, in a sentence and a command or two."""

    title: str
    words: str
    commands: tuple[tuple[str, ...], ...]
    project: str = "shop-api"
    now: str = NOW


def _steps() -> Iterator[Step]:
    for title, text in sections("demo.txt").items():
        words, *lines = text.splitlines()
        commands = (tuple(shlex.split(line[2:])) for line in lines if line.startswith("$ "))
        now = next((line[2:] for line in lines if line.startswith("@ ")), NOW)
        yield Step(title, words, tuple(commands), now=now)


STEPS = tuple(_steps())


_BEGINNING = """
Sixteen bundled sessions of two agents, read in a scratch home: what they teach is found, kept,
handed back, forgotten, and over all of them dreamt about. It takes a few seconds."""

_END = """
That was the whole loop: logs → corrections → memories → recall, and over many sessions a proposal,
your decision, and the way back. Nothing of yours was read; the scratch home goes again.

On your own logs:

    {reverie} learn --dry-run        what it would find; writes nothing
    {reverie} learn                  keep it
    {reverie} connect claude-code    let your agent ask for it (or: codex)
    {reverie} ui                     see and steer all of it in a browser
"""


def main() -> int:
    """Tell the story; the exit code is that of the first command that fails."""
    with tempfile.TemporaryDirectory(prefix="reverie-demo-") as scratch:
        home = Path(scratch).resolve()
        code = place(home)
        environment = _environment(home)
        # The part of the person is played, in a home of its own.
        settings = home / ".reverie" / "config.toml"
        settings.parent.mkdir(mode=0o700)
        settings.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
        print(_BEGINNING)
        undecided = home / "undecided"
        for number, step in enumerate(STEPS, 1):
            if step is STEPS[-1]:
                # The page shows it as it was before: there is something to decide.
                shutil.copytree(settings.parent, undecided)
            print(f"\n{_bold(f'{number}. {step.title}')}\n{_MARGIN}{step.words}\n")
            for command in step.commands:
                now = {"REVERIE_NOW": step.now}
                if status := _run(command, code / step.project, environment | now):
                    return status
        before = {"REVERIE_NOW": NOW, "REVERIE_HOME": str(undecided)}
        _offer_page(code / STEPS[-1].project, environment | before)
    print(_END.format(reverie=program()))
    return 0


def _offer_page(folder: Path, environment: dict[str, str]) -> None:
    """Ask whoever is at a terminal whether to see the home in a browser, while it is there."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and find_spec("starlette")):
        return
    try:
        answer = input("See all of this in your browser? Ctrl-C ends it. [Y/n] ")
        if answer.strip().lower() in ("", "y", "yes"):
            screen = {name: os.environ[name] for name in _SCREEN if name in os.environ}
            subprocess.run(
                [sys.executable, "-m", "reverie", "ui"],
                cwd=folder,
                env=environment | screen,
                check=False,
            )
    except (KeyboardInterrupt, EOFError):
        print()


def program() -> str:
    """How the command is called from here: it need not be on the PATH after `make demo`."""
    if shutil.which("reverie"):
        return "reverie"
    return shlex.quote(os.path.join(os.path.relpath(Path(sys.executable).parent), "reverie"))


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "HOME": str(home),
        "REVERIE_HOME": str(home / ".reverie"),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": str(shutil.get_terminal_size().columns - len(_MARGIN)),
    }


def _within(line: str, columns: int) -> str:
    """A line of output below the margin; on a terminal broken at words, further in."""
    if not sys.stdout.isatty() or len(line) <= columns or "\x1b" in line:
        return f"{_MARGIN}{line}".rstrip()
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    lines = textwrap.wrap(line, columns, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join(_MARGIN + part for part in lines)


def _bold(text: str) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def _run(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> int:
    if PROPOSAL in command:
        newest = json.loads(_reverie(("proposals", "--json"), folder, environment).stdout)[0]["id"]
        command = tuple(newest if word == PROPOSAL else word for word in command)
    typed = " ".join(f"'{word}'" if " " in word else word for word in command)
    print(_MARGIN + _bold(f"$ reverie {typed}"), flush=True)
    done = _reverie(command, folder, environment)
    lines = done.stdout.splitlines()
    shown = lines if done.returncode or len(lines) <= _LINES + 1 else lines[:_LINES]
    for line in shown:
        print(_within(line, int(environment["COLUMNS"])))
    if len(lines) > len(shown):
        print(f"{_MARGIN}… {len(lines) - len(shown)} more lines")
    print()
    return done.returncode


def _reverie(
    command: tuple[str, ...], folder: Path, environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    module = "reverie.sample.screen" if sys.stdout.isatty() else "reverie"
    return subprocess.run(
        [sys.executable, "-m", module, *command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
