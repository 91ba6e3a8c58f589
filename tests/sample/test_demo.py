"""`make demo`: the story is told, on the sample alone."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.sample.demo import STEPS, program


def run_demo(home: Path) -> str:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "reverie.sample.demo"],
        env={**kept, "HOME": str(home), "PYTHONIOENCODING": "utf-8"},
        cwd=home,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The demo's words, on the machine of somebody who has logs and memories of their own."""
    home = tmp_path_factory.mktemp("person")
    log = home / ".claude" / "projects" / "-w-own" / "11111111-1111-4111-8111-111111111111.jsonl"
    log.parent.mkdir(parents=True)
    record = {
        "type": "user",
        "uuid": "u-1",
        "sessionId": log.stem,
        "timestamp": "2026-03-01T10:00:00.000Z",
        "cwd": "/w/own",
        "message": {"role": "user", "content": "my private pelican"},
    }
    log.write_text(json.dumps(record) + "\n", encoding="utf-8")
    before = sorted(home.rglob("*"))
    shown = run_demo(home)
    assert sorted(home.rglob("*")) == before
    return shown


def test_nothing_of_the_person_is_read_or_written(told: str) -> None:
    assert "pelican" not in told
    assert "-w-own" not in told


def test_it_ends_with_the_command_for_ones_own_logs(told: str) -> None:
    last = told.rstrip().partition("On your own logs:")[2]
    lines = [shlex.split(line) for line in last.split("\n") if line]
    assert [line[1] for line in lines] == ["learn", "learn", "connect", "ui"]


def test_it_names_the_command_as_it_can_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = Path(sys.executable).parent
    monkeypatch.chdir(beside.parent)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == f"{beside.name}/reverie"
    (tmp_path / "reverie").touch(mode=0o755)
    assert program() == "reverie"


def test_every_step_fits_a_screen(told: str) -> None:
    parts = told.split("\n\n\n")
    assert len(parts) >= len(STEPS)
    assert max(len(part.splitlines()) for part in parts) <= 40


def test_it_shows_the_mark_and_not_the_secret(told: str) -> None:
    assert "[redacted:github-token:" in told
    assert "S4mple" not in told


def test_it_shows_corrections_with_their_premise(told: str) -> None:
    assert told.count("the agent:") >= 3
    assert told.count("the person:") >= 3


def test_it_shows_what_was_written_and_a_recall_with_verified_marks(told: str) -> None:
    assert "wrote [shop-api]" in told
    assert "verified" in told


@pytest.mark.needs("unshare")
@pytest.mark.proves("E6")
@pytest.mark.hostile("DO7")
def test_the_whole_loop_runs_where_there_is_no_network(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "-n", "--", sys.executable, "-m", "reverie.sample.demo"],
        env={**os.environ, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    for step in (b"reverie learn", b"reverie recall", b"reverie dream"):
        assert step in done.stdout + done.stderr
