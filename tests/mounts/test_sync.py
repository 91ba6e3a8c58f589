"""A store as a folder: what either side does reaches the other, and nothing is lost."""

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from bench.chaos_mounts import run
from tests.databases import TickingClock

from reverie.documents.document import load
from reverie.errors import Conflict, Refused
from reverie.mounts import table as mounts
from reverie.mounts.one_pass import Pass
from reverie.mounts.sync import INDEX_FILE, Report, clear, sync, sync_mounts
from reverie.mounts.table import Mount
from reverie.mounts.worktree import Changed, Worktree
from reverie.store.model import Actor, Author, Memory
from reverie.store.store import Store

ME = Author(Actor("user", "me"), "because")
# As many as the requirement says where everything is tested; elsewhere a taste of it.
SWAPS = 100_000 if os.environ.get("REVERIE_TEST_ALL") == "1" else 2_000
Go = Callable[..., Report]


def unchanged(text: str) -> str:
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path)) / "shown"


@pytest.fixture
def mount(store: Store, folder: Path) -> Mount:
    """`notes` with three memories, shown in a folder."""
    for name in ("a", "b", "sub/c"):
        store.create("notes", f"/{name}.md", f"{name}\none\ntwo\nthree\n", ME)
    made = mounts.add(store, "notes", str(folder), "read_write")
    sync(store, made, redact=unchanged)
    return made


@pytest.fixture
def go(store: Store, mount: Mount) -> Go:
    def again(**options: object) -> Report:
        return sync(store, mount, redact=unchanged, **options)  # type: ignore[arg-type]

    return again


def text_of(store: Store, path: str) -> str:
    return store.get("notes", path).content


def paths_of(store: Store) -> list[str]:
    return [entry.path for entry in store.manifest("notes")]


def why(report: Report) -> dict[str, str]:
    return {left.file: left.why for left in report.left}


@pytest.mark.proves("C1")
def test_a_mount_shows_every_memory_and_an_index(mount: Mount, folder: Path):
    assert (folder / "sub/c.md").read_text() == "sub/c\none\ntwo\nthree\n"
    assert "a.md" in (folder / "MEMORY.md").read_text()


@pytest.mark.hostile("S5")
@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_files_are_0600_and_folders_0700_whatever_the_umask(store: Store, folder: Path, umask: int):
    old = os.umask(umask)
    try:
        store.create("notes", "/deep/er/a.md", "a", ME)
        sync(store, mounts.add(store, "notes", str(folder), "read_write"), redact=unchanged)
    finally:
        os.umask(old)
    for place in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(place.stat().st_mode)
        assert mode == (0o700 if place.is_dir() else 0o600), place


def test_an_edit_on_disk_is_a_version_by_the_file_system(store: Store, go: Go, folder: Path):
    (folder / "a.md").write_text("changed\n")
    assert go().taken == 1
    head = store.versions("notes", "/a.md").items[0]
    assert (head.content, head.actor.kind, head.trust) == ("changed\n", "filesystem", "tool")


def test_an_edit_taken_over_as_mine_is_the_users(store: Store, go: Go, folder: Path):
    (folder / "a.md").write_text("changed\n")
    go(by=ME)
    head = store.versions("notes", "/a.md").items[0]
    assert (head.actor.kind, head.trust) == ("user", "user")


def test_a_change_in_the_store_appears_on_disk(store: Store, go: Go, folder: Path):
    store.put("notes", "/a.md", "new\n", ME)
    store.create("notes", "/d.md", "d\n", ME)
    store.delete("notes", "/b.md", by=ME)
    go()
    assert (folder / "a.md").read_text() == "new\n"
    assert (folder / "d.md").read_text() == "d\n"
    assert not (folder / "b.md").exists()


def test_a_second_sync_finds_nothing_to_do(go: Go):
    go()
    report = go()
    assert (report.taken, report.shown, report.restored, report.left) == (0, 0, 0, [])


