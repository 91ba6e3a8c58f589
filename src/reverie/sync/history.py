"""Histories: which state a set of versions stands for, whatever way and order they came in.

Parents make a graph of the versions of one memory. What it says now is a function of the set alone:
no clock and no order of arrival counts. One tip is the state; several are merged by lines, as two
sides of a mounted folder are, in the order of their ids. What cannot be merged is named, so that it
is kept beside. What a person said or pinned is changed by nobody else: that waits for their word.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reverie.documents.document import load
from reverie.mounts.merge import merge
from reverie.store.library import ARCHIVE
from reverie.trust import Trust, as_trusted, lowest

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghijkmnpqrstvwxyz"
_LENGTH = 24  # of an id, as `store.context.random_id` makes them
MAX_STEM_BYTES = 900
BESIDE = "beside"  # in ids of what is kept beside


class Fact(NamedTuple):
    """One version as its history needs it. Without content it is a deletion, or was redacted."""

    id: str
    parents: tuple[str, ...]
    path: str | None
    content: str | None
    trust: Trust
    valid_from: str | None
    valid_to: str | None
    created_at: str
    deleted: bool = False
    automatic: bool = False  # a move or the like that a sync made, which nobody meant
    foreign: bool = False  # written by another person

    @property
    def live(self) -> bool:
        return self.content is not None and self.path is not None


class State(NamedTuple):
    """What a memory says now; without content it is gone."""

    tips: tuple[str, ...]
    path: str | None
    content: str | None
    trust: Trust
    valid_from: str | None
    valid_to: str | None
    created_at: str
    beside: tuple[str, ...] = ()  # versions whose words could not be merged in
    waiting: tuple[str, ...] = ()  # versions of others that would change what is this person's word

    @property
    def live(self) -> bool:
        return self.content is not None and self.path is not None


def derived_id(prefix: str, *parts: str) -> str:
    """An id that follows from what it is made of: whoever makes the same gives it the same id."""
    number = int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest(), "big")
    tail = ""
    for _ in range(_LENGTH):
        number, digit = divmod(number, len(_ALPHABET))
        tail += _ALPHABET[digit]
    return f"{prefix}_{tail}"


def beside_id(version: str) -> str:
    """The memory that keeps the words of a version beside the one it is of."""
    return derived_id("mem", BESIDE, version)


def conflict_path(path: str, mark: str) -> str:
    """The clear name of what is kept beside `path`."""
    stem, dot, ending = path.rpartition(".")
    if not dot or "/" in ending:
        stem, dot, ending = path, "", ""
    cut = stem.encode()[:MAX_STEM_BYTES].decode(errors="ignore")
    return f"{cut}.conflict-{mark}{dot}{ending}"


def tips_of(facts: Mapping[str, Fact]) -> tuple[str, ...]:
    """The versions that nothing follows, in order."""
    followed = {parent for fact in facts.values() for parent in fact.parents}
    return tuple(sorted(facts.keys() - followed))


def state_of(facts: Mapping[str, Fact]) -> State:
    """What the memory with these versions says to the person whose home this is.

    What they said or pinned stays, whatever others make of it, until a version of theirs follows.
    """
    mine = _behind(facts, [fact.id for fact in facts.values() if not fact.foreign])
    if not mine or len(mine) == len(facts):
        return merged_state(facts)
    held, whole = merged_state({version: facts[version] for version in mine}), merged_state(facts)
    settled = _says(held) == _says(whole) and {*whole.beside} <= {*held.beside}
    if not held.live or not _is_protected(held) or settled:
        return whole
    if all(facts[version].automatic for version in facts.keys() - mine):
        return held  # their sync moved it for itself, which nobody has to hear of
    return held._replace(waiting=tuple(tip for tip in whole.tips if tip not in mine))


def _is_protected(state: State) -> bool:
    """Whether only a person changes it, as `store.access.protected` has it."""
    return state.trust == "user" or load(state.content or "", path=state.path or "").pinned


def _says(state: State) -> tuple[object, ...]:
    return (state.path, state.content, state.valid_from, state.valid_to)


def merged_state(facts: Mapping[str, Fact]) -> State:
    """What all these versions come to, whoever wrote them.

    An edit outlives a deletion it did not know of, and what a sync put away; a move that a sync
    made is no edit; what was redacted says nothing.
    """
    tips = tips_of(facts)
    ended = _behind(facts, [tip for tip in tips if facts[tip].deleted])
    live = [
        facts[tip]
        for tip in tips
        if facts[tip].live and not (facts[tip].automatic and _meant(facts, tip) <= ended)
    ]
    if not all(fact.automatic for fact in live):
        live = _as_meant(facts, live)
    if not live:
        last = max((facts[tip].created_at for tip in tips), default="")
        return State(tips, None, None, "web", None, None, last)
    now, merged = _of_one(tips, live[0]), [live[0].id]
    for fact in live[1:]:
        now = _with(now, fact, _base(facts, merged, fact.id))
        merged.append(fact.id)
    return now._replace(created_at=max(facts[tip].created_at for tip in tips))


def _as_meant(facts: Mapping[str, Fact], tips: Sequence[Fact]) -> list[Fact]:
    """These tips, with what stood there before a sync put it away."""
    away = {fact.id for fact in tips if fact.automatic and (fact.path or "").startswith(ARCHIVE)}
    stay = {fact.id for fact in tips} - away
    before = set[str]().union(*(_meant(facts, version) for version in away)) - _behind(facts, stay)
    return [facts[version] for version in sorted(stay | before) if facts[version].live]


def _of_one(tips: tuple[str, ...], fact: Fact) -> State:
    return State(
        tips,
        fact.path,
        fact.content,
        fact.trust,
        fact.valid_from,
        fact.valid_to,
        fact.created_at,
    )


def _with(now: State, fact: Fact, base: Fact | None) -> State:
    """A state and one more tip."""
    mine, other = now.content or "", fact.content or ""
    start = base.content if base is not None else None
    text, trust, beside = mine, now.trust, now.beside
    if mine == other:
        # Both say it: whoever is trusted more has said it, too.
        trust = now.trust if as_trusted(now.trust, fact.trust) else fact.trust
    elif start is None:
        beside = (*beside, fact.id)
    else:
        merged = merge(start, mine, other)
        if not merged.clean:
            beside = (*beside, fact.id)
        elif merged.text == other:
            text, trust = other, fact.trust
        elif merged.text != mine:
            text, trust = merged.text, lowest(now.trust, fact.trust)
    return now._replace(
        content=text,
        trust=trust,
        beside=beside,
        path=_path(now.path or "", fact.path or "", base.path if base else None),
        valid_from=_field(now.valid_from, fact.valid_from, base, "valid_from"),
        valid_to=_field(now.valid_to, fact.valid_to, base, "valid_to"),
    )


def _path(mine: str, other: str, start: str | None) -> str:
    if other in (mine, start):
        return mine
    if mine == start:
        return other
    # Both moved it. What was put away is away, whatever else it was named.
    away = [path for path in (mine, other) if path.startswith(ARCHIVE)]
    return min(away) if away else mine


def _field(mine: str | None, other: str | None, base: Fact | None, name: str) -> str | None:
    start: str | None = getattr(base, name) if base is not None else mine
    return other if mine == start else mine


def _base(facts: Mapping[str, Fact], merged: Sequence[str], other: str) -> Fact | None:
    """What both sides began with: the last that is behind all of them; of several one for all."""
    mine = _behind(facts, merged)
    common = mine & _behind(facts, [other])
    older = {parent for version in common for parent in _behind(facts, facts[version].parents)}
    nearest = sorted(common - older)
    return facts[nearest[-1]] if nearest else None


def _meant(facts: Mapping[str, Fact], tip: str) -> set[str]:
    """The nearest versions behind one that somebody made, or with which the memory began."""
    nearest: set[str] = set()
    left = [tip]
    while left:
        version = left.pop()
        before = [parent for parent in facts[version].parents if parent in facts]
        # The copy of a move that a sync made begins a memory: nothing of somebody's is behind it.
        if facts[version].automatic and before:
            left += before
        else:
            nearest.add(version)
    return nearest


def _behind(facts: Mapping[str, Fact], start: Iterable[str]) -> set[str]:
    """Versions and all that are behind them."""
    seen: set[str] = set()
    left = [version for version in start if version in facts]
    while left:
        version = left.pop()
        if version not in seen:
            seen.add(version)
            left += [parent for parent in facts[version].parents if parent in facts]
    return seen
