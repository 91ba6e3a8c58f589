"""Receiving: packs of one store become part of this home, with what they redact and forget."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reverie.db.database import Transaction
from reverie.db.points import reached
from reverie.documents.document import without_claims
from reverie.sessions.forgotten import Forgotten, Said
from reverie.store.context import Context
from reverie.store.writing import lock
from reverie.sync import links
from reverie.sync.arrival import (
    Pen,
    checked,
    note_redactions,
    ready,
    redactions_known,
)
from reverie.sync.facts import MERGED
from reverie.sync.links import Link
from reverie.sync.pack import Change, Damaged, Forgetting, Pack, Redaction
from reverie.sync.sameness import claim_of, say_the_same
from reverie.sync.settling import Settled, Settling

_SCRUB = "sync scrub"  # in `notices`: something was emptied whose old bytes are still there
_CHUNK = 400


class _DryRun(Exception):
    """Ends the transaction of a look."""


@dataclass(slots=True)
class Taken:
    """What came in for one store."""

    versions: int = 0
    memories: int = 0  # new ones
    redacted: int = 0
    forgotten: int = 0  # deeds, done or taken back
    settled: Settled = field(default_factory=Settled)
    refused: list[str] = field(default_factory=list[str])
    waiting: int = 0


class Receiver:
    """Writes what came by one link."""

    def __init__(self, context: Context, link: Link) -> None:
        self._context = context
        self._database = context.database
        self._link = link

    def absorb(self) -> None:
        """Note what was redacted and forgotten here since the last time, and what follows.

        What this home merged from a redacted version, or kept beside, goes with it.
        """
        rows = self._database.query(
            "SELECT id, redacted_at, redacted_kind, redacted_id FROM versions"
            " WHERE redacted_at IS NOT NULL"
            " AND id NOT IN (SELECT version_id FROM sync_redactions)"
        )
        new = [Redaction(row[0], row[1], row[2] or "filesystem", row[3] or "") for row in rows]
        if new:
            for store_id in sorted(self._stores_of(one.version for one in new)):
                with self._database.atomic() as tx:
                    self._write(tx, store_id, {}, new, Taken())
            with self._database.atomic() as tx:
                note_redactions(tx, new)
        self._absorb_deeds()

    def _absorb_deeds(self) -> None:
        rows = self._database.query("SELECT DISTINCT deed FROM forgotten")
        here = {deed for (deed,) in rows}
        known = dict(self._database.query("SELECT deed, lifted FROM sync_deeds"))
        new = sorted(here - known.keys())
        gone = sorted(deed for deed, lifted in known.items() if not lifted and deed not in here)
        if new or gone:
            with self._database.atomic() as tx:
                _note_deeds(tx, new, lifted=False)
                _note_deeds(tx, gone, lifted=True)

    def _stores_of(self, versions: Iterable[str]) -> set[str]:
        found: set[str] = set()
        wanted = sorted(versions)
        for start in range(0, len(wanted), _CHUNK):
            some = wanted[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            rows = self._database.query(
                f"SELECT DISTINCT store_id FROM versions WHERE id IN ({marks})", some
            )
            found |= {store for (store,) in rows}
        return found

    def take(self, store_id: str, packs: Mapping[str, Pack], *, dry_run: bool = False) -> Taken:
        """Write what is complete of these packs into a store; all of it or nothing."""
        result = Taken()
        try:
            with self._database.atomic() as tx:
                known = set(redactions_known(tx)) | {
                    one.version
                    for pack in packs.values()
                    if pack.whose == "mine"
                    for one in pack.body.redactions
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
            return _sum(self.take(store_id, {one: packs[one]}, dry_run=dry_run) for one in packs)
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
        own: Sequence[Redaction],
        result: Taken,
    ) -> None:
        state = lock(self._context, tx, store_id, archived=True)
        now = ready(tx, packs)
        result.waiting += now.waiting
        chosen = [packs[place] for place in now.packs]
        links.note_packs(tx, self._link, now.packs)
        pen = Pen(self._context, tx, state)
        fresh = self._unknown(tx, now.changes)
        origins = {change.id: self._origin(pack) for pack in chosen for change in pack.body.changes}
        for change in now.changes:
            theirs = " " in origins[change.id]
            pen.write(_unlowered(tx, change) if theirs else change, origins[change.id])
        deeds = self._forget(tx, state.name, chosen)
        redactions = [*own, *self._believed(tx, chosen)]
        # What was emptied before has nothing left that is made of its words.
        full = _unredacted(tx, (one.version for one in redactions))
        new = full | {one.version for one in own}
        emptied = _with_copies(tx, store_id, new)
        touched = {change.memory for change in now.changes}
        touched |= {memory for _, memory in _memory_ids(tx, emptied, store_id)}
        away = _Away(tx, self._context, state.name)
        if deeds:
            touched |= away.matching(store_id)
        if touched or emptied:
            settling = Settling(self._context, tx, pen, away, say_the_same)

            def blank() -> None:
                self._blank(tx, redactions, emptied, result)

            settled = settling.settle(touched, blank)
            joined = settling.join(fresh)
            result.settled = settled._replace(joined=joined)
            self._blank(tx, (), settling.leftovers(), result)
            pen.finish()
        result.versions, result.memories = len(now.changes), len(fresh)
        result.forgotten = len(deeds)

    def _origin(self, pack: Pack) -> str:
        return self._link.id if pack.whose == "mine" else f"{self._link.id} {pack.person}"

    def _unknown(self, tx: Transaction, changes: Sequence[Change]) -> set[str]:
        """Memories that are not here yet."""
        named = sorted({change.memory for change in changes})
        here: set[str] = set()
        for start in range(0, len(named), _CHUNK):
            some = named[start : start + _CHUNK]
            marks = ", ".join("?" * len(some))
            sql = f"SELECT DISTINCT memory_id FROM versions WHERE memory_id IN ({marks})"
            here |= {one for (one,) in tx.execute(sql, some)}
        return set(named) - here

    def _believed(self, tx: Transaction, packs: Sequence[Pack]) -> list[Redaction]:
        """The redactions that count: of another person only those of what they wrote."""
        found: list[Redaction] = []
        for pack in packs:
            given = list(pack.body.redactions)
            if pack.whose == "theirs":
                theirs = f"{self._link.id} {pack.person}"
                given = [one for one in given if _origin_of(tx, one.version) == theirs]
            found += given
        note_redactions(tx, found)
        # What this home sent itself is told again: its journal still holds the words.
        theirs = [one.version for one in found if _origin_of(tx, one.version)]
        links.note_told(tx, self._link, "redaction", theirs)
        return found

    def _blank(
        self, tx: Transaction, redactions: Sequence[Redaction], emptied: set[str], result: Taken
    ) -> None:
        """Take the words out of versions, for good."""
        by = {one.version: one for one in redactions}
        for version in sorted(emptied):
            one = by.get(version, Redaction(version, self._context.now(), "filesystem", "sync"))
            gone = tx.execute(
                "UPDATE versions SET path = NULL, content = NULL, content_sha256 = NULL,"
                " size_bytes = NULL, salt = NULL, redacted_at = ?, redacted_kind = ?,"
                " redacted_id = ? WHERE id = ? AND redacted_at IS NULL RETURNING 1",
                (one.at, one.kind, one.who, version),
            )
            result.redacted += len(gone)
            if gone:
                tx.execute(
                    "INSERT INTO notices (name, told_at) VALUES (?, ?)"
                    " ON CONFLICT (name) DO NOTHING",
                    (_SCRUB, self._context.now()),
                )
                note_redactions(tx, [one])

    def left_to_scrub(self) -> bool:
        """Whether something was emptied whose bytes may still be in the file."""
        return bool(self._database.query("SELECT 1 FROM notices WHERE name = ?", (_SCRUB,)))

    def scrubbed(self) -> None:
        with self._database.atomic() as tx:
            tx.execute("DELETE FROM notices WHERE name = ?", (_SCRUB,))

    def _forget(self, tx: Transaction, name: str, packs: Sequence[Pack]) -> list[str]:
        """Take over what the person had forgotten on another machine, or took back there."""
        known = dict(tx.execute("SELECT deed, lifted FROM sync_deeds"))
        new: list[str] = []
        for pack in packs:
            if pack.whose == "theirs":
                continue
            for deed in pack.body.forgotten:
                if deed.deed not in known:
                    _bury(tx, deed, "" if deed.everywhere else name)
                    known[deed.deed] = 0
                    new.append(deed.deed)
            for lifted in pack.body.lifted:
                if not known.get(lifted):
                    tx.execute("DELETE FROM forgotten WHERE deed = ?", (lifted,))
                    _note_deeds(tx, [lifted], lifted=True)
                    known[lifted] = 1
                    new.append(lifted)
            told = [deed.deed for deed in pack.body.forgotten]
            links.note_told(tx, self._link, "deed", told)
            links.note_told(tx, self._link, "lifted", pack.body.lifted)
        return new


def _sum(parts: Iterable[Taken]) -> Taken:
    whole = Taken()
    for part in parts:
        whole.versions += part.versions
        whole.memories += part.memories
        whole.redacted += part.redacted
        whole.forgotten += part.forgotten
        whole.waiting += part.waiting
        whole.refused += part.refused
        both = zip(whole.settled, part.settled, strict=True)
        whole.settled = Settled(*((*mine, *more) for mine, more in both))
    return whole


class _Away:
    """Which memories say what a person had forgotten."""

    def __init__(self, tx: Transaction, context: Context, name: str) -> None:
        self._tx = tx
        self._project = name
        self._known = Forgotten(context.database)

    def __call__(self, path: str, content: str, since: str) -> str:
        """The day on which the words were forgotten; "" when they were not."""
        if not self._known or not path.endswith(".md"):
            return ""
        deeds = {
            deed
            for words in claim_of(content, path)
            for deed in self._known.deeds(Said("", self._project, (), at=since, whole=words))
        }
        if not deeds:
            return ""
        marks = ", ".join("?" * len(deeds))
        sql = f"SELECT min(until) FROM forgotten WHERE deed IN ({marks})"
        ((until,),) = self._tx.execute(sql, sorted(deeds))
        return str(until)[:10]

    def matching(self, store_id: str) -> set[str]:
        """The memories in their places that say it."""
        rows = self._tx.execute(
            "SELECT m.id, m.path, v.content, m.created_at FROM memories m"
            " JOIN versions v ON v.id = m.version_id"
            " WHERE m.store_id = ? AND m.path NOT LIKE '/archive/%'",
            (store_id,),
        )
        return {row[0] for row in rows if self(row[1], row[2] or "", row[3])}


def _bury(tx: Transaction, deed: Forgetting, project: str) -> None:
    tx.execute_many(
        "INSERT INTO forgotten (deed, kind, value, project, until) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (deed, kind, value) DO NOTHING",
        [(deed.deed, kind, value, project, deed.until) for kind, value in deed.rows],
    )
    _note_deeds(tx, [deed.deed], lifted=False)


def _note_deeds(tx: Transaction, deeds: Iterable[str], *, lifted: bool) -> None:
    tx.execute_many(
        "INSERT INTO sync_deeds (deed, lifted) VALUES (?, ?)"
        " ON CONFLICT (deed) DO UPDATE SET lifted = excluded.lifted",
        [(deed, int(lifted)) for deed in deeds],
    )


def _origin_of(tx: Transaction, version: str) -> str:
    rows = tx.execute("SELECT origin FROM versions WHERE id = ?", (version,))
    return str(rows[0][0] or "") if rows else ""


def _unlowered(tx: Transaction, change: Change) -> Change:
    """Another person's version; where it repeats the words before it, those keep their trust."""
    if change.content is None:
        return change
    for parent in change.parents:
        rows = tx.execute("SELECT content, trust FROM versions WHERE id = ?", (parent,))
        if rows and rows[0][0] is not None:
            content, trust = rows[0]
            if without_claims(content, "agent", path=change.path or "") == change.content:
                return change._replace(content=content, trust=trust)
    return change


