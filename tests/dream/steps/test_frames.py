"""Forms of words that are filled with another thing each time, and phrases that say nothing."""

import pytest
from tests.dream.nights import night, said

from reverie.dream.steps.frames import bared, framed, hole, is_norm
from reverie.dream.steps.group import group
from reverie.dream.steps.kin import signed
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
    assert framed(same) == {}


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


def test_a_phrase_that_opens_many_unlike_remarks_is_taken_off() -> None:
    rests = ("sort the imports", "mind the gap", "use tabs", "close the door", "log in utc")
    found = bared([said(f"One small point, {rest}.", n) for n, rest in enumerate(rests)])
    assert [one.text for one in found][:2] == ["Sort the imports.", "Mind the gap."]
    assert found[0].quote == "One small point, sort the imports."
    about = bared([said(f"For tests, use the {rest} tests.", n) for n, rest in enumerate(rests)])
    assert about[0].text.startswith("For tests")


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
    ("text", "stem", "sign"),
    [
        ("Write parquet, csv only causes trouble.", "csv", -1),
        ("Write parquet, csv only causes trouble.", "parquet", 1),
        ("No tokens in settings, read them from the vault.", "token", 0),
        ("We moved from poetry to uv.", "poetr", -1),
        ("We moved from poetry to uv.", "uv", 1),
        ("The emojis are back, please drop them.", "emojis", -1),
        ("Keep answers short.", "^short", 1),
    ],
)
def test_what_is_asked_for_and_what_is_ruled_out(text: str, stem: str, sign: int) -> None:
    assert signed(text)[stem] == sign
