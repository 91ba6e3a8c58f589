"""Fidelity from `reverie measure fidelity --contexts FILE`, by somebody else's fifty lines."""

import gzip
import json
import re
import sys
from collections import defaultdict

Places = dict[tuple[object, ...], float]  # pool, aware, strategy, budget, measure: share


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.replace("&lt;", "<").lower())


def key(word: str) -> str:
    return word.rstrip("s")[:5] or word


def together(wanted: list[str], keys: list[str]) -> bool:
    names = {key(word) for word in wanted}
    return bool(names) and any(
        len(names.intersection(keys[at : at + 60])) >= 0.7 * len(names)
        for at, name in enumerate(keys)
        if name in names
    )


def scores(path: str) -> Places:
    found: dict[tuple[object, ...], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            said = words(one["text"])
            keys = [key(word) for word in said]
            at = (one["pool"], one["aware"], one["strategy"], one["budget"])
            inside = f" {one['evidence']} " in f" {' '.join(said)} "
            answered = together(one["answer_words"], keys)
            found[*at, "correction"][one["question"]].append(inside)
            found[*at, one["kind"]][one["question"]].append(answered)
            if one["superseded"]:
                told = not answered and together(one["superseded"], keys)
                found[*at, "superseded"][one["question"]].append(told)
    means = {at: [sum(some) / len(some) for some in by.values()] for at, by in found.items()}
    return {at: sum(some) / len(some) for at, some in means.items()}


if __name__ == "__main__":
    for at, share in sorted(scores(sys.argv[1]).items()):
        print(*at, f"{share:.3f}", sep="\t")
