"""Unlearning: all of a session goes, whatever interrupts it, and what was right before returns."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.learn.benches import PROJECT, Bench
from tests.learn.test_learning import data, here
from tests.sessions.logs import claude, prompt, reply, written

from reverie.cli.root import run
from reverie.errors import Busy
from reverie.learn.memories.unlearn import scrub
from reverie.store.library import Library
from reverie.store.model import Actor, Author


@pytest.mark.proves("B7")
def test_what_the_unlearned_session_had_superseded_comes_back_with_a_reason(bench: Bench) -> None:
    bench.say("The dev server listens on port 8080.", 1)
    bench.say("The dev server listens on port 8443.", 5)
    done = bench.unlearn(5)
    assert bench.active() == ["The dev server listens on port 8080."]
    assert len(done.restored) == 1
    (item,) = Library(bench.store, PROJECT).documents()
    assert item.memory.valid_to is None
    assert item.memory.valid_from == "2026-11-01T10:00:00Z"
    newest = bench.store.versions(PROJECT, item.memory.id).items[0]
    assert newest.reason == ("back, because claude-code:s5, which had superseded it, was unlearned")
    assert newest.trust == "user"
    assert bench.store.verify() == []


def test_an_earlier_word_learned_later_comes_back_too(bench: Bench) -> None:
    bench.say("Use pnpm, not npm.", 9)
    bench.say("Use npm.", 2)
    assert bench.active() == ["Use pnpm, not npm."]
    bench.unlearn(9)
    assert bench.active() == ["Use npm."]


def test_it_stays_superseded_while_another_session_says_so(bench: Bench) -> None:
    bench.say("The dev server listens on port 8080.", 1)
    bench.say("The dev server listens on port 8443.", 5)
    bench.say("The dev server listens on port 8443.", 6)
    assert bench.unlearn(5).restored == ()
    assert bench.active() == ["The dev server listens on port 8443."]
    bench.unlearn(6)
    assert bench.active() == ["The dev server listens on port 8080."]


@pytest.mark.parametrize("order", [(3, 2), (2, 3)])
def test_of_several_words_the_latest_that_is_left_holds(
    bench: Bench, order: tuple[int, int]
) -> None:
    for day, port in ((1, 8001), (2, 8002), (3, 8003)):
        bench.say(f"The dev server listens on port {port}.", day)
    first, second = order
    bench.unlearn(first)
    left = 8002 if first == 3 else 8003
    assert bench.active() == [f"The dev server listens on port {left}."]
    bench.unlearn(second)
    assert bench.active() == ["The dev server listens on port 8001."]


def test_what_a_person_archived_or_age_took_away_stays_away(bench: Bench) -> None:
    bench.say("The dev server listens on port 8080.", 1)
    (old,) = Library(bench.store, PROJECT).documents()
    Library(bench.store, PROJECT).archive(old, Author(Actor("user"), "no longer of use"))
    bench.say("The dev server listens on port 8443.", 5)
    assert bench.unlearn(5).restored == ()
    assert bench.active() == []


@pytest.mark.hostile("X4")
def test_no_version_keeps_a_word_not_even_the_name_of_a_deleted_memory(
    bench: Bench, tmp_path: Path
) -> None:
    bench.say("Feed the walrus before every release.", 1)
    done = bench.unlearn(1)
    scrub(bench.store, bench.index, "claude-code:s1")
    assert done.redacted == 2  # what was said, and the deletion, which names the file
    assert bench.store.verify() == []
    bench.store.close()
    for file in tmp_path.glob("memory.db*"):
        assert b"walrus" not in file.read_bytes()


def test_the_ledger_keeps_that_something_was_recalled_but_not_its_words(bench: Bench) -> None:
    bench.say("Feed the walrus before every release.", 1)
    with bench.store.database.atomic() as tx:
        tx.execute(
            "INSERT INTO recalls (id, at, surface, project, session, query, strategy, budget,"
            " characters, tokens) VALUES ('r', '2026', 'cli', 'shop', '', '', '', 1, 1, 1)"
        )
        tx.execute(
            "INSERT INTO recall_entries VALUES"
            " ('r', 0, 'found', 'feed-walrus-before-release', '[\"claude-code:s1#4\"]', 1)"
        )
    (item,) = Library(bench.store, PROJECT).documents()
    assert item.name == "feed-walrus-before-release"
    bench.unlearn(1)
    assert bench.store.database.query("SELECT entry FROM recall_entries") == [("unlearned",)]


def test_one_unlearning_scrubs_once_however_many_memories_there_are(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, animal in enumerate(("walrus", "otter", "heron")):
        bench.say(f"Feed the {animal} before release {number}.", 1)
    calls: list[str] = []
    real = bench.store.database.scrub
    monkeypatch.setattr(
        bench.store.database, "scrub", lambda tables: (calls.append("scrub"), real(tables))[1]
    )
    bench.unlearn(1)
    assert calls == []
    scrub(bench.store, bench.index, "claude-code:s1")
    assert calls == ["scrub"]


@pytest.mark.hostile("X3", "X4")
@pytest.mark.parametrize("name", ["memory.db", "index.db"])
def test_a_reader_of_old_pages_is_told_of_and_repeating_finishes_it(
    bench: Bench, tmp_path: Path, name: str
) -> None:
    if bench.index.database.dialect != "sqlite":
        pytest.skip("only SQLite has pages of a file that a reader holds")
    bench.say("Feed the walrus before every release.", 1)
    bench.index.database.query("CREATE TABLE seen (word TEXT)")
    bench.index.database.query("INSERT INTO seen VALUES ('x')")
    reader = sqlite3.connect(tmp_path / name)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
    try:
        bench.unlearn(1)
        with pytest.raises(Busy) as refused:
            scrub(bench.store, bench.index, "claude-code:s1")
    finally:
        reader.close()
    assert refused.value.message.startswith("claude-code:s1 is unlearned, but")
    assert refused.value.hint is not None
    assert "reverie unlearn claude-code:s1" in refused.value.hint
    assert bench.active() == []
    again = bench.unlearn(1)
    scrub(bench.store, bench.index, "claude-code:s1")
    assert (again.deleted, again.redacted) == ((), 0)
    for file in tmp_path.glob("*.db*"):
        assert b"walrus" not in file.read_bytes()


@pytest.fixture
def learned(tmp_path: Path, isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A home in which one session was learned; its key."""
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    lines = claude(
        prompt("Please feed the animals."),
        reply("Fed."),
        prompt("From now on always feed the walrus before you commit."),
        reply("Understood."),
    )
    written(tmp_path / "logs", here(lines))
    assert run(["learn", "--logs", str(tmp_path / "logs")]) == 0
    assert (isolated_home / ".reverie" / "memory.db").exists()
    return "claude-code:00000000-0000-4000-8000-00000000000a"


