"""Schema changes: ordered, recorded, all or nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.clock import fixed
from reverie.db import migrations
from reverie.db.opening import open_database
from reverie.errors import Unavailable
from reverie.settings import Store as Limits
from reverie.store.context import Context
from reverie.store.model import Author
from reverie.store.store import Store

NOW = fixed("2026-03-01")


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """A copy of the real migrations that a test may add to."""
    folder = tmp_path / "schema"
    shutil.copytree(migrations.MEMORY, folder)
    return folder


def add(schema: Path, text: str) -> int:
    number = migrations.known(str(schema))[-1].number + 1
    (schema / f"{number:04d}_later.sql").write_text(text, encoding="utf-8")
    return number


def test_migrations_are_numbered_from_one_without_a_gap():
    numbers = [migration.number for migration in migrations.known()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_both_databases_get_the_same_tables():
    assert {"stores", "memories", "versions", "attachments"} <= set(migrations.tables())
    for migration in migrations.known():
        for dialect in ("sqlite", "postgresql"):
            assert all("{" not in sql or "'{" in sql for sql in migration.statements(dialect))


def test_a_file_is_split_and_substituted_per_database():
    text = (
        "-- a comment; with a semicolon\n"
        "CREATE TABLE a (x {text}, y {int}); \n"
        "CREATE TABLE a2 (x {real});\n"
        "--: sqlite\nCREATE TABLE only_here (id {serial});\n"
        "--: both\nCREATE INDEX i\n  ON a (x);\n"
    )
    assert migrations.statements(text, "sqlite") == [
        "CREATE TABLE a (x TEXT, y INTEGER)",
        "CREATE TABLE a2 (x REAL)",
        "CREATE TABLE only_here (id INTEGER PRIMARY KEY)",
        "CREATE INDEX i\n  ON a (x)",
    ]
    assert len(migrations.statements(text, "postgresql")) == 3


def test_a_new_migration_is_applied_once_and_recorded(database_url: str, schema: Path):
    database = open_database(database_url)
    migrations.migrate(database, NOW, str(schema))
    number = add(schema, "CREATE TABLE later (id {serial}, note {text});\n")
    assert [m.number for m in migrations.migrate(database, NOW, str(schema))] == [number]
    assert migrations.migrate(database, NOW, str(schema)) == []
    assert database.query("SELECT name FROM migrations ORDER BY number DESC LIMIT 1") == [
        ("later",)
    ]
    database.close()


@pytest.mark.hostile("K3")
def test_a_migration_that_fails_leaves_no_trace(database_url: str, schema: Path):
    database = open_database(database_url)
    migrations.migrate(database, NOW, str(schema))
    before = migrations.applied(database)
    add(schema, "CREATE TABLE later (x {text});\nCREATE TABLE stores (x {text});\n")
    with pytest.raises(Unavailable):
        migrations.migrate(database, NOW, str(schema))
    assert migrations.applied(database) == before
    assert not database.has_table("later")
    database.close()


@pytest.mark.hostile("K3")
def test_a_database_of_the_first_schema_is_brought_up_with_its_history(
    database_url: str, tmp_path: Path, me: Author
):
    first = tmp_path / "first"
    first.mkdir()
    shutil.copy(Path(migrations.MEMORY) / "0001_stores.sql", first)
    database = open_database(database_url)
    migrations.migrate(database, NOW, str(first))
    # What writes today writes a column that was not there then.
    later = [("stores", "seal"), ("stores", "description_seal")]
    later += [("attachments", "seal"), ("memories", "seal")]
    for table, column in later:
        database.query(f"ALTER TABLE {table} ADD COLUMN {column} TEXT")
    database.query("CREATE TABLE guest_names (store_id TEXT)")
    old = Store(Context(database, NOW, Limits()))
    old.create_store("notes")
    memory = old.create("notes", "/a.md", "from the first version", me)
    for table, column in later:
        database.query(f"ALTER TABLE {table} DROP COLUMN {column}")
    database.query("DROP TABLE guest_names")
    old.close()
    with Store.open(database_url) as store:
        assert migrations.applied(store.database) == migrations.known()[-1].number
        assert store.get("notes", "/a.md") == memory
        assert store.verify() == []
        store.update("notes", memory.id, content="and on", by=me)
        assert store.verify() == []


@pytest.mark.hostile("K3")
def test_a_database_of_a_newer_reverie_is_refused_and_left_alone(
    store: Store, database_url: str, me: Author
):
    store.create("notes", "/a.md", "x", me)
    store.database.query("INSERT INTO migrations VALUES (9999, 'from_the_future', 'now')")
    with pytest.raises(Unavailable, match="schema 9999") as caught:
        Store.open(database_url)
    assert "upgrade" in (caught.value.hint or "")
    assert store.get("notes", "/a.md").content == "x"


@pytest.mark.hostile("K2", "K3")
def test_a_process_killed_in_the_middle_of_a_migration_is_taken_up_again(database_url: str):
    code = f"from reverie.store.store import Store; Store.open({database_url!r})"
    killed = subprocess.run(
        [sys.executable, "-c", code],
        env={"REVERIE_TEST_KILL_AT": "mid_migration"},
        check=False,
    )
    assert killed.returncode == -9
    with Store.open(database_url) as store:
        assert store.verify() == []
        assert migrations.applied(store.database) == migrations.known()[-1].number
