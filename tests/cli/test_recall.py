"""`reverie recall` and `reverie stats` on the command line."""

import json
from pathlib import Path

import pytest

from reverie.cli.root import run
from reverie.clock import fixed
from reverie.config import load
from reverie.memory import Memory
from reverie.operations import reach
from reverie.store.model import Actor, Author


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "harbour"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = Memory.open(clock=fixed("2026-11-15"))
    reach.make_store(made, "harbour")
    text = "---\nname: port\nmetadata:\n  type: project\n---\nStaging listens on port 8443.\x07\n"
    made.store.create("harbour", "/port.md", text, Author(Actor("user"), "test"))
    made.close()
    return folder


def test_words_are_asked_for_and_text_goes_to_stdout(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recall", "staging", "port"]) == 0
    shown = capsys.readouterr()
    assert "> Staging listens on port 8443." in shown.out
    assert "\x07" not in shown.out
    assert shown.err == ""


def test_nothing_found_is_said_on_stderr_only(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recall", "penguins in winter"]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("nothing that is good enough\nhint: --sessions looks into")


def test_json_holds_the_text_and_its_entries(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recall", "staging port", "--json", "--budget", "500", "--window", "40"]) == 0
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert data["characters"] == len(data["text"]) <= 500
    assert [entry["id"] for entry in data["entries"]] == ["port"]
    assert data["warning"] and "warning: " in shown.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--types", "fact"], 2), (["--strategy", "best"], 2), (["--project", "nowhere"], 3)],
)
def test_what_cannot_be_asked_is_an_error(project: Path, arguments: list[str], code: int) -> None:
    assert run(["recall", *arguments]) == code


@pytest.mark.proves("F3")
def test_stats_count_recalls_and_say_what_confounds_them(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["recall", "staging port"])
    capsys.readouterr()
    assert run(["stats", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["recalls"], data["corrections"]) == (1, 0)
    assert data["repeat_correction_rate"] is None
    assert data["confounded_by"]
    assert [(one["who"], one["calls"]) for one in data["callers"]] == [("cli", 1)]
    assert run(["stats"]) == 0
    shown = capsys.readouterr()
    assert "handed to" in shown.out
    assert "what this does not show" in shown.err


@pytest.mark.proves("E4")
def test_a_large_recall_needs_a_person_whatever_an_agent_types(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load().file.write_text("[recall]\nask_above_chars = 50\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert run(["recall", "staging port"]) == 5
    assert run(["recall", "staging port", "--yes"]) == 0
    monkeypatch.setenv("CLAUDECODE", "1")
    capsys.readouterr()
    assert run(["recall", "staging port", "--yes"]) == 5
    assert "`reverie allow " in capsys.readouterr().err
    assert run(["allow", "5000"]) == 5
    assert "only a person may allow" in capsys.readouterr().err
    monkeypatch.delenv("CLAUDECODE")
    assert run(["allow", "5000", "--for", "2h"]) == 0
    assert "up to 5000 characters at once until" in capsys.readouterr().err
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run(["recall", "staging port"]) == 0
    # Whoever it is may take it back.
    assert run(["allow", "--end"]) == 0
    assert run(["recall", "staging port"]) == 5


def test_the_effect_is_measured_on_an_empty_home_as_too_little(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["measure", "effect"]) == 0
    assert "not enough to say: 0 and 0 sessions" in capsys.readouterr().out
    assert run(["measure", "effect", "--pairs", __file__]) == 2
