"""Copies and backups carry ids, hashes and history, and are proven before they count."""

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.databases import PATIENT

from reverie.errors import Conflict, StoreDamaged, Unavailable
from reverie.store.model import Author, Principal
from reverie.store.store import Store


def fill(store: Store, me: Author) -> None:
    first = store.create("notes", "/a.md", "one badger", me)
    store.update("notes", first.id, content="two badgers", by=me)
    store.create("notes", "/b/c.md", "three", me)
    store.delete("notes", "/b/c.md", by=me)
    store.redact(first.version_id, me)
    store.attach("notes", Principal("agent", "codex"), "read_only")
    store.create_store("second", "with words", {"k": "v"})
    store.create("second", "/x.md", "four", me)
    store.archive_store("second")


def everything(store: Store) -> list[object]:
    stores = sorted(store.stores(archived=True), key=lambda info: info.id)
    return [
        stores,
        [list(store.walk(info.id)) for info in stores],
        [store.versions(info.id).items for info in stores],
        store.attachments(),
        store.database.query(
            "SELECT id, salt, body, previous, commitment FROM versions ORDER BY id"
        ),
    ]


@pytest.mark.hostile("DO2")
def test_a_copy_to_sqlite_and_back_is_identical(store: Store, me: Author, tmp_path: Path):
    fill(store, me)
    with (
        Store.open(f"sqlite:///{tmp_path}/copy.db") as copy,
        Store.open(f"sqlite:///{tmp_path}/back.db") as back,
    ):
        assert len(store.copy_to(copy).stores) == 2
        assert len(copy.copy_to(back, ["notes", "second"]).stores) == 2
        assert everything(copy) == everything(store)
        assert everything(back) == everything(store)
        assert [hit.memory.path for hit in back.search("badger")] == ["/a.md"]
        assert copy.verify() == back.verify() == []
        assert copy.database.damage() == back.database.damage() == []
        back.create("notes", "/after.md", "the chain goes on", me)
        assert back.verify() == []


@pytest.mark.needs("postgres")
@pytest.mark.hostile("DO2")
def test_sqlite_to_postgresql_is_identical_and_goes_on(
    sqlite_store: Store, postgres_url: str, me: Author
):
    fill(sqlite_store, me)
    with Store.open(postgres_url, limits=PATIENT) as shared:
        sqlite_store.copy_to(shared)
        assert everything(shared) == everything(sqlite_store)
        shared.create("notes", "/after.md", "badger again", me)
        assert {hit.memory.path for hit in shared.search("badger")} == {"/a.md", "/after.md"}
        assert shared.verify() == []


def test_an_empty_target_receives_what_belongs_to_the_stores_too(
    store: Store, me: Author, tmp_path: Path
):
    fill(store, me)
    query = store.database.query
    query("INSERT INTO evidence VALUES ('e1', 's1', 3, 'now', 'quoted', '', 'user', NULL)")
    recall = (
        "INSERT INTO recalls (id, at, surface, project, session, query, strategy, budget,"
        " characters, tokens) VALUES (?, 'now', 'cli', '', '', 'q', 's', 1, 2, 3)"
    )
    query(recall, ("r1",))
    query("INSERT INTO recall_entries VALUES ('r1', 0, 'rules', 'x', '', 5)")
    asked = "SELECT seq, id, query, budget FROM recalls ORDER BY seq"
    with Store.open(f"sqlite:///{tmp_path}/copy.db") as copy:
        store.copy_to(copy)
        assert copy.database.query(asked) == query(asked)
        assert copy.database.query("SELECT * FROM evidence") == query("SELECT * FROM evidence")
        kept = store.restore_backup(backup_of(copy, tmp_path), replace=True).kept
        assert kept
        assert Path(kept).parent == tmp_path
        query(recall, ("r2",))
        assert [row[:2] for row in query(asked)] == [(1, "r1"), (2, "r2")]


def backup_of(store: Store, folder: Path) -> str:
    file = str(folder / "backup.db")
    store.backup(file)
    return file


def test_copying_again_is_quiet_and_another_history_is_refused(
    store: Store, me: Author, tmp_path: Path
):
    fill(store, me)
    with Store.open(f"sqlite:///{tmp_path}/copy.db") as copy:
        store.copy_to(copy, ["notes"])
        again = store.copy_to(copy)
        assert [info.name for info in again.already] == ["notes"]
        assert [info.name for info in again.stores] == ["second"]
        copy.create("notes", "/mine.md", "x", me)
        before = everything(copy)
        # It went on there, and holds all of it.
        assert len(store.copy_to(copy).already) == 2
        store.create("notes", "/other.md", "x", me)
        with pytest.raises(Conflict, match="another history"):
            store.copy_to(copy)
        assert everything(copy) == before


