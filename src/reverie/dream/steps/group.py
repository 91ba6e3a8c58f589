"""Group: observations that say the same thing.

Near-linear: each text is compared with the few groups that share its rarest words. Same subject,
value and polarity is `learn.sameness`' to decide; a number, a name or a negation that differs keeps
two texts apart. What several sessions said with different values, and otherwise in the same
words, becomes one group with a variable.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.data import patterns
from reverie.dream.model import Drop, Group, Night, Observation
from reverie.dream.steps.frames import bared, fillings, is_norm, is_trouble, points
from reverie.dream.steps.kin import joined
from reverie.language.compare import relation
from reverie.language.meaning import is_complaint, stems
from reverie.language.neighbours import Alike
from reverie.learn.statements.rule import stands_alone

_RE = patterns("statements.txt", "group")

EXAMPLES = 4  # wordings of a group that a new one is compared with
VARIED = 3  # different values that make a variable
SKELETON = 3  # stems that must stay when the values are taken out
LASTING = 0.5


def group(night: Night) -> Night:
    """Make groups of the night's observations."""
    keyed: defaultdict[tuple[str, str], list[Observation]] = defaultdict(list)
    free: list[Observation] = []
    for observation in night.observations:
        if observation.key:
            keyed[observation.source, observation.key].append(observation)
        else:
            free.append(observation)
    free = [one for one in bared(free) if one.standing or not is_trouble(one.text)]
    frames = fillings(free)
    said = by_words(free)
    # What is also said outside the frame is said of the thing, not of whatever comes up.
    own = [one for one in said if any(member.text not in frames for member in one)]
    filled = [one[0].text for one in said if all(member.text in frames for member in one)]
    found = [_made(members) for _, members in sorted(keyed.items())]
    kin = joined(own, [member for one in own for member in one])
    found += varied(_made(one) for one in kin)
    found.sort(key=lambda one: (one.members[0].at, one.id))
    drops = [
        Drop("group", text, "a form of words that is filled with another thing each time")
        for text in dict.fromkeys(filled)
    ]
    several = sum(len(one.sessions) > 1 for one in found)
    seen = len(night.observations)
    note = f"{seen} observations in {len(found)} groups, {several} of several sessions"
    return replace(
        night,
        groups=tuple(found),
        drops=(*night.drops, *drops),
        notes=(*night.notes, ("group", note)),
    )


def by_words(observations: Iterable[Observation]) -> list[list[Observation]]:
    """Groups of observations that say the same in whatever words."""
    index = Alike[int]()
    wordings: list[list[str]] = []
    members: list[list[Observation]] = []
    exact: dict[str, int] = {}
    for observation in observations:
        plain = " ".join(observation.text.lower().split()).rstrip(".!")
        number = exact.get(plain)
        if number is None:
            found = stems(observation.text)
            number = _home(observation.text, found, index, wordings)
            if number is None:
                number = len(members)
                members.append([])
                wordings.append([])
            if len(wordings[number]) < EXAMPLES:
                wordings[number].append(observation.text)
                index.add(number, found)
            exact[plain] = number
        members[number].append(observation)
    return members


def _home(
    text: str, found: frozenset[str], index: Alike[int], wordings: Sequence[Sequence[str]]
) -> int | None:
    for near in index.near(found):
        relations = [relation(text, other) for other in wordings[near]]
        # A vague wording is the same as many; it must not bring together what excludes each other.
        if "same" in relations and not {"updates", "contradicts"} & set(relations):
            return near
    return None


def _made(members: Sequence[Observation]) -> Group:
    ordered = sorted(members, key=lambda one: (one.at, one.evidence, one.text))
    first = ordered[0]
    seed = "\0".join((first.source, first.key or first.evidence, first.key or first.text))
    identity = "pat_" + hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]
    return Group(identity, first.source, best_said(ordered), tuple(ordered))


def best_said(members: Sequence[Observation]) -> str:
    """The wording that a reader who was not there understands best: general, central, short."""
    counts: Counter[str] = Counter()
    bags = {member.text: stems(member.text) for member in members}
    for bag in bags.values():
        counts.update(bag)

    def worth(member: Observation) -> tuple[float, str]:
        bag = bags[member.text]
        central = sum(counts[stem] for stem in bag) / (len(bag) + 2) / len(bags)
        alone = 0.5 if stands_alone(member.text) else 0.0
        length = 0.3 if len(member.text) > 140 else 0.0
        form = 0.4 * is_norm(member.text) - 0.5 * is_complaint(member.text)
        score = member.lasting + central + alone - length + form + 0.3 * member.standing
        return -score, member.text

    return min(members, key=worth).text


def varied(made: Iterable[Group]) -> list[Group]:
    """Small groups that differ in a value only, joined: what varied becomes a variable."""
    groups = list(made)
    shapes: defaultdict[str, list[Group]] = defaultdict(list)
    for one in groups:
        shape = _RE.value.sub("<…>", one.text.lower())
        if "<…>" in shape and len(stems(shape)) >= SKELETON and _is_general(one.text):
            shapes[shape].append(one)
    general: list[Group] = []
    gone: set[str] = set()
    for _, same in sorted(shapes.items()):
        members = [member for one in same for member in one.members]
        lasting = sum(member.lasting for member in members) / len(members)
        most = max(len(one.sessions) for one in same)
        # One value that is said again and again is the rule; the others are exceptions to it.
        if len(same) >= VARIED and lasting >= LASTING and most <= 2:
            text = _RE.value.sub(_variable, same[0].text)
            general.append(replace(_made(members), text=text))
            gone.update(one.id for one in same)
    return [one for one in groups if one.id not in gone] + general


def _is_general(text: str) -> bool:
    return bool(_RE.general.search(text)) and not points(text)


def _variable(match: "re.Match[str]") -> str:
    value = match[0]
    if value.startswith("`"):
        return "`<…>`"
    if "/" in value:
        return "<path>"
    return "<number>" if value[0].isdigit() or value[0] == "v" else "<id>"
