"""What a sentence does, by its form alone, and what stands between two of them."""

import pytest

from reverie.dream.steps.remarks import asks, blames, is_norm, reports, turns
from reverie.dream.steps.talk import agree
from reverie.language.meaning import is_complaint, plainly


@pytest.mark.parametrize(
    ("text", "norm"),
    [
        ("Always run the linter.", True),
        ("We store money as cents.", True),
        ("Use polars for tables.", True),
        ("That number can't be right.", False),
        ("Could we cut the memory of it.", False),
        ("The threshold should have been higher there.", False),
    ],
)
def test_the_form_of_a_rule_is_known(text: str, norm: bool) -> None:
    assert is_norm(text) is norm


def test_a_complaint_rules_out_what_was_done() -> None:
    assert is_complaint("You mocked the database again.")
    assert is_complaint("Float amounts again.")
    assert not is_complaint("Run it again.")
    assert plainly("Float amounts again.") == "avoid Float amounts"


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("Spawn a worker for the docs.", "asks"),
        ("I want short answers.", "asks"),
        ("Why did you change the vendored files.", "blames"),
        ("You edited the vendored files again.", "blames"),
        ("The queue hangs after ten jobs.", "reports"),
        ("Traceback (most recent call last).", "reports"),
        ("Line length is 100 from now on.", "turns"),
        ("Tables go to the bucket now and no longer to the disk.", "turns"),
    ],
)
def test_what_a_remark_does_is_known_by_its_form(text: str, does: str) -> None:
    found = {one.__name__ for one in (asks, blames, reports, turns) if one(text)}
    assert does in found
    assert len(found - {"asks", "turns"}) <= 1


@pytest.mark.parametrize(
    ("one", "other", "agreed"),
    [
        ("Always request review from Ada.", "Ada reviews every pull request.", True),
        ("Never edit vendored files.", "Why did you change the vendored files.", True),
        ("Max line length is 79.", "The limit for lines is 100.", False),
        ("Write a summary at the end.", "Leave out the summary at the end.", False),
        ("Use vitest for unit tests.", "Use jest for unit tests.", False),
    ],
)
def test_two_wordings_agree_unless_a_value_or_a_negation_stands_between_them(
    one: str, other: str, agreed: bool
) -> None:
    assert agree(one, other) is agreed
    assert agree(other, one) is agreed
