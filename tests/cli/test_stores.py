"""`reverie stores`, `reverie backup`, and what `reverie doctor` says of the stores."""

import json
import sqlite3
from pathlib import Path

import pytest

from reverie.cli.root import run
from reverie.privacy import seal_key
from reverie.sample import NOW, place
from reverie.sealing import Sealer
from reverie.store.model import Actor, Author
from reverie.store.store import Store

ME = Author(Actor("user"))


@pytest.fixture
def memory_db(isolated_home: Path) -> Path:
    """A database with the stores `global` and `shop`, and some history."""
    file = isolated_home / ".reverie" / "memory.db"
    file.parent.mkdir(mode=0o700)
    sealer = Sealer(lambda: seal_key(file.parent))
    with Store.open(f"sqlite:///{file}", sealer=sealer) as store:
        store.create_store("global", "shared by all projects")
        store.create_store("shop")
        memory = store.create("shop", "/lint.md", "run the linter", ME)
        store.update("shop", memory.id, content="run the linter first", by=ME)
    return file


def test_stores_are_listed_for_people_and_for_programs(memory_db, capsys):
    assert run(["stores", "list"]) == 0
    printed = capsys.readouterr().out
    assert "global" in printed
    assert "shared by all projects" in printed
    assert run(["stores", "list", "--json"]) == 0
    found = {info["name"]: info for info in json.loads(capsys.readouterr().out)}
    assert (found["shop"]["memories"], found["shop"]["versions"]) == (1, 2)


def test_no_store_yet_is_said_in_words(capsys):
    assert run(["stores", "list"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no store yet" in captured.err


def test_a_store_is_made_shown_attached_and_detached(memory_db, capsys):
    assert run(["stores", "create", "team", "--description", "for all", "--meta", "a=b"]) == 0
    assert run(["stores", "create", "team"]) == 4
    assert run(["stores", "create", "other", "--meta", "nothing"]) == 2
    assert run(["stores", "attach", "team", "agent:codex", "--read-write"]) == 0
    assert run(["stores", "attach", "team", "project:shop"]) == 0
    assert run(["stores", "attach", "team", "nobody:x"]) == 2
    capsys.readouterr()
    assert run(["stores", "show", "team", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["metadata"] == {"a": "b"}
    assert {(a["principal"]["id"], a["access"]) for a in shown["attachments"]} == {
        ("codex", "read_write"),
        ("shop", "read_only"),
    }
    assert run(["stores", "detach", "team", "agent:codex"]) == 0
    assert run(["stores", "detach", "team", "agent:codex"]) == 3
    capsys.readouterr()
    assert run(["stores", "show", "team"]) == 0
    assert "project:shop (read_only)" in capsys.readouterr().out


def test_names_resolve_by_unique_beginning_with_did_you_mean(memory_db, capsys):
    assert run(["stores", "show", "sho"]) == 0
    assert run(["stores", "create", "shopping"]) == 0
    assert run(["stores", "show", "shop"]) == 0
    assert run(["stores", "show", "sh"]) == 3
    assert "shop, shopping" in capsys.readouterr().err
    assert run(["stores", "show", "globel"]) == 3
    assert "did you mean 'global'?" in capsys.readouterr().err


def test_archiving_and_deleting_ask_first(memory_db, capsys, monkeypatch):
    monkeypatch.setattr("click.confirm", lambda *args, **kwargs: False)
    assert run(["stores", "delete", "shop"]) == 5
    assert run(["stores", "archive", "shop"]) == 5
    assert run(["stores", "archive", "shop", "--yes"]) == 0
    capsys.readouterr()
    assert run(["stores", "list", "--json"]) == 0
    assert [info["name"] for info in json.loads(capsys.readouterr().out)] == ["global"]
    assert run(["stores", "delete", "shop", "--yes"]) == 0
    assert run(["stores", "show", "shop"]) == 3


def test_stores_are_copied_to_another_file_and_verified(memory_db, tmp_path, capsys):
    target = str(tmp_path / "copy.db")
    assert run(["stores", "copy", "here", target, "--store", "shop"]) == 0
    assert "copied shop: 1 memory, 2 versions" in capsys.readouterr().err
    assert run(["stores", "copy", "here", target, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (len(told["copied"]), len(told["already"])) == (1, 1)
    assert run(["stores", "copy", "here", "here"]) == 2
    assert run(["stores", "copy", str(tmp_path / "none.db"), "here"]) == 8


@pytest.mark.hostile("K8")
def test_a_backup_is_made_and_brought_back(memory_db, tmp_path, capsys):
    file = str(tmp_path / "backup.db")
    assert run(["backup", "create", file]) == 0
    assert capsys.readouterr().out.strip() == file
    assert run(["backup", "create", file]) == 4
    assert run(["stores", "delete", "shop", "--yes"]) == 0
    assert run(["backup", "restore", file]) == 4
    assert run(["backup", "restore", file, "--replace"]) == 0
    assert "before-restore" in capsys.readouterr().err
    assert run(["stores", "show", "shop"]) == 0
    assert run(["backup", "restore", str(tmp_path / "none.db")]) == 8


@pytest.mark.hostile("K6")
def test_the_doctor_proves_the_chain_and_reports_damage(memory_db, capsys):
    assert run(["doctor"]) == 0
    assert "2 versions in 2 stores, every hash and link checked" in capsys.readouterr().out
    raw = sqlite3.connect(memory_db)
    raw.execute("UPDATE versions SET content = 'forged' WHERE number = 1")
    raw.commit()
    raw.close()
    assert run(["doctor"]) == 1
    assert "does not match its hash" in capsys.readouterr().out
    memory_db.write_bytes(b"")
    assert run(["doctor"]) == 1
    assert "cut off" in capsys.readouterr().out


def test_a_name_that_is_taken_in_the_other_database_names_a_way_that_works(
    isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.chdir(isolated_home)
    there = tmp_path / "there.db"
    run(["remember", "Releases are cut from release/next", "--name", "rel"])
    assert run(["stores", "copy", "here", str(there)]) == 0
    monkeypatch.setenv("REVERIE_HOME", str(isolated_home / "second"))
    run(["remember", "The demo runs on Fridays", "--name", "demo"])
    capsys.readouterr()
    assert run(["stores", "copy", "here", str(there)]) == 4
    assert "`reverie import DIR --from markdown` there" in capsys.readouterr().err
    assert run(["export", str(tmp_path / "mine")]) == 0
    monkeypatch.setenv("REVERIE_DATABASE_URL", f"sqlite:///{there}")
    assert run(["import", str(tmp_path / "mine"), "--from", "markdown"]) == 0
    capsys.readouterr()
    assert run(["memories"]) == 0
    shown = capsys.readouterr().out
    assert "global:rel " in shown
    assert "global:demo " in shown


def test_a_dry_unlearning_lists_paths_one_per_line(isolated_home: Path, monkeypatch, capsys):
    monkeypatch.setenv("REVERIE_NOW", NOW)
    monkeypatch.chdir(place(isolated_home) / "shop-api")
    run(["learn"])
    capsys.readouterr()
    assert run(["unlearn", "61bb35b3", "--dry-run"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed
    assert all(line.startswith("shop-api/") and line.endswith(".md") for line in listed)


def test_an_agent_does_not_describe_a_store_to_all_sessions(memory_db, capsys, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run(["stores", "create", "harbour", "--description", "obey"]) == 5
    assert "only a person" in capsys.readouterr().err
    assert run(["stores", "create", "harbour"]) == 0
