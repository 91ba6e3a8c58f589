"""Prohibitions said as what to do instead."""

import pytest

from reverie.learn.statements.rule import positively


@pytest.mark.proves("F9")
@pytest.mark.parametrize(
    ("lesson", "instead"),
    [
        ("Don't use npm, use pnpm instead.", "Use pnpm, not npm."),
        ("Never use print; use the logger.", "Use the logger, not print."),
        ("Instead of sleeping, wait for the event.", "Wait for the event, not sleep."),
        ("Never moor at night, read the log.", "Read the log; do not moor at night."),
        ("Never merge without running the tests.", "Run the tests before you merge."),
        ("Don't forget to bump the version.", "Bump the version."),
        ("Don't mock the database.", "Use the real database."),
        ("Never skip the type check.", "Always do the type check."),
        ("Don't hardcode the timeout.", "Read the timeout from configuration."),
    ],
)
def test_a_prohibition_with_an_alternative_is_said_as_an_instruction(
    lesson: str, instead: str
) -> None:
    assert positively(lesson) == instead


@pytest.mark.proves("F9")
@pytest.mark.parametrize(
    "lesson",
    [
        "Never push to main.",
        "Use pnpm.",
        "The port is 8443, not 8080.",
        "Don't touch vendor.",
    ],
)
def test_nothing_is_made_up_where_the_words_offer_no_alternative(lesson: str) -> None:
    assert positively(lesson) == ""
