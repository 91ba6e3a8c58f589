"""Memories as entries, fast: what their frontmatter says is kept beside the index.

`memory_facts` in `index.db` holds type, trust, dates and the like of every head, never its words,
so that choosing among ten thousand memories reads ten thousand short rows and no document. It
follows the store by the number and commitment of its last version: a store that was restored from
a backup has the numbers again, with other versions behind them.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from reverie.db.database import Database
from reverie.documents.document import Document, load
from reverie.recall.entry import Entry
from reverie.recall.query import Query
from reverie.recall.rank import TRUST
from reverie.recall.search import Scored, Source, search

FACTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory_facts (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    store TEXT NOT NULL,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_to TEXT NOT NULL,
    state TEXT NOT NULL,
    worth REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS memory_facts_by_worth
    ON memory_facts (store, state, worth DESC, at DESC, id);
CREATE TABLE IF NOT EXISTS memory_facts_head (
    store TEXT PRIMARY KEY, sequence INTEGER NOT NULL, commitment TEXT NOT NULL
) WITHOUT ROWID, STRICT;
"""

# Tables of one connection, which hide those of the same name in the file.
_PRIVATE_SCHEMA = FACTS_SCHEMA.replace("IF NOT EXISTS ", "IF NOT EXISTS temp.")
_PATIENCE_MS = 200

WORDS = Source("memory_words", "memories", key="seq", weights=(2.0, 1.0))

# Not memories of their own: archived ones, days and diaries are reached on request only.
ASIDE = ("/archive/", "/daily/", "/diary/")

_RULE_TYPES = frozenset({"user", "feedback"})


class Wanted(NamedTuple):
    """Which memories may be handed over."""

    stores: tuple[str, ...]  # ids
    types: tuple[str, ...]
    since: str
    now: str

    def condition(self) -> tuple[str, list[str]]:
        """SQL on `memory_facts`, besides store and state, and its values."""
        condition = (
            "(valid_to = '' OR valid_to > ?) AND (valid_from = '' OR valid_from <= ?) AND at >= ?"
        )
        values = [self.now, self.now, self.since]
        if self.types:
            condition += f" AND type IN ({', '.join('?' * len(self.types))})"
            values += self.types
        return condition, values


class Head(NamedTuple):
    """The last version of a store, which says what its facts are from."""

    store: str  # id
    sequence: int
    commitment: str


