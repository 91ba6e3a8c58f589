"""Whether what is said in one turn makes the next one, or the one before it, a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.clauses import is_of_work
from reverie.language.exchanges import (
    announces,
    asks_for_words,
    asks_whose,
    disowns,
    gives_role,
    stays_open,
    takes_back,
    tells_whose,
)

RULE = "Always salt the mash, never oil it."


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "turn",
    [
        "never, I meant",
        "not always",
        "eh, strike the always",
        "that came out backwards",
        "wait, I mixed that up",
    ],
)
def test_a_turn_may_turn_round_the_rule_before_it(turn: str) -> None:
    assert takes_back(turn, RULE, "OK.")


@pytest.mark.parametrize(
    "turn",
    [
        "now fix the tests",
        "looks good, go on",
        "what is next?",
        "Always salt the mash, never oil it.",
    ],
)
def test_a_turn_that_goes_on_leaves_the_rule_as_it_is(turn: str) -> None:
    assert not takes_back(turn, RULE, "OK.")


@pytest.mark.parametrize(
    "turn",
    [
        "the next one is the checklist that the harbour office left us",
        "let me show you the guidelines from the old pier",
        "this is what the ferry captain wrote",
        "gleich kommt die Liste vom Hafenamt",
    ],
)
def test_a_turn_may_announce_what_others_wrote(turn: str) -> None:
    assert announces(turn, "OK.", close=False)


@pytest.mark.parametrize("turn", ["paint the bollards", "thanks, now the nets", "why is it red?"])
def test_a_plain_order_announces_nothing(turn: str) -> None:
    assert not announces(turn, "OK.", close=False)


def test_a_text_for_later_and_a_game_stay_open() -> None:
    assert stays_open("later I'll forward the pilot's letter, now the crane")
    assert stays_open("let's play harbour")
    assert not stays_open("I'll unload the crane later")
    assert not stays_open("share the load between both cranes")


def test_an_agent_asks_for_a_text_or_waits_for_one() -> None:
    assert asks_for_words("OK. Give me a sentence for the gate.", close=False)
    assert asks_for_words("Standing by for the letter.", close=False)
    assert not asks_for_words("I'll give the crane some oil.", close=False)


@given(st.text(max_size=200))
def test_any_words_may_be_said(text: str) -> None:
    assert takes_back(text, RULE, text) in {True, False}
    assert tells_whose(text) in {True, False}
    assert asks_whose(text, close=True) in {True, False}
    assert stays_open(text) in {True, False}
    assert asks_for_words(text, close=True) in {True, False}
    assert announces(text, text, close=True) in {True, False}


@pytest.mark.parametrize(
    "turn", ["Let's bottle the stout first.", "okay, let us rack it", "Lass uns abfüllen."]
)
def test_a_proposal_of_what_to_do_next_is_of_the_work(turn: str) -> None:
    assert is_of_work(turn)
    assert not tells_whose(turn)
    assert not announces(turn, "OK.", close=True)


def test_letting_somebody_have_what_others_wrote_is_not() -> None:
    assert announces("let me get you what the brewery wrote", "OK.", close=True)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "asked",
    [
        "What does the sign at the brewery say? I will make it shorter.",
        "Which sentence of the label do I translate? The tone stays.",
        "Show me what the brewer wrote, please.",
    ],
)
def test_a_question_for_words_is_one_wherever_the_agent_asks_it(asked: str) -> None:
    assert asks_for_words(asked, close=True)


@pytest.mark.parametrize(
    "asked",
    ["Shall I go on with the kettle? The tests pass.", "Do you want more of them? I can add two."],
)
def test_a_question_how_the_two_go_on_asks_for_no_words(asked: str) -> None:
    assert not asks_for_words(asked, close=True)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "later",
    [
        "btw the lines about barrels from before were from the cooper's leaflet",
        "what stood there was my brother typing, not me",
    ],
)
def test_whose_words_it_was_may_be_told_long_after(later: str) -> None:
    assert disowns(later)


@pytest.mark.parametrize(
    "turn",
    ["Kettle two stands at the north door, since last week.", "The pump is red.", "still leaking"],
)
def test_a_turn_that_points_at_nothing_says_nothing_of_the_rule_before_it(turn: str) -> None:
    assert not tells_whose(turn)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "turn", ["Copied from the leaflet of the brewery.", "He wrote it like that."]
)
def test_a_turn_that_begins_with_others_or_a_source_may_say_whose_the_rule_is(turn: str) -> None:
    assert tells_whose(turn)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "said",
    [
        "You are the cellar keeper of the brewery.\nNever open two casks at once.",
        "Act as a brewer: always write down the time.",
        "Du bist der Kellermeister. Immer zuerst das alte Fass.",
    ],
)
def test_a_prompt_that_gives_a_role_is_known(said: str) -> None:
    assert gives_role(said)


@pytest.mark.parametrize(
    "said", ["You are right, always rinse first.", "You are the best! Now rinse it."]
)
def test_praise_gives_no_role(said: str) -> None:
    assert not gives_role(said)
