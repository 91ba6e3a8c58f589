"""The one road on which a memory gets written: at a keyboard, from a script, through MCP."""

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.operations.homes import memory, shop

from reverie.asker import OWNER, Asker
from reverie.errors import Archived, Busy, InvalidInput, NotFound, NotWorthKeeping, PathTaken
from reverie.memory import Memory
from reverie.operations import history, stores
from reverie.operations.remembering import guess_type
from reverie.store.library import Item, Library

AGENT = Asker("mcp", "session-1", "agent", "claude-code")
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_script_without_an_asker_writes_with_the_trust_of_an_agent(tmp_path: Path):
    with memory(tmp_path, Asker()) as opened:
        done = opened.remember("The till counts in cents")
        (version,) = history.versions(opened, "till-counts-in-cents")
    assert (done.created, done.store, done.path) == (True, "shop", "/till-counts-in-cents.md")
    assert (done.item.memory.trust, done.item.document.trust) == ("agent", "agent")
    assert (version.actor.kind, version.reason) == ("agent", "remembered through python")


def test_what_a_person_types_is_a_persons_word(tmp_path: Path):
    with memory(tmp_path) as opened:
        done = opened.remember("The till counts in cents", why="asked today", pin=True)
        (version,) = history.versions(opened, "till-counts-in-cents")
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


@pytest.mark.proves("D1")
@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"text": " "}, InvalidInput),
        ({"text": "The till counts", "name": SECRET}, InvalidInput),
        ({"text": "The till counts", "name": "/"}, InvalidInput),
        ({"text": "The till counts", "type": "opinion"}, InvalidInput),
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


def test_derived_names_are_numbered_and_a_given_one_is_a_plain_file_name(tmp_path: Path):
    with memory(tmp_path, AGENT) as opened:
        paths = [
            opened.remember(text, name=name).path
            for text, name in (
                ("Ask ops", None),
                ("Ask the ops!", None),
                ("Ask about the drawer", "../MEMORY.md"),
            )
        ]
        (version,) = opened.store.versions("shop", "/ask-ops.md").items
    assert paths == ["/ask-ops.md", "/ask-ops-2.md", "/memory.md"]
    assert (version.actor.id, version.reason) == ("claude-code:session-1", "remembered through MCP")


SAYINGS: list[dict[str, Any]] = [
    {"text": "Always ask ops before tomorrow's release of the till. It is theirs", "why": "today"},
    {"text": "The till counts in cents", "kind": "data-quirk"},
    {"text": "I am a data engineer"},
    {"text": "The numbers are on https://board.example", "name": "Board of numbers"},
    {"text": "The till opens at nine", "scope": "global"},
    {"text": "The till closes at six", "scope": "project", "type": "reference"},
    {"text": "word " * 60},
]


@pytest.mark.proves("D4")
@pytest.mark.proves("D6")
@pytest.mark.parametrize("place", ["shop", "plain", "home"])
@pytest.mark.parametrize("said", SAYINGS, ids=lambda said: said["text"][:20])
def test_the_same_words_make_the_same_memory_whoever_says_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], place: str
):
    monkeypatch.setenv("TZ", "Pacific/Auckland")  # already the 19th there
    monkeypatch.setenv("HOME", str(tmp_path / "person" / "home"))
    time.tzset()
    made: list[tuple[str, str, str]] = []
    for asker in (OWNER, AGENT, Asker()):
        base = tmp_path / asker.surface
        folder = tmp_path / "person" / "home" if place == "home" else base / place
        folder.mkdir(parents=True, exist_ok=True)
        where = None if place == "shop" else folder
        if place == "shop":
            folder.rmdir()
        with memory(base, asker, folder=where, now="2026-11-18T20:00:00Z") as opened:
            done = opened.remember(**said)
            assert done.created
            assert done.item.memory.trust == done.item.document.trust == asker.trust
            same = replace(done.item.document, trust="agent").text()
            made.append((done.store, done.path, same))
            assert [item.memory.id for item in opened.memories()] == [done.item.memory.id]
    monkeypatch.delenv("TZ")
    time.tzset()
    assert made[0] == made[1] == made[2]
    assert "created: 2026-11-19" in made[0][2]