def test_changes_in_different_lines_of_both_sides_are_merged(store: Store, go: Go, folder: Path):
    store.put("notes", "/a.md", "A\none\ntwo\nthree\n", ME)
    (folder / "a.md").write_text("a\none\ntwo\nTHREE\n")
    assert go().merged == 1
    assert text_of(store, "/a.md") == (folder / "a.md").read_text() == "A\none\ntwo\nTHREE\n"


def test_changes_of_the_same_line_are_both_kept_and_said(store: Store, go: Go, folder: Path):
    store.put("notes", "/a.md", "theirs\n", ME)
    (folder / "a.md").write_text("mine\n")
    report = go()
    (beside,) = report.kept_beside
    assert beside.startswith("/a.conflict-")
    assert beside in why(report)["a.md"]
    assert text_of(store, beside) == (folder / beside[1:]).read_text() == "mine\n"
    assert text_of(store, "/a.md") == (folder / "a.md").read_text() == "theirs\n"


def test_without_the_common_text_both_are_kept(store: Store, go: Go, folder: Path):
    first = store.versions("notes", "/a.md").items[0]
    store.put("notes", "/a.md", "A\none\ntwo\nthree\n", ME)
    store.redact(first.id, ME)
    (folder / "a.md").write_text("a\none\ntwo\nTHREE\n")
    assert len(go().kept_beside) == 1


def test_an_edit_of_a_memory_deleted_meanwhile_brings_it_back(store: Store, go: Go, folder: Path):
    store.delete("notes", "/a.md", by=ME)
    (folder / "a.md").write_text("still needed\n")
    go()
    assert text_of(store, "/a.md") == "still needed\n"


def test_a_new_file_is_a_new_memory(store: Store, go: Go, folder: Path):
    (folder / "new").mkdir()
    (folder / "new/x.md").write_text("x\r\n\n")
    go()
    assert text_of(store, "/new/x.md") == "x\r\n\n"


def test_a_new_file_where_the_store_got_another_is_kept_beside(store: Store, go: Go, folder: Path):
    store.create("notes", "/x.md", "theirs", ME)
    (folder / "x.md").write_text("mine")
    (beside,) = go().kept_beside
    assert (text_of(store, "/x.md"), text_of(store, beside)) == ("theirs", "mine")
    assert (folder / "x.md").read_text() == "theirs"


def test_a_file_renamed_on_disk_keeps_its_history(store: Store, go: Go, folder: Path):
    memory = store.get("notes", "/a.md")
    (folder / "a.md").rename(folder / "sub" / "z.md")
    go()
    assert store.get("notes", "/sub/z.md").id == memory.id
    assert "/a.md" not in paths_of(store)


def test_a_memory_renamed_in_the_store_takes_the_edit_of_its_file_along(
    store: Store, go: Go, folder: Path
):
    store.update("notes", "/a.md", path="/other/a.md", by=ME)
    (folder / "a.md").write_text("a\none\ntwo\nthree\nfour\n")
    go()
    assert not (folder / "a.md").exists()
    assert (folder / "other/a.md").read_text() == text_of(store, "/other/a.md")
    assert text_of(store, "/other/a.md").endswith("four\n")


def test_one_missing_file_is_a_deletion_only_at_the_second_look(
    store: Store, go: Go, folder: Path, clock: TickingClock
):
    store.create("notes", "/theirs.md", "an agent's", ME._replace(trust="agent"))
    go()
    (folder / "theirs.md").unlink()
    assert go().waiting == 1
    assert go().waiting == 1
    assert "/theirs.md" in paths_of(store)
    clock.now += timedelta(seconds=31)
    assert go().deleted == 1
    assert "/theirs.md" not in paths_of(store)
    assert store.versions("notes", operation="deleted").items[0].actor.kind == "filesystem"


