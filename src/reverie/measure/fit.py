"""Fitting: ridge logistic regression by Newton's method, and the line that calibrates it.

Written out in numpy because the optimum is unique: rounded weights are the same bytes on every
machine, whatever the version of a training library.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

PENALTY = 200.0  # of the ridge; the flat optimum is between 100 and 500
STEPS = 200


@dataclass(frozen=True, slots=True)
class Line:
    """Bias and weights on raw features."""

    bias: float
    weights: Array

    def logits(self, table: Array) -> Array:
        """The log-odds of each row."""
        return table @ self.weights + self.bias


def fit(
    table: Array,
    truth: Array,
    signs: Sequence[int],
    trust: Sequence[float],
    penalty: float = PENALTY,
) -> Line:
    """The ridge optimum on standardised features, both classes weighing the same.

    A weight may only have the sign given for its feature (0: no weight); a feature with `trust` t
    is held back t² times less.
    """
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread < 1e-9] = np.inf  # a constant feature says nothing
    turn = np.array(signs, dtype=np.float64) * np.array(trust, dtype=np.float64) / spread
    used = np.flatnonzero(turn)
    scaled = np.hstack([(table - mean)[:, used] * turn[used], np.ones((len(table), 1))])
    positive = max(1.0, float(truth.sum()))
    negative = max(1.0, float(len(truth) - truth.sum()))
    weight = np.where(truth > 0, len(truth) / (2 * positive), len(truth) / (2 * negative))
    ridge = np.append(np.full(len(used), penalty), 0.0)
    bounded = np.append(np.ones(len(used), dtype=bool), False)
    solution = newton(scaled, truth, weight, ridge, bounded)
    weights = np.zeros(table.shape[1])
    weights[used] = solution[:-1] * turn[used]
    return Line(float(solution[-1] - mean @ weights), weights)


def newton(table: Array, truth: Array, weight: Array, ridge: Array, bounded: Flags) -> Array:
    """The least penalised log loss where `bounded` coefficients are not negative.

    Strictly convex, so the optimum is one, whatever the way to it: Newton steps on the
    coefficients that are free to move, shortened until the loss falls.
    """
    solution = np.zeros(table.shape[1])
    loss = _loss(table, truth, weight, ridge, solution)
    for _ in range(STEPS):
        guess = sigmoid(table @ solution)
        slope = table.T @ (weight * (guess - truth)) + ridge * solution
        free = np.flatnonzero(~(bounded & (solution <= 0.0) & (slope > 0.0)))
        part = table[:, free]
        curve = (part.T * (weight * guess * (1 - guess))) @ part + np.diag(ridge[free] + 1e-9)
        step = np.zeros(len(solution))
        step[free] = np.linalg.solve(curve, slope[free])
        length = 1.0
        while length > 1e-6:
            moved = solution - length * step
            moved = np.where(bounded, np.maximum(moved, 0.0), moved)
            fallen = _loss(table, truth, weight, ridge, moved)
            if fallen <= loss:
                break
            length /= 2
        else:
            break
        change = float(np.abs(moved - solution).max())
        solution, loss = moved, fallen
        if change < 1e-10:
            break
    return solution


def _loss(table: Array, truth: Array, weight: Array, ridge: Array, solution: Array) -> float:
    logits = table @ solution
    loss = weight * (np.logaddexp(0.0, logits) - truth * logits)  # truth may lie between 0 and 1
    return float(loss.sum() + (ridge * solution**2).sum() / 2)


def calibrate(logits: Array, truth: Array) -> tuple[float, float]:
    """(slope, shift) that turn held-out log-odds into probabilities."""
    table = np.column_stack([logits, np.ones(len(logits))])
    flags = np.array([True, False])
    solution = newton(table, truth, np.ones(len(truth)), np.array([1e-3, 0.0]), flags)
    return float(solution[0]), float(solution[1])


def sigmoid(logits: Array) -> Array:
    """The logistic function, safe for large arguments."""
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))
