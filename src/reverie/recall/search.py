"""One lexical search over any full text of units: memories, corrections, turns, a benchmark.

Porter stems, BM25, and for dialogue neighbour smoothing: what answers a question is often said in
the turn next to the one that shares its words. The weights are those that did best on LoCoMo
(docs/design/recall.md); a unit whose neighbours match counts even if it matches nothing itself.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from reverie.db.database import Database
from reverie.db.full_text import Scored, Source, best
from reverie.recall.query import Query

SMOOTHING: tuple[float, ...] = (0.4, 0.2)  # weight of the units one and two places away

# Smoothing works on the best units only; below that a neighbour adds nothing that would be shown.
POOL = 600


def search(
    database: Database,
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
    scored = best(database, source, query.search_terms, pool, where, values)
    if not source.sequence or not scored:
        return scored
    scores = _smoothed(database, source, dict(scored), where, values)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Scored(key, score) for key, score in ranked[:limit]]


def _smoothed(
    database: Database, source: Source, scores: dict[int, float], where: str, values: Sequence[Any]
) -> dict[int, float]:
    assert source.sequence is not None
    group, position = source.sequence
    reach = len(SMOOTHING)
    condition = f" AND ({where})" if where else ""
    places: dict[tuple[Any, int], int] = {}
    for chunk in _chunks(sorted(scores), 300):
        marks = ", ".join("?" * len(chunk))
        rows = database.query(
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
