"""Train the detector: `python -m bench.train CORPUS` writes `data/detector.json`.

Needs the `[train]` extra. The same corpus gives the same bytes.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reverie.learn.detect.judge import FILE, FORM
from reverie.measure.folds import (
    HEADS,
    SURE,
    Example,
    Fitted,
    Table,
    examples,
    fit_calibrated,
    read_labels,
    table,
    truths,
)

DIGITS = 5


def train(found: Sequence[Example]) -> dict[str, object]:
    """The content of the model file."""
    spoken = [example for example in found if example.row]
    data = table(spoken)
    answers = truths(spoken)
    everything = np.arange(len(spoken))
    # What is right is only asked of corrections.
    asked = {"explicit": np.flatnonzero(answers["correction"] > 0)}
    heads: dict[str, Fitted] = {}
    for name, direction in HEADS.items():
        places = asked.get(name, everything)
        heads[name] = fit_calibrated(data.take(places), answers[name][places], direction, SURE)
    return {
        "form": FORM,
        "features": list(data.names),
        "heads": {name: _head(data, fitted) for name, fitted in sorted(heads.items())},
    }


def _head(data: Table, fitted: Fitted) -> dict[str, object]:
    return {
        "bias": round(fitted.line.bias, DIGITS),
        "sure": fitted.sure,
        "threshold": fitted.threshold,
        "weights": [round(float(w), DIGITS) + 0.0 for w in fitted.line.weights[: len(data.names)]],
    }


def main(corpus: Path, target: Path = FILE) -> None:
    """Train on `corpus/labels.jsonl` and write the model file."""
    found = examples(corpus, read_labels(corpus / "labels.jsonl"))
    content = json.dumps(train(found), separators=(",", ":"), sort_keys=True) + "\n"
    target.write_text(content, encoding="utf-8")
    print(f"{len(found)} labelled turns → {target} ({len(content):,} bytes)", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
