"""Write: what the patterns change in the stores, one memory per change, in six verbs.

    create       a memory that was not there
    corroborate  more evidence for one that is
    refine       one of two memories that say the same takes the other's evidence
    correct      a memory that holds in several projects moves to the shared store
    supersede    a memory that no longer holds goes to the archive, with its last day
    archive      a memory whose last day has passed, or that names only what is gone

A store is never rewritten: what no pattern touches stays as it is, byte for byte.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reverie.data import patterns
from reverie.documents import bodies
from reverie.documents.document import MAX_EVIDENCE, Document
from reverie.documents.vocabulary import TYPES
from reverie.dream.model import (
    Ask,
    Change,
    Drop,
    Known,
    Night,
    Observation,
    Pattern,
    Quoted,
    Verb,
    change_of,
)
from reverie.dream.steps.tidy import tidied, unchanged
from reverie.dream.steps.weigh import says
from reverie.language.compare import AGAINST, Relation, relation
from reverie.language.meaning import is_common, stems
from reverie.language.neighbours import Alike
from reverie.language.words import words
from reverie.learn.memories.naming import name_from
from reverie.store.library import GLOBAL, stem
from reverie.store.paths import numbered
from reverie.trust import as_trusted

_RE = patterns("dreams.txt", "write")

QUOTES = 5
FEWEST_QUOTES = 2
NEAREST = 12


class Instructions(NamedTuple):
    """Words to leave out, words to keep to, words to put first."""

    ignored: set[str]
    only: set[str]
    first: set[str]

    def wanted(self, text: str) -> bool:
        word_stems = stems(text)
        return not word_stems & self.ignored and (not self.only or bool(word_stems & self.only))


def read(text: str) -> Instructions:
    """What the instructions ask for; `""` asks for nothing."""
    asked = Instructions(set(), set(), set())
    for sentence in _RE.sentence.split(text):
        shapes = ((_RE.ignore, asked.ignored), (_RE.only, asked.only))
        said = next((part for shape, part in shapes if shape.match(sentence)), asked.first)
        rest = _RE.only.sub("", _RE.ignore.sub("", sentence))
        said |= {stem for stem in stems(rest) if not is_common(stem)}
    return asked


def ended(night: Night) -> list[Change]:
    """One change for each live memory that is over, in the order of the memories."""
    gone = dict(night.vanished)
    live = (known for known in night.known if not known.memory.path.startswith("/archive/"))
    return [change for known in live for change in _over(night, known, gone)]


def _over(night: Night, known: Known, gone: dict[str, str]) -> Iterator[Change]:
    if known.document.pinned or known.document.problem:
        return
    today = night.now[:10]
    last = last_day(known)
    if last and last < today:
        reason, valid_to = f"held until {last}", last
    elif known.memory.version_id in gone:
        reason, valid_to = f"what it names is gone: {gone[known.memory.version_id]}", today
    else:
        return
    change = unchanged("archive", known, reason)
    yield replace(change, new_path=f"/archive/{today}{known.memory.path}", valid_to=valid_to)


def last_day(known: Known) -> str:
    """The day up to which a memory holds, as its history or its own words say; "" for no end."""
    if known.memory.valid_to:
        return known.memory.valid_to[:10]
    said = _RE.last_day.search(known.text)
    return said[1] if said else ""


def write(night: Night) -> Night:
    """The changes of this night, those of most worth first."""
    desk = _Desk(night)
    changes: list[list[Change]] = []
    drops: list[Drop] = []
    asked = read(night.ask.instructions)
    chosen = [pattern for pattern in night.patterns if pattern.status == "pattern"]
    for pattern in sorted(chosen, key=lambda p: not stems(p.text) & asked.first):
        refused = _turned_down(pattern, night) or _elsewhere(pattern, night.ask)
        if not asked.wanted(pattern.text):
            refused = "the instructions leave it out"
        if refused:
            drops.append(Drop("write", pattern.text, refused))
            continue
        made = desk.changes(pattern)
        if made:
            changes.append(made)
        else:
            drops.append(Drop("write", pattern.text, "a memory says so, and nothing new was seen"))
    # What is new comes before more of what is known.
    changes.sort(key=lambda made: made[0].verb == "corroborate")
    offered = [change for made in changes for change in made]
    touched = {(change.store, change.path) for change in offered}
    for more in (night.edits, tidied(night), ended(night)):
        offered += [change for change in more if (change.store, change.path) not in touched]
        touched |= {(change.store, change.path) for change in more}
    note = f"{len(offered)} changes to {len({change.store for change in offered})} stores"
    return night.after("write", note, drops, changes=tuple(offered))


def _turned_down(pattern: Pattern, night: Night) -> str:
    """Why a pattern that a person rejected is not offered again; "" when it may be."""
    for rejected in night.rejected:
        same = rejected.pattern == pattern.group.id or "same" in _relations(rejected.text, pattern)
        if same and pattern.support < 2 * rejected.sessions:
            return f"rejected when seen in {rejected.sessions} sessions; asks again at twice that"
    return ""


def _elsewhere(pattern: Pattern, ask: Ask) -> str:
    """Why a pattern does not belong into the store asked for; "" when it does."""
    if ask.store != GLOBAL or pattern.scope == GLOBAL or pattern.type == "user":
        return ""
    return f"holds in {pattern.scope}, and {GLOBAL} is for what holds everywhere"


class _Desk:
    """Knows the memories and writes the changes of one pattern."""

    def __init__(self, night: Night) -> None:
        self._night = night
        self._known = [
            known for known in night.known if not known.memory.path.startswith("/archive/")
        ]
        self._taken = {(known.store, known.memory.path) for known in night.known}
        self._index = Alike[int]()
        for number, known in enumerate(self._known):
            self._index.add(number, stems(known.text))

    def changes(self, pattern: Pattern) -> list[Change]:
        store = GLOBAL if pattern.scope == GLOBAL or pattern.type == "user" else pattern.scope
        store = self._night.ask.store or store
        same, against = self._related(pattern)
        here = next((known for known in same if known.store in {store, GLOBAL}), None)
        if here is not None:
            more = self._corroborated(pattern, here)
            return [more] if more else []
        created = self._created(pattern, store, [*same, *against])
        moved = [self._superseded(pattern, old, created, moved=True) for old in same]
        return [created, *moved, *(self._superseded(pattern, old, created) for old in against)]

    def _related(self, pattern: Pattern) -> tuple[list[Known], list[Known]]:
        same: list[Known] = []
        against: list[Known] = []
        for near in self._index.near(stems(f"{pattern.text} {pattern.title}"), NEAREST):
            known = self._known[near]
            if known.store not in {GLOBAL, self._night.ask.store, *pattern.group.projects}:
                continue
            relations = _relations(known.text, pattern)
            # What tools show neither replaces nor moves what a person said.
            may_replace = as_trusted(pattern.group.trust, known.memory.trust)
            if "same" in relations and (may_replace or known.store in {pattern.scope, GLOBAL}):
                same.append(known)
            elif relations & AGAINST and may_replace and not known.document.pinned:
                against.append(known)
        return same, against

    def _corroborated(self, pattern: Pattern, known: Known) -> Change | None:
        had = set(known.document.evidence)
        seen = {item.rpartition("#")[0] for item in had}
        # Words that are trusted less than the memory would drag it down: they are left out.
        trusted = [m for m in pattern.group.members if as_trusted(m.trust, known.memory.trust)]
        new = [m for m in trusted if m.session not in seen and m.evidence not in had]
        if not new:
            return None
        document = known.document.resting_on(member.evidence for member in new)
        return self._change(pattern, "corroborate", known.store, known.memory.path, known, document)

    def _created(self, pattern: Pattern, store: str, replaced: Sequence[Known]) -> Change:
        document = document_of(pattern, store)
        paths = numbered(f"/{document.name}", ".md")
        path = next(free for free in paths if (store, free) not in self._taken)
        self._taken.add((store, path))
        document = replace(document, name=path.strip("/").removesuffix(".md"))
        verb: Verb = "correct" if store == "global" and _moves(replaced, pattern) else "create"
        change = self._change(pattern, verb, store, path, None, document)
        names = tuple(f"{known.store}:{known.document.name}" for known in replaced)
        return replace(change, replaces=(*names, *pattern.supersedes), forms=pattern.forms)

    def _superseded(
        self, pattern: Pattern, old: Known, by: Change, *, moved: bool = False
    ) -> Change:
        day = pattern.group.members[0].day if not moved else self._night.now[:10]
        winner = f"{by.store}:{stem(by.path)}"
        change = self._change(pattern, "supersede", old.store, old.memory.path, old, old.document)
        return replace(
            change,
            title=f"{old.text} → {pattern.title}",
            new_path=f"/archive/{self._night.now[:10]}{old.memory.path}",
            reason=f"{winner} holds instead",
            superseded_by=winner,
            valid_to=day,
            replaces=(),
            trust=old.memory.trust,
        )

    def _change(
        self, pattern: Pattern, verb: Verb, store: str, path: str, old: Known | None, new: Document
    ) -> Change:
        return change_of(
            verb,
            store,
            path,
            old,
            new.text(),
            title=pattern.title,
            reason=pattern.reason,
            support=pattern.sentence(),
            sessions=pattern.support,
            chance=pattern.chance,
            confidence=pattern.confidence,
            trust=old.memory.trust if old else pattern.group.trust,
            evidence=quotes_of(pattern),
            valid_from=pattern.valid_from,
            pattern=pattern.group.id,
            worth=pattern.worth,
        )


def _relations(known: str, pattern: Pattern) -> set[Relation]:
    """How a known text relates to what was seen, and to what is to be done about it."""
    return {relation(known, text) for text in (pattern.text, pattern.title)}


def document_of(pattern: Pattern, store: str) -> Document:
    """The memory a pattern becomes."""
    ids = dict.fromkeys(member.evidence for member in pattern.group.members)
    head = bodies.head(pattern.type, pattern.kind)
    reasons = (pattern.rule.reason, pattern.rule.counted) if pattern.rule else ()
    why = "; ".join((*filter(None, reasons), pattern.sentence()))
    lines = [f"**{head}:** {pattern.title}", f"**Why:** {why}."]
    if store != "global":
        # Every project reads the shared store: words stay in the projects they were said in.
        quotes = quotes_of(pattern)
        lines += [f"> {quote.quote}\n> — {quote.session}, {quote.at[:10]}" for quote in quotes]
    return Document(
        name=name_from(_RE.call.sub(_program, pattern.title)),
        description=pattern.title,
        type=pattern.type if pattern.type in TYPES else "feedback",
        kind=pattern.kind,
        scope=GLOBAL if store == GLOBAL else pattern.scope,
        created=pattern.valid_from[:10],
        trust=pattern.group.trust,
        support=pattern.support,
        evidence=tuple(ids)[-MAX_EVIDENCE:],
        body="\n\n".join(lines) + "\n",
    )


def _program(call: re.Match[str]) -> str:
    """A call without its options and what it is given: what it is spoken of as."""
    last = call[1].split(" && ")[-1]
    return " ".join(word for word in last.split() if _RE.plain_word.fullmatch(word))


def quotes_of(pattern: Pattern) -> tuple[Quoted, ...]:
    """One quote of each of the latest sessions, those that say it plainest and in other words.

    Where several say it in so many words, what only speaks of the same is not shown; what all say
    in the same words is shown twice.
    """
    members = list(reversed(pattern.group.members))
    if pattern.group.source == "said":
        plain = [member for member in members if says(member.text, pattern.text)]
        members = plain if len({member.session for member in plain}) > 1 else members
    wordings = Counter(_words_of(member) for member in members)
    subject = stems(pattern.text)
    members.sort(key=lambda each: (-len(subject & stems(each.text)), -wordings[_words_of(each)]))
    fresh: dict[str, Quoted] = {}
    again: dict[str, Quoted] = {}
    heard: set[str] = set()
    for member in members:
        quote = " ".join((member.quote or member.text).split())[:300]
        quoted = Quoted(member.evidence, member.session, member.at, quote, member.trust)
        if _words_of(member) in heard:
            again.setdefault(member.session, quoted)
        elif member.session not in fresh:
            fresh[member.session] = quoted
            heard.add(_words_of(member))
    repeated = [quoted for session, quoted in again.items() if session not in fresh]
    return (*fresh.values(), *repeated[: max(0, FEWEST_QUOTES - len(fresh))])[:QUOTES]


def _words_of(member: Observation) -> str:
    return " ".join(words(member.quote or member.text))


def _moves(replaced: Iterable[Known], pattern: Pattern) -> bool:
    return any(relation(known.text, pattern.text) == "same" for known in replaced)
