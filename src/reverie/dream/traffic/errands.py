"""Errands: what people ask for again and again, known by what is done each time they do.

A word of short requests and a deed behind them belong together when the deed comes far more often
after the word than after anything else that is said. How the request is worded does not matter.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.steps.chance import at_least
from reverie.dream.steps.remarks import is_order, main_clause
from reverie.dream.traffic.tally import LEAST_CHANCE, sessions_of, told
from reverie.language.lexicon import lexicon
from reverie.language.meaning import is_common
from reverie.language.words import content, words
from reverie.learn.statements.utterance import sentences
from reverie.learn.traffic.errands import WRITES
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

LEAST = 3  # sessions in which a deed follows a word …
LEAST_SHARE = 0.05  # … and of all that have short requests
MOSTLY = 0.5  # of the sessions with the word
BESIDES = 0.5  # share of a word's turns that a better one has told already
BELIEVED = 0.05  # chance that any of all pairs looked at is an accident
STEP = 0.01  # the same for a further step of a request that is one
MOST_STEPS = 5
SHORTEST = 3  # words of a part that is understood by itself

_RE = patterns("traffic.txt", "errands")


class _Tie(NamedTuple):
    """A word and a deed that belong together."""

    chance: float  # that so many sessions show it by accident
    word: str
    deed: str
    expected: float  # sessions


def errands(chosen: Chosen) -> Iterator[Observation]:
    """Requests by the word that tells best what will be done."""
    by_project: dict[str, list[TraceRow]] = {}
    for row in traces(chosen, "errand"):
        by_project.setdefault(row.project, []).append(row)
    for _, rows in sorted(by_project.items()):
        yield from _of_project(rows)


def _of_project(rows: Sequence[TraceRow]) -> Iterator[Observation]:
    least = max(LEAST, LEAST_SHARE * sessions_of(rows))
    holding = _often(rows, "words", least)
    following = _often(rows, "deeds", least)
    ties = [tie for word in sorted(holding) for tie in _ties(word, holding[word], following, rows)]
    sure = sorted((tie for tie in ties if tie.chance * len(ties) <= BELIEVED), key=_order)
    seen: set[str] = set()
    for deed in dict.fromkeys(tie.deed for tie in sure):
        named = {tie.word for tie in sure if tie.deed == deed}
        own = [tie for tie in ties if tie.word in named and tie.chance <= STEP]
        held = {row.evidence: row for word in sorted(named) for row in holding[word]}
        met = [row for row in held.values() if not _deeds(row).isdisjoint(t.deed for t in own)]
        if sum(row.evidence in seen for row in met) < BESIDES * len(met):
            seen |= {row.evidence for row in met}
            yield from _errand(deed, sorted(met, key=_when), named, own)


def _when(row: TraceRow) -> tuple[str, str, int]:
    return row.trace.at, row.session, row.trace.line


def _order(tie: _Tie) -> tuple[bool, float, str]:
    """What everybody who programs says tells less than what this project speaks of."""
    return is_common(tie.word), tie.chance, tie.word


def _often(rows: Sequence[TraceRow], part: str, least: float) -> dict[str, list[TraceRow]]:
    """The words or deeds of enough sessions, each with its turns."""
    found: defaultdict[str, list[TraceRow]] = defaultdict(list)
    for row in rows:
        for name in row.trace.data[part]:
            found[name].append(row)
    doing = _doing()
    return {
        name: own
        for name, own in found.items()
        if name not in doing and len(own) >= least and sessions_of(own) >= least
    }


@cache
def _doing() -> frozenset[str]:
    """What is done to something, and how one asks for it; the thing is what people come back to."""
    return content(words(lexicon().text("passing.doing") + lexicon().text("passing.asking")))


def _deeds(row: TraceRow) -> set[str]:
    return set(row.trace.data["deeds"])


def _ties(
    word: str,
    own: Sequence[TraceRow],
    following: dict[str, list[TraceRow]],
    rows: Sequence[TraceRow],
) -> Iterator[_Tie]:
    """The deeds that follow a word, each with how likely it would do so by accident."""
    turns = Counter(row.session for row in own)
    behind = {deed for row in own for deed in row.trace.data["deeds"]}
    for deed in sorted(behind & following.keys()):
        met = [row for row in own if deed in row.trace.data["deeds"]]
        rate = (len(following[deed]) - len(met) + 0.5) / (len(rows) - len(own) + 1.0)
        expected = sum(1.0 - (1.0 - min(1.0, rate)) ** times for times in turns.values())
        often = sessions_of(met)
        usual = often < max(LEAST, MOSTLY * len(turns))
        yield _Tie(1.0 if usual else at_least(often, expected), word, deed, expected)


def _errand(
    deed: str, rows: Sequence[TraceRow], named: Collection[str], ties: Sequence[_Tie]
) -> Iterator[Observation]:
    steps = _steps(rows, {tie.deed for tie in ties})
    kept = len(steps) == 1 and _RE.kept.match(steps[0])
    if not (kept or len(steps) > 1) or not any(_is_telling(step) for step in steps):
        return  # asking for it is as short as a command would be
    wording = _wording([_asked(row, named) for row in rows], named)
    sort: dict[str, Any] = {"wording": wording}
    if kept:
        text = f"People ask “{wording}”: {_lowered(steps[0])} with the work, without being asked"
    else:
        steps = _with_orders(steps, rows, named)
        sort |= {"kind": "command", "type": "reference", "steps": tuple(steps)}
        then = ", then ".join(f"to {_lowered(s)}" if s[0].isupper() else f"`{s}`" for s in steps)
        text = f"People ask “{wording}”, which means {then}: make it one command"
    chance = max(LEAST_CHANCE, min(tie.expected for tie in ties))
    sort |= {"key": f"{rows[0].project}\0{deed}", "chance": chance}
    yield from told("ask", text, rows, lambda row: _asked(row, named), **sort)


def _wording(asked: Sequence[str], named: Collection[str]) -> str:
    """The plainest of those that name most of what it is about; an order, if there is one."""
    most = max(len(content(words(text)) & set(named)) for text in asked)
    fullest = [text for text in asked if len(content(words(text)) & set(named)) == most]
    return usual_wording([text for text in fullest if is_order(text)] or fullest)


def usual_wording(texts: Sequence[str]) -> str:
    """The wording that was used most; where all differ, the shortest that says what all say."""
    counts = Counter(" ".join(words(text)) for text in texts)
    exact = Counter(texts)
    shared = Counter(stem for text in texts for stem in content(words(text)))
    common = {stem for stem, count in shared.items() if 2 * count >= len(texts)}

    def order(text: str) -> tuple[int, int, int, int, int, str]:
        own = content(words(text))
        times = counts[" ".join(words(text))]
        # What only one of them adds is not what all ask for.
        added = 0 if 2 * times >= len(texts) else len(own - common)
        return added, -times, -exact[text], -len(own & common), len(text), text

    return min(texts, key=order).rstrip(" ?.!")


def _asked(row: TraceRow, named: Collection[str]) -> str:
    """The part of a turn that asks for it, without what only leads to it."""
    whole = [one.text for one in sentences(_said(row))]
    parts = [part for text in whole for part in (*_RE.clause.split(text), text)]
    holding = [part for part in parts if _speaks_of(part, named) and len(part.split()) >= SHORTEST]
    orders = [part for part in holding if is_order(part)]
    best = (orders or holding or [_said(row)])[0]
    return _RE.polite.sub("", main_clause(best)).strip(" .,") or best


def _said(row: TraceRow) -> str:
    return row.trace.data["text"]


def _speaks_of(text: str, named: Collection[str]) -> bool:
    return not content(words(text)).isdisjoint(named)


def _with_orders(steps: list[str], rows: Sequence[TraceRow], named: Collection[str]) -> list[str]:
    """The steps with what several sessions ask for in the same breath, before work is handed in."""
    sessions: defaultdict[frozenset[str], set[str]] = defaultdict(set)
    wordings: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for row in rows:
        for one in sentences(_said(row)):
            order = _RE.polite.sub("", main_clause(one.text)).strip(" .,")
            if is_order(order) and not one.question and not _speaks_of(order, named):
                sessions[content(words(order))].add(row.session)
                wordings[content(words(order))].append(order)
    again = [min(wordings[key], key=len) for key, seen in sessions.items() if key and len(seen) > 1]
    place = next((n for n, step in enumerate(steps) if not _is_telling(step)), len(steps))
    return [*steps[:place], *(order[0].upper() + order[1:] for order in again), *steps[place:]]


def _lowered(step: str) -> str:
    return step[0].lower() + step[1:]


def _is_telling(step: str) -> bool:
    return not _RE.anywhere.match(step)


def _steps(rows: Sequence[TraceRow], deeds: Collection[str]) -> list[str]:
    """The deeds in their usual order, as steps; a folder only where no file of it is named."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        for place, deed in enumerate(row.trace.data["deeds"]):
            if deed in deeds:
                places[deed].append(place)
    ordered = sorted(places, key=lambda deed: (sum(places[deed]) / len(places[deed]), deed))
    named = [
        deed
        for deed in ordered
        if not deed.endswith("/") or not any(o != deed and o.startswith(deed) for o in ordered)
    ]
    return [_step(deed) for deed in named[:MOST_STEPS]]


def _step(deed: str) -> str:
    if not deed.startswith(WRITES):
        return f"Call `{deed}`" if _RE.outside.match(deed) else deed
    file = deed.removeprefix(WRITES)
    return f"Write a file in `{file}`" if file.endswith("/") else f"Edit `{file}`"
