"""The outermost layer: wrong calls, homes that cannot be used, and what nobody foresaw."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.cli import everyday
from reverie.cli.root import run
from reverie.operations.learning import processes
from reverie.store.store import Store


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        (["sessions", "list", "--limit", "-5"], "'--limit': -5 is not", "sessions list --help"),
        (["lern"], "no such command 'lern'. Did you mean 'learn'?", "`reverie --help`"),
        (["show"], "missing argument 'NAME'", "`reverie show --help`"),
        (["log", "--limit", "0"], "'--limit': 0 is not", "`reverie log --help`"),
        (["sessions", "list", "--agent", "clod"], "no agent named 'clod'", "claude-code, codex"),
        (["sessions", "search", "x", "--agent", "clod"], "no agent named", "claude-code, codex"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_a_hint(arguments, said, hint, capsys):
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    first, second = captured.err.splitlines()
    assert first.startswith("error: ")
    assert said in first
    assert second.startswith("hint: ")
    assert hint in second


@pytest.mark.parametrize("arguments", [[], ["learn"], ["recall", "x"], ["doctor"], ["stats"]])
def test_a_file_in_the_place_of_the_home_is_named(arguments, tmp_path, monkeypatch, capsys):
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    monkeypatch.setenv("REVERIE_HOME", str(file))
    assert run(arguments) == 6
    assert capsys.readouterr().err == f"error: the home {file} is not a folder\n"


def test_a_relative_home_of_the_user_is_refused_as_ours_is(monkeypatch, capsys):
    monkeypatch.delenv("REVERIE_HOME", raising=False)
    monkeypatch.setenv("HOME", "elsewhere")
    assert run([]) == 6
    assert "HOME must be an absolute path, not 'elsewhere'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (PermissionError(13, "Permission denied", "/a/b"), 5, "error: /a/b: Permission denied\n"),
        (OSError(28, "No space left on device"), 8, "error: No space left on device\n"),
        (KeyError("x"), 1, "error: this should not happen: KeyError: 'x'\n"),
    ],
)
def test_what_nobody_foresaw_is_a_sentence_too(raised, code, said, monkeypatch, capsys):
    def fails(*, as_json: bool) -> None:
        raise raised

    monkeypatch.setattr(everyday, "show_status", fails)
    assert run([]) == code
    assert capsys.readouterr().err.startswith(said)


def test_a_traceback_is_shown_on_request(monkeypatch):
    def fails(*, as_json: bool) -> None:
        raise KeyError("x")

    monkeypatch.setattr(everyday, "show_status", fails)
    monkeypatch.setenv("REVERIE_TRACEBACK", "1")
    with pytest.raises(KeyError):
        run([])


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_home_that_cannot_be_made_is_said(tmp_path: Path, monkeypatch, capsys):
    tmp_path.chmod(0o555)
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "home"))
    assert run(["memories"]) == 5
    assert "Permission denied" in capsys.readouterr().err


def _in_a_shell(command: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """`command` with `reverie` as this interpreter runs it."""
    script = f'reverie() {{ "{sys.executable}" -m reverie "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, check=False, env={**os.environ, **environment}
    )


def test_a_reader_that_goes_away_is_no_failure(isolated_home: Path):
    file = isolated_home / ".reverie" / "memory.db"
    with Store.open(f"sqlite:///{file}") as store:
        for number in range(120):
            store.create_store(f"store-{number:04}", "x" * 1_000)
    done = _in_a_shell('reverie stores list | head -c 1; echo "${PIPESTATUS[0]}"')
    assert done.stdout.endswith(b"0\n")
    assert done.stderr == b""


def test_a_locale_without_the_characters_gets_them_escaped(isolated_home: Path):
    run(["remember", "Ask Zoë → the café’s 😀 bot, before deploying", "--name", "ask"])
    shown = _in_a_shell("reverie show ask", PYTHONIOENCODING="latin-1")
    assert (shown.returncode, b"\\u2192" in shown.stdout) == (0, True)
    data = _in_a_shell("reverie show ask --json", PYTHONIOENCODING="ascii")
    assert "😀" in json.loads(data.stdout.decode("ascii"))["description"]


def test_processes_that_read_leave_ctrl_c_to_the_one_that_was_started():
    # Started in the background by a shell, the tests ignore it from the beginning.
    before = signal.getsignal(signal.SIGINT)
    with processes(2) as pool:
        assert pool is not None
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) == before
