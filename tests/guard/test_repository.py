"""Git obeys the repository of the session and no other, tried with real git and real settings."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.errors import Refused
from reverie.guard.guard import Allow, Deny, can_use_tool
from reverie.guard.repository import check_no_submodule, repository

PLACES = ["docs", "docs/", "./docs", "src/../docs", "docs/below"]
# What an agent could try with a folder; {} is its name.
LINES = [
    "git -C {} status",
    "git --no-pager -C {} status --short",
    "git -C src -C ../{} status",
    "cd {} && git status",
    "cd {}; git status",
    "(cd {} && git status)",
    "cd src; cd ../{}; git status",
    "cd {} && timeout 5 git status",
    "timeout 5 git -C {} status",
    "time git -C {} status",
    "env LC_ALL=C git -C {} status",
    "for d in {}; do git -C $d status; done",
    'for d in src {}; do git -C "$d" status; done',
    "for d in {}; do (cd $d && git status); done",
    "if cd {}; then git status; fi",
    "cat <(git -C {} status)",
    "cat < <(cd {} && git status)",
    "find . -maxdepth 1 -name {} -exec git -C {} status \\;",
    "ls -d {} | while read -r d; do git -C $d status; done",
    "ls -d {} | xargs -I% git -C % status",
]


def settings(proof: Path, worktree: str = "..") -> str:
    """A repository's settings that start a program as soon as git looks at the files."""
    return (
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
        f"\tworktree = {worktree}\n\tfsmonitor = touch {proof}; false\n"
    )


def bare(folder: Path, proof: Path) -> None:
    (folder / "objects").mkdir()
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / "config").write_text(settings(proof), encoding="utf-8")


def head_is_a_link(folder: Path, proof: Path) -> None:
    bare(folder, proof)
    (folder / "HEAD").unlink()
    (folder / "HEAD").symlink_to("refs/heads/main")


def objects_elsewhere(folder: Path, proof: Path) -> None:
    store = folder.parent / "store"
    (store / "objects").mkdir(parents=True)
    (store / "refs").mkdir()
    (store / "config").write_text(
        f"[core]\n\trepositoryformatversion = 1\n\tfsmonitor = touch {proof}; false\n"
        "[extensions]\n\tworktreeConfig = true\n",
        encoding="utf-8",
    )
    (folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / "commondir").write_text("../store\n", encoding="utf-8")
    (folder / "config.worktree").write_text(
        "[core]\n\tbare = false\n\tworktree = ..\n", encoding="utf-8"
    )


def unpacked(folder: Path, proof: Path) -> None:
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    config = folder / ".git" / "config"
    config.write_text(settings(proof), encoding="utf-8")


