"""Requests: what people ask for again and again once the work is done.

A word of the request must name what was then done: a file that was edited, or a delivery. What else
is run at a word of command is as short to ask for as to prescribe. What most sessions end with is
better done unasked; what only some do is none of the others' wish.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.dream.model import Observation
from reverie.dream.proposals.rules import REMINDER, imperative
from reverie.dream.steps.remarks import asks as wants
from reverie.dream.steps.remarks import without_matter
from reverie.dream.traffic.tally import sessions_of, several, told
from reverie.language.words import content, stem, words
from reverie.learn.traffic.commands import act_of
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

HABIT, MOSTLY = 6, 0.5  # sessions that end with a request, and their share of those that edit
BESIDES = 0.6  # share of a request's turns in which a more usual one was made too
FEW = 4  # words
DELIVER = ""  # what all requests to commit, to push and to open a pull request turn on


def asks(chosen: Chosen) -> Iterator[Observation]:
    """Requests by the word they turn on, if many sessions have them."""
    worked: dict[str, set[str]] = {}
    for row in traces(chosen, "edited"):
        worked.setdefault(row.project, set()).add(row.session)
    often = [
        (word, rows, chance)
        for word, rows, chance in several(
            (_sort(row), row) for row in traces(chosen, "ask") if _requests(_request(row))
        )
        if sessions_of(rows) >= HABIT
    ]
    seen: set[str] = set()
    for word, rows, chance in sorted(often, key=lambda one: (-len(one[1]), one[0])):
        if sum(row.evidence in seen for row in rows) < BESIDES * len(rows):
            seen |= {row.evidence for row in rows}
            projects = {row.project for row in rows}
            yield from _asked_for(word, rows, chance, sum(len(worked[one]) for one in projects))


def _sort(row: TraceRow) -> str:
    """What a request turns on."""
    word = row.trace.key
    steps = [step.split() for step in row.trace.data["steps"]]
    ships = any(act_of(step) == "ship" and word in map(stem, step) for step in steps)
    return DELIVER if ships else word


def _asked_for(
    word: str, rows: Sequence[TraceRow], chance: float, working: int
) -> Iterator[Observation]:
    wording = usual_wording([_request(row) for row in rows])
    # A delivery is asked for in several ways, but in none that shares no word with the others.
    own = content(words(wording))
    rows = [row for row in rows if not own.isdisjoint(content(words(_request(row))))]
    ran = sum(bool(row.trace.data["steps"]) for row in rows)
    deed = imperative(without_matter(wording)).rstrip(" .?!")
    if sessions_of(rows) < max(HABIT, MOSTLY * working) or deed.startswith(REMINDER):
        return
    if word != DELIVER and 2 * ran >= len(rows):
        return
    when = "when the work is done" if word == DELIVER else "with a change"
    often = f"in {sessions_of(rows)} of {working} sessions"
    when += ", without being asked"
    text = f"At the end of the work people ask “{wording}” ({often}): do it {when}"
    more = {"key": word or "deliver", "chance": chance, "order": f"{deed} {when}"}
    yield from told("ask", text, rows, _request, **more)


def _request(row: TraceRow) -> str:
    return row.trace.data["text"]


def _requests(text: str) -> bool:
    """Whether it asks for something; a few words do so, whatever their form."""
    return wants(text) or len(words(text)) <= FEW


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
