"""Forms of words that are filled with another thing each time."""

import pytest
from tests.dream.nights import night, said

from reverie.dream.steps.frames import framed, hole
from reverie.dream.steps.group import group
from reverie.dream.steps.remarks import asks, blames, is_norm, reports, turns
from reverie.dream.steps.talk import agree
from reverie.language.meaning import is_complaint, plainly
from reverie.language.words import words

TASKS = (
    "Rename the price field to gross in the export.",
    "Rename the label field to caption in the export.",
    "Rename the owner field to keeper in the export.",
)


@pytest.mark.proves("A5", "A7")
def test_tasks_of_one_form_about_other_things_are_no_rule() -> None:
    found = group(night(*(said(text, number) for number, text in enumerate(TASKS))))
    assert found.groups == ()
    assert {drop.text for drop in found.drops} == set(TASKS)


def test_a_rule_may_have_the_form_of_another() -> None:
    rules = ("Never commit the build folder here.", "Never commit the cache folder here.",
             "Never commit the vendor folder here.")  # fmt: skip
    assert len(group(night(*(said(text, n) for n, text in enumerate(rules)))).groups) == 3


def test_what_is_also_said_otherwise_is_said_of_the_thing() -> None:
    texts = [*TASKS, "The price field is gross everywhere.", "The price field has to be gross."]
    found = group(night(*(said(text, number) for number, text in enumerate(texts))))
    kept = {member.text for one in found.groups for member in one.members}
    assert kept == {texts[0], *texts[3:]}


def test_other_words_for_one_place_make_no_frame() -> None:
    same = ("We keep the tables in this project sorted.", "We keep the tables in this repo sorted.",
            "We keep the tables in this codebase sorted.")  # fmt: skip
    assert framed(same) == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("move the tax check out of it", "move the rate check out of it", (("tax",), ("rate",))),
        ("compare alpha with beta for me", "compare gamma with delta for me",
         (("alpha", "with", "beta"), ("gamma", "with", "delta"))),
        ("sort the list", "sort the list", None),
        ("sort the list by name", "drop the table of users", None),
    ],
)  # fmt: skip
def test_the_places_that_differ_are_found(
    one: str, other: str, expected: tuple[tuple[str, ...], tuple[str, ...]] | None
) -> None:
    assert hole(words(one), words(other)) == expected


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