def dot_git_is_a_file(folder: Path, proof: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    bare(elsewhere, proof)
    (folder / ".git").write_text("gitdir: ../elsewhere\n", encoding="utf-8")


def dot_git_is_a_link(folder: Path, proof: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    bare(elsewhere, proof)
    (folder / ".git").symlink_to("../elsewhere")


FORMS = [
    bare,
    head_is_a_link,
    objects_elsewhere,
    unpacked,
    dot_git_is_a_file,
    dot_git_is_a_link,
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "docs" / "below").mkdir(parents=True)
    (project / "memory").mkdir()
    subprocess.run(["git", "init", "--quiet", project], check=True)
    return project


def judge(line: str, project: Path, cwd: Path | None = None) -> Allow | Deny:
    return can_use_tool("Bash", {"command": line}, project / "memory", cwd or project, project)


def run(line: str, cwd: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.mark.proves("D9")
@pytest.mark.parametrize("form", FORMS)
def test_a_folder_that_git_takes_for_a_repository_runs_nothing(
    form: Callable[[Path, Path], None], project: Path, tmp_path: Path
) -> None:
    proof = tmp_path / "proof"
    form(project / "docs", proof)
    # Without the guard it does: a form that git does not fall for would prove nothing.
    run("git -C docs status", project)
    assert proof.exists()
    proof.unlink()
    for place in PLACES:
        for line in LINES:
            if judge(line.replace("{}", place), project) == Allow():
                run(line.replace("{}", place), project)
            assert not proof.exists(), (form.__name__, place, line)


@pytest.mark.proves("D9")
@pytest.mark.parametrize("form", FORMS)
def test_a_shell_that_an_earlier_call_moved_there_may_not_start_git(
    form: Callable[[Path, Path], None], project: Path, tmp_path: Path
) -> None:
    docs = project / "docs"
    assert judge("git status", project, docs) == Allow()
    form(docs, tmp_path / "proof")
    for line in ("git status", "git -C .. status", "cd .. && git log", "git diff --no-index a b"):
        assert isinstance(judge(line, project, docs), Deny)
        assert isinstance(judge(line, project, docs / "below"), Deny)
    assert judge("ls && cat config", project, docs) == Allow()


@pytest.mark.proves("D9")
def test_a_loop_that_goes_deeper_each_time_is_refused(project: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    deeper = project / "src" / "src"
    deeper.mkdir()
    bare(deeper, proof)
    run("for i in 1 2; do cd src; git status; done", project)
    assert proof.exists()
    for loop in ("for i in 1 2", "for i in $(seq 9)", "for i in s*", "ls | while read -r f"):
        assert isinstance(judge(f"{loop}; do cd src; git status; done", project), Deny)


def test_the_repository_at_hand_is_read_from_all_its_folders(project: Path) -> None:
    for line in ("git status", "git -C src log", "cd src && git diff", f"git -C {project} log"):
        assert judge(line, project) == Allow()
    assert judge(f"git status && git -C {project}/src log", project, project / "docs") == Allow()
    assert repository(project / "docs" / "below") == project


def test_a_linked_worktree_is_a_repository_of_its_own(project: Path, tmp_path: Path) -> None:
    as_somebody = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    commit = ["git", "-C", project, *as_somebody, "commit", "--quiet", "--allow-empty", "-m", "x"]
    subprocess.run(commit, check=True)
    linked = tmp_path / "linked"
    subprocess.run(["git", "-C", project, "worktree", "add", "--quiet", linked], check=True)
    assert can_use_tool("Bash", {"command": "git log"}, tmp_path / "m", linked, linked) == Allow()
    assert isinstance(judge(f"git -C {linked} log", project), Deny)


def test_outside_of_any_repository_git_has_nothing_to_obey(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    assert repository(tmp_path) is None
    compare = {"command": "git diff --no-index a b"}
    assert can_use_tool("Bash", compare, memory, tmp_path) == Allow()
    elsewhere = {"command": "git -C / status"}
    assert isinstance(can_use_tool("Bash", elsewhere, memory, tmp_path), Deny)


def test_a_broken_repository_is_not_passed_over_as_git_does(project: Path) -> None:
    (project / ".git" / "HEAD").write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(Refused):
        repository(project)
    (project / ".git" / "HEAD").unlink()
    with pytest.raises(Refused):
        repository(project / "src")


@pytest.mark.proves("D9")
def test_a_format_that_checks_signatures_starts_no_program(project: Path, tmp_path: Path) -> None:
    proof, program = tmp_path / "proof", tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\ntouch {proof}\n", encoding="utf-8")
    program.chmod(0o755)
    git = ["git", "-C", str(project)]
    subprocess.run([*git, "config", "gpg.program", str(program)], check=True)
    tree = subprocess.run([*git, "mktree"], input=b"", capture_output=True, check=True).stdout
    signed = (
        f"tree {tree.decode().strip()}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n"
        "gpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    )
    made = [*git, "hash-object", "-t", "commit", "-w", "--stdin"]
    commit = subprocess.run(made, input=signed.encode(), capture_output=True, check=True).stdout
    subprocess.run([*git, "update-ref", "HEAD", commit.decode().strip()], check=True)
    run("git log --format=%+GS", project)
    assert proof.exists()
    proof.unlink()
    modifiers = ["", "-", "+", " ", "<(20)%+", "<|(20)%-", ">>(9,trunc)% ", "C(red)%", "w(5)%+"]
    for modifier in modifiers:
        for letter in "GSKFPT?":
            for option in ("--format=", "--pretty=", "--pretty=tformat:", "--format=%h "):
                line = f"git log '{option}%{modifier}G{letter}'"
                if judge(line, project) == Allow():
                    run(line, project)
                assert not proof.exists(), line
    assert judge("git log --format='%h %an %<(20,trunc)%s %C(auto)%d'", project) == Allow()


INTO_SUBMODULES = [
    "git status",
    "git status --short",
    "git status --ignore-submodules=none",
    "git status --ignore-submodules=all --ignore-submodules=none",
    "git diff",
    "git diff -S --ignore-submodules=all",
    "git diff -- --ignore-submodules=all",
    "git diff HEAD",
    "git diff --stat",
    "git diff --cached --submodule=diff",
    "git diff-index HEAD",
    "git diff-files",
    "git submodule",
    "git submodule status",
    "git describe --dirty --always",
    "git ls-files --recurse-submodules",
    "git log -p --submodule=diff",
    "git show --submodule=log",
    "git stash show --submodule=diff",
    "git grep x",
    "git grep --recurse-submodules x",
    "cd src && git status",
    "git -C src status",
    "timeout 5 git status",
    "for i in a b; do git diff; done",
]
OUTSIDE_SUBMODULES = [
    "git status --ignore-submodules=all",
    "git -C src status --ignore-submodules=all --short",
    "git diff --ignore-submodules=all HEAD",
    "git diff --no-index src docs",
    "git diff-index --ignore-submodules=all HEAD",
    "git diff-files --ignore-submodules=all",
    "git describe --always",
    "git ls-files -m",
    "git ls-files --stage",
    "git log -p",
    "git show",
    "git blame src/a",
    "git grep --no-recurse-submodules x",
]


def git(folder: Path, *arguments: str) -> str:
    as_somebody = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    line = ["git", "-C", str(folder), *as_somebody, *arguments]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def with_submodule(project: Path, tmp_path: Path) -> Path:
    """The project with a nested repository in its index whose settings leave a proof behind."""
    (project / "src" / "a").write_text("x\n", encoding="utf-8")
    nested = project / "docs"
    git(project, "init", "--quiet", "docs")
    (nested / "f").write_text("x\n", encoding="utf-8")
    git(nested, "add", "f")
    git(nested, "commit", "--quiet", "-m", "x")
    git(project, "add", "src", "docs")
    git(project, "commit", "--quiet", "-m", "x")
    (nested / ".git" / "config").write_text(settings(tmp_path / "proof"), encoding="utf-8")
    return project


@pytest.mark.proves("D9")
def test_git_does_not_look_into_a_submodule(with_submodule: Path, tmp_path: Path) -> None:
    project, proof = with_submodule, tmp_path / "proof"
    for line in ("git status", "git diff", "git describe --dirty --always", "git diff-files"):
        run(line, project)
        assert proof.exists(), line
        proof.unlink()
    for line in INTO_SUBMODULES:
        assert isinstance(judge(line, project), Deny), line
    for line in OUTSIDE_SUBMODULES:
        assert judge(line, project) == Allow(), line
        run(line, project)
        assert not proof.exists(), line


@pytest.mark.proves("D9")
def test_a_worktree_answers_for_its_own_index(with_submodule: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(with_submodule, "worktree", "add", "--quiet", str(linked))
    memory = tmp_path / "memory"

    def in_worktree(line: str) -> Allow | Deny:
        return can_use_tool("Bash", {"command": line}, memory, linked, linked)

    assert isinstance(in_worktree("git status"), Deny)
    git(linked, "rm", "--quiet", "--cached", "docs")
    assert in_worktree("git status") == Allow()
    assert isinstance(judge("git status", with_submodule), Deny)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_every_version_of_the_index_is_read(
    version: str, object_format: str, tmp_path: Path
) -> None:
    git(tmp_path, "init", "--quiet", f"--object-format={object_format}", "project")
    project = tmp_path / "project"
    # Names of every length: the padding of versions 2 and 3 depends on it.
    for length in (*range(1, 20), 200):
        (project / ("n" * length)).write_text(str(length), encoding="utf-8")
    git(project, "add", ".")
    git(project, "update-index", f"--index-version={version}")
    if version == "3":
        (project / "intended").write_text("x", encoding="utf-8")
        git(project, "add", "--intent-to-add", "intended")
    index = project / ".git" / "index"
    assert index.read_bytes()[7] == int(version)
    check_no_submodule(project)
    digest = 20 if object_format == "sha1" else 32
    index.write_bytes(index.read_bytes()[:-digest] + bytes(digest))
    check_no_submodule(project)
    oid = "1" * (2 * digest)
    git(project, "update-index", "--add", "--cacheinfo", f"160000,{oid},nnnnz")
    with pytest.raises(Refused, match="submodules"):
        check_no_submodule(project)


def test_an_index_that_is_not_understood_is_refused(project: Path) -> None:
    index = project / ".git" / "index"
    check_no_submodule(project)
    for name in ("a", "b", "sub/c"):
        (project / "src" / name).parent.mkdir(exist_ok=True)
        (project / "src" / name).write_text(name, encoding="utf-8")
    git(project, "add", "src")
    git(project, "commit", "--quiet", "-m", "x")
    whole = index.read_bytes()
    check_no_submodule(project)
    for broken in (b"", whole[:50], b"DIRX" + whole[4:], whole[:-1], whole + b"x", bytes(100)):
        index.write_bytes(broken)
        with pytest.raises(Refused):
            check_no_submodule(project)
    index.write_bytes(whole)
    git(project, "update-index", "--split-index")
    with pytest.raises(Refused):
        check_no_submodule(project)
    git(project, "update-index", "--no-split-index")
    check_no_submodule(project)
    git(project, "sparse-checkout", "set", "--cone", "--sparse-index", "src")
    (project / "docs" / "d").write_text("d", encoding="utf-8")
    git(project, "add", "--sparse", "docs")
    git(project, "commit", "--quiet", "-m", "x")
    git(project, "sparse-checkout", "reapply", "--sparse-index")
    assert "docs/\n" in git(project, "ls-files", "--sparse")
    with pytest.raises(Refused):
        check_no_submodule(project)


@pytest.mark.proves("D9")
def test_a_merge_is_not_made_again(project: Path) -> None:
    for value in ("remerge", "r", "on", "m", "rem", "$x", '"$(echo r)"', "{r,c}"):
        for line in (f"git log -p --diff-merges={value}", f"git show --diff-merges {value}"):
            assert isinstance(judge(line, project), Deny), line
    for line in ("git log --diff-merge=r", "git log --remerge-diff", "git log --diff-merges"):
        assert isinstance(judge(line, project), Deny), line
    for value in ("off", "1", "first-parent", "c", "cc", "separate"):
        assert judge(f"git log -p --diff-merges={value} HEAD", project) == Allow()
        assert judge(f"git log -p --diff-merges {value}", project) == Allow()
