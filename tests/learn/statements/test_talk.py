"""The rules of talk without tools."""

from pathlib import Path

import pytest

from reverie.learn.statements.directives import directives_in
from reverie.learn.statements.talk import MOST_RULES, conventions_in, rules_of

FIXTURE = Path(__file__).parent / "fixtures" / "rules.txt"


def cases() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for block in FIXTURE.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            expected = [line.removeprefix("-> ") for line in lines[1:]]
            found.append((lines[0], [] if expected == ["none"] else expected))
    return found


@pytest.mark.parametrize(("turn", "expected"), cases())
def test_a_turn_states_these_rules(turn: str, expected: list[str]) -> None:
    assert list(rules_of(turn)) == expected


def test_a_rule_keeps_the_sentence_it_was_said_in() -> None:
    rules = rules_of("Hello. When naming routes, please use the prefix 'api_'. Bye.")
    (quote,) = rules.values()
    assert quote == "When naming routes, please use the prefix 'api_'."


def test_a_pasted_rule_book_is_not_mined() -> None:
    book = "\n".join(f"Always start table names with 't{n}_'." for n in range(MOST_RULES + 1))
    assert rules_of(book) == {}


@pytest.mark.parametrize(
    ("sentence", "lines"),
    [
        (
            "Change the prefix of event names from 'ev_' to 'on_'.",
            ["Start event names with 'on_'."],
        ),
        ("Use 'get_' not 'fetch_' for query names.", ["Start query names with 'get_'."]),
        ("Function argument names end with '_in'.", ["End function argument names with '_in'."]),
        ("In class bodies, start attribute names with 'a_'.", ["Start attribute names with 'a_'."]),
        ("Use snake case for file names.", ["Use snakecase for file names."]),
        ("The flag is called --dry-run.", []),
    ],
)
def test_a_convention_is_read_into_one_plain_line(sentence: str, lines: list[str]) -> None:
    assert conventions_in(sentence) == lines


def test_the_name_of_a_language_is_something_particular() -> None:
    assert directives_in("All scripts should be R.") == ["All scripts should be R."]
    assert directives_in("All scripts should be clean.") == []
