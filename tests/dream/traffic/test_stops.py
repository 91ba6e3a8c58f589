"""Hooks that hold up what a person typed."""

import pytest
from tests.dream.weeks import kept, seen, session

from reverie.sessions.model import Turn

HELD = 'Operation stopped by hook: The till is open: "{0}"\n\nClose it, or go on.\n\n{1}'
REMEDY = "To silence this from now on, run:\n  till config --no-warning\n\nPress up."


def stopped(number: int, message: str):
    turn = Turn(0, 0, "harness", "note", f"2026-03-02T09:0{number}:00Z", message, cwd="/w/app")
    return session(number, [turn])


@pytest.mark.parametrize(("remedy", "told"), [(REMEDY, 1), ("Press up.", 0)])
def test_a_hook_that_stops_prompts_is_told_with_what_it_says_ends_that(
    remedy: str, told: int
) -> None:
    sessions = [stopped(n, HELD.format(f"task {n}", remedy)) for n in range(3)]
    assert list(seen(kept(sessions), "check")) == told * [
        "A hook stops prompts with “The till is open” (in 3 sessions), and they have to be typed"
        " again: run `till config --no-warning`, as it says itself, or mend the hook"
    ]


def test_what_an_agent_or_a_tool_says_stops_nothing() -> None:
    said = [
        session(n, [Turn(0, 0, "tool", "tool_result", "", HELD.format(n, REMEDY))])
        for n in range(3)
    ]
    assert seen(kept(said), "check") == {}
