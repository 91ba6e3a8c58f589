"""What lies in the home is believed if Reverie put it there, and only so long as it is that."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import claude, prompt, reply, written

from reverie.memory import Memory
from reverie.operations import learning, sessions
from reverie.sealing import Sealer
from reverie.sessions.logs.copies import Copies
from reverie.store.context import Context

RULE = "No, that's wrong. Never use npm in this repo, always use `crate` to install packages."
SEALER = Sealer(lambda: b"k" * 32)


def talk() -> list[dict[str, Any]]:
    return claude(prompt("please install the packages"), reply("npm install"), prompt(RULE))


def trusts(memory: Memory) -> list[str]:
    return [candidate.trust for candidate, _ in learning.learn(memory, jobs=1).outcomes]


def test_a_file_is_ours_as_it_was_made_and_no_longer(tmp_path: Path) -> None:
    made, other = tmp_path / "kept" / "a.jsonl", tmp_path / "kept" / "b.jsonl"
    made.parent.mkdir()
    made.write_text("said")
    other.write_text("forged")
    Copies(tmp_path, SEALER).note([made])
    again = Copies(tmp_path, SEALER)
    assert (again.hold(made), again.hold(other)) == (True, False)
    assert not Copies(tmp_path, Sealer(lambda: b"x" * 32)).hold(made)
    made.rename(other)
    assert not again.hold(other)
    made.write_text("said and more")
    assert not again.hold(made)


def test_a_cut_line_costs_one_copy_and_old_lines_go_when_there_are_many(tmp_path: Path) -> None:
    files = [tmp_path / str(number) for number in range(2)]
    for file in files:
        file.write_text("x")
    for number in range(1_101):
        os.utime(files[0], ns=(number, number))
        Copies(tmp_path, SEALER).note(files[:1])
    with open(tmp_path / "copies", "a", encoding="utf-8") as out:
        out.write('["1", "cut')
    Copies(tmp_path, SEALER).note(files[1:])
    held = Copies(tmp_path, SEALER)
    assert held.hold(files[0]) and held.hold(files[1])
    assert len((tmp_path / "copies").read_text(encoding="utf-8").split()) < 500


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("folder", ["mirrored", "kept/claude-code/0123abcd"])
def test_a_log_that_somebody_put_into_the_home_is_not_the_persons(folder: str) -> None:
    with Memory.open() as memory:
        written(memory.make_home() / folder / "-w-app", talk())
        assert trusts(memory) == ["agent"]


@pytest.mark.hostile("M1")
@pytest.mark.parametrize("ours", [True, False])
def test_a_copy_is_believed_like_the_log_it_was_made_of(ours: bool, isolated_home: Path) -> None:
    log = written(isolated_home / ".claude" / "projects" / "-w-app", talk())
    with Memory.open() as memory:
        if not ours:
            memory.agent_above = lambda: "claude-code"
        sessions.keep_logs(memory, everything=True)
        log.unlink()
    with Memory.open() as memory:
        assert trusts(memory) == (["user"] if ours else ["agent"])


def test_what_an_old_home_kept_stays_believed(
    isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written(isolated_home / ".claude" / "projects" / "-w-app", talk())
    with Memory.open() as memory:
        memory.remember("The till counts in cents", name="till")
        sessions.keep_logs(memory, everything=True)
        home = memory.config.home
    log.unlink()
    (home / "copies").unlink()
    with monkeypatch.context() as upgrading:
        upgrading.setattr(Context, "migrate", lambda _: ["row_seals"])
        with Memory.open() as memory:
            assert trusts(memory) == ["user"]
    # Once: who deletes the list afterwards is believed nothing more for it.
    (home / "copies").unlink()
    (home / "index.db").unlink()
    with Memory.open() as memory:
        assert [one.vouched for one in memory.logs().logs] == [False]
