"""Bearings: which lines speak of what a pattern says, and which speak against it.

A line bears on a pattern if it names something the pattern names; a task of the day, only if that
is what most of it is about. Of a group of the rules it is enough that another line of it does, for
one that complains or asks. What was perhaps pasted is nobody's word: it counts only beside enough
that was typed and says the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reverie.data import patterns
from reverie.dream.model import Ask, Observation, named_once
from reverie.dream.proposals.digests import CHOSE
from reverie.dream.steps.remarks import (
    accuses,
    asks,
    complains,
    is_norm,
    is_order,
    is_passing,
    reports,
    turns,
)
from reverie.language.compare import relation
from reverie.language.keys import is_slight, keys_of
from reverie.language.meaning import is_common, meant
from reverie.language.words import stem, words
from reverie.learn.statements.utterance import hear
from reverie.learn.work.turning import is_ruling, rules_out

SHOWN = 120  # characters of a line that is named
NAMED = 4  # ids
MUCH = 0.2  # share of a text that a later word must take away
SEVERAL = 2  # things that a task and a pattern have in common, or half of what it names
CHANGED = 2  # later sessions that a change of mind takes

_RE = patterns("dreams.txt", "bearings")

Ids = Mapping[str, tuple[Observation, ...]]


@dataclass(frozen=True, slots=True)
class Bearing:
    """What ids show of one pattern, in order of time; a turn counts once."""

    seen: tuple[Observation, ...]
    doubted: frozenset[str] = frozenset()  # lines that perhaps nobody typed
    others: tuple[str, ...] = ()  # ids of which nothing bears on it

    def without(self, taken: Iterable[Observation]) -> "Bearing":
        places = {observation.evidence for observation in taken}
        return replace(
            self,
            seen=tuple(
                observation for observation in self.seen if observation.evidence not in places
            ),
        )

    @property
    def surely(self) -> "Bearing":
        return replace(self, seen=tuple(o for o in self.seen if o.evidence not in self.doubted))


def bearing(text: str, names: Iterable[str], ids: Ids) -> Bearing:
    """What of the ids bears on a text."""
    about = _subjects(text)
    by_place: dict[tuple[str, str], Observation] = {}
    doubted: set[str] = set()
    others: list[str] = []
    for name in names:
        fitting = [observation for observation in ids[name] if _bears(observation, about)]
        if not fitting and name[0] == "T":  # what happened may be told by what was printed alone
            fitting = [o for o in ids[name] if not about.isdisjoint(_subjects(o.text))]
        if not fitting:
            others.append(name)
        elif name[0] == "G":
            fitting = [
                observation
                for observation in ids[name]
                if observation in fitting or is_trouble(observation.text)
            ]
        else:
            fitting = list(ids[name])  # places of one finding, or a task
        by_place |= {
            (observation.evidence, observation.source): observation for observation in fitting
        }
        if name[0] == "G" or name[0].isdigit():
            doubted |= {
                observation.evidence for observation in fitting if _is_doubted(observation, about)
            }
    seen = sorted(by_place.values(), key=lambda observation: (observation.at, observation.evidence))
    return Bearing(tuple(seen), frozenset(doubted), tuple(others))


def rests_on_typed(text: str, shown: Bearing) -> bool:
    """Whether what was surely typed names more of a text than the rest adds."""
    about = _subjects(text)
    typed, whole = (
        {key for observation in seen for key in _subjects(_told(observation)) & about}
        for seen in (shown.surely.seen, shown.seen)
    )
    return len(typed) > len(whole - typed)


def _subjects(text: str) -> frozenset[str]:
    keys = keys_of(text)
    return frozenset(key for key in keys.all | keys.values if not is_slight(key))


def _told(observation: Observation) -> str:
    return _RE.printed.sub(
        " ", f"{observation.text}\n{observation.quote}\n{observation.failed}\n{observation.fix}"
    )


def _bears(observation: Observation, about: frozenset[str]) -> bool:
    """Whether it names something of a pattern; a task has to be about little else."""
    subjects = _subjects(_told(observation))
    if about.isdisjoint(subjects) or not _is_typed(observation) or is_trouble(observation.text):
        return not about.isdisjoint(subjects)
    heard = [s.text for s in hear(observation.text).sentences if not is_passing(s.text)]
    ruled = any(is_norm(text) or rules_out(text) for text in heard)
    if ruled or len(about & _subjects(" ".join(heard))) >= SEVERAL:
        return True
    return any(_is_about(_subjects(text), about) for text in heard)


def _is_about(named: frozenset[str], about: frozenset[str]) -> bool:
    """Whether a pattern's things are half of what a sentence names, at least."""
    others = {key for key in named - about if not (key.isdigit() or is_common(key))}
    return len(named & about) >= max(1, len(others))


def only_reports(seen: Iterable[Observation]) -> bool:
    """Whether most of what persons said is that the product fails, and nobody what shall be."""
    said = (observation.text for observation in seen if observation.source == "said")
    heard = [hear(text).sentences for text in said]
    wanted = any(
        sentence.question or asks(sentence.text) or accuses(sentence.text)
        for sentences in heard
        for sentence in sentences
    )
    failing = sum(any(reports(sentence.text) for sentence in sentences) for sentences in heard)
    return bool(heard) and not wanted and 2 * failing >= len(heard)