@pytest.mark.proves("D3")
def test_what_code_says_is_kept_for_a_person_with_a_hint_and_refused_from_an_agent(tmp_path: Path):
    text = "fixed the bug in line 3 of app.py"
    with memory(tmp_path, AGENT) as agent:
        with pytest.raises(NotWorthKeeping) as refusal:
            agent.remember(text)
        assert agent.store.stores() == []
    with memory(tmp_path) as opened:
        done = opened.remember(text)
    assert done.created
    assert done.derivable is not None
    assert refusal.value.hint == done.derivable.instead


@pytest.mark.proves("D3")
@pytest.mark.parametrize("asker", [OWNER, AGENT])
def test_what_an_instruction_file_says_is_refused_from_everybody(tmp_path: Path, asker: Asker):
    rule = "Run make check before every commit and fix what it says"
    (shop(tmp_path) / "CLAUDE.md").write_text(f"- {rule}.\n", encoding="utf-8")
    with memory(tmp_path, asker) as opened, pytest.raises(NotWorthKeeping):
        opened.remember(rule)


def test_what_an_agent_saved_becomes_a_persons_word_when_they_say_it(tmp_path: Path):
    text = "The till counts in cents"
    with memory(tmp_path, AGENT) as agent:
        saved = agent.remember(text)
    with memory(tmp_path) as opened:
        said, again = opened.remember(text), opened.remember(text)
    assert (said.created, said.confirmed, again.confirmed) == (False, True, False)
    assert said.item.memory.id == saved.item.memory.id
    assert (said.item.memory.trust, said.item.document.trust) == ("user", "user")


@pytest.mark.hostile("T4")
def test_a_person_who_says_what_an_agent_saved_says_none_of_its_steps(tmp_path: Path):
    with memory(tmp_path, AGENT) as agent:
        agent.remember("The till counts in cents", why="a stranger wrote so", how="ring the yard")
    with memory(tmp_path) as opened:
        said = opened.remember("The till counts in cents", why="we agreed").item
    assert (said.memory.trust, "we agreed" in said.memory.content) == ("user", True)
    assert "stranger" not in said.memory.content
    assert "yard" not in said.memory.content


def test_an_agent_cannot_write_into_a_store_its_project_lost(tmp_path: Path):
    from reverie.store.model import Principal

    with memory(tmp_path, AGENT) as opened:
        opened.remember("The till counts in cents")
        opened.store.detach("shop", Principal("project", "shop"))
        with pytest.raises(NotFound):
            opened.remember("The till opens at nine")


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


@pytest.mark.hostile("X1")
def test_a_reason_that_is_the_secret_its_text_names_is_replaced(tmp_path: Path):
    with memory(tmp_path) as opened:
        done = opened.remember("The staging password", why="it is tumboferade")
        other = opened.remember("Password of the till", how="tumboferade")
    for kept in (done, other):
        assert "tumboferade" not in kept.item.memory.content
        assert "[redacted:" in kept.item.memory.content


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("when", ["yesterday", "two days ago", "last week"])
def test_a_day_beside_a_secret_hides_it_not(tmp_path: Path, when: str):
    with memory(tmp_path) as opened:
        done = opened.remember(f"I set the till password to tumboferade {when}")
    assert "tumboferade" not in done.item.memory.content


def test_what_two_sessions_say_at_the_same_moment_is_one_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    environ = {"HOME": str(tmp_path), "REVERIE_STORE_BUSY_TIMEOUT_MS": "20"}
    read = Library.documents
    left = [1]

    with (
        Memory.open(tmp_path / "home", folder=tmp_path, environ=environ) as one,
        Memory.open(tmp_path / "home", folder=tmp_path, environ=environ) as other,
    ):
        one.store.ensure_store("global")

        def meanwhile(library: Library, *given: str, **how: bool) -> list[Item]:
            found = read(library, *given, **how)
            if left:
                left.clear()
                with suppress(Busy):
                    other.remember("The till counts in cents", scope="global")
            return found

        monkeypatch.setattr(Library, "documents", meanwhile)
        one.remember("The till counts in cents", scope="global")
        other.remember("The till counts in cents", scope="global")
        assert not left
        assert len(one.library.documents("global")) == 1
