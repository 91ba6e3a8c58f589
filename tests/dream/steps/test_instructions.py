"""What a project's instructions name already is told last."""

import pytest
from tests.dream.weeks import kept, session
from tests.learn.scripts import played

from reverie.dream.model import Ask, Night, Reach
from reverie.dream.steps.gather import traffic
from reverie.dream.steps.group import group
from reverie.dream.steps.instructions import SAID, Instructions
from reverie.dream.steps.weigh import weigh
from reverie.learn.traffic.traces import traces
from reverie.sessions.derived import Chosen

FILE = "# Rules|Format with `mill fmt` and look with `mill check --all`.|```sh|mill ship out|```"


def named(script: str) -> list[str]:
    found = (one for one in traces(session(0, played(script))) if one.what == "instructed")
    return [form for one in found for form in one.data]


def test_commands_of_instructions_that_were_read_are_known() -> None:
    forms = ["mill fmt", "mill check --all", "mill ship out"]
    assert sorted(named(f"human: go\nread: CLAUDE.md\nok: {FILE}")) == sorted(forms)
    assert sorted(named(f"human: go\nrun: cat docs/AGENTS.md\nok: {FILE}")) == sorted(forms)


@pytest.mark.parametrize("file", ["README.md", "src/claude.py"])
def test_other_files_are_no_instructions(file: str) -> None:
    assert named(f"human: go\nread: {file}\nok: {FILE}") == []


STEPS = (
    "human: go on\nrun: mill fmt\nok: x\nrun: mill check --all\nok: x\nrun: mill ship out\nok: x"
)


@pytest.mark.parametrize(("file", "least"), [("CLAUDE.md", True), ("NOTES.md", False)])
def test_a_procedure_that_the_instructions_name_is_worth_little(file: str, least: bool) -> None:
    scripts = [STEPS, STEPS, STEPS, f"human: look\nread: {file}\nok: {FILE}"]
    read = [session(number, played(script)) for number, script in enumerate(scripts)]
    database = kept(read)
    night = Night(
        Ask(), "", Reach(database, (), ()), sessions=tuple(one.key for one in read),
        observations=tuple(traffic(Chosen(database))),
    )  # fmt: skip
    (found,) = (one for one in weigh(group(night)).patterns if one.group.source == "sequence")
    assert Instructions(night).share(found) == (SAID if least else 1.0)
