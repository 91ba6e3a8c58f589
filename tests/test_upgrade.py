"""A home made by version 0.1.0 (`tests/homes`) is opened by this one, and keeps all it held."""

import hashlib
import json
import sqlite3
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.commands import Answer, Command
from tests.homes.facts import FACTS
from tests.homes.story import SETTINGS
from tests.homes.unpack import Home, postgres_home, sqlite_home

BOTH = ("sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgres")))

# What version 0.1.0 recorded: the last migration of the truth, the version of the index.
OLD_TRUTH, OLD_INDEX = 8, 7


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URI of a real server, for the tests of this file."""
    from bench.postgres import serving

    with (
        tempfile.TemporaryDirectory(prefix="reverie-pg-") as folder,
        serving(Path(folder) / "data") as uri,
    ):
        yield uri


@pytest.fixture
def empty_schema(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty schema on the server."""
    import psycopg

    uri: str = request.getfixturevalue("server")
    schema = f"t{uuid.uuid4().hex}"
    with psycopg.connect(uri, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {schema}".encode())
        yield f"{uri}&options={quote(f'-csearch_path={schema}')}"
        admin.execute(f"DROP SCHEMA {schema} CASCADE".encode())


@pytest.fixture(params=BOTH)
def old(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The old home, unpacked and in use: whoever runs a command now runs it there."""
    folder = tmp_path / "old"
    if request.param == "sqlite":
        found = sqlite_home(folder)
    else:
        found = postgres_home(folder, request.getfixturevalue("empty_schema"))
        monkeypatch.setenv("REVERIE_DATABASE_URL", str(found.database_url))
    monkeypatch.setenv("HOME", str(found.user))
    monkeypatch.setenv("REVERIE_HOME", str(found.home))
    monkeypatch.setenv("REVERIE_NOW", found.expected["now"])
    monkeypatch.chdir(found.user)
    return found


only_sqlite = pytest.mark.parametrize("old", ["sqlite"], indirect=True)


def truth(home: Home, query: str) -> list[tuple[Any, ...]]:
    """What the database of the memories answers."""
    if home.database_url is None:
        with closing(sqlite3.connect(home.home / "memory.db")) as connection:
            return connection.execute(query).fetchall()
    import psycopg

    with psycopg.connect(home.database_url) as connection:
        return connection.execute(query.encode()).fetchall()


def told(fact: str, home: Home, answer: Answer) -> Any:
    """What this version says of the home, in the words of `expected.json`."""

    def ask(*words: str) -> Any:
        return answer(*words, "--json")

    found = FACTS[fact](ask, lambda query: truth(home, query), home.user)
    return json.loads(json.dumps(found))


def keys(answer: Answer) -> set[str]:
    """The sessions that are known."""
    return {row["key"] for row in answer("sessions", "list", "--json")}


def bytes_of(home: Home) -> dict[str, str]:
    """The databases of the home, each as a hash of its bytes."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(home.home.glob("*.db"))
    }


@pytest.mark.parametrize("fact", FACTS)
def test_what_was_true_of_an_old_home_is_still_true(fact: str, old: Home, answer: Answer) -> None:
    assert told(fact, old, answer) == old.expected[fact]


def test_the_doctor_finds_nothing_wrong_with_an_old_home(old: Home, command: Command) -> None:
    first = command("doctor", "--json")
    assert first.code == 0, first.out + first.err
    # The age of the machine's SQLite is no fault of the home.
    findings = [one for one in json.loads(first.out) if one["check"] != "sqlite"]
    assert [one for one in findings if one["level"] not in ("ok", "note")] == []


def test_a_session_that_only_the_index_holds_is_still_known(old: Home, answer: Answer) -> None:
    session = old.expected["fates"]["index_only"]
    assert session in keys(answer)
    shown = answer("sessions", "show", session, "--human", "--json")
    assert [turn["text"] for turn in shown["turns"]]


def test_a_session_that_only_the_index_holds_survives_a_reindex(old: Home, answer: Answer) -> None:
    answer("reindex")
    assert old.expected["fates"]["index_only"] in keys(answer)


def test_a_session_of_which_only_a_copy_was_kept_can_still_be_read(
    old: Home, answer: Answer
) -> None:
    session = old.expected["fates"]["kept_only"]
    answer("reindex")
    shown = answer("sessions", "show", session, "--human", "--json")
    assert len(shown["turns"]) == 2


def test_an_unlearned_session_does_not_come_back(old: Home, answer: Answer) -> None:
    answer("reindex")
    answer("learn")
    assert old.expected["fates"]["unlearned"] not in keys(answer)


def test_learning_goes_on_where_the_old_version_stopped(old: Home, answer: Answer) -> None:
    known = {memory["id"] for memory in old.expected["memories"]}
    learned = answer("learn", "--json")
    assert learned["sessions"] == 1
    now = {memory["id"]: memory for memory in told("memories", old, answer)}
    assert known <= set(now)
    assert told("pending", old, answer) != old.expected["pending"]


def test_what_was_decided_is_not_asked_again(old: Home, answer: Answer) -> None:
    decided = {decision[0] for decision in old.expected["decisions"]}
    waiting = {one["id"] for one in old.expected["waiting"]}
    answer("reindex")
    answer("learn")
    asked = {one["id"] for one in told("waiting", old, answer)}
    # What this version takes for a rule at once is written, and need not be asked about.
    written = {row[0] for row in truth(old, "SELECT id FROM reviews WHERE status = 'written'")}
    assert waiting <= asked | written
    assert len(waiting & asked) > len(waiting & written)
    assert not decided & asked
    assert told("labels", old, answer) == old.expected["labels"]
    assert told("pins", old, answer) == old.expected["pins"]


def test_a_mounted_folder_is_still_in_step(old: Home, answer: Answer) -> None:
    before = {file: file.read_bytes() for file in old.mount.rglob("*.md")}
    (report,) = answer("sync", "--json")
    assert not any(report[name] for name in ("taken", "shown", "merged", "deleted", "restored"))
    assert {file: file.read_bytes() for file in old.mount.rglob("*.md")} == before
    shown = old.mount / "deploys-wait.md"
    shown.write_text(shown.read_text(encoding="utf-8") + "\nAnd on Mondays.\n", encoding="utf-8")
    assert "And on Mondays." in answer("show", "shop-api:deploys-wait")


def test_connections_can_still_be_undone_to_the_byte(old: Home, command: Command) -> None:
    for agent in ("claude-code", "codex"):
        ran = command("connect", agent, "--undo", "--yes")
        assert ran.code == 0, ran.err
    (proposal,) = old.expected["proposals"]
    ran = command("proposals", "undo", proposal["id"])
    assert ran.code == 0, ran.err
    for name, text in SETTINGS.items():
        assert (old.user / name).read_text(encoding="utf-8") == text
    assert not (old.user / ".codex/hooks.json").exists()


def test_settings_and_what_is_only_appended_to_stay(old: Home, answer: Answer) -> None:
    files = ("config.toml", "redaction.key", "audit.jsonl", "receipts.jsonl", "processed.jsonl")
    before = {name: (old.home / name).read_bytes() for name in files}
    staged = sorted(path.relative_to(old.home) for path in old.home.glob("spool/*/*.json"))
    answer("doctor")
    answer("recall", "--project", "shop-api", "how are prices kept?")
    for name, content in before.items():
        assert (old.home / name).read_bytes().startswith(content), name
    assert [path for path in staged if not (old.home / path).exists()] == []


def test_a_second_opening_changes_nothing_more(old: Home, answer: Answer) -> None:
    for words in (("memories", "--all"), ("sessions", "list")):
        answer(*words)
    migrated = truth(old, "SELECT number, name, applied_at FROM migrations ORDER BY number")
    before = bytes_of(old), sorted(old.home.rglob("*"))
    for words in (("memories", "--all"), ("sessions", "list")):
        answer(*words)
    assert (bytes_of(old), sorted(old.home.rglob("*"))) == before
    assert truth(old, "SELECT number, name, applied_at FROM migrations ORDER BY number") == migrated


# To be adapted to how the program names its backups: it makes one before the first migration.
@only_sqlite
def test_a_backup_from_before_the_migration_is_kept(old: Home, answer: Answer) -> None:
    answer("memories", "--all")
    answer("sessions", "list")
    found = [file for file in (old.home / "backups").rglob("*") if _truth_number(file) == OLD_TRUTH]
    assert found, "no backup of memory.db as version 0.1.0 left it"
    with closing(sqlite3.connect(found[0])) as connection:
        (versions,) = connection.execute("SELECT count(*) FROM versions").fetchone()
    # Without the two that were pruned.
    assert versions == sum(store["versions"] for store in old.expected["stores"]) - 2


def _truth_number(file: Path) -> int:
    """The last migration of a database of memories; 0 for any other file."""
    if not file.is_file():
        return 0
    try:
        with closing(sqlite3.connect(file)) as connection:
            return int(connection.execute("SELECT max(number) FROM migrations").fetchone()[0])
    except sqlite3.DatabaseError:
        return 0


def test_memories_of_a_newer_version_are_refused_and_left_alone(
    old: Home, command: Command
) -> None:
    assert command("memories", "--all").code == 0
    _raise_truth(old)
    before = bytes_of(old), truth(old, "SELECT * FROM migrations ORDER BY number")
    for words in (("memories", "--all"), ("recall", "prices"), ("learn",)):
        ran = command(*words)
        assert ran.code == 8, words
        assert ran.err.startswith("error: ")
        assert "schema" in ran.err
    assert command("doctor").code
    assert (bytes_of(old), truth(old, "SELECT * FROM migrations ORDER BY number")) == before


def test_an_index_of_a_newer_version_is_refused_and_left_alone(old: Home, command: Command) -> None:
    assert command("sessions", "list").code == 0
    index = old.home / "index.db"
    with closing(sqlite3.connect(index)) as connection:
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        assert number >= OLD_INDEX
        connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.commit()
    before = bytes_of(old)
    for words in (("sessions", "list"), ("learn",)):
        ran = command(*words)
        assert ran.code == 8, words
        assert ran.err.startswith("error: ")
        assert "index" in ran.err
    assert command("doctor").code
    assert bytes_of(old) == before


def _raise_truth(home: Home) -> None:
    """Let the memories be those of a program that knows one migration more."""
    raised = "INSERT INTO migrations SELECT max(number) + 1, 'later', 'later' FROM migrations"
    if home.database_url is None:
        with closing(sqlite3.connect(home.home / "memory.db")) as connection:
            connection.execute(raised)
            connection.commit()
        return
    import psycopg

    with psycopg.connect(home.database_url) as connection:
        connection.execute(raised)


@only_sqlite
def test_a_backup_of_the_old_version_keeps_its_trust_in_the_home_it_is_of(
    old: Home, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "old.backup"
    with (
        closing(sqlite3.connect(old.home / "memory.db")) as live,
        closing(sqlite3.connect(file)) as copy,
    ):
        live.backup(copy)
    query = "SELECT path, trust FROM memories ORDER BY id"
    before = truth(old, query)
    assert "user" in {trust for _, trust in before}
    assert command("stats").code == 0
    restored = command("backup", "restore", str(file), "--replace")
    assert (restored.code, "another home" in restored.err) == (0, False)
    assert truth(old, query) == before
    # Elsewhere nothing says whose it is, but the person can.
    other = Home(tmp_path / "other", old.user, old.mount, old.expected)
    monkeypatch.setenv("REVERIE_HOME", str(other.home))
    elsewhere = command("backup", "restore", str(file))
    assert "another home made" in elsewhere.err
    assert "user" not in {trust for _, trust in truth(other, query)}
    assert command("backup", "restore", str(file), "--replace", "--mine").code == 0
    assert truth(other, query) == before
