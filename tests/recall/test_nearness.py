"""Nearness: what was said around a place in a session."""

import math
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.databases import OpenIndex
from tests.sessions.worklogs import lines, update, write

from reverie.recall.nearness import Nearness, nearness
from reverie.recall.query import parse_query

QUESTION = parse_query("oil the crane")


def spoken(*exchanges: Sequence[int]) -> Nearness:
    """A session in which a person spoke at lines 10, 20, …, with the terms of each exchange."""
    lines = [10 * (number + 1) for number in range(len(exchanges))]
    terms = {number + 1: set(said) for number, said in enumerate(exchanges)}
    return Nearness({"s": lines}, {"s": terms}, [3.0, 1.0], 4.0)


def test_a_line_is_nearest_in_the_exchange_that_said_it_all() -> None:
    near = spoken((), (0, 1), (), ())
    assert near.at("s", 20) == near.at("s", 29) == 1.0
    assert 1.0 > near.at("s", 30) == near.at("s", 10) > near.at("s", 40) > 0.0


def test_terms_count_by_their_weight_and_each_once_where_it_is_nearest() -> None:
    near = spoken((0,), (1,))
    faded = math.exp(-1 / 1.5)
    assert math.isclose(near.at("s", 10), (3.0 + faded) / 4.0)
    assert math.isclose(near.at("s", 20), (1.0 + 3.0 * faded) / 4.0)


def test_a_session_that_said_nothing_of_it_is_as_far_as_one_that_is_not_there() -> None:
    assert spoken((0,)).at("other", 10) == 0.0
    assert spoken((0,)).of(["other#10", "no place", "s#10"]) == 0.75
    assert spoken((0,)).of([]) == 0.0


def test_sessions_that_said_more_of_it_come_first() -> None:
    terms = {"a": {0: {1}, 3: {1}}, "b": {0: {0}}, "c": {1: {0}, 2: {1}}}
    near = Nearness({}, terms, [3.0, 1.0], 4.0)
    assert near.sessions() == ["c", "b", "a"]


@given(st.lists(st.sets(st.integers(0, 1)), min_size=1, max_size=20), st.integers(0, 300))
def test_nearness_is_a_share(exchanges: list[set[int]], line: int) -> None:
    assert 0.0 <= spoken(*map(tuple, exchanges)).at("s", line) <= 1.0 + 1e-9


def test_it_is_found_in_what_person_and_agent_said_to_each_other(
    open_index: OpenIndex, tmp_path: Path
) -> None:
    index = open_index(tmp_path / "index.db")
    talk = lines(
        "one",
        ("you", "the gate squeaks"), ("agent", "I will look at the hinges"),
        ("you", "go on"), ("agent", "the crane stands beside it, and its oil is out"),
        ("you", "pull the latest before you begin"), ("agent", "done"),
    )  # fmt: skip
    write(tmp_path / "logs" / "-w-app" / "one.jsonl", talk)
    write(
        tmp_path / "logs" / "-w-other" / "two.jsonl",
        lines("two", ("you", "oil the crane"), cwd="/w/o"),
    )
    update(index, tmp_path / "logs")
    (project,) = {row.project for row in index.sessions() if row.session_id == "one"}

    seen = dict.fromkeys((term.words for term in QUESTION.search_terms), 1)
    near = nearness(index.database, QUESTION, seen, project)

    assert near.sessions() == ["claude-code:one"]
    assert near.of(["claude-code:one#2"]) == 1.0
    assert near.of(["claude-code:one#4"]) == near.of(["claude-code:one#0"]) < 1.0
    assert near.of(["claude-code:two#0"]) == 0.0


def test_words_that_nobody_said_are_near_to_nothing(open_index: OpenIndex, tmp_path: Path) -> None:
    database = open_index(tmp_path / "index.db").database
    seen = dict.fromkeys((term.words for term in QUESTION.search_terms), 0)
    assert not nearness(database, QUESTION, seen, "nowhere")


def test_what_was_said_in_every_exchange_brings_nothing_near(
    open_index: OpenIndex, tmp_path: Path
) -> None:
    index = open_index(tmp_path / "index.db")
    talk = [
        ("you", "is the crane ready?"), ("agent", "the crane creaks"),
        ("you", "and the oil of the crane"), ("agent", "the oil of the crane is out"),
        ("you", "paint the crane"), ("agent", "the crane is painted"),
    ]  # fmt: skip
    write(tmp_path / "logs" / "-w-app" / "one.jsonl", lines("one", *talk))
    update(index, tmp_path / "logs")
    (project,) = {row.project for row in index.sessions()}

    def near(question: str, place: str) -> float:
        query = parse_query(question)
        seen = dict.fromkeys(query.terms, 1)
        return nearness(index.database, query, seen, project).of([place])

    assert near("oil", "claude-code:one#2") == 1.0
    assert near("crane", "claude-code:one#2") < 0.2
    assert near("oil tanker", "claude-code:one#2") < 0.5
