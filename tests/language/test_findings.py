"""Findings: what reviewers write of code is told from what a person says of it."""

import pytest
from tests.learn.scenes import session

from reverie.language.findings import is_finding
from reverie.learn.detect.judge import Judge
from reverie.settings import Learn

FINDING = (
    "The openGate() call on line 42 ignores the result of LockKeeper.release, so that a failed"
    " release leaves gate_state at its former value. Boats that enter afterwards are counted twice"
    " because the counter only trusts gate_state."
)


@pytest.mark.parametrize(
    "text",
    [
        FINDING,
        "Gate counts boats twice\n\nMedium Severity\n\nA boat that turns round inside the lock"
        " is seen by both gauges and counted by each.",
        f"Consider the keeper.\n\n{FINDING}".removeprefix("Consider the keeper.\n\n"),
    ],
)
def test_prose_on_code_in_the_third_person_is_a_finding(text: str) -> None:
    assert is_finding(text)


@pytest.mark.parametrize(
    "text",
    [
        f"I think this is right: {FINDING}",
        f"Fix this. {FINDING}",
        f"{FINDING} Is that so?",
        f"{FINDING} Please have a look, you know the lock best.",
        "The openGate() call on line 42 ignores LockKeeper.release.",
        "The lock keeper opens the gate when a boat rings the bell, and the boats wait in a row"
        " until the water is level; whoever comes last ties up at the wall and rings once more.",
        "use openGate() and LockKeeper.release on line 42 and gate_state for all of the boats that"
        " enter the lock after the gate was opened by hand, so that nobody counts a boat twice",
    ],
)
def test_who_speaks_asks_or_orders_is_no_reviewer(text: str) -> None:
    assert not is_finding(text)


def test_nobody_is_asked_about_a_finding_and_nothing_of_it_is_written() -> None:
    turns = session(
        ("prompt", "Please look at the harbour lock."),
        ("text", "I changed the lock and ran the tests."),
        ("prompt", f"{FINDING} The result must never be ignored."),
        ("text", "You're right, fixed."),
    )
    last = Judge.load(Learn()).session(turns)[-1]
    assert not any(one.sure or one.lasts for one in last.statements)
