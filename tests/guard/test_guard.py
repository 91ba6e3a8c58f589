"""The guard lets read-only work through and nothing else (D9)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.engines.claude_code import ClaudeCode, Conversation
from reverie.engines.protocol import Limits
from reverie.guard.guard import Allow, Deny, can_use_tool

FIXTURE = Path(__file__).parent / "fixtures" / "guard.txt"
NAMED = {"NL": "\n", "CR": "\r", "TAB": "\t"}


def command_lines() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in FIXTURE.read_text(encoding="utf-8").splitlines():
        if line.startswith(("allow  ", "deny  ")):
            verdict, _, text = line.partition("  ")
            found.append((verdict, re.sub(r"<(NL|CR|TAB|U\+[0-9A-F]{4})>", _character, text)))
    return found


def _character(match: re.Match[str]) -> str:
    return NAMED.get(match[1]) or chr(int(match[1][2:], 16))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project that is a repository, a memory directory inside, another repository beside it."""
    project = tmp_path / "project"
    for folder in (project / "src", project / "memory" / "notes", tmp_path / "other"):
        folder.mkdir(parents=True)
    for repository in (project, tmp_path / "other"):
        subprocess.run(["git", "init", "--quiet", repository], check=True)
    return project


def shell(line: str, place: Path) -> Allow | Deny:
    return can_use_tool("Bash", {"command": line}, place / "memory", place)


def write(path: str, place: Path) -> Allow | Deny:
    return can_use_tool("Write", {"file_path": path}, place / "memory", place)


@pytest.mark.proves("D9")
def test_every_command_line_of_the_fixture_is_decided_as_written_there(place: Path) -> None:
    lines = command_lines()
    wrong = [
        (verdict, line, decision)
        for verdict, line in lines
        for decision in [shell(line, place)]
        if isinstance(decision, Allow) != (verdict == "allow")
    ]
    assert wrong == []
    assert len(lines) >= 200


def test_a_refusal_says_why(place: Path) -> None:
    for verdict, line in command_lines():
        if verdict == "deny" and isinstance(decision := shell(line, place), Deny):
            assert len(decision.reason) > 10, line


@pytest.mark.parametrize("tool", ["Read", "Glob", "Grep"])
def test_read_tools_are_free(tool: str, place: Path) -> None:
    assert can_use_tool(tool, {"file_path": "/etc/passwd"}, place / "memory", place) == Allow()


@pytest.mark.parametrize(
    "tool",
    [
        *("WebFetch", "WebSearch", "Task", "Agent", "NotebookEdit", "PowerShell", "KillShell"),
        *("mcp__files__write", "Skill", "ExitPlanMode", "CronCreate", "bash", "read", ""),
    ],
)
def test_every_other_tool_is_refused(tool: str, place: Path) -> None:
    inside = str(place / "memory" / "x.md")
    given = {"command": "ls", "file_path": inside, "notebook_path": inside}
    assert isinstance(can_use_tool(tool, given, place / "memory", place), Deny)


def test_writes_inside_the_memory_directory_are_allowed(place: Path) -> None:
    (place / "memory" / "old.md").write_text("x", encoding="utf-8")
    for path in ("memory/new.md", "memory/old.md", "memory/notes/../new.md", "memory/a/b/c.md"):
        assert write(path, place) == Allow()
        assert write(str(place / path), place) == Allow()


@pytest.mark.parametrize(
    "path",
    [
        *("src/x.md", "memory", "memory/", "memory/../src/x.md", "memory/../memory", "../x.md"),
        *("/etc/passwd", "memory-other/x.md", "~/x.md", "memory/*.md", "memory/{a,b}.md", "", "."),
        *("memory/$HOME.md", "memory/a\nb.md", "memory/a\0b.md", "memory/.git/config"),
        *("memory/.x.md", "memory/notes", " memory/x.md", "memory/`id`.md", "memory\\x.md"),
        *("memory/HEAD", "memory/a/head", "memory/CLAUDE.md", "memory/notes/agents.md"),
    ],
)
def test_writes_elsewhere_or_under_odd_names_are_refused(path: str, place: Path) -> None:
    assert isinstance(write(path, place), Deny)
    absolute = f"{place}/{path}" if not path.startswith("/") else path
    assert isinstance(write(absolute, place), Deny)


