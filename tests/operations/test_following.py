"""What agents save as their own memory reaches the others, once a person allowed it."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Answer
from tests.operations.homes import memory
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER, Asker
from reverie.memory import Memory

SESSION = "0f0f0f0f-0000-4000-8000-000000000000"
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
        assert opened.learn(jobs=1).followed.taken == ()
        assert "app" not in {info.name for info in opened.store.stores()} or known(opened) == {}


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_what_the_agent_saved_is_taken_over_as_the_agents_word_and_followed(
    tmp_path: Path, folder: Path
) -> None:
    save(folder, "tabs", "Indent with tabs in the queue module")
    with memory(tmp_path, Asker("hook")) as opened:
        assert opened.learn(jobs=1).followed.taken == ("app:/tabs.md",)
        assert known(opened) == {"Indent with tabs in the queue module": "agent"}
        assert opened.learn(jobs=1).followed.taken == ()
        save(folder, "tabs", "Indent with spaces in the queue module")
        os.utime(folder / "tabs.md", (2_000_000_000, 2_000_000_000))
        assert opened.learn(jobs=1).followed.taken == ("app:/tabs.md",)
        assert list(known(opened)) == ["Indent with spaces in the queue module"]


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_what_the_agent_deletes_goes_to_the_archive_and_comes_back_with_its_note(
    tmp_path: Path, folder: Path
) -> None:
    save(folder, "tabs", "Indent with tabs in the queue module")
    save(folder, "wide", "Lines of the queue module may be wide")
    with memory(tmp_path, Asker("hook")) as opened:
        opened.learn(jobs=1)
        (folder / "tabs.md").unlink()
        report = opened.learn(jobs=1).followed
        assert report.taken == ()
        (gone,) = report.gone
        assert gone.startswith("app:/archive/") and gone.endswith("/tabs.md")
        assert list(known(opened)) == ["Lines of the queue module may be wide"]
        last = opened.store.versions("app", limit=1).items[0]
        assert last.cause.kind == "gone" and last.cause.subject == "tabs.md"
        assert opened.learn(jobs=1).followed.gone == ()
        save(folder, "tabs", "Indent with tabs in the queue module")
        assert opened.learn(jobs=1).followed.taken == ("app:/tabs.md",)
        assert len(known(opened)) == 2
        # A folder that holds nothing any more was wiped: that is no deletion of each.
        for file in folder.iterdir():
            file.unlink()
        assert opened.learn(jobs=1).followed.gone == ()
        assert len(known(opened)) == 2


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_what_a_person_edited_or_forgot_here_is_not_written_over_and_it_is_said(
    tmp_path: Path, folder: Path
) -> None:
    mine = "Indent with tabs, but in Python with spaces"
    for name in ("tabs", "wide", "late"):
        save(folder, name, f"The {name} note of the queue module")
    with memory(tmp_path, Asker("hook")) as opened:
        opened.learn(jobs=1)
    with memory(tmp_path) as opened:
        text = SAVED.format(name="tabs", text=mine)
        opened.store.update("app", "/tabs.md", content=text, by=OWNER.author("my words"))
        opened.forget("app:wide")
        before = set(known(opened))
    save(folder, "tabs", "Indent with eight blanks in the queue module")
    save(folder, "wide", "Lines of the queue module may be very wide indeed")
    save(folder, "again", "The wide note of the queue module")
    (folder / "late.md").write_text("", encoding="utf-8")
    with memory(tmp_path, Asker("hook")) as opened:
        report = opened.learn(jobs=1).followed
        assert report.taken == ()
        assert [name.rpartition("/")[2] for name in report.gone] == ["late.md"]
        assert dict(report.kept) == {
            "tabs.md": "a person changed it here, which stands",
            "wide.md": "a person changed it here, which stands",
            "again.md": "a person had it forgotten",
        }
        assert set(known(opened)) == before - {"The late note of the queue module"}
        (folder / "tabs.md").unlink()
        assert dict(opened.learn(jobs=1).followed.kept)["tabs.md"].startswith(
            "its agent deleted it"
        )
        assert mine in known(opened)


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_a_note_is_followed_under_any_name_and_back_to_an_earlier_text(
    tmp_path: Path, folder: Path
) -> None:
    with memory(tmp_path) as opened:
        opened.store.ensure_store("app")
        opened.store.create("app", "/tabs.md", "a file of mine", OWNER.author("mine"))
        for text in ("Use tabs", "Use spaces", "Use tabs"):
            save(folder, "tabs", f"{text} in the queue module")
            (folder / "tabs.md").touch()
            assert opened.learn(jobs=1).followed.taken == ("app:/tabs-2.md",)
            assert opened.store.get("app", "/tabs.md").content == "a file of mine"
            assert f"{text} in the queue module" in opened.store.get("app", "/tabs-2.md").content
        versions = opened.store.versions("app", "/tabs-2.md").items
        assert len(versions) == 3
        assert {version.trust for version in versions} == {"agent"}
        assert {version.actor.id for version in versions} == {f"claude-code:{SESSION}"}


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_secrets_in_a_note_are_replaced_and_a_lost_database_is_filled_again(
    tmp_path: Path, folder: Path
) -> None:
    key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    save(folder, "token", f"The deploy of the queue needs {key} in its environment")
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).followed.taken == ("app:/token.md",)
        assert key not in opened.store.get("app", "/token.md").content
        home = opened.config.home
    for file in home.glob("memory.db*"):
        file.unlink()
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).followed.taken == ("app:/token.md",)


REGISTER = """\
# Task Group: queue upkeep

