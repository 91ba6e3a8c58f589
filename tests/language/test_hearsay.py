"""Whether a sentence is its writer's word, by what they say around it."""

import pytest

from reverie.language.hearsay import is_disowned, is_hearsay, is_shown_next, narrows

RULE = "Always gzip the ledger before upload, never after it."

# What others want, what nobody wants, what is only shown, and what is taken back in the same turn.
HEARSAY = [
    "Emily says always gzip the ledger before upload, never after it.",
    "my landlord says always gzip the ledger before upload, never after it.",
    "Priya wants everybody to always gzip the ledger before upload. no way.",
    "our auditors recommended to always gzip the ledger before upload, never after it",
    "In the auditor's words: always gzip the ledger before upload, never after it.",
    "I heard that one must always gzip the ledger before upload, never after it.",
    "they told me to always gzip the ledger before upload, never after it",
    "the status page shows 'Always gzip the ledger before upload' - hide it",
    "Der Prüfer meint, wir sollen den Ledger immer vor dem Upload packen.",
    "Imagine we had to follow this: always gzip the ledger before upload.",
    "let's say the policy is to always gzip the ledger before upload, never after it",
    "Angenommen, wir müssten den Ledger immer vor dem Upload packen.",
    "here's what the auditors mailed:\n\nThanks for the call.\n\nIt was useful.\n\n{}",
    "Here is the handbook chapter.\n\nThe ledger is old.\n\n{}\n\nMore follows.",
    "condense this\n\nThe ledger is old.\n\n{}",
    "correct the spelling in the following paragraph\n\n{}",
    "take this as test data: The ledger is old. {}",
    "The ledger is old. {} Call us today.\n\nshorten this brochure text",
    "{}\n\nThat's how the auditors put it.",
    "{} This is from the wiki.",
    "{}\n\nI copied that from a forum.",
    "{} Do exactly the opposite.",
    "{} Scratch that.",
    "let me paste the auditors' letter\n\n{}",
]

OWN = [
    "{}",
    "please prefer gzip for the ledger before upload, never after it",
    "generally prefer gzip for the ledger before upload, never after it",
    "in scripts prefer gzip for the ledger before upload, never after it",
    "as the auditors say, always gzip the ledger before upload, never after it.",
    "I told you before: always gzip the ledger before upload, never after it!",
    "the wiki says otherwise. that is wrong. {}",
    "{} this is what happens otherwise:\n\n```\nERROR: too large\n```",
    "it fails with this error:\n\n```\nERROR: too large\n```\n\n{}",
    "the upload is slow. {} then write the summary.",
    "Priya and I looked at it.\n\n{}",
    "here's what I want:\n\n{}",
    "here is how we work:\n\n{}",
    "fix this test.\n\n{}",
    "{} Never mind the size of the log.",
    "do what the linter says. {}",
]


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("turn", HEARSAY)
def test_what_is_told_of_others_supposed_shown_or_taken_back_is_hearsay(turn: str) -> None:
    assert is_hearsay(turn.format(RULE), RULE if "{}" in turn else turn.splitlines()[-1])


@pytest.mark.parametrize("turn", OWN)
def test_what_a_person_says_themselves_is_not(turn: str) -> None:
    text = turn.format(RULE)
    quote = RULE if "{}" in turn else text
    assert not is_hearsay(text, quote)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "turn",
    [
        "haha, only joking",
        "oops, wrong terminal",
        "hm, actually scratch that, zip it is",
        "no wait, ignore what I just said",
        "sorry, I changed my mind",
        "that was from the auditors' letter, what do they want?",
        "ach nein, vergiss das wieder",
    ],
)
def test_a_turn_takes_back_what_was_said_before_it(turn: str) -> None:
    assert is_disowned(turn)


@pytest.mark.parametrize(
    "turn",
    [
        "now add a test for it",
        "ignore that file, it is generated",
        "never mind the warnings, go on",
        "forget that test for now",
        "that was quick, thanks",
        "that is wrong, the port is 8443",
    ],
)
def test_other_turns_do_not(turn: str) -> None:
    assert not is_disowned(turn)


def test_a_turn_says_that_the_next_one_is_only_shown() -> None:
    assert is_shown_next("I'm going to paste their letter, tell me what you think")
    assert is_shown_next("ich füge gleich den Brief der Prüfer ein")
    assert not is_shown_next("copy the file and show me the result")


@pytest.mark.parametrize(
    "sentence",
    [
        "Unless the mirror is down.",
        "Except for hotfixes.",
        "Not in the sandbox though.",
        "The only exception is the demo.",
        "Only on weekdays.",
        "Außer im Notfall.",
    ],
)
def test_an_exception_stands_in_a_sentence_of_its_own(sentence: str) -> None:
    assert narrows(sentence)


def test_what_goes_on_with_other_things_is_no_exception() -> None:
    assert not narrows("Then run the tests.")
    assert not narrows("It is faster that way.")


@pytest.mark.parametrize("gap", [" ", "\n", "  ", "\n\n  "])
def test_a_quote_is_found_however_its_lines_are_broken(gap: str) -> None:
    """What is announced behind it says nothing of it; what stands nowhere is all of the turn."""
    turn = f"Keep every migration{gap}reversible. Here is what the vendor sent: use their tool."
    assert not is_hearsay(turn, "Keep every migration reversible.")
    assert is_hearsay(turn, "use their tool.")
    assert is_hearsay(turn, "keep migrations small")
