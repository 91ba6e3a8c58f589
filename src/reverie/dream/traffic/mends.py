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

from reverie.dream.traffic.tally import LEAST_CHANCE
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

    @property
    def places(self) -> list[str]:
        """The evidence of all its calls and what they said."""
        return [f"{row.session}#{line}" for row in self.rows for line in row.trace.data["lines"]]


def mended(chosen: Chosen) -> Iterator[Mended]:
    """Messages that several sessions got past with the same words."""
    found = [(rows, helped) for rows in _by_message(chosen) if (helped := helping(rows))]
    if not found:
        return
    usage = _Usage(chosen, frozenset(word for _, words in found for word in words))
    for rows, words in found:
        shares = [
            (-len(having), usage.elsewhere(word, having), word, having)
            for word in words
            if (having := [row for row in rows if word in _words(row.trace.data["worked"])])
        ]
        # The word that most have tells what helped; of several such the rarest.
        _, elsewhere, _, past = min(shares, key=lambda share: share[:3])
        chance = max(LEAST_CHANCE, len(rows) * elsewhere)
        failed = usual([row.trace.data["failed"] for row in past])
        worked = usual([row.trace.data["worked"] for row in past])
        if failed != worked:
            yield Mended(past, failed, worked, chance)


def _by_message(chosen: Chosen) -> Iterator[list[TraceRow]]:
    for rows in shared(chosen, "mend"):
        by_session = {row.session: row for row in reversed(rows)}
        yield list(reversed(by_session.values()))


def helping(rows: Sequence[TraceRow]) -> frozenset[str]:
    """The words that nearly all calls that worked have, and hardly one of those that failed."""
    failed = Counter(word for row in rows for word in _words(row.trace.data["failed"]))
    worked = Counter(word for row in rows for word in _words(row.trace.data["worked"]))
    enough = max(2, MOST * len(rows))
    return frozenset(
        word
        for word, count in worked.items()
        if count >= enough and failed[word] <= RARELY * len(rows)
    )


def _words(call: str) -> set[str]:
    return set(call.split()) - {JOINED}


class _Usage:
    """How usual words are in the commands that worked."""

    def __init__(self, chosen: Chosen, asked: frozenset[str]) -> None:
        self._holding: Counter[str] = Counter()
        self._total = 0
        for row in traces(chosen, "ran"):
            for _, result, text in row.trace.data:
                if result == "worked":
                    self._total += 1
                    self._holding.update(asked & set(text.split()))

    def elsewhere(self, word: str, having: Sequence[TraceRow]) -> float:
        """The share of the other commands that hold a word."""
        return (max(0, self._holding[word] - len(having)) + 0.5) / (self._total + 1.0)


def usual(calls: Sequence[str]) -> str:
    """One call for several: of those with the usual program, what they share."""
    programs = Counter(base(call.split()[0]) for call in calls)
    program = min(programs, key=lambda name: (-programs[name], name))
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
    return words[0][: words[0].rfind("/", 0, same) + 1] + VARYING
