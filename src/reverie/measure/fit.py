"""Fitting: ridge logistic regression by Newton's method, and the line that calibrates it.

Written out in numpy because the optimum is unique: rounded weights are the same bytes on every
machine, whatever the version of a training library.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STRENGTH = 0.002  # inverse ridge penalty; the flat optimum is between 0.001 and 0.005
STEPS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """Bias and weights on raw features."""

    bias: float
    weights: Array

    def logits(self, table: Array) -> Array:
        """The log-odds of each row."""
        return table @ self.weights + self.bias


def fit(table: Array, truth: Array, strength: float = STRENGTH) -> Line:
    """The ridge optimum on standardised features with both classes weighing the same."""
    mean, spread = table.mean(axis=0), table.std(axis=0)
    spread[spread < 1e-9] = 1.0
    scaled = np.hstack([(table - mean) / spread, np.ones((len(table), 1))])
    positive = max(1.0, float(truth.sum()))
    negative = max(1.0, float(len(truth) - truth.sum()))
    weight = np.where(truth > 0, len(truth) / (2 * positive), len(truth) / (2 * negative))
    penalty = np.full(scaled.shape[1], 1.0 / strength)
    penalty[-1] = 0.0
    solution = newton(scaled, truth, weight, penalty)
    weights = solution[:-1] / spread
    return Line(float(solution[-1] - mean @ weights), weights)


def newton(table: Array, truth: Array, weight: Array, penalty: Array) -> Array:
    """The minimum of the penalised log loss; strictly convex, so the start does not matter."""
    solution = np.zeros(table.shape[1])
    for _ in range(STEPS):
        guess = sigmoid(table @ solution)
        slope = table.T @ (weight * (guess - truth)) + penalty * solution
        curve = (table.T * (weight * guess * (1 - guess))) @ table + np.diag(penalty + 1e-9)
        step: Any = np.linalg.solve(curve, slope)
        solution = solution - step
        if float(np.abs(step).max()) < 1e-11:
            break
    return solution


def calibrate(logits: Array, truth: Array) -> tuple[float, float]:
    """(slope, shift) that turn held-out log-odds into probabilities."""
    table = np.column_stack([logits, np.ones(len(logits))])
    slope, shift = newton(table, truth, np.ones(len(truth)), np.array([1e-3, 0.0]))
    return float(slope), float(shift)


def sigmoid(logits: Array) -> Array:
    """The logistic function, safe for large arguments."""
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -30, 30)))
