"""An edit on disk becomes the session's whose log shows it, by a version that is added."""

import os
from pathlib import Path

import pytest

from reverie.mounts import table as mounts
from reverie.mounts.attribution import DiskWrite, credit
from reverie.mounts.sync import sync
from reverie.mounts.table import Mount
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.trust import Trust

AT = "2026-03-01T12:00:00.500Z"  # the ticking clock of the fixtures starts at 12:00:00


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path)) / "shown"


def mounted(store: Store, folder: Path, trust: Trust) -> Mount:
    store.create("notes", "/a.md", "one\n", Author(Actor("user", "me"), "", trust))
    mount = mounts.add(store, "notes", str(folder), "read_write")
    sync(store, mount, redact=str)
    return mount


def edit(store: Store, mount: Mount, folder: Path) -> None:
    (folder / "a.md").write_text("two\n")
    store.context.clock.now = store.context.clock.now.replace(second=1)  # type: ignore[attr-defined]
    sync(store, mount, redact=str)


def write(file: Path, at: str = AT) -> DiskWrite:
    return DiskWrite(str(file), "claude-code:s1", "claude-code:s1#7", at)


@pytest.mark.parametrize(("before", "after"), [("user", "agent"), ("web", "web")])
def test_the_session_becomes_the_author_with_an_agents_trust_at_most(
    store: Store, folder: Path, before: Trust, after: Trust
):
    edit(store, mounted(store, folder, before), folder)
    assert store.get("notes", "/a.md").trust == ("web" if before == "web" else "tool")
    assert credit(store, [write(folder / "a.md")]) == 1
    head, by_disk, _ = store.versions("notes", "/a.md").items
    assert (head.actor, head.content) == (Actor("agent", "claude-code:s1"), "two\n")
    assert "claude-code:s1#7" in head.reason
    assert by_disk.actor.kind == "filesystem"
    assert store.get("notes", "/a.md").trust == after
    assert store.verify() == []


def test_a_write_is_credited_once_and_the_folder_stays_in_step(store: Store, folder: Path):
    mount = mounted(store, folder, "user")
    edit(store, mount, folder)
    assert [credit(store, [write(folder / "a.md")]) for _ in range(2)] == [1, 0]
    report = sync(store, mount, redact=str)
    assert (report.taken, report.kept_beside) == (0, [])


@pytest.mark.parametrize("at", ["2026-02-28T12:00:00Z", "2026-03-02T12:00:00Z", "", "never"])
def test_a_write_of_another_time_is_not_credited(store: Store, folder: Path, at: str):
    edit(store, mounted(store, folder, "user"), folder)
    assert credit(store, [write(folder / "a.md", at)]) == 0


def test_a_write_elsewhere_is_not_credited(store: Store, folder: Path, tmp_path: Path):
    edit(store, mounted(store, folder, "user"), folder)
    assert credit(store, [write(tmp_path / "a.md"), write(folder / "b.md")]) == 0


def test_what_a_person_wrote_stays_theirs(store: Store, folder: Path):
    mount = mounted(store, folder, "user")
    (folder / "a.md").write_text("two\n")
    sync(store, mount, redact=str, by=Author(Actor("user", "me"), "mine"))
    assert credit(store, [write(folder / "a.md", "2026-03-01T12:00:00.000Z")]) == 0