def _unredacted(tx: Transaction, versions: Iterable[str]) -> set[str]:
    wanted = sorted(set(versions))
    found: set[str] = set()
    for start in range(0, len(wanted), _CHUNK):
        some = wanted[start : start + _CHUNK]
        marks = ", ".join("?" * len(some))
        sql = f"SELECT id FROM versions WHERE redacted_at IS NULL AND id IN ({marks})"
        found |= {one for (one,) in tx.execute(sql, some)}
    return found


def _with_copies(tx: Transaction, store_id: str, versions: Iterable[str]) -> set[str]:
    """Redacted versions of a store, and what was merged from them or kept beside for them."""
    memory_of = dict(_memory_ids(tx, versions, store_id))
    found = set(memory_of)
    if not found:
        return found
    made = [
        (version, memory, set(json.loads(parents)), origin)
        for version, memory, parents, origin in tx.execute(
            "SELECT id, memory_id, parents, origin FROM versions"
            " WHERE store_id = ? AND parents IS NOT NULL ORDER BY sequence",
            (store_id,),
        )
    ]
    for version, memory, parents, origin in made:
        from_redacted = parents & found
        if from_redacted and (
            origin == MERGED or any(memory_of.get(one) != memory for one in from_redacted)
        ):
            found.add(version)
            memory_of[version] = memory
    return found


def _memory_ids(tx: Transaction, versions: Iterable[str], store_id: str) -> list[tuple[str, str]]:
    """Those of these versions that a store has, with the memory of each."""
    wanted = sorted(set(versions))
    found: list[tuple[str, str]] = []
    for start in range(0, len(wanted), _CHUNK):
        some = wanted[start : start + _CHUNK]
        marks = ", ".join("?" * len(some))
        rows = tx.execute(
            f"SELECT id, memory_id FROM versions WHERE store_id = ? AND id IN ({marks})",
            (store_id, *some),
        )
        found += [(version, memory) for version, memory in rows]
    return found
