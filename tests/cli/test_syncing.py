"""`reverie sync` on the command line: remotes, the key, a team, and what an agent may not."""

import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.commands import Command
from tests.sync.homes import BY, opened

from reverie.cli.root import run
from reverie.memory import Memory
from reverie.operations import syncing
from reverie.operations.syncing import Wish

RULE = "The till counts in cents"


@pytest.fixture
def remote(tmp_path: Path) -> str:
    return str(tmp_path / "stick" / "reverie")


@pytest.fixture
def linked(command: Command, shop: Path, remote: str) -> str:
    """A remote to which one memory was sent."""
    Path(remote).parent.mkdir()
    assert command("remember", RULE, "--name", "till", "--scope", "global").code == 0
    ran = command("sync", "--with", remote)
    assert (ran.code, ran.err) == (0, "global: 1 version out\n")
    return remote


def test_what_came_and_went_is_told_once(command: Command, linked: str):
    assert command("sync").err == "nothing new\n"
    assert command("remember", "The drawer sticks", "--scope", "global").code == 0
    assert command("sync").err == "global: 1 version out\n"


def test_a_look_sends_nothing(command: Command, linked: str):
    assert command("remember", "The drawer sticks", "--scope", "global").code == 0
    files = sorted(Path(linked).rglob("*"))
    ran = command("sync", "--with", linked, "--dry-run", "--json")
    told = json.loads(ran.out)
    assert (told["sent"], told["dry_run"]) == ({"global": 1}, True)
    assert sorted(Path(linked).rglob("*")) == files
    assert command("sync", "--with", linked).err == "global: 1 version out\n"


def test_remotes_are_listed_and_forgotten(command: Command, linked: str):
    listed = command("sync", "--list")
    assert linked in listed.out
    assert "all stores" in listed.out
    (link,) = json.loads(command("sync", "--list", "--json").out)
    assert (link["remote"], link["kind"], link["team"]) == (linked, "folder", False)
    assert "nothing is exchanged with" in command("sync", "--forget", linked).err
    assert "nothing is exchanged" in command("sync", "--list").err
    assert command("sync", "--forget", linked).code != 0
    assert list(Path(linked).rglob("*.pack"))


def test_another_machine_joins_with_the_key_that_was_shown(
    command: Command, linked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shown = command("sync", "--show-key")
    assert shown.out.startswith("reverie-key-")
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "other"))
    strange = command("sync", "--with", linked)
    assert strange.code != 0
    assert "--show-key" in strange.err
    assert "other programs could read" in command("sync", "--with", linked, "--key", shown.out).err
    joined = command("sync", "--with", linked, "--key", "-", given=shown.out)
    assert "global: 1 version in (1 new)" in joined.err
    assert RULE in command("show", "till").out


def test_what_is_about_a_remote_needs_one(command: Command, shop: Path):
    for options in (["--team"], ["--encrypt"], ["--dry-run"], ["--store", "shop"]):
        ran = command("sync", *options)
        assert "--with REMOTE" in ran.err, options


@pytest.fixture
def team(tmp_path: Path, shop: Path) -> str:
    """A teammate's remote of a project, with one memory of theirs."""
    place = str(tmp_path / "team")
    with opened(tmp_path / "bea") as bea:
        bea.store.ensure_store("shop")
        bea.store.create("shop", "/pier.md", "The pier is closed\n", BY)
        syncing.sync_with(bea, place, Wish(team=True, stores=("shop",), author="Bea"))
    return place


def test_a_teammates_change_of_ones_own_word_is_named_and_waits(
    command: Command, team: str, tmp_path: Path
):
    assert command("sync", "--with", team, "--team", "--store", "shop", "--as", "Ada").code == 0
    assert command("sync", "--accept", "shop:pier").err == "shop:pier is your word now\n"
    command("sync")
    with opened(tmp_path / "bea") as bea:
        syncing.sync_with(bea, team)
        (pier,) = bea.store.walk("shop")
        bea.store.update("shop", pier.id, content="The pier is open\n", by=BY)
        syncing.sync_with(bea, team)
    told = command("sync").err
    assert "shop:pier is your word and stays" in told
    assert "`reverie sync --accept shop:pier` takes it" in told
    assert "closed" in command("show", "shop:pier").out
    assert command("sync", "--accept", "shop:pier").code == 0
    assert "open" in command("show", "shop:pier").out


@pytest.mark.hostile("M4")
def test_an_agent_syncs_what_a_person_chose_and_accepts_nothing(
    command: Command, team: str, linked: str, monkeypatch: pytest.MonkeyPatch
):
    assert command("sync", "--with", team, "--team", "--store", "shop", "--as", "Ada").code == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    assert command("sync").code == 0
    assert command("sync", "--with", linked).code == 0
    assert command("sync", "--list").code == 0
    for line in (
        f"--with {linked} --store global",
        f"--with {linked}2",
        f"--with {linked} --key -",
        f"--forget {linked}",
        "--show-key",
        "--accept shop:pier",
    ):
        ran = command("sync", *line.split(), given="reverie-key-1\n")
        assert ran.code == 5, (line, ran.err)
        assert "only a person" in ran.err
        assert "reverie-key-" not in ran.out
    assert not Path(f"{linked}2").exists()
    with Memory.open() as memory:
        assert memory.library.find("shop:pier").memory.trust == "agent"


