"""Settle: of two patterns that cannot both hold, the person's later word stands.

What was said of one time only ("just this once") never came this far, so a single later remark is
enough. The loser is kept: it is named in what the winner supersedes, with its dates.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from reverie.data import patterns
from reverie.dream.model import Drop, Known, Night, Pattern
from reverie.dream.steps.chance import core
from reverie.dream.steps.frames import is_norm
from reverie.language.compare import apart, relation, substituted
from reverie.language.meaning import (
    exact,
    is_choice,
    is_common,
    meant,
    negated,
    plainly,
    stems,
)
from reverie.language.neighbours import Alike
from reverie.language.wording import is_ordinary
from reverie.trust import as_trusted

_RE = patterns("statements.txt", "settle")

WORDINGS = 4
SEVERAL = 2  # sessions
ESTABLISHED = 3
NEAREST = 16


AGAINST = frozenset({"updates", "contradicts"})


def settle(night: Night) -> Night:
    """Leave one of any two patterns that exclude each other."""
    voices = [one for one in night.patterns if one.group.source == "said"]
    losers: dict[str, Pattern] = {}  # id → the one that stands
    gains: dict[str, list[Pattern]] = {}
    for older, newer in _opposed(voices):
        winner, loser = _decided(older, newer)
        if not _speaks(winner) or not _means(winner, loser):
            continue
        losers[loser.group.id] = winner
        if loser.status == "pattern" or loser.support > 1:
            gains.setdefault(winner.group.id, []).append(loser)
    kept: list[Pattern] = []
    drops = list(night.drops)
    for one in night.patterns:
        if one.group.id in losers:
            winner = losers[one.group.id]
            drops.append(
                Drop("settle", one.text, f"superseded on {winner.valid_from[:10]}: {winner.text}")
            )
            continue
        kept.append(_standing(one, gains.get(one.group.id, ())))
    kept, more = _against_known(kept, night.known)
    note = f"{len(losers) + len(more)} superseded, {len(kept)} left"
    return replace(
        night, patterns=tuple(kept), drops=(*drops, *more), notes=(*night.notes, ("settle", note))
    )


def _speaks(one: Pattern) -> bool:
    """Whether it says what shall be, so that it can overturn something; a mention cannot."""
    texts = _wordings(one)
    return (
        one.group.standing
        or one.support >= SEVERAL
        or any(is_norm(text) or meant(text).replaced for text in texts)
    )


def _means(winner: Pattern, loser: Pattern) -> bool:
    """Whether a word said once is about the loser: common words in common are not enough."""
    if winner.group.standing or winner.support >= SEVERAL or _takes_back(winner, loser):
        return True
    return any(not is_common(stem) for stem in _core(winner) & _core(loser))


def _standing(one: Pattern, beaten: Sequence[Pattern]) -> Pattern:
    if not beaten:
        return one
    texts = tuple(dict.fromkeys(loser.text for loser in beaten))
    before = {session for loser in beaten for session in loser.group.sessions}
    # What several sessions said, in however many ways, was established too.
    established = any(loser.status == "pattern" for loser in beaten) or (
        one.support >= SEVERAL and len(before) >= ESTABLISHED
    )
    if one.status == "candidate" and established and any(map(is_norm, _wordings(one))):
        # It overturned something established, so it is at least as much of a rule.
        reason = "a later word against a pattern"
        return replace(one, status="pattern", reason=reason, supersedes=texts)
    return replace(one, supersedes=texts)


def _opposed(voices: Sequence[Pattern]) -> list[tuple[Pattern, Pattern]]:
    """Pairs that cannot both hold, the one last said earlier first."""
    index = Alike[int]()
    found: list[tuple[Pattern, Pattern]] = []
    for number, one in enumerate(voices):
        words = stems(one.text)
        for near in index.near(words, NEAREST):
            other = voices[near]
            if _meet(one, other) and opposes(one, other):
                found.append(_in_order(one, other))
        for member in _wordings(one):
            index.add(number, stems(member))
    return found


def _in_order(one: Pattern, other: Pattern) -> tuple[Pattern, Pattern]:
    """(older, newer): by the last word of each, unless only one of them takes the other back."""
    retires = (_takes_back(one, other), _takes_back(other, one))
    if retires[0] != retires[1]:
        newer, older = (one, other) if retires[0] else (other, one)
        if newer.group.members[0].at > older.group.members[0].at:
            return older, newer
    first = (_last_against(one, other), one.group.id)
    second = (_last_against(other, one), other.group.id)
    return (one, other) if first < second else (other, one)


def _takes_back(one: Pattern, other: Pattern) -> bool:
    return bool(_ruled_out(one) & _core(other))


def _meet(one: Pattern, other: Pattern) -> bool:
    """Whether they hold in the same places: one project does not overturn another's rule."""
    places = [[member.project for member in p.group.members] for p in (one, other)]
    shared = set(places[0]) & set(places[1])
    return all(2 * sum(place in shared for place in own) >= len(own) for own in places)


def opposes(one: Pattern, other: Pattern) -> bool:
    """Whether wordings of one update or contradict the other's more often than they agree."""
    mine, theirs = _wordings(one), _wordings(other)
    if _related(one.text, other.text) in AGAINST:
        # What agrees with the other side's best wording is too vague to speak for either.
        mine = [one.text, *(a for a in mine if _related(a, other.text) != "same")]
        theirs = [other.text, *(b for b in theirs if _related(b, one.text) != "same")]
    relations = [_related(a, b) for a in mine for b in theirs]
    against = sum(item in AGAINST for item in relations)
    return against > sum(item == "same" for item in relations) or (
        "same" not in relations and _rivals(one, other)
    )


