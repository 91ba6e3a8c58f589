"""What is refused, with which guidance; and what must never be."""

from pathlib import Path

import pytest

from reverie.documents.exclusions import why_not

FIXTURES = Path(__file__).parent / "fixtures"


def lines(name: str) -> list[str]:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


BAD = [tuple(line.split(" | ", 1)) for line in lines("exclusions_bad.txt")]


@pytest.mark.proves("D3")
@pytest.mark.parametrize(("rule", "text"), BAD)
def test_what_can_be_derived_or_is_a_one_off_is_refused_with_guidance(rule, text):
    excluded = why_not(text.replace("\\n", "\n"))
    assert excluded is not None
    assert excluded.rule == rule
    assert excluded.instead.startswith("Save ")
    assert excluded.instead.endswith(".")


@pytest.mark.proves("D3")
@pytest.mark.parametrize("text", lines("exclusions_good.txt"))
def test_what_no_checkout_shows_is_kept(text):
    assert why_not(text) is None


@pytest.mark.proves("D3")
def test_the_words_of_claude_md_are_refused():
    instructions = "# Rules\n- Run `make check` before every commit and fix what it says.\n"
    text = "Run make check before every commit and fix what it says"
    assert why_not(text) is None
    excluded = why_not(text, instructions=instructions)
    assert excluded is not None
    assert excluded.rule == "instructions"
    assert why_not("Run make check on the build host only", instructions=instructions) is None


def test_both_fixtures_are_large_enough():
    assert len(BAD) >= 60
    assert len(lines("exclusions_good.txt")) >= 60
