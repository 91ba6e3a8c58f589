"""One run of forgetting: date, pin, archive, prune, purge. First a plan, then, if asked, its deeds.

Every deed is a version with the reason, checked against what the plan had seen: an edit made
meanwhile wins, and the next run looks at it again.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple

from reverie.config import Forget
from reverie.documents.long_term import entry, section_of, tokens
from reverie.errors import Conflict, NotFound
from reverie.forget.archive import archived
from reverie.forget.decay import Life, Past, Rates, fate
from reverie.forget.pins import pin_for
from reverie.forget.stale import Stale
from reverie.store.library import Item, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store

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


def worth(life: Life, today: date) -> float:
    """What would be lost: young, used, and dear to learn again all count."""
    try:
        age = max(0, (today - date.fromisoformat(life.last_sign[:10])).days)
    except ValueError:
        age = 0
    used = 1.0 + math.log2(1.0 + life.uses)
    dear = 1.0 + math.log2(1.0 + max(life.support - 1, 0) + life.cost)
    return 2.0 ** (-age / HALF_AGE) * used * dear


def to_prune(entries: Iterable[Entry], budget: int, today: date) -> list[Entry]:
    """What has to go for the rest to fit into `budget` tokens, in the order it goes."""
    every = list(entries)
    size = HEAD_TOKENS + sum(entry.tokens for entry in every)
    free = [one for one in every if not (one.life.pinned or one.life.protected)]
    free.sort(key=lambda one: (worth(one.life, today), one.name))
    gone: list[Entry] = []
    for one in free:
        if size <= budget:
            break
        gone.append(one)
        size -= one.tokens
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
    next_leaves: str = ""  # the day the next memory would be archived

    def count(self, deed: Deed) -> int:
        return sum(step.deed == deed for step in self.steps)


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
            "next_leaves": plan.next_leaves or None,
            "counts": {deed: plan.count(deed) for deed in ORDER} | {"stale": len(self.stale)},
            "rates": {
                "half_life_days": rates.half_life_days,
                "after_days": {str(days): rate for days, rate in rates.after},
                "corrections": rates.corrections,
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
                    "store": one.item.store,
                    "name": one.item.name,
                    "changes": [change._asdict() for change in one.changes],
                }
                for one in self.stale
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

    def plan(self, items: Sequence[Item], past: Past) -> Plan:
        """Look at `items` (live and archived) and say what is to be done with each."""
        steps: list[Step] = []
        staying: dict[str, list[tuple[Item, Life]]] = {}
        leaves: list[str] = []
        live = [item for item in items if not item.archived and not item.document.problem]
        for item in live:
            life = past.life(item, self.settings.protected_sections)
            step, life, leaving = self._one(item, life)
            if step is not None:
                steps.append(step)
            if leaving:
                leaves.append(leaving)
            if step is None or step.deed != "archive":
                staying.setdefault(item.store, []).append((item, life))
        for store in sorted(staying):
            steps += self._pruned(store, staying[store])
        steps += self._purged(items)
        steps.sort(key=lambda one: (ORDER.index(one.deed), one.item.store, one.item.memory.path))
        return Plan(tuple(steps), len(live), min(leaves, default=""))

    def _one(self, item: Item, life: Life) -> tuple[Step | None, Life, str]:
        """At most one step for a memory, its life as it then is, and the day it would leave."""
        section = section_of(item.document, item.store) or ""
        decided = fate(life, self.today, self.settings)
        if decided.action == "archive":
            # Only now is the history worth reading: did a person hold on to it?
            life = replace(life, touched=self._touched(item))
            decided = fate(life, self.today, self.settings)
        if decided.action == "date":
            dated = replace(life, written=self.today.isoformat())
            return Step("date", item, decided.why, section), dated, ""
        if self.settings.pin_by_rule and not life.pinned:
            pin = pin_for(item.document, life, self.today, self.settings)
            # The profile has sections of its own; there a pin would protect nothing further.
            wanted = pin is not None and not life.protected and not self._unpinned(item)
            if pin is not None and wanted:
                return Step("pin", item, pin.reason, section), replace(life, pinned=True), ""
        if decided.action == "archive":
            return Step("archive", item, decided.why, section), life, ""
        return None, life, decided.leaves

    def _touched(self, item: Item) -> str:
        memory = item.memory
        page = self.store.versions(memory.store_id, memory.id, actor=Actor("user"), limit=1)
        return page.items[0].created_at[:10] if page.items else ""

    def _unpinned(self, item: Item) -> bool:
        memory = item.memory
        page = self.store.versions(memory.store_id, memory.id, actor=Actor("user"))
        return any(version.cause.kind == "unpinned" for version in page.items)

    def _pruned(self, store: str, staying: Sequence[tuple[Item, Life]]) -> list[Step]:
        typed = [(i, life) for i, life in staying if section_of(i.document, store) is not None]
        by_name = {item.memory.path: item for item, _ in typed}
        entries = [
            Entry(item.memory.path, tokens(entry(item.document, store)) + 1, life)
            for item, life in typed
        ]
        budget = self.settings.long_term_tokens
        return [
            Step("prune", by_name[one.name], _over(store, budget, one.life), "")
            for one in to_prune(entries, budget, self.today)
        ]

    def _purged(self, items: Iterable[Item]) -> list[Step]:
        today = self.today.isoformat()
        days = self.settings.purge_after_days
        lying = archived(self.store, (item for item in items if item.archived), self.settings)
        return [
            Step("purge", one.item, f"in the archive since {one.day}, longer than {days} days")
            for one in lying
            if one.due(today)
        ]

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
                verb = "decayed" if step.deed == "archive" else "pruned"
                source = f"from {item.store}:{item.memory.path}"
                section = f" ({step.section})" if step.section else ""
                library.archive(item, _by(item, f"{verb} {source}{section}: {step.why}"))
            case "purge":
                memory = item.memory
                self.store.delete(
                    memory.store_id,
                    memory.id,
                    if_sha256=memory.content_sha256,
                    by=_by(item, f"purged: {step.why}"),
                )


def _by(item: Item, reason: str) -> Author:
    # Ageing says nothing new: the words keep the trust they had.
    return Author(ACTOR, reason, item.memory.trust)


def _over(store: str, budget: int, life: Life) -> str:
    used = f"used {life.uses} times" if life.uses else "never used"
    return (
        f"long-term memory of {store} is over {budget:,} tokens; last sign of it"
        f" {life.last_sign[:10] or 'unknown'}, {used}, said in {life.support} sessions"
    )
