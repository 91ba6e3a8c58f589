"""Anchors: words that people name when they rule, and hardly ever otherwise.

A wish that is worded otherwise each time may share a single word: what is to be used, or left
alone. Such a word is told from the name of a feature, which shares as little, by how it is spoken
of: a feature is mostly worked on, reported and asked about, an anchor stands in rules, complaints
and corrections. How often that happens by chance, all remarks of the night tell.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from reverie.data import patterns
from reverie.dream.model import Observation
from reverie.dream.steps.remarks import (
    agreed,
    asks,
    changes,
    complains,
    duty_of,
    force,
    is_order,
    is_passing,
    is_question,
    is_strong,
    points,
    reports,
    turns,
)
from reverie.dream.steps.talk import bag, fills_frame, parts_of, stance
from reverie.language.compare import apart
from reverie.language.meaning import exact, is_complaint, meant, stems
from reverie.language.wording import LIGHT
from reverie.language.words import words
from reverie.learn.statements.rule import stands_alone

_RE = patterns("dreams.txt", "anchors")

OUTRIGHT = 2  # grade of what binds by its words, before what only has the form of a rule
LONG = 18  # words of what rules: what is longer is an account
SESSIONS, DAYS, RULED = 3, 2, 2  # that name an anchor, and of which so many rule
CHANCE = 0.1  # of so many rulings among all that is said of a word
MANY = 60  # remarks that name a word: what is named in more is what the project is about
DENSE = 1.5  # remarks of a session about a word: of a feature there are more
TOLD = 3  # words of a text that says something


class Anchored(NamedTuple):
    """What is asked for about a word, and who says so."""

    word: str
    text: str
    said: tuple[Observation, ...]


@lru_cache(maxsize=8192)
def _grade(text: str, quote: str) -> int:
    if len(words(text)) > LONG or is_passing(text) or (reports(text) and not is_complaint(text)):
        return 0
    if complains(text) and not is_order(text):
        return OUTRIGHT
    if is_question(text) or _RE.told.search(text):
        return 0
    if is_strong(text) or agreed(text, quote) or changes(text):
        return OUTRIGHT
    if is_order(text):
        return int(bool(_RE.ordered.search(text)))
    return int(bool(_RE.wished.search(quote) or _RE.norm.search(text)))


def grade(one: Observation) -> int:
    """How much it says how something is to be done, or complains that it was not."""
    return _grade(one.text, one.quote)


def _corrects(one: Observation) -> bool:
    """Whether it mends what is at hand, which says nothing of how its words are used else."""
    return len(words(one.text)) <= LONG and not grade(one) and bool(_RE.at_hand.search(one.text))


def anchored(said: Iterable[Observation], filled: Container[str] = ()) -> Iterator[Anchored]:
    """What people ask for in words that share no more than one, the most special word first.

    Args:
        filled: Texts that say the same of one thing after the other.
    """
    own = [one for one in said if one.text not in filled]
    named: defaultdict[str, list[Observation]] = defaultdict(list)
    for one in own:
        for stem in bag(one.text) - LIGHT:
            if stem[0] not in "~^=" and not stem.isdigit():
                named[stem].append(one)
    counts = Counter(grade(one) for one in own if not _corrects(one))
    usual = [counts[each] / max(1, counts.total()) for each in range(OUTRIGHT + 1)]
    likely: dict[str, list[Observation]] = {}
    for stem, every in named.items():
        if _is_rare(every, usual) and _is_rare(about := _in_other_words(every), usual):
            likely[stem] = [one for one in about if grade(one) or _corrects(one)]
    taken: set[Observation] = set()
    for stem in sorted(likely, key=lambda stem: (len(likely[stem]), stem)):
        if made := _made(stem, [one for one in likely[stem] if one not in taken]):
            taken.update(made.said)
            by_chance = (1 - usual[0]) * len(_sessions(named[stem]))
            yield made._replace(said=tuple(replace(one, chance=by_chance) for one in made.said))


def _in_other_words(about: Sequence[Observation]) -> list[Observation]:
    """Without what is said alike of one thing after the other."""
    filled = {
        one.text
        for one, other in product(about, about)
        if one.session != other.session and fills_frame(one.text, other.text)
    }
    return [one for one in about if one.text not in filled]


def _is_rare(about: Sequence[Observation], usual: Sequence[float]) -> bool:
    """Whether a word is said in rulings more often than chance explains."""
    sessions = _sessions(about)
    enough = len(sessions) >= SESSIONS and len({one.day for one in about}) >= DAYS
    if not enough or len(about) > min(MANY, DENSE * len(sessions)):
        return False
    heard: dict[str, int] = {}
    for one in about:
        if grade(one) or not _corrects(one):
            heard[one.session] = max(heard.get(one.session, 0), grade(one))
    if sum(map(bool, heard.values())) < RULED:
        return False
    sums = Counter({0: 1.0})  # how likely each sum of grades is
    for _ in heard:
        more: Counter[int] = Counter()
        for (total, chance), (each, share) in product(sums.items(), enumerate(usual)):
            more[total + each] += chance * share  # type: ignore[assignment]
        sums = more
    least = sum(heard.values())
    return math.fsum(chance for total, chance in sums.items() if total >= least) <= CHANCE


def _sessions(said: Iterable[Observation]) -> set[str]:
    return {one.session for one in said}


def _made(stem: str, about: Sequence[Observation]) -> Anchored | None:
    """The plainest of the remarks that most of the others go with."""
    told = [one for one in about if grade(one) and not complains(one.text)]
    wanted = [one.at for one in told if stance(one.text, stem) > 0]
    banned = [one.at for one in told if stance(one.text, stem) < 0]
    # Who bans and wants by turns never changed his mind: it is one wish from two sides.
    sides = not (wanted and banned and min(wanted) < max(banned) and min(banned) < max(wanted))
    made: list[tuple[tuple[float, ...], Anchored]] = []
    for one in filter(_can_stand, about):
        near = [other for other in about if other is one or _goes_with(one, other, stem, sides)]
        past = any(each.at < one.at and grade(each) and each not in near for each in about)
        changed = past and any(map(_turned, near))
        over = any(each.at > one.at and grade(each) and each not in near for each in about)
        enough = len(_sessions(near)) >= (RULED if changed else SESSIONS)
        enough = enough and len(_sessions(filter(grade, near))) >= RULED
        if enough and _named_again(one, near) and (changed or not over):
            worth = (_turned(one), len(_sessions(near)), _plain(one), -len(one.text))
            made.append((worth, Anchored(stem, one.text, tuple(near))))
    return max(made, key=lambda each: each[0])[1] if made else None


def _named_again(one: Observation, near: Sequence[Observation]) -> bool:
    """Whether each name that it holds is known to another, too: else it is of one task."""
    known = frozenset[str]().union(*(bag(o.text) for o in near if o.session != one.session))
    names = meant(one.text).names | {f"={value}" for value in exact(one.text)}
    return all(name in known or parts_of({name}) & known for name in names)


def _turned(one: Observation) -> bool:
    return turns(one.text) or turns(one.quote) or changes(one.text)


def _plain(one: Observation) -> float:
    return force(one) + asks(one.text) + stands_alone(one.text) - points(one.text)


def _can_stand(one: Observation) -> bool:
    """Whether it tells by itself what to do."""
    text = one.text
    if one.trust != "user" or not grade(one) or complains(text):
        return False
    if len(words(text)) < TOLD or len(stems(text)) < 2:
        return False
    return stands_alone(text, 1) and not _RE.told.search(text) and "://" not in text


def _goes_with(one: Observation, other: Observation, stem: str, sides: bool) -> bool:
    """Whether nothing stands between two remarks about a word."""
    if apart(meant(one.text).numbers, meant(other.text).numbers):
        return False
    first, last = sorted((one, other), key=lambda each: each.at)
    over = _turned(last) and not _turned(first)
    if complains(other.text) or _corrects(other):
        return not over
    thing, deed = duty_of(one.text)
    if stem in bag(thing) and not bag(deed) & bag(other.text):
        return False
    before, since = stance(first.text, stem), stance(last.text, stem)
    return (not over or before < 0) and (before * since >= 0 or not (sides or over))
