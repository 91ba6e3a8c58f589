"""What a session is told at its start follows what was changed, whoever changed it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie import OWNER, Memory
from reverie.connect import hook
from reverie.operations import starting
from reverie.recall import start


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("REVERIE_HOOKS_STANDING_RULES", "true")
    folder = tmp_path / "harbour"
    folder.mkdir()
    with Memory.open(folder=folder, asker=OWNER) as opened:
        opened.remember("Always run the linter before a commit", scope="global", name="lint")
        starting.prepare(opened, opened.folder)
        yield opened


def told(memory: Memory) -> str:
    return start.read_start(memory.config.home)["rules"][memory.folder]


def test_the_rules_of_a_project_are_prepared(memory: Memory) -> None:
    assert told(memory) == f"{start.HEAD}\n- Always run the linter before a commit"


def test_a_changed_rule_is_told_after_the_change(memory: Memory) -> None:
    with memory.in_step():
        memory.remember("Never push to main", scope="global", name="push")
        memory.forget("lint")
    assert told(memory) == f"{start.HEAD}\n- Never push to main"


def test_without_a_change_nothing_is_prepared(memory: Memory) -> None:
    file = memory.config.home / "start.json"
    file.write_text(json.dumps({"rules": {memory.folder: "as it was"}}), encoding="utf-8")
    with memory.in_step():
        memory.recall("push")
    assert told(memory) == "as it was"
    starting.refresh(memory)
    assert "linter" in told(memory)


def test_a_project_that_is_gone_is_not_prepared_anew(memory: Memory) -> None:
    before = told(memory)
    Path(memory.folder).rmdir()
    memory.forget("lint")
    starting.refresh(memory)
    assert told(memory) == before


def test_rules_nobody_may_be_told_are_left_alone(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_HOOKS_STANDING_RULES", "false")
    before = told(memory)
    with Memory.open(folder=memory.folder, asker=OWNER) as quiet, quiet.in_step():
        quiet.forget("lint")
    assert told(memory) == before


def test_the_hook_and_what_is_prepared_for_it_agree_on_the_size() -> None:
    assert start.RULES_CHARS == hook.RULES_CHARS
