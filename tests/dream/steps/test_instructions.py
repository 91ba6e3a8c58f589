"""What a project's instructions say already is not told."""

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


@pytest.mark.parametrize("file", ["README.md", "src/claude.py"])
def test_other_files_are_no_instructions(file: str) -> None:
    assert lines(f"human: go\nread: {file}\nok: {FILE}") == []


def line_for(title: str, file: str = "CLAUDE.md") -> str:
    """The line of the instructions that tells what a pattern would."""
    read = session(0, played(f"human: look\nread: {file}\nok: {FILE}"))
    database = kept([read])
    night = Night(Ask(), "", Reach(database, (), ()), sessions=(read.key,))
    members = (said(title, 1, project=read.project.slug),)
    group = Group("g", "said", title, members)
    one = Pattern(group, "pattern", "", 1, 0.0, 0.0, 0.9, "app", "feedback", "best-practice")
    return Instructions(night).tell(one, title)


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
