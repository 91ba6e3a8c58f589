"""Requests: what people ask for again and again once the work is done, better done unasked.

A word of the request must name what was then done.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from reverie.dream.model import Observation
from reverie.dream.traffic.tally import sessions_of, several, told
from reverie.language.words import content, stem, words
from reverie.learn.traffic.commands import act_of
from reverie.learn.traffic.outputs import aim_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

LEAST_MET = 5  # sessions with a request that edits met: its word may be what the project is about
LEAST_ASKED = 4  # sessions with a request
LEAST_SHARE = 0.08  # of the sessions that edited anything
DEEDS = 2  # that a request names: for a single one, asking is as short as any command …
HABIT, MOSTLY = 10, 0.5  # … unless so many sessions, and such a share of all, end with it
BESIDES = 0.6  # share of a request's turns in which a more usual one was made too
STEP = 0.5  # share of the sessions that took a step after the request
MOST_STEPS = 4


def asks(chosen: Chosen) -> Iterator[Observation]:
    """Requests by the word they turn on, if many sessions have them."""
    working = sum(1 for _ in traces(chosen, "edited"))
    often = [
        (word, rows, chance)
        for word, rows, chance in several((_sort(row), row) for row in traces(chosen, "ask"))
        if sessions_of(rows) >= max(_least(rows), LEAST_SHARE * working)
    ]
    seen: set[str] = set()
    for _, rows, chance in sorted(often, key=lambda one: (-len(one[1]), one[0])):
        if sum(row.evidence in seen for row in rows) < BESIDES * len(rows):
            seen |= {row.evidence for row in rows}
            usual = sessions_of(rows) >= max(HABIT, MOSTLY * working)
            yield from _asked_for(rows, chance, usual=usual)


def _least(rows: Sequence[TraceRow]) -> int:
    return LEAST_ASKED if _steps(rows) else LEAST_MET


def _sort(row: TraceRow) -> str:
    """What a request turns on; to commit, to push and to open a pull request are one delivery."""
    word = row.trace.key
    steps = [step.split() for step in row.trace.data["steps"]]
    ships = any(act_of(step) == "ship" and word in map(stem, step) for step in steps)
    return "" if ships else word


def _asked_for(rows: Sequence[TraceRow], chance: float, *, usual: bool) -> Iterator[Observation]:
    wording = usual_wording([row.trace.data["text"] for row in rows])
    steps = _steps(rows)
    deeds = sum(_speaks_of(wording, aim_of(step)) for step in steps)
    if len(steps) == 1 or (steps and deeds < DEEDS and not usual):
        return  # asking for it is as short as doing it
    if not steps and not _sort(rows[0]):
        return  # what they want differs
    text = f"At the end of the work people ask “{wording}”"
    if steps:
        then = ", then ".join(f"`{step}`" for step in steps)
        text += f", which means {then}: make it one command"
    else:
        text += ": do it without being asked"
    sort: dict[str, Any] = {"wording": wording}
    sort |= {"kind": "command", "type": "reference", "steps": tuple(steps)} if steps else {}
    key = _sort(rows[0]) or "deliver"
    yield from told("ask", text, rows, _request, key=key, chance=chance, **sort)


def _request(row: TraceRow) -> str:
    return row.trace.data["text"]


def _steps(rows: Sequence[TraceRow]) -> list[str]:
    """What most sessions ran after the request, in the usual order; [] when files were edited."""
    places: dict[str, list[int]] = {}
    forms: dict[str, Counter[str]] = {}
    plain = {step for row in rows for step in row.trace.data["steps"]}
    for row in rows:
        for place, step in enumerate(row.trace.data["steps"]):
            # A wrapper of one's own is left out where the same is run without it.
            bare = step.partition(" ")[2]
            step = bare if bare in plain else step
            aim = aim_of(step)
            places.setdefault(aim, []).append(place)
            forms.setdefault(aim, Counter())[step] += 1
    usual = [aim for aim, found in places.items() if len(found) >= STEP * len(rows)]
    usual.sort(key=lambda aim: (sum(places[aim]) / len(places[aim]), aim))
    named = [place for place, aim in enumerate(usual) if _is_named(aim, rows)]
    # What came after the last thing they named was not asked for.
    usual = usual[: named[-1] + 1] if named else usual
    return [forms[aim].most_common(1)[0][0] for aim in usual[:MOST_STEPS]]


def _is_named(aim: str, rows: Sequence[TraceRow]) -> bool:
    """Whether most of the requests speak of a step."""
    return 2 * sum(_speaks_of(_request(row), aim) for row in rows) >= len(rows)


def _speaks_of(text: str, aim: str) -> bool:
    return not content(aim.split()[1:]).isdisjoint(content(words(text)))


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
