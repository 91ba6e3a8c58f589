"""Sequences: commands that follow each other in many sessions and succeed: skills to be.

Level by level, as in frequent-sequence mining: a longer sequence is only counted where the shorter
ones it is made of are frequent, so the work stays near-linear in the number of commands.
"""

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.dream.model import Observation
from reverie.dream.traffic.failures import runners
from reverie.dream.traffic.tally import LEAST_CHANCE, observed
from reverie.language.words import words
from reverie.learn.traffic.outputs import aim_of
from reverie.sessions.derived import Chosen
from reverie.sessions.statements import statements
from reverie.sessions.traces import traces

LEAST_SESSIONS = 3
LEAST_STEPS = 3
MOST_STEPS = 6
CARRIED = 0.7  # share of a sequence's sessions that a longer one must have to stand for it
OVERLAP = 0.6  # share of steps two sequences may have in common
MOST = 12  # sequences that are proposed

SOON = 3  # steps after a sequence in which a commit, or the end, belongs to it

_RE = patterns("traffic.txt", "sequences")
_WORDS = word_sets("traffic.txt", "sequences")
_COMMANDS = word_sets("traffic.txt", "commands")

Gram = tuple[int, ...]


class Walk(NamedTuple):
    """The commands of one session that worked, as numbers, with the lines of their calls."""

    session: str
    project: str
    at: str
    steps: "array[int]"
    lines: "array[int]"


def sequences(chosen: Chosen) -> Iterator[Observation]:
    """The sequences that several sessions have in common, the most telling first."""
    names: dict[str, int] = {}
    walks: list[Walk] = []
    for row in traces(chosen, "runs"):
        steps = array("i", (names.setdefault(form, len(names)) for form, _ in row.trace.data))
        lines = array("q", (line for _, line in row.trace.data))
        walks.append(Walk(row.session, row.project, row.trace.at, steps, lines))
    forms = list(names)
    barred = _Barred(chosen)
    for gram in dict.fromkeys(_latest(gram, walks, forms) for gram in _telling(walks, forms)):
        if not barred.holds([forms[step] for step in gram]):
            yield from _seen(gram, walks, forms)


class _Barred:
    """Steps that make no skill: forbidden by a person, or run by another step or a commit."""

    def __init__(self, chosen: Chosen) -> None:
        self._bans = [
            frozenset(words(match[1]))
            for row in statements(chosen)
            for match in _RE.bans.finditer(row.rule)
        ]
        self._within: dict[str, set[str]] = {}
        for row in traces(chosen, "twice"):
            self._within.setdefault(row.trace.data["call"], set()).update(row.trace.data["within"])
        self._step_of = runners(chosen).step_of
        self._gates = {step for row in traces(chosen, "gated") for step in row.trace.data}

    def holds(self, steps: Sequence[str]) -> bool:
        if any(set(steps) - {step} <= self._within.get(step, set()) for step in steps):
            return True
        aims = map(aim_of, steps)
        if all(self._step_of.get(aim, aim) in self._gates for aim in aims):
            return True
        return any(_names(step) <= ban for step in steps for ban in self._bans)


def _names(step: str) -> frozenset[str]:
    """What a ban would call a step: `git push` is pushing."""
    program, *rest = aim_of(step).split()
    return frozenset(word for word in rest if word != "run") or frozenset({program})


def frequent(walks: Sequence[Walk]) -> Counter[Gram]:
    """How many sessions hold each sequence, for those that enough sessions hold."""
    found: Counter[Gram] = Counter()
    shorter: set[Gram] | None = None
    for length in range(1, MOST_STEPS + 1):
        counts: Counter[Gram] = Counter()
        for walk in walks:
            counts.update(_grams(walk.steps, length, shorter))
        shorter = {gram for gram, count in counts.items() if count >= LEAST_SESSIONS}
        if not shorter:
            break
        if length >= LEAST_STEPS:
            found.update({gram: counts[gram] for gram in shorter})
    return found


def _grams(steps: "array[int]", length: int, shorter: set[Gram] | None) -> set[Gram]:
    grams: set[Gram] = set()
    for start in range(len(steps) - length + 1):
        gram = tuple(steps[start : start + length])
        if shorter is None or (gram[1:] in shorter and gram[:-1] in shorter):
            grams.add(gram)
    return grams


