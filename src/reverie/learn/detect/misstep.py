"""The misstep probability: how likely a turn is to be a correction, for this user.

The shipped detector answers for everybody. From 50 labels on, a small logistic model is fitted on
top of its score, pulled towards "the detector is right" so that a few labels cannot overturn it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.sessions.labels import ENOUGH_LABELS

PULL = 4.0  # strength of the prior, in labels
STEPS = 50


@dataclass(frozen=True, slots=True)
class Misstep:
    """p = σ(bias + slope·logit(score) + tier·(tier − 0.4) + density·density)."""

    bias: float = 0.0
    slope: float = 1.0
    tier: float = 0.0
    density: float = 0.0

    def probability(self, score: float, tier: float, density: float) -> float:
        if self == EVERYBODYS:
            return score
        inputs = features(score, tier, density)
        return sigmoid(sum(w * x for w, x in zip(self.weights, inputs, strict=True)))

    @property
    def weights(self) -> tuple[float, float, float, float]:
        return (self.bias, self.slope, self.tier, self.density)


EVERYBODYS = Misstep()  # the detector as it is shipped


def features(score: float, tier: float, density: float) -> tuple[float, float, float, float]:
    clipped = min(max(score, 0.001), 0.999)
    return (1.0, math.log(clipped / (1 - clipped)), tier - 0.4, density)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def fit(examples: Sequence[tuple[float, float, float, bool]]) -> Misstep:
    """Fit to (score, tier, density, is a correction); the prior alone below `ENOUGH_LABELS`.

    Newton steps on the penalised likelihood: four weights, always converges, no library.
    """
    prior = EVERYBODYS
    if len(examples) < ENOUGH_LABELS:
        return prior
    rows = [(features(s, t, d), float(y)) for s, t, d, y in examples]
    weights = list(prior.weights)
    for _ in range(STEPS):
        gradient = [PULL * (w - p) for w, p in zip(weights, prior.weights, strict=True)]
        hessian = [[PULL if i == j else 0.0 for j in range(4)] for i in range(4)]
        for x, y in rows:
            p = sigmoid(sum(w * v for w, v in zip(weights, x, strict=True)))
            for i in range(4):
                gradient[i] += (p - y) * x[i]
                for j in range(4):
                    hessian[i][j] += p * (1 - p) * x[i] * x[j]
        step = solve(hessian, gradient)
        weights = [w - s for w, s in zip(weights, step, strict=True)]
        if max(abs(s) for s in step) < 1e-9:
            break
    return Misstep(*(round(w, 9) for w in weights))


def solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """Gaussian elimination with pivoting, for a positive definite matrix."""
    n = len(vector)
    rows = [[*matrix[i], vector[i]] for i in range(n)]
    for column in range(n):
        pivot = max(range(column, n), key=lambda r: abs(rows[r][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r in range(n):
            if r != column:
                factor = rows[r][column] / rows[column][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]
