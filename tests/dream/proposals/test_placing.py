"""Forms in their places, and out of them again."""

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from examples.claude_offline import Client

from reverie.dream.model import Artefact, Change
from reverie.dream.proposals.placing import Placing
from reverie.errors import InvalidInput, ReadOnly

CHANGE = Change(
    id="chg_1", verb="create", store="app", path="/a.md", title="Run `make fmt` first.", before="",
    before_sha256="", after="x", reason="", support="", sessions=3, chance=0.0, confidence=0.9,
    trust="user", evidence=(),
)  # fmt: skip
RULE = Artefact("rule", "AGENTS.md", "- Run `make fmt` before you commit.")
GUARD = json.dumps(
    {"event": "PreToolUse", "matcher": "Bash", "decision": "deny",
     "calls": [{"call": ["git", "push"], "targets": ["main"]}], "reason": "Never push to `main`."}
)  # fmt: skip


@pytest.mark.proves("A4")
@pytest.mark.parametrize("before", [None, b"# Notes", b"# Notes\r\nmore\r\n", b""])
def test_a_rule_is_put_in_and_taken_out_to_the_byte(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "CLAUDE.md"
    if before is not None:
        file.write_bytes(before)
    placing = Placing(tmp_path / "home")
    placed = placing.put(tmp_path, CHANGE, RULE)
    written = Path(placed["path"])
    assert written.name == ("AGENTS.md" if before is None else "CLAUDE.md")
    assert b"make fmt" in written.read_bytes()
    placing.take_back(placed)
    assert (written.read_bytes() if written.exists() else None) == before


@pytest.mark.proves("A4")
@pytest.mark.parametrize(
    "artefact",
    [
        RULE,
        Artefact("command", ".claude/commands/fmt.md", "Run it.\n\n<!-- seen in 3 of 9 -->\n"),
        Artefact("skill", ".claude/skills/fmt/SKILL.md", "Run it.\n\n<!-- seen in 3 of 9 -->\n"),
        Artefact("hook", ".claude/settings.json", GUARD),
        Artefact("test", "tests/test_lost.py", "# chg_1, in 3 of 9 sessions on 3 days\n"),
    ],
    ids=lambda artefact: artefact.form,
)
@pytest.mark.parametrize("marker", ["pyproject.toml", "package.json", "README"])
def test_every_form_lies_where_it_belongs_says_what_it_rests_on_and_goes_again(
    tmp_path: Path, artefact: Artefact, marker: str
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / marker).write_text("", encoding="utf-8")
    before = sorted(project.rglob("*"))
    placing = Placing(tmp_path / "home")
    seen = replace(CHANGE, support="in 3 of 9 sessions\non 3 days")
    placed = placing.put(project, seen, artefact)
    if artefact.form in ("command", "skill"):
        assert Path(placed["path"]) == project / artefact.path
    texts = [Path(place).read_text(encoding="utf-8") for place in placed["files"].values()]
    assert any("chg_1" in text or "seen in 3 of 9" in text for text in texts)
    if artefact.form in ("hook", "test"):
        assert any("chg_1, in 3 of 9 sessions on 3 days" in text for text in texts)
    placing.take_back(placed)
    assert [path for path in sorted(project.rglob("*")) if path.is_file()] == [
        path for path in before if path.is_file()
    ]


def test_after_an_edit_only_our_line_goes(tmp_path: Path) -> None:
    placing = Placing(tmp_path / "home")
    placed = placing.put(tmp_path, CHANGE, RULE)
    other = placing.put(tmp_path, replace(CHANGE, id="chg_2"), replace(RULE, content="- Two."))
    file = tmp_path / "AGENTS.md"
    file.write_text(file.read_text(encoding="utf-8") + "Mine.\n", encoding="utf-8")
    placing.take_back(placed)
    text = file.read_text(encoding="utf-8")
    assert "make fmt" not in text
    assert "- Two." in text
    assert "Mine." in text
    placing.take_back(other)
    assert file.read_text(encoding="utf-8").strip() == "Mine."


@pytest.mark.proves("A4")
def test_a_hook_keeps_the_other_settings_and_refuses_the_command(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    original = '{\n  "model": "x",\n  "hooks": {"Stop": [{"hooks": []}]},\n  "z": 1\n}\n'
    settings.write_text(original, encoding="utf-8")
    placing = Placing(tmp_path / "home")
    placed = placing.put(tmp_path, CHANGE, Artefact("hook", ".claude/settings.json", GUARD))
    loaded = json.loads(settings.read_text(encoding="utf-8"))
    assert list(loaded) == ["model", "hooks", "z"]
    assert loaded["hooks"]["Stop"] == [{"hooks": []}]
    once = settings.read_text(encoding="utf-8")
    placing.put(tmp_path, CHANGE, Artefact("hook", ".claude/settings.json", GUARD))
    assert settings.read_text(encoding="utf-8") == once
    script = tmp_path / ".claude" / "hooks" / "chg_1.py"
    said = json.loads(answer(script, "cd app && git push origin main"))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"] == "Never push to `main`. (.claude/hooks/chg_1.py)"
    assert answer(script, "git checkout main") == ""
    placing.take_back(placed)
    assert settings.read_text(encoding="utf-8") == original
    assert not script.exists()


def answer(script: Path, command: str, log: Path | None = None) -> str:
    given = json.dumps(
        {"tool_name": "Bash", "tool_input": {"command": command}, "transcript_path": str(log)}
    )
    done = subprocess.run(
        [sys.executable, str(script)], input=given, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.proves("A4")
def test_a_program_that_was_missing_may_be_used_where_it_is_installed(tmp_path: Path) -> None:
    for number, (name, refused) in enumerate({"python3": False, "no-such-program": True}.items()):
        guard = json.dumps(
            {"event": "PreToolUse", "matcher": "Bash", "decision": "deny", "reason": "Not here.",
             "calls": [{"call": [name, "x"], "exact": True}], "missing": name}
        )  # fmt: skip
        change = replace(CHANGE, id=f"chg_{number}")
        Placing(tmp_path / "home").put(tmp_path, change, Artefact("hook", "x", guard))
        script = tmp_path / ".claude" / "hooks" / f"chg_{number}.py"
        assert ("Not here." in answer(script, f"{name} x")) is refused


@pytest.mark.proves("A4")
def test_what_must_come_first_is_looked_up_in_the_log_of_the_session(tmp_path: Path) -> None:
    guard = json.dumps(
        {"event": "PreToolUse", "matcher": "Bash", "decision": "remind", "reason": "Format first.",
         "calls": [{"call": ["git", "commit"]}], "first": [{"call": ["make", "fmt"]}]}
    )  # fmt: skip
    Placing(tmp_path / "home").put(tmp_path, CHANGE, Artefact("hook", "x", guard))
    script = tmp_path / ".claude" / "hooks" / "chg_1.py"
    log = tmp_path / "session.jsonl"
    assert "Format first." in answer(script, "git commit -m x", log)
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "make fmt"}}
    log.write_text(json.dumps({"message": {"content": [call]}}) + "\n", encoding="utf-8")
    assert answer(script, "git commit -m x", log) == ""


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "commands" / "fmt.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInput):
        Placing(tmp_path / "home").put(
            tmp_path, CHANGE, Artefact("command", ".claude/commands/fmt.md", "theirs")
        )
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_path_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".claude").symlink_to(tmp_path)
    with pytest.raises(InvalidInput):
        Placing(tmp_path / "home").put(
            root, CHANGE, Artefact("command", ".claude/commands/fmt.md", "x")
        )


