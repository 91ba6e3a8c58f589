"""Whether a lesson in other words may be told before a person looked at it."""

import pytest

from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import grounding
from reverie.learn.work.telling import is_of_one_time


def is_told(lesson: str, *said: str, beside: str = "", named: str = "") -> bool:
    """Whether a lesson that somebody made of what was said is told, if it is not sent back."""
    texts = (beside,) if beside else ()
    return not grounding((lesson,), Ground(said, texts, named=(named,) if named else ())).doubt


@pytest.mark.hostile("M9")
@pytest.mark.parametrize(
    ("lesson", "said"),
    [
        ("Use tar for the dock and zip for the pier.", "use zip for the dock and tar for the pier"),
        ("Wash the crane before you ask me.", "ask me before you wash the crane"),
        ("Ines may only move the crane.", "only Ines may move the crane"),
        ("Loads under 9 tons are weighed twice.", "loads over 9 tons are weighed twice"),
        ("You may move the crane.", "if the wind is low, you may move the crane"),
        ("Cranes must be washed weekly.", "some cranes must be washed weekly"),
        ("Paint the crane hall; deploy at will.", "paint the crane hall"),
        ("Never move cranes unless I say so or it rains.", "never move cranes unless I say so"),
        ("Leave out the crane check.", "for this run leave out the crane check"),
        ("We need rope <= 20 for the crane.", "we need rope >= 20 for the crane"),
        ("The crane is 2 hours late by its clock.", "the crane is -2 hours late by its clock"),
        ("Write the crane driver in C.", "write the crane driver in C++"),
        ("Send the crane bills to US first.", "send the crane bills to us first"),
        ("We always weigh loads twice.", "in the north hall we always weigh loads twice"),
    ],
)
def test_what_may_say_something_else_waits(lesson: str, said: str) -> None:
    assert not is_told(lesson, said)


@pytest.mark.hostile("M9")
def test_a_word_of_another_sentence_in_the_place_of_one_waits() -> None:
    said = ["At the pier we use zip for the crane bills.", "Ropes are checked with tar."]
    assert not is_told("At the pier we use tar for the crane bills.", *said)
    assert is_told("At the pier the crane bills use zip.", *said)
    joined = "The crane bills use zip at the pier, and ropes are checked by tar."
    assert is_told(joined, *said), "what two sentences say together"


@pytest.mark.hostile("M9")
def test_what_is_remembered_besides_lends_no_permission() -> None:
    said, known = "the crane is green again", "Never move the crane without asking."
    assert not is_told("The crane may be moved without asking.", said, named=known)


def test_a_denied_deed_and_the_lack_of_a_thing_permit_nothing() -> None:
    said = "the crane talks to the dock directly, we took the ropes out"
    assert is_told("The crane talks to the dock without the ropes.", said)
    assert is_told("The crane never skips the dock.", said)
    assert not is_told("The crane talks to the dock without asking.", said)
    assert not is_told("The crane skips the dock.", said)
    assert is_told("The crane keeps no bills, such as the user email, at the dock.", said)
    assert not is_told("Email the bills of the crane to the dock.", said)


@pytest.mark.parametrize(
    ("lesson", "said"),
    [
        ("The dock uses zip; the pier uses tar.", "use zip for the dock and tar for the pier"),
        ("Ask before washing the crane.", "ask me before you wash the crane"),
        ("Crane bills must not hold names.", "names must not be in crane bills"),
        ("Crane logs are kept in `store/logs`.", "we keep the crane logs in store/logs"),
        ("A lift needs to be agreed before a crane is moved.",
         "a lift needs to be agreed before moving a crane"),
        ("Cranes are built from the parts list, the rope book and the dock rules.",
         "in the notes name the parts list, the rope book, and the dock rules that cranes are built"
         " from"),
        ("The crane lifts boxes, not ropes.", "the crane is not for ropes, it lifts boxes"),
    ],
)  # fmt: skip
def test_plain_other_words_are_told(lesson: str, said: str) -> None:
    assert is_told(lesson, said)


def test_only_what_was_said_keeps_its_signs_and_what_was_shown_lends_them() -> None:
    said = "the crane bills go to the yard, each with its number"
    shown = "Filed as `yard/`, **bills** #12"
    assert is_told("Crane bills go to the yard, each with its number.", said, beside=shown)
    assert is_told("Crane bills go to `yard/`, each with its number.", said, beside=shown)
    assert not is_told(
        "Crane bills go to the yard, each with its number + date.", said, beside=shown
    )


def test_what_was_said_of_one_time_is_no_lesson() -> None:
    assert is_of_one_time("Leave out the crane check this time.")
    assert is_of_one_time("Ok then move it.")
    assert not is_of_one_time("Wash the crane every week.")
