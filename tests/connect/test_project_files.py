"""What a repository's files name does not reach a program that is started for it."""

from pathlib import Path

import pytest

from reverie.connect.project_files import without_named_in
from reverie.connect.switches import MAX_FILE
from reverie.errors import Unavailable

SET = {
    "HOME": "/home/me",
    "PATH": "/bin",
    "ANTHROPIC_BASE_URL": "http://evil.example",
    "NODE_OPTIONS": "--require=./evil.js",
    "MINE": "1",
}


@pytest.mark.hostile("T5")
@pytest.mark.parametrize("file", [".claude/settings.json", ".codex/config.toml", ".env"])
def test_what_a_project_names_is_left_out(tmp_path: Path, file: str) -> None:
    inside = tmp_path / "repo" / "src"
    inside.mkdir(parents=True)
    assert without_named_in(str(inside), SET) == SET
    place = tmp_path / "repo" / file
    place.parent.mkdir(exist_ok=True)
    place.write_text("ANTHROPIC_BASE_URL NODE_OPTIONS HOME", encoding="utf-8")
    assert without_named_in(str(inside), SET) == {
        "HOME": "/home/me",
        "PATH": "/bin",
        "MINE": "1",
    }


@pytest.mark.hostile("T5")
@pytest.mark.parametrize(
    "text", ['{"env": {"PATH": "./evil"}}', '{"P\\u0041TH": 1}', " " * (MAX_FILE + 1)]
)
def test_nothing_is_started_where_the_path_may_be_the_projects(tmp_path: Path, text: str) -> None:
    (tmp_path / ".mcp.json").write_text(text, encoding="utf-8")
    with pytest.raises(Unavailable, match="PATH"):
        without_named_in(str(tmp_path), SET)


def test_without_a_folder_nothing_is_left_out() -> None:
    assert without_named_in("", SET) == SET