def test_links_that_lead_outside_are_refused(place: Path) -> None:
    memory = place / "memory"
    outside = place / "src" / "victim.md"
    outside.write_text("x", encoding="utf-8")
    (memory / "link.md").symlink_to(outside)
    (memory / "dangling.md").symlink_to(place / "src" / "new.md")
    (memory / "folder").symlink_to(place / "src")
    os.link(outside, memory / "hard.md")
    os.mkfifo(memory / "pipe.md")
    for name in ("link.md", "dangling.md", "folder/new.md", "hard.md", "pipe.md"):
        assert isinstance(write(f"memory/{name}", place), Deny), name
    assert isinstance(write("memory/folder/../x.md", place), Deny)


def test_a_memory_directory_behind_a_link_is_resolved(place: Path) -> None:
    (place / "linked").symlink_to(place / "memory")
    inside = {"file_path": str(place / "linked" / "x.md")}
    assert can_use_tool("Write", inside, place / "linked", place) == Allow()
    assert can_use_tool("Write", inside, place / "memory", place) == Allow()


@pytest.mark.parametrize("memory", ["/", "/tmp", "", "relative"])
def test_a_memory_directory_that_is_too_wide_allows_no_writes(memory: str, place: Path) -> None:
    decision = can_use_tool("Write", {"file_path": "/tmp/x.md"}, memory, place)
    assert isinstance(decision, Deny)


def test_git_is_refused_where_memory_could_have_written_its_settings(place: Path) -> None:
    memory = place / "memory"
    assert isinstance(can_use_tool("Bash", {"command": "git status"}, memory, memory), Deny)


