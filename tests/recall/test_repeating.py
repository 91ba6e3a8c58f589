"""What was said before is looked up once; the figures are those of comparing all with all."""

import random
from pathlib import Path

import pytest
from tests.serve.page.conftest import Page, learned, page

from reverie.operations import figures
from reverie.operations.serving.counting import counted
from reverie.recall.repeating import note_repeats, said_before
from reverie.recall.stats import repeats
from reverie.sessions.corrections import corrections

__all__ = ["learned", "page"]


@pytest.mark.proves("F3")
def test_the_page_counts_what_the_command_counts(page: Page) -> None:
    for project, agent in (("", ""), ("shop-api", ""), ("", "codex")):
        told = figures.helped(page.home, project=project or None, agent=agent or None)
        found = counted(page.home, project, agent)
        assert found.corrections.total() == told.stats.corrections
        if not agent:  # what was said to another agent before counts, too
            assert found.repeats.total() == len(told.stats.repeats)
        assert found.repeat_rate == told.stats.repeat_rate
        assert found.recalls == len(told.recalls)
        assert found.tokens == told.tokens
        turns = sum(one.turns for one in told.periods)
        assert found.turns.total() == turns


def test_learning_leaves_nothing_to_look_at(page: Page) -> None:
    assert note_repeats(page.home.index_database) == 0


def test_what_comes_in_any_order_is_counted_as_if_it_had_come_at_once(page: Page) -> None:
    index = page.home.index_database
    rows = corrections(index)
    expected = {one.again.id for one in repeats(rows, [])}
    chance = random.Random(7)
    for _ in range(10):
        ids = [row.id for row in rows]
        chance.shuffle(ids)
        firsts: dict[str, str] = {}
        for place in range(0, len(ids), 4):
            there = set(ids[: place + 4])
            fresh = frozenset(ids[place : place + 4])
            known = {one for one, first in firsts.items() if first}
            present = [row for row in rows if row.id in there]
            firsts |= {row.id: first for row, first in said_before(present, fresh, known)}
        assert {one for one, first in firsts.items() if first} == expected


def test_a_session_that_is_unlearned_takes_its_repeats_along(page: Page) -> None:
    index = page.home.index_database
    (session,) = index.query("SELECT session FROM said_again WHERE first <> '' LIMIT 1")[0]
    page.home.unlearn(session, "a test")
    assert index.query("SELECT count(*) FROM said_again WHERE session = ?", (session,)) == [(0,)]
    assert Path(page.home.config.index_db).exists()
