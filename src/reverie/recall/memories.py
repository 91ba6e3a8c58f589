"""Memories as entries, fast: what their frontmatter says is kept beside the index.

`memory_facts` in `index.db` holds type, trust, dates and the like of every head, never its words,
so that choosing among ten thousand memories reads ten thousand short rows and no document. It
follows the store by the sequence number of its last version.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, cast

from reverie.recall.entry import Entry
from reverie.recall.query import Query
from reverie.recall.search import Scored, Source, search
from reverie.store.database import Database
from reverie.store.documents import load
from reverie.store.values import Trust, lowest

FACTS_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory_facts (
    id TEXT PRIMARY KEY,
    store TEXT NOT NULL,
    path TEXT NOT NULL,
    type TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    trust TEXT NOT NULL,
    support INTEGER NOT NULL,
    at TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_to TEXT NOT NULL,
    worth REAL NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX IF NOT EXISTS memory_facts_by_worth ON memory_facts (store, worth DESC, at DESC);
CREATE TABLE IF NOT EXISTS memory_facts_upto (
    store TEXT PRIMARY KEY, sequence INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
"""

WORDS = Source("memories", "memory_words", "memories", key="seq", weights=(2.0, 1.0))

# Not memories of their own: archived ones, days and diaries are reached on request only.
ASIDE = ("/archive/", "/daily/", "/diary/")

_RULE_TYPES = frozenset({"user", "feedback"})


class Memories:
    """Reads the memories of some stores; the caller has decided which may be seen."""

    def __init__(self, database: Database, index: sqlite3.Connection) -> None:
        self._database = database
        self._index = index
        index.executescript(FACTS_SCHEMA)

    def follow(self, stores: Sequence[str]) -> None:
        """Take over what changed in `stores` (ids) since the last time."""
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
            " m.updated_at, h.content"
            " FROM versions v LEFT JOIN memories m ON m.id = v.memory_id"
            " LEFT JOIN versions h ON h.id = m.version_id"
            " WHERE v.store_id = ? AND v.sequence > ? ORDER BY v.memory_id",
            (store, last),
        )
        gone = [(row[0],) for row in rows]
        facts = [_facts(store, row) for row in rows if row[1] is not None and row[6] is not None]
        self._index.execute("BEGIN IMMEDIATE")
        try:
            self._index.executemany("DELETE FROM memory_facts WHERE id = ?", gone)
            marks = ", ".join("?" * 11)
            self._index.executemany(f"INSERT INTO memory_facts VALUES ({marks})", facts)
            self._index.execute(
                "INSERT OR REPLACE INTO memory_facts_upto VALUES (?, ?)", (store, newest)
            )
            self._index.execute("COMMIT")
        except BaseException:
            self._index.execute("ROLLBACK")
            raise

    def search(self, query: Query, stores: Sequence[str], limit: int) -> list[Scored]:
        """The best memories by `seq`, whatever their state."""
        if self._database.dialect != "sqlite":
            return self._search_elsewhere(query, stores, limit)
        marks = ", ".join("?" * len(stores))
        return search(
            self._database.query,
            WORDS,
            query,
            limit=limit,
            where=f"u.store_id IN ({marks})",
            values=stores,
        )

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
        conditions, values = _live(stores, now, types)
        if rules:
            # A rule speaks without being asked: only what a person said may do that.
            conditions += " AND trust = 'user' AND (pinned OR type IN ('user', 'feedback'))"
        rows = self._index.execute(
            f"SELECT id FROM memory_facts WHERE {conditions}"
            " ORDER BY worth DESC, at DESC, id LIMIT ?",
            (*values, limit),
        )
        return [row[0] for row in rows]

    def of_keys(
        self, keys: Sequence[int], stores: Sequence[str], now: str, types: Iterable[str]
    ) -> dict[int, str]:
        """Key of a search → id, for those that are live and of a wanted type."""
        if not keys:
            return {}
        marks = ", ".join("?" * len(keys))
        ids = self._database.query(f"SELECT seq, id FROM memories WHERE seq IN ({marks})", keys)
        conditions, values = _live(stores, now, types)
        marks = ", ".join("?" * len(ids))
        live = {
            row[0]
            for row in self._index.execute(
                f"SELECT id FROM memory_facts WHERE id IN ({marks}) AND {conditions}",
                (*(row[1] for row in ids), *values),
            )
        }
        return {int(key): name for key, name in ids if name in live}

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
        return int(self._database.query("SELECT count(*) FROM memories")[0][0])


def _live(stores: Sequence[str], now: str, types: Iterable[str]) -> tuple[str, list[Any]]:
    wanted = sorted(set(types))
    conditions = f"store IN ({', '.join('?' * len(stores))})"
    conditions += " AND (valid_to = '' OR valid_to > ?) AND (valid_from = '' OR valid_from <= ?)"
    values: list[Any] = [*stores, now, now]
    for folder in ASIDE:
        conditions += " AND path NOT LIKE ?"
        values.append(f"{folder}%")
    if wanted:
        conditions += f" AND type IN ({', '.join('?' * len(wanted))})"
        values += wanted
    return conditions, values


def _facts(store: str, row: Sequence[Any]) -> tuple[Any, ...]:
    memory, path, trust, valid_from, valid_to, updated, content = row
    entry = _entry("", path, trust, updated, content)
    worth = 4.0 * entry.pinned + 1.0 * (entry.type in _RULE_TYPES) + min(entry.support, 20) / 10
    return (
        memory,
        store,
        path,
        entry.type,
        int(entry.pinned),
        entry.trust,
        entry.support,
        entry.at,
        valid_from or "",
        valid_to or "",
        worth,
    )


def _entry(store: str, path: str, trust: str, updated: str, content: str) -> Entry:
    # Bad frontmatter does not hide what a memory says; it is found by words, not by type.
    document = load(content, path=path)
    described = document.description.strip()
    body = document.body.strip()
    text = body if described in body else f"{described}\n{body}".strip()
    believed = cast("Trust", document.trust or trust)
    extra = document.extra
    return Entry(
        id=document.name,
        origin="memory",
        text=text or document.title,
        title=described or document.title,
        type=document.type,
        at=document.dated or updated,
        place=store + path,
        trust=lowest(believed, cast("Trust", trust)),
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
