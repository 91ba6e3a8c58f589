"""Receiving: packs of one store become part of this home, with what they redact and forget."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from reverie.db.database import Transaction
from reverie.db.points import reached
from reverie.documents.document import without_claims
from reverie.store import arrivals
from reverie.store.arrivals import MERGED, Change, Pen
from reverie.store.catalog import describe
from reverie.store.context import Context
from reverie.store.library import ARCHIVE
from reverie.store.writing import lock
from reverie.sync import forgetting, links
from reverie.sync.arrival import checked, note_redactions, ready, redactions_known
from reverie.sync.forgetting import Away
from reverie.sync.journal import note_described
from reverie.sync.links import Link
from reverie.sync.pack import Damaged, Pack, Redaction
from reverie.sync.sameness import say_the_same
from reverie.sync.settling import Settled, Settling


class _DryRun(Exception):
    """Ends the transaction of a look."""


@dataclass(slots=True)
class Taken:
    """What came in for one store."""

    versions: int = 0
    memories: int = 0  # new ones
    redacted: int = 0
    forgotten: int = 0  # deeds, done or taken back
    described: bool = False  # what the store is for was said on another machine
    settled: Settled = field(default_factory=Settled)
    refused: list[str] = field(default_factory=list[str])
    waiting: int = 0


class Receiver:
    """Writes what came by one link."""

    def __init__(self, context: Context, person: str, link: Link) -> None:
        self._context = context
        self._database = context.database
        self._person = person
        self._link = link

    def absorb(self) -> None:
        """Note what was redacted and forgotten here since the last time, and what follows.

        What this home merged from a redacted version, or kept beside, goes with it.
        """
        query = self._database.query
        known = {version for (version,) in query("SELECT version_id FROM sync_redactions")}
        new = [Redaction(*row) for row in arrivals.redacted(query) if row[0] not in known]
        if new:
            places = arrivals.whereabouts(query, (redaction.version for redaction in new))
            for store_id in sorted({place.store_id for place in places}):
                with self._database.atomic() as tx:
                    self._write(tx, store_id, {}, new, Taken())
            with self._database.atomic() as tx:
                note_redactions(tx, new)
        forgetting.absorb(self._database)

    def take(self, store_id: str, packs: Mapping[str, Pack], *, dry_run: bool = False) -> Taken:
        """Write what is complete of these packs into a store; all of it or nothing."""
        result = Taken()
        try:
            with self._database.atomic() as tx:
                known = set(redactions_known(tx)) | {
                    redaction.version
                    for pack in packs.values()
                    if pack.whose == "mine"
                    for redaction in pack.body.redactions
                }
                good = self._checked(packs, known, result)
                self._write(tx, store_id, good, [], result)
                if dry_run:
                    raise _DryRun
                reached("sync_arrived")
        except _DryRun:
            pass
        except Damaged as error:
            if len(packs) == 1:
                return Taken(refused=[f"{next(iter(packs))}: {error.message}"])
            # Somebody made a circle: whoever is not part of it is taken by itself.
            return _sum(
                self.take(store_id, {place: packs[place]}, dry_run=dry_run) for place in packs
            )
        return result

    def _checked(
        self, packs: Mapping[str, Pack], redacted: set[str], result: Taken
    ) -> dict[str, Pack]:
        good: dict[str, Pack] = {}
        for place, pack in packs.items():
            try:
                good[place] = checked(self._context, pack, redacted)
            except Damaged as error:
                result.refused.append(f"{place}: {error.message}")
        return good

    def _write(
        self,
        tx: Transaction,
        store_id: str,
        packs: Mapping[str, Pack],
        own_redactions: Sequence[Redaction],
        result: Taken,
    ) -> None:
        state = lock(self._context, tx, store_id, archived=True)
        # What this person signed counts, where somebody else tells the same version.
        now = ready(tx, dict(sorted(packs.items(), key=lambda item: item[1].whose == "mine")))
        result.waiting += now.waiting
        chosen = [packs[place] for place in now.packs]
        links.note_packs(tx, self._link, now.packs)
        pen = Pen(self._context, tx, state)
        named = {change.memory for change in now.changes}
        fresh = named - arrivals.known_memories(tx.execute, named)
        for change in now.changes:
            origin = f"{self._link.id} {change.person}".rstrip()
            pen.write(_unlowered(tx, change) if change.person else change, origin)
        named |= arrivals.claim(tx, _own(chosen), self._link.id)
        deeds = forgetting.take_over(tx, self._link, state.name, chosen)
        result.described = self._describe(tx, store_id, chosen)
        redactions = [*own_redactions, *self._believed(tx, chosen)]
        # What was emptied before has nothing left that is made of its words.
        full = arrivals.unredacted(tx.execute, (redaction.version for redaction in redactions))
        new = full | {redaction.version for redaction in own_redactions}
        emptied = _with_copies(tx, store_id, new)
        touched = named | {place.memory_id for place in arrivals.whereabouts(tx.execute, emptied)}
        away = Away(tx, self._database, state.name)
        if deeds:
            touched |= away.matching(store_id)
        if touched or emptied:
            begin = partial(Settling, tx, pen, self._person, away, say_the_same)
            blank = partial(self._blank, tx, result)
            settling = begin()
            settled = settling.settle(touched, partial(blank, redactions, emptied))
            joined = settling.join(fresh)
            result.settled = settled._replace(joined=joined)
            while left := settling.leftovers():
                # They may have been what others were merged over: those are settled without them.
                places = arrivals.whereabouts(tx.execute, left)
                settling = begin()
                settling.settle((place.memory_id for place in places), partial(blank, (), left))
            pen.finish()
        result.versions = len(now.changes)
        places = arrivals.paths_of(tx, fresh)
        result.memories = sum(not path.startswith(ARCHIVE) for path in places)
        result.forgotten = len(deeds)

    def _describe(self, tx: Transaction, store_id: str, packs: Iterable[Pack]) -> bool:
        """What this person says about the store, and said on another machine."""
        new = False
        for pack in packs:
            if pack.whose == "mine" and (described := pack.body.described):
                new |= describe(self._context, tx, store_id, described.words, described.at)
                note_described(tx, self._link, store_id, described)
        return new

    def _believed(self, tx: Transaction, packs: Sequence[Pack]) -> list[Redaction]:
        """The redactions that count: of another person only those of what they wrote."""
        believed: list[Redaction] = []
        for pack in packs:
            redactions = list(pack.body.redactions)
            if pack.whose == "theirs":
                redactions = [
                    redaction
                    for redaction in redactions
                    if _person_of(tx, redaction.version) == pack.person
                ]
            believed += redactions
        note_redactions(tx, believed)
        # What this home wrote or brought there is told again: its journal still holds the words.
        if not links.relays(tx, self._link):
            came = [
                redaction.version
                for redaction in believed
                if self._came_by_it(tx, redaction.version)
            ]
            links.note_told(tx, self._link, "redaction", came)
        return believed

    def _came_by_it(self, tx: Transaction, version: str) -> bool:
        """Whether this home has a version by this link, and never sent it there."""
        return _origin_of(tx, version).startswith(self._link.id)

    def _blank(
        self, tx: Transaction, result: Taken, redactions: Sequence[Redaction], emptied: set[str]
    ) -> None:
        """Take the words out of versions, for good."""
        by = {redaction.version: redaction for redaction in redactions}
        for version in sorted(emptied):
            redaction = by.get(
                version, Redaction(version, self._context.now(), "filesystem", "sync")
            )
            if arrivals.empty(tx, *redaction):
                result.redacted += 1
                # Until the old bytes are overwritten, which a kill may prevent.
                links.note_told(tx, self._link, "scrub", [""])
                note_redactions(tx, [redaction])


def _own(packs: Iterable[Pack]) -> list[str]:
    """The versions that this person signed as their own."""
    return [
        change.id
        for pack in packs
        if pack.whose == "mine"
        for change in pack.body.changes
        if not change.person
    ]


def _sum(parts: Iterable[Taken]) -> Taken:
    whole = Taken()
    for part in parts:
        whole.versions += part.versions
        whole.memories += part.memories
        whole.redacted += part.redacted
        whole.forgotten += part.forgotten
        whole.described |= part.described
        whole.waiting += part.waiting
        whole.refused += part.refused
        both = zip(whole.settled, part.settled, strict=True)
        whole.settled = Settled(*((*mine, *more) for mine, more in both))
    return whole


def _person_of(tx: Transaction, version: str) -> str:
    return _origin_of(tx, version).partition(" ")[2]


def _origin_of(tx: Transaction, version: str) -> str:
    return next((place.origin for place in arrivals.whereabouts(tx.execute, [version])), "")


def _unlowered(tx: Transaction, change: Change) -> Change:
    """Another person's version; where it repeats the words before it, those keep their trust."""
    if change.content is None:
        return change
    for parent in change.parents:
        if (words := arrivals.words_of(tx, parent)) is not None:
            content, trust = words
            if without_claims(content, "agent", path=change.path or "") == change.content:
                return change._replace(content=content, trust=trust)
    return change


def _with_copies(tx: Transaction, store_id: str, versions: Iterable[str]) -> set[str]:
    """Redacted versions of a store, and what was merged from them or kept beside for them."""
    places = arrivals.whereabouts(tx.execute, versions)
    memory_of = {place.id: place.memory_id for place in places if place.store_id == store_id}
    for made in arrivals.made_from_others(tx, store_id) if memory_of else ():
        used = made.parents & memory_of.keys()
        apart = any(memory_of[version] != made.memory_id for version in used)
        if apart or (used and made.origin == MERGED):
            memory_of[made.id] = made.memory_id
    return set(memory_of)
