"""Settle: of two patterns that cannot both hold, the person's later word stands.

What was said of one time only ("just this once") never came this far, so a single later remark is
enough. The loser is kept: it is named in what the winner supersedes, with its dates.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from reverie.data import patterns
from reverie.dream.model import Drop, Known, Night, Pattern
from reverie.dream.steps.chance import core
from reverie.dream.steps.remarks import (
    begins_with_ban,
    changes,
    complains,
    force,
    is_norm,
    is_order,
    is_strong,
    turns,
)
from reverie.dream.steps.weigh import unfit
from reverie.language.compare import AGAINST, apart, relation, substituted
from reverie.language.keys import share_subject
from reverie.language.lexicon import lexicon
from reverie.language.meaning import (
    Meaning,
    exact,
    is_choice,
    is_common,
    meant,
    plainly,
    stems,
)
from reverie.language.neighbours import Alike
from reverie.language.wording import root_of
from reverie.trust import Trust, as_trusted

_RE = patterns("dreams.txt", "settle")

WORDINGS = 4
SEVERAL = 2  # sessions
ESTABLISHED = 3
NEAREST = 16


def settle(night: Night) -> Night:
    """Leave one of any two patterns that exclude each other."""
    voices = [pattern for pattern in night.patterns if pattern.group.source == "said"]
    losers: dict[str, Pattern] = {}  # id → the one that stands
    gains: dict[str, list[Pattern]] = {}
    for older, newer in _opposed(voices):
        # The later word stands, unless it is trusted less.
        later = as_trusted(_word_of(newer), _word_of(older))
        winner, loser = (newer, older) if later else (older, newer)
        if not _speaks(winner) or winner.group.id in losers:
            continue
        losers[loser.group.id] = winner
        if loser.status == "pattern" or loser.support > 1:
            gains.setdefault(winner.group.id, []).append(loser)
    drops = [
        Drop("settle", pattern.text, f"superseded on {winner.valid_from[:10]}: {winner.text}")
        for pattern in night.patterns
        if (winner := losers.get(pattern.group.id))
    ]
    left = [pattern for pattern in night.patterns if pattern.group.id not in losers]
    left = [_standing(pattern, gains.get(pattern.group.id, ())) for pattern in left]
    kept, more = _against_known(left, night.known, night.ask.store)
    drops += more
    note = f"{len(drops)} superseded, {len(kept)} left"
    return night.after("settle", note, drops, patterns=tuple(kept))


def _speaks(pattern: Pattern) -> bool:
    """Whether it says what shall be, so that it can overturn something; a mention cannot."""
    # A complaint asks for what was said before, and against nothing else.
    texts = [text for text in _wordings(pattern) if not complains(text)]
    return (
        pattern.group.standing
        or pattern.support >= SEVERAL
        or any(is_norm(text) or turns(text) or meant(text).replaced for text in texts)
    )


def _word_of(pattern: Pattern) -> Trust:
    """How far those are trusted who say it in its very words."""
    said: list[Trust] = [each.trust for each in pattern.group.members if each.text == pattern.text]
    return "user" if "user" in said else pattern.group.trust


def same_thing(pattern: Pattern, other: Pattern) -> bool:
    """Whether their texts name a thing in common: what they only mention is not replaced."""
    shared = (stems(pattern.text) & stems(other.text)) - _acts()
    return len(shared) > 1 or not all(map(is_common, shared))


def _opposes_whole(pattern: Pattern, other: Pattern) -> bool:
    """Whether the texts themselves exclude each other, not only some of their wordings."""
    return _related(pattern.text, other.text) in AGAINST or _rivals(pattern, other)


def _standing(pattern: Pattern, beaten: Sequence[Pattern]) -> Pattern:
    """The pattern with what it overturned; with that alone it may be one."""
    texts = tuple(
        dict.fromkeys(
            loser.text
            for loser in beaten
            if same_thing(pattern, loser)
            and (loser.status == "pattern" or _opposes_whole(pattern, loser))
        )
    )
    before = {session for loser in beaten for session in loser.group.sessions}
    # What several sessions said, in however many ways, was established too.
    established = any(loser.status == "pattern" for loser in beaten) or len(before) >= ESTABLISHED
    # … and what several say has changed was established, whatever was said of it before.
    changed = [member for member in pattern.group.members if changes(member.text)]
    named = {m.session for m in pattern.group.members if m in changed or meant(m.text).replaced}
    established = established or (bool(changed) and len(named) >= SEVERAL)
    again = pattern.support >= SEVERAL and not unfit(pattern.group)
    if pattern.status == "candidate" and established and again:
        # It overturned something established, so it is at least as much of a rule.
        reason = "a later word against a pattern"
        return replace(pattern, status="pattern", reason=reason, supersedes=texts)
    return replace(pattern, supersedes=texts) if texts else pattern


def _opposed(voices: Sequence[Pattern]) -> list[tuple[Pattern, Pattern]]:
    """Pairs that cannot both hold, the one last said earlier first."""
    index = Alike[int]()
    pairs = list(_overturned(voices))
    known = {pattern.group.id for pair in pairs for pattern in pair}
    for number, pattern in enumerate(voices):
        for near in index.near(stems(pattern.text), NEAREST):
            other = voices[near]
            if {pattern.group.id, other.group.id} <= known:
                continue
            near_enough = share_subject(pattern.text, other.text) or _opposes_whole(pattern, other)
            if _one_wish(pattern, other) or pattern.group.over or other.group.over:
                continue  # what turned is settled by what it says is over
            if _meet(pattern, other) and near_enough and opposes(pattern, other):
                ends = sorted(
                    [(_last(pattern, other), pattern), (_last(other, pattern), other)], key=_when
                )
                pairs.append((ends[0][1], ends[1][1]))
        for text in _wordings(pattern):
            index.add(number, stems(text))
    return pairs


def _one_wish(pattern: Pattern, other: Pattern) -> bool:
    """Whether the same turns speak for both: one wish, grouped by other words."""
    turns_of = [{member.evidence for member in each.group.members} for each in (pattern, other)]
    return 2 * len(turns_of[0] & turns_of[1]) >= min(map(len, turns_of))


def _overturned(voices: Sequence[Pattern]) -> Iterator[tuple[Pattern, Pattern]]:
    """What rests mostly on turns that somebody overturned, with what stands in its place."""
    for newer in voices:
        over = set(newer.group.over)
        new = {member.evidence for member in newer.group.members}
        for older in voices if over else ():
            turns_of = [
                remark.evidence for remark in older.group.members if remark.evidence not in new
            ]
            old = sum(evidence in over for evidence in turns_of)
            if older is not newer and not older.group.over and 2 * old > len(turns_of) > 0:
                yield older, newer


def _last(pattern: Pattern, other: Pattern) -> str:
    """When it was last said against `other`; a vague remark since does not count."""
    said = [m.at for m in pattern.group.members if _related(m.text, other.text) in AGAINST]
    return max(said, default=pattern.group.last)


def _when(end: tuple[str, Pattern]) -> tuple[str, str]:
    return end[0], end[1].group.id


def _meet(pattern: Pattern, other: Pattern) -> bool:
    """Whether they hold in the same places: one project does not overturn another's rule."""
    return pattern.scope == other.scope or "global" in (pattern.scope, other.scope)


