"""A home that cannot be written, or has no room left: it is read as ever, and writing says why."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import Command, Reverie
from tests.connect.logs import write_log

from reverie.asker import Asker
from reverie.errors import ReadOnly, Unavailable
from reverie.memory import Memory
from reverie.operations import recalling

SESSION = "0a000000-0000-4000-8000-00000000000a"
RULE = "From now on always run make lint before you commit anything."
WISH = "Never push on a Friday, the vendor is away"


@pytest.fixture(params=["read-only", "full", "full, with a log"])
def home(
    request: pytest.FixtureRequest,
    isolated_home: Path,
    tmp_path: Path,
    reverie: Reverie,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """A home that has learned, on a file system that takes nothing more."""
    project = tmp_path / "app"
    project.mkdir()
    monkeypatch.chdir(project)
    folder = isolated_home / ".claude" / "projects" / "app"
    done = ("assistant", "Done.")
    write_log(folder, SESSION, project, ("user", "Please fix it."), done, ("user", RULE))
    place = isolated_home / ".reverie"
    place.mkdir(mode=0o700)
    mounted("-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", str(place))
    try:
        reverie("learn")
        if request.param == "read-only":
            mounted("-o", "remount,ro", str(place))
        else:
            if "log" in request.param:
                # Whoever was killed left a write-ahead log with the newest words.
                die = (
                    "import os; from reverie.memory import Memory; from reverie.asker import OWNER;"
                )
                die += f"Memory.open(asker=OWNER).remember({WISH!r}); os._exit(0)"
                subprocess.run([sys.executable, "-c", die], check=True, env=os.environ)
                assert (place / "memory.db-wal").stat().st_size
            fill(place / "memory.db.fill")
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def mounted(*how: str) -> None:
    done = subprocess.run(["mount", *how], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"needs the right to mount: {done.stderr.strip()}")


def fill(file: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        while True:
            os.write(descriptor, b"\0" * 1024)
    except OSError as error:
        assert error.errno == errno.ENOSPC
    finally:
        os.close(descriptor)


READING = [
    ["recall", "what to run before a commit"],
    ["memories"],
    ["show", "run-make-lint-before-commit"],
    ["why", "run-make-lint-before-commit"],
    ["sessions", "list"],
    ["sessions", "show", SESSION],
    ["digest"],
    ["log"],
    ["corrections"],
    ["daily"],
    ["diary"],
    ["stats"],
    ["due"],
    ["review", "--json"],
    ["stores", "list"],
    [],
]
WRITING = [
    ["remember", WISH + " for a week"],
    ["pin", "run-make-lint-before-commit"],
]


@pytest.mark.hostile("K4", "K5")
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a file system")
def test_a_home_without_room_is_read_as_ever_and_writing_says_why(
    command: Command, home: Path, request: pytest.FixtureRequest
) -> None:
    for words in READING:
        ran = command(*words)
        assert ran.code == 0, (words, ran)
    if "full" in request.node.name:
        fill(home / "again.fill")  # whoever closed the log last gave its room back
    for words in WRITING:
        ran = command(*words)
        assert ran.code in (5, 8), (words, ran)
        assert "read-only" in ran.err or "no space" in ran.err
    described = [one["description"] for one in json.loads(command("memories", "--json").out)]
    assert ("Friday" in "".join(described)) == ("with a log" in request.node.name)
    # An agent that never asked before is answered, too.
    with Memory.open(asker=Asker("mcp", agent="claude-code")) as memory:
        assert "make lint" in memory.recall("what to run before a commit").text
        assert recalling.search_sessions(memory, "lint before commit") is not None
        with pytest.raises((ReadOnly, Unavailable)):
            memory.remember(WISH)


@pytest.mark.hostile("K4")
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a file system")
def test_when_there_is_room_again_writing_goes_on(command: Command, home: Path) -> None:
    filler = home / "memory.db.fill"
    with Memory.open(asker=Asker("test", trust="user")) as memory:
        if filler.exists():
            with pytest.raises((ReadOnly, Unavailable)):
                memory.remember("The harbour office wants a copy " * 200)
            filler.unlink()
        else:
            mounted("-o", "remount,rw", str(home))
        memory.remember(WISH)
    assert command("doctor").code == 0
