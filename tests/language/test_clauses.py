"""What a sentence does, by the words it begins with."""

import pytest

from reverie.language import clauses
from reverie.language.words import words


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("can you please tar the hull?", "tar the hull ?"),
        ("ok, I'd like you to tar the hull", "tar the hull"),
        ("let's tar the hull", "tar the hull"),
        ("tar the hull", "tar the hull"),
        ("kannst du mal teeren", "teeren"),
    ],
)
def test_what_is_asked_for_stands_behind_the_asking(sentence: str, asked: str) -> None:
    assert clauses.asked_for(words(sentence)) == asked.split()


@pytest.mark.parametrize(
    "sentence",
    [
        "let's play harbour and ship",
        "pretend that you drown",
        "we rehearse the launch",
        "Scene two",
    ],
)
def test_a_game_is_told_by_its_first_words(sentence: str) -> None:
    assert clauses.plays(sentence)


@pytest.mark.parametrize("sentence", ["improve the crane", "use a test scene", "act on the alarm"])
def test_work_is_no_game(sentence: str) -> None:
    assert not clauses.plays(sentence)


def test_a_part_is_given_to_the_agent_or_taken_by_the_speaker() -> None:
    assert clauses.casts("You are a ferry captain")
    assert clauses.casts("I'll be the harbour master")
    assert not clauses.casts("you are the only one who reads this")
    assert not clauses.casts("I am a sailor")


def test_an_order_may_be_a_noun_without_its_object() -> None:
    assert clauses.is_order(["release", "the", "anchor"])
    assert not clauses.is_order(["release", "week", "is", "here"])
