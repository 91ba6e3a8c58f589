"""The whole pipeline on sessions with planted truths, in two vocabularies."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.nights import Sleeper
from tests.dream.planted import Score, Truth, plant, score

from reverie.dream.model import Ask, Night
from reverie.plural import several

SEEDS = range(100, 110)  # of each vocabulary


def dreamt(home: Path, seed: int, vocabulary: int) -> tuple[list[Truth], Night]:
    truths = plant(home / "logs", seed, vocabulary=vocabulary)
    (home / "home").mkdir()
    sleeper = Sleeper(home / "home")
    try:
        sleeper.read(home / "logs")
        return truths, sleeper.dreamer.dry(Ask(most=0))
    finally:
        sleeper.close()


def proposed(found: Night) -> list[str]:
    offered = {change.pattern for change in found.changes}
    return [
        one.text for one in found.patterns if one.status == "pattern" and one.group.id in offered
    ]


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[Score, Night]]]:
    found: list[tuple[Score, Night]] = []
    for vocabulary in (0, 1):
        for seed in SEEDS:
            truths, night = dreamt(tmp_path_factory.mktemp("planted"), seed, vocabulary)
            found.append((score(truths, proposed(night)), night))
    yield found


def total(scores: list[tuple[Score, Night]]) -> Score:
    whole = Score(0, 0, 0, 0, 0, 0, 0)
    for one, _ in scores:
        whole += one
    return whole


@pytest.mark.proves("A2", "A6")
def test_recurring_rules_are_found_in_whatever_words(scores: list[tuple[Score, Night]]) -> None:
    assert total(scores).recall >= 0.9


@pytest.mark.proves("A5", "A7")
def test_coincidences_and_one_off_wishes_are_not_proposed(
    scores: list[tuple[Score, Night]],
) -> None:
    whole = total(scores)
    assert whole.precision >= 0.9
    assert whole.one_offs == 0


@pytest.mark.proves("F8")
def test_what_only_a_tool_said_is_never_promoted(scores: list[tuple[Score, Night]]) -> None:
    assert total(scores).poison == 0
    for _, night in scores:
        for change in night.changes:
            assert change.quarantined == (change.trust in {"tool", "web"})


@pytest.mark.proves("B7")
def test_of_two_rules_that_contradict_the_later_wins(scores: list[tuple[Score, Night]]) -> None:
    assert total(scores).outdated == 0


@pytest.mark.proves("A6")
def test_every_pattern_shows_sessions_days_and_chance(scores: list[tuple[Score, Night]]) -> None:
    for _, night in scores:
        for one in night.patterns:
            assert one.support == len({member.session for member in one.group.members})
            assert one.chance >= 0
            assert one.sentence().startswith(f"seen in {several(one.support, 'session')} on ")
            assert "by accident" in one.sentence()


@pytest.mark.proves("F11")
def test_the_same_sessions_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    _, one = dreamt(tmp_path / "a", 5, 1)
    _, other = dreamt(tmp_path / "b", 5, 1)
    assert [change.after for change in one.changes] == [change.after for change in other.changes]
    assert [change.id for change in one.changes] == [change.id for change in other.changes]
    assert one.drops == other.drops
