"""The misstep probability follows a user's labels, but only from enough of them."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER
from reverie.learn.detect.misstep import ENOUGH_LABELS, Misstep, fit
from reverie.memory import Memory
from reverie.sessions.corrections import corrections
from reverie.sessions.labels import Labels

unit = st.floats(0, 1)


def test_without_labels_the_detector_is_believed() -> None:
    assert fit([]) == Misstep()
    assert Misstep().probability(0.8) == pytest.approx(0.8)


def test_too_few_labels_change_nothing() -> None:
    assert fit([(0.9, False)] * (ENOUGH_LABELS - 1)) == Misstep()


def test_a_user_whose_high_scores_are_never_corrections_is_learned() -> None:
    labels = [(0.9, False)] * 60 + [(0.1, False)] * 40
    assert fit(labels).probability(0.9) < 0.4


def test_the_fit_finds_what_made_the_labels() -> None:
    chance = random.Random(7)
    truth = Misstep(bias=-0.5, slope=1.5)
    scores = [chance.random() for _ in range(3000)]
    found = fit([(score, chance.random() < truth.probability(score)) for score in scores])
    assert found.bias == pytest.approx(truth.bias, abs=0.2)
    assert found.slope == pytest.approx(truth.slope, abs=0.2)


@given(st.lists(st.tuples(unit, st.booleans()), min_size=50, max_size=80))
def test_any_labels_give_finite_weights_and_a_probability(
    labels: list[tuple[float, bool]],
) -> None:
    found = fit(labels)
    assert 0 <= found.probability(0.5) <= 1
    assert found == fit(list(labels))


@pytest.mark.proves("E2")
def test_from_enough_labels_on_learning_weighs_corrections_as_their_person_does(
    tmp_path: Path, isolated_home: Path
) -> None:
    folder = tmp_path / "logs" / "-w-app"
    wrong = "no, that is wrong, use the other one"
    talk = [("you", "go on"), *[("agent", "done"), ("you", wrong)] * 60]
    write(folder / "one.jsonl", lines("one", *talk))
    with Memory.open(folder=tmp_path, asker=OWNER) as memory:
        memory.learn(tmp_path / "logs")
        before = corrections(memory.index_database)
        assert len(before) >= 50
        labels = Labels(memory.database)
        for row in before:
            labels.put(row.id, row.session, "none", "none")
        write(folder / "two.jsonl", lines("two", *talk[:3], day=1))
        memory.learn(tmp_path / "logs")
        after = {row.id: row.signals["misstep"] for row in corrections(memory.index_database)}
    assert all(after[row.id] < row.signals["misstep"] for row in before)
    assert all(row.signals["misstep"] == round(row.score, 4) for row in before)
