"""What a person sees on a terminal: widths, colours, and deciding with one key."""

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from reverie.cli import printing
from reverie.cli.root import run
from reverie.sample import NOW, place


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Terminal]:
    """Puts a terminal of so many columns in the place of all three streams."""

    def open_one(columns: int) -> Terminal:
        screen = Terminal()
        for name in ("stdin", "stdout", "stderr"):
            monkeypatch.setattr(sys, name, screen)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "dumb")
        return screen

    return open_one


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Presses keys, one after the other."""

    def press(text: str) -> None:
        pressed = iter(text.split())
        monkeypatch.setattr(click, "getchar", lambda: next(pressed))

    return press


ROWS = [["orchard:pear", "Prune it in March, before the buds open, and never in the rain"]]


def test_a_pipe_gets_every_character(capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    printing.table(ROWS, ["name", "what"])
    assert ROWS[0][1] in capsys.readouterr().out


def test_a_terminal_gets_lines_that_fit(terminal):
    screen = terminal(60)
    printing.table(ROWS, ["name", "what"])
    head, row = screen.getvalue().splitlines()
    assert head == "name          what"
    assert len(row) == 60
    assert row.endswith("…")


def test_a_last_column_without_room_goes_below(terminal):
    screen = terminal(40)
    printing.table(ROWS)
    first, *rest = screen.getvalue().splitlines()
    assert first == "orchard:pear"
    assert " ".join(line.strip() for line in rest) == ROWS[0][1]
    assert max(map(len, rest)) < 40


def test_rows_too_wide_for_the_terminal_take_two_lines(terminal):
    screen = terminal(60)
    name = "orchard:" + "pear-" * 8
    printing.table([[name, "user", "feedback", ROWS[0][1]]], ["name", "by", "type", "what"])
    lines = screen.getvalue().splitlines()
    assert lines[:3] == ["name", "    by    type      what", name]
    assert lines[3].startswith("    user  feedback  Prune it in March")
    assert max(map(printing.cells, lines)) <= 60


def test_what_an_agent_is_told_is_read_by_a_person_without_escapes(
    terminal, capsys: pytest.CaptureFixture[str]
):
    told = "> Vectors are List&lt;int> here"
    printing.out_told(told)
    assert capsys.readouterr().out == f"{told}\n", "a pipe may lead to an agent"
    screen = terminal(80)
    printing.out_told(told)
    assert screen.getvalue() == "> Vectors are List<int> here\n"


@pytest.mark.parametrize("command", [["memories"], ["memories", "--all"], ["stats"], ["log"]])
def test_lists_fit_into_eighty_columns(learned, terminal, command: list[str]):
    screen = terminal(80)
    assert run(command) == 0
    listed = screen.getvalue().partition("what this does not show")[0]
    assert len(listed.splitlines()) > 3
    assert [line for line in listed.splitlines() if printing.cells(line) > 80] == []


def test_wide_characters_count_twice(terminal):
    screen = terminal(80)
    printing.table([["梨", "a"], ["pear", "b"]])
    assert screen.getvalue().splitlines() == ["梨    a", "pear  b"]
    assert printing.cells("e\u0301") == 1


def test_colours_are_for_terminals_that_want_them(terminal, monkeypatch):
    terminal(80)
    assert printing.diff_line("+new") == "+new"
    monkeypatch.delenv("NO_COLOR")
    assert printing.diff_line("+new") == click.style("+new", fg="green")
    assert printing.diff_line("-\x1bold") == click.style("-\\x1bold", fg="red")


@pytest.mark.parametrize(
    ("count", "one", "said"),
    [(1, "memory", "1 memory"), (2, "memory", "2 memories"), (0, "day", "0 days")],
)
def test_a_count_has_the_right_word(count: int, one: str, said: str):
    assert printing.several(count, one) == said


@pytest.fixture
def learned(isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample, learned and dreamt about."""
    monkeypatch.setenv("REVERIE_NOW", NOW)
    monkeypatch.chdir(place(isolated_home) / "shop-api")
    run(["learn"])
    run(["dream"])


def test_review_shows_a_change_on_one_screen_and_all_of_it_on_request(learned, terminal, keys):
    screen = terminal(100)
    keys("d q")
    assert run(["review"]) == 0
    short, _, details = screen.getvalue().partition("d details")
    assert len(short.splitlines()) < 22  # of 24
    assert "evidence: [" not in short
    assert "evidence: [" in details
    assert "left for later" in details


def test_keys_that_arrive_together_count_as_the_first(learned, terminal, keys):
    screen = terminal(100)
    keys("q\r")
    assert run(["review"]) == 0
    assert "left for later" in screen.getvalue()


