"""Habits: what people are asked again and again, with the answer where it is always the same."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from reverie.data import word_sets
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import (
    Usual,
    grouped,
    observations,
    recurring,
    sessions_of,
)
from reverie.language.lexicon import lexicon
from reverie.language.neighbours import Alike
from reverie.language.words import content, overlap, words
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

SAME = 0.6  # likeness of two wordings of one question
MOST_WORDS = 6  # of a question that turns on one of them
LEAST_ALIKE = 3  # sessions with different questions on one matter
TELLING = 2  # words a question must have besides the forms of asking
SETTLED = 0.75  # share of equal answers that makes them one

_WORDS = word_sets("traffic.txt", "questions")


@cache
def asking() -> frozenset[str]:
    """The forms of asking."""
    return content(words(lexicon().text("passing.asking")))


def questions(chosen: Chosen) -> Iterator[Observation]:
    """Like questions that several sessions asked, then those on one matter with one answer."""
    index = Alike[int]()
    bags: list[frozenset[str]] = []
    asked: list[tuple[int, TraceRow]] = []
    by_word: list[tuple[str, TraceRow]] = []
    for row in traces(chosen, "question"):
        bag = content(words(row.trace.key)) - asking()
        if len(bag) <= MOST_WORDS:
            by_word += [(word, row) for word in sorted(bag)]
        if len(bag) < TELLING:
            continue
        same = (near for near in index.near(bag) if overlap(bags[near], bag)[1] >= SAME)
        number = next(same, len(bags))
        if number == len(bags):
            bags.append(bag)
            index.add(number, bag)
        asked.append((number, row))
    groups = list(recurring(asked))
    known = {row.evidence for _, rows, _ in groups if sessions_of(rows) > 2 for row in rows}
    matters = list(_matters(by_word, known))
    spoken = {row.evidence for _, rows, _ in matters for row in rows}
    for number, rows, chance in groups:
        if not spoken.issuperset(row.evidence for row in rows):
            yield from _asked(" ".join(sorted(bags[number])), rows, chance)
    for word, rows, chance in matters:
        yield from _asked(word, rows, chance)


def _matters(
    by_word: Sequence[tuple[str, TraceRow]], known: Collection[str]
) -> Iterator[tuple[str, list[TraceRow], float]]:
    """Questions in different words that turn on the same one, and are always answered alike."""
    holding = grouped(by_word)
    counts = {word: sessions_of(rows) for word, rows in holding.items()}
    claimed = set(known)
    matters: dict[str, list[TraceRow]] = {}
    for word in sorted(holding, key=lambda word: (-counts[word], word)):
        rows = [row for row in holding[word] if row.trace.data and row.evidence not in claimed]
        if sessions_of(rows) >= max(LEAST_ALIKE, SETTLED * counts[word]) and agreed(rows):
            claimed |= {row.evidence for row in rows}
            matters[word] = rows
    # What is usual is seen from the other questions: the words of these come back because they do.
    told_of = {word for word, row in by_word if row.evidence in claimed}
    chance = Usual(counts[word] for word in counts if word not in told_of).without(1)
    for word, rows in matters.items():
        yield word, rows, chance


def agreed(rows: Sequence[TraceRow]) -> str:
    """The answer to questions that are alike in one word; "" when they are answered differently."""
    asked = " ".join(dict.fromkeys(row.trace.key for row in rows))
    return settled([row.trace.data or "" for row in rows], asked)


def _asked(key: str, rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    asked = min((row.trace.key for row in rows), key=lambda text: (len(text), text))
    answer = agreed(rows)
    text = f"“{asked}” is asked again and again"
    text += f"; the answer is “{answer}”: do not ask" if answer else ": settle it once"
    sort = {"kind": "decision", "type": "project"} if answer else {}
    yield from observations("question", text, rows, _exchange, key=key, chance=chance, **sort)


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
    short = _shortest(given)
    said = content(words(short)) - _WORDS.no - _WORDS.yes
    agreeing = sum(said <= content(words(answer)) for answer in given)
    if len(said) >= TELLING and agreeing >= max(LEAST_ALIKE, SETTLED * len(given)):
        return short
    offered = content(words(question)) - asking()
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
    if found and (set(found[:3]) <= _WORDS.yes or found[0] in _WORDS.agreeing):
        return "yes"
    if found and found[0] in _WORDS.no and len(found) <= 2:
        return "no"
    return " ".join(sorted(content(found))) or " ".join(found)
