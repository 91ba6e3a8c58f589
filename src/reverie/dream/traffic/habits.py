"""Habits: what people ask for, are asked, and what agents look up, again and again.

asks       requests that come once the work is done, and are met: better done unasked
questions  what a person is asked, with the answer where it is always the same
rereads    a file that sessions look up and that nobody ever changes: what is worked on in
           other sessions is no lookup
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from reverie.data import word_sets
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import Usual, sessions_of, several, told
from reverie.language.lexicon import lexicon
from reverie.language.neighbours import Alike
from reverie.language.words import content, overlap, words
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, counted, shared, traces

LEAST_ASKED = 5  # sessions with a request
LEAST_SHARE = 0.08  # of the sessions that edited anything
BESIDES = 0.6  # share of a request's turns in which a more usual one was made too
STEP = 0.5  # share of the sessions that took a step after the request
MOST_STEPS = 4

SAME = 0.6  # likeness of two wordings of one question
TELLING = 2  # words a question must have besides the forms of asking
SETTLED = 0.75  # share of equal answers that makes them one

LEAST_READ = 4  # sessions that looked a file up
AGAIN = 2  # readings in one session that are one too many
SHARE = 0.5  # of a project's reading sessions look up a file that all of them need

_WORDS = word_sets("traffic.txt", "questions")


def asks(chosen: Chosen) -> Iterator[Observation]:
    """Requests by the word they turn on, for those that come back in many sessions."""
    working = sum(1 for _ in traces(chosen, "edited"))
    often = [
        (word, rows, chance)
        for word, rows, chance in several((row.trace.key, row) for row in traces(chosen, "ask"))
        if sessions_of(rows) >= max(LEAST_ASKED, LEAST_SHARE * working)
    ]
    seen: set[str] = set()
    for _, rows, chance in sorted(often, key=lambda one: (-len(one[1]), one[0])):
        if sum(row.evidence in seen for row in rows) < BESIDES * len(rows):
            seen |= {row.evidence for row in rows}
            yield from _asked_for(rows, chance)


def _asked_for(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    wording = usual_wording([row.trace.data["text"] for row in rows])
    steps = _steps(rows)
    text = f"“{wording}” is asked for again and again once the work is done"
    if steps:
        then = ", then ".join(f"`{step}`" for step in steps)
        text += f", and means {then}: make it one command, or offer it"
    else:
        text += ": do it without being asked"
    sort = {"kind": "command", "type": "reference"} if steps else {}
    yield from told("ask", text, rows, lambda row: row.trace.data["text"], chance=chance, **sort)


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
    places: dict[str, list[int]] = {}
    for row in rows:
        for place, step in enumerate(row.trace.data["steps"]):
            places.setdefault(step, []).append(place)
    usual = [step for step, found in places.items() if len(found) >= STEP * len(rows)]
    usual.sort(key=lambda step: (sum(places[step]) / len(places[step]), step))
    return usual[:MOST_STEPS]


@cache
def _asking() -> frozenset[str]:
    """The forms of asking."""
    return content(words(lexicon().text("passing.asking")))


def questions(chosen: Chosen) -> Iterator[Observation]:
    """Groups of like questions that several sessions asked."""
    index = Alike[int]()
    bags: list[frozenset[str]] = []
    asked: list[tuple[int, TraceRow]] = []
    for row in traces(chosen, "question"):
        bag = content(words(row.trace.key)) - _asking()
        if len(bag) < TELLING:
            continue
        same = (near for near in index.near(bag) if overlap(bags[near], bag)[1] >= SAME)
        number = next(same, len(bags))
        if number == len(bags):
            bags.append(bag)
            index.add(number, bag)
        asked.append((number, row))
    for number, rows, chance in several(asked):
        yield from _asked(" ".join(sorted(bags[number])), rows, chance)


def _asked(key: str, rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    asked = min((row.trace.key for row in rows), key=lambda text: (len(text), text))
    answer = settled([row.trace.data or "" for row in rows], asked)
    text = f"“{asked}” is asked again and again"
    text += f"; the answer is “{answer}”: do not ask" if answer else ": settle it once"
    sort = {"kind": "decision", "type": "project"} if answer else {}
    yield from told("question", text, rows, _exchange, key=key, chance=chance, **sort)


def _exchange(row: TraceRow) -> str:
    return f"{row.trace.key} — {row.trace.data}" if row.trace.data else row.trace.key


def settled(answers: Sequence[str], question: str = "") -> str:
    """The answer that was nearly always given, in its shortest words; "" when there is none.

    Answers in different words are the same one when they choose the same of what was offered.
    """
    given = [answer for answer in answers if answer]
    forms = Counter(map(_normal, given))
    normal, count = max(sorted(forms.items()), key=lambda pair: pair[1], default=("", 0))
    if count >= max(2, SETTLED * len(given)):
        return _shortest(answer for answer in given if _normal(answer) == normal)
    offered = content(words(question)) - _asking()
    plain = [answer for answer in given if not _WORDS.no & set(words(answer))]
    chosen = Counter(word for answer in plain for word in content(words(answer)) & offered)
    always = {word for word, times in chosen.items() if times >= max(2, SETTLED * len(given))}
    if not always:
        return ""
    return _shortest(answer for answer in plain if always <= content(words(answer)))


def _shortest(answers: Iterable[str]) -> str:
    return min(answers, key=lambda answer: (len(answer), answer), default="")


def _normal(answer: str) -> str:
    found = words(answer)
    if found and set(found[:3]) <= _WORDS.yes:
        return "yes"
    if found and found[0] in _WORDS.no and len(found) <= 2:
        return "no"
    return " ".join(sorted(content(found))) or " ".join(found)


def rereads(chosen: Chosen) -> Iterator[Observation]:
    """Files by project: those several sessions come back to, and those most sessions need."""
    readers = counted(chosen, "reading", by="project")
    worked_on = {(row.project, file) for row in traces(chosen, "edited") for file in row.trace.data}
    needed = Usual(counted(chosen, "reading").values())
    returned_to = Usual(counted(chosen, "reading", times=AGAIN).values())
    for rows in shared(chosen, "reading"):
        for project in sorted({row.project for row in rows}):
            own = [row for row in rows if row.project == project]
            if (project, rows[0].trace.key) in worked_on:
                continue
            again = [row for row in own if row.trace.times >= AGAIN]
            if len(again) >= LEAST_READ:
                yield from _read(again, returned_to.without(len(again)))
            elif len(own) >= max(LEAST_READ, SHARE * readers[project]):
                yield from _read(own, needed.without(len(own)))


def _read(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    project, file = rows[0].project, rows[0].trace.key
    times = sum(row.trace.times for row in rows)
    text = (
        f"`{file}` is read again and again ({times} times in {len(rows)} sessions) and never"
        " changed: say in CLAUDE.md what is looked up there"
    )
    yield from told("reread", text, rows, _readings, key=f"{project}\0{file}", chance=chance)


def _readings(row: TraceRow) -> str:
    return f"read {row.trace.times} times" if row.trace.times > 1 else "read once"
