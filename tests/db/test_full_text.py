"""Questions of any kind are words for both databases, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.db.full_text import Term, fts5, tsquery
from reverie.db.opening import open_database

WORDS = st.lists(
    st.builds(Term, st.from_regex(r"\A\w+( \w+)?\Z", fullmatch=True), st.booleans()), max_size=5
)


def test_terms_are_quoted_and_joined() -> None:
    terms = [Term("two words"), Term("OR"), Term("beg", prefix=True)]
    assert fts5(terms) == '"two words" OR "OR" OR "beg"*'
    assert fts5(terms[:2], every=True) == '"two words" "OR"'
    assert fts5(terms[:1], columns=("text", "lesson")) == '{text lesson} : ("two words")'


def test_on_postgresql_a_stem_is_no_beginning_and_columns_are_labels() -> None:
    sql, values = tsquery([Term("snake_case"), Term("beg", prefix=True)], labels="AB")
    assert sql == "(to_tsquery('english', ?) || to_tsquery('simple', ?))"
    assert values == ["'snake case':AB | 'beg':AB", "'snake case':AB | 'beg':*AB"]
    assert tsquery([Term("_")])[1] == ["", ""]


@given(WORDS, st.booleans())
def test_sqlite_takes_any_words(terms: list[Term], every: bool) -> None:
    database = open_database("sqlite:///:memory:")
    database.query("CREATE VIRTUAL TABLE f USING fts5 (t)")
    if terms:
        database.query("SELECT 1 FROM f WHERE f MATCH ?", (fts5(terms, every=every),))
    database.close()


@pytest.mark.needs("postgres")
def test_postgresql_takes_any_words(postgres_url: str) -> None:
    database = open_database(postgres_url)

    @given(WORDS, st.booleans())
    def takes(terms: list[Term], every: bool) -> None:
        sql, values = tsquery(terms, every=every)
        database.query(f"SELECT {sql}", values)

    takes()
    database.close()
