"""A short run of the kills of `learn`, `dream` and `sync`, and proof that its checker sees."""

from collections import Counter
from pathlib import Path

import pytest
from bench.chaos_runs import RUNS, differences, run
from tests.operations.conftest import TALK
from tests.sessions.worklogs import lines, write

from reverie.learn.daily.dailies import Chronicler
from reverie.memory import Memory
from reverie.operations import copies, learning


@pytest.mark.proves("C5", "F2")
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


def _killed(*_: object) -> None:
    raise Killed


def _days(memory: Memory) -> list[str]:
    shared = memory.store.ensure_store("global").id
    return [one.path for one in memory.store.manifest(shared) if one.path.startswith("/daily/")]
