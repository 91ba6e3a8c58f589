"""What is told of what was learned: one line, only what is kept, and nothing that is gone."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.connect.logs import LOGS, write_log

from reverie.asker import OWNER
from reverie.clock import fixed
from reverie.handover import remembered as file_of
from reverie.memory import Memory
from reverie.operations.starts import remembered
from reverie.operations.starts.remembered import Told, line

RULES = (
    "From now on always run make lint before you commit anything.",
    "Never write to the staging database.",
    "Always answer in English.",
    "Never push on a Friday, the vendor is away.",
)


def told(*names: str) -> list[Told]:
    return [Told(f"Title of {name}", name, "s", f"mem_{name}") for name in names]


@pytest.mark.proves("F17")
def test_one_memory_is_told_with_how_to_undo_it() -> None:
    one = [Told("no PII in local storage", "no-pii", "app", "mem_1")]
    assert line(one) == "Remembered: no PII in local storage · undo: `reverie forget no-pii`"


def test_several_are_named_up_to_three_and_the_others_counted() -> None:
    assert line(told("a", "b")) == (
        "Remembered: Title of a (a) · Title of b (b) · undo: `reverie forget NAME`"
    )
    five = line(told("a", "b", "c", "d", "e"), waiting=2)
    assert five.endswith(
        "Title of c (c) · 2 more · 2 wait for review · undo: `reverie forget NAME`"
    )
    assert "Title of d" not in five
    assert "1 waits for review" in line(told("a"), waiting=1)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Memory.open(tmp_path / "home", asker=OWNER, clock=fixed("2026-11-15T09:31:00Z")) as opened:
        yield opened


def learn(memory: Memory, folder: Path, session: str, *rules: str) -> str:
    """A session is learned, and what it taught is left to be told; returns the line."""
    turns = [("user", "Please fix the check."), ("assistant", "Done.")]
    turns += [(who, text) for rule in rules for who, text in (("user", rule), ("assistant", "Ok."))]
    log = write_log(folder / LOGS, session, folder / "project", *turns)
    known = remembered.before(memory)
    memory.learn(log)
    remembered.leave(memory, "place", session, {f"claude-code:{session}"}, known)
    return left(memory)


def left(memory: Memory) -> str:
    file = Path(file_of(str(memory.config.home), "place"))
    return json.loads(file.read_text(encoding="utf-8"))["line"] if file.exists() else ""


@pytest.mark.proves("F17")
def test_what_a_session_taught_is_left_with_what_nobody_was_told_yet(
    memory: Memory, tmp_path: Path
) -> None:
    first = learn(memory, tmp_path, "one", RULES[0])
    assert "make lint" in first and first.count("`reverie forget") == 1
    assert learn(memory, tmp_path, "one", RULES[0]) == first
    both = learn(memory, tmp_path, "two", RULES[1])
    assert "make lint" in both and "staging" in both


def test_a_session_that_teaches_nothing_leaves_nothing(memory: Memory, tmp_path: Path) -> None:
    assert learn(memory, tmp_path, "one") == ""


def test_what_others_wrote_meanwhile_was_not_learned_from_the_session(
    memory: Memory, tmp_path: Path
) -> None:
    known = remembered.before(memory)
    memory.remember("The crane is out of order", scope="global")
    remembered.leave(memory, "place", "one", {"claude-code:one"}, known)
    assert left(memory) == ""


def test_what_is_forgotten_before_it_is_told_is_not_told(memory: Memory, tmp_path: Path) -> None:
    learn(memory, tmp_path, "one", RULES[0])
    learn(memory, tmp_path, "two", RULES[1])
    file = Path(file_of(str(memory.config.home), "place"))
    for number, one in enumerate(json.loads(file.read_text(encoding="utf-8"))["told"]):
        with memory.in_step():
            memory.forget(f"{Told(*one).store}:{Told(*one).name}")
        assert Told(*one).title not in left(memory)
        assert bool(left(memory)) is (number == 0)


def test_it_is_off_by_its_setting(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_HOOKS_REMEMBERED", "0")
    with Memory.open(tmp_path / "home") as silent:
        assert learn(silent, tmp_path, "one", RULES[0]) == ""


@given(st.lists(st.text(min_size=1, max_size=300), min_size=1, max_size=6))
def test_it_is_one_line_that_only_shows(titles: list[str]) -> None:
    said = line([Told(remembered.shown(title), "name", "s", "mem") for title in titles])
    assert said.isprintable()
    assert len(said) <= 600