@pytest.mark.hostile("K2")
@pytest.mark.parametrize("names", ["None", "['notes']"])
def test_a_copy_killed_half_way_leaves_nothing_and_can_be_repeated(
    store: Store, me: Author, tmp_path: Path, names: str
):
    fill(store, me)
    target = f"sqlite:///{tmp_path}/copy.db"
    code = (
        "from reverie.store.store import Store\n"
        f"Store.open({store.database.url!r}).copy_to(Store.open({target!r}), {names})"
    )
    killed = subprocess.run(
        [sys.executable, "-c", code], env={"REVERIE_TEST_KILL_AT": "mid_copy"}, check=False
    )
    assert killed.returncode == -9
    with Store.open(target) as copy:
        assert copy.stores(archived=True) == []
        assert len(store.copy_to(copy).stores) == 2
        assert everything(copy) == everything(store)


def test_a_name_that_is_taken_there_is_refused(store: Store, me: Author, tmp_path: Path):
    with Store.open(f"sqlite:///{tmp_path}/copy.db") as copy:
        copy.create_store("notes")
        with pytest.raises(Conflict, match="another store is named notes"):
            store.copy_to(copy)
        copy.archive_store("notes")
        assert len(store.copy_to(copy).stores) == 1


def test_a_damaged_source_is_not_copied(store: Store, me: Author, tmp_path: Path):
    fill(store, me)
    store.database.query("UPDATE versions SET reason = 'forged' WHERE sequence = 1")
    with Store.open(f"sqlite:///{tmp_path}/copy.db") as copy:
        with pytest.raises(StoreDamaged, match="nothing was copied"):
            store.copy_to(copy)
        with pytest.raises(StoreDamaged, match="nothing was copied"):
            store.copy_to(copy, ["notes"])
        assert copy.stores(archived=True) == []


@pytest.mark.hostile("DO1", "K8")
def test_a_backup_restores_on_a_new_host_with_the_same_hashes(
    store: Store, me: Author, tmp_path: Path
):
    fill(store, me)
    file = tmp_path / "backup.db"
    assert store.backup(str(file)) == store.database.query("SELECT count(*) FROM versions")[0][0]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [f.name for f in tmp_path.iterdir() if f.name.startswith("backup")] == ["backup.db"]
    with Store.open(f"sqlite:///{tmp_path}/other/host.db") as host:
        assert host.restore_backup(str(file)).kept is None
        assert everything(host) == everything(store)
        assert host.verify() == []


def test_a_backup_never_overwrites_and_restoring_over_something_keeps_it(
    store: Store, me: Author, tmp_path: Path
):
    fill(store, me)
    file = str(tmp_path / "backup.db")
    store.backup(file)
    with pytest.raises(Conflict, match="exists"):
        store.backup(file)
    saved = everything(store)
    store.create("notes", "/later.md", "written after the backup", me)
    later = everything(store)
    with pytest.raises(Conflict, match="not empty"):
        store.restore_backup(file)
    assert everything(store) == later
    kept = store.restore_backup(file, replace=True).kept
    assert kept
    assert everything(store) == saved
    store.create("notes", "/new.md", "life goes on", me)
    assert store.verify() == []
    store.restore_backup(kept, replace=True)
    assert everything(store) == later


def test_a_damaged_or_missing_backup_changes_nothing(store: Store, me: Author, tmp_path: Path):
    fill(store, me)
    before = everything(store)
    file = tmp_path / "backup.db"
    store.backup(str(file))
    raw = sqlite3.connect(file)
    raw.execute("UPDATE versions SET content = 'forged' WHERE content IS NOT NULL")
    raw.commit()
    raw.close()
    with pytest.raises(StoreDamaged):
        store.restore_backup(str(file), replace=True)
    with pytest.raises(Unavailable):
        store.restore_backup(str(tmp_path / "none.db"))
    nonsense = tmp_path / "nonsense.db"
    nonsense.write_text("not a database, but long enough to look at " * 50)
    with pytest.raises(StoreDamaged):
        store.restore_backup(str(nonsense), replace=True)
    assert everything(store) == before
