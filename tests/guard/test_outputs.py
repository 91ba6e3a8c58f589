"""What a command says may become words of another only where it cannot act as an option (D9)."""

import subprocess
from pathlib import Path

import pytest

from reverie.guard.guard import Allow, can_use_tool

# Each may be given to `git show` as it stands.
PLAIN = [
    "git merge-base main HEAD",
    "git merge-base --all main HEAD 2>/dev/null",
    "git rev-parse HEAD",
    "git rev-parse --short HEAD",
    "git rev-parse --verify -q HEAD^{tree}",
    "git rev-parse main..HEAD",
    "git rev-parse no-such-name 2>/dev/null",
    "git rev-list --all",
    "git rev-list -n 1 --first-parent HEAD",
    "git rev-list --count HEAD",
    "git rev-list HEAD -- src",
    "git log --format=%h",
    "git log --all --pretty=format:%H --reverse",
    "git log --format=%h -- src",
    "git log -5 --format=%T | sort -u | head -n 2",
    "git log --format=%h | grep -v abc | tail -1",
]
# Each says a word of the repository that begins with a dash.
HOSTILE = [
    "git log --format=%s",
    "git log --format=%an",
    "git log --format=%D --all",
    "git log --format=%h --name-only",
    "git log --oneline",
    "git rev-list --boundary HEAD~1..HEAD",
    "git rev-list --objects HEAD",
    "git rev-list --format=%s HEAD",
    "git rev-parse --symbolic --branches",
    "git rev-parse --abbrev-ref HEAD",
    "git rev-parse 'a --output=x'",
    "git branch --show-current",
    "git symbolic-ref --short HEAD",
    "git tag",
    "git describe --tags --always HEAD~1",
    "git for-each-ref --format='%(refname:short)'",
    "git ls-files",
    "git merge-base main HEAD; cat names",
    "git log --format=%h | cat - names",
    "git log --format=%h | head -1 names",
    "cat names",
]
USES = [
    "git show $({})",
    'git show "$({})"',
    "for c in $({}); do git show $c; done",
    'for c in "$({})"; do git show $c; done',
    "base=$({}); git show $base",
    'base="$({})" && git show "$base"',
    "git show $({}) --stat",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose branch, tag, author, message and file all begin with a dash."""
    folder = tmp_path / "project"
    folder.mkdir()
    git = ["git", "-C", str(folder), "-c", "user.name=--output=x", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    for name in ("-a", "-b --output=x"):
        (folder / name).write_text("x\n", encoding="utf-8")
        subprocess.run([*git, "add", "--", name], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", "--output=x"], check=True)
    for reference in ("refs/heads/--output=x", "refs/tags/--output=y"):
        subprocess.run([*git, "update-ref", reference, "HEAD~1"], check=True)
    subprocess.run([*git, "symbolic-ref", "HEAD", "refs/heads/--output=x"], check=True)
    subprocess.run([*git, "reset", "--quiet", "--hard", "main"], check=True)
    (folder / "names").write_text("--output=x\n", encoding="utf-8")
    return folder


def is_allowed(line: str, project: Path) -> bool:
    return can_use_tool("Bash", {"command": line}, project / "memory", project) == Allow()


def said(command: str, project: Path) -> list[str]:
    """The words bash makes of what a command says."""
    line = ["bash", "-c", f"printf '%s\\n' $({command})"]
    answer = subprocess.run(line, cwd=project, capture_output=True, text=True, check=True)
    return answer.stdout.split("\n")


@pytest.mark.proves("D9")
@pytest.mark.parametrize("command", PLAIN)
def test_names_of_objects_may_be_words_of_another_command(command: str, project: Path) -> None:
    assert not [word for word in said(command, project) if word.startswith("-")]
    for use in USES:
        assert is_allowed(use.format(command), project), use


@pytest.mark.proves("D9")
@pytest.mark.parametrize("command", HOSTILE)
def test_text_of_a_repository_may_not(command: str, project: Path) -> None:
    assert [word for word in said(command, project) if word.startswith("-")]
    for use in USES:
        assert not is_allowed(use.format(command), project), use


def test_what_is_piped_is_judged_like_what_is_substituted(project: Path) -> None:
    for use in (
        "while read -r c; do git show $c; done",
        "xargs -n1 git show",
        "xargs -I% git show %",
    ):
        assert is_allowed(f"git log --format=%h | {use}", project)
        for other in ("git log --format=%s |", "git log --format=%h |&", "git log -1 |", "cat x |"):
            assert not is_allowed(f"{other} {use}", project), (other, use)
        assert not is_allowed(f"git log --format=%h | {use} < names", project)


def test_the_name_of_a_branch_may_end_a_word_but_not_begin_one(project: Path) -> None:
    for command in ("git branch --show-current", "git rev-parse --abbrev-ref HEAD"):
        assert said(command, project)[0] == "--output=x"
        assert is_allowed(f"git log main..$({command})", project)
        assert is_allowed(f"branch=$({command}); git log main..$branch", project)
        assert not is_allowed(f"git log $({command})..main", project)
    two = "git rev-parse --abbrev-ref HEAD HEAD"
    assert not is_allowed(f"git log main..$({two})", project)


def test_what_could_be_nothing_does_not_hide_a_dash(project: Path) -> None:
    assert is_allowed("git diff $(git merge-base main HEAD)..HEAD", project)
    for rest in ("--output=x", '"--output=x"', "'-'x", '"$y"', "$(cat names)"):
        assert not is_allowed(f"git diff $(git merge-base main HEAD){rest}", project)
        assert not is_allowed(f"base=$(git merge-base main HEAD); git diff $base{rest}", project)


def test_a_pattern_gives_no_option_where_no_name_begins_with_a_dash(project: Path) -> None:
    lines = ("sort *", "grep x *.md", 'for f in *; do sort "$f"; done', "rg x ?")
    assert not any(is_allowed(line, project) for line in lines)
    for name in ("-a", "-b --output=x"):
        (project / name).unlink()
    (project / "src").mkdir()
    (project / "src" / "-o").touch()
    for line in lines:
        assert is_allowed(line, project), line
        assert not is_allowed(f"cd src && {line}", project), line
        assert not is_allowed(line, project / "src"), line


def test_a_pattern_may_give_anything_where_the_model_writes(project: Path) -> None:
    (project / "memory").mkdir()
    decision = can_use_tool("Bash", {"command": "sort *"}, project / "memory", project / "memory")
    assert decision != Allow()


def test_a_tracked_file_is_read_from_unless_it_could_be_a_connection(project: Path) -> None:
    line = 'git ls-files | while read -r f; do wc -l < "$f"; done'
    assert is_allowed(line, project)
    assert not is_allowed('git ls-files | while read -r f; do wc -l < "$f$x"; done', project)
    # `read` takes the blank away, and what is left is a connection to bash.
    hostile = project / " " / "dev" / "tcp" / "evil.example" / "80"
    hostile.parent.mkdir(parents=True)
    hostile.touch()
    subprocess.run(["git", "-C", str(project), "add", "."], check=True)
    assert not is_allowed(line, project)


def test_names_that_the_index_keeps_in_parts_are_not_trusted(project: Path) -> None:
    git = ["git", "-C", str(project), "update-index", "--index-version", "4"]
    subprocess.run(git, check=True)
    assert not is_allowed('git ls-files | while read -r f; do wc -l < "$f"; done', project)