scope: draining and refilling
applies_to: cwd=/w/app; reuse_rule=safe for this checkout

## User preferences
- Drain the queue before a deploy.

# Task Group: reports

scope: every project
applies_to: cwd=unknown; reuse_rule=workflow

## User preferences
- Keep reports to one page.

# Task Group: private work

applies_to: cwd=/w/secret; reuse_rule=never elsewhere

## User preferences
- The merger is in May.
"""


@pytest.mark.proves("D8", "F10")
@pytest.mark.usefixtures("allowed", "folder")
def test_what_codex_keeps_is_taken_over_into_the_project_it_applies_to(
    tmp_path: Path, isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_PRIVACY_IGNORE_PROJECTS", "secret")
    codex = isolated_home / ".codex" / "memories"
    notes = codex / "extensions" / "ad_hoc" / "notes"
    notes.mkdir(parents=True)
    (codex / "MEMORY.md").write_text(REGISTER, encoding="utf-8")
    (codex / "memory_summary.md").write_text("The merger is in May.", encoding="utf-8")
    (notes / "proxy.md").write_text("The proxy is off at night.\n", encoding="utf-8")
    with memory(tmp_path, Asker("hook")) as opened:
        opened.learn(jobs=1)
        found = {
            (name, item.document.body.strip()): (item.memory.trust, item.document.description)
            for name in ("app", "global")
            for item in opened.memories(store=name)
        }
        own = "- Drain the queue before a deploy."
        assert found["app", own][0] == "agent"
        assert "queue upkeep" in found["app", own][1]
        assert ("global", "- Keep reports to one page.") in found
        assert ("global", "The proxy is off at night.") in found
        assert not any("merger" in body for _, body in found)
        assert "secret" not in {info.name for info in opened.store.stores()}
        text = REGISTER.replace("before a deploy", "after a deploy")
        (codex / "MEMORY.md").write_text(text, encoding="utf-8")
        assert len(opened.learn(jobs=1).followed.taken) == 1
        bodies = [item.document.body.strip() for item in opened.memories(store="app")]
        assert own not in bodies and "- Drain the queue after a deploy." in bodies


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed", "folder")
def test_notes_of_subagents_are_shared_and_those_inside_a_repository_are_left(
    tmp_path: Path, isolated_home: Path
) -> None:
    notes = isolated_home / ".claude" / "agent-memory" / "reviewer"
    cloned = tmp_path / "app" / ".claude" / "agent-memory" / "reviewer"
    for place in (notes, cloned):
        place.mkdir(parents=True)
        save(place, "tone", f"Reviews are short, says {place.parts[-4]}")
    with memory(tmp_path, Asker("hook")) as opened:
        assert opened.learn(jobs=1).followed.taken == ("global:/tone.md",)
        (item,) = opened.memories(store="global")
        assert item.memory.trust == "agent"
        assert isolated_home.name in item.document.description


RULE = "No. From now on always run {} before you commit anything."


def call(session: str, number: int, name: str, given: dict[str, str]) -> dict[str, Any]:
    """One tool call as Claude Code logs it."""
    (record,) = lines(session, ("agent", ""), begin=number)
    block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}
    record["message"]["content"] = [block]
    return record


@pytest.mark.proves("D8")
@pytest.mark.parametrize(
    "command",
    [
        "cat > {} <<'EOF'\nRun ruff first.\nEOF",
        "echo 'Run ruff first.' | tee -a {}",
        "sed -i 's/pytest/ruff/' {}",
        "apply_patch <<'P'\n*** Begin Patch\n*** Add File: {}\n+Run ruff.\n*** End Patch\nP",
    ],
)
@pytest.mark.usefixtures("allowed")
def test_plain_learn_skips_the_stretch_in_which_the_agent_saved_through_its_shell(
    tmp_path: Path, folder: Path, command: str
) -> None:
    written = {"command": command.format(folder / "ruff.md")}
    before = lines("bbbb-2", ("you", "Please fix the check."), ("agent", "Fixed and committed."))
    spoken = lines("bbbb-2", ("you", RULE.format("ruff")), begin=2)
    save(folder, "ruff", "Run ruff before every commit, because unformatted code failed the build")
    saved = call("bbbb-2", 3, "Bash", written)
    write(folder.parent / "bbbb-2.jsonl", [*before, *spoken, saved])
    with memory(tmp_path) as opened:
        report = opened.learn(jobs=1)
        assert report.followed.taken == ("app:/ruff.md",)
        assert report.corrections == 1
        assert [item.memory.trust for item in opened.memories(store="app")] == ["agent"]


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("case", ["not allowed", "refused", "another stretch"])
def test_what_was_not_saved_there_or_not_taken_over_is_learned(
    tmp_path: Path, folder: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case != "not allowed":
        monkeypatch.setenv("REVERIE_LEARN_AGENT_MEMORY", "true")
    monkeypatch.setenv("REVERIE_HOOKS_EVERY_TURNS", "2")
    said = [("you", "Please fix the check."), ("agent", "Done."), ("you", RULE.format("ruff"))]
    session = lines("bbbb-2", *said)
    if case == "another stretch":
        session += lines(
            "bbbb-2", ("agent", "Will do."), ("you", "Now explain how the queue works."), begin=3
        )
    number = len(session)
    session.append(call("bbbb-2", number, "Write", {"file_path": str(folder / "q.md")}))
    if case == "refused":
        (answer,) = lines("bbbb-2", ("error", "File is locked"), begin=number + 1)
        answer["message"]["content"][0]["tool_use_id"] = f"toolu_{number}"
        session.append(answer)
    write(folder.parent / "bbbb-2.jsonl", session)
    with memory(tmp_path) as opened:
        opened.learn(jobs=1)
        assert ["ruff" in one for one in known(opened)] == [True]


@pytest.mark.proves("D8")
@pytest.mark.usefixtures("allowed")
def test_a_folder_that_no_known_project_has_is_left_alone(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder.parent.parent / "-somewhere-else" / "memory"
    other.mkdir(parents=True)
    save(other, "lost", "Nobody knows whose note this is")
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).followed.taken == ()
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    save(folder, "tabs", "Indent with tabs in the queue module")
    with memory(tmp_path) as opened:
        assert opened.learn(jobs=1).followed.taken == ()


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
