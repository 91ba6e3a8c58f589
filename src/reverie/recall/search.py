"""One lexical search over any FTS5 table of units: memories, corrections, turns, a benchmark.

Porter stems, BM25, and for dialogue neighbour smoothing: what answers a question is often said in
the turn next to the one that shares its words. The weights are those that did best on LoCoMo
(docs/design/recall.md); a unit whose neighbours match counts even if it matches nothing itself.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from reverie.recall.query import Query

# `connection.execute` of SQLite, or `Database.query`.
Rows = Callable[[str, Sequence[Any]], Iterable[Sequence[Any]]]

SMOOTHING: tuple[float, ...] = (0.4, 0.2)  # weight of the units one and two places away

# Smoothing works on the best units only; below that a neighbour adds nothing that would be shown.
POOL = 600


class Source(NamedTuple):
    """Where units are: an FTS5 table, its content table, and what makes two units neighbours."""

    fts: str
    content: str
    key: str = "rowid"
    weights: tuple[float, ...] = ()  # of the FTS columns, for BM25
    columns: tuple[str, ...] = ()  # the only ones searched; all when empty
    sequence: tuple[str, str] | None = None  # (group column, position column) of a dialogue


class Scored(NamedTuple):
    """One unit by its key; a higher score is better and only comparable within one search."""

    key: int
    score: float


def search(
    rows_of: Rows,
    source: Source,
    query: Query,
    *,
    limit: int,
    where: str = "",
    values: Sequence[Any] = (),
) -> list[Scored]:
    """The best units of `source`, best first; ties by key, so that the order is stable.

    `where` is an SQL condition on the content table, named `u`; its values are bound.
    """
    if not query.terms or limit < 1:
        return []
    pool = max(POOL, limit) if source.sequence else limit
    scores = _matches(rows_of, source, query, pool, where, values)
    if source.sequence and scores:
        scores = _smoothed(rows_of, source, scores, where, values)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Scored(key, score) for key, score in ranked[:limit]]


def _matches(
    rows_of: Rows,
    source: Source,
    query: Query,
    pool: int,
    where: str,
    values: Sequence[Any],
) -> dict[int, float]:
    weights = "".join(f", {weight!r}" for weight in source.weights)
    rank = f"bm25({source.fts}{weights})"
    join = f" CROSS JOIN {source.content} u ON u.{source.key} = {source.fts}.rowid" if where else ""
    condition = f" AND ({where})" if where else ""
    match = f"{{{' '.join(source.columns)}}} : ({query.match})" if source.columns else query.match
    rows = rows_of(
        f"SELECT {source.fts}.rowid, {rank} AS score FROM {source.fts}{join}"
        f" WHERE {source.fts} MATCH ?{condition} ORDER BY score, {source.fts}.rowid LIMIT ?",
        (match, *values, pool),
    )
    return {int(key): -float(score) for key, score in rows}


def _smoothed(
    rows_of: Rows,
    source: Source,
    scores: dict[int, float],
    where: str,
    values: Sequence[Any],
) -> dict[int, float]:
    assert source.sequence is not None
    group, position = source.sequence
    reach = len(SMOOTHING)
    condition = f" AND ({where})" if where else ""
    places: dict[tuple[Any, int], int] = {}
    for chunk in _chunks(sorted(scores), 300):
        marks = ", ".join("?" * len(chunk))
        rows = rows_of(
            f"SELECT DISTINCT u.{group}, u.{position}, u.{source.key} FROM {source.content} m"
            f" JOIN {source.content} u ON u.{group} = m.{group}"
            f" AND u.{position} BETWEEN m.{position} - ? AND m.{position} + ?{condition}"
            f" WHERE m.{source.key} IN ({marks})",
            (reach, reach, *values, *chunk),
        )
        places.update({(g, int(p)): int(key) for g, p, key in rows})
    smoothed: dict[int, float] = {}
    for (g, place), key in places.items():
        total = scores.get(key, 0.0)
        for distance, weight in enumerate(SMOOTHING, start=1):
            for other in (places.get((g, place - distance)), places.get((g, place + distance))):
                if other is not None:
                    total += weight * scores.get(other, 0.0)
        smoothed[key] = total
    return smoothed


def _chunks(keys: Sequence[int], size: int) -> Iterable[Sequence[int]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))
