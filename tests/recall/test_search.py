"""One search for every kind of unit."""

import sqlite3
from collections.abc import Iterator

import pytest

from reverie.recall.query import parse_query
from reverie.recall.search import SMOOTHING, Source, search

FLAT = Source(fts="unit_fts", content="unit", key="id")
DIALOGUE = Source("unit_fts", "unit", key="id", sequence=("grp", "place"))


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    db.executescript(
        "CREATE TABLE unit (id INTEGER PRIMARY KEY, grp TEXT, place INTEGER, text TEXT);"
        "CREATE VIRTUAL TABLE unit_fts USING fts5 (text, content='unit', content_rowid='id',"
        " tokenize = 'porter unicode61');"
    )
    yield db
    db.close()


def fill(db: sqlite3.Connection, rows: list[tuple[int, str, int, str]]) -> None:
    db.executemany("INSERT INTO unit VALUES (?, ?, ?, ?)", rows)
    db.execute("INSERT INTO unit_fts (unit_fts) VALUES ('rebuild')")


def test_any_term_is_enough_and_stems_match(connection: sqlite3.Connection) -> None:
    fill(connection, [(1, "a", 0, "we deployed on friday"), (2, "a", 1, "nothing here")])
    assert [
        hit.key for hit in search(connection.execute, FLAT, parse_query("deploys tests"), limit=5)
    ] == [1]


def test_equal_scores_come_in_order_of_their_key(connection: sqlite3.Connection) -> None:
    fill(connection, [(n, "a", n, "the same words") for n in (5, 3, 9)] + [(1, "a", 1, "other")])
    hits = search(connection.execute, FLAT, parse_query("same words"), limit=3)
    assert [hit.key for hit in hits] == [3, 5, 9]


def test_the_turn_beside_a_match_is_found_too(connection: sqlite3.Connection) -> None:
    texts = ["hello", "which port does staging use", "it is 8443", "thanks", "bye", "far away"]
    fill(connection, [(n, "s", n, text) for n, text in enumerate(texts)])
    hits = search(connection.execute, DIALOGUE, parse_query("staging port"), limit=9)
    assert [hit.key for hit in hits[:3]] == [1, 0, 2]
    assert hits[1].score == pytest.approx(hits[0].score * SMOOTHING[0])
    assert 5 not in {hit.key for hit in hits}


def test_neighbours_end_at_the_session(connection: sqlite3.Connection) -> None:
    fill(connection, [(1, "a", 0, "staging port"), (2, "b", 1, "unrelated"), (3, "b", 2, "more")])
    assert [
        hit.key for hit in search(connection.execute, DIALOGUE, parse_query("staging"), limit=9)
    ] == [1]


def test_a_condition_holds_for_neighbours_as_well(connection: sqlite3.Connection) -> None:
    fill(connection, [(1, "a", 0, "staging port"), (2, "a", 1, "hidden")])
    hits = search(
        connection.execute,
        DIALOGUE,
        parse_query("staging"),
        limit=9,
        where="u.text <> ?",
        values=("hidden",),
    )
    assert [hit.key for hit in hits] == [1]


def test_nothing_asked_finds_nothing(connection: sqlite3.Connection) -> None:
    fill(connection, [(1, "a", 0, "words")])
    assert search(connection.execute, FLAT, parse_query(""), limit=5) == []