def test_a_remote_that_is_away_is_told_by_sync_status_and_doctor(command: Command, linked: str):
    assert f"{linked}: synced 20" in command("doctor").out
    assert "not synced" not in command().out
    shutil.move(linked, f"{linked}-away")
    ran = command("sync")
    assert ran.code == 0
    assert "is not there" in ran.err
    assert not Path(linked).exists()
    assert "not synced since 20" in command().out
    told = command("doctor").out
    assert f"{linked} is not there" in told
    assert "last synced 20" in told
    shutil.move(f"{linked}-away", linked)
    assert command("sync").code == 0
    assert "not synced" not in command().out


@pytest.fixture
def at_a_keyboard(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets a person type what is asked for."""

    def types(text: str) -> None:
        keyboard = io.StringIO(text)
        monkeypatch.setattr(keyboard, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", keyboard)

    return types


@pytest.mark.parametrize(("typed", "auto"), [("y\n", True), ("n\n", False), ("\ny\n", True)])
def test_a_person_is_asked_once_whether_hooks_may_sync(
    command: Command, shop: Path, tmp_path: Path, at_a_keyboard: Callable[[str], None],
    typed: str, auto: bool,
):  # fmt: skip
    at_a_keyboard(typed)
    asked = command("sync", "--with", str(tmp_path / "stick"))
    assert "May hooks sync by themselves" in asked.err + asked.out
    with Memory.open() as memory:
        assert memory.settings.sync.auto is auto
    at_a_keyboard("")
    again = command("sync", "--with", str(tmp_path / "other"))
    assert "May hooks" not in again.err + again.out


def test_nobody_answers_for_a_person(
    command: Command, shop: Path, tmp_path: Path, at_a_keyboard: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    remote = str(tmp_path / "stick")
    assert "May hooks" not in command("sync", "--with", remote, given="y\n").err
    at_a_keyboard("")
    assert "nothing was set" in command("sync", "--with", remote).err
    at_a_keyboard("y\n")
    assert "May hooks" not in command("sync", "--with", remote, "--dry-run").err
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "May hooks" not in command("sync", "--with", remote).err
    with Memory.open() as memory:
        assert not memory.config.file.exists()
        assert memory.settings.sync.auto is False


def test_a_stick_that_is_not_plugged_in_is_no_error_and_gets_nothing(
    isolated_home: Path, shop: Path, capsys: pytest.CaptureFixture[str]
):
    stick = isolated_home / "stick"
    assert run(["remember", "Never push on Fridays", "--scope", "global"]) == 0
    assert run(["sync", "--with", str(stick)]) == 0
    stick.rename(isolated_home / "drawer")
    assert run(["remember", "Tests run in Docker", "--scope", "global"]) == 0
    capsys.readouterr()
    assert run(["sync"]) == 0
    said = capsys.readouterr().err
    assert f"{stick} is not there" in said
    assert "error:" not in said
    assert "warning:" not in said
    assert not stick.exists()
    run(["doctor"])
    assert f"{stick} is not there" in "".join(capsys.readouterr())
    (isolated_home / "drawer").rename(stick)
    assert run(["sync"]) == 0
    assert "1 version out" in capsys.readouterr().err


def test_a_git_server_that_does_not_answer_is_no_error_and_the_next_sync_goes_on(
    isolated_home: Path, shop: Path, capsys: pytest.CaptureFixture[str]
):
    server, down = isolated_home / "memory.git", isolated_home / "down.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(server)], check=True)
    assert run(["remember", "Never push on Fridays", "--scope", "global"]) == 0
    assert run(["sync", "--with", f"file://{server}"]) == 0
    server.rename(down)
    assert run(["remember", "Tests run in Docker", "--scope", "global"]) == 0
    capsys.readouterr()
    assert run(["sync"]) == 0
    said = capsys.readouterr().err
    assert f"file://{server} does not answer" in said
    assert "the next sync looks again" in said
    assert "error:" not in said
    assert run(["sync", "--with", f"file://{server}"]) == 8  # asked for by name
    run(["doctor"])
    assert f"file://{server} does not answer" in "".join(capsys.readouterr())
    down.rename(server)
    assert run(["sync"]) == 0
    assert "1 version out" in capsys.readouterr().err


def test_a_lost_remote_is_made_again_only_when_that_is_said(
    isolated_home: Path, shop: Path, capsys: pytest.CaptureFixture[str]
):
    stick = isolated_home / "stick"
    assert run(["remember", "Never push on Fridays", "--scope", "global"]) == 0
    assert run(["sync", "--with", str(stick)]) == 0
    stick.rename(isolated_home / "burnt")
    assert run(["sync", "--with", str(stick)]) == 8
    assert "--anew" in capsys.readouterr().err
    assert run(["sync", "--with", str(stick), "--anew"]) == 0
    assert list(stick.rglob("*.pack"))
