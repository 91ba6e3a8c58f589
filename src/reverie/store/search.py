"""Full-text search over memories, safe for any query string.

Only the words of a query reach the database, each quoted; operators, quotes and parentheses are
separators. Terms are OR-ed, stop words dropped unless there is nothing else, and a term with `*`
at its end matches as a prefix. Equal scores are ordered by store, path and id.
"""

import re
from collections.abc import Sequence

from reverie.db.database import Dialect, Transaction
from reverie.db.full_text import Term, by_script, fts5, tsquery
from reverie.documents.vocabulary import GLOBAL
from reverie.language.lexicon import language_of, lexicon
from reverie.language.scripts import cut, runs
from reverie.store import access
from reverie.store.context import Context
from reverie.store.model import Hit, Memory
from reverie.store.rows import MEMORY_COLUMNS, memory_of, pair_memories

MAX_TERMS = 64
MAX_TERM_CHARS = 64
MAX_QUERY_CHARS = 10_000
SNIPPET_CHARS = 160

# tsvector refuses more than 1 MB; this many characters always fit.
_INDEXED_CHARS = 150_000
_TERM = re.compile(r"(\w+)(\*?)")
_BETWEEN = re.compile(r"[\W_]+")


def terms(query: str) -> list[Term]:
    """The distinct words of a query, in order; none for a query without words."""
    distinct: dict[Term, None] = {}
    for word, star in _TERM.findall(query[:MAX_QUERY_CHARS]):
        if runs(word):
            distinct |= {Term(part): None for part in cut(word)}
        else:
            distinct[Term(word[:MAX_TERM_CHARS].lower(), bool(star))] = None
    stop = lexicon(language_of([term.words for term in distinct])).stop
    meaning = [term for term in distinct if term.words not in stop]
    return (meaning or list(distinct))[:MAX_TERMS]


def search(
    context: Context, query: str, stores: Sequence[str] | None = None, limit: int = 20
) -> list[Hit]:
    """The best memories for any query string, in the given stores or all the asker may see."""
    asked = terms(query)
    run = context.database.query
    everywhere = stores is None and not context.principals
    ids: list[str] = []
    if stores is not None:
        ids = sorted({access.readable(context, run, ref).info.id for ref in stores})
    elif not everywhere:
        ids = [view.info.id for view in access.visible(context, run, archived=False)]
    if not asked or limit < 1 or not (ids or everywhere):
        return []
    scope, values = ("s.archived_at IS NULL", []) if everywhere else _among(ids)
    if hidden := access.unhidden(context, GLOBAL, "m.path"):
        scope += f" AND (s.name <> '{GLOBAL}' OR (1 = 1{hidden}))"
    sql, params = _match(context.database.dialect, asked, scope, values, limit)
    return [
        Hit(memory, float(row[14]), snippet(memory.content, asked))
        for row in run(sql, params)
        for memory in (memory_of(row, context.sealer),)
    ]


def learn(tx: Transaction, memory: Memory) -> None:
    """Index the new head of a memory."""
    if tx.dialect == "sqlite":
        tx.execute(
            "INSERT INTO memory_words (rowid, path, content)"
            " SELECT seq, path, content FROM heads WHERE id = ?",
            (memory.id,),
        )
    else:
        # PostgreSQL would take a path or a host name for one word; SQLite sees its parts.
        text = _BETWEEN.sub(" ", f"{memory.path} {memory.content}"[:_INDEXED_CHARS])
        tx.execute(
            "INSERT INTO memory_words (seq, words) SELECT seq,"
            " to_tsvector('english', ?::text) || to_tsvector('simple', ?::text)"
            " FROM memories WHERE id = ?",
            (text, text, memory.id),
        )
    if runs(memory.path) or runs(memory.content or ""):
        pair_memories(tx, "id = ?", (memory.id,))


