"""The Claude Code plugin: well formed, complete, and accepted by the real client."""

import json
import os
import pwd
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from tests.commands import Command, repository
from tests.patience import SECONDS

from reverie import __version__
from reverie.cli.root import root
from reverie.connect.hook import EVENTS
from reverie.learn.diary.handed_in import VERDICTS, read_own
from reverie.memory import Memory

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


def commands_in(text: str) -> list[list[str]]:
    """The `reverie …` command lines a skill names, cut into words."""
    return [shlex.split(line) for line in re.findall(r"`(reverie [^`]+)`", text)]


def checked(words: list[str]) -> None:
    """A command line must lead to a command that takes these options and arguments."""
    command: click.Command = root
    context = click.Context(root, info_name="reverie")
    rest = words[1:]
    while isinstance(command, click.Group) and rest:
        found = command.get_command(context, rest[0])
        if found is None:
            break
        command, rest = found, rest[1:]
    assert command is not root, f"no command {words[1]!r}"
    if isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        # A group whose first word may be something else stands for a hidden command of its own.
        command = next(one for one in command.commands.values() if one.hidden)
    parser = command.make_parser(context)
    parser.ignore_unknown_options = False
    _, left, _ = parser.parse_args(args=list(rest))
    places = [p for p in command.params if isinstance(p, click.Argument)]
    assert len(left) == 0 or places, f"{words} takes no {left}"


@pytest.mark.proves("B14")
@pytest.mark.parametrize("name", SKILLS)
def test_every_command_a_skill_names_exists_with_its_options(name: str) -> None:
    text = (PLUGIN / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    found = commands_in(text)
    assert found
    for words in found:
        checked(words)


@pytest.mark.parametrize(
    "line", ["reverie nothing", "reverie work next --colour red", "reverie due now"]
)
def test_a_command_that_does_not_exist_would_be_noticed(line: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        checked(line.split())


def test_what_a_skill_says_without_the_server_is_kept_as_an_agents_word(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository(tmp_path / "shop"))
    monkeypatch.setenv("CLAUDECODE", "1")
    text = (PLUGIN / "skills" / "remember" / "SKILL.md").read_text(encoding="utf-8")
    (words,) = [words for words in commands_in(text) if words[1] == "remember"]
    said = {"TEXT": "The till counts in cents.", "REASON": "rounding cost us a day"}
    assert command(*(said.get(word, word) for word in words[1:])).code == 0
    with Memory.open() as memory:
        (item,) = memory.memories()
    assert (item.memory.trust, item.document.trust) == ("agent", "agent")


def test_the_diary_skill_asks_for_what_is_taken() -> None:
    text = (PLUGIN / "skills" / "diary" / "SKILL.md").read_text(encoding="utf-8")
    parts = re.findall(r"`## ([^`]+)`", text)
    lines = [f"## {part}\n\n- something → worked: tried it" for part in parts]
    assert read_own("\n\n".join(lines)).approaches[0].outcome == "worked"
    assert all(f"`{verdict}`" in text for verdict in VERDICTS)


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
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
