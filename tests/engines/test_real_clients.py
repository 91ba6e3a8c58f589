"""The real Claude Code and Codex as engines, offline: one suite for both.

Each has a home full of what must not take part: hooks, servers, instructions and skills.
"""

import json
import os
import pwd
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from examples import claude_offline, codex_offline
from tests.engines.test_claude_code import LIMITS

from reverie.engines.claude_code import ClaudeCode
from reverie.engines.codex import Codex
from reverie.engines.process import NOTHING
from reverie.engines.protocol import Engine, Prompt
from reverie.errors import CallFailed

FORM = {
    "type": "object",
    "required": ["lessons"],
    "additionalProperties": False,
    "properties": {
        "lessons": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["text"],
                "properties": {"text": {"type": "string"}, "why": {"type": "string"}},
            },
        }
    },
}
PROMPT = Prompt("w-1", "session", "1", "Say what lasts.", "[h1] person: Number from north.", FORM)
LESSONS = {"lessons": [{"text": "Berths are numbered from the north"}]}
FOREIGN = "WORDS-OF-ANOTHER"


class Played(ABC):
    """A real client with a scripted model."""

    engine: Engine
    home: Path
    requests: list[dict[str, Any]]
    held: threading.Event

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scratch = folder / "home" / ".reverie" / "engine"
        self.touched = folder / "touched"

    def furnish(self) -> None:
        self.scratch.mkdir(parents=True)
        for place in (self.scratch.parent, self.home):
            for name in ("CLAUDE.md", "AGENTS.md"):
                (place / name).write_text(FOREIGN, encoding="utf-8")

    def touching(self, name: str) -> str:
        return f"touch {self.touched}-{name}"

    @abstractmethod
    def says(self, *said: Any) -> None:
        """Have the model say something: words, or the answer in its form."""

    @abstractmethod
    def refuses(self) -> None: ...

    @abstractmethod
    def fails(self, status: int) -> None: ...

    @abstractmethod
    def logged_out(self) -> Engine: ...

    @abstractmethod
    def logs(self) -> list[Path]: ...


class PlayedClaude(Played):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        program = claude_offline.find_client()
        assert program is not None
        self.api = claude_offline.Api()
        self.client = claude_offline.Client(program, folder, self.api)
        self.home, self.requests, self.held = self.client.home, self.api.bodies, self.api.held
        self.furnish()
        self.engine = ClaudeCode(program, self.scratch, self.client.env)

    def furnish(self) -> None:
        super().furnish()
        events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")
        hooks = {
            event: [{"hooks": [{"type": "command", "command": self.touching(event)}]}]
            for event in events
        }
        folder = self.home / ".claude"
        (folder / "skills" / "mine").mkdir(parents=True)
        settings = {"hooks": hooks, "outputStyle": "Explanatory"}
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        (folder / "CLAUDE.md").write_text(FOREIGN, encoding="utf-8")
        skill = f"---\nname: mine\ndescription: {FOREIGN}\n---\n{FOREIGN}\n"
        (folder / "skills" / "mine" / "SKILL.md").write_text(skill, encoding="utf-8")
        known = json.loads((self.home / ".claude.json").read_text(encoding="utf-8"))
        server = {"type": "stdio", "command": "/bin/sh", "args": ["-c", self.touching("server")]}
        known["mcpServers"] = {"foreign": server}
        (self.home / ".claude.json").write_text(json.dumps(known), encoding="utf-8")

    def says(self, *said: Any) -> None:
        blocks = [one if isinstance(one, str) else ("StructuredOutput", one) for one in said]
        self.api.rules = ((".", blocks),)

    def refuses(self) -> None:
        self.says("I cannot.")
        self.api.stop_reason = "refusal"

    def fails(self, status: int) -> None:
        self.api.status = status

    def logged_out(self) -> Engine:
        env = {key: value for key, value in self.client.env.items() if key != "ANTHROPIC_API_KEY"}
        return ClaudeCode(self.client.program, self.scratch, env)

    def logs(self) -> list[Path]:
        return self.client.logs()


