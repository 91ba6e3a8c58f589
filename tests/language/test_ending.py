"""What a statement says to be over, and what it leaves alone."""

from pathlib import Path

import pytest

from reverie.language.ending import ends, is_ending

FIXTURE = Path(__file__).parent / "fixtures" / "endings.txt"
LINES = [
    line for line in FIXTURE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]


@pytest.mark.proves("B7")
@pytest.mark.parametrize("line", LINES)
def test_a_statement_ends_what_it_names_and_nothing_else(line: str) -> None:
    pair, _, fate = line.rpartition(" -> ")
    new, _, old = pair.partition(" | ")
    assert ends(new, old) == (fate == "ends")


@pytest.mark.parametrize(
    "text", ["Use tabs", "Run the tests", "Never push to main", "No emojis any more", ""]
)
def test_rules_and_bans_are_no_endings(text: str) -> None:
    assert not is_ending(text)
    assert not ends(text, "Use tabs")