def opposes(pattern: Pattern, other: Pattern) -> bool:
    """Whether wordings of one update or contradict the other's more often than they agree."""
    mine, theirs = _wordings(pattern), _wordings(other)
    later, wordings = (pattern, mine) if pattern.group.last > other.group.last else (other, theirs)
    if later.support < ESTABLISHED and 2 * sum(map(_is_task, wordings)) > len(wordings):
        return False
    if _related(pattern.text, other.text) in AGAINST:
        # What agrees with the other side's best wording is too vague to speak for either.
        mine = [a for a in mine if _related(a, other.text) != "same"]
        theirs = [b for b in theirs if _related(b, pattern.text) != "same"]
    relations = [_related(a, b) for a in mine for b in theirs]
    against = sum(item in AGAINST for item in relations)
    same = sum(item == "same" for item in relations)
    return against > same or (not same and (_rivals(pattern, other) or _overtakes(pattern, other)))


def _overtakes(pattern: Pattern, other: Pattern) -> bool:
    """Whether the later one says that a number of the same thing is another one now."""
    older, newer = sorted((pattern, other), key=lambda each: each.group.last)
    return any(
        _renumbers(meant(text), meant(before))
        for text in _wordings(newer)
        if turns(text)
        for before in _wordings(older)
    )


def _renumbers(now: Meaning, before: Meaning) -> bool:
    subjects = [meaning.solid - meaning.numbers for meaning in (now, before)]
    shared = subjects[0] & subjects[1]
    return apart(now.numbers, before.numbers) and 2 * len(shared) >= min(map(len, subjects)) > 0