@pytest.mark.proves("F13")
@pytest.mark.parametrize("protected", ["said by a person", "edited since", "pinned"])
def test_only_a_person_deletes_what_a_person_said_or_pinned(
    store: Store, go: Go, folder: Path, clock: TickingClock, protected: str
):
    text = "---\nname: theirs\npinned: true\n---\nan agent's\n"
    if protected == "pinned":
        store.create("notes", "/theirs.md", text, ME._replace(trust="agent"))
        go()
    name = "theirs" if protected == "pinned" else "a"
    if protected == "edited since":
        (folder / "a.md").write_text((folder / "a.md").read_text() + "\n")
        go(asked_by="agent")
        assert store.get("notes", "/a.md").trust != "user"
    (folder / f"{name}.md").unlink()
    go()
    clock.now += timedelta(seconds=31)
    for _ in range(2):
        # Neither deleted nor put back: it may be the person who deleted it.
        assert go().deleted == 0 and not (folder / f"{name}.md").exists()
    assert "a person's word or pinned" in why(go())[f"{name}.md"]
    report = go(asked_by="agent")
    assert (report.deleted, report.restored) == (0, 1)
    assert (folder / f"{name}.md").exists()
    (folder / f"{name}.md").unlink()
    assert go(asked_by="person").deleted == 1
    assert f"/{name}.md" not in paths_of(store)


@pytest.mark.proves("F13")
def test_a_file_that_only_got_another_name_keeps_its_trust(store: Store, go: Go, folder: Path):
    (folder / "a.md").rename(folder / "first.md")
    assert go().lowered == []
    assert store.get("notes", "/first.md").trust == "user"
    # With other words it is not the same any more.
    (folder / "first.md").write_text("a\nanother\n")
    assert go().lowered == ["first.md"]
    assert store.get("notes", "/first.md").trust == "tool"


@pytest.mark.proves("F13")
def test_a_persons_word_is_not_moved_into_the_archive_by_renaming_its_file(
    store: Store, go: Go, folder: Path
):
    (folder / "archive").mkdir()
    (folder / "a.md").rename(folder / "archive" / "a.md")
    report = go(asked_by="agent")
    assert (report.deleted, report.restored) == (0, 1)
    assert store.get("notes", "/a.md").trust == "user"
    assert store.get("notes", "/archive/a.md").trust == "tool"


def test_a_file_that_comes_back_before_the_second_look_stays(
    store: Store, go: Go, folder: Path, clock: TickingClock
):
    (folder / "a.md").unlink()
    go()
    (folder / "a.md").write_text("a\none\ntwo\nthree\n")
    clock.now += timedelta(seconds=31)
    go()
    (folder / "a.md").unlink()
    assert go().waiting == 1
    assert "/a.md" in paths_of(store)


def test_a_person_who_syncs_needs_no_second_look(store: Store, go: Go, folder: Path):
    (folder / "a.md").unlink()
    assert go(asked_by="person").deleted == 1
    assert "/a.md" not in paths_of(store)


def test_a_deletion_here_loses_to_a_change_there(store: Store, go: Go, folder: Path):
    store.put("notes", "/a.md", "newer\n", ME)
    (folder / "a.md").unlink()
    assert go(asked_by="person").restored == 1
    assert (folder / "a.md").read_text() == "newer\n"


@pytest.mark.parametrize("how", ["emptied", "gone", "replaced"])
def test_a_wiped_folder_is_put_back_never_read_as_deletion(
    store: Store, go: Go, folder: Path, how: str
):
    import shutil

    before = paths_of(store)
    if how == "emptied":
        for file in folder.rglob("*.md"):
            file.unlink()
    else:
        shutil.rmtree(folder)
        if how == "replaced":
            folder.mkdir()
    assert go(asked_by="person").restored == 3
    assert paths_of(store) == before
    assert (folder / "a.md").exists()


