"""Questions: what people are asked again and again, with the answer where it is always the same."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from reverie.data import word_sets
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import observations, recurring
from reverie.language.lexicon import lexicon
from reverie.language.neighbours import Alike
from reverie.language.words import content, overlap, words
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

SAME = 0.6  # likeness of two wordings of one question
LEAST_ALIKE = 3  # answers that agree in their words
TELLING = 2  # words a question must have besides the forms of asking
SETTLED = 0.75  # share of equal answers that makes them one

_WORDS = word_sets("traffic.txt", "questions")


@cache
def asking() -> frozenset[str]:
    """The forms of asking."""
    return content(words(lexicon().text("passing.asking")))


def questions(chosen: Chosen) -> Iterator[Observation]:
    """Like questions that several sessions asked."""
    index = Alike[int]()
    bags: list[frozenset[str]] = []
    asked: list[tuple[int, TraceRow]] = []
    for row in traces(chosen, "question"):
        bag = content(words(row.trace.key)) - asking()
        if len(bag) < TELLING:
            continue
        same = (near for near in index.near(bag) if overlap(bags[near], bag)[1] >= SAME)
        number = next(same, len(bags))
        if number == len(bags):
            bags.append(bag)
            index.add(number, bag)
        asked.append((number, row))
    for number, rows, chance in recurring(asked):
        yield from _asked(" ".join(sorted(bags[number])), rows, chance)


def _asked(key: str, rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    asked = min((row.trace.key for row in rows), key=lambda text: (len(text), text))
    offered = " ".join(dict.fromkeys(row.trace.key for row in rows))
    answer = settled([row.trace.data or "" for row in rows], offered)
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
    tokens = words(answer)
    if tokens and (set(tokens[:3]) <= _WORDS.yes or tokens[0] in _WORDS.agreeing):
        return "yes"
    if tokens and tokens[0] in _WORDS.no and len(tokens) <= 2:
        return "no"
    return " ".join(sorted(content(tokens))) or " ".join(tokens)
