"""The misstep probability: how likely a turn is to be a correction, for this user.

The shipped detector answers for everybody. From 50 labels on, a line on its log-odds is fitted,
pulled towards "the detector is right" so that a few labels cannot overturn it. What a correction
names and how dense they come told no more (log loss 0.429 of a person's second half, with them
0.428).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.learn.detect.judge import likely
from reverie.sessions.labels import ENOUGH_LABELS

PULL = 4.0  # strength of the prior, in labels
STEPS = 50


@dataclass(frozen=True, slots=True)
class Misstep:
    """p = σ(bias + slope·logit(score))."""

    bias: float = 0.0
    slope: float = 1.0

    def probability(self, score: float) -> float:
        return score if self == EVERYBODYS else likely(self.bias + self.slope * odds(score))


EVERYBODYS = Misstep()  # the detector as it is shipped


def odds(score: float) -> float:
    clipped = min(max(score, 0.001), 0.999)
    return math.log(clipped / (1 - clipped))


def fit(examples: Sequence[tuple[float, bool]]) -> Misstep:
    """Fit to (score, is a correction); the prior alone below `ENOUGH_LABELS`.

    Newton steps on the penalised likelihood: it always converges.
    """
    if len(examples) < ENOUGH_LABELS:
        return EVERYBODYS
    rows = [(odds(score), float(yes)) for score, yes in examples]
    bias, slope = EVERYBODYS.bias, EVERYBODYS.slope
    for _ in range(STEPS):
        down_bias, down_slope = PULL * bias, PULL * (slope - 1.0)
        bends, bent, crossed = PULL, PULL, 0.0
        for x, y in rows:
            p = likely(bias + slope * x)
            down_bias, down_slope = down_bias + p - y, down_slope + (p - y) * x
            bends, bent, crossed = (
                bends + p * (1 - p),
                bent + p * (1 - p) * x * x,
                crossed + p * (1 - p) * x,
            )
        area = bends * bent - crossed * crossed
        first = (bent * down_bias - crossed * down_slope) / area
        second = (bends * down_slope - crossed * down_bias) / area
        bias, slope = bias - first, slope - second
        if max(abs(first), abs(second)) < 1e-9:
            break
    return Misstep(round(bias, 9), round(slope, 9))
