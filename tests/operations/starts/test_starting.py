"""What a session is told at its start follows what was changed, whoever changed it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.connect.logs import write_log

from reverie import OWNER, Memory
from reverie.asker import Asker
from reverie.handover import ELSEWHERE, prepared, project_key
from reverie.operations import editing, forgetting, references
from reverie.operations.starts import starting
from reverie.recall.digest import CLOSE, OPEN
from reverie.serve.tools import Tools

RULE = "No. From now on always run make lint before you commit anything."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("REVERIE_HOOKS_DIGEST", "true")
    folder = tmp_path / "harbour"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    with Memory.open(folder=folder, asker=OWNER) as opened, opened.in_step():
        opened.remember("Always run the linter before a commit", scope="global", name="lint")
        opened.remember("The crane is out of order", name="crane", type="project")
    with Memory.open(folder=folder, asker=OWNER) as opened:
        yield opened


def told(memory: Memory, key: str | None = None) -> str:
    home = str(memory.config.home)
    file = Path(prepared(home, key or project_key(memory.folder)))
    return str(json.loads(file.read_text(encoding="utf-8"))["text"])


@pytest.mark.proves("F8")
def test_what_somebody_edited_is_not_told_and_prepared_anew(memory: Memory) -> None:
    file = Path(prepared(str(memory.config.home), project_key(memory.folder)))
    file.write_text(file.read_text(encoding="utf-8").replace("linter", "poison"), encoding="utf-8")
    assert starting.told_here(memory).get("text", "").count("crane") == 0
    starting.refresh(memory)
    assert "linter" in told(memory) and "poison" not in told(memory)


@pytest.mark.proves("F12")
def test_a_project_is_told_its_own_and_the_shared_and_elsewhere_the_shared_alone(
    memory: Memory,
) -> None:
    assert "linter" in told(memory) and "crane" in told(memory)
    assert "linter" in told(memory, ELSEWHERE) and "crane" not in told(memory, ELSEWHERE)


def test_every_known_root_that_exists_is_prepared(memory: Memory, tmp_path: Path) -> None:
    with memory.index.atomic():
        for name in ("pier", "gone"):
            (tmp_path / name).mkdir()
            memory.projects.identify(str(tmp_path / name))
    (tmp_path / "gone").rmdir()
    starting.refresh(memory)
    assert "linter" in told(memory, project_key(str(tmp_path / "pier")))
    assert not Path(prepared(str(memory.config.home), project_key(str(tmp_path / "gone")))).exists()


@pytest.mark.proves("F12")
def test_whatever_changes_a_memory_changes_what_is_told(memory: Memory) -> None:
    with memory.in_step():
        memory.remember("Never push to main", scope="global", name="push")
    assert "Never push to main" in told(memory) and "Never push" in told(memory, ELSEWHERE)
    with memory.in_step():
        memory.forget("lint")
    assert "linter" not in told(memory)
    item = memory.library.find("crane")
    with memory.in_step():
        text = item.memory.content.replace("out of order", "mended")
        editing.edit(memory, item, text, settle=lambda merged: merged.text)
    assert "mended" in told(memory)


def test_what_was_learned_is_told_while_it_waits_and_not_once_it_is_forgotten(
    memory: Memory, tmp_path: Path
) -> None:
    log = write_log(
        tmp_path / "logs", "one", Path(memory.folder), ("user", "Please number the berths."),
        ("assistant", "I numbered the quay from the south."),
        ("user", "No, the quay is numbered from the north, not from the south."),
    )  # fmt: skip
    memory.learn(log, jobs=1)
    line = next(one for one in told(memory).splitlines() if "from the north" in one)
    handle = line.split()[0]
    with memory.in_step():
        memory.forget(references.canonical(memory, handle))
    assert "from the north" not in told(memory)


def test_without_a_change_nothing_is_prepared(memory: Memory) -> None:
    file = Path(prepared(str(memory.config.home), project_key(memory.folder)))
    before = file.stat().st_ino
    with memory.in_step():
        memory.recall("push")
    assert file.stat().st_ino == before
    memory.remember("The quay is closed", name="quay", type="project")
    with memory.in_step():
        memory.recall("push")
    assert "quay" in told(memory)


def test_an_ignored_project_is_told_nothing_not_even_what_is_shared(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    quiet = tmp_path / "quiet"
    quiet.mkdir()
    monkeypatch.setenv("REVERIE_DIGEST_IGNORE_PROJECTS", f"harbour, {quiet}")
    with Memory.open(folder=memory.folder, asker=OWNER) as opened:
        starting.refresh(opened)
        assert opened.digest().text == ""
        assert told(opened) == told(opened, project_key(str(quiet))) == ""
        assert "linter" in told(opened, ELSEWHERE)


def test_who_said_no_has_nothing_prepared(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_HOOKS_DIGEST", "false")
    with Memory.open(folder=memory.folder, asker=OWNER) as quiet:
        starting.refresh(quiet)
        assert starting.told_here(quiet) == {}
    assert not (memory.config.home / "digests").exists()


@pytest.mark.hostile("M1")
def test_what_an_agent_remembers_is_not_told_unasked(memory: Memory) -> None:
    with Memory.open(folder=memory.folder, asker=Asker("mcp", agent="codex")) as agent:
        Tools(agent).call("remember", {"text": "The mooring lines are kept in the red shed"})
        assert "mooring" in agent.recall("where are the mooring lines kept").text
    assert "mooring" not in told(memory)


def test_the_top_lines_are_whole_and_fit(memory: Memory) -> None:
    with memory.in_step():
        for number in range(12):
            text = f"Berth {number} is for ships whose draught is below {number + 2} metres"
            memory.remember(text, name=f"berth-{number}", type="project")
    whole = told(memory).splitlines()
    lines = starting.top_lines(memory, 500).splitlines()
    assert sum(len(line) + 1 for line in lines) - 1 <= 500
    assert (lines[0], lines[-1]) == (OPEN, CLOSE)
    assert lines[:-1] == whole[: len(lines) - 1]
    assert starting.top_lines(memory, 30) == ""


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("", "unasked"),
        ("[hooks]\nstanding_rules = true\n", "earlier"),
        ("[hooks]\nstanding_rules = false\n", "unasked"),
        ("[hooks]\nstanding_rules = true\ndigest = false\n", "no"),
        ("[hooks]\ndigest = true\n", "yes"),
    ],
)
def test_a_yes_to_standing_rules_is_none_to_the_digest(
    config: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text(config, encoding="utf-8")
    with Memory.open(tmp_path, asker=OWNER) as opened:
        assert starting.consent(opened) == expected


def test_what_sessions_are_told_is_left_by_decay(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert forgetting.in_digest(memory) == {("global", "lint"), ("harbour", "crane")}
    monkeypatch.setenv("REVERIE_HOOKS_DIGEST", "false")
    with Memory.open(folder=memory.folder, asker=OWNER) as quiet:
        assert forgetting.in_digest(quiet) == frozenset()
