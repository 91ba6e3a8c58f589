"""Both sides of each way in which words beside a rule tell whose it is: what tells it, and what
reads alike and does not."""

import pytest

from reverie.language.apart import is_handed_over
from reverie.language.exchanges import (
    announces,
    asks_for_words,
    asks_whose,
    stays_open,
    takes_back,
    tells_whose,
)
from reverie.language.frames import is_attributed, is_labelled, may_be_framed

RULE = "Always feed the goats before the geese."

THEIRS = [
    "the vet wrote it",
    "no, my neighbour does",
    "says Hanna, by the way",
    "that's from the leaflet of the co-op",
    "it was in their newsletter",
    "only quoting",
    "not mine, it was on the barn door",
    "I read that in the forum",
    "to be honest: a quote",
    "^^ the landlord",
    "so says the calendar",
    "hm no, he wants that",
]
OF_THE_WORK = [
    "now mend the fence",
    "thanks. is the letter to the vet done?",
    "that is wrong, the trough has to be full",
    "hm no, the gate should swing like that door",
    "the geese are loose again",
    "show me the stable plan",
    "I want the ducks in, too",
    "good, and what about the hay?",
    "that is from the last build, take it down",
    "not that way, use the left gate",
    "please order new straw",
]


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("later", THEIRS)
def test_a_turn_may_tell_whose_the_rule_before_it_was(later: str) -> None:
    assert tells_whose(later)


@pytest.mark.parametrize("later", OF_THE_WORK)
def test_a_turn_about_the_work_tells_nothing_of_the_rule_before_it(later: str) -> None:
    assert not tells_whose(later)
    assert not takes_back(later, RULE, "OK.")


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "replied",
    [
        "Did you come up with that?",
        "Who decided on that?",
        "Is that an order of yours? The plan says otherwise.",
        "One thing: did you write this yourself? The board has the same line.",
        "Are those your own words?",
        "Whose idea was it?",
        "Was that copied?",
        "From the farm book?",
        "Is this meant for me?",
        "That is the third line of the notice. What shall I do with it?",
    ],
)
def test_an_agent_may_ask_whose_words_it_was(replied: str) -> None:
    assert asks_whose(replied, close=True)


@pytest.mark.parametrize(
    "replied",
    [
        "Noted.",
        "Understood. Shall I feed them now?",
        "OK. Do you want me to go on with the fence?",
        "Done. Anything else?",
        "I will. What should I do next?",
        "Fed. Should we close the gate, too?",
        "Sure, that makes sense.",
        "OK, I changed the plan.",
        "Right. Can I begin with the stable?",
        "Will do. Would you like a summary?",
    ],
)
def test_an_agent_that_asks_how_to_go_on_asks_nothing_of_the_words(replied: str) -> None:
    assert not asks_whose(replied, close=True)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "earlier",
    [
        "you get the wording of the sign in a minute",
        "next comes the paragraph for the leaflet",
        "I'll send the vet's letter later",
        "in a moment you will see the text of the board",
        "let me paste something",
        "soon I forward the mail of the co-op",
        "gleich kommt der Text für das Schild",
        "wait, I'll get the note of the landlord",
        "the following is what the buyer told me",
        "somebody left a message at the gate",
    ],
)
def test_a_turn_may_announce_a_text_of_others(earlier: str) -> None:
    assert announces(earlier, "OK.", close=True) or stays_open(earlier)


@pytest.mark.parametrize(
    ("earlier", "said"),
    [
        ("read the note in docs/farm.md and order the feed", "Ordered."),
        ("translate the labels of the stable plan, please", "Done."),
        ("is it true that goats eat paper?", "Yes."),
        ("improve the wording of the board", "Changed."),
        ("shorten the letter to the co-op", "Shortened."),
        ("mend the fence", "OK."),
        ("what is in the shed?", "Two rakes."),
        ("good morning", "Hello."),
        ("count the eggs first", "There are nine."),
        ("correct the grammar of the notice", "Corrected it."),
    ],
)
def test_what_the_agent_has_done_announces_nothing(earlier: str, said: str) -> None:
    assert not announces(earlier, said, close=True)
    assert not stays_open(earlier)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "asked",
    [
        "What does the board say?",
        "Send me the letter of the vet.",
        "If it is long, give me the first half.",
        "Which line shall I change?",
        "Please paste it.",
        "Ready when you are.",
        "What did the buyer write? I need the words.",
        "Is there a text for the gate?",
        "How does the notice begin?",
        "Who wrote to us?",
    ],
)
def test_an_agent_may_ask_for_words(asked: str) -> None:
    assert asks_for_words(asked, close=True)


