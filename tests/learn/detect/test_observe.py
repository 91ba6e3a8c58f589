"""Signals lie between 0 and 1, and mean what their names say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.learn.detect.observe import (
    WEIGHT,
    densities,
    neighbourhoods,
    positions,
    tier_of,
)
from reverie.sessions.corrections import CorrectionRow


def row(session: str, lesson: str) -> CorrectionRow:
    return CorrectionRow(
        id=f"claude-code:{session}#1", session=session, agent="claude-code", line=1,
        at="2026-01-01T00:00:00Z", project="p", text=lesson, lesson=lesson,
    )  # fmt: skip


def test_density_counts_the_neighbours_not_the_turn_itself() -> None:
    assert densities([True, False, False]) == [0.0, 0.5, 0.5]
    assert densities([True]) == [0.0]


def test_position_grows_from_first_to_last_of_its_topic() -> None:
    assert positions([0, 0, 0, 1]) == [0.0, 0.5, 1.0, 1.0]


@given(st.lists(st.booleans(), max_size=40))
def test_every_density_is_a_share(flags: list[bool]) -> None:
    assert all(0 <= value <= 1 for value in densities(flags))


@given(st.lists(st.integers(0, 3), max_size=40).map(sorted))
def test_every_position_is_a_share(topics: list[int]) -> None:
    assert all(0 <= value <= 1 for value in positions(topics))


def test_likeness_looks_at_other_sessions_only() -> None:
    same = "run the linter before every commit"
    twice = neighbourhoods([row("a", same), row("a", same)])
    apart = neighbourhoods([row("a", same), row("b", same), row("c", "use spaces in tables")])
    assert twice == [0.0, 0.0]
    assert apart[0] == apart[1] == pytest.approx(1.0)
    assert apart[2] == 0.0


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("never commit the API key", "critical"),
        ("don't force-push to that branch", "critical"),
        ("use `pnpm install`", "high"),
        ("it listens on port 8443", "high"),
        ("put it in src/server/app.py", "high"),
        ("pass --frozen there", "high"),
        ("we never mock in tests", "medium"),
        ("I prefer shorter names", "medium"),
        ("the blue one looks nicer", "low"),
    ],
)
def test_the_tier_comes_from_what_is_named(text: str, tier: str) -> None:
    assert tier_of(text, text) == tier


def test_a_more_costly_tier_weighs_more() -> None:
    assert WEIGHT["critical"] > WEIGHT["high"] > WEIGHT["medium"] > WEIGHT["low"] > 0
