"""Memories by name: scopes, prefixes, archive, pins."""

from typing import Any

import pytest

from reverie.documents.document import Document
from reverie.errors import (
    Ambiguous,
    InvalidInput,
    NotFound,
    PathTaken,
    PreconditionFailed,
)
from reverie.store import roads
from reverie.store.library import GLOBAL, Library
from reverie.store.model import Actor, Author
from reverie.store.store import Store

ME = Author(Actor("user"), "test")
BY_NAME = roads.Road(made=True)


def remember(library: Library, name: str, **fields: Any) -> None:
    values: dict[str, Any] = {
        "type": "project",
        "description": f"about {name}",
        "body": f"{name}\n",
        **fields,
    }
    document = Document(name=name, **values)
    target = GLOBAL if document.shared else document.scope or library.scopes[0]
    roads.enter(library.store, target, f"/{name}.md", document, ME, BY_NAME)


@pytest.fixture
def library(store: Store) -> Library:
    return Library(store, "shop")


@pytest.mark.proves("D6")
def test_user_and_global_memories_are_shared_and_project_ones_never_cross(store: Store):
    shop, bank = Library(store, "shop"), Library(store, "bank")
    remember(shop, "till-quirk", scope="shop")
    remember(shop, "my-role", type="user", scope="shop")
    remember(shop, "lint-first", type="feedback", scope="global")
    assert [item.name for item in shop.documents()] == ["till-quirk", "lint-first", "my-role"]
    assert [item.name for item in bank.documents()] == ["lint-first", "my-role"]
    assert bank.find("my-role").store == "global"
    with pytest.raises(NotFound) as caught:
        bank.find("till-quirk")
    assert caught.value.hint == "another store has one: shop:till-quirk"


@pytest.mark.proves("D1")
def test_files_without_a_valid_type_are_listed_but_not_found_by_type(store: Store):
    library = Library(store)
    remember(library, "typed", scope="global")
    store.create("global", "/bare.md", "# Just a note\n", ME)
    store.create("global", "/broken.md", "---\nname: x\ntype: secret\n---\n", ME)
    assert [item.name for item in library.documents()] == ["bare", "broken", "typed"]
    assert [item.name for item in library.documents(types=["project"])] == ["typed"]
    assert "type must be one of" in library.find("broken").document.problem


def test_dailies_diaries_and_the_index_are_no_memories(store: Store):
    library = Library(store)
    remember(library, "one", scope="global")
    for path in ("/daily/2026-11-15.md", "/diary/a.md", "/MEMORY.md", "/notes.txt"):
        store.create("global", path, "x\n", ME)
    assert [item.name for item in library.documents()] == ["one"]


def test_a_name_is_found_by_a_unique_prefix_in_any_case(library: Library):
    remember(library, "run-lint-first")
    remember(library, "run-tests-too")
    assert library.find("run-l").name == "run-lint-first"
    assert library.find("RUN-T").name == "run-tests-too"
    assert library.find("/run-lint-first.md").name == "run-lint-first"
    assert library.find("shop:run-l").name == "run-lint-first"
    assert library.find(library.find("run-l").memory.id).name == "run-lint-first"
    with pytest.raises(Ambiguous, match="shop:run-lint-first, shop:run-tests-too"):
        library.find("run")


def test_an_empty_name_finds_nothing(library: Library):
    remember(library, "only")
    for empty in ("", " ", "shop: "):
        with pytest.raises(InvalidInput):
            library.find(empty)


def test_an_exact_name_wins_over_longer_ones(library: Library):
    remember(library, "run")
    remember(library, "run-lint")
    assert library.find("run").name == "run"


def test_a_name_in_both_stores_needs_the_store(library: Library):
    remember(library, "same")
    remember(library, "same", scope="global")
    with pytest.raises(Ambiguous, match="global:same, shop:same"):
        library.find("same")
    assert library.find("global:same").store == "global"


def test_a_near_miss_is_suggested(library: Library):
    remember(library, "deploy-only-from-main")
    for wrong in ("deplyo-only-from-main", "dploy", "mian"):
        with pytest.raises(NotFound) as caught:
            library.find(wrong)
        assert caught.value.hint == "did you mean deploy-only-from-main?"


def test_what_is_archived_leaves_the_list_and_comes_back_with_its_history(
    library: Library, store: Store
):
    remember(library, "old")
    first = library.find("old")
    gone = library.archive(first, ME)
    assert gone.memory.path == "/archive/2026-03-01/old.md"
    assert library.documents() == []
    assert [item.name for item in library.documents(archived=True)] == ["old"]
    remember(library, "old")
    back = library.unarchive(gone, ME)
    assert (back.name, back.memory.id) == ("old-2", first.memory.id)
    operations = [v.operation for v in store.versions("shop", first.memory.id).items]
    assert operations == ["modified", "modified", "created"]


@pytest.mark.proves("B9")
def test_a_pin_keeps_its_reason_in_the_memory(library: Library):
    remember(library, "rock")
    pinned = library.pin(library.find("rock"), "hard won", ME)
    assert (pinned.document.pinned, pinned.document.pin_reason) == (True, "hard won")
    assert [item.name for item in library.documents(pinned=True)] == ["rock"]
    before = pinned.memory.content
    loose = library.unpin(pinned, ME)
    assert not loose.document.pinned
    assert "pin" not in loose.memory.content.replace("rock", "")
    assert len(before) > len(loose.memory.content)


def test_a_rewrite_over_somebody_elses_change_is_refused(library: Library, store: Store):
    remember(library, "hot")
    seen = library.find("hot")
    store.update("shop", seen.memory.id, content="changed\n", by=ME)
    with pytest.raises(PreconditionFailed):
        library.pin(seen, "mine", ME)


def test_a_renamed_memory_keeps_its_id_and_says_its_new_name(library: Library):
    remember(library, "before")
    item = library.find("before")
    renamed = library.rename(item, "after", ME)
    assert (renamed.memory.id, renamed.memory.path) == (item.memory.id, "/after.md")
    assert renamed.document.name == "after"


def test_links_to_a_memory_are_found(library: Library):
    remember(library, "target")
    remember(library, "pointer", body="see [[target]]\n")
    assert [item.name for item in library.linking_to("target")] == ["pointer"]


def test_the_same_name_twice_is_refused(library: Library):
    remember(library, "taken")
    with pytest.raises(PathTaken):
        remember(library, "taken")


@pytest.mark.proves("D5")
def test_the_index_of_a_store_lists_its_live_memories(library: Library):
    remember(library, "kept")
    remember(library, "gone")
    library.archive(library.find("gone"), ME)
    assert library.index_markdown("shop") == "- [Kept](kept.md) — about kept\n"
    assert [item.name for item in library.documents("shop")] == ["kept"]


@pytest.mark.hostile("M4")
def test_pinning_renaming_and_archiving_never_raise_trust(library: Library, store: Store):
    store.ensure_store("shop")
    document = Document(name="hint", type="project", description="a hint", body="x\n", scope="shop")
    store.create("shop", "/hint.md", document.text(), Author(Actor("agent", "s"), "", "agent"))
    item = library.pin(library.find("hint"), "keep", ME)
    item = library.rename(item, "clue", ME)
    item = library.unpin(item, ME)
    item = library.archive(item, ME)
    assert item.memory.trust == "agent"
    assert library.unarchive(item, ME).memory.trust == "agent"
