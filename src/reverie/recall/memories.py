"""Memories as entries, fast: what their frontmatter says is kept beside the index.

`memory_facts` in `index.db` holds type, trust, dates and the like of every head, never its words,
so that choosing among ten thousand memories reads ten thousand short rows and no document. It
follows the store by the number and commitment of its last version: a store that was restored from
a backup has the numbers again, with other versions behind them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from reverie.db.database import Database
from reverie.db.full_text import Scored
from reverie.documents.document import Document, load
from reverie.documents.vocabulary import ASIDE
from reverie.errors import Busy, ReadOnly, Unavailable
from reverie.recall.entry import Entry
from reverie.recall.query import Query
from reverie.recall.rank import TRUST
from reverie.recall.search import search
from reverie.store.heads import (
    WORDS,
    Head,
    changed_since,
    contents,
    filled_stores,
    heads,
    is_history,
)

# Tables of one connection, which hide those of the same name in the index and begin like them.
_PRIVATE = (
    "CREATE TEMP TABLE IF NOT EXISTS memory_facts AS SELECT * FROM memory_facts",
    "CREATE TEMP TABLE IF NOT EXISTS memory_facts_head AS SELECT * FROM memory_facts_head",
)
_PATIENCE_MS = 200
_AT_ONCE = 500  # facts

_RULE_TYPES = frozenset({"user", "feedback"})
_QUOTED = re.compile(r"(?:^(?:It answered|The agent had said):\n+)?(?:^>.*(?:\n|\Z))+\n*", re.M)
# Where it was said, and what kind of statement it is, are no words of a memory.
_SAID_IN = re.compile(
    r"^\*\*(?:Rule|Fact):\*\* |(?:^\*\*Why:\*\* )?\b[Ss]aid in [\w-]+:\S+ on \d{4}-\d\d-\d\d[:.]"
    r"|^\*\*Said:\*\* (?:\d{4}-\d\d-\d\d )?in [\w-]+:[^\s:]+:?$",
    re.M,
)
_ANSWERED = re.compile(r"^(?:It answered|The agent had said):\n+(?:^>.*(?:\n|\Z))+\n*", re.M)


class Wanted(NamedTuple):
    """Which memories may be handed over."""

    stores: tuple[str, ...]  # ids
    types: tuple[str, ...]
    since: str
    now: str
    until: str = ""  # they must hold for so long; only now if empty

    def condition(self) -> tuple[str, list[str]]:
        """SQL on `memory_facts`, besides store and state, and its values."""
        condition = (
            "(valid_to = '' OR valid_to > ?) AND (valid_from = '' OR valid_from <= ?) AND at >= ?"
        )
        values = [self.until or self.now, self.now, self.since]
        if self.types:
            condition += f" AND type IN ({', '.join('?' * len(self.types))})"
            values += self.types
        return condition, values


class Memories:
    """Reads the memories of some stores; the caller has decided which may be seen."""

    def __init__(self, database: Database, index: Database) -> None:
        self._database = database
        self._index = index

    def follow(self, stores: Sequence[str]) -> None:
        """Take over what changed in `stores` (ids) since the last time.

        Where the index cannot be written (a read-only disk, or `reverie learn` is writing it),
        this connection keeps facts of its own, which only whoever holds it sees: an agent that
        asks does not wait.
        """
        if not stores:
            return
        now = heads(self._database, stores)
        if self._seen().issuperset(now):
            return
        try:
            with self._index.atomic(patience_ms=_PATIENCE_MS) as tx:
                tx.lock("memory facts")
                self._catch_up(now)
        except (Busy, ReadOnly, Unavailable):
            with self._index.private() as tx:
                for statement in _PRIVATE:
                    tx.execute(statement)
                self._catch_up(now)

    def _seen(self) -> set[Head]:
        """What the facts are from."""
        rows = self._index.query("SELECT store, sequence, commitment FROM memory_facts_head")
        return {Head(*row) for row in rows}

    def _catch_up(self, now: Sequence[Head]) -> None:
        seen = {head.store: head for head in self._seen()}
        for head in now:
            last = seen.get(head.store)
            if last != head:
                # 0 when the history behind the last one is another one now.
                known = last is not None and is_history(self._database, last)
                self._take_over(head, last.sequence if last and known else 0)

    def _take_over(self, head: Head, last: int) -> None:
        query, many = self._index.query, self._index.execute_many
        if not last:
            query("DELETE FROM memory_facts WHERE store = ?", (head.store,))
        gone: list[tuple[str]] = []
        rows = self._changed(head.store, last, gone)
        # A store is never held in memory as a whole: a server would keep the room for ever.
        while facts := list(islice(rows, _AT_ONCE)):
            # Another memory may have had the number before a backup was restored, or has it in
            # another database of the same home: what is taken from a store is looked up anew.
            many(
                "DELETE FROM memory_facts_head WHERE store IN"
                " (SELECT store FROM memory_facts WHERE (seq = ? OR id = ?) AND store <> ?)",
                [(*fact[:2], head.store) for fact in facts],
            )
            many("DELETE FROM memory_facts WHERE seq = ?", [(fact[0],) for fact in facts])
            many("DELETE FROM memory_facts WHERE id = ?", [(fact[1],) for fact in facts])
            many(f"INSERT INTO memory_facts VALUES ({', '.join('?' * 9)})", facts)
        many("DELETE FROM memory_facts WHERE id = ?", gone)
        query("DELETE FROM memory_facts_head WHERE store = ?", (head.store,))
        query("INSERT INTO memory_facts_head VALUES (?, ?, ?)", head)

    def _changed(self, store: str, last: int, gone: list[tuple[str]]) -> Iterator[tuple[Any, ...]]:
        """Facts of what was written after `last`; what is not there any more goes to `gone`."""
        for row in changed_since(self._database, store, last):
            if row[1] is None or row[6] is None:
                gone.append((row[0],))
            else:
                yield _facts(store, row)

    def _search(self, query: Query, stores: Sequence[str], limit: int) -> list[Scored]:
        """The best memories by `seq`, whatever their state, and perhaps of other stores."""
        if self._database.dialect == "sqlite":
            hits = search(self._database, WORDS, query, limit=limit)
            if len(hits) < limit or filled_stores(self._database) <= set(stores):
                return hits
            # Others' memories may have taken all the places: ask again, more slowly, for ours.
        where = f"u.store_id IN ({', '.join('?' * len(stores))})"
        return search(self._database, WORDS, query, limit=limit, where=where, values=stores)

    def best(self, wanted: Wanted, limit: int, *, rules: bool) -> list[Entry]:
        """The live memories worth most, without a question; `rules` only standing ones."""
        conditions, values = wanted.condition()
        rows: list[tuple[float, str, str, int]] = []
        # One store and one state at a time: each comes in the order of the index and stops early.
        for store in wanted.stores:
            for state in ("rule",) if rules else ("rule", "live"):
                rows += self._index.query(
                    "SELECT worth, at, id, seq FROM memory_facts WHERE store = ? AND state = ?"
                    f" AND {conditions} ORDER BY worth DESC, at DESC, id LIMIT ?",
                    (store, state, *values, limit),
                )
        rows.sort(key=lambda row: row[2])
        rows.sort(key=lambda row: (row[0], row[1]), reverse=True)
        keys = [row[3] for row in rows[:limit]]
        entries = self._entries(keys)
        found_entries = [entries[key] for key in keys if key in entries]
        # The facts were taken from what the rows said; whether they may say so is known now.
        return [entry for entry in found_entries if entry.trust == "user" or not rules]

    def found(self, query: Query, wanted: Wanted, limit: int) -> list[tuple[Entry, float]]:
        """The live memories that match best, with their scores."""
        if not wanted.stores:
            return []
        chosen: list[Scored] = []
        # Some of those that match may be of no use now: more are looked for than are needed.
        hits = self._search(query, wanted.stores, 3 * limit)
        while hits and len(chosen) < limit:
            part, hits = hits[:limit], hits[limit:]
            live = self._live([hit.key for hit in part], wanted)
            chosen += [hit for hit in part if hit.key in live]
        entries = self._entries([hit.key for hit in chosen[:limit]])
        return [(entries[hit.key], hit.score) for hit in chosen if hit.key in entries]

    def of_type(self, type: str) -> set[str]:
        """The ids of all memories of a type, archived ones too."""
        rows = self._index.query("SELECT id FROM memory_facts WHERE type = ?", (type,))
        return {row[0] for row in rows}

    def _live(self, keys: Sequence[int], wanted: Wanted) -> set[int]:
        conditions, values = wanted.condition()
        # The number alone finds them; an index on anything else would look at far more.
        stores = ", ".join("?" * len(wanted.stores))
        rows = self._index.query(
            f"SELECT seq FROM memory_facts WHERE seq IN ({', '.join('?' * len(keys))})"
            f" AND state || '' <> 'aside' AND store || '' IN ({stores})"
            f" AND {conditions}",
            (*keys, *wanted.stores, *values),
        )
        return {row[0] for row in rows}

    def _entries(self, keys: Sequence[int]) -> dict[int, Entry]:
        if not keys:
            return {}
        rows = contents(self._database, keys)
        return {row[0]: _kept_entry(*row[1:]) for row in rows if row[5] is not None}


def _facts(store: str, row: Sequence[Any]) -> tuple[Any, ...]:
    memory, path, trust, valid_from, valid_to, updated, content, seq = row
    entry = _entry("", path, trust, updated, content)
    worth = 4.0 * entry.pinned + 1.0 * (entry.type in _RULE_TYPES) + min(entry.support, 20) / 10
    valid = (valid_from or "", valid_to or "")
    return (seq, memory, store, entry.type, entry.at, *valid, _state(path, entry), worth)


def _state(path: str, entry: Entry) -> str:
    """`aside`, `live`, or `rule`: a rule speaks unasked, so only a person's word can be one."""
    if path.startswith(ASIDE):
        return "aside"
    spoken = entry.trust == "user" and (entry.pinned or entry.type in _RULE_TYPES)
    return "rule" if spoken else "live"


