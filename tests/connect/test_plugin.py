"""The Claude Code plugin: well formed, complete, and accepted by the real client."""

import json
import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reverie import __version__
from reverie.connect.hook import EVENTS

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "plugin"
SKILLS = ("diary", "dream", "recall", "remember", "review", "synthesize")


def loaded(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def client() -> str:
    if found := shutil.which("claude"):
        return found
    home = pwd.getpwuid(os.getuid()).pw_dir
    prefix = Path(os.environ.get("REVERIE_TEST_CLAUDE", f"{home}/.cache/claude-offline"))
    return str(prefix / "node_modules/@anthropic-ai/claude-code-linux-x64/claude")


def test_the_plugin_has_the_packages_version_and_name() -> None:
    manifest = loaded(PLUGIN / ".claude-plugin" / "plugin.json")
    assert (manifest["name"], manifest["version"]) == ("reverie", __version__)
    (entry,) = loaded(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (ROOT / entry["source"]).resolve() == PLUGIN


def test_every_event_is_hooked_and_a_missing_installation_stays_quiet() -> None:
    hooks = loaded(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert set(hooks) == set(EVENTS)
    for event, groups in hooks.items():
        command = groups[0]["hooks"][0]["command"]
        assert f"reverie-hook {event};" in command
        done = subprocess.run(
            ["/bin/sh", "-c", command], env={"PATH": "/nowhere"}, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if event == "SessionStart":
            assert "not installed" in json.loads(done.stdout)["systemMessage"]
        else:
            assert done.stdout == b""


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_says_its_name_and_what_it_is_for(name: str) -> None:
    text = (PLUGIN / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert head is not None
    assert f"name: {name}" in head[1]
    assert "description: " in head[1]
    assert len(text) < 2_500


def test_no_skill_is_missing_or_unknown() -> None:
    assert sorted(path.name for path in (PLUGIN / "skills").iterdir()) == sorted(SKILLS)


@pytest.mark.needs("claude")
@pytest.mark.parametrize("folder", [PLUGIN, ROOT])
def test_the_real_client_accepts_it_strictly(folder: Path, isolated_home: Path) -> None:
    env = {"HOME": str(isolated_home), "PATH": os.environ["PATH"], "DISABLE_AUTOUPDATER": "1"}
    env |= {"DISABLE_TELEMETRY": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    done = subprocess.run(
        [client(), "plugin", "validate", "--strict", str(folder)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
