"""The hook process: what it says, what it leaves, and that it never gets in the way."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reverie.connect import spool
from reverie.connect.hook import EVENTS
from reverie.connect.stretches import locked, troubles
from reverie.handover import (
    ELSEWHERE,
    LONGEST,
    prepared,
    project_key,
    remembered,
    seal_of,
)
from reverie.privacy import seal_key
from reverie.sealing import Sealer

RUN = "import sys; from reverie.connect.hook import main; sys.exit(main())"
YES = {"REVERIE_HOOKS_DIGEST": "1"}
# Each of these would cost a good part of an interpreter's start.
HEAVY = {
    *("json", "re", "enum", "functools", "collections"),
    *("typing", "dataclasses", "pathlib", "subprocess", "tomllib", "contextlib", "click"),
    *("msgspec", "sqlite3", "inspect", "hashlib", "datetime", "logging", "tempfile"),
}


class Scene:
    """A home, a project and a log; the project's lock is held, so that no worker runs."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "reverie"
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        self.log = folder / "log.jsonl"
        self.log.write_text('{"type":"user"}\n', encoding="utf-8")
        self.call: dict[str, Any] = {
            "session_id": "s-1",
            "transcript_path": str(self.log),
            "cwd": str(self.project),
        }

    def run(self, event: str, code: str = RUN, **given: Any) -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home.parent)}
        env |= {"REVERIE_HOME": str(self.home), **given.pop("env", {})}
        return self.raw(event, json.dumps({**self.call, **given}), code, env)

    def raw(
        self, event: str, text: str, code: str = RUN, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        env = env or {"HOME": str(self.home.parent), "REVERIE_HOME": str(self.home)}
        command = [sys.executable, "-c", code, event]
        return subprocess.run(
            command, input=text, env=env, capture_output=True, text=True, check=False
        )

    def waiting(self) -> list[dict[str, str]]:
        files = spool.waiting(str(self.home), project_key(str(self.project)))
        return [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]


@pytest.fixture
def scene(tmp_path: Path):
    scene = Scene(tmp_path)
    with locked(scene.home, project_key(str(scene.project))):
        yield scene


def test_the_hot_path_loads_nothing_heavy(scene: Scene) -> None:
    code = RUN.replace("sys.exit(main())", "main(); sys.stderr.write(' '.join(sys.modules))")
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    for event in EVENTS:
        learned(scene, LINE)
        loaded = set(scene.run(event, code, env=YES).stderr.split())
        assert loaded & HEAVY <= set(bare.stdout.split())
        # Only who tells something looks whether it may.
        ours = {name for name in loaded if name.startswith("reverie")} - {"reverie.sealing"}
        assert ours == {
            "reverie",
            "reverie.connect",
            "reverie.connect.hook",
            "reverie.connect.quick_json",
            "reverie.connect.spool",
            "reverie.connect.switches",
            "reverie.handover",
        }


def learned(scene: Scene, line: str, session: str = "s-1") -> Path:
    """A worker has learned something in the scene's project, in a session."""
    file = Path(remembered(str(scene.home), project_key(str(scene.project))))
    file.parent.mkdir(exist_ok=True)
    content = {"session": session, "told": [], "line": line}
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


LINE = "Remembered: tabs · undo: `reverie forget tabs`"


@pytest.mark.parametrize(
    ("event", "session", "told"),
    [
        ("SessionStart", "s-1", True),
        ("SessionStart", "another", True),
        ("Stop", "s-1", True),
        ("Stop", "another", False),
        ("SubagentStart", "s-1", False),
        ("UserPromptSubmit", "s-1", False),
        ("PreCompact", "s-1", False),
        ("SessionEnd", "s-1", False),
    ],
)
def test_what_was_learned_is_told_once_where_a_person_sees_it(
    event: str, session: str, told: bool, scene: Scene
) -> None:
    file = learned(scene, LINE, session)
    first = scene.run(event, env={"REVERIE_HOOKS_EVERY_TURNS": "99"}).stdout
    assert (json.loads(first) if first else {}) == ({"systemMessage": LINE} if told else {})
    assert file.exists() is not told
    assert scene.run(event, env={"REVERIE_HOOKS_EVERY_TURNS": "99"}).stdout == ""


def test_what_was_learned_elsewhere_or_is_not_to_be_told_stays_untold(
    scene: Scene, tmp_path: Path
) -> None:
    file = learned(scene, LINE)
    assert scene.run("SessionStart", cwd=str(tmp_path)).stdout == ""
    assert scene.run("SessionStart", env={"REVERIE_HOOKS_REMEMBERED": "0"}).stdout == ""
    assert file.exists()


def test_what_was_learned_comes_before_a_reminder_which_is_kept_for_later(scene: Scene) -> None:
    learned(scene, LINE)
    (scene.home / "due").write_text("A dream is due.", encoding="utf-8")
    said = [json.loads(scene.run("SessionStart").stdout)["systemMessage"] for _ in range(2)]
    assert said == [LINE, "A dream is due."]


@pytest.mark.proves("D10")
def test_every_nth_turn_is_staged(scene: Scene) -> None:
    env = {"REVERIE_HOOKS_EVERY_TURNS": "3"}
    counts: list[int] = []
    for _ in range(7):
        assert scene.run("Stop", env=env).stdout == ""
        counts.append(len(scene.waiting()))
    assert counts == [0, 0, 1, 1, 1, 2, 2]


def test_a_continued_stop_is_not_a_turn(scene: Scene) -> None:
    for _ in range(3):
        scene.run("Stop", env={"REVERIE_HOOKS_EVERY_TURNS": "1"}, stop_hook_active=True)
    assert scene.waiting() == []


@pytest.mark.proves("D10")
@pytest.mark.parametrize("event", ["PreCompact", "SessionEnd"])
def test_compaction_and_the_end_are_staged_whatever_the_count(event: str, scene: Scene) -> None:
    scene.run("Stop")
    done = scene.run(event)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (staged,) = scene.waiting()
    assert staged == {
        "session": "s-1",
        "transcript": str(scene.log),
        "cwd": str(scene.project),
        "event": event,
    }


def test_the_end_forgets_the_count(scene: Scene) -> None:
    scene.run("Stop")
    assert list((scene.home / "spool" / "turns").iterdir())
    scene.run("SessionEnd")
    assert not list((scene.home / "spool" / "turns").iterdir())


def test_a_session_without_a_log_is_left_alone(scene: Scene) -> None:
    for path in ("/nowhere/log.jsonl", "", None):
        assert scene.run("SessionEnd", transcript_path=path).returncode == 0
    assert scene.waiting() == []


@pytest.mark.parametrize(
    "env",
    [
        {"REVERIE_INSIDE": "1"},
        {"REVERIE_DISABLE": "1"},
        {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"},
        {"CLAUDE_CODE_SIMPLE": "1"},
        {"REVERIE_HOOKS_ENABLED": "false"},
    ],
)
@pytest.mark.proves("D11")
def test_switched_off_it_does_nothing(env: dict[str, str], scene: Scene) -> None:
    done = scene.run("SessionEnd", env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert scene.waiting() == []


def prepare(scene: Scene, key: str, text: str) -> None:
    note = json.dumps({"project": "p", "characters": len(text), "entries": [["a", ["b#1"], 9]]})
    file = Path(prepared(str(scene.home), key))
    file.parent.mkdir(parents=True, exist_ok=True)
    found = {"text": text, "note": note}
    found["seal"] = seal_of(Sealer(lambda: seal_key(scene.home)), key, found)
    file.write_text(json.dumps(found), encoding="utf-8")


def told(done: subprocess.CompletedProcess[str]) -> str:
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""


def notes(scene: Scene) -> list[dict[str, str]]:
    files = spool.waiting(str(scene.home), "told")
    return [json.loads(Path(file).read_text(encoding="utf-8")) for file in files]


@pytest.mark.proves("F8")
@pytest.mark.parametrize("event", ["SessionStart", "SubagentStart"])
def test_a_digest_that_somebody_edited_is_not_told(scene: Scene, event: str) -> None:
    (scene.home / "config.toml").write_text("[hooks]\ndigest = true\n", encoding="utf-8")
    key = project_key(str(scene.project))
    prepare(scene, key, "Tabs, not spaces.")
    assert told(scene.run(event)) == "Tabs, not spaces."
    file = Path(prepared(str(scene.home), key))
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace("Tabs", "Obey"), encoding="utf-8")
    assert told(scene.run(event)) == ""
    assert "was not written by Reverie" in (scene.home / "hooks.log").read_text(encoding="utf-8")
    # Nor what was prepared for another place.
    file.unlink()
    Path(prepared(str(scene.home), ELSEWHERE)).write_text(whole, encoding="utf-8")
    assert told(scene.run(event)) == ""


@pytest.mark.proves("F12")
def test_the_digest_is_told_only_to_those_who_said_yes_and_where_it_is_not_yet(
    scene: Scene,
) -> None:
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    assert scene.run("SessionStart", source="startup").stdout == ""
    assert notes(scene) == []
    answer = json.loads(scene.run("SessionStart", source="startup", env=YES).stdout)
    assert answer == {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": "Tabs, not spaces.",
        }
    }
    assert scene.run("SessionStart", source="resume", env=YES).stdout == ""
    for source in ("compact", "clear"):
        assert told(scene.run("SessionStart", source=source, env=YES)) == "Tabs, not spaces."
    assert [note["session"] for note in notes(scene)] == ["s-1"] * 3
    assert json.loads(notes(scene)[0]["note"])["entries"] == [["a", ["b#1"], 9]]


def test_a_subagent_is_told_it_too(scene: Scene) -> None:
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    assert scene.run("SubagentStart", agent_type="Explore").stdout == ""
    answer = json.loads(scene.run("SubagentStart", agent_type="Explore", env=YES).stdout)
    assert answer["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
    assert answer["hookSpecificOutput"]["additionalContext"] == "Tabs, not spaces."
    assert [note["event"] for note in notes(scene)] == ["SubagentStart"]


def test_a_place_without_a_digest_of_its_own_is_told_what_holds_everywhere(
    scene: Scene, tmp_path: Path
) -> None:
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    prepare(scene, ELSEWHERE, "Short answers.")
    inside = scene.project / "src"
    inside.mkdir()
    assert told(scene.run("SessionStart", env=YES, cwd=str(inside))) == "Tabs, not spaces."
    assert told(scene.run("SessionStart", env=YES, cwd=str(tmp_path))) == "Short answers."
    prepare(scene, project_key(str(tmp_path)), "")
    assert scene.run("SessionStart", env=YES, cwd=str(tmp_path)).stdout == ""


@pytest.mark.hostile("T5")
def test_a_repository_inside_of_the_project_is_not_told_its_digest(scene: Scene) -> None:
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    for name, marker in (
        ("lib", "gitdir: ../.git/modules/lib"),
        ("claim", f"gitdir: {scene.project}/.git/worktrees/a"),
    ):
        (scene.project / name).mkdir()
        (scene.project / name / ".git").write_text(marker, encoding="utf-8")
    (scene.project / "clone" / ".git").mkdir(parents=True)
    for name in ("lib", "claim", "clone"):
        assert scene.run("SessionStart", env=YES, cwd=str(scene.project / name)).stdout == ""


@pytest.mark.proves("D11")
@pytest.mark.parametrize("until", ["", "99999999999\n"])
def test_while_paused_nothing_is_told_and_nothing_is_learned(until: str, scene: Scene) -> None:
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    (scene.home / "paused").write_text(until, encoding="utf-8")
    for event in ("SessionStart", "SubagentStart", "SessionEnd"):
        assert scene.run(event, env=YES).stdout == ""
    assert scene.waiting() == [] and notes(scene) == []
    (scene.home / "paused").write_text("1\n", encoding="utf-8")
    assert told(scene.run("SessionStart", env=YES)) == "Tabs, not spaces."


def test_what_is_longer_than_clients_take_is_cut(scene: Scene) -> None:
    prepare(scene, project_key(str(scene.project)), "x" * 20_000)
    assert len(told(scene.run("SessionStart", env=YES))) == LONGEST


def test_a_due_dream_is_told_to_the_person_once_a_day(scene: Scene) -> None:
    sentence = "A dream is due: 12 new sessions since the last one."
    scene.home.mkdir(exist_ok=True)
    (scene.home / "due").write_text(sentence, encoding="utf-8")
    assert json.loads(scene.run("SessionStart").stdout) == {"systemMessage": sentence}
    assert scene.run("SessionStart").stdout == ""


def test_what_hooks_leave_is_for_the_user_alone(scene: Scene) -> None:
    shutil.rmtree(scene.home)
    scene.home.mkdir(mode=0o700)
    (scene.home / "config.toml").touch(mode=0o600)
    (scene.home / "due").touch(mode=0o600)
    prepare(scene, project_key(str(scene.project)), "Tabs, not spaces.")
    shutil.rmtree(scene.home / "digests")
    for event in EVENTS:
        scene.run(event, env=YES)
    loose = [path for path in scene.home.rglob("*") if path.stat().st_mode & 0o077]
    assert loose == []


def test_recall_for_prompts_is_off_by_default(scene: Scene) -> None:
    assert scene.run("UserPromptSubmit", prompt="why does the build fail").stdout == ""
    assert not (scene.home / "memory.db").exists()


def test_a_prompt_reaches_recall_without_being_a_word_of_a_command_line(
    scene: Scene, tmp_path: Path
) -> None:
    words = tmp_path / "words"
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{words}"\ncat\n', encoding="utf-8")
    program.chmod(0o755)
    hook = (
        "import sys, reverie.connect.hook as hook;"
        f"sys.executable = {str(program)!r}; sys.argv[1:] = ['UserPromptSubmit']; hook.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", hook],
        input=json.dumps({"cwd": str(scene.project), "prompt": "find \0 my words"}),
        env={**os.environ, "REVERIE_HOME": str(scene.home), "REVERIE_HOOKS_RECALL_ON_PROMPT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert answer == "find \0 my words"
    assert "words" not in words.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"x"', "\x00\xff", '{"cwd": 5}', "[" * 9000]
)
@pytest.mark.parametrize("event", ["SessionStart", "Stop", "SessionEnd"])
def test_nonsense_never_blocks_and_never_talks(event: str, text: str, scene: Scene) -> None:
    done = scene.raw(event, text)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_failure_is_written_down_for_doctor(scene: Scene) -> None:
    scene.raw("Stop", "{")
    (line,) = troubles(scene.home)
    assert "Stop" in line
    assert "JSON" in line


def test_the_log_of_failures_is_bounded(tmp_path: Path) -> None:
    for _ in range(400):
        spool.log(str(tmp_path), "Stop", "x" * 3_000)
    sizes = [file.stat().st_size for file in tmp_path.glob("hooks.log*")]
    assert len(sizes) == 2
    assert max(sizes) < spool.LOG_BYTES + 3_000


@pytest.mark.proves("D6")
@pytest.mark.hostile("T5")
def test_a_hook_that_names_its_home_stages_there_whatever_the_variables_say(
    scene: Scene, tmp_path: Path
) -> None:
    evil = {"REVERIE_HOME": str(tmp_path / "evil"), "REVERIE_HOOKS_ENABLED": "0"}
    code = f"import sys; sys.argv.append({str(scene.home)!r}); {RUN.removeprefix('import sys; ')}"
    assert scene.run("SessionEnd", code, env=evil).returncode == 0
    assert [one["event"] for one in scene.waiting()] == ["SessionEnd"]
    assert not (tmp_path / "evil").exists()
    assert scene.run("SessionEnd", code, env={**evil, "REVERIE_DISABLE": "1"}).returncode == 0
    assert len(scene.waiting()) == 1


@pytest.mark.hostile("T5")
def test_a_hook_of_the_plugin_ignores_a_home_the_project_speaks_of(
    scene: Scene, tmp_path: Path
) -> None:
    settings = scene.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"REVERIE_HOME": "…"}}', encoding="utf-8")
    evil = {"REVERIE_HOME": str(tmp_path / "evil"), "CLAUDE_PROJECT_DIR": str(scene.project)}
    assert scene.run("SessionEnd", env=evil).returncode == 0
    assert not (tmp_path / "evil").exists()


def test_an_unknown_event_gets_the_usage(scene: Scene) -> None:
    done = scene.raw("Nonsense", "{}")
    assert done.returncode == 1
    assert "usage" in done.stderr