def forget_store(tx: Transaction, store_id: str) -> None:
    """Take the words of all memories of a store out of the index, before they go."""
    _unpair(tx, "store_id = ?", store_id)
    if tx.dialect == "sqlite":
        tx.execute(
            "INSERT INTO memory_words (memory_words, rowid, path, content)"
            " SELECT 'delete', seq, path, content FROM heads WHERE store_id = ?",
            (store_id,),
        )
    else:
        tx.execute(
            "DELETE FROM memory_words WHERE seq IN (SELECT seq FROM memories WHERE store_id = ?)",
            (store_id,),
        )


def forget(tx: Transaction, memory_id: str) -> None:
    """Take the present head out of the index, before the head moves."""
    _unpair(tx, "id = ?", memory_id)
    if tx.dialect == "sqlite":
        tx.execute(
            "INSERT INTO memory_words (memory_words, rowid, path, content)"
            " SELECT 'delete', seq, path, content FROM heads WHERE id = ?",
            (memory_id,),
        )
    else:
        tx.execute(
            "DELETE FROM memory_words WHERE seq = (SELECT seq FROM memories WHERE id = ?)",
            (memory_id,),
        )


def _unpair(tx: Transaction, where: str, value: str) -> None:
    key = "rowid" if tx.dialect == "sqlite" else "seq"
    tx.execute(
        f"DELETE FROM memory_pairs WHERE {key} IN (SELECT seq FROM memories WHERE {where})",
        (value,),
    )


def snippet(content: str, asked: Sequence[Term]) -> str:
    """The line of `content` where most of the words begin, cut to a readable length."""
    best, most = "", -1
    for line in content.splitlines():
        lowered = line.lower()
        count = sum(1 for term in asked if term.words[: max(4, len(term.words) - 3)] in lowered)
        if count > most and line.strip():
            best, most = line.strip(), count
    return best if len(best) <= SNIPPET_CHARS else best[: SNIPPET_CHARS - 1].rstrip() + "…"


def _among(ids: Sequence[str]) -> tuple[str, list[str]]:
    return f"m.store_id IN ({', '.join('?' for _ in ids)})", list(ids)


def _match(
    dialect: Dialect, asked: Sequence[Term], scope: str, values: Sequence[str], limit: int
) -> tuple[str, list[object]]:
    parts: list[str] = []
    sought: list[object] = []
    for table, terms_there in zip(("memory_words", "memory_pairs"), by_script(asked), strict=True):
        if not terms_there:
            continue
        if dialect == "sqlite":
            parts.append(
                f"SELECT rowid AS seq, -bm25({table}) AS score FROM {table} WHERE {table} MATCH ?"
            )
            sought.append(fts5(terms_there))
        else:
            query, words = tsquery(terms_there)
            parts.append(
                "SELECT w.seq, ts_rank_cd(w.words, q.query, 1) AS score"
                f" FROM (SELECT {query} AS query) q, {table} w WHERE w.words @@ q.query"
            )
            sought += words
    held = parts[0]
    if len(parts) > 1:
        both = " UNION ALL ".join(f"SELECT * FROM ({part}) AS p" for part in parts)
        held = f"SELECT seq, sum(score) AS score FROM ({both}) AS b GROUP BY seq"
    matching = (
        f"SELECT m.seq, h.score FROM ({held}) h JOIN memories m ON m.seq = h.seq"
        f" JOIN stores s ON s.id = m.store_id WHERE {scope}"
    )
    return _best(matching), [*sought, *values, limit]


def _best(matching: str) -> str:
    """The memories of the best rows; their text is read only once they are chosen."""
    return (
        f"SELECT {MEMORY_COLUMNS}, f.score FROM"
        f" ({matching} ORDER BY score DESC, m.store_id, m.path LIMIT ?) f"
        " JOIN memories m ON m.seq = f.seq JOIN versions v ON v.id = m.version_id"
        " ORDER BY f.score DESC, m.store_id, m.path"
    )
