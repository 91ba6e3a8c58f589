"""Folders and git repositories as remotes, also hostile ones."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.sync.homes import BY, Machines, heads, machines, texts

from reverie.errors import Refused, Unavailable
from reverie.operations import syncing
from reverie.sync.remote_folder import MARKER, FolderRemote
from reverie.sync.remote_git import GitRemote

PACK = f"journals/{'a' * 16}/{'b' * 16}/000001-00000001-{'c' * 32}.pack"
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="no git")


def bare(folder: Path) -> str:
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    return str(folder)


def test_a_folder_holds_what_was_put_there_for_its_owner_alone(tmp_path: Path):
    remote = FolderRemote(str(tmp_path / "remote"))
    remote.begin()
    remote.publish({PACK: b"words"})
    assert remote.listing() == [PACK]
    assert remote.read([PACK, PACK + "x"]) == {PACK: b"words"}
    assert (tmp_path / "remote" / PACK).stat().st_mode & 0o077 == 0
    remote.publish({}, [PACK])
    assert remote.listing() == []


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "thesis.tex").write_text("words", encoding="utf-8")
    with pytest.raises(Refused, match="something else"):
        FolderRemote(str(folder)).begin()
    assert os.listdir(folder) == ["thesis.tex"]


def test_a_stick_that_is_not_there_is_unavailable(tmp_path: Path):
    with pytest.raises(Unavailable):
        FolderRemote(str(tmp_path / "media" / "stick")).begin()


def test_a_newer_remote_is_left_alone(tmp_path: Path):
    (tmp_path / MARKER).write_text('{"format": 2}', encoding="utf-8")
    with pytest.raises(Refused, match="newer"):
        FolderRemote(str(tmp_path)).begin()


def test_no_link_in_a_folder_is_followed(tmp_path: Path):
    outside = tmp_path / "outside"
    (outside / Path(PACK).parent.relative_to("journals")).mkdir(parents=True)
    (outside / Path(PACK).relative_to("journals")).write_bytes(b"secret")
    remote = FolderRemote(str(tmp_path / "remote"))
    remote.begin()
    (tmp_path / "remote" / "journals").symlink_to(outside)
    with pytest.raises(Refused, match="link"):
        remote.publish({PACK: b"words"})
    (tmp_path / "remote" / "journals").unlink()
    file = tmp_path / "remote" / PACK
    file.parent.mkdir(parents=True)
    file.symlink_to(outside / Path(PACK).relative_to("journals"))
    assert remote.listing() == []
    assert remote.read([PACK]) == {}


def test_two_machines_of_one_folder_that_is_away_go_on_by_themselves(tmp_path: Path):
    with machines(tmp_path) as two:
        two.homes[0].store.create("global", "/n.md", "words\n", BY)
        shutil.move(two.remote, tmp_path / "away")
        (tmp_path / "remote").write_text("", encoding="utf-8")
        with pytest.raises((Unavailable, Refused)):
            two.sync(0)
        assert syncing.remotes(two.homes[0])[0].trouble
        (tmp_path / "remote").unlink()
        shutil.move(tmp_path / "away", two.remote)
        two.sync(0, 1)
        assert not syncing.remotes(two.homes[0])[0].trouble
        assert texts(two.homes[1]) == {"/n.md": "words\n"}


@needs_git
@pytest.mark.proves("F15")
def test_machines_exchange_through_a_git_repository(tmp_path: Path):
    with machines(tmp_path, remote=bare(tmp_path / "remote.git")) as two:
        one, other = two.homes
        made = one.store.create("global", "/n.md", "a\nb\nc\n", BY)
        two.sync(0, 1)
        one.store.update("global", made.id, content="A\nb\nc\n", by=BY)
        other.store.update("global", made.id, content="a\nb\nC\n", by=BY)
        two.settle()
        assert texts(one) == texts(other) == {"/n.md": "A\nb\nC\n"}
        assert heads(one) == heads(other)


def _all_objects(repository: str) -> bytes:
    listed = subprocess.run(
        ["git", "-C", repository, "rev-list", "--objects", "reverie"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    asked = "".join(f"{name}\n" for name in names).encode()
    batch = ["git", "-C", repository, "cat-file", "--batch"]
    return subprocess.run(batch, input=asked, capture_output=True, check=True).stdout


@needs_git
def test_the_branch_begins_anew_when_something_is_redacted(tmp_path: Path):
    with machines(tmp_path, remote=bare(tmp_path / "remote.git")) as two:
        one = two.homes[0]
        made = one.store.create("global", "/n.md", "words\n", BY)
        two.settle()
        old = {file.name for file in _packs(two)}
        one.store.update("global", made.id, content="other\n", by=BY)
        one.store.redact(made.version_id, BY)
        two.settle()
        assert not any(name.encode() in _all_objects(two.remote) for name in old if "a" in name)
        assert two.homes[1].store.version(made.version_id).content is None


def _packs(two: Machines) -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", two.remote, "ls-tree", "-r", "--name-only", "reverie"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    sealer = two.homes[0].context.sealer
    assert sealer is not None
    home = syncing.keys.home_id(sealer.key_id)
    return [Path(name) for name in listed.stdout.split() if home in name]


@needs_git
def test_who_was_first_is_built_upon(tmp_path: Path):
    url = bare(tmp_path / "remote.git")
    one, other = (GitRemote(url, tmp_path / name, os.environ) for name in ("one", "other"))
    one.begin()
    other.begin()
    one.publish({PACK: b"mine"})
    second = PACK.replace("b" * 16, "d" * 16)
    other.publish({second: b"theirs"})
    one.begin()
    assert one.read(one.listing()) == {PACK: b"mine", second: b"theirs"}


@needs_git
def test_no_hook_or_program_of_a_repository_is_run(tmp_path: Path):
    url = bare(tmp_path / "remote.git")
    ran = tmp_path / "ran"
    place = tmp_path / "clone"
    remote = GitRemote(url, place, os.environ)
    remote.begin()
    for folder in (place / "hooks",):
        folder.mkdir(exist_ok=True)
        for name in ("pre-push", "reference-transaction", "post-checkout"):
            (folder / name).write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
    remote.publish({PACK: b"words"})
    remote.begin()
    assert not ran.exists()
    with pytest.raises(Unavailable):
        GitRemote(f"ext::sh -c 'touch {ran}'", tmp_path / "ext", os.environ).begin()
    assert not ran.exists()


@needs_git
def test_the_clone_in_the_home_is_its_owners_alone(tmp_path: Path):
    with machines(tmp_path, remote=bare(tmp_path / "remote.git")) as two:
        two.homes[0].store.create("global", "/n.md", "words\n", BY)
        two.sync(0)
        files = list((tmp_path / "home-0" / "sync").rglob("*"))
        assert files
        assert not [file for file in files if file.stat().st_mode & 0o077]


@needs_git
def test_a_repository_that_is_not_there_is_unavailable(tmp_path: Path):
    with pytest.raises(Unavailable):
        GitRemote(f"file://{tmp_path}/nowhere.git", tmp_path / "clone", os.environ).begin()
