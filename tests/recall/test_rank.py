"""Orders are total, signals weigh as configured, the half-life multiplies what they say."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.clock import age_days, rate
from reverie.errors import InvalidInput
from reverie.recall.entry import Entry
from reverie.recall.query import parse_query
from reverie.recall.rank import SIGNALS, Ranking, fading, mixture, ranked, recencies, worth
from reverie.settings import Signals

NOW = datetime(2026, 11, 15, tzinfo=UTC)
RANKING = Ranking(NOW)


def entry(name: str, **fields: Any) -> Entry:
    return Entry(name, "correction", "words", at="2026-11-14T00:00:00Z")._replace(**fields)


def order(entries: list[Entry], strategy: str, **fields: Any) -> str:
    return "".join(one.entry.id for one in ranked(entries, strategy, RANKING, **fields))


def score(one: Entry, strategy: str, ranking: Ranking = RANKING) -> float:
    return ranked([one], strategy, ranking)[0].score


def ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat()


@pytest.mark.proves("E3")
@pytest.mark.parametrize("strategy", ["ours", "mixture"])
@pytest.mark.parametrize(("days", "share"), [(0, 1.0), (1, 0.91), (7, 0.50), (30, 0.05)])
def test_a_corrections_score_is_91_50_and_5_percent_after_a_day_a_week_and_a_month(
    strategy: str, days: int, share: float
) -> None:
    signals = {"misstep": 0.8, "tier": 0.4, "density": 0.2, "position": 1.0, "neighbourhood": 0.3}
    now, then = (score(entry("a", at=ago(d), signals=signals), strategy) for d in (0, days))
    assert round(then / now, 2) == share
    assert then / now == pytest.approx(2 ** (-days / 7))


SIGNAL = st.dictionaries(st.sampled_from(SIGNALS[1:]), st.floats(0, 1))
WEIGHTS = st.fixed_dictionaries(dict.fromkeys(SIGNALS, st.floats(0.01, 5)))


@pytest.mark.proves("E3")
@given(SIGNAL, WEIGHTS, st.floats(0, 60), st.floats(1, 60))
def test_the_half_life_multiplies_whatever_signals_and_weights_say(
    signals: dict[str, float], weights: dict[str, float], days: float, half_life: float
) -> None:
    ranking = Ranking(NOW, signals=Signals(**weights), half_life_days=half_life)
    now, then = (entry("a", at=ago(d), signals=signals) for d in (0, days))
    for strategy in ("ours", "mixture"):
        faded = score(then, strategy, ranking)
        assert faded == pytest.approx(score(now, strategy, ranking) * rate(days, half_life))


@pytest.mark.proves("E3")
def test_what_stands_and_what_is_pinned_does_not_fade() -> None:
    for kept in ({"standing": True}, {"pinned": True}):
        assert fading(entry("a", at=ago(300), **kept), RANKING) == 1.0


@pytest.mark.proves("E3")
def test_age_alone_does_not_decide_who_is_chosen() -> None:
    sure = entry("a", at=ago(300), signals={"misstep": 1.0, "tier": 1.0})
    unsure = entry("b", at=ago(0), signals={"misstep": 0.1, "tier": 0.1})
    assert order([unsure, sure], "mixture") == "ab"
    weak = dict.fromkeys(("misstep", "tier", "position", "density"), 0.0)
    assert order([entry("b", at=ago(0), signals=weak), sure], "ours") == "ab"
    assert score(sure, "ours") < score(unsure, "ours")


def test_odd_times_count_as_now() -> None:
    assert [age_days(at, NOW) for at in ("", "soon", "2031-01-01")] == [0.0, 0.0, 0.0]


def test_recency_counts_what_was_said_since_in_the_same_project() -> None:
    old, new = entry("a", at=ago(90)), entry("b", at=ago(80))
    other = entry("c", at=ago(1), project="elsewhere")
    found = recencies([new, other, old])
    assert found["b"] == found["c"] == 1.0 > found["a"] == pytest.approx(2 ** (-1 / 40))


def test_trust_support_and_use_raise_the_worth() -> None:
    base = worth(entry("a"), RANKING)
    assert worth(entry("a", trust="web"), RANKING) < base
    assert worth(entry("a", support=4), RANKING) > base
    assert worth(entry("a", harmful=2), RANKING) < base
    assert worth(entry("a", standing=True), RANKING) > base


def pair(name: str) -> tuple[Entry, Entry]:
    """Two corrections that differ in one signal."""
    flat = dict.fromkeys(SIGNALS[1:], 0.5)
    if name == "recency":
        return entry("b", at=ago(1), signals=flat), entry("a", at=ago(50), signals=flat)
    return entry("b", signals=flat | {name: 1.0}), entry("a", signals=flat | {name: 0.0})


def value(one: Entry, other: Entry, weights: Signals) -> float:
    return mixture(one, weights, recencies([one, other])[one.id])


@pytest.mark.proves("E2")
@pytest.mark.parametrize("name", SIGNALS)
def test_each_signal_decides_alone_and_by_its_weight(name: str) -> None:
    high, low = pair(name)
    # Two that fade alike, so that nothing but their signals tells them apart.
    ranking = Ranking(NOW, half_life_days=1e9)
    none = dict.fromkeys(SIGNALS, 0.0)
    for strategy in ("ours", "mixture"):
        found = ranked([low, high], strategy, ranking)
        assert "".join(one.entry.id for one in found) == "ba"
        alone = ranking._replace(signals=Signals(**none | {name: 1.0}))
        assert ranked([low, high], strategy, alone)[0].entry is high
    assert order([low, high], name) == "ba"
    heavy, light = (Signals(**dict.fromkeys(SIGNALS, 1.0) | {name: w}) for w in (3.0, 0.1))
    gaps = [value(high, low, weights) - value(low, high, weights) for weights in (heavy, light)]
    assert gaps[0] > gaps[1] > 0


@pytest.mark.proves("E2")
@pytest.mark.parametrize("name", SIGNALS)
def test_a_weight_of_0_switches_its_signal_off_and_no_other(name: str) -> None:
    weights = Signals(**dict.fromkeys(SIGNALS, 1.0) | {name: 0.0})
    for other in SIGNALS:
        high, low = pair(other)
        gap = value(high, low, weights) - value(low, high, weights)
        assert gap == pytest.approx(0.0) if other == name else gap > 0.01 / 7, other


def test_without_any_weight_all_are_worth_the_same() -> None:
    nothing = Signals(**dict.fromkeys(SIGNALS, 0.0))
    assert [mixture(one, nothing) for one in pair("tier")] == [0.0, 0.0]


@pytest.mark.proves("E2")
@pytest.mark.parametrize("strategy", ["ours", "mixture"])
def test_of_two_that_are_worth_the_same_the_shorter_leaves_more_room(strategy: str) -> None:
    signals = {"misstep": 0.8}
    long, short = entry("a", text="words " * 50, signals=signals), entry("b", signals=signals)
    assert order([long, short], strategy) == "ba"


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
