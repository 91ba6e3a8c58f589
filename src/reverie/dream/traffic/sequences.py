"""Sequences: commands that follow each other in many sessions and succeed: skills to be.

Level by level, as in frequent-sequence mining: a longer sequence is only counted where the shorter
ones it is made of are frequent, so the work stays near-linear in the number of commands.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from reverie.data import patterns, word_sets
from reverie.dream.model import Observation
from reverie.dream.traffic.mends import general
from reverie.dream.traffic.tally import LEAST_CHANCE, commonest, observed
from reverie.language.words import stem, words
from reverie.learn.traffic.commands import VARYING, act_of, command_of, form_of
from reverie.learn.traffic.outputs import aim_of
from reverie.sessions.derived import Chosen
from reverie.sessions.statements import statements
from reverie.sessions.traces import TraceRow, traces

LEAST_SESSIONS = 3
LEAST_STEPS = 3
MOST_STEPS = 6
CARRIED = 0.7  # share of a sequence's sessions that a longer one must have to stand for it
ANYWAY = 2.0  # times as many sessions run a step anyway
OVERLAP = 0.6  # share of steps two sequences may have in common
MOST = 12  # sequences that are proposed
MOSTLY = 0.6  # share of its sessions that have the same occasion for it
ANEW = 0.6  # words that a call ends in, for each session that makes it: it is given another name
RARELY = 0.25  # as often as before a sequence, a word that tells of it may be said elsewhere
LONGEST_STEP = 90  # characters

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
    names = _named_anew(walks)
    walks = [
        walk._replace(steps=tuple(names.get(step, step) for step in walk.steps)) for walk in walks
    ]
    barred, requests = _Barred(chosen), _Requests(chosen, names)
    for gram in dict.fromkeys(_latest(gram, walks) for gram in _telling(walks)):
        if not barred.holds(gram):
            yield from _seen(gram, walks, requests)


def _named_anew(walks: Sequence[Walk]) -> dict[str, str]:
    """Calls that end in another word nearly each time, with what they have in common."""
    ends: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
    for walk in walks:
        for step in walk.steps:
            call, _, last = step.rpartition(" ")
            if call and last[0] not in f"-{VARYING}":
                ends[call].setdefault(last, set()).add(walk.row.session)
    return {
        f"{call} {last}": f"{call} {VARYING}"
        for call, lasts in ends.items()
        if len(lasts) >= LEAST_SESSIONS
        and len(lasts) >= ANEW * len(set[str]().union(*lasts.values()))
        for last in lasts
    }


class _Barred:
    """Steps that make no skill, since a person forbade them."""

    def __init__(self, chosen: Chosen) -> None:
        self._bans = [
            frozenset(words(match[1]))
            for row in statements(chosen)
            for match in _RE.bans.finditer(row.rule)
        ]

    def holds(self, gram: Gram) -> bool:
        return any(_names(step) <= ban for step in gram for ban in self._bans)


def _names(step: str) -> frozenset[str]:
    """What a ban would call a step: `git push` is pushing, another program's push is not."""
    program, *rest = aim_of(step).split()
    named = frozenset(word for word in rest if word != "run")
    if program != "git" and named <= _COMMANDS.git_ships | _COMMANDS.git_undoes:
        return named | {program}
    return named


def frequent(walks: Sequence[Walk]) -> Counter[Gram]:
    """How many sessions hold each sequence, for those that enough sessions hold."""
    support: Counter[Gram] = Counter()
    shorter: set[Gram] = {()}
    for length in range(1, MOST_STEPS + 1):
        counts: Counter[Gram] = Counter()
        for walk in walks:
            starts = range(len(walk.steps) - length + 1)
            grams = {walk.steps[start : start + length] for start in starts}
            counts.update(gram for gram in grams if gram[1:] in shorter and gram[:-1] in shorter)
        shorter = {gram for gram, count in counts.items() if count >= LEAST_SESSIONS}
        if length >= LEAST_STEPS:
            support.update({gram: counts[gram] for gram in shorter})
    return support


def _telling(walks: Sequence[Walk]) -> list[Gram]:
    counts = frequent(walks)
    telling = [gram for gram in counts if _tells(gram)]
    often = Counter(step for walk in walks for step in set(walk.steps))
    carried: set[Gram] = set()
    usual: set[Gram] = set()
    for gram in telling:
        for part, more in ((gram[1:], gram[0]), (gram[:-1], gram[-1])):
            # What most sessions run anyway is no part of it because it mostly comes next, too.
            anyway = often[more] >= ANYWAY * counts[part]
            if counts[gram] >= (1.0 if anyway else CARRIED) * counts[part]:
                carried.add(part)
            elif anyway and part in counts:
                usual.add(gram)
    chosen: list[Gram] = []
    for gram in sorted(telling, key=lambda gram: (-counts[gram] * len(gram), gram)):
        if gram not in carried | usual and not any(_alike(gram, other) for other in chosen):
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
    """It begins and ends with steps of this project, and none mends what another finds."""
    # A check, what mends its findings, and the check again: work on the code, not a procedure.
    judged = {_RE.mends.sub("", step) for step in gram if _RE.mends.search(step)}
    # What any repository has is a step of it only between steps of this one.
    local = _is_own(gram[0]) and _is_own(gram[-1]) and not any(map(_looks, gram))
    return len({*gram}) == len(gram) and judged.isdisjoint(gram) and local