@pytest.fixture
def lessons(learned, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What waits that is no change: the ids, and the changes are out of the way."""
    capsys.readouterr()
    run(["review", "--json"])
    waiting = json.loads(capsys.readouterr().out)
    for one in waiting:
        if one["id"].startswith("chg_"):
            run(["review", "--reject", one["id"]])
    return [one["id"] for one in waiting if not one["id"].startswith("chg_")]


def test_what_was_rejected_by_mistake_can_be_taken_back(lessons, terminal, keys):
    screen = terminal(100)
    keys("r q")
    assert run(["review"]) == 0
    taken_back = screen.getvalue().partition("`reverie review --accept ")[2].partition("`")[0]
    assert lessons[0].startswith(taken_back)
    assert run(["review", "--accept", taken_back]) == 0
    assert re.search(r"created [\w-]+:", screen.getvalue())


def test_what_was_accepted_is_named_with_how_to_take_it_back(lessons, terminal, keys):
    screen = terminal(100)
    keys("a q")
    assert run(["review"]) == 0
    command = screen.getvalue().partition("u takes it back now, `reverie ")[2].partition("`")[0]
    name = command.removeprefix("forget ")
    assert f"created {name}\n" in screen.getvalue()
    assert run(command.split()) == 0
    assert f"{name} archived" in screen.getvalue()


def test_back_undo_and_help_are_keys(lessons, terminal, keys):
    screen = terminal(100)
    keys("? u s b r b a u q")
    assert run(["review"]) == 0
    said = screen.getvalue()
    assert "  u  undo the last decision and ask again" in said
    assert said.count("nothing was decided yet") == 1
    assert said.count(f"1 of {len(lessons)} ") == 4, "first, back, back again, undone"
    assert said.count("decided already") == 2, "and `a` there does nothing"
    assert "created" not in said
    assert f"taken back\n\n1 of {len(lessons)} " in said
    assert said.endswith(f"{len(lessons)} left for later\n")


FAILING = """#!/bin/sh
sed -i 's/^description: .*/description: Stay on SQLite, always/' "$1"
exit 3
"""


def test_an_editor_that_fails_keeps_what_was_typed_and_the_review(
    lessons, terminal, keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolated_home: Path
):
    broken, cat = tmp_path / "broken", tmp_path / "cat"
    broken.write_text(FAILING)
    cat.write_text("#!/bin/sh\nexit 0\n")
    for file in (broken, cat):
        file.chmod(0o700)
    pressed = iter(["e", "e", "q"])
    editors = iter([broken, cat])

    def press() -> str:
        key = next(pressed)
        if key == "e":
            monkeypatch.setenv("EDITOR", str(next(editors)))
        return key

    monkeypatch.setattr(click, "getchar", press)
    screen = terminal(100)
    assert run(["review"]) == 0
    said = screen.getvalue()
    file = Path(said.partition("what you typed is in ")[2].partition("\n")[0])
    assert file.name == f"{lessons[0]}.md"
    assert "edited\n" not in said
    again = re.search(r"created [\w-]+:stay-on-sqlite\n", said)
    assert again, "the second time opens the text"
    assert not file.exists()


@pytest.mark.parametrize("editor", ["false", "true", "no-such-editor", "'"])
def test_an_editor_that_is_cancelled_decides_nothing(
    lessons, terminal, keys, monkeypatch: pytest.MonkeyPatch, editor: str
):
    monkeypatch.setenv("EDITOR", editor)
    screen = terminal(100)
    keys("e q")
    assert run(["review"]) == 0
    assert screen.getvalue().endswith(f"{len(lessons)} left for later\n")
    assert ("nothing changed" in screen.getvalue()) == (editor == "true")


def test_what_was_decided_about_a_stale_memory_is_taken_back(
    shop: Path, terminal, keys, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("EDITOR", "sed -i s/gone/lost/")
    assert run(["remember", "Always read `gone/money.py` before taxes", "--name", "taxes"]) == 0
    capsys.readouterr()
    run(["show", "taxes"])
    before = capsys.readouterr().out
    screen = terminal(100)
    keys("a u e u k u q")
    assert run(["review", "--stale"]) == 0
    said = screen.getvalue()
    assert "shop:taxes archived" in said
    assert "shop:taxes edited" in said
    assert "shop:taxes is still right" in said
    assert "`reverie restore shop:taxes 1` later" in said
    assert said.count("taken back") == 3
    assert said.endswith("1 left for later\n")
    screen.truncate(0)
    assert run(["show", "taxes"]) == 0
    assert before in screen.getvalue()
