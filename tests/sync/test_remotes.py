"""Folders and git repositories as remotes, also hostile ones."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.sync.homes import BY, Machines, heads, machines, opened, texts

from reverie.errors import Refused, RemoteAway, Unavailable
from reverie.operations import syncing
from reverie.sync import keys
from reverie.sync.pack import decoded
from reverie.sync.remote_folder import MARKER, FolderRemote
from reverie.sync.remote_git import GitRemote

PACK = f"journals/{'a' * 16}/{'b' * 16}/000001-00000001-{'c' * 32}.pack"
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="no git")


def bare(folder: Path) -> str:
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    return str(folder)


def test_a_folder_holds_what_was_put_there_for_its_owner_alone(tmp_path: Path):
    remote = FolderRemote(str(tmp_path / "remote"), new=True)
    remote.begin()
    remote.publish({PACK: b"words"})
    assert remote.listing() == [PACK]
    assert remote.read([PACK, PACK + "x"]) == {PACK: b"words"}
    assert (tmp_path / "remote" / PACK).stat().st_mode & 0o077 == 0
    remote.publish({}, [PACK])
    assert remote.listing() == []


def test_what_a_killed_exchange_left_half_written_goes_with_the_next_one(tmp_path: Path):
    remote = FolderRemote(str(tmp_path / "remote"), new=True)
    remote.begin()
    remote.publish({PACK: b"words"})
    mine = (tmp_path / "remote" / PACK).parent / ".0f.tmp"
    journals = tmp_path / "remote" / "journals"
    strange = journals / ("d" * 16) / ("b" * 16) / ".0f.tmp"  # of another home
    strange.parent.mkdir(parents=True)
    for draft in (mine, strange):
        draft.write_bytes(b"half of the wo")
    remote.publish({}, [PACK])
    assert not mine.exists()
    assert strange.exists()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "thesis.tex").write_text("words", encoding="utf-8")
    with pytest.raises(Refused, match="something else"):
        FolderRemote(str(folder), new=True).begin()
    assert os.listdir(folder) == ["thesis.tex"]


def test_a_stick_that_is_not_there_is_unavailable(tmp_path: Path):
    with pytest.raises(Unavailable):
        FolderRemote(str(tmp_path / "media" / "stick"), new=True).begin()


def test_a_newer_remote_is_left_alone(tmp_path: Path):
    (tmp_path / MARKER).write_text('{"format": 2}', encoding="utf-8")
    with pytest.raises(Refused, match="newer"):
        FolderRemote(str(tmp_path), new=True).begin()


def test_no_link_in_a_folder_is_followed(tmp_path: Path):
    outside = tmp_path / "outside"
    (outside / Path(PACK).parent.relative_to("journals")).mkdir(parents=True)
    (outside / Path(PACK).relative_to("journals")).write_bytes(b"secret")
    remote = FolderRemote(str(tmp_path / "remote"), new=True)
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
        with pytest.raises(RemoteAway):
            two.sync(0)
        assert syncing.remotes(two.homes[0])[0].trouble
        (tmp_path / "remote").unlink()
        shutil.move(tmp_path / "away", two.remote)
        two.sync(0, 1)
        assert not syncing.remotes(two.homes[0])[0].trouble
        assert texts(two.homes[1]) == {"/n.md": "words\n"}


@pytest.mark.parametrize("mount_point", [False, True])
def test_a_remembered_folder_that_is_away_is_not_made_anew(tmp_path: Path, mount_point: bool):
    with machines(tmp_path) as two:
        one, other = two.homes
        two.settle()
        one.store.create("global", "/n.md", "words\n", BY)
        shutil.move(two.remote, tmp_path / "away")
        if mount_point:
            os.mkdir(two.remote)
        with pytest.raises(RemoteAway):
            two.sync(0)
        assert isinstance(syncing.sync_remotes(one)[0], RemoteAway)
        assert syncing.remotes(one)[0].trouble
        if mount_point:
            assert os.listdir(two.remote) == []
            os.rmdir(two.remote)
        assert not os.path.exists(two.remote)
        shutil.move(tmp_path / "away", two.remote)
        two.settle()
        assert texts(other) == {"/n.md": "words\n"}


def test_a_folder_that_is_lost_is_made_again_when_that_is_said(tmp_path: Path):
    with machines(tmp_path) as two:
        one = two.homes[0]
        one.store.create("global", "/n.md", "words\n", BY)
        two.settle()
        shutil.rmtree(two.remote)
        syncing.sync_with(one, two.remote, syncing.Wish(anew=True))
        with opened(tmp_path / "third") as third:
            syncing.sync_with(third, two.remote, key=syncing.key_of(one))
            assert heads(third) == heads(one)
        two.settle()


def test_a_stick_that_is_pulled_meanwhile_is_not_made_anew(tmp_path: Path):
    remote = FolderRemote(str(tmp_path / "remote"), new=True)
    remote.begin()
    shutil.rmtree(remote.folder)
    with pytest.raises(Unavailable):
        remote.publish({PACK: b"words"})
    assert not os.path.exists(remote.folder)


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


def _said_in(two: Machines) -> str:
    """What every pack says that the branch or its past holds."""
    git = ["git", "-C", two.remote]
    listed = subprocess.run(
        [*git, "rev-list", "--objects", "reverie"], capture_output=True, check=True, text=True
    ).stdout
    packs = [line.split()[0] for line in listed.splitlines() if line.endswith(".pack")]
    signer = keys.signer_of(two.homes[0].make_home())
    read = [
        subprocess.run([*git, "cat-file", "blob", name], capture_output=True, check=True).stdout
        for name in packs
    ]
    return "".join(
        change.content or "" for data in read for change in decoded(data, signer).body.changes
    )


@needs_git
def test_the_branch_begins_anew_when_something_is_redacted(tmp_path: Path):
    with machines(tmp_path, remote=bare(tmp_path / "remote.git")) as two:
        one = two.homes[0]
        made = one.store.create("global", "/n.md", "words that must go\n", BY)
        two.settle()
        assert "words that must go" in _said_in(two)
        one.store.update("global", made.id, content="words that stay\n", by=BY)
        one.store.redact(made.version_id, BY)
        two.settle()
        assert "words that must go" not in _said_in(two)
        assert "words that stay" in _said_in(two)
        assert two.homes[1].store.version(made.version_id).content is None


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


LEFT = (
    "refs/remotes/origin/reverie.lock", "packed-refs.lock", "config.lock", "HEAD.lock",
    "shallow.lock", "index.4711.lock", "objects/maintenance.lock",
)  # fmt: skip


@needs_git
def test_locks_that_a_killed_git_left_stop_no_later_exchange(tmp_path: Path):
    with machines(tmp_path, remote=bare(tmp_path / "remote.git")) as two:
        one, other = two.homes
        one.store.create("global", "/n.md", "words\n", BY)
        two.sync(0)
        clone = next((tmp_path / "home-1" / "sync").iterdir())
        for name in LEFT:
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            (clone / name).touch()
        other.store.create("global", "/m.md", "of another thing\n", BY)
        two.settle()
        assert texts(one) == texts(other) == {"/n.md": "words\n", "/m.md": "of another thing\n"}
        assert not [name for name in LEFT if (clone / name).exists()]


@needs_git
@pytest.mark.parametrize("broken", ["refs/remotes/origin/reverie", "HEAD", "config"])
def test_a_clone_that_is_broken_is_made_anew(tmp_path: Path, broken: str):
    with machines(tmp_path, remote=bare(tmp_path / "remote.git")) as two:
        one, other = two.homes
        other.store.create("global", "/m.md", "of another thing\n", BY)
        two.sync(1)
        one.store.create("global", "/n.md", "words\n", BY)
        two.sync(0)
        clone = next((tmp_path / "home-1" / "sync").iterdir())
        (clone / broken).write_text("[", encoding="utf-8")
        two.settle()
        assert texts(other) == {"/n.md": "words\n", "/m.md": "of another thing\n"}


@needs_git
def test_a_repository_that_is_not_there_is_unavailable(tmp_path: Path):
    with pytest.raises(RemoteAway, match=r"nowhere\.git"):
        GitRemote(f"file://{tmp_path}/nowhere.git", tmp_path / "clone", os.environ).begin()


@needs_git
@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("ssh: Could not resolve hostname example.org: Name or service not known", RemoteAway),
        ("git@example.org: Permission denied (publickey).", Unavailable),
    ],
)
def test_a_repository_that_does_not_answer_is_away_and_one_that_refuses_is_not(
    tmp_path: Path, said: str, kind: type[Unavailable]
):
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n", encoding="utf-8")
    ssh.chmod(0o755)
    environ = {**os.environ, "GIT_SSH_COMMAND": str(ssh)}
    with pytest.raises(Unavailable) as raised:
        GitRemote("git@example.org:me/memory.git", tmp_path / "clone", environ).begin()
    assert type(raised.value) is kind
    assert said in raised.value.message