def _entry(store: str, path: str, trust: str, updated: str, content: str) -> Entry:
    # Bad frontmatter does not hide what a memory says; it is found by words, not by type.
    document = load(content, path=path)
    described = document.description.strip()
    body = document.body.strip()
    if document.shared and document.evidence:
        # What was learned into `global` may quote a session of another project.
        body = _QUOTED.sub("", body).strip()
    answered: list[str] = []
    if document.evidence:
        # What the person answered is the memory; what it answered stands around it.
        answered = _ANSWERED.findall(body)
        body = _SAID_IN.sub("", _ANSWERED.sub("", body)).strip()
    text = body if described in body else f"{described}\n{body}".strip()
    extra = document.extra
    # The document can only lower what its author was worth, never raise it.
    worth = min(document.trust or trust, trust, key=lambda name: TRUST.get(name, 0.0))
    return Entry(
        id=document.name,
        origin="memory",
        text=text or document.title,
        title=described or document.title,
        type=document.type,
        at=document.dated or updated,
        place=store + path,
        trust=worth,
        support=_support(document, worth),
        project="" if document.shared else document.scope,
        context="\n".join(answered),
        pinned=document.pinned,
        helpful=_count(extra.get("helpful", "")),
        harmful=_count(extra.get("harmful", "")),
        prior=0.9,
        evidence=document.evidence,
    )


_kept_entry = lru_cache(maxsize=640)(_entry)


def _support(document: Document, trust: str) -> int:
    """In how many sessions it was said; what no person vouches for must name them."""
    named = len({place.partition("#")[0] for place in document.evidence})
    claimed = document.support if trust == "user" else min(document.support, named)
    return max(claimed, 1)


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
