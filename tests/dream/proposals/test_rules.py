"""A pattern as one order with its reason."""

from dataclasses import replace
from typing import Any

import pytest
from tests.dream.nights import said

from reverie.dream.model import Group, Observation, Pattern
from reverie.dream.proposals.rules import begins_with_verb, imperative, rule_of


def pattern(*texts: str, **fields: Any) -> Pattern:
    """A pattern of these wordings, the first of which speaks for it."""
    members = tuple(replace(said(text, at), **fields) for at, text in enumerate(texts, 1))
    return of(*members)


def of(*members: Observation) -> Pattern:
    group = Group("pat_1", members[0].source, members[0].text, members)
    return Pattern(group, "pattern", "", 40, 0.1, 0.01, 0.9, "app", "feedback", members[0].kind)


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Run `make fmt` before you commit.", "Run `make fmt` before you commit."),
        ("Please keep pull requests small.", "Keep pull requests small."),
        ("We should use tabs.", "Use tabs."),
        ("Read [cart.ts](src/cart.ts) first.", "Read `src/cart.ts` first."),
        ("Can you always run the linter?", "Always run the linter?"),
        ("We use tabs in templates.", "Use tabs in templates."),
        ("Names must not be longer than 20 letters.",
         "Make sure that names are not longer than 20 letters"),
        ("Every handler has to have a timeout.", "Make sure that every handler has a timeout"),
        ("All responses should use camel case.", "Make sure that all responses use camel case"),
        ("The index of a store should always match its files.",
         "Make sure that the index of a store always matches its files"),
        ("Lint must be run before a merge.", "Make sure that lint is run before a merge"),
        ("Prices are integer cents.", "Keep in mind: Prices are integer cents."),
        ("What we should do is nothing.", "Keep in mind: What we should do is nothing."),
        ("When a job fails, log its id.", "When a job fails, log its id."),
        ("Before a merge, dont forget to bring the branch up to date.",
         "Before a merge, bring the branch up to date."),
        ("Make sure to run the linter.", "Run the linter."),
    ],
)  # fmt: skip
def test_a_sentence_becomes_an_order(text: str, order: str) -> None:
    assert imperative(text) == order


@pytest.mark.proves("A3")
def test_the_reason_is_the_one_given_with_the_very_words() -> None:
    one, other = said("Run `make fmt` first.", 1), said("Run `make fmt` first!", 2)
    why = replace(one, why="CI refuses what is not formatted.")
    assert (
        rule_of(of(why, other)).line == "Run `make fmt` first (CI refuses what is not formatted)."
    )
    of_another = replace(other, why="It is red.")
    assert rule_of(of(one, of_another)).line == "Run `make fmt` first."


def test_a_delivery_with_one_more_thing_is_a_rule_for_deliveries() -> None:
    assert (
        rule_of(pattern("Commit and update the notes.")).line == "Update the notes with a commit."
    )
    assert rule_of(pattern("Commit and push.")).line == "Commit and push."


@pytest.mark.proves("F9")
def test_what_to_do_instead_comes_from_whichever_wording_says_it() -> None:
    found = rule_of(pattern("Never push to main.", "Don't push to main, open a pull request.")).line
    assert found == ("Open a pull request; do not push to main (said as “Never push to main”).")


@pytest.mark.proves("F9")
def test_what_must_not_be_used_is_worked_without() -> None:
    found = rule_of(pattern("Never use `sudo` in scripts.")).line
    assert found.startswith("Work without `sudo` in scripts (said as")


@pytest.mark.proves("A3")
def test_the_order_that_a_source_knows_is_the_rule() -> None:
    order, why = "Use `npm test`, not `rtk npm test`", "it fails with “no npm”"
    failed = pattern("`rtk npm test` fails with “no npm”", source="fix", order=order, why=why)
    assert rule_of(failed).line == f"{order} ({why})."
    counted = pattern("x", source="fix", order=order, why="9 of 10 sessions did")
    assert rule_of(counted).line == f"{order}."
    assert rule_of(counted).counted == "9 of 10 sessions did"


@pytest.mark.proves("A3")
def test_of_traffic_the_advice_comes_first_and_what_was_seen_is_the_reason() -> None:
    text = "`Edit` fails again and again (57 calls): look at the exact text before an edit"
    assert rule_of(pattern(text, source="misedit")).line == (
        "Look at the exact text before an edit: `Edit` fails again and again (57 calls)."
    )


@pytest.mark.proves("A3")
def test_advice_that_speaks_of_what_was_seen_comes_behind_it() -> None:
    text = "`npm test` fails in the sandbox: run it outside"
    assert rule_of(pattern(text, source="fix")).line == (
        "As `npm test` fails in the sandbox, run it outside."
    )


def test_what_an_agent_may_do_stays_a_permission() -> None:
    text = "You can try the import yourself."
    assert imperative(text) == f"Keep in mind: {text}"


@pytest.mark.parametrize("text", ["Prices are cents", "The test fails", "Nice", ""])
def test_what_begins_with_a_noun_is_no_order(text: str) -> None:
    assert not begins_with_verb(text)


def test_where_a_thing_is_made_holds_for_the_next_one() -> None:
    one = pattern("Open a ticket in board: Falcon.")
    assert rule_of(one).line == "When you open a ticket, do it in board: Falcon."


def test_what_is_done_to_each_thing_of_a_sort_waits_for_such_things() -> None:
    (of_each, of_all) = map(pattern, ("Reply to each ticket note.", "Run the tests for each step."))
    assert rule_of(of_each).line == "When you work through ticket notes, reply to each of them."
    assert rule_of(of_all).line == "Run the tests for each step."


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    ("said_as", "order"),
    [
        ("Don't open the oven without asking the cook.", "Ask the cook before you open the oven"),
        ("No dish without a number.", "No dish without a number"),
        ("Don't serve before the cook nods.", "Don't serve before the cook nods"),
        ("Avoid glitter on the menus.", "Avoid glitter on the menus"),
        ("Avoid raw eggs in sauces, use a Yolk.", "Use a Yolk, not raw eggs in sauces"),
        ("Don't forget the note under docs/dishes.", "Remember the note under docs/dishes"),
        ("Write a note under docs/dishes for everything guests taste.",
         "Write a note under docs/dishes for everything guests taste"),
        ("Fold the napkins first, as always.", "Fold the napkins first"),
    ],
)  # fmt: skip
def test_what_makes_no_sentence_stays_in_the_persons_own_words(said_as: str, order: str) -> None:
    assert rule_of(pattern(said_as)).order.removeprefix("Keep in mind: ").rstrip(".") == order
