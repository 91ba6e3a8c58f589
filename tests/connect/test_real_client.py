"""The real Claude Code client, offline: what is said in one session, the next one is told."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.connect.test_plugin import client
from tests.patience import SECONDS
from tests.serve.scripted import Api, serving

from reverie import OWNER, Memory
from reverie.cli.root import run
from reverie.recall.digest import OPEN

SAID = "No, the quay is numbered from the north, not from the south."


class Client:
    """Claude Code in one project, with a model that says nothing of its own."""

    def __init__(self, project: Path, home: Path) -> None:
        self.project = project
        self.home = home

    def session(self, *prompts: str) -> str:
        """Run a session of so many turns; the words of its first request."""
        api = Api("nothing calls for a tool", "", {})
        with serving(api):
            for number, prompt in enumerate(prompts):
                again = ["--continue"] if number else []
                done = subprocess.run(
                    [client(), "-p", prompt, *again],
                    cwd=self.project,
                    env=self.environment(api.url),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=SECONDS,
                    check=False,
                )
                assert done.returncode == 0, done.stdout + done.stderr
        first = next(body for body in api.requests if body.get("tools"))
        return json.dumps(first["messages"], ensure_ascii=False)

    def environment(self, url: str) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }


def learned(memory: Memory, words: str) -> None:
    """Wait until the worker that the hook started has prepared what it learned."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if any(
            words in file.read_text(encoding="utf-8")
            for file in (memory.config.home / "digests").glob("*.json")
        ):
            return
        time.sleep(0.2)
    raise AssertionError((memory.config.home / "hooks.log").read_text(encoding="utf-8"))


@pytest.mark.needs("claude")
@pytest.mark.proves("D10")
def test_what_is_corrected_in_one_session_is_told_to_the_next_and_forgotten_when_asked(
    isolated_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "harbour"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(project)
    with Memory.open(folder=project, asker=OWNER) as memory:
        memory.remember("Always run the linter before a commit", scope="global")
        assert run(["connect", "claude-code", "--plain", "--hooks", "--yes"]) == 0
        claude = Client(project, isolated_home)
        first = claude.session("Please number the berths of the quay.", SAID)
        assert OPEN in first and "Always run the linter" in first
        assert "from the north" not in first
        learned(memory, "from the north")
        second = claude.session("Please paint the crane.")
        assert "from the north" in second
        line = next(one for one in memory.digest().lines if "north" in one.text)
        assert run(["forget", line.handle]) == 0
        third = claude.session("Please paint the crane once more.")
        assert OPEN in third and "from the north" not in third
