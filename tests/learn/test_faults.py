"""One bad session never stops another: it is set aside with its reason, and tried again."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command, Reverie
from tests.connect.logs import record, write_log
from tests.learn.odd_sessions import odd_log

from reverie.asker import Asker
from reverie.errors import LeaseHeld, Unavailable
from reverie.learn.daily.dailies import Chronicler
from reverie.learn.detect.judge import Judge
from reverie.learn.diary.diaries import Diarist
from reverie.learn.memories.writing import Writer
from reverie.learn.run import Learner
from reverie.memory import Memory
from reverie.sessions.corrections import corrections
from reverie.sessions.logs import ahead

GOOD, BAD = "0a000000-0000-4000-8000-00000000000a", "0b000000-0000-4000-8000-00000000000b"
RULE = "From now on always run make lint before you commit anything."
OTHER = "From now on always write the changelog before you tag a release."
# Sessions of each fuzzed home, and homes; more of them with REVERIE_TEST_FUZZ=50.
SESSIONS = 6
HOMES = int(os.environ.get("REVERIE_TEST_FUZZ", "5"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def logs(tmp_path: Path, project: Path) -> Path:
    """A session that is fine, and one that something will go wrong with."""
    folder = tmp_path / "logs"
    write_log(folder, BAD, project, *talk(OTHER))
    write_log(folder, GOOD, project, *talk(RULE))
    return folder


def talk(rule: str) -> list[tuple[str, Any]]:
    done = ("assistant", "Done, and committed.")
    return [("user", "Please fix the failing check."), done, ("user", rule)]


def of_the_bad_one(subject: object) -> bool:
    return "000b" in repr(subject)


def breaking(owner: type, name: str, patch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let a method fail for whatever belongs to the bad session."""
    method: Callable[..., Any] = getattr(owner, name)

    def failing(self: Any, *args: Any, **more: Any) -> Any:
        if of_the_bad_one((args, more)):
            raise error
        return method(self, *args, **more)

    patch.setattr(owner, name, failing)


STEPS = [
    (Judge, "session", "judging", RecursionError("too deep")),
    (Learner, "_observed", "judging", KeyError("x")),
    (Learner, "_candidates", "writing", UnicodeError("odd")),
    (Writer, "write", "writing", ValueError("no value")),
    (Diarist, "publish", "writing", AssertionError("not so")),
]


