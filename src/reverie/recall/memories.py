"""Memories as entries, fast: what their frontmatter says is kept beside the index.

`memory_facts` in `index.db` holds type, trust, dates and the like of every head, never its words,
so that choosing among ten thousand memories reads ten thousand short rows and no document. It
follows the store by the sequence number of its last version.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from reverie.recall.entry import Entry
from reverie.recall.query import Query
from reverie.recall.rank import TRUST
from reverie.recall.search import Scored, Source, search
from reverie.store.database import Database
from reverie.store.documents import load

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
CREATE TABLE IF NOT EXISTS memory_facts_upto (
    store TEXT PRIMARY KEY, sequence INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
"""

# Tables of one connection, which hide those of the same name in the file.
_PRIVATE_SCHEMA = FACTS_SCHEMA.replace("TABLE IF NOT EXISTS ", "TABLE temp.").replace(
    "INDEX IF NOT EXISTS ", "INDEX temp."
)
_PATIENCE_MS = 200

WORDS = Source("memories", "memory_words", "memories", key="seq", weights=(2.0, 1.0))

# Not memories of their own: archived ones, days and diaries are reached on request only.
ASIDE = ("/archive/", "/daily/", "/diary/")

_RULE_TYPES = frozenset({"user", "feedback"})


class Memories:
    """Reads the memories of some stores; the caller has decided which may be seen."""

    def __init__(self, database: Database, index: sqlite3.Connection) -> None:
        self._database = database
        self._index = index
        # A connection that lives long may still have the private ones of an earlier recall.
        index.execute("DROP TABLE IF EXISTS temp.memory_facts")
        index.execute("DROP TABLE IF EXISTS temp.memory_facts_upto")
        self._begin = "BEGIN IMMEDIATE"

    def follow(self, stores: Sequence[str]) -> None:
        """Take over what changed in `stores` (ids) since the last time.

        Where the index cannot be written (a read-only disk, or `reverie learn` is writing it),
        the facts are gathered for this recall alone: an agent that asks does not wait.
        """
        (patience,) = self._index.execute("PRAGMA busy_timeout").fetchone()
        self._index.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        try:
            self._index.executescript(FACTS_SCHEMA)
            self._follow(stores)
        except sqlite3.OperationalError:
            self._index.executescript(_PRIVATE_SCHEMA)
            self._begin = "BEGIN"
            self._follow(stores)
        finally:
            self._index.execute(f"PRAGMA busy_timeout = {patience}")

    def _follow(self, stores: Sequence[str]) -> None:
        if not stores:
            return
        marks = ", ".join("?" * len(stores))
        newest = self._database.query(
            f"SELECT id, sequence FROM stores WHERE id IN ({marks}) ORDER BY id", stores
        )
        seen = dict(self._index.execute("SELECT store, sequence FROM memory_facts_upto"))
        for store, sequence in newest:
            if seen.get(store, 0) != sequence:
                self._take_over(store, seen.get(store, 0), sequence)

    def _take_over(self, store: str, last: int, newest: int) -> None:
        rows = self._database.query(
            "SELECT DISTINCT v.memory_id, m.path, m.trust, m.valid_from, m.valid_to,"
            " m.updated_at, h.content, m.seq"
            " FROM versions v LEFT JOIN memories m ON m.id = v.memory_id"
            " LEFT JOIN versions h ON h.id = m.version_id"
            " WHERE v.store_id = ? AND v.sequence > ? ORDER BY v.memory_id",
            (store, last),
        )
        gone = [(row[0],) for row in rows]
        facts = [_facts(store, row) for row in rows if row[1] is not None and row[6] is not None]
        self._index.execute(self._begin)
        try:
            self._index.executemany("DELETE FROM memory_facts WHERE id = ?", gone)
            marks = ", ".join("?" * 9)
            self._index.executemany(f"INSERT INTO memory_facts VALUES ({marks})", facts)
            self._index.execute(
                "INSERT OR REPLACE INTO memory_facts_upto VALUES (?, ?)", (store, newest)
            )
            self._index.execute("COMMIT")
        except BaseException:
            self._index.execute("ROLLBACK")
            raise

    def search(self, query: Query, stores: Sequence[str], limit: int) -> list[Scored]:
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

    def best(
        self, stores: Sequence[str], now: str, types: Iterable[str], limit: int, *, rules: bool
    ) -> list[str]:
        """Ids of the live memories worth most, without a question; `rules` only standing ones."""
        conditions, values = _live(now, types)
        found: list[tuple[float, str, str]] = []
        # One store and one state at a time: each comes in the order of the index and stops early.
        for store in stores:
            for state in ("rule",) if rules else ("rule", "live"):
                rows = self._index.execute(
                    "SELECT worth, at, id FROM memory_facts WHERE store = ? AND state = ?"
                    f" AND {conditions} ORDER BY worth DESC, at DESC, id LIMIT ?",
                    (store, state, *values, limit),
                )
                found += [(row[0], row[1], row[2]) for row in rows]
        found.sort(key=lambda row: row[2])
        found.sort(key=lambda row: (row[0], row[1]), reverse=True)
        return [row[2] for row in found[:limit]]

    def of_keys(
        self, keys: Sequence[int], stores: Sequence[str], now: str, types: Iterable[str]
    ) -> dict[int, str]:
        """Key of a search → id, for those that are live and of a wanted type."""
        if not keys:
            return {}
        conditions, values = _live(now, types)
        rows = self._index.execute(
            f"SELECT seq, id FROM memory_facts WHERE seq IN ({', '.join('?' * len(keys))})"
            f" AND +state <> 'aside' AND +store IN ({', '.join('?' * len(stores))})"
            f" AND {conditions}",
            (*keys, *stores, *values),
        )
        return {int(key): name for key, name in rows}

    def entries(self, ids: Sequence[str]) -> dict[str, Entry]:
        """The heads of `ids` as entries."""
        if not ids:
            return {}
        marks = ", ".join("?" * len(ids))
        rows = self._database.query(
            "SELECT m.id, s.name, m.path, m.trust, m.updated_at, v.content FROM memories m"
            " JOIN versions v ON v.id = m.version_id JOIN stores s ON s.id = m.store_id"
            f" WHERE m.id IN ({marks})",
            list(ids),
        )
        return {row[0]: _entry(*row[1:]) for row in rows if row[5] is not None}

    def documents(self) -> int:
        """How many memories are searched in all; for the weight of a term."""
        return int(self._database.query("SELECT coalesce(sum(memories), 0) FROM stores")[0][0])


