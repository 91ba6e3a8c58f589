"""One project across worktrees, renames, remotes and machines; nothing of a repository is run."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import Ambiguous, InvalidInput, NotFound, StoreDamaged
from reverie.sessions.projects import identify, locate, normalise_remote, slug_of
from reverie.sessions.registry import Projects

FIXTURES = Path(__file__).parent / "fixtures"


def pairs(name: str) -> list[tuple[str, str]]:
    rows = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    split = [row.rpartition(" ->") for row in rows if not row.startswith("#")]
    return [(given_, expected.strip()) for given_, _, expected in split]


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c",
         "init.defaultBranch=main", *arguments],
        cwd=folder, check=True, capture_output=True, env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip


def repository(folder: Path, remote: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects.open(tmp_path / "projects.json")


@pytest.mark.parametrize(("url", "expected"), pairs("remotes.txt"))
@pytest.mark.proves("F5")
def test_every_form_of_a_remote_is_one_remote(url: str, expected: str) -> None:
    assert normalise_remote(url) == expected


@given(st.text())
def test_any_text_is_a_remote_or_none(text: str) -> None:
    once = normalise_remote(text)
    assert "\n" not in once
    assert "@" not in once.split("/")[0]


@pytest.mark.parametrize(("name", "expected"), pairs("slugs.txt"))
def test_a_slug_is_safe_as_a_path(name: str, expected: str) -> None:
    assert slug_of(name) == expected


@given(st.text())
def test_any_name_has_a_safe_slug(name: str) -> None:
    slug = slug_of(name)
    assert 0 < len(slug) <= 48
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")
    assert not slug.startswith((".", "-"))
    assert ".." not in slug
    assert slug_of(slug) == slug


@pytest.mark.proves("D6", "F5")
def test_worktrees_are_one_project(tmp_path: Path, projects: Projects) -> None:
    main = repository(tmp_path / "w" / "app")
    git(main, "worktree", "add", "../app-feature", "-b", "feature")
    (main / "src").mkdir()
    found = {
        projects.identify(str(p)).slug for p in (main, main / "src", tmp_path / "w/app-feature")
    }
    assert found == {"app"}
    assert identify(str(tmp_path / "w" / "app-feature")).root == str(main)


@pytest.mark.proves("F5")
def test_a_worktree_of_a_bare_clone_belongs_to_it(tmp_path: Path) -> None:
    main = repository(tmp_path / "src", "https://example.org/acme/app.git")
    git(tmp_path, "clone", "--bare", str(main), "app.git")
    git(tmp_path / "app.git", "worktree", "add", "../tree", "-b", "tree")
    place = locate(str(tmp_path / "tree"))
    assert (place.root, place.git) == (str(tmp_path / "app.git"), True)
    assert identify(str(tmp_path / "tree")).slug == "src"


@pytest.mark.proves("F5")
def test_two_clones_of_one_remote_are_one_project_once_a_person_agreed(
    tmp_path: Path, projects: Projects
) -> None:
    first = repository(tmp_path / "a" / "app", "git@github.com:acme/app.git")
    second = repository(tmp_path / "b" / "other-name", "https://x:y@github.com/Acme/app")
    assert projects.identify(str(first)).slug == "app"
    claimed = projects.claimed(str(second))
    assert claimed is not None and claimed.slug == "app"
    assert projects.at(str(second)) is None
    assert projects.expected(str(second)).slug == "other-name"
    projects.agree(str(second))
    projects.save()
    again = Projects.open(projects.file)
    assert again.claimed(str(second)) is None
    assert again.identify(str(second / "deep")).slug == "app"
    (project,) = again.all()
    assert project.remotes == ("github.com/acme/app",)


def test_a_clone_that_was_learned_apart_stays_apart(tmp_path: Path, projects: Projects) -> None:
    first = repository(tmp_path / "a" / "app", "git@github.com:acme/app.git")
    second = repository(tmp_path / "b" / "app", "git@github.com:acme/app.git")
    assert projects.identify(str(first)).slug == "app"
    apart = projects.expected(str(second)).slug
    assert apart.startswith("app-")
    assert projects.identify(str(second)).slug == apart
    assert projects.identify(str(second)).slug == apart
    with pytest.raises(InvalidInput) as refusal:
        projects.agree(str(second))
    assert f"merge {apart} app" in (refusal.value.hint or "")
    # The log of another machine goes where the remote was seen first.
    assert projects.identify("/elsewhere/app", "git@github.com:acme/app.git").slug == "app"


@pytest.mark.proves("F5")
def test_the_log_of_another_machine_is_joined_by_its_remote(
    tmp_path: Path, projects: Projects
) -> None:
    here = repository(tmp_path / "app", "git@github.com:acme/app.git")
    mine = projects.identify(str(here))
    theirs = projects.identify("/elsewhere/code/app-copy", "https://github.com/acme/app.git")
    assert mine.slug == theirs.slug


@pytest.mark.proves("F5")
def test_a_renamed_checkout_is_its_project_once_a_person_agreed(
    tmp_path: Path, projects: Projects
) -> None:
    old = repository(tmp_path / "app", "git@github.com:acme/app.git")
    before = projects.identify(str(old)).slug
    projects.save()
    new = old.rename(tmp_path / "renamed")
    again = Projects.open(projects.file)
    assert again.identify(str(old)).slug == before
    assert again.at(str(new)) is None
    again.agree(str(new))
    assert again.identify(str(new)).slug == before
    assert again.identify(str(old / "deep" / "inside")).slug == before


def test_a_deleted_worktree_in_a_hidden_folder_belongs_to_its_checkout(projects: Projects) -> None:
    main = projects.identify("/gone/app").slug
    assert projects.identify("/gone/app/.worktrees/fix-1").slug == main
    assert projects.identify("/gone/app/.claude/worktrees/fix-2/src").slug == main


def test_a_repository_keeps_its_slug_when_it_gets_a_remote(
    tmp_path: Path, projects: Projects
) -> None:
    folder = repository(tmp_path / "tool")
    assert projects.identify(str(folder)).slug == "tool"
    git(folder, "remote", "add", "origin", "git@github.com:acme/better-name.git")
    again = Projects.open(projects.file)
    again._by_slug = projects._by_slug
    assert again.identify(str(folder)).slug == "tool"
    assert again.identify("/elsewhere/x", "https://github.com/acme/better-name").slug == "tool"


def test_same_names_in_different_places_are_told_apart(projects: Projects) -> None:
    first = projects.identify("/gone/one/app").slug
    second = projects.identify("/gone/two/app").slug
    assert first == "app"
    assert second.startswith("app-")
    assert projects.identify("/gone/two/app").slug == second


def test_a_plain_directory_owns_only_itself(projects: Projects, tmp_path: Path) -> None:
    (tmp_path / "play").mkdir()
    projects.identify(str(tmp_path))
    assert projects.identify(str(tmp_path / "play")).slug == "play"
    assert projects.identify(str(tmp_path / "gone")).slug == "gone"


def test_a_windows_path_is_named_by_its_last_part(projects: Projects) -> None:
    assert projects.identify("C:\\Users\\someone\\code\\app").slug == "app"
    assert projects.identify("").slug == "elsewhere"


def test_a_git_file_cannot_claim_a_repository_that_does_not_know_it(tmp_path: Path) -> None:
    victim = repository(tmp_path / "victim")
    git(victim, "worktree", "add", "../tree", "-b", "tree")
    hostile = tmp_path / "download"
    hostile.mkdir()
    shutil.copy(tmp_path / "tree" / ".git", hostile / ".git")
    assert locate(str(hostile)).root == str(hostile)


def victim_and_download(tmp_path: Path) -> tuple[Path, Path]:
    victim = repository(tmp_path / "victim", "git@github.com:acme/victim.git")
    download = tmp_path / "download"
    download.mkdir()
    return victim, download


def by_remote(victim: Path, download: Path) -> None:
    git(download, "init")
    shutil.copy(victim / ".git" / "config", download / ".git" / "config")


def by_git_file(victim: Path, download: Path) -> None:
    (download / ".git").write_text(f"gitdir: {victim}/.git\n")


def by_git_file_through_a_link(victim: Path, download: Path) -> None:
    (download / "lib").symlink_to(victim)
    (download / ".git").write_text("gitdir: lib/.git\n")


def by_git_link(victim: Path, download: Path) -> None:
    (download / ".git").symlink_to(victim / ".git")


def by_worktree_of_its_own_making(victim: Path, download: Path) -> None:
    kept = download / "x" / "worktrees" / "tree"
    kept.mkdir(parents=True)
    (kept / "commondir").write_text(f"{victim}/.git\n")
    (kept / "gitdir").write_text(f"{download}/.git\n")
    (kept / "HEAD").write_text("ref: refs/heads/main\n")
    (download / ".git").write_text(f"gitdir: {kept}\n")


def by_link_to_a_worktree(victim: Path, download: Path) -> None:
    git(victim, "worktree", "add", "../tree", "-b", "tree")
    (download / ".git").symlink_to(victim.parent / "tree" / ".git")


def by_common_directory(victim: Path, download: Path) -> None:
    git(download, "init")
    (download / ".git" / "commondir").write_text(f"{victim}/.git\n")


def by_settings_that_name_it(victim: Path, download: Path) -> None:
    kept = download / "x" / ".git"
    kept.mkdir(parents=True)
    (kept / "HEAD").write_text("ref: refs/heads/main\n")
    (kept / "config").write_text(
        f'[core]\n\tworktree = {victim}\n[remote "origin"]\n\turl = git@github.com:acme/victim\n'
    )
    (download / ".git").write_text(f"gitdir: {kept}\n")


@pytest.mark.hostile("T5")
@pytest.mark.proves("F5")
@pytest.mark.parametrize(
    "claim",
    [
        by_remote,
        by_git_file,
        by_git_file_through_a_link,
        by_git_link,
        by_worktree_of_its_own_making,
        by_link_to_a_worktree,
        by_common_directory,
        by_settings_that_name_it,
    ],
)
def test_no_folder_makes_itself_part_of_another_project(
    tmp_path: Path, projects: Projects, claim: Callable[[Path, Path], None]
) -> None:
    victim, download = victim_and_download(tmp_path)
    assert projects.identify(str(victim)).slug == "victim"
    claim(victim, download)
    for folder in (download, download / "x" / "y"):
        folder.mkdir(parents=True, exist_ok=True)
        assert locate(str(folder)).root != str(victim)
        known = projects.at(str(folder))
        assert known is None or known.slug != "victim"
        assert projects.expected(str(folder)).slug != "victim"
        found = projects.identify(str(folder), "git@github.com:acme/victim.git")
        assert found.slug != "victim"
    assert projects.find("victim").roots == (str(victim),)


def test_a_working_tree_its_repository_names_belongs_to_it(tmp_path: Path) -> None:
    for name in ("tree", "kept"):
        (tmp_path / name).mkdir()
    git(tmp_path / "tree", "init", f"--separate-git-dir={tmp_path / 'kept' / '.git'}")
    assert locate(str(tmp_path / "tree")).root == str(tmp_path / "tree")
    git(tmp_path / "tree", "config", "core.worktree", str(tmp_path / "tree"))
    assert locate(str(tmp_path / "tree")).root == str(tmp_path / "kept")


def test_strange_git_markers_are_no_repository(tmp_path: Path) -> None:
    for name in ("fifo", "empty", "junk", "loop", "huge"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "fifo" / ".git")
    (tmp_path / "empty" / ".git").write_bytes(b"")
    (tmp_path / "junk" / ".git").write_bytes(b"gitdir: \0\xff../..")
    (tmp_path / "loop" / ".git").symlink_to(tmp_path / "loop" / ".git")
    (tmp_path / "huge" / ".git").write_bytes(b"gitdir: " + b"a" * 1_000_000)
    for name in ("fifo", "empty", "junk", "loop", "huge"):
        place = locate(str(tmp_path / name))
        assert (place.root, place.git) == (str(tmp_path / name), False)


def test_nothing_a_repository_configures_is_run(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app", "git@github.com:acme/app.git")
    trap = tmp_path / "ran"
    git(folder, "config", "core.fsmonitor", f"touch {trap}")
    git(folder, "config", "core.sshCommand", f"touch {trap}")
    assert locate(str(folder)).remote == "github.com/acme/app"
    assert not trap.exists()


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", "git@github.com:acme/inner.git")
    outer = repository(tmp_path / "outer", "git@github.com:acme/outer.git")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "lib")
    place = locate(str(outer / "lib"))
    assert place.root == str(outer / "lib")


def test_rename_and_merge_survive_a_new_start(projects: Projects) -> None:
    projects.identify("/gone/one/app")
    other = projects.identify("/gone/two/app").slug
    projects.rename("app", "The App")
    projects.merge(other, "The App")
    projects.save()
    again = Projects.open(projects.file)
    assert [(p.slug, p.name) for p in again.all()] == [("app", "The App")]
    assert again.identify("/gone/two/app").slug == "app"
    assert again.find(other).slug == "app"
    assert projects.file.stat().st_mode & 0o077 == 0


def test_a_project_is_found_by_slug_name_path_or_part(tmp_path: Path, projects: Projects) -> None:
    folder = repository(tmp_path / "parser")
    projects.identify(str(folder))
    projects.identify("/gone/printer")
    for reference in ("parser", str(folder), "pars"):
        assert projects.find(reference).slug == "parser"
    with pytest.raises(Ambiguous):
        projects.find("p")
    with pytest.raises(NotFound) as raised:
        projects.find("prnter")
    assert raised.value.hint == "did you mean printer?"


def test_a_name_belongs_to_one_project(projects: Projects) -> None:
    projects.identify("/gone/one")
    projects.identify("/gone/two")
    for bad in ("two", "", " ", "a\nb", "x" * 101):
        with pytest.raises(InvalidInput):
            projects.rename("one", bad)
    with pytest.raises(InvalidInput):
        projects.merge("one", "one")


def test_two_that_look_like_one_are_pointed_out(projects: Projects) -> None:
    projects.identify("/gone/one/app")
    projects.identify("/gone/two/app")
    projects.identify("/gone/three/app", "git@github.com:acme/app.git")
    projects.identify("/gone/four/app", "git@gitlab.com:acme/app.git")
    projects.identify("/gone/five/else", "git@github.com:someone/else.git")
    projects.identify("/gone/six/else", "git@github.com:another/else.git")
    names = {frozenset((a.name, b.name)) for a, b in projects.lookalikes()}
    assert names == {frozenset({"app"})}
    assert len(projects.lookalikes()) == 3


def test_a_damaged_registry_is_never_replaced_by_an_empty_one(tmp_path: Path) -> None:
    file = tmp_path / "projects.json"
    for content in ("{", "[]", '{"version": 99}', json.dumps({"version": 1, "projects": 3})):
        file.write_text(content)
        with pytest.raises(StoreDamaged):
            Projects.open(file)
        assert file.read_text() == content


def test_what_another_process_saved_is_taken_in(projects: Projects) -> None:
    projects.identify("/gone/one")
    projects.save()
    other = Projects.open(projects.file)
    other.rename("one", "First")
    other.save()
    projects.refresh()
    assert projects.find("one").name == "First"