def test_many_files_missing_at_once_are_put_back(store: Store, folder: Path):
    for number in range(40):
        store.create("notes", f"/{number}.md", str(number), ME)
    mount = mounts.add(store, "notes", str(folder), "read_write")
    sync(store, mount, redact=unchanged)
    for number in range(11):
        (folder / f"{number}.md").unlink()
    report = sync(store, mount, redact=unchanged, asked_by="person")
    assert (report.restored, report.deleted) == (11, 0)
    for number in range(10):
        (folder / f"{number}.md").unlink()
    assert sync(store, mount, redact=unchanged, asked_by="person").deleted == 10


@pytest.mark.hostile("S1", "S2", "U4")
def test_what_cannot_be_a_memory_is_reported_and_left_alone(
    store: Store, go: Go, folder: Path, tmp_path: Path
):
    before = paths_of(store)
    (tmp_path / "outside.md").write_text("outside")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "nul.md").write_bytes(b"a\0b")
    (folder / "big.md").write_text("x" * 102_401)
    (folder / "bell\a.md").write_text("x")
    os.close(os.open(os.fsencode(folder) + b"/bad\xff.md", os.O_CREAT | os.O_WRONLY))
    report = go()
    said = why(report)
    assert said["link.md"] == said["loop"] == "a symbolic link"
    assert "pipe" in said["pipe.md"]
    assert "UTF-8" in said["latin.md"]
    assert "NUL" in said["nul.md"]
    assert "102401" in said["big.md"]
    assert len(report.left) == 8
    assert paths_of(store) == before
    assert (folder / "link.md").is_symlink()
    assert (tmp_path / "outside.md").read_text() == "outside"


@pytest.mark.hostile("S1")
def test_a_file_replaced_by_a_link_is_neither_followed_nor_deleted(
    store: Store, go: Go, folder: Path, tmp_path: Path
):
    (tmp_path / "outside.md").write_text("outside")
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(tmp_path / "outside.md")
    store.put("notes", "/a.md", "new\n", ME)
    go(asked_by="person")
    assert (tmp_path / "outside.md").read_text() == "outside"
    assert text_of(store, "/a.md") == "new\n"


@pytest.mark.hostile("S1")
def test_a_folder_replaced_by_a_link_is_never_written_through(
    store: Store, go: Go, folder: Path, tmp_path: Path
):
    (tmp_path / "outside").mkdir()
    (folder / "sub").rename(folder / "was-sub")
    (folder / "sub").symlink_to(tmp_path / "outside")
    store.put("notes", "/sub/c.md", "new\n", ME)
    store.create("notes", "/sub/d.md", "d\n", ME)
    report = go(asked_by="person")
    assert list((tmp_path / "outside").iterdir()) == []
    assert why(report)["sub"] == "a symbolic link"
    assert "/sub/c.md" in paths_of(store)


@pytest.mark.hostile("S1")
def test_a_mount_behind_a_link_is_refused(store: Store, mount: Mount, folder: Path, tmp_path: Path):
    real = folder.with_name("real")
    folder.rename(real)
    folder.symlink_to(real)
    with pytest.raises(Refused, match="link"):
        sync(store, mount, redact=unchanged)
    with pytest.raises(Refused, match="symbolic link"):
        mounts.add(store, "notes", str(folder), "read_write")


@pytest.mark.hostile("S1")
def test_a_parent_swapped_during_a_write_never_leads_outside(tmp_path: Path):
    """One process swaps a folder for a link as fast as it can, the other writes through it."""
    root = Path(os.path.realpath(tmp_path)) / "root"
    outside = root.with_name("outside")
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.md").write_text("0")
    outside.mkdir()
    (outside / "a.md").write_text("mine")
    swapper = os.fork()
    if not swapper:
        try:
            for _ in range(SWAPS):
                _swap(root / "sub", outside)
        finally:
            os._exit(0)
    with Worktree(str(root)) as tree:
        # Whoever gets how far is chance; the swapper ends, so that the last write cannot fail.
        swapping = True
        while swapping:
            swapping = not os.waitpid(swapper, os.WNOHANG)[0]
            with suppress(Changed, OSError):
                _write_through(tree)
        _write_through(tree)
    assert [p.name for p in outside.iterdir()] == ["a.md"]
    assert (outside / "a.md").read_text() == "mine"


