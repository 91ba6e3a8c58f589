"""Inquiries: facts that a person asks for again and again, with the answer they always get.

Questions in other words are one when their answers name the same value, which none of them holds,
and they turn on the same words. Where the answer changed, the later one holds if it stayed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from reverie.dream.model import Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, LEAST_SESSIONS, observations, sessions_of
from reverie.language.lexicon import lexicon
from reverie.language.meaning import is_common
from reverie.language.words import content, stem, words
from reverie.learn.statements.utterance import sentences
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

SETTLED = 0.75  # share of equal answers that makes them one
CORE = 0.66  # of like questions that have a word …
NEAR = 0.5  # … of which each has as many
LONGEST_FACT = 200  # characters
SHORT = 100  # characters of an answer that is hardly more than a word


@cache
def _asking() -> frozenset[str]:
    """The forms of asking."""
    return content(words(lexicon().text("passing.asking")))


class _Asked(NamedTuple):
    """One question with what its answer named."""

    row: TraceRow
    bag: frozenset[str]
    values: tuple[str, ...]  # levelled, without those in the question


def inquiries(chosen: Chosen) -> Iterator[Observation]:
    """Each fact that several sessions asked for."""
    by_project: dict[str, list[_Asked]] = {}
    for row in traces(chosen, "inquiry"):
        bag = content(words(row.trace.key)) - _asking()
        question = row.trace.key.lower()
        values = (level(value) for value in row.trace.data["values"])
        named = tuple(dict.fromkeys(v for v in values if v and v not in question))
        by_project.setdefault(row.project, []).append(_Asked(row, bag, named))
    for asked in by_project.values():
        yield from _facts(asked)


def level(value: str) -> str:
    """A value however it is written: `7741`, `7741`."""
    return value.strip("`'\"*_ .,;:").rstrip("/").lower()


def _facts(asked: Sequence[_Asked]) -> Iterator[Observation]:
    naming: dict[str, list[_Asked]] = {}
    for inquiry in asked:
        for value in inquiry.values:
            naming.setdefault(value, []).append(inquiry)
    often = [value for value, group in naming.items() if _sessions(group) >= LEAST_SESSIONS]
    often.sort(key=lambda value: (-_sessions(naming[value]), _place(value, naming[value]), value))
    plain: dict[str, list[_Asked]] = {}
    for inquiry in asked:
        for word in _words_of(inquiry).union(inquiry.values):
            plain.setdefault(word, []).append(inquiry)
    # A plain word is an answer only where no answer names anything more.
    said = [word for word, group in plain.items() if _sessions(group) > LEAST_SESSIONS]
    often += sorted(set(said) - set(often), key=lambda word: (-_sessions(plain[word]), word))
    naming |= {word: plain[word] for word in said}
    holding: dict[str, list[_Asked]] = {}
    for inquiry in asked:
        for word in inquiry.bag:
            holding.setdefault(word, []).append(inquiry)
    taken: set[str] = set()
    for value in often:
        alike, core = like(naming[value])
        if not core or any(inquiry.row.evidence in taken for inquiry in alike):
            continue
        near = {
            inquiry.row.evidence: inquiry
            for word in core
            for inquiry in holding[word]
            if _near(inquiry, core) or names(inquiry, value)
        }
        family = sorted(near.values(), key=lambda inquiry: inquiry.row.trace.at)
        if not holds(value, family):
            continue
        taken |= {inquiry.row.evidence for inquiry in family}
        elsewhere = sum(inquiry.row.evidence not in near for inquiry in naming[value])
        chance = max(LEAST_CHANCE, len(family) * elsewhere / max(1, len(asked) - len(family)))
        yield from _observed(value, family, core, chance)


def _words_of(inquiry: _Asked) -> set[str]:
    """The telling words of a short answer that its question has not."""
    answer = inquiry.row.trace.data["answer"]
    tokens = words(answer) if len(answer) <= SHORT else ()
    return {
        w for w in tokens if len(w) > 2 and content((w,)) - inquiry.bag and not is_common(stem(w))
    }


def _sessions(group: Sequence[_Asked]) -> int:
    return sessions_of(inquiry.row for inquiry in group)


def _place(value: str, group: Sequence[_Asked]) -> float:
    """How early answers name a value: what was asked for comes before where it stands."""
    return sum(inquiry.values.index(value) for inquiry in group) / len(group)


def like(group: Sequence[_Asked]) -> tuple[list[_Asked], frozenset[str]]:
    """The questions that turn on the same words, and these words."""
    by_session = {inquiry.row.session: inquiry for inquiry in group}
    counts = Counter(word for inquiry in by_session.values() for word in inquiry.bag)
    core = frozenset(word for word, count in counts.items() if count >= CORE * len(by_session))
    alike = [inquiry for inquiry in group if _near(inquiry, core)]
    return (alike, core) if _sessions(alike) >= LEAST_SESSIONS else ([], frozenset())


def _near(inquiry: _Asked, core: frozenset[str]) -> bool:
    return len(inquiry.bag & core) >= max(1, NEAR * len(core))


def holds(value: str, family: Sequence[_Asked]) -> bool:
    """Whether a value is the answer: nearly always, or each time since another one was given."""
    having = [names(inquiry, value) for inquiry in family if inquiry.values or _words_of(inquiry)]
    if not having or not having[-1]:
        return False
    since = having.index(True)
    return sum(having) >= SETTLED * len(having) or (sum(having) > 1 and all(having[since:]))


def names(inquiry: _Asked, value: str) -> bool:
    """Whether an answer names a value."""
    return value in inquiry.values or value in _words_of(inquiry)


def _observed(
    value: str, family: Sequence[_Asked], core: frozenset[str], chance: float
) -> Iterator[Observation]:
    rows = [inquiry.row for inquiry in family]
    given = [inquiry.row.trace.data["answer"] for inquiry in family if names(inquiry, value)]
    texts = [sentence.text for answer in given for sentence in sentences(answer)]
    telling = [text for text in texts if value in text.lower() and len(text) <= LONGEST_FACT]
    question = min(
        (row.trace.key for row in rows), key=lambda text: (text.count(" ") < 4, len(text))
    )
    if whole := [text for text in telling if core <= content(words(text))]:
        text = min(whole, key=len)
    else:
        answer = min(telling, key=len, default=value).rstrip(".")
        text = f"“{question}” is asked again and again; the answer is “{answer}”"
    more = {"key": f"{value}\0{' '.join(sorted(core))}", "chance": chance}
    sort = {"kind": "decision", "type": "project"}
    yield from observations("question", text, rows, _exchange, **more, **sort)


def _exchange(row: TraceRow) -> str:
    return f"{row.trace.key} — {row.trace.data['answer']}"
