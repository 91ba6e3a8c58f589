"""Questions before something is changed: yes, no, and nobody there to answer."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.cli.printing import agree
from reverie.cli.root import run
from reverie.errors import Refused


def _answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_yes_goes_on_and_no_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    _answer(monkeypatch, "y\n")
    agree("Go on?")
    _answer(monkeypatch, "n\n")
    with pytest.raises(Refused, match="nothing was changed"):
        agree("Go on?")


def test_yes_beforehand_asks_nothing(monkeypatch: pytest.MonkeyPatch, capsys):
    _answer(monkeypatch, "")
    agree("Go on?", yes=True)
    assert capsys.readouterr().err == ""


def test_without_anybody_to_ask_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch):
    _answer(monkeypatch, "")
    with pytest.raises(Refused, match="nothing was run: nobody is here to answer") as caught:
        agree("Go on?", otherwise="nothing was run")
    assert caught.value.hint == "--yes says yes beforehand"


def test_a_version_that_is_not_there_is_said_before_anything_is_asked(capsys):
    run(["remember", "The till counts in cents", "--name", "till"])
    capsys.readouterr()
    assert run(["redact", "memver_nothing"]) == 3
    assert capsys.readouterr().err.startswith("error: there is no version 'memver_nothing'")


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        ("<&-", "remember -", 2),
        ("<&-", "redact till@1", 5),
        (">&-", "memories --json", 0),
        (">&-", "show till", 0),
        ("2>&-", "show nothing-of-that-name", 3),
        ("<&- >&- 2>&-", "memories", 0),
    ],
)
def test_a_closed_stream_is_like_an_empty_one(
    closed: str,
    arguments: str,
    code: int,
    isolated_home: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(isolated_home)
    run(["remember", "The till counts in cents", "--name", "till"])
    run(["pin", "till"])
    done = subprocess.run(
        ["bash", "-c", f'"$0" -m reverie {arguments} {closed}', sys.executable],
        capture_output=True,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode == code
    assert b"should not happen" not in done.stderr