def _is_own(form: str) -> bool:
    """Neither what any repository has, nor a script that was typed for the day."""
    parts = form.split()
    typed = parts[0] in _COMMANDS.interpreters and len(aim_of(form).split()) == 1
    return _WORDS.everyday.isdisjoint(parts[:2]) and not typed


def _looks(form: str) -> bool:
    return act_of(form.split()) == "look"


def _judges(form: str) -> bool:
    return act_of(form.split()) == "check"


def _alike(gram: Gram, other: Gram) -> bool:
    """Whether most steps are the same, or the same with a wrapper before them."""
    same = sum(any(a.endswith(b) or b.endswith(a) for b in other) for a in gram)
    return same >= OVERLAP * min(len(gram), len(other))


def _seen(gram: Gram, walks: Sequence[Walk], requests: "_Requests") -> Iterator[Observation]:
    held = [(walk, place) for walk in walks if (place := next(walk.places(gram), None)) is not None]
    steps = _in_full(gram, held, requests)
    listed = ", then ".join(f"`{step}`" for step in steps)
    text, order = f"{listed} are run one after the other: make them one command", ""
    begins = {walk.row.session: walk.lines[place] for walk, place in held}
    if word := requests.word_before(begins):
        order = f"When you are asked about “{word}”, run {listed}"
    elif all(map(_judges, gram)) or not requests.met_by(held):
        return  # what agents do by themselves needs no word of anybody
    holding = sum(set(gram).issubset(walk.steps) for walk in walks)
    # If only the order were chance, each of the k! orders would come as often.
    chance = max(LEAST_CHANCE, holding / math.factorial(len(gram)))
    more = {"key": "\0".join(gram), "chance": chance, "steps": steps, "order": order}
    for walk, place in held:
        calls = len(set(walk.lines[place : place + len(gram)]))
        how = "in one call" if calls == 1 else f"in {calls} calls"
        evidence = f"{walk.row.session}#{walk.lines[place]}"
        quote = f"{' && '.join(steps)} ({how})"
        yield observed("sequence", text, walk.row, evidence=evidence, quote=quote, **more)


def _in_full(gram: Gram, held: Sequence[tuple[Walk, int]], requests: "_Requests") -> Gram:
    """The steps as they were typed, with what differed left open."""
    typed: list[list[str]] = [[] for _ in gram]
    lines = {walk.row.session: walk.lines[place : place + len(gram)] for walk, place in held}
    for row in traces(Chosen(requests.chosen.database, tuple(lines)), "ran"):
        wanted = set(lines[row.session])
        calls = {line: text for line, _, text in row.trace.data if line in wanted}
        for number, line in enumerate(lines[row.session]):
            parts = command_of(calls.get(line, "")).acts
            same = (part for part in parts if requests.step(part) == gram[number])
            typed[number] += [" ".join(part) for part in same][:1]
    whole = [general(calls) if calls else step for step, calls in zip(gram, typed, strict=True)]
    return tuple(
        call if len(call) <= LONGEST_STEP and "\n" not in call else step
        for step, call in zip(gram, whole, strict=True)
    )


class _Requests:
    """What people asked for, turn by turn; read only where there is a sequence."""

    def __init__(self, chosen: Chosen, names: Mapping[str, str]) -> None:
        self.chosen = chosen
        self._names = names

    def step(self, part: Gram) -> str:
        """The form of a call, without a name that is another one each time."""
        return self._names.get(form := form_of(part), form)

    @cached_property
    def _all(self) -> tuple[Counter[str], int]:
        """In how many turns each word is, and how many turns there are."""
        counts, turns = Counter[str](), 0
        for row in traces(self.chosen, "asked"):
            for _, request in row.trace.data:
                counts.update(_stems(request))
                turns += 1
        return counts, turns

    def met_by(self, held: Sequence[tuple[Walk, int]]) -> bool:
        """Whether most sessions began with it as soon as a person had asked for something."""
        keys = tuple(walk.row.session for walk, _ in held)
        said = {
            row.session: [line for line, _ in row.trace.data]
            for row in traces(Chosen(self.chosen.database, keys), "asked")
        }
        at_once = 0
        for walk, place in held:
            before = walk.lines[place - 1] if place else -1
            lines = said.get(walk.row.session, ())
            at_once += any(before < line < walk.lines[place] for line in lines)
        return at_once >= MOSTLY * len(held)

    def word_before(self, begins: Mapping[str, int]) -> str:
        """The word of the last request before a line that hardly any other request has."""
        before: list[str] = []
        for row in traces(Chosen(self.chosen.database, tuple(begins)), "asked"):
            earlier = [request for line, request in row.trace.data if line < begins[row.session]]
            before += earlier[-1:]
        counts = Counter(word for request in before for word in _stems(request))
        everywhere, turns = self._all
        often = max(LEAST_SESSIONS, MOSTLY * len(begins))
        others = {word: everywhere[word] - count for word, count in counts.items()}
        most = RARELY * (turns - len(before) + 1) / max(1, len(before))
        telling = [w for w, n in counts.items() if n >= often and others[w] <= most * n]
        best = min(telling, key=lambda word: (-counts[word], others[word], word), default="")
        return commonest(w for request in before for w in request.split() if stem(w) == best)


def _stems(request: str) -> set[str]:
    return set(map(stem, request.split()))
