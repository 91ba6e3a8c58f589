"""One run of forgetting: date, pin, archive, prune, purge. First a plan, then, if asked, its deeds.

Every deed is a version with the reason, checked against what the plan had seen: an edit made
meanwhile wins, and the next run looks at it again.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple

from reverie.documents.document import Document
from reverie.documents.long_term import entry, section_of, tokens
from reverie.errors import Conflict, NotFound
from reverie.forget.archive import Archived, archived
from reverie.forget.decay import Fate, Rates, fate, quiet_days
from reverie.forget.hands import NONE, Hands, hands
from reverie.forget.life import Life, Past
from reverie.forget.pins import pin_for
from reverie.forget.stale import Stale
from reverie.settings import Forget
from reverie.store.causes import Cause
from reverie.store.library import Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.trust import TRUSTS, lowest

Deed = Literal["date", "pin", "archive", "prune", "purge"]
ORDER: tuple[Deed, ...] = ("date", "pin", "archive", "prune", "purge")
ACTOR = Actor("dream", "decay")


# Prune: which memories leave a long-term page that has grown over its budget.
HALF_AGE = 30.0  # days after which age alone has halved a memory's worth
HEAD_TOKENS = 200  # headings and the lines below the last section


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory of a long-term page."""

    name: str
    tokens: int
    life: Life
    quiet: int  # days since anything spoke for it


def worth(life: Life, quiet: int) -> float:
    """What would be lost: young, used, and dear to learn again all count."""
    used = 1.0 + math.log2(1.0 + life.uses)
    dear = 1.0 + math.log2(1.0 + max(life.support - 1, 0) + life.cost)
    return 2.0 ** (-quiet / HALF_AGE) * used * dear


def to_prune(entries: Iterable[Entry], budget: int) -> list[Entry]:
    """What has to go for the rest to fit into `budget` tokens, in the order it goes."""
    every = list(entries)
    size = HEAD_TOKENS + sum(entry.tokens for entry in every)
    free = [
        memory
        for memory in every
        if not (memory.life.pinned or memory.life.protected or memory.life.kept)
    ]
    free.sort(key=lambda memory: (worth(memory.life, memory.quiet), memory.name))
    gone: list[Entry] = []
    for memory in free:
        if size <= budget:
            break
        gone.append(memory)
        size -= memory.tokens
    return gone