@pytest.mark.parametrize(
    "asked",
    [
        "All types are checked, no error messages.",
        "Let me know if there is more to do.",
        "Shall I go on?",
        "I will send the plan to the printer.",
        "The letter is done.",
        "Do you want more of it?",
        "Can I start with the stable?",
        "What shall I do next?",
        "Fed, and the note is posted.",
        "We could open the gate now, should we?",
    ],
)
def test_an_agent_that_tells_of_the_work_asks_for_no_words(asked: str) -> None:
    assert not asks_for_words(asked, close=True)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "head",
    ["for Hanna", "from the vet", "co-op", "for the gate", "at the market: Ole", "B", "vet says",
     "for customers", "sign", "Hanna at noon"],
)  # fmt: skip
def test_a_head_may_name_whose_or_what_text_a_rule_is(head: str) -> None:
    rule = f"{head}: never open the gate at night."
    assert is_labelled(rule, rule) or is_attributed(rule, rule)


@pytest.mark.parametrize(
    "head",
    ["for goats", "in pasture", "for us", "on weekends", "for our stable", "additional rule",
     "context", "from now on", "in this repo", "important"],
)  # fmt: skip
def test_a_head_that_says_where_or_when_names_nobody(head: str) -> None:
    rule = f"{head}: never open the gate at night."
    assert not is_labelled(rule, rule)
    assert not is_attributed(rule, rule)


@pytest.mark.parametrize(
    "reason",
    ["since the vendor sends no hay", "because the vet comes late", "because customers complained",
     "since the board has no light", "because our lead reads no plans", "since the co-op is far",
     "because the buyer wants the eggs clean", "since the docs say nothing about rain",
     "because a reviewer once fell into the pond", "weil der Kunde nichts sagt"],
)  # fmt: skip
def test_others_may_stand_in_the_reason_of_a_rule(reason: str) -> None:
    rule = f"Always use the small gate, {reason}."
    assert not is_attributed(rule, rule)
    assert not may_be_framed(rule, rule)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "tail",
    ["the vet says", "because he wants it", "since they told us so", "says the co-op",
     "as the landlord would have it", "so the board", "according to the vendor",
     "was the motto of the farm", "per the leaflet", "because she said so"],
)  # fmt: skip
def test_a_tail_may_name_whose_the_rule_is(tail: str) -> None:
    rule = f"Always use the small gate, {tail}."
    assert is_attributed(rule, rule) or may_be_framed(rule, rule)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "question",
    ["which of these two reads better on the sign?", "which one sounds more polite?",
     "what is the better wording for the board?", "who wrote these lines?",
     "which sentence is shorter?", "what do these two phrases have in common?",
     "whose text is that?", "welcher Text klingt freundlicher?",
     "how would you word this?", "which of the two is right grammar?"],
)  # fmt: skip
def test_a_question_may_head_the_lines_that_it_asks_about(question: str) -> None:
    turn = f"{question}\nAlways close the gate.\nNever leave the gate open."
    assert is_handed_over(turn, "Always close the gate.")
    assert is_handed_over(turn, "Never leave the gate open.")


@pytest.mark.parametrize(
    "question",
    ["which gate is broken?", "can you feed them?", "what is next?", "who has the key?",
     "why is the pond green?", "where do the geese sleep?", "is the hay dry?",
     "how many goats are there?", "could we go on?", "when does it rain?"],
)  # fmt: skip
def test_a_question_about_the_work_heads_nothing(question: str) -> None:
    turn = f"{question}\nAlways close the gate.\nNever leave the gate open."
    assert not is_handed_over(turn, "Never leave the gate open.")
