"""`reverie doctor`, `reverie` alone, and completion."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_sessions import claude, data, reverie
from tests.sessions.worklogs import lines, write

from reverie.cli.root import run
from reverie.operations.checking import CHECKS
from reverie.sample import NOW, place

__all__ = ["claude"]


def findings(check: str) -> list[dict[str, Any]]:
    return [finding for finding in data("doctor") if finding["check"] == check]


@pytest.mark.proves("F6")
def test_the_capture_gap_is_counted(claude: Path) -> None:
    assert findings("capture")[0]["message"] == "2 of 2 sessions unseen"
    reverie("sessions", "list")
    write(claude / "-w-app/new.jsonl", lines("new", ("you", "hello"), day=4))
    (gap,) = findings("capture")
    assert (gap["level"], gap["message"]) == ("warning", "1 of 3 sessions unseen")


def test_nothing_is_made_in_an_empty_home(isolated_home: Path) -> None:
    assert reverie("doctor").exit_code == 0
    assert reverie().exit_code == 0
    assert list(isolated_home.iterdir()) == []


def test_damaged_lines_are_counted_per_file(claude: Path) -> None:
    path = claude / "-w-app/aaaa-1.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type":"user", nonsense\n\x00\x00\n')
    reverie("sessions", "list")
    (finding,) = findings("lines")
    assert finding["level"] == "warning"
    assert f"{path}: 2 damaged lines" in finding["message"]


def test_the_sqlite_version_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, level in (((3, 51, 2), "warning"), ((3, 51, 3), "ok"), ((4, 0, 0), "ok")):
        monkeypatch.setattr("reverie.db.sqlite.VERSION", version)
        assert findings("sqlite")[0]["level"] == level


def test_files_that_others_can_read_are_an_error(
    claude: Path, isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reverie("sessions", "list")
    assert findings("modes")[0]["level"] == "ok"
    (isolated_home / ".reverie" / "index.db").chmod(0o644)
    assert run(["doctor", "--json"]) == 1
    (finding,) = [f for f in json.loads(capsys.readouterr().out) if f["check"] == "modes"]
    assert finding["hint"].startswith("chmod 600 ")


def test_a_damaged_index_is_an_error(claude: Path, isolated_home: Path) -> None:
    home = isolated_home / ".reverie"
    home.mkdir(mode=0o700)
    (home / "index.db").touch(0o600)
    (home / "index.db").write_bytes(b"junk" * 5000)
    assert findings("index_health")[0]["level"] == "error"
    assert "reindex" in findings("index_health")[0]["hint"]
    assert findings("sqlite"), "the other checks are still made"


def test_every_check_says_what_it_looks_at() -> None:
    assert all(check.__doc__ for check in CHECKS)


def test_status_fits_in_ten_lines(claude: Path) -> None:
    before = reverie().stdout
    assert "2 of 2 logs not read" in before
    reverie("sessions", "list")
    after = reverie().stdout
    assert "2 sessions of 2 projects, 3 things you said" in after
    assert "2 days not processed since 2026-09-01" in after
    assert max(len(before.splitlines()), len(after.splitlines())) <= 10
    status = json.loads(reverie("--json").stdout)
    assert (status["sessions"], status["pending_days"], status["unread_logs"]) == (2, 2, 0)


def test_status_names_what_is_kept_and_what_to_do_next(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_NOW", NOW)
    place(isolated_home)
    reverie("learn")
    status = json.loads(reverie("--json").stdout)
    assert status["memories"] == len(json.loads(reverie("memories", "--all", "--json").stdout))
    assert status["diaries"] and status["dailies"] and status["dream_due"]
    assert [step.split()[1].strip("`") for step in status["next"][:3]] == [
        "review",
        "dream",
        "connect",
    ]
    reverie("dream")
    reverie("connect", "codex", "--yes")
    status = json.loads(reverie("--json").stdout)
    assert (status["proposed"] > 0, status["connected"]) == (True, ["codex"])
    assert "connect" not in " ".join(status["next"])
    assert len(reverie().stdout.splitlines()) <= 10


def test_doctor_says_where_logs_are_looked_for(claude: Path, isolated_home: Path) -> None:
    there, without = findings("places")
    assert there["message"] == "2 logs of claude-code in ~/.claude"
    assert "codex (~/.codex)" in without["message"]


def test_a_configured_folder_that_is_gone_keeps_nothing_else_from_being_read(
    claude: Path, isolated_home: Path
) -> None:
    home = isolated_home / ".reverie"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[sessions]\nroots = ["/nowhere/logs"]\n', encoding="utf-8")
    assert "2 of 2 logs not read" in reverie().stdout
    told = [finding["message"] for finding in findings("capture")]
    assert "not read: /nowhere/logs: there is no such folder now" in told


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(shell: str) -> None:
    assert "_REVERIE_COMPLETE" in reverie("completion", shell).stdout


def test_stats_shows_the_words_that_came_again(
    isolated_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "no, never use floats for the prices of an order, use integer cents"
    logs = isolated_home / ".claude/projects/-w-app"
    for number, said in enumerate((rule, f"again: {rule}"), 1):
        asked = ("you", "add the totals"), ("agent", "I use floats for the prices."), ("you", said)
        write(logs / f"session-{number}.jsonl", lines(f"session-{number}", *asked, day=number))
    assert run(["learn"]) == 0
    capsys.readouterr()
    assert run(["stats"]) == 0
    out = capsys.readouterr().out
    assert "said before: 1 of 2 corrections" in out
    assert out.lower().count("never use floats for the prices") == 2
    assert "claude-code:" not in out
