"""Engine `claude-code` at work: forks answer for pieces of their sessions, checked and capped."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from examples.claude_offline import Api, Client, find_client
from tests.connect.logs import LOGS, write_log

from reverie.cli.root import run
from reverie.connect import spool
from reverie.connect.stretches import troubles
from reverie.handover import project_key

RULE = "From now on always run make lint before you commit anything."
LESSON = "The person wants commits to be small."
# A program in the client's place: it cites the last line it was shown.
ANSWERS = f"""
import json, os, re, sys
question = sys.argv[sys.argv.index("-p") + 1]
assert os.environ["REVERIE_INSIDE"] == "1"
cited = re.findall(r"^\\[(\\S+#\\d+)\\]", question, re.M)[-1]
lesson = {{"lesson": "{LESSON}", "kind": "best-practice", "evidence": [cited]}}
text = "```json\\n" + json.dumps({{"lessons": [lesson]}}) + "\\n```"
print(json.dumps({{"is_error": False, "result": text, "total_cost_usd": 0.03, "usage": {{}}}}))
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def session(user: Path, project: Path) -> Path:
    turns = (("user", "Please fix the check."), ("assistant", "Fixed."), ("user", RULE))
    return write_log(user / LOGS, "one", project, *turns)


def client_that(folder: Path, code: str) -> str:
    """A PATH on which `claude` runs `code`."""
    folder.mkdir()
    (folder / "claude.py").write_text(code, encoding="utf-8")
    program = folder / "claude"
    start = f'#!/bin/sh\nexec "{sys.executable}" "{folder / "claude.py"}" "$@"\n'
    program.write_text(start, encoding="utf-8")
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.proves("F7", "B14")
def test_a_fork_answers_for_its_session_and_its_receipt_is_kept(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    session(tmp_path, project)
    assert run(["learn", "--logs", str(tmp_path / LOGS)]) == 0
    monkeypatch.setenv("PATH", client_that(tmp_path / "bin", ANSWERS))
    capsys.readouterr()
    assert run(["work", "run", "--yes", "--json", "--pieces", "3"]) == 0
    (piece,) = json.loads(capsys.readouterr().out)
    assert [(one["lesson"], one["action"]) for one in piece["lessons"]] == [(LESSON, "queued")]
    assert run(["costs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["today_usd"] == 0.03


@pytest.mark.proves("F7")
def test_no_fork_begins_that_could_break_the_cap(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    session(tmp_path, project)
    assert run(["learn", "--logs", str(tmp_path / LOGS)]) == 0
    monkeypatch.setenv("PATH", client_that(tmp_path / "bin", "raise SystemExit('called')"))
    monkeypatch.setenv("REVERIE_ENGINES_MAX_USD_PER_DAY", "0.1")
    assert run(["work", "run", "--yes"]) == 5
    assert "called" not in capsys.readouterr().err


@pytest.mark.proves("D7")
@pytest.mark.parametrize(("engine", "lessons"), [("rules", 0), ("claude-code", 1)])
def test_after_a_session_a_fork_thinks_only_if_the_user_chose_it(
    engine: str, lessons: int, tmp_path: Path, project: Path, isolated_home: Path
) -> None:
    log = session(isolated_home, project)
    home = isolated_home / ".reverie"
    key = project_key(str(project))
    spool.stage(str(home), key, {"session": "one", "transcript": str(log)})
    env = {
        "PATH": client_that(tmp_path / "bin", ANSWERS),
        "HOME": str(isolated_home),
        "REVERIE_HOME": str(home),
        "REVERIE_INSIDE": "1",
        "REVERIE_ENGINES_EXTRACTION": engine,
    }
    worker = [sys.executable, "-P", "-m", "reverie.connect.worker", key]
    subprocess.run(worker, env=env, check=True)
    assert troubles(home) == []
    listed = [sys.executable, "-P", "-m", "reverie", "review", "--json"]
    found = subprocess.run(listed, cwd=project, env=env, check=True, capture_output=True, text=True)
    assert found.stdout.count(f'"{LESSON}"') == lessons


@pytest.mark.proves("D10")
def test_a_client_that_fails_loses_nothing_the_rules_learned(
    tmp_path: Path, project: Path, isolated_home: Path
) -> None:
    log = session(isolated_home, project)
    home = isolated_home / ".reverie"
    key = project_key(str(project))
    spool.stage(str(home), key, {"session": "one", "transcript": str(log)})
    env = {
        "PATH": client_that(tmp_path / "bin", "print('not JSON')"),
        "HOME": str(isolated_home),
        "REVERIE_HOME": str(home),
        "REVERIE_ENGINES_EXTRACTION": "claude-code",
    }
    worker = [sys.executable, "-P", "-m", "reverie.connect.worker", key]
    subprocess.run(worker, env={**env, "REVERIE_INSIDE": "1"}, check=True)
    assert spool.waiting(str(home), key) == []
    assert any("not JSON" in trouble for trouble in troubles(home))
    listed = [sys.executable, "-P", "-m", "reverie", "memories", "--json"]
    found = subprocess.run(listed, cwd=project, env=env, check=True, capture_output=True, text=True)
    assert "make lint" in found.stdout


@pytest.mark.proves("D7")
@pytest.mark.needs("claude")
def test_the_real_client_answers_for_its_own_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    import pwd

    real = f"{pwd.getpwuid(os.getuid()).pw_dir}/.cache/claude-offline"
    monkeypatch.setenv("REVERIE_TEST_CLAUDE", os.environ.get("REVERIE_TEST_CLAUDE", real))
    program = find_client()
    assert program is not None
    api = Api(("work of this conversation is over", ['{"lessons": []}']), (".", ["Noted."]))
    client = Client(program, tmp_path / "place", api)
    client.ask(RULE)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(program)
    for name, value in client.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(client.project)
    before = [log.read_bytes() for log in client.logs()]
    assert run(["learn", "--logs", str(client.home / ".claude" / "projects")]) == 0
    capsys.readouterr()
    assert run(["work", "run", "--yes", "--json"]) == 0
    (piece,) = json.loads(capsys.readouterr().out)
    assert piece["lessons"] == []
    (asked,) = api.with_text("work of this conversation is over")
    assert RULE in json.dumps(asked["messages"][0])
    assert [log.read_bytes() for log in client.logs()] == before
