"""Weigh: is it a pattern, a candidate, or nothing?

A pattern was seen in enough sessions on enough days, more often than chance explains with false
discoveries held down over all groups. What people said must also tell somebody what to do, and read
as if it will hold tomorrow, or come back in other words. What was stated once as a rule is a memory
already.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reverie.data import patterns, word_sets
from reverie.dream.model import (
    Ask,
    Drop,
    Group,
    Night,
    Observation,
    Pattern,
    Standing,
    by_chance,
    named_once,
)
from reverie.dream.steps.anchors import grade
from reverie.dream.steps.answers import answered
from reverie.dream.steps.chance import Background, at_least, discoveries
from reverie.dream.steps.current import ended
from reverie.dream.steps.remarks import (
    BINDING,
    accuses,
    asks,
    blames,
    changes,
    complains,
    deeds_of,
    duty_of,
    force,
    is_general,
    is_norm,
    is_order,
    is_passing,
    is_question,
    is_reminder,
    is_strong,
    occasion,
    points,
    reports,
    turns,
)
from reverie.dream.steps.talk import bag, is_value, parts_of
from reverie.language.keys import keys_of, share_subject
from reverie.language.meaning import is_common, meant, stems
from reverie.language.wording import LIGHT
from reverie.language.words import words
from reverie.learn.statements.rule import stands_alone

_WORDS = word_sets("dreams.txt", "weigh")
_RE = patterns("dreams.txt", "weighing")
_RULES = patterns("dreams.txt", "rules")
_WORK = patterns("dreams.txt", "anchors")
WORDS = frozenset({"said", "diary"})  # sources that are people's and agents' words
BOUND = 0.3  # of its sessions say it outright, or complain that it was not kept …
NORMS = 0.8  # … or so many have the form of a rule
MOST = 0.6  # … or name the same value
TOLD, LONG = 3, 26  # words of a text that says something, and one thing
AGAIN, SAYS = 3, 0.66  # sessions that say so much of the occasion of a request
SAME = 0.5  # of what a deed is done to must be named to say the same
ALONE = 0.35  # a single remark so lasting is worth showing as a candidate


def weigh(night: Night) -> Night:
    """A pattern per group, with its status and the reason."""
    ask = night.ask
    background = Background(night.observations)
    total = len(night.sessions)
    within = Counter(row.project for row in night.reach.rows) if night.reach else Counter[str]()
    groups = [_trusted(_well_said(group, ask), ask) for group in night.groups]
    chances = [_chance(group, background, total) for group in groups]
    # What was seen once cannot be a pattern, so there is nothing to test.
    probabilities = [
        at_least(len(group.sessions), chance) if len(group.sessions) > 1 else 1.0
        for group, chance in zip(groups, chances, strict=True)
    ]
    tested = [
        place for place, group in enumerate(groups) if len(group.sessions) > 1 and not group.anchor
    ]
    discovered = discoveries([probabilities[place] for place in tested], ask.most_false)
    believed = {place for place, yes in zip(tested, discovered, strict=True) if yes}
    believed |= {place for place, group in enumerate(groups) if group.anchor}
    patterns = tuple(
        replace(
            _pattern(group, ask, chances[place], probabilities[place], place in believed),
            total=sum(within[project] for project in group.projects) or total,
        )
        for place, group in enumerate(groups)
    )
    patterns = answered(night, _said_closer(patterns))
    over = ended(night, patterns)
    patterns = tuple(
        replace(pattern, status="dropped", reason=over[pattern.group.id])
        if pattern.group.id in over
        else pattern
        for pattern in patterns
    )
    kept = tuple(pattern for pattern in patterns if pattern.status != "dropped")
    drops = [
        Drop("weigh", pattern.text, pattern.reason)
        for pattern in patterns
        if pattern.status == "dropped" and pattern.support > 1
    ]
    counted = sum(pattern.status == "pattern" for pattern in kept)
    note = f"{counted} patterns, {len(kept) - counted} candidates"
    return night.after("weigh", note, drops, patterns=kept)


def _chance(group: Group, background: Background, sessions: int) -> float:
    """As the source knows it, else by how often its words are said."""
    given = [member.chance for member in group.members if member.chance is not None]
    return min(given) if given else background.expected(group, sessions)


def _trusted(group: Group, ask: Ask) -> Group:
    """The group without its less trusted members, where a person's own words are enough."""
    spoken = tuple(member for member in group.members if member.trust == "user")
    if not spoken or len(spoken) == len(group.members):
        return group
    smaller = replace(group, members=spoken)
    return smaller if _often(smaller, ask) or smaller.standing else group


