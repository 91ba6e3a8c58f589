"""One search for every kind of unit."""

from collections.abc import Iterator

import pytest
from tests.databases import BOTH

from reverie.db.database import Database
from reverie.db.full_text import Source
from reverie.db.migrations import statements
from reverie.db.opening import open_database
from reverie.recall.query import parse_query
from reverie.recall.search import SMOOTHING, search

SCHEMA = """
CREATE TABLE unit (id {int} PRIMARY KEY, grp {text}, place {int}, text {text}
--: postgresql
    , words TSVECTOR GENERATED ALWAYS AS ({words:text}) STORED
--: both
);
--: sqlite
CREATE VIRTUAL TABLE unit_fts USING fts5 (text, content='unit', content_rowid='id',
    tokenize = 'porter unicode61');
"""
FLAT = Source(fts="unit_fts", content="unit", key="id")
DIALOGUE = Source("unit_fts", "unit", key="id", sequence=("grp", "place"))


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    sqlite = request.param == "sqlite"
    url = "sqlite:///:memory:" if sqlite else request.getfixturevalue("postgres_url")
    opened = open_database(url)
    for statement in statements(SCHEMA, opened.dialect):
        opened.query(statement)
    yield opened
    opened.close()


def fill(database: Database, rows: list[tuple[int, str, int, str]]) -> None:
    database.execute_many("INSERT INTO unit VALUES (?, ?, ?, ?)", rows)
    if database.dialect == "sqlite":
        database.query("INSERT INTO unit_fts (unit_fts) VALUES ('rebuild')")


def test_any_term_is_enough_and_stems_match(database: Database) -> None:
    fill(database, [(1, "a", 0, "we deployed on friday"), (2, "a", 1, "nothing here")])
    assert [hit.key for hit in search(database, FLAT, parse_query("deploys tests"), limit=5)] == [1]


def test_equal_scores_come_in_order_of_their_key(database: Database) -> None:
    fill(database, [(n, "a", n, "the same words") for n in (5, 3, 9)] + [(1, "a", 1, "other")])
    hits = search(database, FLAT, parse_query("same words"), limit=3)
    assert [hit.key for hit in hits] == [3, 5, 9]


def test_the_turn_beside_a_match_is_found_too(database: Database) -> None:
    texts = ["hello", "which port does staging use", "it is 8443", "thanks", "bye", "far away"]
    fill(database, [(n, "s", n, text) for n, text in enumerate(texts)])
    hits = search(database, DIALOGUE, parse_query("staging port"), limit=9)
    assert [hit.key for hit in hits[:3]] == [1, 0, 2]
    assert hits[1].score == pytest.approx(hits[0].score * SMOOTHING[0])
    assert 5 not in {hit.key for hit in hits}


def test_neighbours_end_at_the_session(database: Database) -> None:
    fill(database, [(1, "a", 0, "staging port"), (2, "b", 1, "unrelated"), (3, "b", 2, "more")])
    assert [hit.key for hit in search(database, DIALOGUE, parse_query("staging"), limit=9)] == [1]


def test_a_condition_holds_for_neighbours_as_well(database: Database) -> None:
    fill(database, [(1, "a", 0, "staging port"), (2, "a", 1, "hidden")])
    hits = search(
        database,
        DIALOGUE,
        parse_query("staging"),
        limit=9,
        where="u.text <> ?",
        values=("hidden",),
    )
    assert [hit.key for hit in hits] == [1]


def test_nothing_asked_finds_nothing(database: Database) -> None:
    fill(database, [(1, "a", 0, "words")])
    assert search(database, FLAT, parse_query(""), limit=5) == []
