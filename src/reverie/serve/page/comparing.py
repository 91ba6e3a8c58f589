"""Two texts side by side."""

from difflib import SequenceMatcher
from typing import NamedTuple


class Row(NamedTuple):
    """One line of a comparison: what stood there, what stands there now."""

    mark: str  # "same", "gone", "new", "changed", "skip"
    old: str
    new: str


def beside(old: str, new: str, around: int = 3) -> list[Row]:
    """Two texts side by side, with what is far from every change left out."""
    before, after = old.splitlines(), new.splitlines()
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [Row("same", line, line) for line in before[i1:i2]]
            continue
        for place in range(max(i2 - i1, j2 - j1)):
            gone = before[i1 + place] if i1 + place < i2 else None
            fresh = after[j1 + place] if j1 + place < j2 else None
            mark = "changed" if gone is not None and fresh is not None else (
                "new" if gone is None else "gone")  # fmt: skip
            rows.append(Row(mark, gone or "", fresh or ""))
    return _shortened(rows, around)


def _shortened(rows: list[Row], around: int) -> list[Row]:
    changes = [place for place, row in enumerate(rows) if row.mark != "same"]
    near = {place + step for place in changes for step in range(-around, around + 1)}
    shown: list[Row] = []
    for place, row in enumerate(rows):
        if place in near:
            shown.append(row)
        elif not shown or shown[-1].mark != "skip":
            shown.append(Row("skip", "", ""))
    return shown
