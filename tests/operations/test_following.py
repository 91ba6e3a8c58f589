"""What Claude Code saves as its own memory reaches other agents, once a person allowed it."""

import os
from pathlib import Path

import pytest
from tests.commands import Answer
from tests.operations.homes import memory
from tests.sessions.worklogs import lines, write

from reverie.asker import Asker
from reverie.memory import Memory

SAVED = """\
---
name: {name}
description: {text}
metadata:
  type: feedback
  originSessionId: 0f0f0f0f-0000-4000-8000-000000000000
  trust: user
---
{text}.
"""


@pytest.fixture
def folder(isolated_home: Path) -> Path:
    """The memory folder of the project at /w/app, beside the log of one session."""
    place = isolated_home / ".claude" / "projects" / "-w-app"
    write(place / "aaaa-1.jsonl", lines("aaaa-1", ("you", "look at the queue")))
    (place / "memory").mkdir()
    return place / "memory"


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_LEARN_AGENT_MEMORY", "true")


def save(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.md").write_text(SAVED.format(name=name, text=text), encoding="utf-8")


def known(opened: Memory) -> dict[str, str]:
    if not opened.exists:
        return {}
    return {item.document.description: item.memory.trust for item in opened.memories(store="app")}


@pytest.mark.proves("D8")
def test_nothing_is_taken_over_before_a_person_allowed_it(tmp_path: Path, folder: Path) -> None:
    save(folder, "tabs", "Indent with tabs in the queue module")
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).taken == []
        assert "app" not in {info.name for info in opened.store.stores()} or known(opened) == {}


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_what_the_agent_saved_is_taken_over_as_the_agents_word_and_followed(
    tmp_path: Path, folder: Path
) -> None:
    save(folder, "tabs", "Indent with tabs in the queue module")
    with memory(tmp_path, Asker("hook")) as opened:
        assert opened.learn(jobs=1).taken == ["app:/tabs.md"]
        assert known(opened) == {"Indent with tabs in the queue module": "agent"}
        assert opened.learn(jobs=1).taken == []
        save(folder, "tabs", "Indent with spaces in the queue module")
        os.utime(folder / "tabs.md", (2_000_000_000, 2_000_000_000))
        assert opened.learn(jobs=1).taken == ["app:/tabs.md"]
        assert list(known(opened)) == ["Indent with spaces in the queue module"]
        # What leaves the agent's folder stays here: nobody said it was wrong.
        (folder / "tabs.md").unlink()
        assert opened.learn(jobs=1).taken == []
        assert list(known(opened)) == ["Indent with spaces in the queue module"]


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_a_folder_that_no_known_project_has_is_left_alone(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder.parent.parent / "-somewhere-else" / "memory"
    other.mkdir(parents=True)
    save(other, "lost", "Nobody knows whose note this is")
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).taken == []
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    save(folder, "tabs", "Indent with tabs in the queue module")
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).taken == []


@pytest.mark.proves("D8")
def test_a_person_allows_it_with_one_option_and_takes_it_back(
    folder: Path, isolated_home: Path, answer: Answer
) -> None:
    save(folder, "tabs", "Indent with tabs in the queue module")
    answer("import", "--follow")
    save(folder, "wide", "Lines of the queue module may be wide")
    assert answer("learn", "--json")["taken_over"] == ["app:/wide.md"]
    answer("import", "--no-follow")
    save(folder, "late", "The queue module is drained late at night")
    assert answer("learn", "--json")["taken_over"] == []