@pytest.mark.hostile("K2", "X4")
@pytest.mark.parametrize("point", ["before_write", "after_commit", "mid_redact"])
def test_unlearning_that_was_killed_is_finished_by_repeating_it(
    learned: str,
    isolated_home: Path,
    tmp_path: Path,
    point: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = isolated_home / ".reverie" / "config.toml"
    settings.write_text('[trust]\nscripts = "user"\n', encoding="utf-8")
    command = [sys.executable, "-P", "-m", "reverie", "unlearn", learned, "--yes"]
    killed = subprocess.run(
        command, env={**os.environ, "REVERIE_TEST_KILL_AT": point}, check=False, capture_output=True
    )
    assert killed.returncode == -9, killed.stderr
    assert run(["unlearn", learned[:20], "--yes"]) == 0
    assert run(["learn", "--logs", str(tmp_path / "logs")]) == 0
    capsys.readouterr()
    assert run(["memories", "--json"]) == 0
    assert data(capsys.readouterr().out) == []
    for file in sorted((isolated_home / ".reverie").glob("*.db*")):
        assert b"walrus" not in file.read_bytes(), file.name


def test_a_session_nobody_unlearned_is_still_unknown(
    learned: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["unlearn", learned, "--yes"]) == 0
    assert run(["unlearn", "codex:other", "--yes"]) == 3
    assert run(["unlearn", "", "--yes"]) == 3
    assert "no session" in capsys.readouterr().err
