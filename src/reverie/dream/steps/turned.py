"""Turned: what people say holds from now on, in the place of what they had said before.

Somebody who changes his mind says so once, and asks for the new thing some other time. Two sessions
are enough where the old one is known: those who say "from now on" know that it was otherwise. What
is new is what nobody had named before; what is old is overturned with the wish, however it is
worded.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.steps.anchors import (
    can_stand,
    chooses,
    corrects,
    grade,
    told_again,
    turned,
)
from reverie.dream.steps.remarks import complains, force, is_passing, is_question, reports
from reverie.dream.steps.talk import signed
from reverie.language.keys import is_slight, keys_of, known_as
from reverie.language.words import words

_RE = patterns("dreams.txt", "turned")

LONG = 18  # words of what asks for something: what is longer is an account
SAME = 2  # words that two remarks about one thing share, where they share no name
OLD, NEW = 2, 2  # sessions that asked for the old thing, and for the new one
DAYS = 2


class Turned(NamedTuple):
    """What holds from now on, who says so, and what was said before."""

    text: str
    said: tuple[Observation, ...]
    over: tuple[Observation, ...]


def turns_of(said: Iterable[Observation]) -> Iterator[Turned]:
    """What was said to have changed, the one that most sessions say first."""
    asked = list(filter(_asks, said))
    turns: defaultdict[str, list[str]] = defaultdict(list)
    for remark in asked:
        if grade(remark) or turned(remark):  # the task of the day is said with it as well
            turns[remark.evidence].append(remark.text)
    wholes = {turn: " ".join(texts) for turn, texts in turns.items()}
    naming: defaultdict[str, list[int]] = defaultdict(list)
    for place, remark in enumerate(asked):
        for key in _about(remark.text):
            naming[key].append(place)
    made: list[Turned] = []
    for remark in asked:
        if turned(remark) or chooses(remark.text):
            whole = wholes.get(remark.evidence, "")
            whole = whole if 0 < len(words(whole)) <= LONG else remark.text
            # Only what shares a key can be about the same thing.
            near = sorted({place for key in _about(whole) for place in naming[key]})
            if change := _turn(remark, whole, [asked[place] for place in near]):
                made.append(change)
    taken: set[Observation] = set()
    for each in sorted(made, key=_worth, reverse=True):
        if taken.isdisjoint(each.said):
            taken.update(each.said)
            yield each


def _worth(each: Turned) -> tuple[int, int, str]:
    return len(_sessions(each.said)), len(each.over), each.text


def _asks(remark: Observation) -> bool:
    """Whether it may ask for something at all: no question, no report, no account."""
    if len(words(remark.text)) > LONG or is_passing(remark.text) or is_question(remark.text):
        return False
    return (
        bool(grade(remark))
        or corrects(remark)
        or not (reports(remark.text) or complains(remark.text))
    )


def _turn(remark: Observation, whole: str, asked: Sequence[Observation]) -> Turned | None:
    """What changed with a remark, if others had asked for the old thing, and ask for the new.

    Args:
        whole: All that was asked for with it: "x first now. y is last."
    """
    signs = _signs(whole)
    out = {key for key, sign in signs.items() if sign < 0}
    old = [
        other
        for other in asked
        if other.at < remark.at
        and other.session != remark.session
        and not (turned(other) or any(_signs(other.text).get(key, 0) < 0 for key in out))
        and _same(whole, other.text)
    ]
    gone = frozenset[str]().union(*(_about(other.text) for other in old))
    new = {key for key in _about(whole) - gone if signs.get(key, 1) > 0}
    denied = {key for key in _about(whole) & gone if signs.get(key, 1) < 0}
    if len(_sessions(old)) < OLD or not (new or denied):
        return None
    if not turned(remark):
        if not (new and denied):
            return None
        denied = set[str]()  # who names one thing in the place of another may mean this one case
    since = max(other.at for other in old)
    said = [remark]
    for other in asked:
        if other.session == remark.session or other.at <= since or other in old:
            continue
        if _same(whole, other.text) and _agrees(other, new, denied):
            said.append(other)
    days = {each.day for each in said}
    if len(_sessions(said)) < NEW or len(days) < DAYS:
        return None
    fit = [each for each in said if can_stand(each)]
    if not fit:
        return None
    best = max(fit, key=lambda each: (turned(each), force(each), -len(each.text)))
    text = told_again(best, (*said, *old)) or best.text
    return Turned(text, tuple(sorted(said, key=lambda each: each.at)), tuple(old))


def _agrees(other: Observation, new: set[str], denied: set[str]) -> bool:
    """Whether it asks for what is new, or rules out what is gone."""
    signs = _signs(other.text)
    return any(signs.get(key, 1) > 0 for key in _about(other.text) & new) or any(
        signs.get(key, 0) < 0 for key in denied
    )


def _same(text: str, other: str) -> bool:
    """Whether two remarks are about one thing."""
    mine, theirs = keys_of(text), keys_of(other)
    if mine.names & theirs.names:
        return True
    shared = (mine.all | mine.values) & (theirs.all | theirs.values)
    shared |= {each.lower() for each in _RE.compound.findall(text)} & {
        each.lower() for each in _RE.compound.findall(other)
    }
    if len(shared) >= SAME and not all(map(is_slight, shared)):
        return True
    # A single word is enough where it is ruled out.
    signs, others = _signs(text), _signs(other)
    both = {key for key in mine.words & theirs.words if not is_slight(key)}
    return any(min(signs.get(key, 0), others.get(key, 0)) < 0 for key in both)


def _about(text: str) -> frozenset[str]:
    keys = keys_of(text)
    return keys.all | keys.values


def _signs(text: str) -> dict[str, int]:
    """What is asked for (1) and ruled out (-1), by the keys it is known by."""
    signs = {key: sign for stem, sign in signed(text).items() for key in known_as(stem)}
    ended = (part for match in _RE.ended.finditer(text) for part in match.groups() if part)
    return signs | dict.fromkeys((key for part in ended for key in keys_of(part).all), -1)


def _sessions(said: Iterable[Observation]) -> set[str]:
    return {remark.session for remark in said}