class Step(NamedTuple):
    """One change of one memory, and why."""

    deed: Deed
    item: Item
    why: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do."""

    steps: tuple[Step, ...]
    looked_at: int
    next_leaves_in: int | None = None  # days until the next memory would be archived

    def count(self, deed: Deed) -> int:
        return sum(step.deed == deed for step in self.steps)

    @property
    def leaving(self) -> tuple[Step, ...]:
        """What would no longer be told."""
        return tuple(step for step in self.steps if step.deed in ("archive", "prune"))


@dataclass(frozen=True, slots=True)
class Decayed:
    """What a run did, or would do."""

    plan: Plan
    void: tuple[Step, ...]  # steps that somebody's edit prevented
    stale: tuple[Stale, ...]  # memories to look at again
    rates: Rates
    dry_run: bool

    def record(self) -> dict[str, Any]:
        """As it is written into the audit log and shown to programs."""
        plan, rates = self.plan, self.rates
        return {
            "dry_run": self.dry_run,
            "looked_at": plan.looked_at,
            "next_leaves_in": plan.next_leaves_in,
            "counts": {deed: plan.count(deed) for deed in ORDER} | {"stale": len(self.stale)},
            "rates": {
                "half_life_days": rates.half_life_days,
                "after_days": {str(days): rate for days, rate in rates.after},
                "corrections": rates.corrections,
                "standing": rates.standing,
                "mean": rates.mean,
                "least": rates.least,
            },
            "steps": [
                {
                    "deed": step.deed,
                    "store": step.item.store,
                    "name": step.item.name,
                    "path": step.item.memory.path,
                    "section": step.section or None,
                    "why": step.why,
                    "done": not self.dry_run and step not in self.void,
                }
                for step in plan.steps
            ],
            "stale": [
                {
                    "store": flag.item.store,
                    "name": flag.item.name,
                    "changes": [change._asdict() for change in flag.changes],
                }
                for flag in self.stale
            ],
        }


@dataclass(frozen=True, slots=True)
class Forgetter:
    """The parts a run needs."""

    store: Store
    settings: Forget
    now: datetime

    @property
    def today(self) -> date:
        return self.now.astimezone(UTC).date()

    @property
    def run_id(self) -> str:
        """Names this run in the reasons of what it archived; a later run has a greater one."""
        return f"decay_{self.now.astimezone(UTC):%Y%m%dT%H%M%SZ}"

    def plan(self, items: Sequence[Item], past: Past) -> Plan:
        """Look at `items` (live and archived) and say what is to be done with each."""
        steps: list[Step] = []
        staying: dict[str, list[tuple[Item, Life]]] = {}
        leaves: list[int] = []
        live = [item for item in items if not item.archived and not item.document.problem]
        known = hands(self.store, items)
        for item in live:
            had = known.get(item.memory.id, NONE)
            life = self._life(item, past, had)
            step, decided = self._one(item, life, had, past)
            if step is not None:
                steps.append(step)
                life = replace(life, pinned=life.pinned or step.deed == "pin")
            elif decided.leaves_in is not None:
                leaves.append(decided.leaves_in)
            if step is None or step.deed != "archive":
                staying.setdefault(item.store, []).append((item, life))
        for store in sorted(staying):
            steps += self._pruned(store, staying[store], past)
        steps += self._purged(items, past, known)
        steps.sort(
            key=lambda step: (ORDER.index(step.deed), step.item.store, step.item.memory.path)
        )
        return Plan(tuple(steps), len(live), min(leaves, default=None))

    def _life(self, item: Item, past: Past, had: Hands) -> Life:
        """The life of a memory, with what a person did with it."""
        life = past.life(item, self.settings.protected_sections)
        kept = life.kept
        if had.wrote and not life.harmful:
            kept = kept or "you wrote it"
        if had.released and (item.store, item.name) not in past.digest:
            kept = ""
        return replace(life, touched=had.touched, kept=kept)

    def _one(self, item: Item, life: Life, had: Hands, past: Past) -> tuple[Step | None, Fate]:
        """At most one step for a memory, and its fate if nothing is done."""
        section = section_of(item.document, item.store) or ""
        decided = fate(life, self._quiet(item.store, life, past), self.settings)
        if decided.action == "date":
            return Step("date", item, decided.why, section), decided
        # The profile has sections of its own; there a pin would protect nothing further.
        if self.settings.pin_by_rule and not (life.pinned or life.protected or had.unpinned):
            pin = pin_for(_trusted(item), life, self.today, self.settings)
            if pin is not None:
                return Step("pin", item, pin.reason, section), decided
        if decided.action == "archive":
            return Step("archive", item, decided.why, section), decided
        return None, decided

    def _quiet(self, store: str, life: Life, past: Past) -> int:
        return quiet_days(life, store, past.worked, self.today, self.settings)

    def _pruned(self, store: str, staying: Sequence[tuple[Item, Life]], past: Past) -> list[Step]:
        typed = [(i, life) for i, life in staying if section_of(i.document, store) is not None]
        by_name = {item.memory.path: item for item, _ in typed}
        entries = [
            Entry(
                item.memory.path,
                tokens(entry(item.document, store)) + 1,
                life,
                self._quiet(store, life, past),
            )
            for item, life in typed
        ]
        budget = self.settings.long_term_tokens
        return [
            Step("prune", by_name[memory.name], _over(store, budget, memory.life), "")
            for memory in to_prune(entries, budget)
        ]

    def _purged(self, items: Iterable[Item], past: Past, known: Mapping[str, Hands]) -> list[Step]:
        today = self.today.isoformat()
        days = self.settings.purge_after_days
        lying = archived(self.store, (item for item in items if item.archived), self.settings)
        return [
            Step(
                "purge", memory.item, f"in the archive since {memory.day}, longer than {days} days"
            )
            for memory in lying
            if memory.due(today) and not self._wronged(memory, past, known)
        ]

    def _wronged(self, memory: Archived, past: Past, known: Mapping[str, Hands]) -> bool:
        """Whether the calendar took away what today no day would: it waits to be asked for."""
        had = known.get(memory.item.memory.id, NONE)
        return memory.by_calendar and bool(self._life(memory.item, past, had).kept)

    def carry_out(self, plan: Plan) -> list[Step]:
        """Do it; returns the steps that somebody's edit made void."""
        library = Library(self.store)
        void: list[Step] = []
        for step in plan.steps:
            try:
                self._do(library, step)
            except (Conflict, NotFound):
                void.append(step)
        return void

    def _do(self, library: Library, step: Step) -> None:
        item, document = step.item, step.item.document
        match step.deed:
            case "date":
                dated = replace(document, created=self.today.isoformat())
                library.rewrite(item, dated, _by(item, f"dated: {step.why}"))
            case "pin":
                library.pin(item, step.why, _by(item, f"pinned {step.why}"))
            case "archive" | "prune":
                section = f" ({step.section})" if step.section else ""
                cause = Cause(
                    "decayed" if step.deed == "archive" else "pruned",
                    f"{item.store}:{item.memory.path}{section}: {step.why}",
                    batch=self.run_id,
                )
                library.archive(item, _by(item, cause.reason))
            case "purge":
                memory = item.memory
                self.store.delete(
                    memory.store_id,
                    memory.id,
                    if_sha256=memory.content_sha256,
                    by=_by(item, f"purged: {step.why}"),
                )


def _trusted(item: Item) -> Document:
    """The memory's document with no more trust than the memory has."""
    document = item.document
    trust = lowest(document.trust, item.memory.trust) if document.trust in TRUSTS else ""
    return replace(document, trust=trust)


def _by(item: Item, reason: str) -> Author:
    # Ageing says nothing new: the words keep the trust they had.
    return Author(ACTOR, reason, item.memory.trust)


def _over(store: str, budget: int, life: Life) -> str:
    used = f"used {life.uses} times" if life.uses else "never used"
    return (
        f"long-term memory of {store} is over {budget:,} tokens; last sign of it"
        f" {life.last_sign[:10] or 'unknown'}, {used}, said in {life.support} sessions"
    )