def _swap(folder: Path, outside: Path) -> None:
    """A link stands in place of the folder for a moment; what the writer made there goes."""
    hidden = folder.with_name("hidden")
    folder.rename(hidden)
    with suppress(FileExistsError):
        folder.symlink_to(outside)
        folder.unlink()
    while hidden.exists():
        try:
            hidden.rename(folder)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)


def _write_through(tree: Worktree) -> None:
    _, old = tree.read("sub/a.md", 100)
    tree.replace("sub/a.md", str(int(old) + 1).encode(), sha256(old).hexdigest())
    tree.create(f"sub/{int(old) + 1}.md", b"x")


@pytest.mark.hostile("S3")
def test_a_temporary_name_that_is_taken_stops_the_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = Path(os.path.realpath(tmp_path)) / "root"
    root.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    with Worktree(str(root)) as tree:
        monkeypatch.setattr(tree, "_unique", lambda: "guessed")
        (root / ".reverie-part-guessed").symlink_to(victim)
        with pytest.raises(FileExistsError):
            tree.create("a.md", b"secret")
    assert victim.read_text() == "mine"
    assert not (root / "a.md").exists()


def test_an_edit_at_the_very_moment_of_a_replacement_is_handed_back(tmp_path: Path):
    root = Path(os.path.realpath(tmp_path)) / "root"
    root.mkdir()
    (root / "a.md").write_text("edited just now")
    with Worktree(str(root)) as tree:
        _, aside = tree.replace("a.md", b"from the store", "0" * 64)
        assert aside is not None
        assert tree.read(aside, 100)[1] == b"edited just now"
    assert (root / "a.md").read_text() == "from the store"


class Killed(BaseException):
    """Stands for −9: nobody handles it."""


