"""`reverie mount`, `sync`, `unmount`, and that every command looks at the folders first."""

import json
import random
import string
from pathlib import Path

import pytest
from tests.connect.logs import write_log

from reverie.cli.root import run
from reverie.documents.document import load
from reverie.store.model import Actor, Author
from reverie.store.store import Store

ME = Author(Actor("user"))


@pytest.fixture
def folder(isolated_home: Path) -> Path:
    with Store.open(f"sqlite:///{isolated_home}/.reverie/memory.db") as store:
        store.create_store("global")
        store.create("global", "/lint.md", "Run the linter first.\n", ME)
    shown = isolated_home / "shown"
    assert run(["mount", "global", str(shown)]) == 0
    return shown


def versions(home: Path, path: str) -> list[tuple[str, str]]:
    with Store.open(f"sqlite:///{home}/.reverie/memory.db") as store:
        return [(v.actor.kind, v.trust) for v in store.versions("global", path).items]


@pytest.mark.proves("C1")
def test_every_command_takes_over_what_was_edited_first(folder: Path, isolated_home: Path, capsys):
    (folder / "lint.md").write_text("Run the linter last.\n")
    capsys.readouterr()
    assert run(["show", "global:lint"]) == 0
    assert "last" in capsys.readouterr().out
    assert versions(isolated_home, "/lint.md")[0] == ("filesystem", "tool")


def test_what_a_command_writes_is_in_the_folder_when_it_ends(folder: Path):
    assert run(["remember", "Never push on Fridays", "--scope", "global"]) == 0
    assert any("fridays" in file.name for file in folder.iterdir())
    assert "fridays" in (folder / "MEMORY.md").read_text().lower()


def test_sync_mine_is_the_users_own_word(folder: Path, isolated_home: Path):
    (folder / "lint.md").write_text("Run the linter twice.\n")
    assert run(["sync", "--mine"]) == 0
    assert versions(isolated_home, "/lint.md")[0] == ("user", "user")


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("command", [["sync"], ["sync", "--json"], ["unmount"], ["memories"]])
def test_the_name_of_a_file_that_is_a_secret_is_not_told(folder: Path, capsys, command: list[str]):
    secret = "ghp_" + "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=36))
    (folder / f"{secret}.md").write_text("The vault is sealed on Sundays.\n")
    capsys.readouterr()
    place = [str(folder)] if command == ["unmount"] else []
    assert run([*command, *place]) == 0
    printed = capsys.readouterr()
    assert secret not in printed.out + printed.err
    assert "the path holds a secret" in printed.out + printed.err


def test_sync_says_what_it_left_alone(folder: Path, capsys):
    (folder / "link.md").symlink_to("/etc/passwd")
    capsys.readouterr()
    assert run(["sync", str(folder), "--json"]) == 0
    printed = capsys.readouterr()
    (report,) = json.loads(printed.out)
    assert report["left"] == [{"file": "link.md", "why": "a symbolic link"}]
    assert "symbolic link" in printed.err


def test_mounts_are_listed_and_end_without_losing_the_last_edit(
    folder: Path, isolated_home: Path, capsys
):
    capsys.readouterr()
    assert run(["mount", "--json"]) == 0
    (mount,) = json.loads(capsys.readouterr().out)
    assert mount["folder"] == str(folder)
    (folder / "lint.md").write_text("One last edit.\n")
    assert run(["unmount", str(folder), "--delete"]) == 0
    assert not (folder / "lint.md").exists()
    assert len(versions(isolated_home, "/lint.md")) == 2
    assert run(["unmount", str(folder)]) == 3


def test_a_folder_that_became_a_link_stops_no_command(folder: Path, capsys):
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(folder.with_name("moved"))
    capsys.readouterr()
    assert run(["show", "global:lint"]) == 0
    printed = capsys.readouterr()
    assert "linter" in printed.out
    assert "not synced" in printed.err


def test_learning_makes_the_session_the_author_of_what_its_log_shows(
    folder: Path, isolated_home: Path, tmp_path: Path
):
    (folder / "new.md").write_text("The vault is sealed at night.\n")
    write = ("Write", {"file_path": str(folder / "new.md"), "content": "…"})
    log = write_log(tmp_path / "logs", "s1", tmp_path, ("user", "note it"), ("tool", write))
    log.write_text(log.read_text().replace("2026-11-10", "2020-01-10"))
    assert run(["learn", "--logs", str(tmp_path / "logs")]) == 0
    assert versions(isolated_home, "/new.md") == [("agent", "agent"), ("filesystem", "tool")]


def trusts(home: Path, path: str) -> tuple[str, str]:
    """What the version and what the file say of their trust."""
    with Store.open(f"sqlite:///{home}/.reverie/memory.db") as store:
        memory = store.get("global", path)
    return memory.trust, load(memory.content, path=path).trust


@pytest.mark.parametrize("again", [[], ["memories"], ["sync"]])
def test_an_edit_that_lowers_trust_says_so_and_can_be_made_ones_own_afterwards(
    folder: Path, isolated_home: Path, capsys, again: list[str]
):
    run(["remember", "Never push on Fridays", "--scope", "global", "--name", "friday"])
    file = folder / "friday.md"
    file.write_text(file.read_text().replace("Fridays", "Sundays"))
    capsys.readouterr()
    assert run(["show", "global:friday"]) == 0
    said = capsys.readouterr()
    assert f"{file}: trusted less from now on" in said.err
    assert "hint: `reverie sync --mine` says that it was you" in said.err
    assert "version 2" in said.err and "trust tool" in said.err and "trust: tool" in said.out
    assert trusts(isolated_home, "/friday.md") == ("tool", "tool")
    if again:
        assert run(again) == 0
    assert "trusted less" not in capsys.readouterr().err, "it is said once"
    assert run(["sync", "--mine"]) == 0
    said = capsys.readouterr().err
    assert f"{file} is your word now" in said and "1 yours now" in said
    assert trusts(isolated_home, "/friday.md") == ("user", "user")
    assert "trust: user" in file.read_text() and "Sundays" in file.read_text()
    assert run(["sync", "--mine"]) == 0
    assert "nothing to do" in capsys.readouterr().err


def test_what_an_agent_wrote_into_a_folder_says_so_of_itself(
    folder: Path, isolated_home: Path, tmp_path: Path
):
    run(["remember", "Never push on Fridays", "--scope", "global", "--name", "friday"])
    file = folder / "friday.md"
    file.write_text(file.read_text().replace("Fridays", "Sundays"))
    write = ("Edit", {"file_path": str(file), "old_string": "Fridays", "new_string": "Sundays"})
    log = write_log(tmp_path / "logs", "s1", tmp_path, ("user", "note it"), ("tool", write))
    run(["sync"])
    with Store.open(f"sqlite:///{isolated_home}/.reverie/memory.db") as store:
        taken = store.versions("global", "/friday.md").items[0].created_at
    lines = [json.loads(line) | {"timestamp": taken} for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(["learn", "--logs", str(tmp_path / "logs")]) == 0
    assert versions(isolated_home, "/friday.md")[0] == ("agent", "agent")
    assert trusts(isolated_home, "/friday.md") == ("agent", "agent")
    assert "trust: agent" in file.read_text()
    assert run(["sync", "--mine"]) == 0
    assert trusts(isolated_home, "/friday.md") == ("agent", "agent"), "it was not the person"
