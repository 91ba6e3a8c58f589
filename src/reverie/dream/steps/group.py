"""Group: observations that say the same thing.

A group is a star: the wording in its middle is the one that most sessions say, and every other one
says what it says. So no vague remark joins two rules, and the text of a group is one of its quotes.
Near-linear: each wording is compared with the few that share its rarest words. What several
sessions said with different values, and otherwise in the same words, becomes one group with a
variable.
"""

import hashlib
import heapq
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from reverie.data import patterns
from reverie.dream.model import Group, Night, Observation, named_once
from reverie.dream.steps.anchors import anchored
from reverie.dream.steps.remarks import (
    BINDING,
    TELLING,
    asks,
    blames,
    clauses,
    is_general,
    is_order,
    occasion,
    points,
    reports,
)
from reverie.dream.steps.talk import Remark, Talk, fills_frame
from reverie.dream.steps.turned import turns_of
from reverie.language.compare import AGAINST, relation, substituted
from reverie.language.meaning import stems
from reverie.language.neighbours import Alike
from reverie.learn.statements.rule import stands_alone

_RE = patterns("dreams.txt", "group")

WORDINGS = 8  # of a group that others are compared with
NEAREST = 60  # wordings that one is compared with
VARIED = 3  # different values that make a variable
SKELETON = 3  # stems that must stay when the values are taken out
LASTING = 0.5
FILLED = 2  # other things that are put into the same form of words
CLOSE = 2.0  # sessions that a wording counts for which says just the same
UNSAID = 3.0  # sessions by which what asks for nothing must be said more often
LONG = 160  # characters of a wording that no reader takes in at once


def group(night: Night) -> Night:
    """Make groups of the night's observations."""
    keyed: defaultdict[tuple[str, str], list[Observation]] = defaultdict(list)
    free: defaultdict[str, list[Observation]] = defaultdict(list)
    for observation in night.observations:
        if observation.key:
            keyed[observation.source, observation.key].append(observation)
        else:
            free[observation.source] += clauses(observation)
    groups = [_made(members) for _, members in sorted(keyed.items())]
    for source, said in sorted(free.items()):
        notices = pasted(said)
        said = [observation for observation in said if observation.text not in notices]
        made = stars(said)
        for star in made:
            members = dict.fromkeys(observation for remark in star for observation in remark.said)
            groups.append(_made(list(members), _text(star)))
        filled = {remark.text for star in made for remark in star if remark.fills}
        # In another project the same word is about another thing.
        within: defaultdict[str, list[Observation]] = defaultdict(list)
        for observation in said if source == "said" else ():
            within[named_once(observation.project)].append(observation)
        for _, observations in sorted(within.items()):
            groups += [
                _made(anchor.said, anchor.text, anchor.word)
                for anchor in anchored(observations, filled)
            ]
            for turn in turns_of(observations):
                over = tuple(dict.fromkeys(observation.evidence for observation in turn.over))
                groups.append(replace(_made(turn.said, turn.text, "turn"), over=over))
    groups = varied(groups)
    groups.sort(key=lambda made_group: (made_group.members[0].at, made_group.id))
    several = sum(len(made_group.sessions) > 1 for made_group in groups)
    seen = len(night.observations)
    note = f"{seen} observations in {len(groups)} groups, {several} of several sessions"
    return night.after("group", note, groups=tuple(groups))


def pasted(said: Sequence[Observation]) -> frozenset[str]:
    """Lines of notices and templates: word for word the same, and always in the same turns."""
    turns: defaultdict[str, set[str]] = defaultdict(set)
    for observation in said:
        turns[observation.text].add(observation.evidence)
    beside: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for text, places in turns.items():
        if len(places) > 1:
            beside[frozenset(places)].append(text)
    return frozenset(text for texts in beside.values() if len(texts) > 1 for text in texts)


def stars(said: Sequence[Observation]) -> list[list[Remark]]:
    """The wordings in groups that say the same, the one that says it best first."""
    wordings: dict[str, Remark] = {}
    for observation in said:
        plain = " ".join(observation.text.lower().split()).rstrip(".!")
        if plain not in wordings:
            wordings[plain] = Remark(observation)
        wordings[plain].said.append(observation)
    remarks = list(wordings.values())
    kind = said[0].source if said else ""
    talk = Talk(remarks)
    index = Alike[int]()
    for place, remark in enumerate(remarks):
        index.add(place, remark.bag)
    around: list[dict[int, float]] = [{place: 1.0} for place in range(len(remarks))]
    filled: defaultdict[int, set[int]] = defaultdict(set)
    for place, remark in enumerate(remarks):
        for near in index.near(remark.bag, NEAREST):
            if near != place and talk.says(remarks[near], remark):
                around[place][near] = talk.likeness(remarks[near], remark)
                if kind == "said" and fills_frame(remarks[near].text, remark.text):
                    filled[place].add(near)
                    filled[near].add(place)
    for place, others in filled.items():
        if len(others) >= FILLED:
            remarks[place].fills = True
            for other in others:
                around[place].pop(other, None)
                around[other].pop(place, None)
    return _joined(_gathered(remarks, around), talk)