def test_git_is_refused_where_the_shell_and_the_file_system_read_a_path_differently(
    place: Path,
) -> None:
    (place / "src" / "deep").mkdir()
    (place / "link").symlink_to(place / "src" / "deep")
    bare = place / "bare"
    (bare / "objects").mkdir(parents=True)
    (bare / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert shell("cd src/deep/.. && git status", place) == Allow()
    assert isinstance(shell("cd link/../bare && git status", place), Deny)
    assert isinstance(shell("git -C link/../bare status", place), Deny)


def test_input_of_the_wrong_shape_is_refused(place: Path) -> None:
    for given in ({}, {"command": None}, {"command": ["ls"]}, {"command": " "}, {"file_path": 1}):
        assert isinstance(can_use_tool("Bash", given, place / "memory", place), Deny)
        assert isinstance(can_use_tool("Write", given, place / "memory", place), Deny)
    assert isinstance(can_use_tool("Bash", None, place / "memory", place), Deny)  # type: ignore[arg-type]
    background = {"command": "ls", "run_in_background": True}
    assert isinstance(can_use_tool("Bash", background, place / "memory", place), Deny)


def test_a_very_long_or_deep_line_is_refused_quickly(place: Path) -> None:
    assert isinstance(shell("ls " + "x " * 10_000, place), Deny)
    assert isinstance(shell("echo " + "$(echo " * 500 + ")" * 500, place), Deny)
    assert isinstance(shell("(" * 900 + "ls" + ")" * 900, place), Deny)


def hook(call: str, *arguments: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-E", "-P", "-m", "reverie.guard.guard", *arguments]
    env = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
    if home is not None:
        env["CLAUDE_PROJECT_DIR"] = str(home)
    return subprocess.run(command, input=call, capture_output=True, text=True, check=False, env=env)


def test_as_a_hook_it_answers_in_the_clients_form(place: Path) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "cwd": str(place)}
    answer = json.loads(hook(json.dumps(call), str(place / "memory")).stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PreToolUse"
    assert answer["permissionDecision"] == "deny"
    assert "rm" in answer["permissionDecisionReason"]
    call["tool_input"] = {"command": "ls"}
    answer = json.loads(hook(json.dumps(call), str(place / "memory")).stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "allow"


@pytest.mark.proves("D9")
def test_as_a_hook_it_knows_where_the_session_began(place: Path) -> None:
    other = place.parent / "other"
    call = {"tool_name": "Bash", "tool_input": {"command": "git status"}, "cwd": str(other)}
    for home, decision in ((place, "deny"), (other, "allow"), (None, "allow")):
        answer = json.loads(hook(json.dumps(call), str(place / "memory"), home=home).stdout)
        assert answer["hookSpecificOutput"]["permissionDecision"] == decision


def test_as_a_hook_it_refuses_whatever_goes_wrong(place: Path) -> None:
    for call in ("", "[]", "null", "{", '{"tool_name": 5}'):
        answer = json.loads(hook(call, str(place / "memory")).stdout)["hookSpecificOutput"]
        assert answer["permissionDecision"] == "deny"
    assert hook("{}").returncode == 2


def hostile_folder(folder: Path, proof: Path, names: tuple[str, ...]) -> Path:
    """A project whose modules are named like the guard's and leave a proof when they are loaded."""
    folder.mkdir()
    for name in names:
        module = folder / name
        module.parent.mkdir(exist_ok=True)
        module.write_text(f"open({str(proof)!r}, 'w').close()\n", encoding="utf-8")
    return folder


@pytest.mark.proves("D9")
def test_as_a_hook_it_loads_nothing_of_the_project_it_runs_in(tmp_path: Path) -> None:
    proof, memory = tmp_path / "proof", tmp_path / "memory"
    modules = ("json.py", "re.py", "stat.py", "typing.py", "dataclasses.py", "tree_sitter.py")
    modules += ("reverie/__init__.py", "sitecustomize.py", "unicodedata.py", "hashlib.py")
    project = hostile_folder(tmp_path / "project", proof, modules)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": f":{project}", "PYTHONSTARTUP": "json.py"}

    def decision(line: list[str] | str, command: str) -> tuple[int, str]:
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(project)}
        done = subprocess.run(
            line,
            shell=isinstance(line, str),
            input=json.dumps(call),
            capture_output=True,
            text=True,
            check=False,
            env=env,
            cwd=project,
        )
        return done.returncode, done.stdout

    # Without the options it does: a folder that nobody falls for would prove nothing.
    decision([sys.executable, "-m", "reverie.guard.guard", str(memory)], "ls")
    assert proof.exists()
    proof.unlink()
    started = hook_command(memory)
    assert '"allow"' in decision(started, "ls | head")[1]
    assert '"deny"' in decision(started, "rm x")[1]
    assert not proof.exists()


@pytest.mark.proves("D9")
def test_started_without_its_options_it_still_drops_the_folder_it_stands_in(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    names = ("json/__init__.py", "tree_sitter.py", "unicodedata.py", "hashlib.py")
    project = hostile_folder(tmp_path / "project", proof, names)
    line = [sys.executable, "-m", "reverie.guard.guard", str(tmp_path / "memory")]
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": str(project)}
    done = subprocess.run(
        line, input=json.dumps(call), capture_output=True, text=True, check=False, cwd=project
    )
    assert '"allow"' in done.stdout
    assert not proof.exists()


@pytest.mark.proves("D9")
def test_a_hook_that_cannot_start_blocks_the_call(tmp_path: Path) -> None:
    line = hook_command(tmp_path / "memory").replace("reverie.guard.guard", "reverie.guard.gone")
    done = subprocess.run(line, shell=True, input="{}", capture_output=True, text=True, check=False)
    assert done.returncode == 2


def hook_command(memory: Path) -> str:
    """The line that Reverie gives to the client as its hook."""
    engine = ClaudeCode("claude", memory, {})
    conversation = Conversation("session", memory, 1)
    command = engine.fork(conversation, Limits(1.0, 1, 1), str(memory))
    given = json.loads(command[command.index("--settings") + 1])
    return given["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
