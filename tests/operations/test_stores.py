"""Stores as things to make, copy and show, without a command line."""

from pathlib import Path

import pytest
from tests.operations.homes import memory

from reverie.asker import Asker
from reverie.errors import Conflict, InvalidInput, NotFound
from reverie.mounts.sync import Report
from reverie.operations import history, stores


def test_a_store_has_a_name_of_its_own(tmp_path: Path):
    with memory(tmp_path) as opened:
        made = stores.create_store(opened, "attic", "old things", {"floor": "3"})
        assert (made.description, made.metadata) == ("old things", {"floor": "3"})
        with pytest.raises(Conflict):
            stores.create_store(opened, "attic")
        with pytest.raises(InvalidInput):
            stores.create_store(opened, "attic:box")
        assert stores.delete_store(opened, "attic").name == "attic"
        assert opened.store.stores() == []


def test_stores_are_copied_to_another_file_and_never_onto_themselves(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents")
        # A file is named from where the asker works.
        done = stores.copy_stores(opened, "here", "copy.db", ["sho"])
        assert [info.name for info in done.stores] == ["shop"]
        assert (tmp_path / "shop" / "copy.db").is_file()
        again = stores.copy_stores(opened, "here", "copy.db")
        assert [info.name for info in again.already] == ["shop"]
        with pytest.raises(InvalidInput):
            stores.copy_stores(opened, "copy.db", str(tmp_path / "shop" / "copy.db"))
        with pytest.raises(NotFound):
            stores.copy_stores(opened, "here", "nowhere/copy.db")


def test_a_backup_comes_back(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        assert stores.back_up(opened, "till.backup") == 1
        opened.forget("till")
        kept = stores.restore_backup(opened, "till.backup", replace=True)
        assert kept
        assert Path(kept).is_file()
        assert not opened.library.find("till").archived
        with pytest.raises(NotFound):
            stores.back_up(opened, "nowhere/till.backup")


def test_a_mounted_folder_follows_and_is_followed(tmp_path: Path):
    folder = tmp_path / "shown"
    told: list[Report] = []
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        done = stores.mount(opened, "sho", str(folder))
        assert (done.store.name, done.report.shown) == ("shop", 1)
        assert [name for name, _ in stores.mounts(opened)] == ["shop"]
        file = folder / "till.md"
        file.write_text(file.read_text(encoding="utf-8").replace("cents", "euros"), "utf-8")
        with opened.in_step():
            assert "euros" in opened.library.find("till").memory.content
            opened.pin("till")
        assert "pinned: true" in file.read_text(encoding="utf-8")
        file.write_text(file.read_text(encoding="utf-8").replace("euros", "pounds"), "utf-8")
        (report,) = stores.sync_mounts(opened, mine=True, tell=told.append)
        assert (report.taken, told) == (1, [report])
        assert history.versions(opened, "till")[0].actor.kind == "user"
        assert stores.unmount(opened, str(folder)).folder == str(folder)
        assert stores.mounts(opened) == []
        with pytest.raises(NotFound):
            stores.sync_mounts(opened, str(folder))
    assert file.is_file()


def test_what_a_sync_takes_over_is_told_at_the_next_start(tmp_path: Path, monkeypatch):
    from reverie.operations import starting

    monkeypatch.setenv("REVERIE_HOOKS_DIGEST", "true")
    folder = tmp_path / "shown"
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        stores.mount(opened, "shop", str(folder))
        stores.sync_mounts(opened)
        assert "cents" in starting.told_here(opened)["text"]
        file = folder / "till.md"
        file.write_text(file.read_text(encoding="utf-8").replace("cents", "euros"), "utf-8")
        stores.sync_mounts(opened, mine=True)
        assert "euros" in starting.told_here(opened)["text"]


def test_looking_makes_nothing(tmp_path: Path):
    with memory(tmp_path, Asker()) as opened, opened.in_step():
        assert not opened.exists
    assert not (tmp_path / "home" / ".reverie").exists()
