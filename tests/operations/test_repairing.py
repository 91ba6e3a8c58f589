"""Damage is seen, said, and can be mended: nothing acknowledged is lost without a word."""

import json
import os
import random
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from tests.commands import Command, Reverie
from tests.connect.logs import write_log

from reverie.asker import OWNER
from reverie.clock import fixed, system_clock
from reverie.memory import Memory
from reverie.operations import repairing

SESSION = "0a000000-0000-4000-8000-00000000000a"
RULE = "From now on always run make lint before you commit anything."
WISH = "The importer bills an order twice when it is retried"

# Writes and ends without closing, so that the write-ahead log stays.
WRITING = """
import os, sys
from reverie.asker import OWNER
from reverie.memory import Memory
memory = Memory.open(asker=OWNER)
for text in sys.argv[1:]:
    memory.remember(text)
os._exit(0)
"""


@pytest.fixture
def home(isolated_home: Path) -> Path:
    return isolated_home / ".reverie"


@pytest.fixture
def logs(isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session that taught something, where the agent leaves its logs."""
    project = tmp_path / "app"
    project.mkdir()
    monkeypatch.chdir(project)
    folder = isolated_home / ".claude" / "projects" / "app"
    done = ("assistant", "Done, and committed.")
    write_log(folder, SESSION, project, ("user", "Please fix it."), done, ("user", RULE))
    return folder


def said(reverie: Reverie) -> str:
    return " ".join(one["description"] for one in json.loads(reverie("memories", "--json")))


def write_and_die(*texts: str) -> None:
    subprocess.run([sys.executable, "-c", WRITING, *texts], env=os.environ, check=True)


@pytest.mark.hostile("K6")
def test_without_its_memories_a_home_is_built_again_from_what_was_read(
    reverie: Reverie, logs: Path, home: Path
) -> None:
    reverie("learn")
    for file in home.glob("memory.db*"):
        file.unlink()
    # The agent may have deleted its log meanwhile: what was read of it is enough.
    shutil.rmtree(logs)
    write_log(logs, "0c000000", Path.cwd(), ("user", "Thanks."))
    reverie("learn")
    assert "lint" in said(reverie)
    assert json.loads(reverie("learn", "--json"))["sessions"] == 0


@pytest.mark.hostile("K6")
@pytest.mark.parametrize("damage", ["deleted", "cut", "flipped"])
def test_a_write_ahead_log_that_lost_acknowledged_writes_is_seen(
    reverie: Reverie, command: Command, logs: Path, home: Path, damage: str
) -> None:
    reverie("learn")
    assert command("doctor").code == 0
    write_and_die(WISH)
    log = home / "memory.db-wal"
    data = bytearray(log.read_bytes())
    assert data
    if damage == "deleted":
        log.unlink()
        (home / "memory.db-shm").unlink()
    else:
        # Nobody has it open.
        flipped = bytes(~one & 255 for one in data[:4000])
        log.write_bytes(data[: len(data) // 3] if damage == "cut" else flipped + data[4000:])
    told = command("doctor")
    assert told.code == 1
    assert "acknowledged" in told.out or "gone" in told.out
    assert "reverie repair" in told.out
    # Writing on does not hide it.
    reverie("remember", "Never push on a Friday, the vendor is away")
    assert command("doctor").code == 1
    reverie("repair", "--yes")
    assert command("doctor").code == 0
    assert "lint" in said(reverie) and "Friday" in said(reverie)


def test_the_mark_follows_every_change_and_raises_no_false_alarm(
    reverie: Reverie, command: Command, logs: Path, home: Path
) -> None:
    reverie("learn")
    reverie("remember", WISH)
    reverie("stores", "create", "shared")
    reverie("stores", "delete", "shared", "--yes")
    name = next(one["name"] for one in json.loads(reverie("memories", "--json")))
    reverie("pin", name)
    reverie("redact", f"{name}@1", "--yes")
    reverie("backup", "create", str(home / "own.db"))
    reverie("remember", "Never push on a Friday, the vendor is away")
    reverie("backup", "restore", str(home / "own.db"), "--replace")
    assert command("doctor").code == 0
    assert (home / "high-water").stat().st_mode & 0o777 == 0o600


@pytest.mark.hostile("K6")
@pytest.mark.parametrize("size", [0, 100, 512, 5000])
def test_a_truncated_database_is_refused_with_the_way_out_which_works(
    reverie: Reverie, command: Command, logs: Path, home: Path, size: int
) -> None:
    reverie("learn")
    for side in ("-wal", "-shm"):
        (home / f"memory.db{side}").unlink(missing_ok=True)
    os.truncate(home / "memory.db", size)
    for words in (["learn"], ["memories"], ["recall", "lint"], ["remember", WISH], ["doctor"]):
        ran = command(*words)
        assert ran.code in (1, 7), (words, ran)
        assert "reverie repair" in ran.out + ran.err
        assert "should not happen" not in ran.out + ran.err
    done = json.loads(reverie("repair", "--yes", "--json"))
    assert Path(done["moved"][0]).stat().st_size == size
    assert "-daily-" in done["backup"]
    assert "lint" in said(reverie)
    assert command("doctor").code == 0
    assert "nothing is wrong" in command("repair").err


def test_a_copy_is_kept_for_each_of_the_last_days_with_news(
    logs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = system_clock()
    names: list[str] = []
    for day in range(5):
        clock = fixed((began + timedelta(days=day)).isoformat())
        write_log(logs, f"0{day}000000", Path.cwd(), ("user", "Please."), ("user", f"{RULE} {day}"))
        with Memory.open(asker=OWNER, clock=clock) as memory:
            memory.learn()
            memory.learn()
        names.append(f"memory-daily-{clock().isoformat()[:10]}.db.zst")
    kept = sorted(file.name for file in (home / "backups").iterdir())
    assert kept == names[-3:]
    assert all(file.stat().st_mode & 0o077 == 0 for file in (home / "backups").iterdir())
    monkeypatch.setenv("REVERIE_STORE_BACKUPS", "0")
    shutil.rmtree(home / "backups")
    write_log(logs, "09000000", Path.cwd(), ("user", "Please."), ("user", RULE))
    with Memory.open(asker=OWNER) as memory:
        memory.learn()
    assert not (home / "backups").exists()


@pytest.mark.hostile("X3")
def test_what_was_redacted_or_unlearned_is_in_no_copy(
    reverie: Reverie, logs: Path, home: Path
) -> None:
    reverie("learn")
    assert list((home / "backups").iterdir())
    reverie("unlearn", SESSION, "--yes")
    assert list((home / "backups").iterdir()) == []


def test_a_damaged_copy_is_passed_over_for_an_older_one(
    reverie: Reverie, logs: Path, home: Path
) -> None:
    reverie("learn")
    (newest,) = (home / "backups").iterdir()
    older = newest.with_name("memory-daily-2020-01-01.db.zst")
    shutil.copy(newest, older)
    os.utime(older, (1, 1))
    newest.write_bytes(newest.read_bytes()[:2000])
    os.truncate(home / "memory.db", 0)
    done = json.loads(reverie("repair", "--yes", "--json"))
    assert done["backup"] == str(older)
    assert "lint" in said(reverie)


COMMANDS = [
    ["memories"],
    ["recall", "lint"],
    ["digest"],
    ["review", "--json"],
    ["sessions", "list"],
    ["corrections", "--all"],
    ["daily"],
    ["diary"],
    ["stats"],
    ["due"],
    ["proposals"],
    ["remember", WISH],
    ["learn"],
    ["dream", "--dry-run"],
    ["doctor"],
    ["stores", "list"],
    ["log"],
    [],
]


@pytest.mark.hostile("K6")
@pytest.mark.parametrize("name", ["memory.db", "index.db"])
@pytest.mark.parametrize("seed", range(int(os.environ.get("REVERIE_TEST_FUZZ", "3"))))
def test_flipped_bytes_give_named_errors_from_every_command(
    command: Command, reverie: Reverie, logs: Path, home: Path, name: str, seed: int
) -> None:
    reverie("learn")
    chance = random.Random(seed)
    whole = {file.name: file.read_bytes() for file in home.glob("*.db*")}
    for _ in range(4):
        damaged = bytearray(whole[name])
        for _ in range(chance.choice((1, 20, 400))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        for words in COMMANDS:
            for file, data in whole.items():
                (home / file).write_bytes(bytes(damaged) if file == name else data)
            ran = command(*words)
            assert "should not happen" not in ran.err + ran.out, (words, ran)
            assert ran.code in (0, 1, 3, 7, 8), (words, ran)


def test_repairing_looks_at_a_sound_home_and_changes_nothing(reverie: Reverie, logs: Path) -> None:
    reverie("learn")
    with Memory.open(asker=OWNER) as memory:
        before = memory.store.sequences()
        assert repairing.repair(memory) == repairing.Repaired(())
        assert memory.store.sequences() == before
