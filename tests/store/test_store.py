"""What a store promises about stores and memories."""

from hashlib import sha256

import pytest

from reverie.errors import (
    Ambiguous,
    Archived,
    InvalidInput,
    NotFound,
    PathTaken,
    PreconditionFailed,
    Refused,
    TooLarge,
)
from reverie.store.model import Actor, Author, Entry, Memory, Prefix, Principal
from reverie.store.store import Store


def paths_of(page):
    return [item.path for item in page.items]


def test_ids_have_their_prefix_and_a_tail_of_24(store: Store, me: Author):
    info = store.find_store("notes")
    memory = store.create("notes", "/a.md", "x", me)
    for prefix, found in (
        ("memstore_", info.id),
        ("mem_", memory.id),
        ("memver_", memory.version_id),
    ):
        tail = found.removeprefix(prefix)
        assert found.startswith(prefix)
        assert len(tail) == 24
        assert tail.isalnum()
        assert tail.startswith("01")


def test_a_store_is_found_by_id_and_by_name(store: Store):
    info = store.create_store("Team notes", "what we know", {"team": "one"})
    assert store.find_store(info.id) == store.find_store("Team notes") == info
    assert info.description == "what we know"
    assert info.metadata == {"team": "one"}


def test_two_stores_of_one_name_need_their_ids(store: Store):
    store.create_store("notes")
    with pytest.raises(Ambiguous):
        store.find_store("notes")


def test_ensuring_a_store_twice_makes_one(store: Store):
    assert store.ensure_store("global").id == store.ensure_store("global").id
    assert len(store.stores()) == 2


@pytest.mark.parametrize("name", ["", "x" * 256, "a\nb", "a\x00b", "a\x7fb", "\ud800"])
def test_a_bad_store_name_is_refused(store: Store, name: str):
    with pytest.raises(InvalidInput):
        store.create_store(name)
    assert len(store.stores()) == 1


@pytest.mark.parametrize(
    "metadata",
    [{str(i): "" for i in range(17)}, {"": "x"}, {"k" * 65: "x"}, {"k": "v" * 513}, {"k": "\0"}],
)
def test_bad_metadata_is_refused(store: Store, metadata: dict[str, str]):
    with pytest.raises(InvalidInput):
        store.create_store("other", metadata=metadata)


def test_metadata_is_merged_and_none_removes_a_key(store: Store):
    store.update_store("notes", metadata={"a": "1", "b": "2"})
    info = store.update_store("notes", metadata={"a": None, "c": "3"}, description="new")
    assert info.metadata == {"b": "2", "c": "3"}
    assert info.description == "new"
    assert store.update_store("notes", description="").description == ""


def test_memory_writes_do_not_move_the_stores_updated_at(store: Store, me: Author):
    before = store.find_store("notes").updated_at
    store.create("notes", "/a.md", "x", me)
    assert store.find_store("notes").updated_at == before
    assert store.find_store("notes").memories == 1


def test_stores_are_listed_newest_first_and_archived_ones_on_demand(store: Store):
    store.create_store("second")
    store.archive_store("second")
    store.create_store("third")
    assert [info.name for info in store.stores()] == ["third", "notes"]
    assert [info.name for info in store.stores(archived=True)] == ["third", "second", "notes"]


def test_deleting_a_store_removes_everything_in_it(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "some words", me)
    store.delete_store("notes")
    with pytest.raises(NotFound):
        store.find_store("notes")
    with pytest.raises(NotFound):
        store.version(memory.version_id)
    assert store.search("words") == []
    assert store.verify() == []


def test_an_archived_store_is_read_deleted_from_and_redacted_but_not_written(
    store: Store, me: Author
):
    first = store.create("notes", "/a.md", "one", me)
    store.update("notes", first.id, content="two", by=me)
    archived = store.archive_store("notes")
    assert store.archive_store("notes") == archived
    for write in (
        lambda: store.create("notes", "/b.md", "x", me),
        lambda: store.put("notes", "/a.md", "x", me),
        lambda: store.update("notes", "/a.md", content="x", by=me),
        lambda: store.update("notes", "/a.md", path="/c.md", by=me),
        lambda: store.restore("notes", "/a.md", first.version_id, me),
        lambda: store.update_store("notes", name="x"),
    ):
        with pytest.raises(Archived):
            write()
    assert store.get("notes", "/a.md").content == "two"
    assert store.redact(first.version_id, me).redacted_at
    store.delete("notes", "/a.md", by=me)
    assert store.verify() == []
    store.delete_store("notes")