def _well_said(group: Group, ask: Ask) -> Group:
    """The group in the first of its wordings that is fit to be told, if not in its own."""
    said = group if group.anchor else _in_its_words(group)
    fit = group.anchor or (_often(said, ask) and not unfit(said))
    if fit or group.source != "said" or not _often(group, ask):
        return said
    wordings = dict.fromkeys(member.text for member in group.members if member.text != group.text)
    others = (_in_its_words(replace(group, text=text)) for text in wordings if _shared(text, group))
    return next((other for other in others if _often(other, ask) and not unfit(other)), said)


def _shared(text: str, group: Group) -> bool:
    """Whether most sessions say half of a wording at least, and enough of them what to do."""
    when, deeds = occasion(text), deeds_of(text)
    word_stems = stems(when or text)
    near = {
        member.session
        for member in group.members
        if len(word_stems & stems(member.text)) >= SAME * len(word_stems)
    }
    done = {member.session for member in group.members if deeds & _telling(member.text)}
    return len(near) >= SAYS * len(group.sessions) and bool(when or len(done) >= AGAIN)


def _in_its_words(group: Group) -> Group:
    """A request with only those quotes that say most of what its text asks for."""
    about = [member for member in group.members if _about(member.text, group.text)]
    if group.source == "said" and about and asks(group.text):
        group = replace(group, members=tuple(about))
    if group.source != "said" or (is_fact(group) and not duty_of(group.text)[1]):
        return group
    if any(turns(member.text) for member in group.members):
        return group  # the same value from some day on, in other words each time
    if when := stems(occasion(group.text)):
        near = [
            member for member in group.members if len(when & stems(member.text)) >= SAYS * len(when)
        ]
    else:
        requests = [
            member for member in group.members if reports(group.text) or not reports(member.text)
        ]
        near = [member for member in requests if says(member.text, group.text)]
        if len({member.session for member in near}) < 2 and binds(group):
            # A rule that is said in other words each time.
            bound = list(filter(_bound, requests))
            near = [member for member in bound if share_subject(member.text, group.text)]
            near = near if len({member.session for member in near}) >= AGAIN else bound
    return replace(group, members=tuple(near)) if near else group


def _about(quote: str, text: str) -> bool:
    """Whether a quote names what a text is about, or a thing of its field: packages, libraries."""
    fields = {stem for stem in bag(quote) & bag(text) if stem[0] == "~"}
    return share_subject(quote, text) or (bool(fields) and not is_question(quote))


def says(quote: str, text: str) -> bool:
    """Whether a quote asks for what a text asks for: most of it, or the same deed on the same."""
    wanted, quoted = _telling(text), _telling(quote)
    # A name that both hold is one word, whatever it is made of.
    parts = parts_of(wanted & quoted)
    wanted, quoted = wanted - parts, quoted - parts
    shared = wanted & quoted
    if _asks_another(quote, text):
        return False
    # One word names a thing; it takes two to say something of it, or all there are.
    distinct = sum(not is_common(stem) for stem in shared)
    whole = shared in (wanted, quoted) and distinct
    if whole or (distinct > 1 and _weight(shared) >= SAYS * min(_weight(wanted), _weight(quoted))):
        return True
    deeds = deeds_of(text)
    things = wanted - deeds
    both = _weight(things & quoted) / (_weight(things) or 1.0)
    if deeds & quoted or blames(quote):
        return bool(things & quoted) and both >= SAME
    # To add a thing and to log it may be the same, if it is the same thing.
    made = not _WORDS.making.isdisjoint(deeds) and not _WORDS.making.isdisjoint(deeds_of(quote))
    return made and both >= SAYS


def _asks_another(quote: str, text: str) -> bool:
    """Whether it speaks of a thing that must do something, and not of what it must do."""
    duty = _telling(duty_of(text)[1])
    return not blames(quote) and _weight(duty & _telling(quote)) < SAYS * _weight(duty)


def _bound(remark: Observation) -> bool:
    return force(remark) >= BINDING or blames(remark.text)


def _telling(text: str) -> frozenset[str]:
    return frozenset(stem for stem in bag(text) if stem[0] != "~")


