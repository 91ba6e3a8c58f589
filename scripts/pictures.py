"""Draw docs/pictures: what a terminal shows, from the real command line on the bundled sample.

    python -m scripts.pictures

Worth running again when what these commands print has changed.
"""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from reverie.sample import NOW, place

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
COLUMNS = 100
QUESTION = "which port does the dev server use?"
THEME = TerminalTheme(
    (24, 26, 31),
    (222, 222, 222),
    [
        *((24, 26, 31), (224, 108, 117), (152, 195, 121), (229, 192, 123)),
        *((97, 175, 239), (198, 120, 221), (86, 182, 194), (150, 155, 165)),
    ],
)
# As rich draws it, without the fonts it would fetch from elsewhere.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, monospace; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})"
 clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="reverie-pictures-") as scratch:
        folder = place(Path(scratch)) / "shop-api"
        learned = typed(["learn"], folder, Path(scratch))
        recalled = typed(["recall", QUESTION], folder, Path(scratch))
        typed(["dream"], folder, Path(scratch))
        reviewed = watched(["review"], folder, Path(scratch))
    draw("learn-and-recall", f"{learned}\n{recalled}")
    draw("review", reviewed)


def draw(name: str, text: str) -> None:
    """Write one picture of a terminal that shows `text`, colours and all."""
    (PICTURES / f"{name}.svg").write_text(svg(name, text), encoding="utf-8")


def svg(name: str, text: str) -> str:
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text.rstrip()))
    drawn = console.export_svg(title="reverie", theme=THEME, code_format=FORMAT, unique_id=name)
    return re.sub(r"[ \t]+$", "", drawn, flags=re.MULTILINE)


def typed(command: list[str], folder: Path, home: Path) -> str:
    """What a command prints, below the line that called it."""
    done = subprocess.run(
        [sys.executable, "-m", "reverie.sample.screen", *command],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=True,
    )
    lines = [
        textwrap.fill(line, COLUMNS, subsequent_indent="    ", break_on_hyphens=False)
        for line in done.stdout.splitlines()
    ]
    return "\n".join([prompt(command), *lines]) + "\n"


def watched(command: list[str], folder: Path, home: Path) -> str:
    """What a command that asks shows, up to its first question; nobody answers it."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "reverie", *command],
        cwd=folder,
        env=environment(home),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    # The terminal answers with an error once the process has gone.
    with suppress(OSError):
        while part := os.read(screen, 4096):
            shown += part
            if b"q quit" in shown:
                break
    process.terminate()
    process.wait()
    os.close(screen)
    text = shown.decode("utf-8").replace("\r\n", "\n")
    return f"{prompt(command)}{text.partition('q quit')[0]}q quit"


def prompt(command: list[str]) -> str:
    words = " ".join(f'"{word}"' if " " in word else word for word in command)
    return f"\x1b[1m$ reverie {words}\x1b[0m"


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": str(home),
        "REVERIE_HOME": str(home / ".reverie"),
        "REVERIE_NOW": NOW,
        "PYTHONIOENCODING": "utf-8",
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
    }


if __name__ == "__main__":
    main()
