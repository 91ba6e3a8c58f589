"""`reverie sync` with a remote."""

from pathlib import Path

import pytest

from reverie.cli.root import run


def test_a_stick_that_is_not_plugged_in_is_no_error_and_gets_nothing(
    isolated_home: Path, shop: Path, capsys: pytest.CaptureFixture[str]
):
    stick = isolated_home / "stick"
    assert run(["remember", "Never push on Fridays", "--scope", "global"]) == 0
    assert run(["sync", "--with", str(stick)]) == 0
    stick.rename(isolated_home / "drawer")
    assert run(["remember", "Tests run in Docker", "--scope", "global"]) == 0
    capsys.readouterr()
    assert run(["sync"]) == 0
    said = capsys.readouterr().err
    assert f"{stick} is not there" in said
    assert "error:" not in said
    assert "warning:" not in said
    assert not stick.exists()
    run(["doctor"])
    assert f"{stick} is not there" in "".join(capsys.readouterr())
    (isolated_home / "drawer").rename(stick)
    assert run(["sync"]) == 0
    assert "1 version out" in capsys.readouterr().err


def test_a_lost_remote_is_made_again_only_when_that_is_said(
    isolated_home: Path, shop: Path, capsys: pytest.CaptureFixture[str]
):
    stick = isolated_home / "stick"
    assert run(["remember", "Never push on Fridays", "--scope", "global"]) == 0
    assert run(["sync", "--with", str(stick)]) == 0
    stick.rename(isolated_home / "burnt")
    assert run(["sync", "--with", str(stick)]) == 8
    assert "--anew" in capsys.readouterr().err
    assert run(["sync", "--with", str(stick), "--anew"]) == 0
    assert list(stick.rglob("*.pack"))
