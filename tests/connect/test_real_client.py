"""The real Claude Code client, offline: what is said in one session, the next one is told."""

import json
import os
import pty
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.connect.test_plugin import client
from tests.patience import SECONDS
from tests.serve.scripted import Api, serving

from reverie import OWNER, Memory
from reverie.cli.root import run
from reverie.db.locks import try_lock
from reverie.operations import learning
from reverie.recall.digest import OPEN

KEY = "sk-none-0123456789-0123456789"
SAID = "No, the quay is numbered from the north, not from the south."


class Client:
    """Claude Code at a terminal, with a model that says nothing of its own.

    What a script hands over with `-p` is nobody's word, so a person is needed: keys are pressed.
    """

    def __init__(self, project: Path, home: Path) -> None:
        self.project = project
        self.home = home
        settings = home / ".claude.json"
        known = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
        known |= {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(project): {"hasTrustDialogAccepted": True}},
        }
        settings.write_text(json.dumps(known), encoding="utf-8")

    def session(self, *prompts: str) -> str:
        """Say the prompts one after the other; the words of the first request."""
        api = Api("nothing calls for a tool", "", {})
        with serving(api):
            screen, keys = pty.openpty()
            running = subprocess.Popen(
                [client()],
                cwd=self.project,
                env=self.environment(api.url),
                stdin=keys,
                stdout=keys,
                stderr=keys,
                start_new_session=True,
            )
            os.close(keys)
            shown = _reading(screen)
            try:
                for prompt in prompts:
                    _wait(lambda: b"\xe2\x9d\xaf" in shown or b">" in shown, shown)
                    time.sleep(1)
                    os.write(screen, prompt.encode())
                    time.sleep(0.5)  # keys that come too fast are taken for a paste
                    os.write(screen, b"\r")
                    _wait(lambda said=prompt: said in spoken(api), shown)
                    time.sleep(1)
                os.write(screen, b"/exit")
                time.sleep(0.5)
                os.write(screen, b"\r")
                running.wait(SECONDS)
            finally:
                running.kill()
                running.wait()
                os.close(screen)
        first = next(body for body in api.requests if body.get("tools"))
        return json.dumps(first["messages"], ensure_ascii=False)

    def environment(self, url: str) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "IS_SANDBOX": "1",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }


def spoken(api: Api) -> str:
    return json.dumps([body["messages"] for body in api.requests if body.get("tools")])


def _reading(screen: int) -> bytearray:
    """What appears on a terminal, read on the side until it is closed."""
    shown = bytearray()

    def read() -> None:
        with suppress(OSError):
            while part := os.read(screen, 65_536):
                shown.extend(part)

    threading.Thread(target=read, daemon=True).start()
    return shown


def _wait(until: Callable[[], bool], shown: bytearray) -> None:
    deadline = time.monotonic() + SECONDS
    while not until():
        assert time.monotonic() < deadline, shown.decode("utf-8", "replace")[-3_000:]
        time.sleep(0.1)


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
@pytest.mark.proves("F12")
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


@pytest.mark.needs("claude")
def test_two_sessions_through_hooks_alone_leave_nothing_to_do(
    isolated_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = tmp_path / "harbour"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(project)
    before = os.umask(0o022)
    try:
        assert run(["connect", "claude-code", "--plain", "--hooks", "--yes"]) == 0
        claude = Client(project, isolated_home)
        with Memory.open(folder=project, asker=OWNER) as memory:
            claude.session("Please number the berths of the quay.", SAID)
            learned(memory, "from the north")
            claude.session("Please paint the crane.", "No, cranes are painted red, not yellow.")
            learned(memory, "painted red")
            _wait(lambda: not list((memory.config.home / "spool").glob("*/*.json")), bytearray())
        with Memory.open(folder=project, asker=OWNER) as memory:
            # The worker enters what was told, and then it ends.
            _wait(lambda: not _worked_on(memory.config.home), bytearray())
            marked = memory.marks.learned_at
            assert len(marked) == 2
            assert memory.marks.pending(memory.index.days()) == []
            status = memory.status()
            assert (status.pending_days, status.set_aside) == (0, 0)
            assert not any("reverie learn" in step for step in status.next)
            assert learning.due(memory).sessions == 2
        capsys.readouterr()
        assert run(["doctor"]) == 0, capsys.readouterr().out
        loose = [
            path for path in (isolated_home / ".reverie").rglob("*") if path.lstat().st_mode & 0o077
        ]
        assert loose == []
    finally:
        os.umask(before)


def _worked_on(home: Path) -> bool:
    """Whether a worker holds the lock of a project."""
    for lock in home.glob("spool/*/lock"):
        with lock.open("rb") as file:
            if not try_lock(file.fileno()):
                return True
    return False