def _related(a: str, b: str) -> str:
    """As `relation`, but an update needs a subject of its own, not just common words."""
    verdict = relation(a, b)
    if verdict != "same" and begins_with_ban(a) and begins_with_ban(b):
        return "different"  # nobody has to choose between two things that are forbidden
    if verdict == "different" and substituted(a, b) and not _RE.adding.match(plainly(a)):
        return "updates"
    if verdict != "updates":
        return verdict
    # An update asks for something in the place of what was asked for.
    if begins_with_ban(a) != begins_with_ban(b) or _rule_out_alike(a, b):
        return "different"
    # Two commands can both be run; only one of two values can be right.
    if "`" in a and "`" in b and not meant(a).replaced | meant(b).replaced:
        return "different"
    first, second = meant(a), meant(b)
    gone = (first.replaced & second.solid) | (second.replaced & first.solid)
    if gone:
        # What is named as no longer used is what the other asks for.
        return "different" if all(is_common(stem) for stem in gone) else verdict
    rest = [
        meaning.solid - meaning.names - meaning.numbers - meaning.replaced
        for meaning in (first, second)
    ]
    # "Ship it behind a flag", "ship it to Berlin": what is done is no subject.
    shared = [stem for stem in first.solid & second.solid if stem not in _acts()]
    return verdict if rest[0] == rest[1] or not all(map(is_common, shared)) else "different"


def _rule_out_alike(a: str, b: str) -> bool:
    """Whether both rule out the same thing, one of them for something else."""
    first, second = meant(a), meant(b)
    return bool(first.replaced | second.replaced) and bool(_ruled_out(first) & _ruled_out(second))


def _ruled_out(meaning: Meaning) -> set[str]:
    """What is not to be used, by the last part of its name."""
    denied = {root for root in meaning.solid if meaning.signs[root] < 0}
    return {_RE.parts.split(root)[-1] for root in meaning.replaced | denied}


def _is_task(text: str) -> bool:
    """Whether it is an order that may be of one time: the next one is about something else."""
    rules = is_strong(text) or turns(text) or changes(text) or is_choice(text)
    names_value = meant(text).replaced or meant(text).numbers or exact(text)
    return is_order(text) and not rules and not names_value


@cache
def _acts() -> frozenset[str]:
    return frozenset(map(root_of, lexicon().words("words.imperatives")))


def _rivals(pattern: Pattern, other: Pattern) -> bool:
    """Whether most wordings agree in everything but a value of their own."""
    a, b = _core(pattern), _core(other)
    shared, values = a & b, (a - b, b - a)
    if not shared or not all(len(rest) == 1 and not is_common(min(rest)) for rest in values):
        return False
    # "Use x for y" and "use z for y" differ in nothing else: y may be a common word.
    chosen = all(_is_choice(p) for p in (pattern, other))
    return chosen or (len(shared) >= 2 and not all(map(is_common, shared)))


def _core(pattern: Pattern) -> frozenset[str]:
    """What most of its wordings ask for; what they rule out is not part of it."""
    texts = {member.text for member in pattern.group.members}
    counts: Counter[str] = Counter()
    for text in sorted(texts):
        signs = meant(text).signs
        counts.update({stem for stem in meant(text).solid if signs.get(stem, 1) > 0})
    return frozenset(core(counts, len(texts)))


def _is_choice(pattern: Pattern) -> bool:
    texts = _wordings(pattern)
    return 2 * sum(is_choice(text) for text in texts) > len(texts)


def _wordings(pattern: Pattern) -> list[str]:
    """Its text, and of its other wordings those that bind most: a mention speaks for nobody."""
    about = (m for m in pattern.group.members if share_subject(m.text, pattern.text))
    said = sorted(about, key=force, reverse=True)
    return list(dict.fromkeys((pattern.text, *(member.text for member in said))))[:WORDINGS]


def _against_known(
    patterns: Sequence[Pattern], known: Sequence[Known], asked: str | None
) -> tuple[list[Pattern], list[Drop]]:
    """Patterns that a memory contradicts which is newer than they are are not offered."""
    index = Alike[int]()
    for number, memory in enumerate(known):
        index.add(number, stems(memory.text))
    kept: list[Pattern] = []
    drops: list[Drop] = []
    for pattern in patterns:
        near = (known[near] for near in index.near(stems(pattern.text), NEAREST))
        newer = next((memory for memory in near if _is_newer(memory, pattern, asked)), None)
        if newer is None:
            kept.append(pattern)
        else:
            drops.append(Drop("settle", pattern.text, f"a newer memory says: {newer.text}"))
    return kept, drops


def _is_newer(memory: Known, pattern: Pattern, asked: str | None) -> bool:
    holds = memory.store in {pattern.scope, "global", asked} or pattern.scope == "global"
    since = memory.memory.valid_from or memory.document.created
    later = since[:10] > pattern.group.last[:10]
    return holds and later and relation(memory.text, pattern.text) in AGAINST