def _weight(word_stems: Iterable[str]) -> float:
    """How much words tell: those that everybody uses half as much."""
    return sum(0.5 if is_common(stem) or stem in LIGHT else 1.0 for stem in word_stems)


def _often(group: Group, ask: Ask) -> bool:
    return len(group.sessions) >= ask.min_sessions and len(group.days) >= ask.min_days


def _pattern(group: Group, ask: Ask, chance: float, probability: float, believed: bool) -> Pattern:
    status, reason = _judged(group, ask, chance, believed)
    # What most of its quotes were taken for by themselves says little of what all of them ask for.
    orders = group.source == "said" and asks(group.text) and not is_fact(group)
    return Pattern(
        group=group,
        status=status,
        reason=reason,
        total=0,
        chance=round(chance, 3),
        probability=probability,
        confidence=_confidence(group, probability),
        scope=scope_of(group),
        type="feedback" if orders else _commonest([member.type for member in group.members]),
        kind="best-practice" if orders else _commonest([member.kind for member in group.members]),
        valid_from=group.members[0].at,
    )


def _judged(group: Group, ask: Ask, chance: float, believed: bool) -> tuple[Standing, str]:
    """What becomes of a group, and why."""
    support, days = len(group.sessions), len(group.days)
    if support < 2:
        if group.standing:
            return "candidate", "stated once: a memory, not a pattern"
        # What turns may overturn what others said before, if it is not believed by itself.
        lone = group.members[0].lasting >= ALONE or turns(group.text) or changes(group.text)
        return "candidate" if lone else "dropped", "seen once"
    if not believed and not _ruled_again(group):
        return "dropped", f"by chance it would be {by_chance(chance)} of {support} sessions, too"
    if group.source in WORDS and (why := unfit(group)):
        return "candidate", why
    # Of a word that was ruled upon before, two sessions are enough to turn it.
    if support < ask.min_sessions and not group.anchor:
        return "candidate", f"seen in {support} of the {ask.min_sessions} sessions it takes"
    if days < ask.min_days:
        return "candidate", f"seen on {days} of the {ask.min_days} days it takes"
    return "pattern", "seen often enough"


def _said_closer(patterns: Sequence[Pattern]) -> tuple[Pattern, ...]:
    """What one word ties together gives way to what more of the same remarks have in common."""
    turns_of = [{member.evidence for member in pattern.group.members} for pattern in patterns]
    turned = {
        pattern.text for pattern in patterns if pattern.group.over and pattern.status == "pattern"
    }
    closer = [
        (pattern.text, places)
        for pattern, places in zip(patterns, turns_of, strict=True)
        if pattern.status == "pattern" and not pattern.group.anchor
    ]
    kept: list[Pattern] = []
    for pattern, places in zip(patterns, turns_of, strict=True):
        tied = pattern.group.anchor and not pattern.group.over
        about = (each for each in closer if tied and share_subject(each[0], pattern.text))
        better = next((text for text, theirs in about if len(places & theirs) > 1), "")
        # What turned says more than its words: what it overturns.
        better = better or (
            pattern.text if not pattern.group.over and pattern.text in turned else ""
        )
        if better:
            pattern = replace(pattern, status="dropped", reason=f"said more closely: {better}")
        kept.append(pattern)
    return tuple(kept)


def _ruled_again(group: Group) -> bool:
    """Whether several sessions say it outright as a rule: no accident of common words."""
    ruled = {member.session for member in group.members if force(member) >= BINDING}
    return group.source in WORDS and group.trust == "user" and len(ruled) > 1


def unfit(group: Group) -> str:
    """Why what people said is no pattern, however often they said it; "" when it may be one."""
    text = group.text
    if reports(text):
        return "reports trouble"
    alone = (stands_alone(text, 1) or occasion(text)) and not _RE.cut_off.search(text)
    if not TOLD <= len(words(text)) <= LONG or not stems(text) or not alone:
        return "cannot stand alone"
    if is_passing(text):
        return "said of the moment"
    settled = is_fact(group)
    if _WORK.half.match(text) or blames(text) or not (asks(text) or settled or group.anchor):
        return "tells nobody what to do"
    if group.source == "diary" or group.anchor:
        return ""  # it was written down because it might come back
    if not any(_wants(member) for member in group.members):
        return "tells nobody what to do"
    troubles = {member.session for member in group.members if reports(member.text)}
    if 2 * len(troubles) > len(group.sessions):
        return "reports trouble"
    changed = any(turns(member.text) or changes(member.text) for member in group.members)
    sayers = {member.session for member in group.members if says(member.text, text)}
    if (settled or not is_norm(text)) and not changed and len(sayers) < 2:
        return "only one of its quotes says it"
    if _WORK.making.match(text) and not (is_strong(text) or _RULES.placed.match(text)):
        return "" if is_way_of_working(group) else "reads like a passing request"
    if settled or binds(group):
        return ""
    return "" if is_way_of_working(group) else "reads like a passing request"