def test_settings_that_are_not_json_are_left_alone(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{ // mine\n}", encoding="utf-8")
    with pytest.raises(InvalidInput):
        Placing(tmp_path / "home").put(
            tmp_path, CHANGE, Artefact("hook", ".claude/settings.json", GUARD)
        )
    assert settings.read_text(encoding="utf-8") == "{ // mine\n}"


def test_a_place_that_cannot_be_written_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr("reverie.files.change.replace_file", refuse)
    with pytest.raises(ReadOnly):
        Placing(tmp_path / "home").put(tmp_path, CHANGE, RULE)


@pytest.mark.hostile("M5")
@pytest.mark.parametrize(
    "words",
    [
        'ends with a quote"',
        "ends with a backslash\\",
        '"""\nimport os\nos.abort()\n"""',
        "\\N{nothing} \\x",
        "",
        "\ud800 \u2028 \x00",
    ],
)
def test_a_hook_is_a_program_that_only_says_its_words(words: str, tmp_path: Path) -> None:
    guard = json.dumps(json.loads(GUARD) | {"reason": words})
    change = replace(CHANGE, support=words)
    Placing(tmp_path / "home").put(tmp_path, change, Artefact("hook", "x", guard))
    script = tmp_path / ".claude" / "hooks" / "chg_1.py"
    ast.parse(script.read_text(encoding="utf-8"))
    said = json.loads(answer(script, "git push origin main"))["hookSpecificOutput"]
    assert said["permissionDecisionReason"].startswith(words)


@pytest.mark.proves("A4")
def test_the_real_client_is_refused_the_command_and_told_why(client: Client) -> None:
    guard = json.dumps(json.loads(GUARD) | {"calls": [{"call": ["touch", "forbidden"]}]})
    placing = Placing(client.home / "placed")
    placing.put(client.project, CHANGE, Artefact("hook", ".claude/settings.json", guard))
    client.ask("Run `touch forbidden`. Run `touch allowed`.", "--allowedTools", "Bash(touch:*)")
    told = client.api.with_text("Never push to `main`. (.claude/hooks/chg_1.py)")
    assert told
    assert not (client.project / "forbidden").exists()
    assert (client.project / "allowed").exists()
