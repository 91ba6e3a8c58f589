"""Where a session's digest lies: found by a hook as projects are found, never by a claim."""

import os
import subprocess
from pathlib import Path

import pytest

from reverie.handover import paused_until, project_key, root_of
from reverie.sessions.projects import locate


def git(*arguments: str, cwd: Path) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def layouts(tmp_path: Path) -> dict[str, Path]:
    """Every way a folder can lie in a repository, or in none."""
    main = tmp_path / "main"
    (main / "src").mkdir(parents=True)
    git("init", "-q", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=main)
    git("worktree", "add", "-q", str(tmp_path / "side"), cwd=main)
    git("worktree", "add", "-q", str(main / "trees" / "inner"), cwd=main)
    git("clone", "-q", "--bare", str(main), str(tmp_path / "bare.git"), cwd=tmp_path)
    git("worktree", "add", "-q", str(tmp_path / "of-bare"), cwd=tmp_path / "bare.git")
    (tmp_path / "plain" / "deep").mkdir(parents=True)
    claim = tmp_path / "claims"
    claim.mkdir()
    (claim / ".git").write_text(f"gitdir: {main}/.git/worktrees/side\n", encoding="utf-8")
    return {
        "main": main,
        "src": main / "src",
        "side": tmp_path / "side",
        "inner": main / "trees" / "inner",
        "of-bare": tmp_path / "of-bare",
        "plain": tmp_path / "plain" / "deep",
        "claims": claim,
    }


def test_a_hook_finds_the_root_that_sessions_are_placed_by(layouts: dict[str, Path]) -> None:
    for name, folder in layouts.items():
        assert root_of(str(folder)) == locate(str(folder)).root, name


@pytest.mark.hostile("T5")
def test_worktrees_share_a_key_and_a_folder_that_claims_to_be_one_does_not(
    layouts: dict[str, Path],
) -> None:
    keys = {name: project_key(str(folder)) for name, folder in layouts.items()}
    assert keys["main"] == keys["src"] == keys["side"] == keys["inner"]
    assert keys["claims"] != keys["main"]
    assert len(set(keys.values())) == 4


@pytest.mark.parametrize(
    ("content", "expected"),
    [(None, 0.0), ("", float("inf")), ("150", 150.0), ("50", 0.0), ("nonsense", float("inf"))],
)
def test_a_pause_lasts_until_its_end_or_until_it_is_ended(
    content: str | None, expected: float, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "paused").write_text(content, encoding="utf-8")
    assert paused_until(str(tmp_path), 100.0) == expected


def test_a_key_is_a_file_name_whatever_the_folder_is_called(tmp_path: Path) -> None:
    folder = tmp_path / "naïve name \n"
    folder.mkdir()
    key = project_key(str(folder))
    assert key.isascii() and os.sep not in key and "\n" not in key
    assert project_key("/").startswith("root-")
