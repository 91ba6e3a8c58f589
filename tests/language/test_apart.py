"""Whether what a turn says in other lines makes a rule in it part of a text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.apart import is_handed_over, may_be_in_text

RULE = "Never moor two ferries at one ring."
FIXTURE = Path(__file__).parent / "fixtures" / "handed_over.txt"
_, *SHOWN = FIXTURE.read_text(encoding="utf-8").split("==\n")


def is_doubted(turn: str, rule: str = RULE) -> bool:
    return is_handed_over(turn, rule) or may_be_in_text(turn, rule)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize("turn", SHOWN)
def test_a_rule_in_a_text_that_is_handed_over_is_doubted(turn: str) -> None:
    assert is_doubted(turn.strip().replace("{rule}", RULE))


@pytest.mark.parametrize(
    "turn",
    [
        RULE,
        f'"{RULE}"',
        f"paint the crane\n\n{RULE}",
        f"the crane squeaks, can you oil it?\n\n{RULE}",
        f"The crane squeaks. Please oil it.\n\nAlso: {RULE.lower()}",
        f"I think the crane squeaks again.\n\n{RULE}",
        f"{RULE}\n\ncommit it, then go on with the crane",
        f"{RULE}\n\nDon't forget the gulls.",
        f"two rules for the piers:\n- {RULE}\n- Count the ropes each night.",
        f"our rules:\n\n1. {RULE}\n2. Count the ropes each night.",
        f'I closed the "north" gate\n\nplease check the locks\n\n{RULE}',
        f'a rope of 5" is too thin, use 6"\n\n{RULE}',
        f"thanks!\n\n{RULE}",
    ],
)
def test_a_turn_that_is_plainly_said_to_the_agent_hands_nothing_over(turn: str) -> None:
    assert not is_doubted(turn, RULE if RULE in turn else RULE.lower())


@pytest.mark.hostile("M4")
def test_who_works_on_a_text_or_quotes_one_leaves_it_the_trust_of_an_agent() -> None:
    assert is_handed_over(f"Into Danish, but shorten it first\n\nshorten this\n\n{RULE}", RULE)
    assert is_handed_over(f"“The harbour is old.\n\n{RULE}” says the board", RULE)
    assert not is_handed_over(f"opinions?\n\n{RULE}", RULE)


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_words_are_looked_at(text: str, quote: str) -> None:
    assert is_doubted(text, quote) in (True, False)
    assert is_doubted(f"{text}\n\n{quote}", quote) in (True, False)
