"""Redacting the whole history of a memory at once."""

import pytest

from reverie.errors import ReadOnly
from reverie.store.model import Author, Principal
from reverie.store.store import Store


def test_all_versions_but_the_head_lose_their_words(store: Store, me: Author):
    memory = store.create("notes", "/secret-path.md", "the password is hunter2", me)
    store.update("notes", memory.id, content="still hunter2", by=me)
    head = store.update("notes", memory.id, content="clean", path="/clean.md", by=me)
    other = store.create("notes", "/other.md", "hunter2 elsewhere", me)
    assert store.redact_history("notes", memory.id, me) == 2
    texts = [(v.content, v.path) for v in store.versions("notes", memory.id).items]
    assert texts == [("clean", "/clean.md"), (None, None), (None, None)]
    assert store.get("notes", memory.id) == head
    assert store.get("notes", other.id) == other
    assert store.redact_history("notes", memory.id, me) == 0
    assert store.verify() == []


def test_a_deleted_memory_loses_its_path_too(store: Store, me: Author):
    memory = store.create("notes", "/secret-path.md", "x", me)
    store.delete("notes", memory.id, by=me)
    assert store.redact_history("notes", memory.id, me) == 2
    assert [v.path for v in store.versions("notes", memory.id).items] == [None, None]
    assert store.verify() == []


def test_a_reader_may_not_redact(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "old", me)
    store.update("notes", memory.id, content="new", by=me)
    reader = Principal("agent", "a1")
    store.attach("notes", reader, "read_only")
    with pytest.raises(ReadOnly):
        store.acting_as(reader).redact_history("notes", memory.id, me)
    assert store.versions("notes", memory.id).items[1].content == "old"