def _live(now: str, types: Iterable[str]) -> tuple[str, list[Any]]:
    wanted = sorted(set(types))
    conditions = "(valid_to = '' OR valid_to > ?) AND (valid_from = '' OR valid_from <= ?)"
    values: list[Any] = [now, now]
    if wanted:
        conditions += f" AND type IN ({', '.join('?' * len(wanted))})"
        values += wanted
    return conditions, values


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


@lru_cache(maxsize=2048)
def _entry(store: str, path: str, trust: str, updated: str, content: str) -> Entry:
    # Bad frontmatter does not hide what a memory says; it is found by words, not by type.
    document = load(content, path=path)
    described = document.description.strip()
    body = document.body.strip()
    text = body if described in body else f"{described}\n{body}".strip()
    extra = document.extra
    return Entry(
        id=document.name,
        origin="memory",
        text=text or document.title,
        title=described or document.title,
        type=document.type,
        at=document.dated or updated,
        place=store + path,
        # The document can only lower what its author was worth, never raise it.
        trust=min(document.trust or trust, trust, key=lambda name: TRUST.get(name, 0.0)),
        support=max(document.support, 1),
        project="" if document.shared else document.scope,
        pinned=document.pinned,
        helpful=_count(extra.get("helpful", "")),
        harmful=_count(extra.get("harmful", "")),
        prior=0.9,
        evidence=document.evidence,
    )


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
