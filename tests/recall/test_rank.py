"""Orders are total, decay is bounded, trust and support count."""

from datetime import UTC, datetime
from typing import Any

import pytest

from reverie.config import Signals
from reverie.errors import InvalidInput
from reverie.recall.entry import Entry
from reverie.recall.query import parse_query
from reverie.recall.rank import SIGNALS, Ranking, age_days, decayed, mixture, ranked, worth

NOW = datetime(2026, 11, 15, tzinfo=UTC)
RANKING = Ranking(NOW)


def entry(name: str, **fields: Any) -> Entry:
    return Entry(name, "correction", "words", at="2026-11-14T00:00:00Z")._replace(**fields)


def order(entries: list[Entry], strategy: str, **fields: Any) -> str:
    return "".join(one.entry.id for one in ranked(entries, strategy, RANKING, **fields))


@pytest.mark.proves("E3")
@pytest.mark.parametrize(("days", "share"), [(0, 1.0), (1, 0.91), (7, 0.50), (30, 0.05)])
def test_a_correction_fades_by_half_a_week(days: int, share: float) -> None:
    at = datetime(2026, 11, 15 - days if days < 15 else 15, tzinfo=UTC)
    if days == 30:
        at = datetime(2026, 10, 16, tzinfo=UTC)
    assert decayed(at.isoformat(), NOW, 7.0) == pytest.approx(share, abs=0.005)


def test_decay_has_a_floor_and_odd_times_count_as_now() -> None:
    assert decayed("1990-01-01", NOW, 7.0, floor=0.4) == pytest.approx(0.4)
    assert [age_days(at, NOW) for at in ("", "soon", "2031-01-01")] == [0.0, 0.0, 0.0]


def test_trust_support_and_use_raise_the_worth() -> None:
    base = worth(entry("a"), RANKING)
    assert worth(entry("a", trust="web"), RANKING) < base
    assert worth(entry("a", support=4), RANKING) > base
    assert worth(entry("a", harmful=2), RANKING) < base
    assert worth(entry("a", standing=True), RANKING) > base


@pytest.mark.proves("E2")
def test_each_signal_is_a_strategy_and_can_be_switched_off() -> None:
    one = entry("a", signals={"misstep": 1.0, "tier": 0.0})
    two = entry("b", signals={"misstep": 0.0, "tier": 1.0})
    assert order([one, two], "misstep") == "ab"
    assert order([one, two], "tier") == "ba"
    off = Ranking(NOW, signals=Signals(misstep=0.0))
    assert mixture(two, off) > mixture(one, off)


@pytest.mark.proves("E2")
@pytest.mark.parametrize("name", SIGNALS)
def test_all_seven_signals_decide_alone_weigh_as_configured_and_can_be_switched_off(
    name: str,
) -> None:
    flat = dict.fromkeys(SIGNALS, 0.5)
    fresh = "2026-11-15T00:00:00Z"
    high = entry("b", at=fresh, signals=flat | {name: 1.0})
    low = entry("a", at="2026-10-01" if name == "recency" else fresh, signals=flat | {name: 0.0})
    assert order([low, high], name) == "ba"
    none = dict.fromkeys(SIGNALS, 0.0)
    alone = Ranking(NOW, signals=Signals(**none | {name: 1.0}))
    without = Ranking(NOW, signals=Signals(**dict.fromkeys(SIGNALS, 1.0) | {name: 0.0}))
    assert mixture(high, alone) > mixture(low, alone)
    assert mixture(high, without) == pytest.approx(mixture(low, without))
    heavy, light = (
        Ranking(NOW, signals=Signals(**dict.fromkeys(SIGNALS, 1.0) | {name: weight}))
        for weight in (3.0, 0.1)
    )
    gaps = [mixture(high, one) - mixture(low, one) for one in (heavy, light)]
    assert gaps[0] > gaps[1] > 0


@pytest.mark.proves("E3")
@pytest.mark.parametrize("signals", [{}, {"misstep": 1.0}, {"tier": 1.0, "density": 0.2}])
def test_decay_multiplies_whatever_the_signals_say(signals: dict[str, float]) -> None:
    now, week = (entry("a", at=at, signals=signals) for at in ("2026-11-15", "2026-11-08"))
    share = worth(week, RANKING) / worth(now, RANKING)
    plain = worth(entry("a", at="2026-11-08"), RANKING) / worth(
        entry("a", at="2026-11-15"), RANKING
    )
    assert share == pytest.approx(plain)


@pytest.mark.proves("E2")
def test_plain_recency_is_a_strategy_of_its_own() -> None:
    old = entry("a", at="2026-01-01", signals={"misstep": 1.0})
    assert order([old, entry("b")], "recency") == "ba"


def test_ties_are_broken_by_name() -> None:
    assert order([entry("b"), entry("c"), entry("a")], "density") == "abc"


def test_tfidf_prefers_the_rarer_shared_word() -> None:
    entries = [
        entry("a", text="crane oil weekly"),
        entry("b", text="crane paint"),
        entry("c", text="crane rope"),
    ]
    assert order(entries, "tfidf", query=parse_query("crane oil"))[0] == "a"


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not a strategy"):
        ranked([], "best", RANKING)
