"""`learn` writes diaries, `diary` shows them, `diary add` takes an agent's own."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Reverie
from tests.sessions.logs import SESSION, call, claude, prompt, reply, result, written

from reverie import sample
from reverie.cli.root import run
from reverie.memory import Memory
from reverie.store.model import Actor, Author

TASK = "Please add a health endpoint to the server that answers with the version."
LATER = "Please write the release notes for the new endpoint and mention the version."
KEY = f"claude-code:{SESSION}"
OWN: dict[str, Any] = {
    "task": "Add a health endpoint",
    "approaches": [
        {"what": "route in server.py", "outcome": "failed", "why": "the version was missing"},
        {"what": "read the version from the package", "outcome": "worked"},
    ],
    "mistakes": ["used port 8080"],
    "patterns": ["Always ask before a port is changed, because the firewall is closed"],
}


def lines(*more: dict[str, Any]) -> list[dict[str, Any]]:
    log = claude(
        prompt(TASK),
        reply("I'll add a route to the server."),
        call("Bash", "t1", command="pytest -q tests"),
        result("t1", "Exit code 127\nbash: pytest: command not found", failed=True),
        call("Bash", "t2", command="python -m pytest -q tests"),
        result("t2", "12 passed"),
        reply("The endpoint answers with the version, all tests pass."),
        *more,
    )
    return [{**line, "cwd": str(Path.cwd())} for line in log]


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    written(tmp_path / "logs", lines())
    return tmp_path / "logs"


def diaries(store: str = "app") -> dict[str, tuple[str, int]]:
    """Path → text and number of the newest version."""
    memories = Memory.open().store.walk(store, "/diary/")
    return {memory.path: (memory.content, memory.version) for memory in memories}


@pytest.mark.proves("A1")
def test_learning_writes_a_diary_into_the_store_of_the_project(
    reverie: Reverie, logs: Path
) -> None:
    report = json.loads(reverie("learn", "--logs", str(logs), "--json"))
    assert report["diaries"] == 1
    ((path, (text, _)),) = diaries().items()
    assert path == "/diary/2026-09-01-00000000-1.md"
    assert TASK in text
    assert f"evidence: [{KEY}#0]" in text
    assert "trust: tool" in text


def test_diaries_are_no_memories_to_list_index_or_recall(reverie: Reverie, logs: Path) -> None:
    reverie("learn", "--logs", str(logs))
    assert json.loads(reverie("memories", "--json")) == []
    assert "health" not in reverie("recall", "rules for the server", "--json")


@pytest.mark.proves("F11")
def test_learning_again_writes_nothing(reverie: Reverie, logs: Path) -> None:
    reverie("learn", "--logs", str(logs))
    before = diaries()
    reverie("reindex", "--logs", str(logs))
    reverie("learn", "--logs", str(logs))
    assert diaries() == before


def test_a_session_that_grew_gets_a_new_version_of_the_same_diary(
    reverie: Reverie, logs: Path
) -> None:
    reverie("learn", "--logs", str(logs))
    (before,) = diaries()
    written(logs, lines(prompt("yes, and now push it"), reply("Pushed the endpoint to main.")))
    reverie("learn", "--logs", str(logs))
    ((path, (text, version)),) = diaries().items()
    assert path == before
    assert version == 2
    assert "push it" in text


def test_a_diary_that_a_person_edited_is_never_written_over(reverie: Reverie, logs: Path) -> None:
    reverie("learn", "--logs", str(logs))
    store = Memory.open().store
    ((path, (text, _)),) = diaries().items()
    mine = text.replace("health", "HEALTH")
    store.update("app", path, content=mine, by=Author(Actor("user"), "my words"))
    written(logs, lines(prompt("yes, and now push it"), reply("Pushed the endpoint to main.")))
    reverie("learn", "--logs", str(logs))
    assert diaries()[path][0] == mine
    assert "HEALTH" in reverie("diary", SESSION)


@pytest.mark.proves("F8")
def test_a_fix_waits_for_a_person_and_is_never_written_unasked(
    reverie: Reverie, logs: Path
) -> None:
    reverie("learn", "--logs", str(logs))
    waiting = json.loads(reverie("review", "--json"))
    (fix,) = [review for review in waiting if "python -m pytest" in json.dumps(review)]
    assert "tool" in json.dumps(fix)
    assert json.loads(reverie("memories", "--json")) == []


def test_the_same_fix_from_another_session_is_asked_once(reverie: Reverie, logs: Path) -> None:
    other = SESSION.replace("0a", "0b")
    text = json.dumps(lines()).replace(SESSION, other).replace("2026-09-", "2026-10-")
    written(logs, json.loads(text.replace("-q tests", "-q tests/unit")), f"{other}.jsonl")
    report = json.loads(reverie("learn", "--logs", str(logs), "--json"))
    assert report["diaries"] == 2
    waiting = json.loads(reverie("review", "--json"))
    assert len([review for review in waiting if "python -m pytest" in json.dumps(review)]) == 1


def test_unlearning_a_session_takes_its_diary_and_fixes(reverie: Reverie, logs: Path) -> None:
    reverie("learn", "--logs", str(logs))
    reverie("unlearn", SESSION, "--yes")
    assert diaries() == {}
    index = Memory.open().index
    for table in ("diaries", "fixes"):
        assert index.database.query(f"SELECT count(*) FROM {table}") == [(0,)]


def test_diary_shows_a_session_a_day_and_the_latest(reverie: Reverie, logs: Path) -> None:
    reverie("learn", "--logs", str(logs))
    assert TASK in reverie("diary", SESSION[:12])
    assert TASK in reverie("diary", "--day", "2026-09-01")
    assert reverie("diary", "--day", "2026-08-01") == ""
    assert SESSION in reverie("diary")
    (entry,) = json.loads(reverie("diary", SESSION, "--json"))
    assert entry["derived"] is True
    assert entry["diary"]["errors"][0]["overcome"] == "`python -m pytest -q tests`"


def test_a_session_without_a_diary_is_an_error_not_silence(
    capsys: pytest.CaptureFixture[str], logs: Path
) -> None:
    assert run(["sessions", "list", "--logs", str(logs)]) == 0
    assert run(["diary", SESSION]) != 0
    assert "reverie learn" in capsys.readouterr().err


@pytest.mark.proves("A1")
def test_an_agents_own_diary_is_checked_and_preferred(
    reverie: Reverie, logs: Path, tmp_path: Path
) -> None:
    reverie("learn", "--logs", str(logs))
    file = tmp_path / "own.json"
    secret = "ghp_" + "q7Wz2LmX" * 4 + "e5F6"
    own = OWN | {"errors": [f"401 with the token {secret}"], "title": "Health"}
    own["patterns"] = [*OWN["patterns"], "The bug in src/server.py was fixed in commit 1a2b3c4"]
    file.write_text(json.dumps(own), encoding="utf-8")
    answer = json.loads(reverie("diary", "add", str(file), "--session", SESSION, "--json"))
    # The derived diary quoted a tool, and only a person can raise trust.
    assert answer["trust"] == "tool"
    assert answer["redacted"] == 1
    assert [item["pattern"] for item in answer["left_out"]] == [own["patterns"][1]]
    shown = reverie("diary", SESSION)
    assert "read the version from the package → **worked**" in shown
    assert secret not in shown
    written(logs, lines(prompt("yes, and now push it"), reply("Pushed the endpoint to main.")))
    reverie("learn", "--logs", str(logs))
    assert reverie("diary", SESSION) == shown
    (entry,) = json.loads(reverie("diary", SESSION, "--json"))
    assert entry["derived"] is False


def test_doctor_counts_the_invariants(reverie: Reverie, logs: Path) -> None:
    reverie("learn", "--logs", str(logs))
    findings = json.loads(reverie("doctor", "--json"))
    (finding,) = [finding for finding in findings if finding["check"] == "diaries"]
    assert finding["level"] == "ok"
    assert "1 diaries hold: 1 human turns" in finding["message"]
    Memory.open().index.database.query("UPDATE diaries SET broken = 'turns'")
    assert run(["doctor"]) == 1


def test_the_sample_is_written_up_whole(reverie: Reverie, tmp_path: Path) -> None:
    sample.place(tmp_path / "home")
    reverie("learn")
    index = Memory.open().index
    rows = index.database.query("SELECT session, broken FROM diaries")
    assert len({session for session, _ in rows}) == len(index.sessions())
    assert all(not wrong for _, wrong in rows)


def test_a_diary_of_an_earlier_split_goes_when_the_session_is_split_otherwise(
    reverie: Reverie, logs: Path
) -> None:
    reverie("learn", "--logs", str(logs))
    ((path, (text, _)),) = diaries().items()
    by = Author(Actor("agent", KEY), f"diary of {KEY}", trust="agent")
    Memory.open().store.create("app", path.replace("-1.md", "-2.md"), text, by)
    stranger = path.replace("00000000", "11111111")
    Memory.open().store.create("app", stranger, text, by)
    reverie("reindex", "--logs", str(logs))
    reverie("learn", "--logs", str(logs))
    assert set(diaries()) == {path, stranger}