@pytest.mark.hostile("K2")
def test_a_sync_killed_after_it_replaced_files_makes_no_memory_of_what_it_had_seen(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    """Neither of an edit that was taken in without what it claims, nor of an older index."""
    claims = "---\nname: a\ndescription: A rule\nmetadata:\n  trust: user\n---\nA rule.\n"
    (folder / "a.md").write_text(claims)

    def killed(_: Worktree) -> None:
        raise Killed

    before = paths_of(store)
    with monkeypatch.context() as patched:
        patched.setattr(Worktree, "forget_replaced", killed)
        with pytest.raises(Killed):
            go()
    assert any(file.name.startswith(".reverie-swap") for file in folder.iterdir())
    for _ in range(2):
        go()
    assert paths_of(store) == before
    assert "trust: user" not in text_of(store, "/a.md")
    assert (folder / "a.md").read_text() == text_of(store, "/a.md")
    assert not list(folder.glob("*.orig"))
    assert [file.name for file in folder.glob(".*")] == [".reverie-mount"]


@pytest.mark.hostile("K2")
def test_an_index_that_two_kills_left_behind_is_not_taken_for_an_edit(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch, me: Author
):
    def killed(_: Worktree, *__: object) -> None:
        raise Killed

    for number in range(2):
        text = f"---\nname: new\ndescription: Rule {number}\n---\nA rule.\n"
        store.create("notes", f"/new-{number}.md", text, me)
        with monkeypatch.context() as patched:
            patched.setattr(Worktree, "replace", killed)
            with pytest.raises(Killed):
                go()
    report = go()
    assert not list(folder.glob("*.orig"))
    assert INDEX_FILE not in why(report)
    assert "Rule 1" in (folder / INDEX_FILE).read_text()


@pytest.mark.hostile("K2")
@pytest.mark.parametrize("renamed", [False, True])
def test_words_typed_into_a_file_that_a_killed_sync_had_just_made_are_an_edit_of_it(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch, me: Author, renamed: bool
):
    if renamed:
        store.update("notes", store.get("notes", "/a.md").id, path="/made.md", by=me)
    else:
        store.create("notes", "/made.md", "a\none\ntwo\nthree\n", me)

    def killed(_: Pass, *__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Pass, "save", killed)
        with pytest.raises(Killed):
            go()
    with (folder / "made.md").open("a") as file:
        file.write("four\n")
    for _ in range(3):
        go()
    assert (folder / "made.md").read_text() == "a\none\ntwo\nthree\nfour\n"
    assert text_of(store, "/made.md") == "a\none\ntwo\nthree\nfour\n"
    rest = ["/b.md", "/made.md", "/sub/c.md"]
    assert sorted(paths_of(store)) == (rest if renamed else ["/a.md", *rest])
    assert (folder / "a.md").exists() is not renamed


@pytest.mark.hostile("K2")
def test_a_file_that_was_announced_and_never_made_is_made_by_the_next_sync_and_not_missed(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch, me: Author
):
    store.create("notes", "/made.md", "A rule.\n", me)
    store.create("notes", "/other.md", "Another.\n", me)

    def killed(_: Worktree, *__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Worktree, "create", killed)
        with pytest.raises(Killed):
            go()
    store.delete("notes", "/other.md", by=me)
    report = go(asked_by="person")
    assert (report.deleted, report.restored, report.waiting) == (0, 0, 0)
    assert (folder / "made.md").read_text() == "A rule.\n"
    assert not (folder / "other.md").exists()


def test_a_file_of_the_same_name_made_while_a_memory_is_shown_is_kept_beside(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch, me: Author
):
    store.create("notes", "/made.md", "Mine.\n", me)
    create = Worktree.create

    def meanwhile(tree: Worktree, file: str, data: bytes) -> object:
        if file == "made.md" and not (folder / file).exists():
            (folder / file).write_text("Somebody else's.\n")
        return create(tree, file, data)

    with monkeypatch.context() as patched:
        patched.setattr(Worktree, "create", meanwhile)
        go()
    go()
    assert text_of(store, "/made.md") == (folder / "made.md").read_text() == "Mine.\n"
    beside = [path for path in paths_of(store) if "conflict" in path]
    assert [text_of(store, path) for path in beside] == ["Somebody else's.\n"]


@pytest.mark.parametrize("edited", [False, True])
def test_a_memory_that_moves_while_its_file_is_synced_takes_its_file_along_at_the_next_sync(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch, me: Author, edited: bool
):
    head = store.get("notes", "/a.md")
    head = store.update("notes", head.id, content="a\nONE\ntwo\nthree\n", by=me)
    if edited:
        (folder / "a.md").write_text("a\none\ntwo\nTHREE\n")
    look, deeds = store.get, ["move"]

    def meanwhile(ref: str, memory: str) -> Memory:
        if memory == head.id and deeds:
            deeds.clear()
            store.update("notes", head.id, content="new\n" + head.content, path="/old/a.md", by=me)
        return look(ref, memory)

    with monkeypatch.context() as patched:
        patched.setattr(store, "get", meanwhile)
        go()
    assert not deeds
    go()
    assert "/old/a.md" in paths_of(store) and "/a.md" not in paths_of(store)
    assert (folder / "old/a.md").read_text() == text_of(store, "/old/a.md")
    assert "new\n" in text_of(store, "/old/a.md")
    assert ("THREE" in text_of(store, "/old/a.md")) == edited
    assert not (folder / "a.md").exists()


@pytest.mark.hostile("K2")
def test_words_a_crash_left_in_a_swapped_file_become_a_memory(store: Store, go: Go, folder: Path):
    (folder / ".reverie-swap-1").write_text("nobody has seen this")
    (folder / ".reverie-swap-2").write_text("a\none\ntwo\nthree\n")
    (folder / ".reverie-part-3").write_text("half")
    go()
    recovered = [path for path in paths_of(store) if path.startswith("/recovered-")]
    assert [text_of(store, path) for path in recovered] == ["nobody has seen this"]
    assert [f.name for f in folder.iterdir() if f.name.startswith(".reverie-")] == [
        ".reverie-mount"
    ]


def test_an_edit_of_the_index_is_not_taken_over_but_kept_and_said(
    store: Store, go: Go, folder: Path
):
    (folder / "MEMORY.md").write_text("my own index\n")
    report = go()
    assert "not taken over" in why(report)["MEMORY.md"]
    assert "a.md" in (folder / "MEMORY.md").read_text()
    assert [f.read_text() for f in folder.glob("MEMORY.md.*.orig")] == ["my own index\n"]
    assert "/MEMORY.md" not in paths_of(store)


def test_an_edit_in_a_read_only_mount_is_said_and_neither_stored_nor_lost(
    store: Store, folder: Path
):
    store.create("notes", "/a.md", "a", ME)
    mount = mounts.add(store, "notes", str(folder), "read_only")
    sync(store, mount, redact=unchanged)
    (folder / "a.md").chmod(0o600)
    (folder / "a.md").write_text("edited")
    (folder / "new.md").write_text("new")
    report = sync(store, mount, redact=unchanged, asked_by="person")
    assert set(why(report)) == {"a.md", "new.md"}
    assert text_of(store, "/a.md") == "a"
    assert (folder / "a.md").read_text() == "edited"
    (folder / "a.md").unlink()
    sync(store, mount, redact=unchanged, asked_by="person")
    assert (folder / "a.md").read_text() == "a"


@pytest.mark.hostile("X1")
def test_a_secret_written_into_a_file_is_replaced_on_both_sides(
    store: Store, mount: Mount, folder: Path
):
    (folder / "a.md").write_text("token hunter2\n")
    sync(store, mount, redact=lambda text: text.replace("hunter2", "[redacted]"))
    assert text_of(store, "/a.md") == (folder / "a.md").read_text() == "token [redacted]\n"


@pytest.mark.hostile("P7", "P5", "P6")
def test_case_pairs_and_long_names_live_side_by_side(store: Store, folder: Path):
    names = ["/A.md", "/a.md", "/D/x.md", "/d/x.md", "/" + "long" * 80 + ".md", "/.hidden", "/CON"]
    for path in names:
        store.create("notes", path, path, ME)
    mount = mounts.add(store, "notes", str(folder), "read_write")
    sync(store, mount, redact=unchanged)
    files = [f for f in folder.rglob("*") if f.is_file() and f.read_text().startswith("/")]
    assert sorted(f.read_text() for f in files) == sorted(names)
    assert len({str(f).casefold() for f in files}) == len(names)
    for file in files:
        file.write_text(file.read_text() + "!")
    sync(store, mount, redact=unchanged)
    assert {path: text_of(store, path) for path in names} == {p: f"{p}!" for p in names}


def test_a_folder_that_holds_files_or_shows_a_store_cannot_be_mounted(
    store: Store, mount: Mount, folder: Path, tmp_path: Path
):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("x")
    with pytest.raises(Refused, match="not empty"):
        mounts.add(store, "notes", str(tmp_path / "full"), "read_write")
    with pytest.raises(Conflict, match="shows a store"):
        mounts.add(store, "notes", str(folder / "inside"), "read_write")


def test_an_ended_mount_leaves_files_that_differ(store: Store, mount: Mount, folder: Path):
    (folder / "a.md").write_text("not stored yet")
    assert clear(store, mount) == 3
    left = [f for f in folder.iterdir() if f.is_file()]
    assert [f.read_text() for f in left] == ["not stored yet"]
    mounts.remove(store, mount)
    assert mounts.mounts(store) == []


def test_a_deleted_store_takes_its_mounts_along(store: Store, mount: Mount):
    store.delete_store("notes")
    assert sync_mounts(store, redact=unchanged) == []


def test_a_folder_that_cannot_be_synced_stops_nothing(store: Store, mount: Mount, folder: Path):
    folder.rename(folder.with_name("real"))
    folder.write_text("a file", encoding="utf-8")
    (report,) = sync_mounts(store, redact=unchanged)
    assert "not synced" in report.left[0].why


@pytest.mark.proves("C3")
@pytest.mark.hostile("K1", "CC8")
def test_two_folders_and_the_store_written_at_once_under_kills_lose_nothing():
    outcome = run(250, seed=5)
    assert outcome.violations == []
    assert outcome.written >= 250
    assert outcome.kills > 5


PINNED = "---\nname: a\ndescription: d\npinned: true\ntrust: user\n---\nMondays.\n"


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("name", ["a.md", "new.md"])
def test_a_file_on_disk_pins_nothing_unless_it_is_taken_over_as_mine(
    store: Store, go: Go, folder: Path, name: str
):
    (folder / name).write_text(PINNED)
    go()
    taken = load(text_of(store, f"/{name}"))
    assert (taken.pinned, taken.trust, taken.body) == (False, "tool", "Mondays.\n")
    assert (folder / name).read_text() == text_of(store, f"/{name}")
    assert not go().taken
    (folder / name).write_text(PINNED)
    go(by=ME)
    assert text_of(store, f"/{name}") == PINNED


@pytest.mark.hostile("M1")
def test_an_edit_on_disk_leaves_the_pin_that_a_person_gave(store: Store, go: Go, folder: Path):
    (folder / "a.md").write_text(PINNED)
    go(by=ME)
    (folder / "a.md").write_text(PINNED.replace("Mondays", "Tuesdays"))
    report = go()
    lowered = PINNED.replace("Mondays", "Tuesdays").replace("trust: user", "trust: tool")
    assert text_of(store, "/a.md") == (folder / "a.md").read_text() == lowered
    assert store.get("notes", "/a.md").trust == "tool"
    assert report.lowered == ["a.md"]


@pytest.mark.parametrize("mine", [False, True])
@pytest.mark.parametrize("file", ["a.md", "new.md"])
def test_killed_after_an_edit_was_taken_in_the_next_edit_stays_in_the_file(
    store: Store, go: Go, folder: Path, file: str, mine: bool, monkeypatch: pytest.MonkeyPatch
):
    author = ME if mine else None
    (folder / file).write_text("first words\none\n")
    killed(go, monkeypatch, by=author)
    assert text_of(store, f"/{file}") == "first words\none\n"
    (folder / file).write_text("second words\none\n")
    assert go(by=author).kept_beside == []
    assert (folder / file).read_text() == text_of(store, f"/{file}") == "second words\none\n"


def test_killed_after_a_file_was_shown_the_next_edit_stays_in_the_file(
    store: Store, go: Go, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    store.put("notes", "/a.md", "the store's words\none\n", ME)
    store.put("notes", "/sub/c.md", "others\n", ME)
    killed(go, monkeypatch)
    assert (folder / "a.md").read_text() == "the store's words\none\n"
    (folder / "a.md").write_text("my words\none\n")
    assert go().kept_beside == []
    assert (folder / "a.md").read_text() == text_of(store, "/a.md") == "my words\none\n"
    assert (folder / "sub/c.md").read_text() == "others\n"
    assert [name for name in os.listdir(folder) if name.startswith(".reverie-swap")] == []
    # An edit of what stood there before is none of what was shown: both are kept.
    (folder / "b.md").write_text("b\nmine\n")
    store.put("notes", "/b.md", "b\ntheirs\n", ME)
    assert len(go().kept_beside) == 1


def killed(go: Go, patch: pytest.MonkeyPatch, **options: object) -> None:
    """A sync that dies before it could write down what both sides agreed on."""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with patch.context() as broken, suppress(KeyboardInterrupt):
        broken.setattr(Pass, "save", die)
        go(**options)
