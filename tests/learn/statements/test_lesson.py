"""Lessons: one general line in the person's own words."""

from pathlib import Path

import pytest

from reverie.language.cues import human_cues
from reverie.language.words import said
from reverie.learn.statements.lesson import LONGEST, general, lesson_of, stands_alone

CASES = [
    block.split("\n-> ") if "\n-> " in block else [block.removesuffix("\n->"), ""]
    for block in (Path(__file__).parent / "fixtures/lessons.txt")
    .read_text(encoding="utf-8")
    .strip()
    .split("\n\n")
]


@pytest.mark.parametrize(("sentence", "line"), CASES, ids=[case[0][:30] for case in CASES])
def test_a_sentence_becomes_a_general_line(sentence: str, line: str) -> None:
    assert general(sentence) == line.strip()


def test_of_several_sentences_the_lasting_one_is_the_lesson() -> None:
    own = said(
        "ok, pushed it. The release job must only run on tags, because the registry refuses "
        "snapshots. can you check the status now?"
    )
    assert lesson_of(own, "", human_cues()) == (
        "The release job must only run on tags, because the registry refuses snapshots."
    )


def test_a_long_lesson_is_cut_at_a_word() -> None:
    line = general("use " + "very " * 80 + "long names")
    assert len(line) <= LONGEST + 1
    assert line.endswith("very…")


@pytest.mark.parametrize(
    ("line", "alone"),
    [
        ("Run the linter before every commit.", True),
        ("It should not be there.", False),
        ("Remove this again.", False),
        ("Keep that one in there because they need it in those builds.", False),
        ("", False),
    ],
)
def test_a_line_stands_alone_when_it_names_its_subject(line: str, alone: bool) -> None:
    assert stands_alone(line) is alone


@pytest.mark.parametrize(
    "line",
    [
        "Which removes the lock file of the nightly backup job.",
        "Might be in the strategy notes of the payments service.",
        'Message = "Another backup job holds the lock file.',
    ],
)
def test_the_rest_of_a_sentence_does_not_stand_alone(line: str) -> None:
    assert not stands_alone(line)


def test_a_whole_sentence_is_preferred_to_a_slightly_more_lasting_rest() -> None:
    own = said(
        "which removes the lock, because it is stale.\n"
        "The build server keeps no state between two runs."
    )
    assert lesson_of(own, "", human_cues()) == "The build server keeps no state between two runs."


def test_no_quoted_line_replaces_the_sentence_that_rejects_it() -> None:
    own = said(
        "- the installer now writes the service file by default\n"
        "This must not change, only the server flag should write the service file"
    )
    assert lesson_of(own, "", human_cues()).startswith("This must not change")