def _telling(walks: Sequence[Walk], forms: Sequence[str]) -> list[Gram]:
    counts = frequent(walks)
    telling = {gram: count for gram, count in counts.items() if _tells(gram, forms)}
    carried: set[Gram] = set()
    for gram, count in telling.items():
        for part in (gram[1:], gram[:-1]):
            if count >= CARRIED * counts.get(part, 0):
                carried.add(part)
    order = sorted(
        (gram for gram in telling if gram not in carried),
        key=lambda gram: (-telling[gram] * len(gram), [forms[step] for step in gram]),
    )
    chosen: list[Gram] = []
    for gram in order:
        if len(chosen) < MOST and not any(_alike(gram, other, forms) for other in chosen):
            chosen.append(gram)
    return chosen


def _latest(gram: Gram, walks: Sequence[Walk], forms: Sequence[str]) -> Gram:
    """The sequence with the last step that the later half of its sessions mostly come to."""
    first, sort = gram[:-1], forms[gram[-1]].split()[0]
    ends: list[set[int]] = []
    for walk in sorted(walks, key=lambda walk: walk.at):
        after = {walk.steps[place + len(first)] for place in _places(walk.steps[:-1], first)}
        after = {step for step in after if forms[step].split()[0] == sort}
        ends += [after] if after else []
    later = Counter(step for after in ends[len(ends) // 2 :] for step in after)
    last = min(later, key=lambda step: (-later[step], step != gram[-1], forms[step]))
    newer = (*first, last)
    enough = later[last] >= LEAST_SESSIONS and _tells(newer, forms)
    return newer if enough else gram


def _tells(gram: Gram, forms: Sequence[str]) -> bool:
    """All steps are this project's own, none comes twice, and none mends what another finds."""
    steps = [forms[step] for step in gram]
    # A check, what mends its findings, and the check again: work on the code, not a procedure.
    judged = {_RE.mends.sub("", step) for step in steps if _RE.mends.search(step)}
    return len({*steps}) == len(steps) and judged.isdisjoint(steps) and all(map(_is_own, steps))


def _is_own(form: str) -> bool:
    """Neither what any repository has, nor a script that was typed for the day."""
    parts = form.split()
    typed = parts[0] in _COMMANDS.interpreters and len(aim_of(form).split()) == 1
    return _WORDS.everyday.isdisjoint(parts[:2]) and not typed


def _alike(one: Gram, other: Gram, forms: Sequence[str]) -> bool:
    """Whether most steps are the same, or the same with a wrapper before them."""
    ends = tuple(forms[step] for step in other)
    same = sum(any(forms[a].endswith(b) or b.endswith(forms[a]) for b in ends) for a in one)
    return same >= OVERLAP * min(len(one), len(other))


def _seen(gram: Gram, walks: Sequence[Walk], forms: Sequence[str]) -> Iterator[Observation]:
    steps = [forms[step] for step in gram]
    text = f"{', then '.join(f'`{step}`' for step in steps)} are run one after the other"
    text += " before the work is handed over" if _hands_over(gram, walks, forms) else ""
    text += ": make them one command"
    wanted = set(gram)
    holding = sum(1 for walk in walks if wanted.issubset(walk.steps))
    quote = " && ".join(steps)
    # If only the order were chance, each of the k! orders would come as often.
    chance = max(LEAST_CHANCE, holding / math.factorial(len(gram)))
    for walk in walks:
        place = next(_places(walk.steps, gram), -1)
        if place < 0:
            continue
        yield observed(
            "sequence",
            text,
            walk.session,
            walk.project,
            at=walk.at,
            evidence=f"{walk.session}#{walk.lines[place]}",
            key="\0".join(steps),
            quote=f"{quote} ({_in_calls(walk, place, len(gram))})",
            chance=chance,
            steps=tuple(steps),
        )


def _in_calls(walk: Walk, place: int, steps: int) -> str:
    calls = len(set(walk.lines[place : place + steps]))
    return "in one call" if calls == 1 else f"in {calls} calls"


def _hands_over(gram: Gram, walks: Sequence[Walk], forms: Sequence[str]) -> bool:
    """Whether a commit, a push or the end of the session mostly follows."""
    held = after = 0
    for walk in walks:
        ends = [place + len(gram) for place in _places(walk.steps, gram)]
        soon = [[forms[step] for step in walk.steps[end : end + SOON + 1]] for end in ends]
        held += bool(ends)
        after += any(len(then) <= SOON or any(map(_delivers, then[:SOON])) for then in soon)
    return 2 * after > held


def _delivers(form: str) -> bool:
    return not {"commit", "push"}.isdisjoint(form.split()[:3])


def _places(steps: "array[int]", gram: Gram) -> Iterator[int]:
    for start in range(len(steps) - len(gram) + 1):
        if tuple(steps[start : start + len(gram)]) == gram:
            yield start
