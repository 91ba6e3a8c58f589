"""By which words and names two remarks are found to be about the same thing."""

import pytest

from reverie.language.keys import keys_of, share_subject


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run tools/tally.py on it.", "Where is the ./tally run?"),
        ("Recipes live in menus/.", "Put the soup into menus/soup.md."),
        ("Wrap it in a Basket<T>.", "Basket<T> please."),
        ("`brew taste` comes last.", "Finish with `brew taste`."),
    ],
)
def test_a_name_is_known_by_its_parts(one: str, other: str) -> None:
    assert keys_of(one).names & keys_of(other).names
    assert share_subject(one, other)


def test_a_noun_of_a_verb_is_the_verb() -> None:
    assert keys_of("Annotate the method.").all <= keys_of("Method annotations come first.").all


def test_a_folder_that_every_project_has_is_no_name() -> None:
    assert keys_of("Look at src/ovens/heat.py.").names == {"ovens", "heat"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ladles go into the drawer.", "No ladle in the drawer.", True),
        ("Ladles please.", "We use ladles.", True),
        ("The drawer squeaks when the cook opens the left oven.", "Ladle drawer colours.", False),
        ("Everything is done.", "All of it is done again.", False),
    ],
)
def test_two_words_or_one_that_is_most_of_it_are_a_subject(
    one: str, other: str, same: bool
) -> None:
    assert share_subject(one, other) is same
