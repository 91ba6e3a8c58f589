"""What a project's instructions say already is not told."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.dream.nights import said
from tests.dream.weeks import kept, session
from tests.learn.scripts import played

from reverie.dream.model import Ask, Group, Night, Pattern, Reach
from reverie.dream.steps.instructions import Instructions
from reverie.learn.traffic.traces import traces

FILE = (
    "# Rules|- Format with `mill fmt` before `mill ship`.|```sh|mill check --all # slow|```"
    "|- Branch off from the latest trunk, after a pull."
)


def lines(script: str) -> list[str]:
    found = (one for one in traces(session(0, played(script))) if one.what == "instructed")
    return [line for one in found for line in one.data]


def test_the_lines_of_instructions_that_were_read_are_known() -> None:
    told = [
        "Format with `mill fmt` before `mill ship`.",
        "`mill check --all`",
        "Branch off from the latest trunk, after a pull.",
    ]
    assert lines(f"human: go\nread: CLAUDE.md\nok: {FILE}") == told
    assert lines(f"human: go\nrun: cat docs/AGENTS.md\nok: {FILE}") == told


def test_a_line_that_is_wrapped_is_one() -> None:
    file = (
        "# Sails|- Patch each sail on the day on which it was torn, and hang it to dry in|"
        "  the loft.|- Grease the winch.|1. Coil the ropes before anything else is put away for the"
        " night|2. Shut the hatch behind you."
    )
    assert lines(f"human: go\nread: CLAUDE.md\nok: {file}") == [
        "Patch each sail on the day on which it was torn, and hang it to dry in the loft.",
        "Grease the winch.",
        "Coil the ropes before anything else is put away for the night",
        "Shut the hatch behind you.",
    ]
    read = "Chunk ID: 12ab|Wall time: 0.1 seconds|docs/a.md:12:- Old sails are patched here."
    assert lines(f"human: go\nrun: cat AGENTS.md\nok: {read}") == []


@pytest.mark.parametrize("file", ["README.md", "src/claude.py"])
def test_other_files_are_no_instructions(file: str) -> None:
    assert lines(f"human: go\nread: {file}\nok: {FILE}") == []


def told(title: str, file: str = "CLAUDE.md", sessions: Sequence[int] = (1,)) -> tuple[str, str]:
    """The line of the instructions that tells what a pattern would, and why that is not enough."""
    read = session(0, played(f"human: look\nread: {file}\nok: {FILE}"))
    shown = min(turn.at for turn in read.turns)
    database = kept([read])
    night = Night(Ask(), "", Reach(database, (), ()), sessions=(read.key,))
    # Negative numbers are sessions of before.
    members = tuple(
        replace(
            said(title, abs(number), project=read.project.slug),
            at=f"{'9' if number > 0 else '1'}{shown[1:]}",
        )
        for number in sessions
    )
    group = Group("g", "said", title, members)
    one = Pattern(group, "pattern", "", 1, 0.0, 0.0, 0.9, "app", "feedback", "best-practice")
    known = Instructions(night)
    line = known.tell(one, title)
    return line, known.unheeded(one, line) if line else ""


def line_for(title: str, file: str = "CLAUDE.md") -> str:
    return told(title, file)[0]


def test_what_the_instructions_say_is_known_by_its_commands_or_its_words() -> None:
    assert line_for("Run `mill fmt now` before `mill ship`.") == ""
    assert line_for("Run `mill fmt` before `mill ship`.")
    assert line_for("Always branch off from the latest trunk.")


@pytest.mark.parametrize(
    ("title", "file"),
    [
        ("Run `mill fmt` before `mill ship`.", "NOTES.md"),
        ("Run `mill fmt` outside of the sandbox.", "CLAUDE.md"),
        ("Never push to the trunk.", "CLAUDE.md"),
    ],
)
def test_what_they_only_name_is_news(title: str, file: str) -> None:
    assert line_for(title, file) == ""


def test_what_stands_there_and_had_to_be_said_again_in_three_sessions_is_told_as_such() -> None:
    title = "Always branch off from the latest trunk."
    assert told(title, "MEMORY.md", (1, 2, 3)) == (
        "Branch off from the latest trunk, after a pull.",
        "it stands in MEMORY.md, and was said again in 3 sessions",
    )


@pytest.mark.parametrize("sessions", [(1, 2), (-1, -2, -3), (-1, 2, 3)])
def test_what_was_said_before_they_were_shown_was_not_said_again(sessions: Sequence[int]) -> None:
    assert told("Always branch off from the latest trunk.", sessions=sessions)[1] == ""