def _wants(remark: Observation) -> bool:
    """Whether somebody says what shall be, or blames who did otherwise, not what went wrong."""
    wished = grade(remark) > 0 and not complains(remark.text)
    return wished or asks(remark.text) or accuses(remark.text)


def is_way_of_working(group: Group) -> bool:
    """Whether a request about the work itself comes back in other words."""
    text = group.text
    wordings = {stems(member.text) for member in group.members}
    about = is_order(text) and _WORDS.workflow.intersection(words(text)) and not meant(text).numbers
    enough = len(group.sessions) >= AGAIN and not points(text)
    if when := occasion(text):
        # The occasion comes back, and what to do then was said more than once.
        act = stems(text.removeprefix(when))
        said = {
            member.session for member in group.members if act & stems(member.quote or member.text)
        }
        return enough and len(said) > 1
    # What no other session names is the thing of one task: "make a branch for …".
    enough = enough and all(_named_again(stem, group) for stem in _telling(text))
    # What is always said alike must say more to be more than a word of command.
    return bool(about) and enough and len(stems(text)) > 1 + (len(wordings) == 1)


def _named_again(stem: str, group: Group) -> bool:
    """Whether several sessions of a group use a word, if it says anything."""
    if stem in LIGHT:
        return True
    return len({member.session for member in group.members if stem in _telling(member.text)}) > 1


def is_fact(group: Group) -> bool:
    """Whether most of its sessions name the same value for the same thing, one of them as known."""
    chosen = len({member.session for member in group.members if meant(member.text).replaced}) > 1
    if reports(group.text) or (is_order(group.text) and not chosen):
        return False
    said: dict[str, set[str]] = {}
    for member in group.members:
        said.setdefault(member.session, set()).update(stems(member.text))
    counts = Counter(stem for word_stems in said.values() for stem in word_stems)
    shared = [stem for stem in stems(group.text) if counts[stem] >= MOST * len(said)]
    values = [stem for stem in shared if is_value(stem)]
    known = chosen or any(force(o) >= BINDING or is_reminder(o) for o in group.members)
    exact = any(mark.isdigit() for stem in values for mark in stem)
    # "The preview is black" names nothing that anybody could use: what it is like is a report.
    named = exact or chosen or asks(group.text) or bool(keys_of(group.text).names)
    return named and bool(values) and len(values) < len(shared) and (known or exact)


def binds(group: Group) -> bool:
    """Whether enough of its sessions say it as a rule, or complain that it was not kept."""
    if group.anchor:
        return True
    telling = [member for member in group.members if not reports(member.text)]
    bound = {member.session for member in telling if _bound(member)}
    norms = {member.session for member in telling if is_norm(member.text)}
    total = len(group.sessions)
    ruled = is_norm(group.text) and (is_general(group.text) or not is_order(group.text))
    graded = {member.session for member in telling if grade(member)}
    usual = len(graded) >= max(AGAIN, NORMS * total) and len(bound) > 0
    return len(bound) >= BOUND * total or (ruled and len(norms) >= NORMS * total) or usual


def scope_of(group: Group) -> str:
    """`global` for what was seen in several projects; clones of one name may be one project.

    What tools showed names things of a project: where most sessions are of one, it is its own.
    """
    names = [named_once(member.project) for member in group.members]
    if any(_RE.here.search(member.quote or member.text) for member in group.members):
        return _commonest([member.project for member in group.members])
    shown = group.source not in WORDS and names.count(_commonest(names)) > MOST * len(names)
    if not group.projects[0] or (len({*names}) > 1 and not shown):
        return "global"
    return _commonest([member.project for member in group.members])


def _confidence(group: Group, probability: float) -> float:
    support = len(group.sessions)
    often = support / (support + 1.0)
    return round(often * (1.0 - probability), 2)


def _commonest(values: list[str]) -> str:
    return max(sorted(set(values)), key=values.count)
