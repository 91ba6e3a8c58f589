"""Trying forms: what they would be in their places, with nothing written."""

import json
from pathlib import Path

import pytest
from tests.dream.proposals.test_placing import CHANGE, GUARD, RULE
from tests.dream.proposals.test_procedures import skill

from reverie.dream.model import Artefact, Replay
from reverie.dream.proposals.trying import tried

HOOK = Artefact("hook", ".claude/settings.json", GUARD, Replay(9, 0, 80, 2, 0))


@pytest.mark.proves("A4")
@pytest.mark.parametrize(
    ("given", "fires"),
    [
        (("git push origin main",), True),
        (("git", "push", "origin", "main"), True),
        (("git", "checkout", "main"), False),
        (("git commit -m 'git push origin main'",), False),
        (("git", "commit", "-m", "x; git push origin main"), False),
        ((), None),
    ],
)
def test_a_hook_is_tried_on_a_typed_command(
    tmp_path: Path, given: tuple[str, ...], fires: bool | None
) -> None:
    found = tried(tmp_path, CHANGE, HOOK, given)
    assert found.fires is fires
    assert found.decision == "deny"
    assert found.shown == "Never push to `main`."
    assert found.replay == Replay(9, 0, 80, 2, 0)


@pytest.mark.proves("A4")
def test_a_rule_is_tried_as_a_diff_of_the_file_it_would_go_into(tmp_path: Path) -> None:
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Mine\n", encoding="utf-8")
    found = tried(tmp_path, CHANGE, RULE, ())
    assert found.path == "CLAUDE.md"
    assert found.shown.startswith("--- CLAUDE.md\n+++ CLAUDE.md\n")
    assert "\n+- Run `make fmt` before you commit. <!-- chg_1 -->" in found.shown
    assert file.read_text(encoding="utf-8") == "# Mine\n"
    assert not (tmp_path / "AGENTS.md").exists()


@pytest.mark.proves("A4")
def test_a_skill_is_tried_as_the_agent_would_see_it(tmp_path: Path) -> None:
    found = tried(tmp_path, CHANGE, skill("make one", "make two"), ("with", "care"))
    assert found.shown.startswith("Carry out these steps in order.")
    assert "(may be empty): with care" in found.shown
    assert "allowed-tools" not in found.shown


@pytest.mark.proves("A4")
def test_a_test_is_tried_as_it_would_be_written(tmp_path: Path) -> None:
    artefact = Artefact("test", "tests/test_x.py", "def test_x(): ...\n")
    found = tried(tmp_path, CHANGE, artefact, ())
    assert (found.path, found.shown) == ("tests/test_x.py", "def test_x(): ...\n")
    assert json.loads(HOOK.content)["decision"] == "deny"
