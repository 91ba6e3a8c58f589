"""Regular runs: the exact text first, the same text once, and no trace afterwards."""

import os
import plistlib
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from reverie.cli.root import root
from reverie.connect.schedule import (
    BEGIN,
    Plan,
    carry_out,
    command_of,
    default_kind,
    installing,
    removing,
)
from reverie.errors import InvalidInput, Refused, Unavailable

CRONTAB = """#!/bin/sh
# What crontab does, with a file of its own for the table.
if [ "$1" = -l ]; then
  [ -f "$TABLE" ] || { echo "no crontab for user" >&2; exit 1; }
  cat "$TABLE"
else
  cat > "$TABLE"
fi
"""
RECORDER = '#!/bin/sh\necho "${0##*/} $*" >> "$CALLS"\n'


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for the system's schedulers, first on the path; the folder they use."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in {"crontab": CRONTAB, "systemctl": RECORDER, "launchctl": RECORDER}.items():
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TABLE", str(tmp_path / "table"))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return tmp_path


def calls(machine: Path) -> list[str]:
    path = machine / "calls"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.mark.proves("B14")
def test_cron_gets_one_marked_block_and_loses_it_again(machine: Path) -> None:
    table = machine / "table"
    mine = "5 4 * * * backup --all\n"
    table.write_text(mine, encoding="utf-8")
    carry_out(installing("cron", 6, os.environ))
    text = table.read_text(encoding="utf-8")
    assert text.startswith(mine)
    line = text.splitlines()[-2]
    assert line.startswith("17 */6 * * * ")
    assert shlex.join(command_of()) in line
    assert not installing("cron", 6, os.environ).needed
    carry_out(installing("cron", 12, os.environ))
    assert table.read_text(encoding="utf-8").count(BEGIN) == 1
    carry_out(removing("cron", os.environ))
    assert table.read_text(encoding="utf-8") == mine
    assert not removing("cron", os.environ).needed


def test_a_missing_last_line_break_does_not_swallow_the_block(machine: Path) -> None:
    (machine / "table").write_text("5 4 * * * backup", encoding="utf-8")
    carry_out(installing("cron", 24, os.environ))
    lines = (machine / "table").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["5 4 * * * backup", BEGIN]
    assert lines[2].startswith("17 3 * * * ")


def test_half_a_block_in_the_crontab_is_not_touched(machine: Path) -> None:
    (machine / "table").write_text(f"{BEGIN}\n5 4 * * * backup\n", encoding="utf-8")
    with pytest.raises(InvalidInput):
        installing("cron", 4, os.environ)


def test_what_cron_and_systemd_take_for_special_is_escaped(machine: Path) -> None:
    env = {"HOME": str(machine), "REVERIE_HOME": "/with space/100%/$x"}
    plan = installing("cron", 4, env)
    assert plan.crontab is not None
    assert r"REVERIE_HOME='/with space/100\%/$x'" in plan.crontab
    service = installing("systemd", 4, env).files[0][1]
    assert service is not None
    assert 'Environment="REVERIE_HOME=/with space/100%%/$$x"' in service


@pytest.mark.proves("B14")
def test_a_systemd_timer_is_written_started_and_removed(machine: Path) -> None:
    env = {"HOME": str(machine), "XDG_CONFIG_HOME": str(machine / "config")}
    carry_out(installing("systemd", 4, env))
    units = sorted((machine / "config" / "systemd" / "user").iterdir())
    assert [unit.suffix for unit in units] == [".service", ".timer"]
    assert f'ExecStart="{sys.executable}" "-P"' in units[0].read_text(encoding="utf-8")
    assert "OnCalendar=*-*-* 0/4:17:00" in units[1].read_text(encoding="utf-8")
    assert calls(machine)[-1] == "systemctl --user restart reverie.schedule.timer"
    assert not installing("systemd", 4, env).needed
    assert installing("systemd", 8, env).needed
    carry_out(removing("systemd", env))
    assert list((machine / "config" / "systemd" / "user").iterdir()) == []
    assert calls(machine)[-1] == "systemctl --user disable --now reverie.schedule.timer"
    assert not removing("systemd", env).needed


@pytest.mark.proves("B14")
def test_a_launchd_job_is_a_valid_property_list(machine: Path) -> None:
    env = {"HOME": str(machine), "REVERIE_HOME": "/x & y"}
    carry_out(installing("launchd", 2, env))
    (file,) = (machine / "Library" / "LaunchAgents").iterdir()
    job = plistlib.loads(file.read_bytes())
    assert job["ProgramArguments"] == list(command_of())
    assert job["StartInterval"] == 7200
    assert job["EnvironmentVariables"] == {"REVERIE_HOME": "/x & y"}
    carry_out(installing("launchd", 4, env))
    assert [line.split()[1] for line in calls(machine)] == ["bootstrap", "bootout", "bootstrap"]
    carry_out(removing("launchd", env))
    assert not file.exists()


@pytest.mark.parametrize("hours", [0, -1, 5, 48])
def test_hours_must_divide_a_day(hours: int, machine: Path) -> None:
    with pytest.raises(InvalidInput):
        installing("cron", hours, os.environ)


def test_a_scheduler_that_is_missing_or_fails_is_an_error(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = Plan("systemd", commands=(("sh", "-c", "echo broken >&2; exit 3"),))
    with pytest.raises(Unavailable, match="broken"):
        carry_out(failing)
    monkeypatch.setenv("PATH", str(machine / "empty"))
    with pytest.raises(Unavailable, match="cron is not installed"):
        installing("cron", 4, os.environ)


def test_the_kind_is_found_out(tmp_path: Path) -> None:
    assert default_kind("darwin", {}) == "launchd"
    assert default_kind("linux", {}) == "cron"
    (tmp_path / "systemd").mkdir()
    assert default_kind("linux", {"XDG_RUNTIME_DIR": str(tmp_path)}) == "systemd"


@pytest.mark.proves("B14")
def test_the_exact_text_is_shown_and_nothing_is_written_without_a_yes(machine: Path) -> None:
    arguments = ["schedule", "install", "--with", "cron"]
    shown = CliRunner().invoke(root, [*arguments, "--dry-run"])
    assert "17 */4 * * *" in shown.stdout
    refused = CliRunner().invoke(root, arguments, input="n\n")
    assert isinstance(refused.exception, Refused)
    assert not (machine / "table").exists()
    done = CliRunner().invoke(root, [*arguments, "--yes"])
    assert done.exit_code == 0
    assert (machine / "table").read_text(encoding="utf-8") in done.stdout + "\n"
