"""Two changes of one text become one, by lines; lines changed by both are kept twice."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome; with conflicts, both sides stand in the text between marker lines."""

    text: str
    conflicts: int = 0

    @property
    def clean(self) -> bool:
        return self.conflicts == 0


class _Span(NamedTuple):
    """The same stretch in the three texts, as line ranges."""

    old: tuple[int, int]
    mine: tuple[int, int]
    theirs: tuple[int, int]


def merge(
    base: str,
    mine: str,
    theirs: str,
    *,
    names: tuple[str, str] = ("mine", "theirs"),
    mine_wins: bool = False,
) -> Merged:
    """Merge two descendants of `base`.

    Equal changes count once. Lines keep their ends, so CRLF and a missing final newline survive.
    A conflict holds both sides between `<<<<<<<` and `>>>>>>>` lines named after `names`, or only
    `mine`, if that wins; it counts all the same.
    """
    if mine == theirs or theirs == base:
        return Merged(mine)
    if mine == base:
        return Merged(theirs)
    old, ours, others = (text.splitlines(keepends=True) for text in (base, mine, theirs))
    pieces: list[str] = []
    conflicts = 0
    for span in _spans(old, ours, others):
        before, left, right = (
            old[slice(*span.old)],
            ours[slice(*span.mine)],
            others[slice(*span.theirs)],
        )
        if left in (right, before):
            pieces += right
        elif right == before:
            pieces += left
        else:
            conflicts += 1
            pieces += left if mine_wins else _marked(left, right, names)
    return Merged("".join(pieces), conflicts)


def _spans(old: list[str], ours: list[str], others: list[str]) -> list[_Span]:
    """Cut all three texts where both sides still agree with the base."""
    left, right = _anchors(old, ours), _anchors(old, others)
    spans: list[_Span] = []
    start = _Span((0, 0), (0, 0), (0, 0))
    for at in [*sorted(left.keys() & right.keys()), len(old)]:
        end = at == len(old)
        mine = len(ours) if end else left[at]
        theirs = len(others) if end else right[at]
        changed = _Span((start.old[1], at), (start.mine[1], mine), (start.theirs[1], theirs))
        spans.append(changed)
        if not end:
            start = _Span((at, at + 1), (mine, mine + 1), (theirs, theirs + 1))
            spans.append(start)
    return spans


def _anchors(old: list[str], new: list[str]) -> dict[int, int]:
    """Line of `old` → line of `new`, for the lines that stayed."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return {
        block.a + offset: block.b + offset
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    }


def _marked(left: list[str], right: list[str], names: tuple[str, str]) -> list[str]:
    return [
        f"<<<<<<< {names[0]}\n",
        *_ended(left),
        "=======\n",
        *_ended(right),
        f">>>>>>> {names[1]}\n",
    ]


def _ended(lines: list[str]) -> list[str]:
    """A marker must start a line of its own."""
    return [*lines[:-1], lines[-1] + "\n"] if lines and not lines[-1].endswith("\n") else lines
