"""What a person approved of becomes feedback that can be understood alone, or nothing."""

import pytest

from reverie.learn.statements.confirmations import confirmed


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
    assert confirmed(praise) == lesson


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
        "exactly like that",
        "love that approach",
    ],
)
def test_praise_for_a_result_a_yes_or_an_order_confirms_no_way(praise: str) -> None:
    assert confirmed(praise) == ""
