"""A short run of the kills of `learn`, `dream` and `sync`, and proof that its checker sees."""

import os
import stat
from collections import Counter
from pathlib import Path

import pytest
from bench.chaos_runs import RUNS, differences, run
from tests.operations.conftest import TALK
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER
from reverie.connect import spool
from reverie.learn.daily.dailies import Chronicler
from reverie.memory import Memory
from reverie.operations import copies, learning
from reverie.privacy import KEY_FILE


@pytest.mark.proves("C5", "F11", "F2")
@pytest.mark.hostile("K2")
def test_what_was_killed_and_run_again_is_as_after_a_clean_run() -> None:
    outcome = run(16, seed=7)
    assert outcome.violations == []
    assert outcome.kills.total() >= 16
    assert outcome.trials >= len(RUNS)


def test_the_checker_sees_what_is_lost_doubled_or_other() -> None:
    clean = {"memories": Counter({("a",): 1}), "files": {"a.md": "a"}}
    assert differences(clean, clean) == []
    for found, said in (
        ({**clean, "memories": Counter()}, "memories: lost ('a',)"),
        ({**clean, "memories": Counter({("a",): 2})}, "memories: more ('a',)"),
        ({**clean, "files": {"a.md": "b"}}, "files: {'a.md': 'a'} became {'a.md': 'b'}"),
        ({"files": clean["files"]}, "memories: Counter({('a',): 1}) became None"),
    ):
        assert differences(clean, found) == [said]


class Killed(BaseException):
    """Stands for −9: nobody handles it."""


@pytest.mark.hostile("K2")
def test_a_day_whose_write_up_was_killed_is_written_up_by_the_next_run(
    fresh: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "logs" / "aaaa-1.jsonl", lines("aaaa-1", *TALK))
    with monkeypatch.context() as patched:
        patched.setattr(Chronicler, "write", _killed)
        with pytest.raises(Killed):
            fresh.learn(tmp_path / "logs", jobs=1)
    assert not _days(fresh)
    report = fresh.learn(tmp_path / "logs", jobs=1)
    assert [one.day for one in report.dailies] == ["2026-09-01"]
    assert _days(fresh) == ["/daily/2026-09-01.md"]
    assert fresh.learn(tmp_path / "logs", jobs=1).dailies == []


@pytest.mark.hostile("K2")
def test_a_backup_and_a_reminder_that_were_killed_are_made_by_the_next_run(
    fresh: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "logs" / "aaaa-1.jsonl", lines("aaaa-1", *TALK))
    with monkeypatch.context() as patched:
        patched.setattr(learning, "remind", _killed)
        with pytest.raises(Killed):
            fresh.learn(tmp_path / "logs", jobs=1)
    assert copies.backups(fresh) == []
    fresh.learn(tmp_path / "logs", jobs=1)
    assert len(copies.backups(fresh)) == 1


@pytest.mark.hostile("S5")
@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_every_file_of_a_home_is_its_owners_alone_whatever_the_umask(
    isolated_home: Path, umask: int
) -> None:
    key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    place = isolated_home / ".claude" / "projects" / "-w-app"
    write(place / "aaaa-1.jsonl", lines("aaaa-1", *TALK, ("you", f"the token is {key}")))
    home = isolated_home / ".reverie"
    before = os.umask(umask)
    try:
        with Memory.open(asker=OWNER) as memory:
            memory.learn(jobs=1)
            memory.recall("tabs or spaces")
        spool.log(str(home), "Stop", "failed")
        spool.stage(str(home), "app", {"session": "aaaa-1", "transcript": "x"})
    finally:
        os.umask(before)
    found = {path.relative_to(home).parts[0] for path in home.rglob("*")}
    assert {"memory.db", "index.db", "backups", "hooks.log", "spool", KEY_FILE} <= found
    for path in (home, *home.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def _killed(*_: object) -> None:
    raise Killed


def _days(memory: Memory) -> list[str]:
    shared = memory.store.ensure_store("global").id
    return [one.path for one in memory.store.manifest(shared) if one.path.startswith("/daily/")]
