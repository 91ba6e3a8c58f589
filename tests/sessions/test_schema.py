"""The index of another version: refused, taken over, or built anew; never lost."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import OpenIndex
from tests.sessions.worklogs import lines, snapshot, update, write

from reverie.db.migrations import INDEX, known
from reverie.errors import Unavailable
from reverie.sessions.awaiting import Awaiting, await_learning, awaiting_learning
from reverie.sessions.index import Index
from reverie.sessions.schema import VERSION

TALK = (("you", "use tabs here"), ("agent", "I will use spaces"), ("you", "no, tabs please"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "index.db"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write(tmp_path / "logs" / "a.jsonl", lines("a", *TALK))
    write(tmp_path / "logs" / "b.jsonl", lines("b", ("you", "the tide table"), day=1))
    return tmp_path / "logs"


def change(file: Path, *statements: str) -> None:
    """What another program does to the file."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def as_of_0_1_0(file: Path) -> None:
    """Make an index look as if version 0.1.0 had left it."""
    change(
        file,
        "DROP TABLE index_migrations",
        "DROP TABLE index_writes",
        "DROP TABLE growing",
        "DROP TABLE said_again",
        "DROP INDEX sessions_counted",
        "DROP INDEX corrections_counted",
        "DROP TRIGGER turns_paired",
        "DROP TRIGGER corrections_paired",
        "DROP TABLE turns_pairs",
        "DROP TABLE corrections_pairs",
        "ALTER TABLE awaiting_learning DROP COLUMN line",
        "ALTER TABLE awaiting_learning RENAME TO unlearned",
        "ALTER TABLE corrections DROP COLUMN gist",
        "ALTER TABLE sessions DROP COLUMN owner",
        # It made tables when it first needed them.
        "DROP TABLE stale_memories",
        "DROP TABLE memory_facts",
    )


def backups(file: Path) -> list[Path]:
    return sorted(file.parent.glob("backups/*"))


def test_an_index_of_0_1_0_is_taken_over_in_place(file: Path, logs: Path) -> None:
    with Index.open(file) as index:
        update(index, logs)
        with index.atomic() as database:
            await_learning(database, Awaiting("claude-code:a", "app"))
        before = snapshot(index)
    as_of_0_1_0(file)
    with Index.open(file) as index:
        assert snapshot(index) == before
        assert awaiting_learning(index.database) == [Awaiting("claude-code:a", "app")]
        assert update(index, logs, redact=_never).unchanged == 2
        assert index.database.query("SELECT * FROM memory_facts") == []
    (kept,) = backups(file)
    with closing(sqlite3.connect(kept)) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (2,)
        assert connection.execute("SELECT session FROM unlearned").fetchall()
    assert kept.stat().st_mode & 0o077 == 0
    Index.open(file).close()
    assert backups(file) == [kept]


def test_many_who_open_an_old_index_at_once_make_one_backup(file: Path, logs: Path) -> None:
    with Index.open(file) as index:
        update(index, logs)
    as_of_0_1_0(file)
    with ThreadPoolExecutor(4) as pool:
        for index in pool.map(lambda _: Index.open(file), range(4)):
            assert len(index.sessions()) == 2
            index.close()
    assert len(backups(file)) == 1


def test_an_empty_index_needs_no_backup(file: Path) -> None:
    Index.open(file).close()
    as_of_0_1_0(file)
    Index.open(file).close()
    assert backups(file) == []


@pytest.mark.parametrize(
    "newer",
    [
        f"PRAGMA user_version = {VERSION + 1}",
        f"INSERT INTO index_migrations VALUES ({len(known(INDEX)) + 1}, 'later', 'later')",
    ],
)
def test_an_index_of_a_newer_version_is_refused_and_not_touched(
    file: Path, logs: Path, newer: str
) -> None:
    with Index.open(file) as index:
        update(index, logs)
    change(file, newer)
    before = file.read_bytes()
    with pytest.raises(Unavailable):
        Index.open(file)
    assert file.read_bytes() == before
    assert backups(file) == []


def test_a_home_that_is_refused_keeps_its_index_as_it_is(file: Path, logs: Path) -> None:
    with Index.open(file) as index:
        update(index, logs)
    as_of_0_1_0(file)
    before = file.read_bytes()

    def refuse() -> None:
        raise Unavailable("the memories are of a newer version")

    with pytest.raises(Unavailable):
        Index.open(file, first=refuse)
    assert file.read_bytes() == before


def test_of_unknown_tables_the_sessions_without_a_log_are_kept(file: Path, logs: Path) -> None:
    with Index.open(file) as index:
        update(index, logs)
        before = [turn.text for turn in index.turns("claude-code:a")]
    as_of_0_1_0(file)
    change(
        file,
        "PRAGMA user_version = 3",
        "DROP TABLE corrections",
        "CREATE TABLE corrections (another TEXT)",
        "ALTER TABLE turns DROP COLUMN typed",
    )
    (logs / "a.jsonl").unlink()
    with Index.open(file) as index:
        assert [row.key for row in index.sessions()] == ["claude-code:a"]
        assert [turn.text for turn in index.turns("claude-code:a")] == before
        assert len(index.search("tabs please")) == 1
        assert update(index, logs).new == 1
        assert not index.database.has_table("old_sessions")
    assert len(backups(file)) == 1


def test_eight_threads_ask_one_index_at_once(open_index: OpenIndex, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(6):
        talk = (*TALK, ("you", f"word{number}"))
        write(logs / f"{number}.jsonl", lines(f"s{number}", *talk, day=number))
    index = open_index(tmp_path / "index.db")
    start = threading.Barrier(8)

    def ask(number: int) -> tuple[int, list[str]]:
        start.wait()
        for _ in range(5):
            update(index, logs)
        hits = index.search(f"word{number % 6}")
        return len(index.sessions()), [hit.session for hit in hits]

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(ask, range(8)))
    assert told == [(6, [f"claude-code:s{number % 6}"]) for number in range(8)]
    assert sum(row.human_turns for row in index.sessions()) == 18


def _never(_text: str) -> str:
    raise AssertionError("nothing should have been read")
