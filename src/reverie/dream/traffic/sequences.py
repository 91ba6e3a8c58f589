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
from reverie.sessions.traces import TraceRow, traces

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

Gram = tuple[str, ...]


class Walk(NamedTuple):
    """The commands of one session that worked, in order, with the lines of their calls."""

    row: TraceRow  # without its data, which these are
    steps: Gram
    lines: "array[int]"

    def places(self, gram: Gram) -> Iterator[int]:
        """Where a sequence begins."""
        for start in range(len(self.steps) - len(gram) + 1):
            if self.steps[start : start + len(gram)] == gram:
                yield start


def sequences(chosen: Chosen) -> Iterator[Observation]:
    """The sequences that several sessions have in common, the most telling first."""
    forms: dict[str, str] = {}  # each once, however many walks have it
    walks: list[Walk] = []
    for row in traces(chosen, "runs"):
        steps = tuple(forms.setdefault(form, form) for form, _ in row.trace.data)
        lines = array("q", (line for _, line in row.trace.data))
        walks.append(Walk(row._replace(trace=row.trace._replace(data=None)), steps, lines))
    barred = _Barred(chosen)
    for gram in dict.fromkeys(_latest(gram, walks) for gram in _telling(walks)):
        if not barred.holds(gram):
            yield from _seen(gram, walks)


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

    def holds(self, gram: Gram) -> bool:
        if any(set(gram) - {step} <= self._within.get(step, set()) for step in gram):
            return True
        if all(self._step_of.get(aim, aim) in self._gates for aim in map(aim_of, gram)):
            return True
        return any(_names(step) <= ban for step in gram for ban in self._bans)


def _names(step: str) -> frozenset[str]:
    """What a ban would call a step: `git push` is pushing."""
    program, *rest = aim_of(step).split()
    return frozenset(word for word in rest if word != "run") or frozenset({program})


def frequent(walks: Sequence[Walk]) -> Counter[Gram]:
    """How many sessions hold each sequence, for those that enough sessions hold."""
    found: Counter[Gram] = Counter()
    shorter: set[Gram] = {()}
    for length in range(1, MOST_STEPS + 1):
        counts: Counter[Gram] = Counter()
        for walk in walks:
            starts = range(len(walk.steps) - length + 1)
            grams = {walk.steps[start : start + length] for start in starts}
            counts.update(gram for gram in grams if gram[1:] in shorter and gram[:-1] in shorter)
        shorter = {gram for gram, count in counts.items() if count >= LEAST_SESSIONS}
        if length >= LEAST_STEPS:
            found.update({gram: counts[gram] for gram in shorter})
    return found


def _telling(walks: Sequence[Walk]) -> list[Gram]:
    counts = frequent(walks)
    telling = [gram for gram in counts if _tells(gram)]
    carried = {
        part
        for gram in telling
        for part in (gram[1:], gram[:-1])
        if counts[gram] >= CARRIED * counts[part]
    }
    chosen: list[Gram] = []
    for gram in sorted(telling, key=lambda gram: (-counts[gram] * len(gram), gram)):
        if gram not in carried and not any(_alike(gram, other) for other in chosen):
            chosen.append(gram)
    return chosen[:MOST]


def _latest(gram: Gram, walks: Sequence[Walk]) -> Gram:
    """The sequence with the last step that the later half of its sessions mostly come to."""
    first, program = gram[:-1], gram[-1].split()[0]
    ends: list[set[str]] = []
    for walk in sorted(walks, key=lambda walk: walk.row.trace.at):
        rests = [walk.steps[place + len(first) :] for place in walk.places(first)]
        after = {rest[0] for rest in rests if rest and rest[0].split()[0] == program}
        ends += [after] if after else []
    later = Counter(step for after in ends[len(ends) // 2 :] for step in after)
    last = min(later, key=lambda step: (-later[step], step != gram[-1], step))
    newer = (*first, last)
    return newer if later[last] >= LEAST_SESSIONS and _tells(newer) else gram


def _tells(gram: Gram) -> bool:
    """All steps are this project's own, none comes twice, and none mends what another finds."""
    # A check, what mends its findings, and the check again: work on the code, not a procedure.
    judged = {_RE.mends.sub("", step) for step in gram if _RE.mends.search(step)}
    return len({*gram}) == len(gram) and judged.isdisjoint(gram) and all(map(_is_own, gram))


def _is_own(form: str) -> bool:
    """Neither what any repository has, nor a script that was typed for the day."""
    parts = form.split()
    typed = parts[0] in _COMMANDS.interpreters and len(aim_of(form).split()) == 1
    return _WORDS.everyday.isdisjoint(parts[:2]) and not typed


def _alike(gram: Gram, other: Gram) -> bool:
    """Whether most steps are the same, or the same with a wrapper before them."""
    same = sum(any(a.endswith(b) or b.endswith(a) for b in other) for a in gram)
    return same >= OVERLAP * min(len(gram), len(other))


def _seen(gram: Gram, walks: Sequence[Walk]) -> Iterator[Observation]:
    listed = ", then ".join(f"`{step}`" for step in gram)
    text, order = f"{listed} are run one after the other", ""
    if _hands_over(gram, walks):
        text += " before the work is handed over"
        order = f"Before you hand the work over, run {listed}"
    text += ": make them one command"
    holding = sum(set(gram).issubset(walk.steps) for walk in walks)
    # If only the order were chance, each of the k! orders would come as often.
    chance = max(LEAST_CHANCE, holding / math.factorial(len(gram)))
    more = {"key": "\0".join(gram), "chance": chance, "steps": gram, "order": order}
    for walk in walks:
        if (place := next(walk.places(gram), None)) is not None:
            calls = len(set(walk.lines[place : place + len(gram)]))
            how = "in one call" if calls == 1 else f"in {calls} calls"
            evidence = f"{walk.row.session}#{walk.lines[place]}"
            quote = f"{' && '.join(gram)} ({how})"
            yield observed("sequence", text, walk.row, evidence=evidence, quote=quote, **more)


def _hands_over(gram: Gram, walks: Sequence[Walk]) -> bool:
    """Whether a commit, a push or the end of the session mostly follows."""
    held = after = 0
    for walk in walks:
        rests = [walk.steps[place + len(gram) :] for place in walk.places(gram)]
        held += bool(rests)
        after += any(len(rest) <= SOON or any(map(_delivers, rest[:SOON])) for rest in rests)
    return 2 * after > held


def _delivers(form: str) -> bool:
    return not {"commit", "push"}.isdisjoint(form.split()[:3])
