"""Model: the linear heads of the detector, read from `data/detector.json`.

A head turns named features into a calibrated probability. The file holds plain numbers, so no
training library is needed to use it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reverie.errors import InvalidInput

FILE = Path(__file__).resolve().parents[2] / "data" / "detector.json"
FORM = 1  # of the file; another form is refused


@dataclass(frozen=True, slots=True)
class Head:
    """One linear question: weights on raw features, then a calibrating line, then the logistic."""

    bias: float
    weights: Mapping[str, float]
    threshold: float  # probability from which the answer counts as yes
    sure: float  # probability from which it may be acted on unasked

    def score(self, row: Mapping[str, float], lift: float = 0.0) -> float:
        """The probability of yes; `lift` is added before the logistic."""
        total = self.bias + lift
        weights = self.weights
        for name, value in row.items():
            if value:
                total += value * weights.get(name, 0.0)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


@dataclass(frozen=True, slots=True)
class Model:
    """All heads by name: `correction`, `explicit`, `durable`."""

    heads: Mapping[str, Head]


@cache
def shipped() -> Model:
    """The model of this version, read once per process."""
    return load(FILE)


def load(path: Path) -> Model:
    """Read a model file.

    Raises:
        InvalidInput: the file is not a model of this form.
    """
    try:
        data = json.loads(path.read_bytes())
        if data["form"] != FORM:
            raise InvalidInput(f"{path} has form {data['form']}, this version reads {FORM}")
        names = data["features"]
        heads = {
            name: Head(
                bias=head["bias"],
                weights=dict(zip(names, head["weights"], strict=True)),
                threshold=head["threshold"],
                sure=head["sure"],
            )
            for name, head in data["heads"].items()
        }
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is not a detector model: {error}") from None
    return Model(heads)
