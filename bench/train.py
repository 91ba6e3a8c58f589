"""Train the detector: `python -m bench.train CORPUS` writes `data/detector.json`.

Needs the `[train]` extra. The same corpus gives the same bytes.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from reverie.learn.detect.judge import FILE, FORM
from reverie.measure.folds import Example, examples, read_labels, train


def model(found: Sequence[Example]) -> dict[str, object]:
    """The content of the model file."""
    fitted = train(found)
    heads = {name: asdict(one.head(table.names)) for name, (table, one) in sorted(fitted.items())}
    return {"form": FORM, "heads": heads}


def main(corpus: Path, target: Path = FILE) -> None:
    """Train on `labels.jsonl` and `sentences.jsonl` of a corpus and write the model file."""
    found = examples(corpus, read_labels(corpus / "labels.jsonl"))
    content = json.dumps(model(found), separators=(",", ":"), sort_keys=True) + "\n"
    target.write_text(content, encoding="utf-8")
    print(f"{len(found)} labelled turns → {target} ({len(content):,} bytes)", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