@pytest.mark.proves("F16")
@pytest.mark.parametrize(("owner", "name", "step", "error"), STEPS)
def test_what_fails_in_one_session_is_set_aside_and_the_rest_is_learned(
    reverie: Reverie,
    command: Command,
    logs: Path,
    owner: type,
    name: str,
    step: str,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as broken:
        if owner is Judge:
            # Turns do not say whose they are; what was said does.
            _break_judging(broken, error)
        else:
            breaking(owner, name, broken, error)
        report = json.loads(reverie("learn", "--logs", str(logs), "--json"))
    (aside,) = report["set_aside"]
    assert (aside["session"], aside["step"]) == (f"claude-code:{BAD}", step)
    assert type(error).__name__ in aside["reason"]
    kept = [one["description"] for one in json.loads(reverie("memories", "--json"))]
    assert any("lint" in one for one in kept)
    # It is named until it is learned, and what it said can be searched meanwhile.
    told = command("doctor")
    assert told.code != 0 and BAD in told.out + told.err
    assert json.loads(reverie("--json"))["set_aside"] == 1
    assert BAD in reverie("sessions", "search", "changelog", "--json")
    again = json.loads(reverie("learn", "--logs", str(logs), "--json"))
    assert again["set_aside"] == []
    kept = [one["description"] for one in json.loads(reverie("memories", "--json"))]
    assert any("changelog" in one for one in kept)
    assert json.loads(reverie("--json"))["set_aside"] == 0
    assert BAD not in command("doctor").out


def _break_judging(patch: pytest.MonkeyPatch, error: Exception) -> None:
    judged = Judge.session

    def session(self: Judge, turns: Any, *place: int) -> Any:
        if any("changelog" in turn.text for turn in turns):
            raise error
        return judged(self, turns, *place)

    patch.setattr(Judge, "session", session)


@pytest.mark.proves("F16")
def test_a_daily_that_cannot_be_written_is_written_by_the_next_run(
    reverie: Reverie, command: Command, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:

        def compose(*_: object) -> None:
            raise ZeroDivisionError("no day")

        broken.setattr(Chronicler, "compose", compose)
        report = json.loads(reverie("learn", "--logs", str(logs), "--json"))
    assert [(one["session"], one["step"]) for one in report["set_aside"]] == [
        ("2026-11-10", "daily")
    ]
    assert len(json.loads(reverie("memories", "--json"))) == 2
    assert "ZeroDivisionError" in command("doctor").out
    reverie("learn", "--logs", str(logs))
    assert "changelog" in reverie("daily", "2026-11-10")
    assert "ZeroDivisionError" not in command("doctor").out


@pytest.mark.proves("F16")
def test_a_log_no_reader_survives_is_set_aside_until_it_can_be_read_or_is_gone(
    reverie: Reverie, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ahead.take_in

    def broken(transcript: Any, *args: Any, **more: Any) -> Any:
        if BAD in str(transcript.path):
            raise RecursionError("nested too deep")
        return read(transcript, *args, **more)

    monkeypatch.setattr(ahead, "take_in", broken)
    report = json.loads(reverie("learn", "--logs", str(logs), "--json"))
    (aside,) = report["set_aside"]
    assert (aside["session"], aside["step"]) == (str(logs / f"{BAD}.jsonl"), "reading")
    assert "lint" in reverie("memories")
    (logs / f"{BAD}.jsonl").unlink()
    assert json.loads(reverie("learn", "--logs", str(logs), "--json"))["set_aside"] == []
    assert json.loads(reverie("--json"))["set_aside"] == 0


@pytest.mark.parametrize("error", [LeaseHeld("another process learns"), Unavailable("no space")])
def test_what_concerns_the_home_ends_the_run(
    logs: Path, tmp_path: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaking(Writer, "write", monkeypatch, error)
    with Memory.open(tmp_path / "own", asker=Asker("test")) as memory:
        with pytest.raises(type(error)):
            memory.learn(logs)
        monkeypatch.undo()
        assert len(memory.learn(logs).learned) >= 1


@pytest.mark.hostile("L2")
def test_two_corrections_on_one_line_are_both_kept(
    reverie: Reverie, tmp_path: Path, project: Path
) -> None:
    path = write_log(tmp_path / "logs", BAD, project, *talk("Thanks."))
    said = (
        "No, that is wrong: the port is 8443, not 8080. Always use 8443 from now on.",
        "No, wrong again: the host is quay, not pier. Always use quay from now on.",
    )
    spliced = "".join(
        json.dumps(record(BAD, project, number, "user", words))
        for number, words in enumerate(said, 9)
    )
    path.write_text(path.read_text(encoding="utf-8") + spliced + "\n", encoding="utf-8")
    write_log(tmp_path / "logs", GOOD, project, *talk(RULE))
    report = json.loads(reverie("learn", "--logs", str(tmp_path / "logs"), "--json"))
    assert report["set_aside"] == []
    found = [
        one for one in json.loads(reverie("corrections", "--all", "--json")) if BAD in one["id"]
    ]
    found.sort(key=lambda one: one["id"])
    assert [one["text"] for one in found] == list(said)
    first, second = (one["id"] for one in found)
    assert second == f"{first}.2"
    for identity, word in ((first, "8443"), (second, "quay")):
        assert word in reverie("show", identity)
    assert "lint" in reverie("memories")
    assert "quay" in reverie("recall", "which host, quay or pier?")
    reverie("forget", second)
    assert "quay" not in reverie("recall", "which host, quay or pier?")


def test_a_diary_over_the_limit_is_cut_by_rule(
    reverie: Reverie, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_STORE_MAX_CONTENT_BYTES", "4000")
    turns: list[tuple[str, Any]] = []
    for number in range(60):
        turns += [
            ("user", f"No, that is wrong: part {number} is called quay {number}, not pier."),
            ("assistant", f"I changed part {number} to quay {number}."),
        ]
    write_log(tmp_path / "logs", BAD, project, *turns)
    write_log(tmp_path / "logs", GOOD, project, *talk(RULE))
    report = json.loads(reverie("learn", "--logs", str(tmp_path / "logs"), "--json"))
    assert report["set_aside"] == []
    with Memory.open(asker=Asker("test")) as memory:
        diaries = [
            memory.store.get(info.name, entry.path)
            for info in memory.store.stores()
            for entry in memory.store.manifest(info.name)
            if entry.path.startswith("/diary/")
        ]
    assert len(diaries) >= 2
    assert all(len(one.content.encode()) <= 4000 for one in diaries)
    assert any("… and " in one.content for one in diaries)
    assert json.loads(reverie("learn", "--logs", str(tmp_path / "logs"), "--json"))["sessions"] == 0


@pytest.mark.proves("F16")
@pytest.mark.parametrize("seed", range(HOMES))
def test_no_session_stops_another_whatever_it_holds(
    seed: int, tmp_path: Path, project: Path
) -> None:
    chance = random.Random(seed)
    logs = tmp_path / "logs"
    for number in range(SESSIONS):
        odd = f"{number:08x}-0000-4000-8000-00000000000c"
        odd_log(logs / f"{odd}.jsonl", odd, project, chance)
    write_log(logs, GOOD, project, *talk(RULE))
    with Memory.open(tmp_path / "own", asker=Asker("test")) as memory:
        report = memory.learn(logs)
        assert report.aside == []
        assert f"claude-code:{GOOD}" in report.learned
        assert any("lint" in item.document.description for item in memory.memories())
        # Twice is once.
        assert memory.learn(logs).learned == []
        assert all(row.session for row in corrections(memory.index.database))
