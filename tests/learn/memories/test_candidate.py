"""What a candidate would become."""

from dataclasses import replace

import pytest

from reverie.documents.document import parse
from reverie.learn.memories.candidate import Candidate, deciding, passage, reworded
from reverie.sessions.statements import StatementRow

SAID = Candidate(
    lesson="Indent with tabs",
    type="feedback",
    kind="",
    scope="project",
    project="yard",
    session="codex:0b",
    evidence="codex:0b#3",
    at="2026-11-01T10:00:00Z",
    quote="no, tabs, as in the crane's driver",
    premise="I indent the crane with spaces.",
    standing=True,
    trust="user",
    score=0.9,
)


@pytest.mark.proves("D6")
def test_only_a_memory_of_the_project_itself_quotes_it():
    assert "> no, tabs, as in the crane's driver" in SAID.document().body
    for shared in (replace(SAID, scope="global"), replace(SAID, type="user")):
        document = shared.document()
        assert document.scope == "global"
        assert "crane" not in document.text()
        assert document.evidence == ("codex:0b#3",)


NEVER = replace(SAID, lesson="Never push on Fridays", quote="never push on Fridays, please")


@pytest.mark.parametrize("said", [SAID, NEVER], ids=lambda one: one.lesson)
@pytest.mark.parametrize("place", ["description: ", "**Rule:** "])
def test_an_edit_of_one_place_is_carried_to_the_others(said: Candidate, place: str):
    before = said.document()
    new = "Never push on Sundays"
    text = before.text()
    assert text.count(f"{place}{said.lesson}") == 1
    edited = parse(text.replace(f"{place}{said.lesson}", f"{place}{new}"))
    after = reworded(before, edited)
    assert after.description == new
    assert after.body.startswith(f"**Rule:** {new}\n")
    assert said.lesson not in "".join(
        line for line in after.text().splitlines() if not line.startswith(">")
    )
    assert f"> {said.quote}" in after.body
    assert "Friday" not in after.body.partition("How to apply")[2]


def test_what_was_edited_in_both_places_or_elsewhere_stays_as_it_was_made():
    before = SAID.document()
    both = replace(before, description="Tabs", body=before.body.replace(SAID.lesson, "Use tabs"))
    elsewhere = replace(before, body=before.body.replace("**Why:**", "**Why:** the linter;"))
    assert reworded(before, both) == both
    assert reworded(before, elsewhere) == elsewhere
    assert reworded(before, before) == before


def test_of_a_long_turn_the_part_is_quoted_that_speaks_of_the_lesson() -> None:
    turn = f"{'Please go on. ' * 60}The nightly export goes to the blue bucket. {'Thanks. ' * 90}"
    found = passage(turn, "The nightly export is written to the blue bucket.", 200)
    assert "The nightly export goes to the blue bucket." in found
    assert found.startswith("…") and found.endswith("…")
    assert len(found) <= 200
    assert passage("Short.", "Something else.", 200) == "Short."
    assert passage(turn, "Something else.", 200).startswith("Please go on.")


def test_the_turns_that_say_it_are_quoted_and_not_those_that_only_agree() -> None:
    lesson = "The nightly export goes to the blue bucket."
    said = ("8", "go on", "the export goes to the blue bucket", "each nightly export, yes")
    first, *also = (
        replace(SAID, lesson=lesson, quote=quote, premise="", evidence=f"codex:0b#{line}")
        for line, quote in enumerate(said, 3)
    )
    body = first.document(also).body
    assert "> the export goes to the blue bucket\n\n> each nightly export, yes" in body
    assert "> 8" not in body and "> go on" not in body
    assert "> 8" in first.document().body  # all that there is


def test_what_the_agent_had_said_is_told_as_its_own_and_only_if_it_speaks_of_the_same() -> None:
    lesson = "The nightly export goes to the blue bucket."
    about = "Shall the nightly export go to the blue bucket?"
    said = replace(SAID, lesson=lesson, premise=about)
    assert f"The agent had said:\n\n> {about}" in said.document().body
    besides = replace(said, premise="I emptied the bucket and swept the blue floor.")
    assert "had said" not in besides.document().body


def test_what_is_said_firmly_is_decided_about_before_what_is_on_a_screen_or_of_one_thing() -> None:
    def deserves(rule: str) -> float:
        said = StatementRow(
            session="codex:0b", line=3, place=0, agent="codex", project="yard", at="", rule=rule,
            quote=rule, why="", premise="", act="decision", worth=0.4, lasting=0.5, lasts=True,
            sure=False, standing=False, shared=False, passing=False, kind="decision",
            type="project", trust="user",
        )  # fmt: skip
        return deciding(said)

    plain = deserves("The crane is moved by two people.")
    assert deserves("Don't move cranes alone.") > plain
    assert deserves("The crane is shown in the sidebar.") < plain
    assert deserves("The crane is moved in crane.py:12.") < plain
    assert deserves("It is moved by two people.") < plain
