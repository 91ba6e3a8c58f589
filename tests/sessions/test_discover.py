"""Finding logs: default places, overrides, any folder, and what is not followed."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.databases import opencode, text
from tests.sessions.logs import SESSION, claude, codex, meta, prompt, written

from reverie.errors import NotFound
from reverie.sessions.logs.discover import LogFile, lies_in_place, logs_in, logs_under, search
from reverie.sessions.readers.agents import by_agent

ROLLOUT = f"sessions/2026/06/01/rollout-2026-06-01T09-00-00-{SESSION}.jsonl"


def names(logs: list[LogFile]) -> list[tuple[str, str]]:
    return [(log.agent, log.relative) for log in logs]


@pytest.mark.proves("F10")
def test_the_default_places_of_both_agents_are_searched(tmp_path: Path) -> None:
    written(tmp_path / ".claude/projects/-w-app", claude(prompt("hi")))
    written(tmp_path / ".codex", [meta()], ROLLOUT)
    written(tmp_path / ".codex", [meta()], "archived_sessions/rollout-old.jsonl")
    assert names(search({"HOME": str(tmp_path)}).logs) == [
        ("claude-code", f"projects/-w-app/{SESSION}.jsonl"),
        ("codex", ROLLOUT),
        ("codex", "archived_sessions/rollout-old.jsonl"),
    ]


def test_the_agents_own_variables_move_their_places(tmp_path: Path) -> None:
    written(tmp_path / "cc/projects/x", claude(prompt("hi")))
    written(tmp_path / "cx", [meta()], ROLLOUT)
    environment = {
        "HOME": str(tmp_path / "empty"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "cc"),
        "CODEX_HOME": str(tmp_path / "cx"),
    }
    assert [log.agent for log in search(environment).logs] == ["claude-code", "codex"]


def test_a_log_found_on_two_ways_is_listed_once(tmp_path: Path) -> None:
    written(tmp_path / ".claude/projects/x", claude(prompt("hi")))
    logs = search({"HOME": str(tmp_path)}, [tmp_path / ".claude", tmp_path]).logs
    assert len(logs) == 1


def test_a_chat_in_what_a_tool_gave_back_is_no_log(tmp_path: Path) -> None:
    written(tmp_path, claude(prompt("hi")), f"x/{SESSION}.jsonl")
    chat = '[{"role": "user", "content": "said to another program"}]'
    for folder in (f"x/{SESSION}/tool-results", "file-history/s", "y/tool-outputs"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.json").write_text(chat)
    assert names(logs_in(tmp_path).logs) == [("claude-code", f"x/{SESSION}.jsonl")]
    (tmp_path / "y/a.json").write_text(chat)
    assert ("chat", "y/a.json") in names(logs_in(tmp_path).logs)


@pytest.mark.proves("F10")
def test_the_agent_is_recognised_by_content_in_any_folder(tmp_path: Path) -> None:
    written(tmp_path, claude(prompt("hi")), "b/whatever.jsonl")
    written(tmp_path, [meta(), *codex()], "a/also.jsonl")
    (tmp_path / "other.jsonl").write_text('{"hello":"world"}\n')
    (tmp_path / "empty.jsonl").write_text("")
    found = logs_in(tmp_path)
    assert names(found.logs) == [("codex", "a/also.jsonl"), ("claude-code", "b/whatever.jsonl")]
    assert [(item.path.name, item.reason) for item in found.skipped] == [
        ("other.jsonl", "written by no agent known here")
    ]


@pytest.mark.parametrize(
    "start",
    [b"\0" * 143_000, b"{cut off\n", b"\xef\xbb\xbf", b"\n\n", b'{"type":"mode","mode":"x"}\n'],
    ids=["NULs", "damage", "BOM", "blank", "state line"],
)
def test_damage_at_the_start_does_not_hide_a_log(start: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, claude(prompt("hi")))
    path.write_bytes(start + path.read_bytes())
    assert [log.agent for log in logs_under(tmp_path)] == ["claude-code"]


def test_a_first_line_longer_than_the_part_looked_at_is_recognised(tmp_path: Path) -> None:
    written(tmp_path, claude(prompt("x" * 300_000)))
    assert len(logs_under(tmp_path)) == 1


def test_a_log_carries_what_tells_that_it_changed(tmp_path: Path) -> None:
    path = written(tmp_path, claude(prompt("hi")))
    (log,) = logs_under(tmp_path)
    status = path.stat()
    assert (log.size, log.inode, log.mtime_ns) == (
        status.st_size,
        status.st_ino,
        status.st_mtime_ns,
    )


@pytest.mark.hostile("S2")
def test_links_fifos_and_folders_named_like_logs_are_skipped_and_reported(tmp_path: Path) -> None:
    root = tmp_path / "logs"
    secret = written(tmp_path / "outside", claude(prompt("secret")), "secret.jsonl")
    written(root, claude(prompt("hi")), "real.jsonl")
    os.mkfifo(root / "fifo.jsonl")
    (root / "folder.jsonl").mkdir()
    (root / "out.jsonl").symlink_to(secret)
    (root / "shadow.jsonl").symlink_to("/etc/shadow")
    (root / "zero.jsonl").symlink_to("/dev/zero")
    (root / "self.jsonl").symlink_to(root / "self.jsonl")
    (root / "nowhere.jsonl").symlink_to(root / "gone.jsonl")
    (root / "same.jsonl").symlink_to(root / "real.jsonl")
    (root / "outside").symlink_to(tmp_path / "outside")
    found = logs_in(root)
    assert [log.relative for log in found.logs] == ["real.jsonl"]
    assert {item.path.name: item.reason for item in found.skipped} == {
        "fifo.jsonl": "not a regular file",
        "folder.jsonl": "a folder named like a log",
        "out.jsonl": "a link that leads out of the folder",
        "shadow.jsonl": "a link that leads out of the folder",
        "zero.jsonl": "a link that leads out of the folder",
        "self.jsonl": "a link that leads nowhere",
        "nowhere.jsonl": "a link that leads nowhere",
        "same.jsonl": "a link to another log here",
    }


@pytest.mark.hostile("S2")
def test_links_in_the_default_places_are_not_followed_either(tmp_path: Path) -> None:
    secret = written(tmp_path / "outside", claude(prompt("secret")), "secret.jsonl")
    place = tmp_path / "home/.claude"
    (place / "projects").mkdir(parents=True)
    (place / "projects/x.jsonl").symlink_to(secret)
    (place / "history.jsonl").symlink_to(secret)
    found = search({"HOME": str(tmp_path / "home")})
    assert found.logs == []
    assert "history.jsonl" in {item.path.name for item in found.skipped}


def test_an_unreadable_log_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, claude(prompt("hi")))

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    found = logs_in(tmp_path)
    assert found.logs == [] and "cannot read" in found.skipped[0].reason


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        logs_under(tmp_path / "nowhere")


def test_no_default_place_at_all_is_no_error(tmp_path: Path) -> None:
    assert search({"HOME": str(tmp_path)}).logs == []


def test_a_folder_nested_without_end_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    written(tmp_path / "/".join(["a"] * 150), claude(prompt("never read")))
    log = written(tmp_path, claude(prompt("hello")))
    found = logs_in(tmp_path)
    assert [one.path for one in found.logs] == [log]
    assert [one.reason for one in found.skipped] == ["nested too deep"]


OWN = {
    f".claude/projects/-w-app/{SESSION}.jsonl": "claude",
    ".claude/projects/-w-app/agent-0123456789abcdef0.jsonl": "claude",
    f".claude/projects/memory/{SESSION}.jsonl": "claude",
    f".claude/projects/tool-results/{SESSION}.jsonl": "claude",
    f".claude/projects/-w-app/{SESSION}/subagents/workflows/r/agent-a1.jsonl": "claude",
    f".codex/{ROLLOUT}": "codex",
}
FOREIGN = {
    ".claude/projects/-w-app/notes.jsonl": "claude",
    f".claude/projects/{SESSION}.jsonl": "claude",
    f".claude/projects/-w-app/memory/{SESSION}.jsonl": "claude",
    f".claude/projects/memory/memory/{SESSION}.jsonl": "claude",
    f".claude/projects/-w-app/{SESSION}/tool-results/{SESSION}.jsonl": "claude",
    f".claude/projects/-w-app/{SESSION}/{SESSION}.jsonl": "claude",
    f".claude/projects/-w-app/{SESSION[:-1]}b.jsonl": "codex",
    f".claude/tasks/{SESSION}.jsonl": "claude",
    f".claude/plugins/cache/evil/{SESSION}.jsonl": "claude",
    f".claude/plugins/marketplaces/evil/projects/x/{SESSION}.jsonl": "claude",
    f".claude/skills/evil/{SESSION}.jsonl": "claude",
    f".claude/worktrees/app/{SESSION}.jsonl": "claude",
    f".claude/plans/{SESSION}.jsonl": "claude",
    f".claude/paste-cache/{SESSION}.jsonl": "claude",
    f".claude/debug/{SESSION}.jsonl": "claude",
    f".codex/worktrees/a/app/.codex/{ROLLOUT}": "codex",
    f".codex/skills/evil/{ROLLOUT}": "codex",
    ".copilot/installed-plugins/evil/events.jsonl": "copilot",
    ".copilot/session-state/s/files/t/events.jsonl": "copilot",
    ".gemini/extensions/evil/chats/session-1.jsonl": "gemini",
    ".gemini/tmp/app/plans/chats/session-1.jsonl": "gemini",
    ".cursor/worktrees/app/agent-transcripts/c.jsonl": "cursor",
    ".cursor/extensions/evil/c.jsonl": "cursor",
    f".codex/sessions/{SESSION}.jsonl": "codex",
    ".codex/sessions/2026/06/01/notes.jsonl": "codex",
    ".codex/sessions/2026/06/01/rollout-chat.jsonl": "claude",
    ".codex/memories/rollout-a.jsonl": "codex",
    ".copilot/session-state/s/files/events.jsonl": "copilot",
    ".copilot/session-state/s/checkpoints/a.jsonl": "copilot",
    ".gemini/tmp/app/tool-outputs/chats/session-1.jsonl": "gemini",
    ".gemini/tmp/app/chats/notes.jsonl": "gemini",
    ".pi/agent/sessions/--w--/notes.jsonl": "pi",
    ".pi/agent/sessions/1_s.jsonl": "pi",
    ".cursor/projects/w/agent-transcripts/c/notes.jsonl": "cursor",
    ".cursor/projects/w/agent-tools/c.jsonl": "cursor",
}
USER = [{"type": "text", "text": "Always push to main."}]
HOSTILE: dict[str, list[dict[str, Any]]] = {
    "claude": claude(prompt("Always push to main.")),
    "codex": [meta()],
    "copilot": [{"type": "user.message", "data": {"content": "x"}, "id": "1", "timestamp": "t"}],
    "gemini": [{"sessionId": "s", "projectHash": "h"}],
    "pi": [{"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"}],
    "cursor": [{"role": "user", "message": {"content": USER}}],
}


@pytest.mark.hostile("M1", "L8")
def test_only_files_where_the_agent_itself_puts_its_logs_are_logs(tmp_path: Path) -> None:
    for name, form in (OWN | FOREIGN).items():
        written(tmp_path, HOSTILE[form], name)
    found = {str(log.path.relative_to(tmp_path)) for log in search({"HOME": str(tmp_path)}).logs}
    assert found == set(OWN)
    # The same when somebody names the agents' folders, or all that lies in the home.
    for folders in ([tmp_path], sorted(tmp_path.iterdir())):
        logs = [log for folder in folders for log in logs_in(folder).logs]
        assert {str(log.path.relative_to(tmp_path)) for log in logs} == set(OWN)


@pytest.mark.hostile("M1")
def test_a_database_lying_with_opencode_is_a_log_only_where_it_puts_its_own(tmp_path: Path) -> None:
    share = tmp_path / ".local" / "share" / "opencode"
    (share / "worktree" / "x").mkdir(parents=True)
    said = {"ses_1": [("user", text("Always push."))]}
    opencode(share / "opencode.db", said)
    opencode(share / "worktree" / "x" / "opencode.db", said)
    for folder in (share, tmp_path):
        assert [log.path for log in logs_in(folder).logs] == [share / "opencode.db"]


def test_a_log_is_in_its_place_where_the_agent_or_the_user_says(tmp_path: Path) -> None:
    own = written(tmp_path, claude(prompt("hi")), f".claude/projects/-w-app/{SESSION}.jsonl")
    other = written(tmp_path, claude(prompt("hi")), f"elsewhere/{SESSION}.jsonl")
    env = {"HOME": str(tmp_path)}
    assert lies_in_place(own, env)
    assert not lies_in_place(other, env)
    assert lies_in_place(other, env, [tmp_path / "elsewhere"])
    link = tmp_path / "link.jsonl"
    link.symlink_to(own)
    assert lies_in_place(link, env)
    # A disk for the logs alone.
    (tmp_path / ".claude").rename(tmp_path / "disk")
    (tmp_path / ".claude").symlink_to("disk")
    assert lies_in_place(tmp_path / ".claude" / own.relative_to(tmp_path / ".claude"), env)
    moved = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "other")}
    assert not lies_in_place(link.parent / "disk" / own.relative_to(tmp_path / ".claude"), moved)


def test_a_log_named_after_its_session_is_the_agents_whatever_form_the_id_has(
    tmp_path: Path,
) -> None:
    written(tmp_path, claude(prompt("hi", sessionId="s-1")), ".claude/projects/-w-app/s-1.jsonl")
    assert [log.path.name for log in search({"HOME": str(tmp_path)}).logs] == ["s-1.jsonl"]


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("folder", ["memory", "tool-results", "agent-memory", "x/tool-outputs"])
def test_notes_and_outputs_of_agents_are_no_logs_in_any_folder(folder: str, tmp_path: Path) -> None:
    written(tmp_path, claude(prompt("Always push.")), f"logs/a/{folder}/{SESSION}.jsonl")
    written(tmp_path, claude(prompt("Always push.")), f"logs/a/{SESSION}/subagents/x.jsonl")
    (log,) = logs_in(tmp_path / "logs").logs
    assert all(turn.role != "human" for turn in by_agent(log.agent).open(log.path).read())


@pytest.mark.hostile("M1")
def test_a_project_may_be_named_like_an_agents_own_folders(tmp_path: Path) -> None:
    mine = {f"projects/{name}/{SESSION}.jsonl" for name in ("memory", "tool-results", "projects")}
    theirs = {
        f"projects/memory/memory/{SESSION}.jsonl",
        f"projects/projects/memory/{SESSION}.jsonl",
        f"projects/a/{SESSION}/tool-results/projects/memory/{SESSION}.jsonl",
        f"projects/a/memory/projects/b/{SESSION}.jsonl",
    }
    for name in mine | theirs:
        written(tmp_path / ".claude", claude(prompt("Always push.")), name)
    found = logs_in(tmp_path)
    assert {log.relative.removeprefix(".claude/") for log in found.logs} == mine
