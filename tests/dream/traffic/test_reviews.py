"""Findings of reviewers that people paste."""

import pytest
from tests.dream.weeks import kept, seen, session

from reverie.learn.traffic.reviews import finding
from reverie.sessions.model import Turn

SEVERE = """Receipt is printed twice

Medium Severity

The `printReceipt` call in `close_till` runs once more when the drawer is opened by hand."""
SUGGESTING = (
    "closeTill swallows the error that count_coins() raises and returns zero. This could lead to"
    " tills that look empty. Consider logging the failure before the drawer is locked."
)
OWN = (
    "I think closeTill and count_coins() are slow. Can you consider caching what they return, and"
    " tell me whether this could break anything when we open the drawer by hand tomorrow?"
)


@pytest.mark.parametrize(("text", "found"), [(SEVERE, True), (SUGGESTING, True), (OWN, False)])
def test_a_finding_speaks_of_code_and_never_of_itself(text: str, found: bool) -> None:
    assert bool(finding(text)) is found


def pasting(number: int, times: int):
    turns = [
        Turn(n, n, "human", "prompt", f"2026-03-02T09:{n:02}:00Z", f"{SUGGESTING} ({n})")
        for n in range(times)
    ]
    return session(number, turns)


@pytest.mark.parametrize(("times", "told"), [((2, 2, 1), 1), ((1, 1, 1), 0), ((3, 3), 0)])
def test_findings_that_are_pasted_one_by_one_are_checked_first(
    times: tuple[int, ...], told: int
) -> None:
    found = seen(kept(pasting(n, many) for n, many in enumerate(times)), "ask")
    assert [rows[0].order for rows in found.values()] == told * [
        "When a finding of a review is pasted, check it against the code as it is now: fix it"
        " if it holds, and say so if it does not"
    ]
    reasons = {rows[0].why for rows in found.values()}
    assert reasons <= {"findings were pasted one by one in 5 turns of 3 sessions"}
