"""The archive: `/archive/YYYY-MM-DD/name.md`, by the day a memory went, with where it came from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from reverie.db.database import Database, Transaction
from reverie.forget.decay import purge_on
from reverie.settings import Forget
from reverie.store.causes import cause_of
from reverie.store.library import ARCHIVE, Item
from reverie.store.store import Store

# Said once: there is something in the archive that only the calendar took.
BY_CALENDAR = "archived by the calendar"
_PLACE = re.compile(re.escape(ARCHIVE) + r"(\d{4}-\d\d-\d\d)/")


@dataclass(frozen=True, slots=True)
class Archived:
    """One memory in the archive."""

    day: str  # it was archived; "" when its path does not say
    item: Item
    source: str  # `store:/path` it had before; "" when no version tells
    reason: str
    purged_on: str  # the day it will be purged; "" for never

    @property
    def by_calendar(self) -> bool:
        """Whether mere time took it: before days of work were counted, no run was named."""
        cause = cause_of(self.reason)
        return cause.kind == "decayed" and not cause.batch

    def due(self, today: str) -> bool:
        return bool(self.purged_on) and self.purged_on <= today


def last_run(entries: Iterable[Archived]) -> list[Archived]:
    """What the last run of `decay` that archived anything still here archived."""
    runs = [(cause_of(entry.reason), entry) for entry in entries]
    gone = [(cause.batch, entry) for cause, entry in runs if cause.kind in ("decayed", "pruned")]
    latest = max((batch for batch, _ in gone if batch), default="")
    return [entry for batch, entry in gone if batch and batch == latest]


def archived(store: Store, items: Iterable[Item], settings: Forget) -> list[Archived]:
    """The archive, by day and name."""
    entries: list[Archived] = []
    for item in items:
        match = _PLACE.match(item.memory.path)
        if not item.archived:
            continue
        day = match[1] if match else ""
        source, reason = _came_from(store, item)
        entries.append(Archived(day, item, source, reason, purge_on(day, settings) if day else ""))
    return sorted(entries, key=lambda entry: (entry.day, entry.item.store, entry.item.name))


def _came_from(store: Store, item: Item) -> tuple[str, str]:
    """Path before the move, and the reason of the version that moved it."""
    reason = ""
    page = None
    while True:
        versions = store.versions(item.memory.store_id, item.memory.id, page=page)
        # Newest first: the last version inside the archive is the move.
        for version in versions.items:
            if version.path is not None and not version.path.startswith(ARCHIVE):
                return f"{item.store}:{version.path}", reason
            reason = version.reason
        page = versions.next_page
        if page is None:
            return "", reason


def is_told(database: Database, notice: str) -> bool:
    """Whether a person was told of something that is said once."""
    return bool(database.query("SELECT 1 FROM notices WHERE name = ?", (notice,)))


def now_told(tx: Transaction, notice: str, at: str) -> None:
    """They are told; the caller owns the transaction."""
    tx.execute(
        "INSERT INTO notices (name, told_at) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        (notice, at),
    )


def listing(entries: Iterable[Archived]) -> str:
    """The archive as Markdown, one heading per day."""
    lines: list[str] = []
    for day, group in groupby(entries, key=lambda entry: entry.day):
        lines += [f"## Archived {day or 'without a date'}", ""]
        for entry in group:
            document = entry.item.document
            what = " ".join((document.description or document.title).split())
            lines.append(
                f"- **{document.title}** (from {entry.source or 'an unknown place'}): {what}"
            )
            lines.append(f"  - {entry.reason}; purged on {entry.purged_on or 'no day'}")
        lines.append("")
    return "\n".join(lines)