@pytest.mark.hostile("U5")
@pytest.mark.parametrize(
    "content", ["", "\n", "a\r\nb\r\n", "no newline", "é", "é", "\ufeffbom", "日本語 🧠\u2028x"]
)
def test_content_and_its_hash_are_the_exact_bytes(store: Store, me: Author, content: str):
    memory = store.create("notes", "/a.md", content, me)
    assert store.get("notes", memory.id).content == content
    assert memory.content_sha256 == sha256(content.encode()).hexdigest()
    assert memory.size_bytes == len(content.encode())
    assert store.version(memory.version_id).content == content


def test_content_may_have_102400_bytes_and_not_one_more(store: Store, me: Author):
    limit = 102_400
    store.create("notes", "/full.md", "é" * (limit // 2), me)
    with pytest.raises(TooLarge):
        store.create("notes", "/over.md", "é" * (limit // 2) + "x", me)
    assert store.find_store("notes").memories == 1


@pytest.mark.hostile("U6")
def test_nul_in_content_is_refused_alike_on_both_databases(store: Store, me: Author):
    with pytest.raises(InvalidInput, match="NUL"):
        store.create("notes", "/a.md", "a\0b", me)
    with pytest.raises(InvalidInput, match="NUL"):
        store.create("notes", "/a.md", "x", Author(Actor("user"), "\0"))
    assert store.manifest("notes") == []


@pytest.mark.hostile("U4")
def test_a_lone_surrogate_is_refused_and_nothing_is_written(store: Store, me: Author):
    with pytest.raises(InvalidInput, match="surrogate"):
        store.create("notes", "/a.md", "x\ud800y", me)
    assert store.manifest("notes") == []
    assert store.search("x\ud800y") == []


def test_creating_never_overwrites_and_names_what_is_in_the_way(store: Store, me: Author):
    taken = store.create("notes", "/a/b.md", "one", me)
    for path in ("/a/b.md", "/a", "/a/b.md/c"):
        with pytest.raises(PathTaken) as caught:
            store.create("notes", path, "two", me)
        assert caught.value.conflicting_memory_id == taken.id
        assert caught.value.conflicting_path == "/a/b.md"
    store.create("notes", "/a/b.md2", "beside", me)
    store.create("notes", "/a-b", "beside", me)


def test_the_same_path_may_exist_in_two_stores(store: Store, me: Author):
    store.create_store("other")
    one = store.create("notes", "/a.md", "one", me)
    two = store.create("other", "/a.md", "two", me)
    with pytest.raises(NotFound):
        store.get("other", one.id)
    assert store.get("other", two.id).content == "two"


def test_an_update_needs_the_hash_the_writer_saw(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    second = store.update("notes", memory.id, content="two", if_sha256=memory.content_sha256, by=me)
    with pytest.raises(PreconditionFailed):
        store.update("notes", memory.id, content="three", if_sha256=memory.content_sha256, by=me)
    assert store.get("notes", "/a.md") == second
    assert second.version == 2


@pytest.mark.hostile("CC5")
def test_a_retried_write_succeeds_without_a_second_version(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)

    def write() -> Memory:
        return store.update(
            "notes",
            memory.id,
            content="two",
            if_sha256=memory.content_sha256,
            if_version=1,
            by=me,
        )

    first = write()
    assert write() == first
    assert store.put("notes", "/a.md", "two", me) == first
    assert len(store.versions("notes").items) == 2


@pytest.mark.hostile("CC4")
def test_content_preconditions_pass_when_text_came_back_and_version_ones_do_not(
    store: Store, me: Author
):
    seen = store.create("notes", "/a.md", "x", me)
    store.update("notes", seen.id, content="y", by=me)
    store.update("notes", seen.id, content="x", by=me)
    with pytest.raises(PreconditionFailed):
        store.update("notes", seen.id, content="z", if_version=seen.version, by=me)
    store.update("notes", seen.id, content="z", if_sha256=seen.content_sha256, by=me)


def test_a_rename_keeps_the_id_and_checks_both_ends(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    other = store.create("notes", "/b.md", "two", me)
    moved = store.update("notes", memory.id, path="/deep/er/a.md", by=me)
    assert (moved.id, moved.version, moved.content) == (memory.id, 2, "one")
    with pytest.raises(NotFound):
        store.get("notes", "/a.md")
    with pytest.raises(PathTaken) as caught:
        store.update("notes", memory.id, path="/b.md/x", by=me)
    assert caught.value.conflicting_memory_id == other.id
    below_itself = store.update("notes", memory.id, path="/deep/er", by=me)
    assert below_itself.path == "/deep/er"


def test_a_rename_with_a_precondition_compares_content(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    with pytest.raises(PreconditionFailed):
        store.update("notes", memory.id, path="/b.md", if_sha256="0" * 64, by=me)
    store.update("notes", memory.id, path="/b.md", if_sha256=memory.content_sha256, by=me)


def test_an_update_that_changes_nothing_adds_no_version(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    assert store.update("notes", memory.id, content="one", path="/a.md", by=me) == memory
    assert store.update("notes", memory.id, content="one", if_sha256="0" * 64, by=me) == memory
    assert len(store.versions("notes").items) == 1
    with pytest.raises(InvalidInput):
        store.update("notes", memory.id, by=me)


def test_a_delete_checks_the_expected_hash_and_is_not_repeatable(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    with pytest.raises(PreconditionFailed):
        store.delete("notes", memory.id, if_sha256="0" * 64, by=me)
    assert store.get("notes", "/a.md") == memory
    store.delete("notes", "/a.md", if_sha256=memory.content_sha256, by=me)
    with pytest.raises(NotFound):
        store.delete("notes", memory.id, by=me)
    last = store.versions("notes", memory.id).items[0]
    assert (last.operation, last.path, last.content, last.number) == ("deleted", "/a.md", None, 2)
    assert store.search("one") == []


def test_putting_creates_or_changes_and_honours_the_hash(store: Store, me: Author):
    with pytest.raises(PreconditionFailed):
        store.put("notes", "/a.md", "x", me, if_sha256="0" * 64)
    first = store.put("notes", "/a.md", "one", me)
    second = store.put("notes", "/a.md", "two", me, if_sha256=first.content_sha256)
    assert (second.id, second.version) == (first.id, 2)


def test_a_full_store_takes_no_more_but_can_be_edited(reopen, me: Author):
    store = reopen(max_memories=2)
    store.create_store("notes")
    store.create("notes", "/a", "1", me)
    store.create("notes", "/b", "2", me)
    with pytest.raises(Refused, match="full"):
        store.create("notes", "/c", "3", me)
    store.update("notes", "/a", content="changed", by=me)
    store.delete("notes", "/b", by=me)
    store.create("notes", "/c", "3", me)


def test_listing_is_in_byte_order_with_whole_segment_prefixes(store: Store, me: Author):
    for path in ("/notes/z", "/notes/a", "/notes-archive/x", "/Z", "/é", "/a", "/a.b/c"):
        store.create("notes", path, "x", me)
    everything = ["/Z", "/a", "/a.b/c", "/notes-archive/x", "/notes/a", "/notes/z", "/é"]
    assert paths_of(store.list("notes")) == everything
    assert [memory.path for memory in store.walk("notes")] == everything
    assert [memory.path for memory in store.walk("notes", deep=False)] == ["/Z", "/a", "/é"]
    assert paths_of(store.list("notes", "/notes/")) == ["/notes/a", "/notes/z"]
    for bad in ("/notes", "notes/", "", "//", "/../"):
        with pytest.raises(InvalidInput):
            store.list("notes", bad)


def test_depth_one_folds_what_lies_deeper(store: Store, me: Author):
    for path in ("/a/1", "/a/2", "/b", "/c/d/e", "/c.md"):
        store.create("notes", path, "x", me)
    folded = store.list("notes", depth=1).items
    assert [item.path for item in folded] == ["/a/", "/b", "/c.md", "/c/"]
    assert [isinstance(item, Prefix) for item in folded] == [True, False, False, True]
    assert paths_of(store.list("notes", "/c/", depth=1)) == ["/c/d/"]
    assert len(store.list("notes", depth=0).items) == 5
    with pytest.raises(InvalidInput):
        store.list("notes", depth=2)


@pytest.mark.parametrize("depth", [0, 1])
def test_pages_join_to_the_whole_list_even_while_others_write(store: Store, me: Author, depth: int):
    for i in range(23):
        store.create("notes", f"/{'dir/' if i % 3 else ''}{i:02d}", "x", me)
    whole = paths_of(store.list("notes", depth=depth, limit=100))
    seen: list[str] = []
    page = store.list("notes", depth=depth, limit=4)
    store.create("notes", "/!before-everything", "x", me)
    while True:
        seen += paths_of(page)
        if page.next_page is None:
            break
        assert len(page.items) == 4
        page = store.list("notes", depth=depth, limit=4, page=page.next_page)
    assert seen == whole


def test_a_cursor_of_another_listing_or_a_broken_one_is_refused(store: Store, me: Author):
    for i in range(3):
        store.create("notes", f"/d/{i}", "x", me)
    page = store.list("notes", limit=1).next_page
    assert page
    for bad in ("nonsense", "page_", "page_!!!!", page[:-3], "page_W10"):
        with pytest.raises(InvalidInput):
            store.list("notes", page=bad)
    with pytest.raises(InvalidInput):
        store.list("notes", "/d/", page=page)
    for limit in (0, -1, 10**9):
        with pytest.raises(InvalidInput):
            store.list("notes", limit=limit)


def test_the_manifest_tells_hashes_without_text(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    (entry,) = store.manifest("notes")
    assert (entry.path, entry.content_sha256, entry.version_id, entry.version) == (
        "/a.md",
        memory.content_sha256,
        memory.version_id,
        1,
    )


def test_unknown_memories_stores_and_versions_are_not_found(store: Store, me: Author):
    for call in (
        lambda: store.get("notes", "/nothing"),
        lambda: store.get("notes", "mem_nothing"),
        lambda: store.get("notes", "/with\0nul"),
        lambda: store.get("nowhere", "/a"),
        lambda: store.find_store("memstore_nothing"),
        lambda: store.find_store("no\0where"),
        lambda: store.version("memver_nothing"),
        lambda: store.version("memver_\0"),
        lambda: store.versions("notes", "/never"),
        lambda: store.delete("notes", "/nothing", by=me),
        lambda: store.redact("memver_nothing", me),
    ):
        with pytest.raises(NotFound):
            call()


def test_a_transaction_of_the_caller_covers_several_writes(store: Store, me: Author):
    with pytest.raises(PathTaken), store.database.atomic():
        store.create("notes", "/a", "1", me)
        assert store.get("notes", "/a").content == "1"
        store.create("notes", "/a", "2", me)
    assert store.manifest("notes") == []
    with store.database.atomic():
        store.create("notes", "/a", "1", me)
        with pytest.raises(PathTaken):
            store.create("notes", "/a/b", "2", me)
        store.create("notes", "/b", "3", me)
    assert [entry.path for entry in store.manifest("notes")] == ["/a", "/b"]
    assert store.verify() == []


def test_stores_are_listed_in_pages_between_two_moments(store: Store) -> None:
    made = [store.create_store(f"s{n}") for n in range(5)][::-1]
    seen: list[str] = []
    page: str | None = None
    while True:
        found = store.page_of_stores(limit=2, page=page)
        assert len(found.items) == 2
        seen += [info.id for info in found.items]
        page = found.next_page
        if page is None:
            break
    assert seen == [info.id for info in (*made, store.find_store("notes"))]
    between = store.page_of_stores(since=made[3].created_at, until=made[1].created_at).items
    assert [info.id for info in between] == [info.id for info in made[1:4]]
    store.archive_store("s4")
    assert made[0].id not in [info.id for info in store.page_of_stores().items]
    assert made[0].id in [info.id for info in store.page_of_stores(archived=True).items]
    first = store.page_of_stores(limit=1).next_page
    for limit in (0, 101):
        with pytest.raises(InvalidInput):
            store.page_of_stores(limit=limit)
    with pytest.raises(InvalidInput):
        store.page_of_stores(since="soon")
    with pytest.raises(InvalidInput):
        store.page_of_stores(archived=True, page=first)
    reader = Principal("key", "apikey_1")
    store.attach("s1", reader, "read_only")
    assert [info.name for info in store.acting_as(reader).page_of_stores().items] == ["s1"]


def test_a_listing_without_contents_reads_none(store: Store, me: Author) -> None:
    for path in ("/a", "/b/c", "/b/d"):
        store.create("notes", path, f"text of {path}", me)
    whole = store.list("notes").items
    store.database.query("UPDATE versions SET content = NULL")
    for depth in (0, 1):
        brief, full = store.entries("notes", depth=depth), store.list("notes", depth=depth)
        assert [one.path for one in brief.items] == paths_of(full)
    hashes = [one.content_sha256 for one in store.entries("notes").items if isinstance(one, Entry)]
    assert hashes == [one.content_sha256 for one in whole if isinstance(one, Memory)]


@pytest.mark.parametrize("wrong", ["", "ab", "A" * 64, "0" * 63, "0" * 65, "é" * 64])
def test_a_precondition_that_is_no_hash_is_refused(store: Store, me: Author, wrong: str) -> None:
    memory = store.create("notes", "/a", "x", me)
    with pytest.raises(InvalidInput):
        store.update("notes", memory.id, content="x", if_sha256=wrong, by=me)
    with pytest.raises(InvalidInput):
        store.delete("notes", memory.id, if_sha256=wrong, by=me)
    assert store.get("notes", memory.id) == memory