class Memories:
    """Reads the memories of some stores; the caller has decided which may be seen."""

    def __init__(self, database: Database, index: sqlite3.Connection) -> None:
        self._database = database
        self._index = index

    def follow(self, stores: Sequence[str]) -> None:
        """Take over what changed in `stores` (ids) since the last time.

        Where the index cannot be written (a read-only disk, or `reverie learn` is writing it),
        this connection keeps facts of its own: an agent that asks does not wait.
        """
        if not stores:
            return
        marks = ", ".join("?" * len(stores))
        rows = self._database.query(
            f"SELECT id, sequence, commitment FROM stores WHERE id IN ({marks}) ORDER BY id", stores
        )
        heads = [Head(*row) for row in rows]
        if self._seen().issuperset(heads):
            return
        (patience,) = self._index.execute("PRAGMA busy_timeout").fetchone()
        self._index.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        try:
            self._catch_up(heads, FACTS_SCHEMA, "BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            self._catch_up(heads, _PRIVATE_SCHEMA, "BEGIN")
        finally:
            self._index.execute(f"PRAGMA busy_timeout = {patience}")

    def _seen(self) -> set[Head]:
        """What the facts are from; nothing before they are first made."""
        try:
            rows = self._index.execute("SELECT store, sequence, commitment FROM memory_facts_head")
        except sqlite3.OperationalError:
            return set()
        return {Head(*row) for row in rows}

    def _catch_up(self, heads: Sequence[Head], schema: str, begin: str) -> None:
        self._index.executescript(schema)
        seen = {head.store: head for head in self._seen()}
        for head in heads:
            last = seen.get(head.store)
            if last != head:
                self._take_over(head, self._still_there(last), begin)

    def _still_there(self, last: Head | None) -> int:
        """The sequence number to go on from; 0 when the history behind it is another one now."""
        if last is not None and self._database.query(
            "SELECT 1 FROM versions WHERE store_id = ? AND sequence = ? AND commitment = ?", last
        ):
            return last.sequence
        return 0

    def _take_over(self, head: Head, last: int, begin: str) -> None:
        marks = ", ".join("?" * 9)
        gone: list[tuple[str]] = []
        self._index.execute(begin)
        try:
            if not last:
                self._index.execute("DELETE FROM memory_facts WHERE store = ?", (head.store,))
            self._index.executemany(
                f"INSERT OR REPLACE INTO memory_facts VALUES ({marks})",
                self._changed(head.store, last, gone),
            )
            self._index.executemany("DELETE FROM memory_facts WHERE id = ?", gone)
            self._index.execute("INSERT OR REPLACE INTO memory_facts_head VALUES (?, ?, ?)", head)
            self._index.execute("COMMIT")
        except BaseException:
            self._index.execute("ROLLBACK")
            raise

    def _changed(self, store: str, last: int, gone: list[tuple[str]]) -> Iterator[tuple[Any, ...]]:
        """Facts of what was written after `last`, one at a time; what is not there goes to `gone`.

        A store is never held in memory as a whole: a server would keep the room for ever.
        """
        with self._database.snapshot() as tx:
            for row in tx.stream(
                "SELECT v.memory_id, m.path, m.trust, m.valid_from, m.valid_to, m.updated_at,"
                " h.content, m.seq FROM (SELECT DISTINCT memory_id FROM versions"
                " WHERE store_id = ? AND sequence > ?) v"
                " LEFT JOIN memories m ON m.id = v.memory_id"
                " LEFT JOIN versions h ON h.id = m.version_id ORDER BY v.memory_id",
                (store, last),
            ):
                if row[1] is None or row[6] is None:
                    gone.append((row[0],))
                else:
                    yield _facts(store, row)

    def _search(self, query: Query, stores: Sequence[str], limit: int) -> list[Scored]:
        """The best memories by `seq`, whatever their state, and perhaps of other stores."""
        if self._database.dialect != "sqlite":
            return self._search_elsewhere(query, stores, limit)
        hits = search(self._database.query, WORDS, query, limit=limit)
        if len(hits) < limit or self._only(stores):
            return hits
        # Others' memories may have taken all the places: ask again, more slowly, for ours alone.
        marks = ", ".join("?" * len(stores))
        where = f"u.store_id IN ({marks})"
        return search(self._database.query, WORDS, query, limit=limit, where=where, values=stores)

    def _only(self, stores: Sequence[str]) -> bool:
        """Are these all the stores that hold anything?"""
        rows = self._database.query("SELECT id FROM stores WHERE memories > 0")
        return {row[0] for row in rows} <= set(stores)

    def _search_elsewhere(self, query: Query, stores: Sequence[str], limit: int) -> list[Scored]:
        """PostgreSQL ranks by its own measure; only the order within one answer counts."""
        marks = ", ".join("?" * len(stores))
        words = " | ".join(f"'{term}'" for term in query.terms)
        rows = self._database.query(
            "SELECT w.seq, ts_rank_cd(w.words, q, 1) AS score FROM memory_words w"
            " JOIN memories m ON m.seq = w.seq, to_tsquery('english', ?) q"
            f" WHERE w.words @@ q AND m.store_id IN ({marks}) ORDER BY score DESC, w.seq LIMIT ?",
            (words, *stores, limit),
        )
        return [Scored(int(key), float(score)) for key, score in rows]

    def best(self, wanted: Wanted, limit: int, *, rules: bool) -> list[Entry]:
        """The live memories worth most, without a question; `rules` only standing ones."""
        conditions, values = wanted.condition()
        found: list[tuple[float, str, str, int]] = []
        # One store and one state at a time: each comes in the order of the index and stops early.
        for store in wanted.stores:
            for state in ("rule",) if rules else ("rule", "live"):
                found += self._index.execute(
                    "SELECT worth, at, id, seq FROM memory_facts WHERE store = ? AND state = ?"
                    f" AND {conditions} ORDER BY worth DESC, at DESC, id LIMIT ?",
                    (store, state, *values, limit),
                )
        found.sort(key=lambda row: row[2])
        found.sort(key=lambda row: (row[0], row[1]), reverse=True)
        keys = [row[3] for row in found[:limit]]
        entries = self._entries(keys)
        return [entries[key] for key in keys if key in entries]

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

    def _live(self, keys: Sequence[int], wanted: Wanted) -> set[int]:
        conditions, values = wanted.condition()
        rows = self._index.execute(
            f"SELECT seq FROM memory_facts WHERE seq IN ({', '.join('?' * len(keys))})"
            f" AND +state <> 'aside' AND +store IN ({', '.join('?' * len(wanted.stores))})"
            f" AND {conditions}",
            (*keys, *wanted.stores, *values),
        )
        return {row[0] for row in rows}

    def _entries(self, keys: Sequence[int]) -> dict[int, Entry]:
        if not keys:
            return {}
        marks = ", ".join("?" * len(keys))
        rows = self._database.query(
            "SELECT m.seq, s.name, m.path, m.trust, m.updated_at, v.content FROM memories m"
            " JOIN versions v ON v.id = m.version_id JOIN stores s ON s.id = m.store_id"
            f" WHERE m.seq IN ({marks})",
            keys,
        )
        return {row[0]: _kept_entry(*row[1:]) for row in rows if row[5] is not None}


def _facts(store: str, row: Sequence[Any]) -> tuple[Any, ...]:
    memory, path, trust, valid_from, valid_to, updated, content, seq = row
    entry = _entry("", path, trust, updated, content)
    worth = 4.0 * entry.pinned + 1.0 * (entry.type in _RULE_TYPES) + min(entry.support, 20) / 10
    return (
        seq,
        memory,
        store,
        entry.type,
        entry.at,
        valid_from or "",
        valid_to or "",
        _state(path, entry),
        worth,
    )


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
        pinned=document.pinned,
        helpful=_count(extra.get("helpful", "")),
        harmful=_count(extra.get("harmful", "")),
        prior=0.9,
        evidence=document.evidence,
    )


_kept_entry = lru_cache(maxsize=2048)(_entry)


def _support(document: Document, trust: str) -> int:
    """In how many sessions it was said; what no person vouches for must name them."""
    named = len({one.partition("#")[0] for one in document.evidence})
    claimed = document.support if trust == "user" else min(document.support, named)
    return max(claimed, 1)


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
