"""Weigh: is it a pattern, a candidate, or nothing?

A pattern was seen in enough sessions on enough days, more often than chance explains with false
discoveries held down over all groups, and reads as if it will hold tomorrow. What a person stated
as a rule needs no second time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reverie.dream.model import Ask, Drop, Group, Night, Pattern, by_chance
from reverie.dream.steps.chance import Background, at_least, core, discoveries
from reverie.dream.steps.frames import is_norm, is_pointing
from reverie.language.meaning import is_common, is_complaint, meant, stems

# How much the wordings of a group must read as lasting, on the average: less where they name
# something of their own, more where they consist of words that everybody uses.
TOLD = 0.15
TOLD_LOOSELY = 0.35  # when its wordings have few words in common
TIGHT = 0.5
NORMS_TIGHT = 0.34
NORMS = 0.5  # of different wordings must have the form of a rule
TOLD_ALIKE = 0.25  # when it is always said in the same words, as habits are
TOLD_POINTING = 0.5  # … and of the matter at hand
TOLD_COMMON = 0.4
# A request that comes back so often, in so many wordings, is a way of working.
ASKED_AGAIN = 5
ASKED = 0.7  # of their words in common
BESIDES = 0.25  # of them said in the course of other work
WORDINGS = 3
# Some things come in bouts, so that counts of them spread wider than chance alone would have it.
SPREAD: Mapping[str, float] = {"reread": 2.0}
RULED = 0.5  # "always", "never", "every time" in a sentence that asks for nothing else
ALONE = 0.35  # a single remark so lasting is worth showing as a candidate


def weigh(night: Night) -> Night:
    """A pattern per group, with its status and the reason."""
    ask = night.ask
    background = Background(night.observations)
    total = len(night.sessions)
    pasted = _pasted(night.groups)
    groups = [_trusted(one, ask) for one in night.groups if one.id not in pasted]
    expected = [
        min((one.chance for one in group.members if one.chance is not None), default=None)
        for group in groups
    ]
    chances = [
        background.expected(group, total) if given is None else given
        for group, given in zip(groups, expected, strict=True)
    ]
    probabilities = [
        at_least(len(group.sessions), chance * SPREAD.get(group.source, 1.0))
        if len(group.sessions) > 1
        else 1.0
        for group, chance in zip(groups, chances, strict=True)
    ]
    # What was seen once cannot be a pattern, so there is nothing to test.
    tested = [place for place, group in enumerate(groups) if len(group.sessions) > 1]
    found = discoveries([probabilities[place] for place in tested], ask.most_false)
    chosen = {place for place, yes in zip(tested, found, strict=True) if yes}
    believed = [place in chosen for place in range(len(groups))]
    patterns = tuple(
        _pattern(group, ask, total, chance, probability, believe)
        for group, chance, probability, believe in zip(
            groups, chances, probabilities, believed, strict=True
        )
    )
    kept = tuple(one for one in patterns if one.status != "dropped")
    drops = tuple(
        Drop("weigh", one.text, one.reason)
        for one in patterns
        if one.status == "dropped" and one.support > 1
    )
    counted = sum(one.status == "pattern" for one in kept)
    note = f"{counted} patterns, {len(kept) - counted} candidates"
    return replace(
        night, patterns=kept, drops=(*night.drops, *drops), notes=(*night.notes, ("weigh", note))
    )


def _pasted(groups: Sequence[Group]) -> frozenset[str]:
    """Groups that are lines of one notice: word for word the same, always in the same turns."""
    turns: dict[frozenset[str], list[str]] = {}
    for one in groups:
        same = len({member.text for member in one.members}) == 1
        if one.source == "said" and same and len(one.sessions) > 1:
            turns.setdefault(frozenset(m.evidence for m in one.members), []).append(one.id)
    return frozenset(name for names in turns.values() if len(names) > 1 for name in names)


def _trusted(group: Group, ask: Ask) -> Group:
    """The group without its less trusted members, where a person's own words are enough."""
    own = tuple(member for member in group.members if member.trust == "user")
    if not own or len(own) == len(group.members):
        return group
    smaller = replace(group, members=own)
    return smaller if _often(smaller, ask) or smaller.standing else group


def _often(group: Group, ask: Ask) -> bool:
    return len(group.sessions) >= ask.min_sessions and len(group.days) >= ask.min_days


