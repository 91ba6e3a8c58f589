"""The real clients, offline: what is corrected without a cue in one session, the next one is told.

The model that talks in the sessions is the one that thinks about them: a script on loopback.
"""

import json
import os
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples import claude_offline, codex_offline
from examples.terminal import Terminal
from tests.engines.lessons import answer_to
from tests.patience import eventually

from reverie import OWNER, Memory
from reverie.cli.root import run

ASKED = "Please number the berths of the quay."
CORRECTED = "Berth one of the quay is at its north end, that is how the harbour map has it."
LESSON = "Berth one of the quay is at its north end, as the harbour map has it."
LATER = "Please paint the crane."


def furnish(agent: str, program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The client is on the path and may think; returns the path."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / {"claude-code": "claude"}.get(agent, agent)).symlink_to(program)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    return path


def connected(agent: str) -> None:
    plain = ["--plain"] if agent == "claude-code" else []
    assert run(["connect", agent, *plain, "--hooks", "--yes"]) == 0
    assert run(["engines", "use", agent]) == 0


def thought(memory: Memory) -> bool:
    """Whether what was learned is prepared to be told: the last thing a worker does."""
    return any(
        "Berth one" in file.read_text(encoding="utf-8")
        for file in (memory.config.home / "remembered").glob("*.json")
    )


def why_not(memory: Memory) -> str:
    log = memory.config.home / "hooks.log"
    receipts = memory.config.home / "receipts.jsonl"
    return "\n".join(f.read_text(encoding="utf-8") for f in (log, receipts) if f.exists())


def told_once(client: Terminal, name: str) -> None:
    client.wait(lambda: "Remembered: Berth one of the quay" in client.screen(name), name)


def checked(memory: Memory, agent: str, logs: Callable[[], list[Path]]) -> None:
    """One memory in good words, unconfirmed; nothing was learned of the run that thought of it."""
    (item,) = memory.memories()
    assert LESSON in item.document.body
    assert item.memory.trust == "agent"
    receipts = (memory.config.home / "receipts.jsonl").read_text(encoding="utf-8").splitlines()
    (last,) = {json.loads(line)["id"]: json.loads(line) for line in receipts}.values()
    assert (last["engine"], last["outcome"], last["known"]) == (agent, "taken", True)
    assert len(logs()) == 1
    assert len(memory.index.sessions()) == 1
    assert not list((memory.config.home / "engine").iterdir())


@pytest.mark.needs("claude", "tmux")
@pytest.mark.proves("D7", "F12")
def test_claude_code_thinks_about_its_session_and_the_next_one_knows(
    isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The home of the test is empty; the client is looked for in the real one.
    with monkeypatch.context() as real:
        real.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
        program = claude_offline.find_client()
    assert program is not None

    def distils(said: str) -> list[claude_offline.Block]:
        return [("StructuredOutput", answer_to(said, "north end", LESSON))]

    api = claude_offline.Api(
        (r"\bPERSON\b", distils), ("number the berths", ["I numbered them from the south."])
    )
    path = furnish("claude-code", program, tmp_path, monkeypatch)
    client = claude_offline.Client(program, tmp_path, api, path)
    monkeypatch.chdir(client.project)
    connected("claude-code")

    def session(name: str, *prompts: str, watch: Callable[[], None] = lambda: None) -> None:
        client.open(name)
        client.ready(name)
        watch()
        for number, prompt in enumerate(prompts, 1):
            client.say(name, prompt, lambda said=prompt: bool(api.with_text(said)))
            client.wait(lambda count=number: client.screen(name).count("●") >= count, name)
        client.say(name, "/exit", lambda: not client.is_open(name))

    try:
        with Memory.open(folder=client.project, asker=OWNER) as memory:
            session("one", ASKED, CORRECTED)
            assert eventually(lambda: thought(memory)), why_not(memory)
            checked(memory, "claude-code", client.logs)
            before = len(api.bodies)
            session("two", LATER, watch=lambda: told_once(client, "two"))
            told = [body for body in api.with_text(LATER, before) if body.get("tools")]
            assert LESSON in json.dumps(told[0]["messages"])
    finally:
        client.hang_up()


@pytest.mark.needs("codex", "tmux")
@pytest.mark.proves("D7", "F12")
def test_codex_thinks_about_its_session_and_the_next_one_knows(
    isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as real:
        real.setenv("HOME", pwd.getpwuid(os.getuid()).pw_dir)
        program = codex_offline.find_codex()
    assert program is not None

    def model(body: dict[str, Any]) -> str:
        said = codex_offline.newest(body)["content"][-1].get("text", "")
        if " PERSON" in said:
            return json.dumps(answer_to(said, "north end", LESSON))
        return "I numbered them from the south." if "berths" in said else "Done."

    api = codex_offline.Api(model)
    path = furnish("codex", program, tmp_path, monkeypatch)
    client = codex_offline.Client(program, tmp_path, api, path)
    monkeypatch.chdir(client.project)
    connected("codex")
    with Memory.open(folder=client.project, asker=OWNER) as memory:
        client.converse(ASKED, CORRECTED)
        assert eventually(lambda: thought(memory)), why_not(memory)
        checked(memory, "codex", client.logs)
        before = len(api.bodies)
        client.converse(LATER, watch=lambda: told_once(client, "codex"))
        assert any(LESSON in json.dumps(body) for body in api.bodies[before:])