def _gathered(remarks: Sequence[Remark], around: Sequence[dict[int, float]]) -> list[list[Remark]]:
    """The largest and closest star first; what it takes is gone from the others."""
    left = set(range(len(remarks)))
    shared = {place for place in left if remarks[place].force < BINDING}

    def worth(place: int) -> tuple[bool, float, int, int]:
        near = around[place].keys() & left
        # A vague request is a small part of many others: by sessions alone it would take them all.
        alike: dict[str, float] = {}
        for other in near:
            for session in remarks[other].sessions:
                alike[session] = max(alike.get(session, 0.0), around[place][other])
        rule = remarks[place].force >= BINDING and asks(remarks[place].text)
        said = CLOSE * sum(alike.values())
        return not rule, -said - _plain(remarks[place]), -len(near), place

    heap = [worth(place) for place in left]
    heapq.heapify(heap)
    gathered: list[list[Remark]] = []
    while heap:
        best = heapq.heappop(heap)
        place = best[-1]
        if place not in left:
            continue
        if (now := worth(place)) != best:
            heapq.heappush(heap, now)
            continue
        star = around[place].keys() & left
        if len(star) > 1:  # a request that says two things belongs to both of its groups
            star |= around[place].keys() & shared
        if _excludes([remarks[other] for other in sorted(star)]):
            star = {place}  # too vague: it must not bring together what excludes each other
        left -= star
        gathered.append([remarks[place], *(remarks[other] for other in sorted(star - {place}))])
    return gathered


def _excludes(star: Sequence[Remark]) -> bool:
    """Whether two of its wordings that came back cannot both hold."""
    again = [remark.text for remark in star if len(remark.sessions) > 1][:WORDINGS]
    return any(_against(a, b) for a, b in combinations(again, 2))


def _against(a: str, b: str) -> bool:
    return relation(a, b) in AGAINST or substituted(a, b)


def _joined(gathered: Sequence[list[Remark]], talk: Talk) -> list[list[Remark]]:
    """What is said in words too different for one star, put together."""
    index = Alike[int]()
    made: list[list[Remark]] = []
    for star in gathered:
        centre = star[0]
        home = next(
            (made[n] for n in index.near(centre.bag, NEAREST) if _is_part(star, made[n], talk)),
            None,
        )
        if home is None:
            index.add(len(made), centre.bag)
            made.append(star)
        else:
            home += star
    return made


def _is_part(star: Sequence[Remark], other: Sequence[Remark], talk: Talk) -> bool:
    """Whether both read like rules, and at least a third of their wordings go together.

    What holds from some day on instead of something else is said in other words each time.
    """
    if star[0].fills or other[0].fills:
        return False
    if talk.turned(star[0], other[0]):
        return True
    if min(star[0].force, other[0].force) < TELLING:
        return False
    ours, theirs = star[:WORDINGS], other[:WORDINGS]
    if any(_against(left.text, right.text) for left in ours for right in theirs):
        return False
    ties = sum(talk.kin(left, right) for left in ours for right in theirs)
    return 3 * ties >= len(ours) * len(theirs)


def _plain(remark: Remark) -> float:
    """How well a reader who was not there would understand it, in sessions that it may lack."""
    text = remark.text
    alone = stands_alone(text) + 0.5 * (not points(text)) - 0.5 * (len(text) > LONG)
    wanted = asks(text) - (blames(text) or reports(text))
    return remark.force + 0.5 * alone + UNSAID * wanted


def _text(star: Sequence[Remark]) -> str:
    """The plainest of its quotes: of those that ask as much as its centre, the most central."""

    def worth(remark: Remark) -> tuple[float, int, int]:
        word_stems = stems(remark.text)
        alike = 0.0
        for other in star:
            both = word_stems | stems(other.text)
            alike += len(other.sessions) * len(word_stems & stems(other.text)) / max(1, len(both))
        # What is said of every case says more than what one case brought up.
        every = (is_general(remark.text) and is_order(remark.text)) or bool(occasion(remark.text))
        said = alike + every + _plain(remark) / UNSAID
        return said, -len(remark.text), -star.index(remark)

    centre = star[0]
    # What points at the matter at hand says nothing without it, however much it binds.
    least = 0.0 if points(centre.text) else centre.force
    fit = [
        quote for quote in star if quote.force >= least and asks(quote.text) >= asks(centre.text)
    ]
    plain = [quote for quote in fit if not points(quote.text)] or fit
    plain = [quote for quote in plain if quote.turns] or plain  # what holds from now on
    return max(
        (quote for quote in plain if stands_alone(quote.text, 1)), key=worth, default=centre
    ).text


def _made(members: Sequence[Observation], text: str = "", anchor: str = "") -> Group:
    ordered = sorted(members, key=lambda member: (member.at, member.evidence, member.text))
    first = ordered[0]
    seed = "\0".join((first.source, first.key or first.evidence, first.key or anchor or first.text))
    identity = "pat_" + hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]
    return Group(identity, first.source, text or first.text, tuple(ordered), anchor)


def varied(made: Iterable[Group]) -> list[Group]:
    """Small groups that differ in a value only, joined: what varied becomes a variable."""
    groups = list(made)
    shapes: defaultdict[str, list[Group]] = defaultdict(list)
    for cluster in groups:
        shape = _RE.value.sub("<…>", cluster.text.lower())
        if "<…>" in shape and len(stems(shape)) >= SKELETON and _is_general(cluster.text):
            shapes[shape].append(cluster)
    general: list[Group] = []
    gone: set[str] = set()
    for _, same in sorted(shapes.items()):
        members = [member for cluster in same for member in cluster.members]
        lasting = sum(member.lasting for member in members) / len(members)
        most = max(len(cluster.sessions) for cluster in same)
        # One value that is said again and again is the rule; the others are exceptions to it.
        if len(same) >= VARIED and lasting >= LASTING and most <= 2:
            text = _RE.value.sub(_variable, same[0].text)
            general.append(_made(members, text))
            gone.update(cluster.id for cluster in same)
    return [cluster for cluster in groups if cluster.id not in gone] + general


def _is_general(text: str) -> bool:
    return is_general(text) and not points(text)


def _variable(match: "re.Match[str]") -> str:
    value = match[0]
    if value.startswith("`"):
        return "`<…>`"
    if "/" in value:
        return "<path>"
    return "<number>" if value[0].isdigit() or value[0] == "v" else "<id>"
