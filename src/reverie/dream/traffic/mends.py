"""Mends: what all calls that worked have, and none of those that failed with the same message.

The calls of different sessions have other arguments, and often more than one thing was changed. So
they are not compared as a whole: a word that most of the calls that worked share, that no failed
one has, and that is rare in other commands is what helped.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import reduce
from typing import NamedTuple

from reverie.dream.traffic.tally import LEAST_CHANCE, commonest, first_of_each
from reverie.learn.traffic.commands import VARYING, base
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, shared, traces

MOST = 0.66  # of the sessions that got past a failure must have done so with the same words
RARELY = 0.2  # of the calls that failed may have had them
JOINED = "&&"


class Mended(NamedTuple):
    """One message of several sessions, and the calls that got past it in the same way."""

    rows: list[TraceRow]
    failed: str
    worked: str
    chance: float


def mended(chosen: Chosen) -> Iterator[Mended]:
    """Messages that several sessions got past with the same words."""
    by_message = map(first_of_each, shared(chosen, "mend"))
    helped = [(rows, words) for rows in by_message if (words := helping(rows))]
    if not helped:
        return
    asked = frozenset(word for _, words in helped for word in words)
    holding: Counter[str] = Counter()
    total = 0
    for row in traces(chosen, "ran"):
        for _, result, text in row.trace.data:
            if result == "worked":
                total += 1
                holding.update(asked.intersection(text.split()))
    for rows, words in helped:
        having = {word: [row for row in rows if word in _words(row, "worked")] for word in words}
        # The share of the other commands that worked which hold a word.
        elsewhere = {
            word: (max(0, holding[word] - len(having[word])) + 0.5) / (total + 1.0)
            for word in words
        }
        # The word that most have tells what helped; of several such the rarest.
        word = min(words, key=lambda word: (-len(having[word]), elsewhere[word], word))
        chance = max(LEAST_CHANCE, len(rows) * elsewhere[word])
        past = having[word]
        failed = usual([row.trace.data["failed"] for row in past])
        worked = usual([row.trace.data["worked"] for row in past])
        if failed != worked:
            yield Mended(past, failed, worked, chance)


def helping(rows: Sequence[TraceRow]) -> frozenset[str]:
    """The words that nearly all calls that worked have, and hardly one of those that failed."""
    failed = Counter(word for row in rows for word in _words(row, "failed"))
    worked = Counter(word for row in rows for word in _words(row, "worked"))
    enough = max(2, MOST * len(rows))
    often = (word for word, count in worked.items() if count >= enough)
    return frozenset(word for word in often if failed[word] <= RARELY * len(rows))


def _words(row: TraceRow, which: str) -> set[str]:
    return set(row.trace.data[which].split()) - {JOINED}


def usual(calls: Sequence[str]) -> str:
    """One call for several: of those with the usual program, what they share."""
    program = commonest(base(call.split()[0]) for call in calls)
    return general([call for call in calls if base(call.split()[0]) == program])


def general(calls: Sequence[str]) -> str:
    """One call for several: the words they share in order, `…` where they differ."""
    cut = [call.split() for call in dict.fromkeys(calls)]
    if len({len(words) for words in cut}) == 1:
        return " ".join(map(_shared, zip(*cut, strict=True)))
    return " ".join(reduce(_common, cut))


def _common(first: list[str], second: list[str]) -> list[str]:
    kept: list[str] = []
    place = other = 0
    for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        differs = block.a > place or block.b > other
        if differs and kept[-1:] != [VARYING]:
            kept.append(VARYING)
        kept += first[block.a : block.a + block.size]
        place, other = block.a + block.size, block.b + block.size
    return kept


def _shared(words: Sequence[str]) -> str:
    if len(set(words)) == 1:
        return words[0]
    names = {word.partition("=")[0] for word in words if "=" in word}
    if len(names) == 1:
        return f"{names.pop()}={VARYING}"
    same = 0
    while all(len(word) > same and word[same] == words[0][same] for word in words):
        same += 1
    folder = words[0][: words[0].rfind("/", 0, same) + 1]
    quoted = folder[:1] in {'"', "'"} and words[0].endswith(folder[0])
    return folder + VARYING + (folder[0] if quoted else "")
