"""A dream as a run: leased, recorded, resumable, ending in a proposal or in nothing to do."""

import hashlib
import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from reverie.clock import Clock, iso
from reverie.db import leases
from reverie.db.points import reached
from reverie.documents.document import load
from reverie.dream.model import Ask, Change, Known, Night, Reach, Step
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposal, Proposals
from reverie.dream.steps.check import check
from reverie.dream.steps.diaries import noted
from reverie.dream.steps.form import form
from reverie.dream.steps.gather import SOURCES, gather
from reverie.dream.steps.group import group
from reverie.dream.steps.settle import settle
from reverie.dream.steps.weigh import weigh
from reverie.dream.steps.write import write
from reverie.privacy import redact_value
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import diaries
from reverie.sessions.forgotten import Forgotten
from reverie.sessions.index import Index
from reverie.sessions.labels import Labels
from reverie.sessions.query import SessionRow
from reverie.store import roads
from reverie.store.library import GLOBAL, is_memory
from reverie.store.model import Actor, Author, Memory, StoreInfo
from reverie.store.store import Store

Progress = Callable[[int, int], None]


# The steps of a dream, in order: what there is in the sessions, and what to propose of it.
READING: tuple[tuple[str, Step], ...] = (
    ("gather", gather),
    ("group", group),
    ("weigh", weigh),
    ("settle", settle),
)
STEPS: tuple[tuple[str, Step], ...] = (
    *READING,
    ("form", form),
    ("write", write),
    ("check", check),
)


def settled(night: Night) -> Night:
    """What the rules find, before anything is proposed."""
    for _, step in READING:
        night = step(night)
    return night


def dream(
    night: Night, after: Callable[[str, Night], None] | None = None, think: Step | None = None
) -> Night:
    """Run all steps; `after` is told when one is done.

    Args:
        think: What a model found, put in the place of the rules' own once these are settled.
    """
    for name, step in STEPS:
        night = step(night)
        if name == READING[-1][0] and think is not None:
            night = think(night)
        if after is not None:
            after(name, night)
    return night


@dataclass(frozen=True, slots=True)
class Run:
    """One dream that is over."""

    id: str  # "" for one that left no trace
    night: Night
    proposal: Proposal | None  # None: there was nothing to propose
    applied: tuple[str, ...] = ()  # the changes that were made at once
    into: str = ""  # the new store they were made in; "" when it was those that are there


