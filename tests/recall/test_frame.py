"""Recalled text is quoted and inert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.recall.entry import Entry
from reverie.recall.frame import around, clipped, quoted, shown


@pytest.mark.hostile("M5")
@given(st.text(max_size=300), st.text(max_size=80), st.text(max_size=40))
def test_only_our_own_lines_start_without_a_quotation_mark(
    text: str, premise: str, place: str
) -> None:
    entry = Entry("x", "correction", text, premise=premise, place=place, type="correction")
    lines = shown(entry, "a verified").split("\n")
    ours = [line for line in lines if not line.startswith("> ") and line != ">"]
    assert ours[0].startswith("- correction, undated")
    assert ours[1:] in (
        ["  checked: a verified"],
        ["  checked: a verified", f"  the agent held: {ours[-1].partition(': ')[2]}"],
    )
    assert "\r" not in "".join(lines) and "\x1b" not in "".join(lines)


@pytest.mark.hostile("M5", "U2")
@given(st.text(max_size=200))
def test_nothing_quoted_looks_like_markup_or_acts(text: str) -> None:
    result = quoted(text)
    assert not any(f"<{c}" in result for c in "/!?|abcxyzABCXYZ")
    assert all(c in "\n\t\u200d" or c.isprintable() or c.isspace() for c in result)


def test_plain_words_stay_as_they_are() -> None:
    assert quoted("Use `a < b`, 3 < 4.\nDone") == "> Use `a < b`, 3 < 4.\n> Done"


def test_a_long_text_is_shown_around_the_words_that_carry_it() -> None:
    text = "x" * 3000 + " use the blue berth " + "y" * 3000
    part = around(text, "use the blue berth", 500)
    assert len(part) <= 500
    assert "use the blue berth" in part
    assert part.startswith("…") and part.endswith("…")


def test_a_premise_keeps_its_end() -> None:
    assert clipped("a b  c\nd", 20) == "a b c d"
    assert clipped("start " + "x" * 30, 10) == "…" + "x" * 9


def test_an_entry_says_what_it_is() -> None:
    entry = Entry(
        "lint",
        "memory",
        "Lint first.",
        type="feedback",
        at="2026-11-02T10:00:00Z",
        place="global/lint.md",
        trust="agent",
        support=3,
    )
    assert shown(entry, "make lint verified") == (
        "- feedback, 2026-11-02, global/lint.md, trust agent, 3 sessions\n"
        "  checked: make lint verified\n"
        "> Lint first."
    )
