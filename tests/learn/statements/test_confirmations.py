"""What a person approved of becomes feedback that can be understood alone, or nothing."""

import pytest
from tests.learn.scenes import session

from reverie.learn.statements.confirmations import confirmed

TOLD = "I'll keep the raw events and derive the totals at night, so that a bug can be repaired."


def of(praise: str, told: str = TOLD, wish: str = "Store the sales of each shop.") -> str:
    turns = session(("prompt", wish), ("text", told), ("prompt", praise))
    found = confirmed(turns, 2)
    return found.lesson if found else ""


@pytest.mark.proves("D2")
@pytest.mark.parametrize(
    ("praise", "lesson"),
    [
        ("good call to keep the raw events", "Keep the raw events."),
        ("I like that you ask before deleting customer data", "Ask before deleting customer data."),
        (
            "Yes, keep asking before you touch the schema",
            "Keep asking before you touch the schema.",
        ),
        ("you're right to split the migration in two", "Split the migration in two."),
    ],
)
def test_own_words_say_what_was_right(praise: str, lesson: str) -> None:
    assert of(praise) == lesson


@pytest.mark.proves("D2")
@pytest.mark.parametrize("praise", ["exactly how I want it", "perfect approach", "keep doing it"])
def test_else_the_agents_sentence_that_was_approved_is_kept(praise: str) -> None:
    assert of(praise) == (
        "Good as it was done: keep the raw events and derive the totals at night, so that a bug can"
        " be repaired."
    )


@pytest.mark.proves("D2")
def test_what_points_at_something_brings_the_wish_along() -> None:
    told = "I split it by noun, one file for each of them, and kept the imports sorted."
    lesson = of("love that approach", told, "Split the module of the parser.")
    assert lesson.startswith(
        "Good as it was done: split the module of the parser: split it by noun"
    )


@pytest.mark.parametrize(
    "praise",
    [
        "perfect",
        "great job!",
        "works great, thanks",
        "yes",
        "perfect, now add tests for the cart module",
        "is that the right approach?",
        "I like that you did that",
        "keep going",
        "please continue coordinating the release work",
        "keep polishing the settings page of the shop",
        "ok keep working on the settings page of the shop",
        "no, that's not how I want it? use the other table",
    ],
)
def test_praise_for_a_result_a_yes_or_an_order_confirms_no_way(praise: str) -> None:
    assert of(praise) == ""


def test_what_nobody_could_understand_alone_is_not_kept() -> None:
    assert of("exactly like that", "I changed it there.") == ""
    assert of("exactly like that", "I added a route to server.py and renamed the handler.") == ""
    assert of("exactly like that", "Done.") == ""
