"""What a person had forgotten: by the words, by the place, until they are said anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.databases import BOTH, PATIENT

from reverie.db.database import Database
from reverie.sessions.forgotten import (
    TELLING,
    Deed,
    Forgotten,
    Kind,
    Said,
    bury,
    deeds_of,
    forgotten,
    join_projects,
    lift,
    same_words,
    words_value,
)
from reverie.store.store import Store

RULE = "Always run the linter before a commit"
NOW = "2026-03-20T12:00:00.000Z"
BEFORE = "2026-03-01T12:00:00Z"
LATER = "2026-03-21T12:00:00Z"


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/memory.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    with Store.open(url, limits=PATIENT) as store:
        yield store.database


def forget(database: Database, *texts: str, project: str = "shop", **more: list[str]) -> None:
    with database.atomic() as tx:
        bury(tx, Deed("forget_1", project, NOW, texts, **more))


def gone(database: Database, *said: Said) -> set[str]:
    return forgotten(database, said)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (RULE, True),
        ("always run  the LINTER,\nbefore a commit!", True),
        ("No, as I said: always run the linter before a commit. Thanks.", True),
        ("Always run the linter before a push", False),
        ("Run the linter", False),
        ("", False),
    ],
)
def test_the_same_words_are_left_out_however_they_are_set(
    database: Database, text: str, left_out: bool
) -> None:
    forget(database, RULE)
    assert bool(gone(database, Said("x", "shop", (text,), at=BEFORE))) == left_out


def test_a_place_is_left_out_whatever_is_read_there(database: Database) -> None:
    forget(database, RULE, places=["claude-code:s1#4"])
    there = Said("a", "shop", ("lint first",), place="claude-code:s1#4", at=LATER)
    beside = Said("b", "shop", ("lint first",), place="claude-code:s1#5", at=BEFORE)
    assert gone(database, there, beside) == {"a"}


def test_words_said_again_later_are_new_and_those_without_a_time_are_not(
    database: Database,
) -> None:
    forget(database, RULE)
    said = [Said(at or "never", "shop", (RULE,), at=at) for at in (BEFORE, NOW, LATER, "")]
    assert gone(database, *said) == {BEFORE, NOW, "never"}


def test_a_project_forgets_for_itself_and_the_shared_store_for_all(database: Database) -> None:
    forget(database, RULE)
    here, there = Said("here", "shop", (RULE,)), Said("there", "other", (RULE,))
    assert gone(database, here, there) == {"here"}
    with database.atomic() as tx:
        bury(tx, Deed("forget_2", "", NOW, (RULE,)))
    assert gone(database, here, there) == {"here", "there"}


def test_a_few_words_are_left_out_only_where_they_are_all_that_was_said(
    database: Database,
) -> None:
    forget(database, "Use tabs")
    whole, part = Said("whole", "", ("use tabs!",)), Said("part", "", ("never use tabs",))
    assert gone(database, whole._replace(project="shop"), part._replace(project="shop")) == {
        "whole"
    }


def test_a_part_of_a_turn_goes_with_the_whole_turn_only(database: Database) -> None:
    forget(database, RULE)
    turn = f"{RULE}. And name branches after the ticket."
    other = Said("x", "shop", ("Name branches after the ticket",), whole=turn)
    assert gone(database, other) == set()
    with database.atomic() as tx:
        bury(tx, Deed("forget_2", "shop", NOW, (turn,)))
    assert gone(database, other) == {"x"}


def test_no_words_are_kept(database: Database) -> None:
    forget(database, RULE, "?!")
    kept = database.query("SELECT kind, value FROM forgotten")
    assert kept == [("words", words_value(RULE))]
    assert not any("linter" in value for _, value in kept)


def test_a_deed_is_found_by_what_it_took_and_lifted_as_a_whole(database: Database) -> None:
    forget(database, RULE, places=["c:s#1"], memories=["mem_1"], reviews=["cand_1"])
    took: list[tuple[Kind, str]] = [("memory", "mem_1"), ("review", "cand_1"), ("place", "c:s#1")]
    for kind, value in took:
        assert deeds_of(database, kind, value) == {"forget_1"}
    assert deeds_of(database, "memory", "mem_2") == set()
    with database.atomic() as tx:
        lifted = lift(tx, {"forget_1"})
    assert (lifted["memory"], lifted["review"], lifted["place"]) == (
        ["mem_1"], ["cand_1"], ["c:s#1"]
    )  # fmt: skip
    assert gone(database, Said("x", "shop", (RULE,), place="c:s#1")) == set()


def test_it_follows_a_project_into_another(database: Database) -> None:
    forget(database, RULE)
    with database.atomic() as tx:
        join_projects(tx, "shop", "store")
    assert gone(database, Said("x", "store", (RULE,))) == {"x"}


WORDS = st.lists(st.sampled_from("one two three four five six".split()), max_size=12)


class Kept:
    """A table that holds one text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def query(self, *_: object) -> list[tuple[str, str, str, str, str]]:
        return [("deed", "words", words_value(self.text), "", NOW)] if self.text else []


@given(WORDS, WORDS)
def test_it_is_left_out_exactly_when_the_words_stand_in_it_in_order(
    buried: list[str], told: list[str]
) -> None:
    known = Forgotten(Kept(" ".join(buried)))  # type: ignore[arg-type]
    if len(buried) < TELLING:
        within = bool(buried) and buried == told
    else:
        spans = range(len(told) - len(buried) + 1)
        within = any(told[at : at + len(buried)] == buried for at in spans)
    assert known.holds(Said("x", "", (" ".join(told),))) == within


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_texts_have_one_value_exactly_when_they_have_the_same_words(
    one: str, other: str
) -> None:
    assert (words_value(one) == words_value(other)) == same_words(one, other)


@given(st.text("漢字仮名文書", min_size=TELLING, max_size=8))
def test_a_script_without_spaces_is_compared_by_its_characters(text: str) -> None:
    known = Forgotten(Kept(text))  # type: ignore[arg-type]
    assert known.holds(Said("x", "", (f"前{text}後",)))