def _pattern(
    group: Group, ask: Ask, total: int, chance: float, probability: float, believed: bool
) -> Pattern:
    status, reason = "candidate", ""
    support, days = len(group.sessions), len(group.days)
    if group.source == "said" and group.standing and group.trust == "user":
        status, reason = "pattern", "stated as a rule"
    elif _often(group, ask) and _ruled_again(group):
        status, reason = "pattern", "said as a rule in several sessions"
    elif support < 2:
        lone = group.members[0].lasting >= ALONE
        status, reason = ("candidate", "seen once") if lone else ("dropped", "seen once")
    elif not believed:
        usual = f"by chance it would be {by_chance(chance)} of {support} sessions, too"
        status, reason = "dropped", usual
    elif not lasting(group):
        # What names something may still be the later word against a pattern.
        status = "dropped" if is_habit(group) else "candidate"
        reason = "reads like a passing request"
    elif support < ask.min_sessions:
        reason = f"seen in {support} of the {ask.min_sessions} sessions it takes"
    elif days < ask.min_days:
        reason = f"seen on {days} of the {ask.min_days} days it takes"
    else:
        status, reason = "pattern", "seen often enough"
    return Pattern(
        group=group,
        status=status,  # type: ignore[arg-type]
        reason=reason,
        total=total,
        chance=round(chance, 3),
        probability=probability,
        confidence=_confidence(group, probability),
        scope=scope_of(group),
        type=_commonest([member.type for member in group.members]),
        kind=_commonest([member.kind for member in group.members]),
        valid_from=group.members[0].at,
    )


def _ruled_again(group: Group) -> bool:
    """Whether several sessions say it in the plain form of a rule: no accident of common words."""
    plain = [member for member in group.members if member.lasting >= RULED and is_norm(member.text)]
    ruled = {member.session for member in plain}
    return group.source == "said" and group.trust == "user" and len(ruled) > 1


def lasting(group: Group) -> bool:
    """Whether it reads as if it will hold tomorrow; what tools show is lasting by its nature."""
    if group.source != "said":
        return True
    scores = sorted((member.lasting for member in group.members), reverse=True)
    own = Counter(stem for member in group.members for stem in stems(member.text))
    told = sum(scores) / len(scores)
    if is_habit(group):
        return told >= TOLD_COMMON
    wordings = {" ".join(sorted(stems(member.text))) for member in group.members}
    if len(wordings) == 1:
        # One word of its own, always said alike, is an exclamation.
        least = TOLD_POINTING if is_pointing(group.text) else TOLD_ALIKE
        return told >= least and len(own) > 1
    # Some wordings of a rule are complaints that it was not kept: the plainer half speaks for it.
    plainer = scores[: (len(scores) + 1) // 2]
    norms = _norms(group)
    if sum(plainer) / len(plainer) >= TOLD_LOOSELY and norms >= NORMS:
        return True
    cohesion = _cohesion(group, own)
    ruled = norms > 0 or len(group.sessions) >= ASKED_AGAIN
    if told >= TOLD and ruled and cohesion >= (TIGHT if norms >= NORMS_TIGHT else ASKED):
        return True
    often = len(wordings) >= WORDINGS and len(group.sessions) >= ASKED_AGAIN
    # Tasks that only open sessions come back because work does.
    besides = sum(score >= TOLD for score in scores) / len(scores)
    several = len(core(own, len(group.members))) > 1
    return often and several and besides >= BESIDES and cohesion >= ASKED


def _norms(group: Group) -> float:
    """The share of its wordings that have the form of a rule, or complain that it was not kept."""
    texts = {member.text for member in group.members}
    told = sum(is_norm(text) or is_complaint(text) or bool(meant(text).replaced) for text in texts)
    return told / len(texts)


def is_habit(group: Group) -> bool:
    """Whether what its wordings share are words that everybody uses in passing."""
    counts = Counter(stem for member in group.members for stem in stems(member.text))
    return all(is_common(stem) for stem in core(counts, len(group.members)))


def _cohesion(group: Group, counts: Counter[str]) -> float:
    """How much of what its wordings say all of them say, on the average."""
    shared = frozenset(core(counts, len(group.members)))
    bags = [stems(member.text) for member in group.members]
    return sum(len(bag & shared) / max(1, len(bag)) for bag in bags) / len(bags)


def scope_of(group: Group) -> str:
    """`global` for what was seen in several projects, or was said of all of them."""
    shared = sum(member.shared for member in group.members)
    several = len([name for name in group.projects if name]) > 1
    if several or 2 * shared > len(group.members):
        return "global"
    return group.projects[0] or "global"


def _confidence(group: Group, probability: float) -> float:
    support = len(group.sessions)
    often = support / (support + 1.0)
    stated = 0.9 if group.standing and group.trust == "user" else 0.0
    return round(max(stated, often * (1.0 - probability)), 2)


def _commonest(values: list[str]) -> str:
    return max(sorted(set(values)), key=values.count)
