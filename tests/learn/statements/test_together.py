"""Together: neighbouring sentences that rule the same thing are one memory."""

import pytest
from tests.learn.statements.test_statement import judged


def written(said: str) -> list[str]:
    return [one.rule for one in judged(said).statements if one.sure]


@pytest.mark.parametrize(
    "said",
    [
        "Harbour reports should never show crew names. Reports should not have crew phone numbers.",
        "Every crane log must have a headline. The first line should be the crane number.",
        "Never print crane weights in pounds. The scale should always be tonnes.",
    ],
)
def test_rules_on_one_thing_are_one_memory_with_both_sentences(said: str) -> None:
    assert written(said) == [said]
    assert next(one for one in judged(said).statements if one.sure).quote == said


@pytest.mark.parametrize(
    "said",
    [
        "Never commit crane keys. Always write the harbour log in English.",
        "Never commit crane keys. Does the crane log have keys?",
        "Never commit crane keys.\n- The crane keys were rotated last night.",
    ],
)
def test_what_rules_another_thing_or_nothing_is_no_part_of_it(said: str) -> None:
    assert "Never commit crane keys." in written(said) or not written(said)


def test_a_long_turn_keeps_its_rules_apart() -> None:
    places = ("piers", "ferries", "schools", "roads", "markets")
    lines = [f"Never lift cranes above {place}." for place in places]
    assert written(" ".join(lines)) == lines
