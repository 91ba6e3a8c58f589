"""Questions that a person is asked again and again, with the answer where it is always the same."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from reverie.data import word_sets
from reverie.db.database import Database
from reverie.dream.model import Observation
from reverie.dream.traffic.tally import observed, several
from reverie.language.lexicon import lexicon
from reverie.language.neighbours import Alike
from reverie.language.words import content, overlap, words
from reverie.sessions.traces import TraceRow, traces

SAME = 0.6  # likeness of two wordings of one question
TELLING = 2  # words a question must have besides the forms of asking
SETTLED = 0.75  # share of equal answers that makes them one

_WORDS = word_sets("traffic.txt", "questions")


@cache
def _asking() -> frozenset[str]:
    """The forms of asking."""
    return content(words(lexicon().text("passing.asking")))


def questions(database: Database) -> Iterator[Observation]:
    """Groups of like questions that several sessions asked."""
    index = Alike[int]()
    bags: list[frozenset[str]] = []
    asked: list[tuple[int, TraceRow]] = []
    for row in traces(database, "question"):
        bag = content(words(row.trace.key)) - _asking()
        if len(bag) < TELLING:
            continue
        number = next((near for near in index.near(bag) if _same(bags[near], bag)), len(bags))
        if number == len(bags):
            bags.append(bag)
            index.add(number, bag)
        asked.append((number, row))
    for number, rows, chance in several(asked):
        yield from _asked(" ".join(sorted(bags[number])), rows, chance)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return overlap(one, other)[1] >= SAME


def _asked(key: str, rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    asked = min((row.trace.key for row in rows), key=lambda text: (len(text), text))
    answer = settled([row.trace.data or "" for row in rows], asked)
    text = f"“{asked}” is asked again and again"
    text += f"; the answer is “{answer}”: do not ask" if answer else ": settle it once"
    for row in rows:
        yield observed(
            "question",
            text,
            row,
            key=key,
            quote=f"{row.trace.key} — {row.trace.data}" if row.trace.data else row.trace.key,
            trust="agent",
            kind="decision" if answer else "best-practice",
            type="project" if answer else "feedback",
            chance=chance,
            detail={"question": asked, "answer": answer},
        )


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