class Dreamer:
    """Dreams over an index and the stores."""

    def __init__(
        self,
        store: Store,
        index: Index,
        clock: Clock,
        vanished: Mapping[str, str] | None = None,
        think: Step | None = None,
    ) -> None:
        """`vanished`: version ids of memories, with what they name that is no longer there."""
        self._think = think
        self._store = store
        self._index = index
        self._clock = clock
        self._proposals = Proposals(store.database, clock)
        self._vanished = tuple(sorted((vanished or {}).items()))

    def dry(self, ask: Ask, after: Callable[[str, Night], None] | None = None) -> Night:
        """Dream without a trace; `after` is told when a step is done."""
        return dream(self.night(ask), after, self._think)

    def run(self, ask: Ask, progress: Progress | None = None) -> Run:
        """Dream and offer the result.

        A run that died is gone on with under its own id: the steps have no effects before the
        proposal is stored, which happens together with the record of the run, or not at all.

        Raises:
            LeaseHeld: another dream about the same stores is going on.
        """
        scope = _scope(ask)
        database = self._store.database
        lease = leases.take(database, self._clock, scope, doing=f"a dream about {scope}")
        try:
            night = self.night(ask)
            identity = self._begin(ask, scope, lease, night)
            reached("dream_begun")
            timings: list[tuple[str, str]] = []

            def told(name: str, state: Night) -> None:
                timings.append((name, iso(self._clock())))
                reached(f"dream_{name}")
                if progress is not None:
                    progress(len(timings), len(STEPS))

            night = dream(night, told, self._think)
            proposal = self._end(identity, lease, night, timings)
        finally:
            leases.give_back(database, lease)
        return Run(identity, night, self._proposals.find(proposal) if proposal else None)

    def apply_unattended(self, proposal: Proposal) -> list[str]:
        """Apply what needs no person; what rests on tools or the web alone keeps waiting."""
        applying = Applying(self._store, self._proposals)
        done: list[str] = []
        for offer in proposal.offers:
            if offer.status == "pending" and not offer.change.quarantined:
                result = applying.accept(offer, actor=Actor("dream", proposal.dream))
                if result.outcome == "done":
                    done.append(offer.id)
        return done

    def into(self, run: Run, name: str) -> Run:
        """Write a new store: all that the dream was about, with the changes made; inputs stay."""
        changes = [change for change in run.night.changes if not change.quarantined]
        replaced = {(change.store, change.path) for change in changes if change.before_sha256}
        inputs = run.night.stores
        about = inputs[0].description if len(inputs) == 1 else ""
        names = ", ".join(info.name for info in inputs) or "no store"
        by = Author(Actor("dream", run.id), f"copied from {names} by {run.id}")
        # All of it or nothing: a store that is there is taken for whole.
        with self._store.database.atomic():
            new = self._store.create_store(name, about or f"dreamt from {names}").id
            for store, memory in list(self._memories(inputs)):
                if (store, memory.path) not in replaced:
                    self._copy(new, memory.path, memory.content, by, memory)
            for change in changes:
                self._copy(new, change.new_path or change.path, change.after, by, change)
        return replace(run, applied=tuple(change.id for change in changes), into=name)

    def _copy(self, store: str, path: str, text: str, by: Author, like: Memory | Change) -> None:
        dated = by._replace(
            trust=like.trust, valid_from=like.valid_from or None, valid_to=like.valid_to or None
        )
        roads.enter(self._store, store, path, text, dated, roads.DREAMT_APART)

    def night(self, ask: Ask) -> Night:
        """What a dream begins with."""
        since = self._last(ask) if ask.new else ""
        rows = [row for row in self._index.sessions() if _wanted(row, ask) and _end(row) > since]
        if ask.last:
            chosen = Chosen(self._index.database, tuple(row.key for row in rows))
            latest = {diary.session for diary in diaries(chosen)[-ask.last :]}
            rows = [row for row in rows if row.key in latest]
        names = _reached(ask, rows)
        stores = self._stores(names)
        known = tuple(
            Known(store, memory, load(memory.content, path=memory.path))
            for store, memory in self._memories(stores, ask.store)
            if is_memory(memory.path)
        )
        versions = {entry.memory.version_id for entry in known}
        sources = (*SOURCES, noted(self._store))
        return Night(
            ask=ask,
            now=iso(self._clock()),
            reach=Reach(
                self._index.database,
                rows,
                sources,
                Forgotten(self._store.database),
                Labels(self._store.database).all(),
            ),
            stores=stores,
            known=known,
            rejected=self._proposals.rejected(names),
            vanished=tuple(gone for gone in self._vanished if gone[0] in versions),
        )

    def _last(self, ask: Ask) -> str:
        """When the last dream about the same began; "" when there was none."""
        rows = self._store.database.query(
            "SELECT MAX(started_at) FROM dreams WHERE scope = ? AND status <> 'running'",
            (_scope(ask),),
        )
        return str(rows[0][0] or "")

    def _stores(self, names: Container[str] | None) -> tuple[StoreInfo, ...]:
        stores = [
            info
            for info in self._store.stores()
            if names is None or info.name in names or info.id in names
        ]
        return tuple(sorted(stores, key=lambda info: (info.name, info.id)))

    def _memories(
        self, stores: Iterable[StoreInfo], asked: str | None = None
    ) -> Iterator[tuple[str, Memory]]:
        for info in stores:
            # By its id where it was asked for so: others may have the same name.
            name = info.id if asked == info.id else info.name
            for memory in self._store.walk(info.id):
                yield name, memory

    def _begin(self, ask: Ask, scope: str, lease: leases.Lease, night: Night) -> str:
        inputs = _inputs(night)
        asked = json.dumps(redact_value(asdict(ask), self._store.context.redact), sort_keys=True)
        with self._store.database.atomic() as tx:
            leases.fence(tx, lease)
            unfinished = tx.execute(
                "SELECT id FROM dreams WHERE scope = ? AND status = 'running' AND inputs = ?"
                " AND asked = ? ORDER BY started_at LIMIT 1",
                (scope, inputs, asked),
            )
            if unfinished:
                identity = str(unfinished[0][0])
                tx.execute("UPDATE dreams SET token = ? WHERE id = ?", (lease.token, identity))
                return identity
            seed = f"{scope}\0{inputs}\0{asked}\0{lease.token}"
            identity = "drm_" + hashlib.sha256(seed.encode()).hexdigest()[:16]
            tx.execute(
                "INSERT INTO dreams (id, scope, status, token, inputs, asked, steps, started_at)"
                " VALUES (?, ?, 'running', ?, ?, ?, '[]', ?)",
                (identity, scope, lease.token, inputs, asked, iso(self._clock())),
            )
        return identity

    def _end(
        self, identity: str, lease: leases.Lease, night: Night, timings: list[tuple[str, str]]
    ) -> str | None:
        steps = {
            "notes": [list(note) for note in night.notes],
            "ended": timings,
            "cost": {"tokens": 0, "usd": 0.0},
        }
        with self._store.database.atomic() as tx:
            leases.fence(tx, lease)
            proposal = self._proposals.add(tx, identity, night.changes) if night.changes else None
            tx.execute(
                "UPDATE dreams SET status = ?, steps = ?, proposal = ?, finished_at = ?"
                " WHERE id = ?",
                (
                    "done" if proposal else "nothing",
                    json.dumps(steps, ensure_ascii=False, sort_keys=True),
                    proposal,
                    iso(self._clock()),
                    identity,
                ),
            )
            reached("dream_offered")
        return proposal


def _scope(ask: Ask) -> str:
    return ask.store or ask.project or "all"


def _end(row: SessionRow) -> str:
    return max(row.started, row.ended)


def _wanted(row: SessionRow, ask: Ask) -> bool:
    if ask.project is not None and row.project != ask.project:
        return False
    if ask.since and _end(row) < ask.since:
        return False
    return not ask.sessions or row.key in ask.sessions


def _reached(ask: Ask, rows: Iterable[SessionRow]) -> frozenset[str] | None:
    """The stores a dream reads and changes: the one asked for, else those its sessions belong to;
    None for all, when it is about everything."""
    if ask.store:
        return frozenset({ask.store})
    narrowed = ask.project or ask.since or ask.sessions or ask.last or ask.new
    return frozenset({GLOBAL, *(row.project for row in rows)}) if narrowed else None


def _inputs(night: Night) -> str:
    """A hash of all a dream reads: sessions with their ends, memories with their versions."""
    digest = hashlib.sha256()
    for row in night.reach.rows if night.reach else ():
        digest.update(f"{row.key}\0{row.ended}\0{row.turns}\n".encode("utf-8", "replace"))
    for known in night.known:
        digest.update(f"{known.store}\0{known.memory.path}\0{known.memory.version_id}\n".encode())
    digest.update(repr(night.vanished).encode("utf-8", "replace"))
    return digest.hexdigest()