def _last_against(one: Pattern, other: Pattern) -> str:
    """When something that excludes `other` was last said; a vague remark since does not count."""
    theirs = _wordings(other)
    said = [
        member.at
        for member in one.group.members
        if any(_related(member.text, text) in AGAINST for text in theirs)
    ]
    return max(said, default=one.group.last)


def _related(a: str, b: str) -> str:
    """As `relation`, but an update needs a subject of its own, not just common words."""
    found = relation(a, b)
    if found == "contradicts" and negated(a) and negated(b):
        return "different"
    if found == "different" and substituted(a, b) and not _RE.adding.match(plainly(a)):
        return "updates"
    if found != "updates":
        return found
    # Two commands can both be run; only one of two values can be right.
    if "`" in a and "`" in b and not meant(a).replaced | meant(b).replaced:
        return "different"
    one, other = meant(a), meant(b)
    gone = (one.replaced & other.solid) | (other.replaced & one.solid)
    if gone:
        # What is named as no longer used is what the other asks for.
        return "different" if all(is_common(stem) for stem in gone) else found
    rest = [own.solid - own.names - own.numbers - own.replaced for own in (one, other)]
    shared = one.solid & other.solid
    return found if rest[0] == rest[1] or not all(map(is_common, shared)) else "different"


def _rivals(one: Pattern, other: Pattern) -> bool:
    """Whether most wordings agree in everything but a value of their own."""
    a, b = _core(one), _core(other)
    shared, values = a & b, (a - b, b - a)
    if (_ruled_out(one) & b) | (_ruled_out(other) & a):
        return True
    if not shared:
        return False
    telling = not all(map(is_common, shared))
    if apart(_exact(one), _exact(other)):
        # Another number or affix, and nothing else that tells them apart.
        rest = [[stem for stem in own if stem.isalpha() and not is_common(stem)] for own in values]
        return telling and all(len(own) <= 1 for own in rest)
    if not all(len(own) == 1 and not is_common(min(own)) for own in values):
        return False
    # "Use x for y" and "use z for y" differ in nothing else: y may be a common word.
    chosen = all(_is_choice(p) for p in (one, other))
    return chosen or (len(shared) >= 2 and telling)


def _ruled_out(one: Pattern) -> frozenset[str]:
    """Names of its own that it says are no longer to be used: "not npm", "npm is gone"."""
    found: set[str] = set()
    for text in _wordings(one):
        meaning = meant(text)
        negative = frozenset(stem for stem in meaning.solid if meaning.signs.get(stem, 1) < 0)
        gone = meaning.replaced | negative if len(negative) == 1 else meaning.replaced
        found |= gone
    return frozenset(stem for stem in found if not is_common(stem) and not is_ordinary(stem))


def _core(one: Pattern) -> frozenset[str]:
    """What most of its wordings ask for; what they rule out is not part of it."""
    texts = {member.text for member in one.group.members}
    counts: Counter[str] = Counter()
    for text in sorted(texts):
        signs = meant(text).signs
        counts.update({stem for stem in meant(text).solid if signs.get(stem, 1) > 0})
    return frozenset(core(counts, len(texts)))


def _exact(one: Pattern) -> frozenset[str]:
    """Values written exactly in its wordings; not commands, of which there may be several."""
    values = (value for text in _wordings(one) if "`" not in text for value in exact(text))
    return frozenset(values)


def _is_choice(one: Pattern) -> bool:
    texts = _wordings(one)
    return 2 * sum(is_choice(text) for text in texts) > len(texts)


def _wordings(one: Pattern) -> list[str]:
    texts = dict.fromkeys((one.text, *(member.text for member in one.group.members)))
    return list(texts)[:WORDINGS]


def _decided(older: Pattern, newer: Pattern) -> tuple[Pattern, Pattern]:
    """(winner, loser): the later word, unless it is trusted less."""
    stands = as_trusted(newer.group.trust, older.group.trust)
    return (newer, older) if stands else (older, newer)


def _against_known(
    patterns: Sequence[Pattern], known: Sequence[Known]
) -> tuple[list[Pattern], list[Drop]]:
    """Patterns that a memory contradicts which is newer than they are are not offered."""
    index = Alike[int]()
    for number, memory in enumerate(known):
        index.add(number, stems(memory.text))
    kept: list[Pattern] = []
    drops: list[Drop] = []
    for one in patterns:
        newer = None
        for near in index.near(stems(one.text), NEAREST):
            memory = known[near]
            if _holds_in(memory, one) and relation(memory.text, one.text) in {
                "updates",
                "contradicts",
            }:
                since = memory.memory.valid_from or memory.document.created
                if since[:10] > one.group.last[:10]:
                    newer = memory
                    break
        if newer is None:
            kept.append(one)
        else:
            drops.append(Drop("settle", one.text, f"a newer memory says: {newer.text}"))
    return kept, drops


def _holds_in(memory: Known, one: Pattern) -> bool:
    return memory.store in {one.scope, "global"} or one.scope == "global"
