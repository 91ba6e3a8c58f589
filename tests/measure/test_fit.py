"""Fitting: the bounded ridge optimum, calibration, thresholds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.measure.detection import auc
from reverie.measure.fit import calibrate, fit, newton, sigmoid
from reverie.measure.folds import (
    Direction,
    Table,
    best_of_turns,
    best_threshold,
    held_out,
    sure_threshold,
)


def data(seed: int, rows: int = 120, columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    table = chance.normal(size=(rows, columns))
    truth = (table[:, 0] - table[:, 1] + chance.normal(size=rows) > 0).astype(float)
    return table, truth


def test_weights_keep_to_their_direction() -> None:
    table, truth = data(1)
    line = fit(table, truth, signs=[1, 1, -1, 0, 1, -1], trust=[1.0] * 6, penalty=1.0)
    assert line.weights[0] > 0.2
    assert line.weights[1] == 0.0  # speaks the other way than it was allowed to
    assert line.weights[2] <= 0.0
    assert line.weights[3] == 0.0


def test_a_trusted_feature_is_held_back_less() -> None:
    table, truth = data(2)
    plain = fit(table, truth, [1, -1, 0, 0, 0, 0], [1.0] * 6)
    trusted = fit(table, truth, [1, -1, 0, 0, 0, 0], [4.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert trusted.weights[0] > plain.weights[0]


def test_a_constant_feature_has_no_weight() -> None:
    table, truth = data(3)
    table[:, 4] = 2.0
    assert fit(table, truth, [1] * 6, [1.0] * 6).weights[4] == 0.0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_the_optimum_satisfies_its_conditions(seed: int) -> None:
    table, truth = data(seed)
    ridge = np.full(6, 5.0)
    bounded = np.array([True] * 5 + [False])
    solution = newton(table, truth, np.ones(len(truth)), ridge, bounded)
    slope = table.T @ (sigmoid(table @ solution) - truth) + ridge * solution
    for value, down, bound in zip(solution, slope, bounded, strict=True):
        if bound and value == 0.0:
            assert down >= -1e-6
        else:
            assert abs(down) < 1e-6
            assert value >= 0.0 or not bound


def test_calibration_meets_the_base_rate() -> None:
    table, truth = data(4, rows=400)
    logits = 7 * table[:, 0]
    slope, shift = calibrate(logits, truth)
    assert abs(float(sigmoid(slope * logits + shift).mean() - truth.mean())) < 0.01


def test_a_row_is_scored_by_a_line_that_saw_nothing_of_its_project() -> None:
    # In the one project the feature speaks for, in the other against: each line learns the other's.
    rows = np.array([[1.0], [0.0]] * 8)
    truth = np.array([1.0, 0.0] * 4 + [0.0, 1.0] * 4)
    projects = ("a",) * 8 + ("b",) * 8
    found = Table(("x",), rows, projects, projects, np.arange(16))
    logits = held_out(found, truth, Direction(frozenset({"x"}), frozenset(), {}, 0.1))
    assert logits[8] > logits[9]  # of b, by what a showed
    assert logits[0] == logits[1]  # of a: against its direction, b taught nothing


def test_a_turn_scores_as_its_best_sentence() -> None:
    best = best_of_turns(np.array([0.2, 0.7, 0.4]), np.array([0, 0, 2]), 3)
    assert best.tolist() == [0.7, 0.0, 0.4]


def test_thresholds_follow_the_scores() -> None:
    scores = np.array([0.9, 0.8, 0.7, 0.4, 0.3, 0.2])
    truth = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    assert 0.3 < best_threshold(scores, (truth,)) <= 0.4
    assert sure_threshold(scores, truth, 1.0) == 0.8
    assert sure_threshold(scores, np.zeros(6), 0.8) == 1.0


def test_auc_counts_ties_half() -> None:
    assert auc(np.array([0.9, 0.1]), np.array([1.0, 0.0])) == 1.0
    assert auc(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == 0.5
    assert auc(np.array([0.5]), np.array([1.0])) == 0.5


def test_a_family_of_phrases_that_one_team_uses_has_no_weight() -> None:
    rows = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    sessions = tuple(f"s{number}" for number in range(6))
    projects = ("a", "a", "a", "a", "b", "b")
    found = Table(("cue:no", "cue:why"), rows, projects, sessions, np.arange(6))
    assert found.is_common(0)
    assert not found.is_common(1)
