"""The order of patterns is what they are worth, and only so many are offered."""

from dataclasses import replace
from typing import Any

import pytest
from tests.dream.nights import night, said
from tests.dream.proposals.test_rules import pattern

from reverie.dream.model import Cost, Night, Pattern
from reverie.dream.steps.check import check
from reverie.dream.steps.form import form, worth_of
from reverie.dream.steps.write import write


def told(text: str, name: str, times: int = 3, **fields: Any) -> Pattern:
    one = pattern(*(text for _ in range(times)), **fields)
    return replace(one, group=replace(one.group, id=name))


def formed(*patterns: Pattern, most: int = 10) -> Night:
    begun = night()
    return form(replace(begun, ask=replace(begun.ask, most=most), patterns=patterns))


@pytest.mark.proves("A6")
def test_worth_is_how_often_times_what_each_time_cost() -> None:
    said_thrice, said_twice = told("Use tabs.", "a"), told("Use tabs.", "a", 2)
    assert worth_of(said_thrice) > worth_of(said_twice) > 0
    failed = told("`x` fails", "b", source="fix", cost=Cost(1, 0.0, 0))
    slow = told("`x` fails", "b", source="fix", cost=Cost(1, 10.0, 0))
    dear = told("`x` fails", "b", source="fix", cost=Cost(1, 0.0, 50_000))
    assert worth_of(failed) < worth_of(dear) < worth_of(slow)
    assert worth_of(replace(failed, confidence=0.1)) < worth_of(failed)


def test_a_persons_words_weigh_more_than_a_failed_call() -> None:
    assert worth_of(told("Use tabs.", "a")) > worth_of(
        told("`x` fails", "b", source="fix", cost=Cost(1, 0.0, 0))
    )


@pytest.mark.proves("A6")
def test_patterns_come_in_the_order_of_their_worth() -> None:
    found = formed(told("Use tabs.", "a", 3), told("Validate with zod.", "b", 5))
    assert [one.text for one in found.patterns] == ["Validate with zod.", "Use tabs."]
    assert [change.title for change in write(found).changes] == ["Validate with zod.", "Use tabs."]
    assert write(found).changes[0].worth == found.patterns[0].worth


@pytest.mark.proves("A6")
def test_what_is_beyond_the_most_is_counted() -> None:
    rules = [
        told(f"Validate {thing} with zod.", thing, 3 + at)
        for at, thing in enumerate(("webhooks", "forms", "queues"))
    ]
    few = check(write(formed(*rules, most=2)))
    assert [change.title for change in few.changes] == [
        "Validate queues with zod.", "Validate forms with zod."
    ]  # fmt: skip
    assert few.left == ("webhooks",)
    assert any("1 pattern of less worth left" in note for _, note in few.notes)
    every = check(write(formed(*rules, most=0)))
    assert (len(every.changes), every.left) == (3, ())


def test_what_is_stopped_takes_nobodys_place() -> None:
    secret = told("Log in with [redacted:github-pat:0a1b2c3d] first.", "s", 9)
    found = check(write(formed(secret, told("Use tabs.", "a"), most=1)))
    assert [change.title for change in found.changes] == ["Use tabs."]
    assert found.left == ()


def test_steps_of_which_a_person_forbade_one_are_no_skill() -> None:
    together = told(
        "These go together", "s", source="sequence", steps=("make x", "git push origin main")
    )
    found = formed(together, told("Never push to main.", "b"))
    assert [one.text for one in found.patterns] == ["Never push to main."]
    assert [(drop.text, drop.step) for drop in found.drops] == [("These go together", "form")]
    assert len(formed(together).patterns) == 1


@pytest.mark.proves("A6")
@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (0.0, "by accident none would be expected"),
        (0.2, "by accident about 0.2 would be expected"),
        (3.4, "by accident about 3 would be expected"),
    ],
)
def test_how_a_pattern_was_weighed_is_told_in_words(chance: float, words: str) -> None:
    one = replace(told("Use tabs.", "a", 5), chance=chance)
    assert one.sentence() == f"seen in 5 sessions on 5 days; {words}"


def test_a_word_of_a_person_alone_is_never_lost_for_lack_of_cost() -> None:
    assert said("Use tabs.", 1).cost.failed_calls == 0
    assert formed(told("Use tabs.", "a", 1)).patterns[0].worth > 0


def test_what_was_said_in_the_same_turns_is_offered_once() -> None:
    asked = told("People ask “x”: edit `HISTORY.md` with the work", "a", 9, source="ask")
    said = told("Commit and update the history.", "b", 6)
    rare = told("Deploy and tell the team.", "c", 3)
    assert [one.group.id for one in formed(asked, said, rare).patterns] == ["a", "c"]
