"""What leaves a long-term page that is too large, and in which order."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.forget.life import Life
from reverie.forget.run import HEAD_TOKENS, Entry, to_prune, worth

FIXTURE = Path(__file__).parent / "fixtures" / "prune.txt"
TODAY = date(2026, 6, 30)


def cases() -> list[tuple[str, int, list[Entry], list[str]]]:
    found: list[tuple[str, int, list[Entry], list[str]]] = []
    for part in FIXTURE.read_text(encoding="utf-8").split("\ncase: ")[1:]:
        title, budget, *rows = [line for line in part.splitlines() if line.strip()]
        goes = rows.pop().removeprefix("goes: ").split()
        found.append(
            (title, int(budget.removeprefix("budget: ")), [entry(row) for row in rows],
             [] if goes == ["-"] else goes)
        )  # fmt: skip
    return found


def entry(row: str) -> Entry:
    name, size, last, uses, support, tries, flags = row.split()
    life = Life(
        written=last,
        kept="you wrote it" if flags == "kept" else "",
        uses=int(uses),
        support=int(support),
        cost=int(tries),
        pinned=flags == "pinned",
        protected=flags == "protected",
    )
    return Entry(name, int(size), life, (TODAY - date.fromisoformat(last)).days)


@pytest.mark.proves("B7")
@pytest.mark.parametrize(("title", "budget", "entries", "goes"), cases())
def test_pruning_is_as_the_table_says(
    title: str, budget: int, entries: list[Entry], goes: list[str]
) -> None:
    assert [one.name for one in to_prune(entries, budget)] == goes, title


def stays(life: Life) -> bool:
    return bool(life.pinned or life.protected or life.kept)


ENTRIES = st.lists(
    st.builds(
        Entry,
        name=st.text("abcdef", min_size=1, max_size=4),
        tokens=st.integers(1, 400),
        life=st.builds(
            Life,
            kept=st.sampled_from(["", "", "you wrote it"]),
            uses=st.integers(0, 20),
            support=st.integers(0, 20),
            cost=st.integers(0, 9),
            pinned=st.booleans(),
            protected=st.booleans(),
        ),
        quiet=st.integers(0, 600),
    ),
    max_size=30,
    unique_by=lambda one: one.name,
)


@pytest.mark.proves("B7")
@given(ENTRIES, st.integers(HEAD_TOKENS, 4000))
def test_the_rest_fits_or_is_protected_and_the_order_of_reading_does_not_matter(
    entries: list[Entry], budget: int
) -> None:
    gone = to_prune(entries, budget)
    rest = [one for one in entries if one not in gone]
    size = HEAD_TOKENS + sum(one.tokens for one in rest)
    assert size <= budget or all(stays(one.life) for one in rest)
    assert not any(stays(one.life) for one in gone)
    assert to_prune(list(reversed(entries)), budget) == gone


@given(st.integers(0, 900), st.integers(0, 50), st.integers(0, 50), st.integers(0, 20))
def test_age_takes_worth_away_and_use_and_cost_only_add(
    age: int, uses: int, support: int, cost: int
) -> None:
    base = Life(uses=uses, support=support, cost=cost)
    assert worth(base, age + 5) <= worth(base, age)
    for more in ({"uses": uses + 1}, {"support": support + 1}, {"cost": cost + 1}):
        assert worth(base, age) <= worth(replace(base, **more), age)