class PlayedCodex(Played):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        program = codex_offline.find_codex()
        assert program is not None
        self.api = codex_offline.Api(lambda body: "OK.")
        self.client = codex_offline.Client(program, folder, self.api)
        self.home, self.requests, self.held = self.client.home, self.api.bodies, self.api.held
        self.furnish()
        self.engine = Codex(program, self.scratch, self.client.env)

    def furnish(self) -> None:
        super().furnish()
        hooks = {
            event: [{"hooks": [{"type": "command", "command": self.touching(event)}]}]
            for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
        }
        config = self.client.codex / "config.toml"
        server = f'command = "/bin/sh"\nargs = ["-c", "{self.touching("server")}"]\n'
        given = config.read_text(encoding="utf-8")
        own = f'developer_instructions = "{FOREIGN}"\nnotify = ["touch", "{self.touched}-note"]\n'
        config.write_text(f"{own}{given}[mcp_servers.foreign]\n{server}", encoding="utf-8")
        (self.client.codex / "hooks.json").write_text(json.dumps({"hooks": hooks}))
        skill = self.client.codex / "skills" / "mine" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(f"---\nname: mine\ndescription: {FOREIGN}\n---\n{FOREIGN}\n")

    def says(self, *said: Any) -> None:
        self.api.model = lambda body: said[0] if isinstance(said[0], str) else json.dumps(said[0])

    def refuses(self) -> None:
        self.api.model = lambda body: codex_offline.message("I cannot.", "refusal")

    def fails(self, status: int) -> None:
        self.api.status = status

    def logged_out(self) -> Engine:
        env = {key: value for key, value in self.client.env.items() if key != "OFFLINE_KEY"}
        return Codex(self.client.program, self.scratch, env)

    def logs(self) -> list[Path]:
        return self.client.logs()


@pytest.fixture(
    params=[
        pytest.param(PlayedClaude, id="claude-code", marks=pytest.mark.needs("claude")),
        pytest.param(PlayedCodex, id="codex", marks=pytest.mark.needs("codex")),
    ]
)
def played(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Played]:
    # The home of the test is empty; the clients are looked for in the real one.
    monkeypatch.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
    client: Played = request.param(tmp_path / "client")
    yield client
    client.held.set()
    assert not list(client.scratch.iterdir())
    assert not client.logs()
    assert not list(client.folder.glob("touched-*"))
    for file in client.home.rglob("*"):
        if file.is_file():
            assert PROMPT.material.encode() not in file.read_bytes(), file


@pytest.mark.proves("F7")
def test_it_answers_in_the_form_asked_for_and_tells_what_that_took(played: Played) -> None:
    played.says(LESSONS)
    answer = played.engine.answer(PROMPT, LIMITS)
    assert json.loads(answer.text) == LESSONS
    assert answer.receipt.known and answer.receipt.tokens > 0
    assert len(played.requests) == 1


def test_it_is_sent_the_piece_and_hardly_anything_beside_it(played: Played) -> None:
    played.says(LESSONS)
    played.engine.answer(PROMPT, LIMITS)
    sent = json.dumps(played.requests)
    assert PROMPT.instructions in sent and PROMPT.material in sent
    assert FOREIGN not in sent
    assert len(sent) < 5_000
    offered = [tool["name"] for tool in played.requests[0].get("tools", [])]
    assert set(offered) <= {"StructuredOutput", "request_user_input"}


@pytest.mark.hostile("R5")
def test_words_instead_of_the_form_are_an_error(played: Played) -> None:
    played.says("I think berths matter.")
    with pytest.raises(CallFailed, match="something else: I think") as failed:
        played.engine.answer(PROMPT, LIMITS)
    assert failed.value.used is not None and sum(failed.value.used) > 0


@pytest.mark.hostile("R5")
def test_a_refusal_is_an_error(played: Played) -> None:
    played.refuses()
    with pytest.raises(CallFailed, match="refuse") as failed:
        played.engine.answer(PROMPT, LIMITS)
    assert not failed.value.again


@pytest.mark.hostile("R5")
def test_a_model_that_never_answers_is_given_up(played: Played) -> None:
    played.held.clear()
    for seconds in (3, 30):
        with pytest.raises(CallFailed, match="took longer") as failed:
            played.engine.answer(PROMPT, replace(LIMITS, seconds=seconds))
        assert failed.value.used is None
        if played.requests:
            return
    raise AssertionError("it never asked")


@pytest.mark.hostile("R5")
def test_a_server_that_refuses_is_an_error(played: Played) -> None:
    played.fails(400)
    with pytest.raises(CallFailed, match="failed"):
        played.engine.answer(PROMPT, LIMITS)


def test_who_is_not_logged_in_is_told_to_and_nothing_was_asked(played: Played) -> None:
    with pytest.raises(CallFailed) as failed:
        played.logged_out().answer(PROMPT, LIMITS)
    assert failed.value.whole and failed.value.hint is not None
    assert failed.value.used == NOTHING
    assert not played.requests


@pytest.mark.needs("claude")
@pytest.mark.proves("F7")
def test_claude_code_goes_no_further_than_its_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
    played = PlayedClaude(tmp_path / "client")
    played.says("Let me think first.")
    with pytest.raises(CallFailed, match="budget"):
        played.engine.answer(PROMPT, replace(LIMITS, usd=0.0001))
    assert len(played.requests) == 1
    assert played.requests[0]["max_tokens"] == LIMITS.output_tokens
