"""The one road on which a memory gets written: at a keyboard, from a script, through MCP."""

import time
from pathlib import Path
from typing import Any

import pytest
from tests.operations.homes import memory

from reverie.asker import Asker
from reverie.errors import Archived, InvalidInput, NotFound, NotWorthKeeping, PathTaken
from reverie.operations import history, stores
from reverie.operations.remembering import THROUGH_MCP, describe, guess_type, remember

AGENT = Asker("mcp", "session-1", "agent", "claude-code")
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_script_without_an_asker_writes_with_the_trust_of_an_agent(tmp_path: Path):
    with memory(tmp_path, Asker()) as opened:
        done = opened.remember("The till counts in cents")
        (version,) = history.versions(opened, "till-counts-cents")
    assert (done.created, done.store, done.path) == (True, "shop", "/till-counts-cents.md")
    assert (done.item.memory.trust, done.item.document.trust) == ("agent", "agent")
    assert (version.actor.kind, version.reason) == ("agent", "remembered through python")


def test_what_a_person_types_is_a_persons_word(tmp_path: Path):
    with memory(tmp_path) as opened:
        done = opened.remember("The till counts in cents", why="asked today", pin=True)
        (version,) = history.versions(opened, "till-counts-cents")
    assert (version.actor.kind, version.trust, version.reason) == (
        "user",
        "user",
        "remembered by hand",
    )
    assert done.item.document.pinned
    assert "asked 2026-11-18" in done.item.memory.content


def test_what_is_known_is_not_written_again(tmp_path: Path):
    with memory(tmp_path) as opened:
        first = opened.remember("The till counts in cents")
        again = opened.remember("the till COUNTS in cents", name="other")
    assert (again.created, again.item.memory.id) == (False, first.item.memory.id)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"text": " "}, InvalidInput),
        ({"text": "The till counts", "name": SECRET}, InvalidInput),
        ({"text": "fixed the bug in line 3 of app.py"}, NotWorthKeeping),
        ({"text": "The till counts", "scope": "nowhere"}, NotFound),
        ({"text": "The till counts", "store": "nowhere"}, NotFound),
    ],
)
def test_what_is_refused_leaves_nothing(tmp_path: Path, given: dict[str, Any], error: type):
    with memory(tmp_path) as opened:
        with pytest.raises(error):
            opened.remember(**given)
        assert opened.store.stores() == []


def test_a_name_that_is_taken_and_a_store_that_is_closed_are_refused(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        with pytest.raises(PathTaken):
            opened.remember("The till opens at nine", name="till")
        opened.store.archive_store(stores.create_store(opened, "old").id)
        with pytest.raises(Archived):
            opened.remember("The till opens at nine", store="old")


def test_an_agent_gets_the_next_free_name_unless_the_words_are_the_same(tmp_path: Path):
    with memory(tmp_path, AGENT) as opened:

        def told(text: str, why: str = "") -> tuple[str, bool]:
            done = remember(opened, text, why=why, name="Till Rule", manner=THROUGH_MCP)
            return done.path, done.created

        assert told("It counts in cents") == ("/till-rule.md", True)
        assert told("It counts in cents") == ("/till-rule.md", False)
        assert told("It counts in euros") == ("/till-rule-2.md", True)
        (version,) = opened.store.versions("shop", "/till-rule.md").items
    assert (version.actor.id, version.reason) == ("session-1", "remembered through MCP")


def test_the_two_ways_differ_only_in_what_their_manner_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TZ", "Pacific/Auckland")  # already the 19th there
    time.tzset()
    text = "Always ask ops before tomorrow's release of the till. It is theirs"
    with memory(tmp_path, AGENT, now="2026-11-18T20:00:00Z") as opened:
        typed = remember(opened, text, why="said today").item.document
        sent = remember(opened, text, why="said today", manner=THROUGH_MCP).item.document
    monkeypatch.delenv("TZ")
    time.tzset()
    assert (typed.type, sent.type) == ("feedback", "project")
    assert (typed.support, sent.support) == (0, 1)
    assert typed.description.startswith("Always ask ops before 2026-11-20")
    assert sent.description.startswith("Always ask ops before 2026-11-19")
    assert ("said 2026-11-19" in typed.body, "said today" in sent.body) == (True, True)
    assert typed.name != sent.name


def test_an_agent_cannot_write_into_a_store_its_project_lost(tmp_path: Path):
    from reverie.store.model import Principal

    with memory(tmp_path, AGENT) as opened:
        remember(opened, "The till counts in cents", manner=THROUGH_MCP)
        opened.store.detach("shop", Principal("project", "shop"))
        with pytest.raises(NotFound):
            remember(opened, "The till opens at nine", manner=THROUGH_MCP)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am a data engineer", "user"),
        ("Never push on Fridays", "feedback"),
        ("The numbers are on https://board.example", "reference"),
        ("The till counts in cents", "project"),
    ],
)
def test_a_type_is_guessed_from_the_words(text: str, expected: str):
    assert guess_type(text) == expected


def test_a_description_is_the_first_sentence_on_one_line_and_short():
    assert describe("The till\ncounts in cents. Always.") == "The till counts in cents"
    long = describe("word " * 60)
    assert (len(long) <= 150, long[-1]) == (True, "…")
