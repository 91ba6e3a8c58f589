"""Full-text search on either database; any text is a valid question, and none of it an operator.

Terms hold words only, and each is quoted. SQLite searches FTS5 tables by BM25, PostgreSQL columns
of type `tsvector` by its own measure: scores are comparable within one answer, and equal ones are
ordered by key. This is the one place that knows how the two differ.

Both take what is written without spaces for one word. So the pairs of its signs are kept in a table
of their own, for the units that have any, and terms of such signs are looked up there.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from reverie.db.database import Database, Transaction
from reverie.language.scripts import is_unspaced, runs

LANGUAGES = ("english", "simple")


class Term(NamedTuple):
    """A word, or words that stand side by side."""

    words: str
    prefix: bool = False  # matches what begins like it


class Source(NamedTuple):
    """Where units of text are found, and what makes two of them neighbours."""

    fts: str  # the FTS5 table of SQLite
    content: str  # the table of the units
    key: str = "rowid"
    weights: tuple[float, ...] = ()  # of the columns of the full text
    columns: tuple[int, ...] = ()  # the only ones searched, by number; all when empty
    sequence: tuple[str, str] | None = None  # (group column, position column) of a dialogue
    names: tuple[str, ...] = ()  # of the columns of the full text
    vectors: str = ""  # the table with the column `words` on PostgreSQL, if it is another one
    languages: tuple[str, ...] = LANGUAGES
    pairs: str = ""  # the table of the pairs of signs, where there is one


class Scored(NamedTuple):
    """One unit by its key; a higher score is better and only comparable within one search."""

    key: int
    score: float


def learn_pairs(
    database: Database | Transaction, source: Source, units: Iterable[tuple[int, str]]
) -> None:
    """Keep the pairs of signs of units, by key and text, that have any."""
    rows = [(key, indexed) for key, text in units if (indexed := _pairs_of(text))]
    if not rows:
        return
    key, words = "rowid", "?"
    if database.dialect != "sqlite":
        key, words = source.key, "to_tsvector('simple', ?)"
    database.execute_many(f"INSERT INTO {source.pairs} ({key}, words) VALUES (?, {words})", rows)


def by_script(terms: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """Terms of words, and those of signs without spaces as they stand in a table of pairs."""
    words = [term for term in terms if not is_unspaced(term.words)]
    signs = [_in_pairs(term) for term in terms if is_unspaced(term.words)]
    return words, signs


def fts5(terms: Sequence[Term], *, every: bool = False, columns: Sequence[str] = ()) -> str:
    """The FTS5 expression for any of the terms, or for `every` one of them; "" without terms."""
    quoted = (f'"{term.words}"{"*" if term.prefix else ""}' for term in terms)
    match = (" " if every else " OR ").join(quoted)
    return f"{{{' '.join(columns)}}} : ({match})" if columns else match


def tsquery(
    terms: Sequence[Term],
    *,
    every: bool = False,
    labels: str = "",
    languages: Sequence[str] = LANGUAGES,
) -> tuple[str, list[Any]]:
    """The same for PostgreSQL, as an SQL expression and its values; `labels` are of the columns."""
    known = [term for term in terms if term.words.strip("_ ")]
    if any(term.prefix for term in known) and "simple" not in languages:
        languages = (*languages, "simple")  # a stem is no beginning of a word
    values: list[Any] = []
    for language in languages:
        starts = language == "simple"
        quoted = (
            f"'{term.words.replace('_', ' ')}'{_suffix(term.prefix and starts, labels)}"
            for term in known
        )
        values.append((" & " if every else " | ").join(quoted))
    parts = (f"to_tsquery('{language}', ?)" for language in languages)
    return f"({' || '.join(parts)})", values


def best(
    database: Database,
    source: Source,
    terms: Sequence[Term],
    limit: int,
    where: str = "",
    values: Sequence[Any] = (),
) -> list[Scored]:
    """The best units of `source` that hold any of the terms.

    `where` is an SQL condition on the content table, named `u`; its values are bound.
    """
    words, signs = by_script(terms) if source.pairs else (terms, [])
    if not signs:
        return _best(database, source, words, limit, where, values)
    scores = dict(_best(database, _of_pairs(source), signs, limit, where, values))
    for key, score in _best(database, source, words, limit, where, values) if words else ():
        scores[key] = scores.get(key, 0.0) + score
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Scored(key, score) for key, score in ranked[:limit]]


def _best(
    database: Database,
    source: Source,
    terms: Sequence[Term],
    limit: int,
    where: str,
    values: Sequence[Any],
) -> list[Scored]:
    if database.dialect == "sqlite":
        return _best_fts5(database, source, terms, limit, where, values)
    vectors = source.vectors or source.content
    labels = "ABCD"[: len(source.names)] if len(source.names) > 1 else ""
    wanted = "".join(labels[number] for number in source.columns)
    query, words = tsquery(terms, labels=wanted, languages=source.languages)
    weights = f"'{{{_weights(source.weights)}}}', " if labels else ""
    rows = database.query(
        f"SELECT v.{source.key}, ts_rank_cd({weights}v.words, q.query, 1) AS score"
        f" FROM (SELECT {query} AS query) q, {vectors} v"
        f" JOIN {source.content} u ON u.{source.key} = v.{source.key}"
        f" WHERE v.words @@ q.query AND ({where or '1 = 1'})"
        f" ORDER BY score DESC, v.{source.key} LIMIT ?",
        (*words, *values, limit),
    )
    return [Scored(int(key), float(score)) for key, score in rows]


def counts(database: Database, source: Source, terms: Sequence[Term]) -> list[int]:
    """In how many units each term stands; one statement, whatever the question."""
    values: list[Any] = []
    ones: list[str] = []
    for term in terms:
        held, sought = holding(term, source, database.dialect)
        ones.append(f"(SELECT count(*) FROM ({held}) AS held)")
        values += sought
    return list(database.query(f"SELECT {', '.join(ones)}", values)[0]) if ones else []


def holding(term: Term, source: Source, dialect: str) -> tuple[str, list[Any]]:
    """A query for the keys of the units that hold a term, in any order; and its values."""
    if source.pairs and is_unspaced(term.words):
        term, source = _in_pairs(term), _of_pairs(source)
    if dialect == "sqlite":
        return f"SELECT rowid FROM {source.fts} WHERE {source.fts} MATCH ?", [fts5([term])]
    query, words = tsquery([term], languages=source.languages)
    return (
        f"SELECT {source.key} FROM {source.vectors or source.content} WHERE words @@ {query}",
        words,
    )


def _best_fts5(
    database: Database,
    source: Source,
    terms: Sequence[Term],
    limit: int,
    where: str,
    values: Sequence[Any],
) -> list[Scored]:
    weights = "".join(f", {weight!r}" for weight in source.weights)
    # CROSS JOIN: the words are looked up first, then the condition of each unit.
    join = f" CROSS JOIN {source.content} u ON u.{source.key} = {source.fts}.rowid" if where else ""
    condition = f" AND ({where})" if where else ""
    rows = database.query(
        f"SELECT {source.fts}.rowid, bm25({source.fts}{weights}) AS score FROM {source.fts}{join}"
        f" WHERE {source.fts} MATCH ?{condition} ORDER BY score, {source.fts}.rowid LIMIT ?",
        (fts5(terms, columns=[source.names[number] for number in source.columns]), *values, limit),
    )
    return [Scored(int(key), -float(score)) for key, score in rows]


def _suffix(prefix: bool, labels: str) -> str:
    return f":{'*' if prefix else ''}{labels}" if prefix or labels else ""


def _weights(weights: Sequence[float]) -> str:
    """PostgreSQL wants them from D to A."""
    four = (*weights, 1.0, 1.0, 1.0, 1.0)[:4]
    return ", ".join(str(weight) for weight in reversed(four))


_LONGEST_PAIRED = 40_000  # signs; a tsvector of PostgreSQL holds no more


def _pairs_of(text: str) -> str:
    """The pairs of signs of a text as words; the last sign of a run is one by itself."""
    return " ".join(
        run[at : at + 2] for run in runs(text[:_LONGEST_PAIRED]) for at in range(len(run))
    )


def _in_pairs(term: Term) -> Term:
    """A term as it stands in a table of pairs: one sign begins pairs, several are in a row."""
    signs = term.words
    if len(signs) == 1:
        return Term(signs, prefix=True)
    return Term(" ".join(signs[at : at + 2] for at in range(len(signs) - 1)))


def _of_pairs(source: Source) -> Source:
    return source._replace(
        fts=source.pairs, vectors=source.pairs, weights=(), columns=(), names=(), pairs="",
        languages=("simple",),
    )  # fmt: skip
