import re

import pytest

from reverie.learn.traffic.sieve import may_hold

EMPTY = re.compile(r"(?i)\b(?:if|when) the [^.]{0,10}\bempty\b|\bunless\b")


@pytest.mark.parametrize(
    "text",
    [
        "it fails if the list is empty",
        "line one\nUNLESS it is off",
        "if the ééééééééé empty",
    ],
)
def test_what_the_pattern_finds_passes_the_sieve(text: str) -> None:
    assert EMPTY.search(text)
    assert may_hold(EMPTY, text)


def test_a_text_without_any_of_it_is_passed_over() -> None:
    assert not may_hold(EMPTY, "the list is sorted and printed")


def test_a_line_that_begins_or_ends_with_it_is_seen_in_a_longer_text() -> None:
    assert may_hold(re.compile(r"\b(?:low|high)$"), "disk is low\nall else is well")