def _is_typed(observation: Observation) -> bool:
    """Whether a person wrote it, as far as is known."""
    picked = observation.text.startswith(CHOSE)
    return observation.source == "said" and observation.trust == "user" and not picked


def _is_doubted(observation: Observation, about: frozenset[str]) -> bool:
    """Whether perhaps no person typed it, or not that part of it that bears."""
    if observation.source != "said" or observation.text.startswith(CHOSE):
        return False
    typed = " ".join(sentence.text for sentence in hear(observation.text).sentences)
    return observation.trust != "user" or about.isdisjoint(_subjects(typed))


def is_trouble(text: str) -> bool:
    """Whether a turn complains, reports or asks, and so wants the contrary of what it tells."""
    asked = any(
        sentence.question or complains(sentence.text) or reports(sentence.text)
        for sentence in hear(text).sentences
    )
    return asked or bool(_RE.trouble.search(text))


def seldom(shown: Bearing, before: Sequence[Observation], ask: Ask) -> list[str]:
    """Whether a pattern is seen too seldom; a change of mind counts what held before."""
    sessions = {observation.session for observation in shown.seen}
    days = {observation.day for observation in shown.seen}
    whole = sessions | {observation.session for observation in before}
    least = min(CHANGED, ask.min_sessions) if before else ask.min_sessions
    if len(whole) >= ask.min_sessions and len(sessions) >= least and len(days) >= ask.min_days:
        return []
    others = ", ".join(shown.others[:NAMED])
    return [
        f"its evidence is of {len(sessions)} sessions on {len(days)} days, and a pattern takes"
        f" {least} on {ask.min_days}: name more of it, or leave the pattern out"
        + (f"; {others} name nothing that the text names" if others else "")
    ]


def against(text: str, seen: Iterable[Observation]) -> list[str]:
    """Whether a text says otherwise than more of its evidence than says the same.

    Only what asks for something can: who complains or wonders wants what the text may ask for.
    """
    theirs = [
        (ruled, observation.text)
        for observation in seen
        if observation.trust == "user" and (ruled := _ruled(observation.text))
    ]
    bare = text.replace("`", "")  # nobody sets all names apart who types
    said = [(relation(ruled.replace("`", ""), bare), ruled, turn) for ruled, turn in theirs]
    same = sum(verdict == "same" for verdict, *_ in said)
    said = [row for row in said if rules_out(row[2]) or not is_trouble(row[2])]
    opposed = [quote for verdict, quote, _ in said if verdict == "contradicts"]
    changed = [quote for verdict, quote, _ in said if verdict == "updates"]
    others = opposed + changed if len(changed) > 1 else opposed
    if len(others) > same and 2 * len(others) >= len(said):
        return [
            f"{others[0][:SHOWN]!r} says otherwise: if it holds no more, name it under `instead_of`"
        ]
    asked = stem(next(iter(words(text)), "")) if is_order(text) else ""
    signs = [(_sign(quote, asked), quote) for _, quote, _ in said]
    ruled_out = [quote for sign, quote in signs if sign < 0]
    if 3 * len(ruled_out) >= max(1, len(said)) and not any(sign > 0 for sign, _ in signs):
        return [f"{ruled_out[0][:SHOWN]!r} rules it out"]
    return []


def taken_back(text: str, seen: Sequence[Observation], ids: Ids) -> list[str]:
    """Whether a person later asked for the contrary, in a line that is not named."""
    homes = {named_once(observation.project) for observation in seen}
    places = {observation.evidence for observation in seen}
    later = {
        observation.evidence: observation
        for shown in ids.values()
        for observation in shown
        if observation.source == "said"
        and observation.trust == "user"
        and observation.at > seen[-1].at
        if observation.evidence not in places and named_once(observation.project) in homes
    }
    for observation in later.values():
        for sentence in hear(observation.text).sentences:
            ruling = is_ruling(sentence) and not is_passing(sentence.text)
            if ruling and _denies(sentence.text, text):
                return [f"{observation.text[:SHOWN]!r} was said later, and says the contrary"]
    return []


def _denies(later: str, text: str) -> bool:
    """Whether a sentence does away with what a text asks for, or replaces it."""
    if not (turns(later) or meant(later).replaced or rules_out(later)):
        return False
    mine, theirs = meant(text), meant(later)
    gone = theirs.replaced | {root for root, sign in theirs.signs.items() if sign < 0}
    kept = {root for root, sign in mine.signs.items() if sign > 0 and root not in mine.replaced}
    telling = {root for root in kept if not is_slight(root)}
    both = {root for root in telling & gone if not is_common(root)}
    return bool(both) and len(both) >= MUCH * len(telling)  # a long text only mentions it


def _ruled(text: str) -> str:
    """What of a turn says what shall be: "This. No. That." rules this out."""
    ruled: list[str] = []
    for sentence in hear(text).sentences:
        if _RE.refusal.fullmatch(sentence.text):
            ruled.clear()
        elif is_ruling(sentence):
            ruled.append(sentence.text)
    return " ".join(ruled)


def _sign(text: str, root: str) -> int:
    """Whether a text asks for something (1), rules it out (-1), or does not speak of it."""
    meaning = meant(text)
    if root in meaning.replaced:
        return -1
    return meaning.signs.get(root, 1) if root in meaning.solid else 0
