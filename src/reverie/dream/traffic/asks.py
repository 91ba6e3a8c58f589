"""Asks: what people have to ask for again and again once the work is done.

Each request was met by a command or an edit that names it (`learn.asks`). What is asked for in many
sessions is better done unasked, or made one command.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.db.database import Database
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import observed, sessions_of, several
from reverie.language.words import content, words
from reverie.sessions.traces import TraceRow, traces

LEAST_SESSIONS = 5
LEAST_SHARE = 0.08  # of the sessions that edited anything
BESIDES = 0.6  # share of a request's turns in which a more usual one was made too
STEP = 0.5  # share of the sessions that took a step after the request
MOST_STEPS = 4


def asks(database: Database) -> Iterator[Observation]:
    """Requests by the word they turn on, for those that come back in many sessions."""
    working = sum(1 for _ in traces(database, "edited"))
    often = [
        (word, rows, chance)
        for word, rows, chance in several((row.trace.key, row) for row in traces(database, "ask"))
        if sessions_of(rows) >= max(LEAST_SESSIONS, LEAST_SHARE * working)
    ]
    told: set[str] = set()
    for _, rows, chance in sorted(often, key=lambda one: (-len(one[1]), one[0])):
        besides = sum(row.evidence in told for row in rows)
        if besides < BESIDES * len(rows):
            told |= {row.evidence for row in rows}
            yield from _asked(rows, chance)


def _asked(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    wording = usual_wording([row.trace.data["text"] for row in rows])
    steps = _steps(rows)
    text = f"“{wording}” is asked for again and again once the work is done"
    if steps:
        then = ", then ".join(f"`{step}`" for step in steps)
        text += f", and means {then}: make it one command, or offer it"
    else:
        text += ": do it without being asked"
    for row in rows:
        yield observed(
            "ask",
            text,
            row,
            quote=row.trace.data["text"],
            trust="agent",
            kind="command" if steps else "best-practice",
            type="reference" if steps else "feedback",
            chance=chance,
            detail={"asked": wording, "steps": steps},
        )


def usual_wording(texts: Sequence[str]) -> str:
    """The wording that was used most; where all differ, the shortest that says what all say."""
    counts = Counter(" ".join(words(text)) for text in texts)
    exact = Counter(texts)
    shared = Counter(stem for text in texts for stem in content(words(text)))
    common = {stem for stem, count in shared.items() if 2 * count >= len(texts)}

    def order(text: str) -> tuple[int, int, int, int, str]:
        own = content(words(text))
        times = counts[" ".join(words(text))]
        return -times, -exact[text], -len(own & common), len(text), text

    return min(texts, key=order).rstrip(" ?.!")


def _steps(rows: Sequence[TraceRow]) -> list[str]:
    """What most sessions ran after the request, in the usual order; [] when files were edited."""
    counts: Counter[str] = Counter()
    places: dict[str, list[int]] = {}
    for row in rows:
        for place, step in enumerate(row.trace.data["steps"]):
            counts[step] += 1
            places.setdefault(step, []).append(place)
    usual = [step for step, count in counts.items() if count >= STEP * len(rows)]
    usual.sort(key=lambda step: (sum(places[step]) / len(places[step]), step))
    return usual[:MOST_STEPS]
