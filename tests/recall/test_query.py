"""Questions become terms; nothing in them is syntax."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.db.full_text import fts5
from reverie.recall.query import MAX_TERMS, asks_about_the_past, parse_query, words_of


def test_stop_words_are_left_out_of_a_question() -> None:
    assert parse_query("What did we say about the port of the staging host?").terms == (
        "say",
        "port",
        "staging",
        "host",
    )


def test_a_question_of_stop_words_only_asks_for_nothing() -> None:
    assert parse_query("who are you, and how was it?").terms == ()


def test_the_parts_of_a_joined_name_are_terms_too() -> None:
    assert parse_query("where is createdAt set").terms == ("createdat", "set", "created")


@pytest.mark.parametrize(
    "text",
    [
        "Which port does the crane listen on?",
        "why did we drop the ferry",
        "is the pier closed in winter?",
        "remind me how the buoys are named",
        "we agreed on something for the locks",
        "rope or chain for the buoys?",
    ],
)
def test_who_wants_to_be_told_something_asks(text: str) -> None:
    assert asks_about_the_past(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "paint the pier blue",
        "can you paint the pier?",
        "add a ferry to the timetable",
        "what is this? " * 40,
    ],
)
def test_who_wants_something_done_does_not_ask(text: str) -> None:
    assert not asks_about_the_past(text)


def test_identifiers_are_split_as_the_index_splits_them() -> None:
    assert parse_query("parse_query in recall/query.py").terms == ("parse", "query", "recall")


def test_of_addresses_and_paths_only_what_names_something_is_a_term() -> None:
    query = parse_query("see https://github.com/harbour/crane/issues/12 and src/quay/mooring.ts")
    assert query.terms == ("see", "quay", "mooring")
    assert "issues" in parse_query("https://github.com/harbour/crane/issues/12").terms


@pytest.mark.parametrize(
    "text",
    [
        "Good morning! Pick up where we left off.",
        "where were we?",
        "the last session got interrupted",
        "Session resumed.",
        "Guten Morgen, mach weiter, wo wir aufgehört haben.",
    ],
)
def test_who_takes_up_work_again_says_something_without_naming_it(text: str) -> None:
    query = parse_query(text)
    assert query.resumes and not query.says_nothing


@pytest.mark.parametrize("text", ["where is the crane?", "move the left buoy", "pick a harbour"])
def test_who_names_work_does_not_take_up_any(text: str) -> None:
    assert not parse_query(text).resumes


def test_an_empty_question_matches_nothing() -> None:
    assert parse_query(" ?! ").terms == ()


def test_words_of_keeps_repetitions() -> None:
    assert words_of("The port, the PORT") == ["port", "port"]


@pytest.mark.hostile("R3")
def test_a_megabyte_of_question_is_cut_to_few_terms() -> None:
    text = " ".join(f"word{n}" for n in range(120_000))
    assert len(parse_query(text).terms) == MAX_TERMS


@pytest.mark.hostile("U7")
@given(st.text(max_size=200) | st.sampled_from(['"', "NEAR(a b)", "text:*", "((", "a* OR", "\0x"]))
def test_no_text_is_read_as_query_syntax(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE f USING fts5 (t, tokenize = 'porter unicode61')")
    connection.execute("INSERT INTO f VALUES ('near or not text a')")
    if match := fts5(parse_query(text).search_terms):
        connection.execute("SELECT rowid FROM f WHERE f MATCH ?", (match,)).fetchall()
    connection.close()


def test_a_german_question_loses_german_stop_words() -> None:
    query = parse_query("Was haben wir für den Port entschieden?")
    assert query.terms == ("port", "entschieden")
    assert query.asks


def test_a_german_request_is_no_question() -> None:
    assert not asks_about_the_past("Kannst du die Tests starten?")


@pytest.mark.parametrize(
    ("text", "everyday"),
    [
        ("please look at the winch again", {"please", "look"}),
        ("bitte schau dir heute die Winde an", {"heute", "schau"}),
        ("step 7 of 12, then port 8080", {"step", "7", "12"}),
    ],
)
def test_words_of_prompts_about_anything_are_known(text: str, everyday: set[str]) -> None:
    query = parse_query(text)
    assert query.everyday == everyday
    rare, common = query.terms[-1], min(everyday)
    assert query.weight(rare, 100, 1) > 4 * query.weight(common, 100, 1)


def test_a_reason_is_looked_for_only_where_one_is_asked_for() -> None:
    assert parse_query("why is the winch locked?").reasons
    assert parse_query("Warum ist die Winde an der Mole gesperrt?").reasons
    assert parse_query("where is the winch?").reasons is None


@pytest.mark.parametrize("text", ["you good there?", "7", "yes, do it", "c", "go on then", ""])
def test_a_single_word_said_about_anything_asks_for_nothing(text: str) -> None:
    assert parse_query(text).says_nothing


@pytest.mark.parametrize("text", ["winch", "pick up where we left off", "port 8080"])
def test_whatever_says_more_asks_for_something(text: str) -> None:
    assert not parse_query(text).says_nothing


def test_a_question_is_widened_by_what_stands_for_its_words_and_counts_it_half() -> None:
    asked = parse_query("which database")
    wide = asked.widened()
    assert "postgres" in wide.terms and "postgres" not in asked.terms
    assert wide.weight("postgres", 100, 1) == 0.5 * wide.weight("database", 100, 1)
    assert parse_query("harbour crane").widened().terms == ("harbour", "crane")
