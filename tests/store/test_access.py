"""Attachments: the store refuses, not the client."""

import pytest

from reverie.errors import InvalidInput, NotFound, ReadOnly, Refused
from reverie.store.access import parse_principal
from reverie.store.model import Author, Principal
from reverie.store.store import Store

PROJECT = Principal("project", "shop")
AGENT = Principal("agent", "codex")
KEY = Principal("key", "apikey_1")


@pytest.mark.proves("C2")
@pytest.mark.hostile("T4")
@pytest.mark.parametrize("principal", [PROJECT, AGENT, KEY])
def test_a_read_only_attachment_refuses_every_change(
    store: Store, me: Author, principal: Principal
):
    memory = store.create("notes", "/a.md", "one", me)
    store.update("notes", memory.id, content="two", by=me)
    before = store.versions("notes").items
    store.attach("notes", principal, "read_only")
    view = store.acting_as(principal)
    for change in (
        lambda: view.create("notes", "/b.md", "x", me),
        lambda: view.put("notes", "/a.md", "x", me),
        lambda: view.put("notes", "/new.md", "x", me),
        lambda: view.update("notes", "/a.md", content="x", by=me),
        lambda: view.update("notes", "/a.md", path="/c.md", by=me),
        lambda: view.delete("notes", "/a.md", by=me),
        lambda: view.restore("notes", "/a.md", memory.version_id, me),
        lambda: view.redact(memory.version_id, me),
        lambda: view.prune("notes", "2999-01-01", me),
        lambda: view.update_store("notes", name="x"),
        lambda: view.archive_store("notes"),
        lambda: view.delete_store("notes"),
    ):
        with pytest.raises(ReadOnly):
            change()
    assert view.get("notes", "/a.md").content == "two"
    assert view.versions("notes").items == before
    assert [hit.memory.path for hit in view.search("two")] == ["/a.md"]


@pytest.mark.proves("C2")
def test_read_write_allows_it_and_detaching_ends_it(store: Store, me: Author):
    store.attach("notes", PROJECT, "read_only")
    store.attach("notes", PROJECT, "read_write")
    view = store.acting_as(PROJECT)
    memory = view.create("notes", "/a.md", "x", me)
    store.detach("notes", PROJECT)
    with pytest.raises(NotFound):
        view.get("notes", memory.id)
    with pytest.raises(NotFound):
        store.detach("notes", PROJECT)


@pytest.mark.proves("C2")
@pytest.mark.hostile("T5")
def test_a_store_that_is_not_attached_does_not_exist(store: Store, me: Author):
    hidden = store.find_store("notes")
    memory = store.create("notes", "/a.md", "hidden words", me)
    store.create_store("mine")
    store.attach("mine", AGENT, "read_write")
    view = store.acting_as(AGENT)
    missing = []
    for ref in (hidden.id, hidden.name, "no such store"):
        for call in (
            lambda ref=ref: view.find_store(ref),
            lambda ref=ref: view.get(ref, "/a.md"),
            lambda ref=ref: view.create(ref, "/b.md", "x", me),
            lambda ref=ref: view.delete(ref, "/a.md", by=me),
            lambda ref=ref: view.versions(ref),
            lambda ref=ref: view.list(ref),
            lambda ref=ref: list(view.walk(ref)),
            lambda ref=ref: view.search("hidden", [ref]),
            lambda ref=ref: view.delete_store(ref),
        ):
            with pytest.raises(NotFound) as caught:
                call()
            missing.append(caught.value.message.replace(ref, "REF"))
    assert len(set(missing)) == 1
    with pytest.raises(NotFound):
        view.version(memory.version_id)
    with pytest.raises(NotFound):
        view.redact(memory.version_id, me)
    assert view.search("hidden words") == []
    assert [info.name for info in view.stores()] == ["mine"]


def test_the_strictest_of_several_attachments_decides(store: Store, me: Author):
    store.attach("notes", PROJECT, "read_write")
    assert store.acting_as(PROJECT, AGENT).create("notes", "/a", "x", me)
    store.attach("notes", AGENT, "read_only")
    with pytest.raises(ReadOnly):
        store.acting_as(PROJECT, AGENT).create("notes", "/b", "x", me)
    with pytest.raises(ReadOnly):
        store.acting_as(PROJECT).acting_as(AGENT).create("notes", "/b", "x", me)


def test_who_makes_a_store_may_write_to_it(store: Store, me: Author):
    view = store.acting_as(KEY)
    made = view.create_store("made by a key")
    assert view.create(made.id, "/a", "x", me)
    assert view.ensure_store("made by a key").id == made.id
    assert view.ensure_store("notes").id != store.find_store("made by a key").id
    assert {info.name for info in view.stores()} == {"made by a key", "notes"}


def test_only_the_owner_grants_verifies_all_and_backs_up(store: Store, tmp_path):
    store.attach("notes", AGENT, "read_write")
    view = store.acting_as(AGENT)
    for call in (
        lambda: view.attach("notes", KEY, "read_write"),
        lambda: view.detach("notes", AGENT),
        lambda: view.verify(),
        lambda: view.backup(str(tmp_path / "backup.db")),
        lambda: view.restore_backup(str(tmp_path / "backup.db")),
        lambda: view.copy_to(store, ["notes"]),
    ):
        with pytest.raises(Refused, match="owner"):
            call()
    assert view.verify("notes") == []


def test_attachments_are_listed_by_store_and_by_principal(store: Store):
    store.create_store("other")
    store.attach("notes", PROJECT, "read_only")
    store.attach("notes", AGENT, "read_write")
    store.attach("other", AGENT, "read_only")
    assert {(a.principal, a.access) for a in store.attachments("notes")} == {
        (PROJECT, "read_only"),
        (AGENT, "read_write"),
    }
    assert len(store.attachments(principal=AGENT)) == 2
    assert len(store.attachments()) == 3
    seen = store.acting_as(PROJECT).attachments()
    assert [(a.principal, a.access) for a in seen] == [(PROJECT, "read_only")]


def test_an_archived_store_cannot_be_attached_anew(store: Store):
    from reverie.errors import Archived

    store.archive_store("notes")
    with pytest.raises(Archived):
        store.attach("notes", AGENT, "read_only")


def test_acting_as_nobody_is_not_acting_as_the_owner(store: Store):
    with pytest.raises(InvalidInput):
        store.acting_as()


def test_principals_are_written_as_kind_and_name():
    assert parse_principal("project:shop") == PROJECT
    assert parse_principal("agent:a:b") == Principal("agent", "a:b")
    for bad in ("shop", "person:x", "project:", ""):
        with pytest.raises(InvalidInput):
            parse_principal(bad)
