"""Search finds what was written, and no query string can break it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.store.model import Author
from reverie.store.search import snippet, terms
from reverie.store.store import Store


def found(store: Store, query: str, **kwargs) -> list[str]:
    return [hit.memory.path for hit in store.search(query, **kwargs)]


def test_words_are_found_by_stem_prefix_and_path(store: Store, me: Author):
    store.create("notes", "/lint.md", "Run the linter before committing", me)
    store.create("notes", "/deploy/staging.md", "Staging lives behind the proxy", me)
    assert found(store, "commits") == ["/lint.md"]
    assert found(store, "what do we know about proxies?") == ["/deploy/staging.md"]
    assert found(store, "prox*") == ["/deploy/staging.md"]
    assert found(store, "deploy") == ["/deploy/staging.md"]
    assert found(store, "nothing like it") == []


def test_more_matching_words_rank_higher(store: Store, me: Author):
    store.create("notes", "/one.md", "the cache was flushed " + "filler " * 20, me)
    store.create("notes", "/two.md", "flush the cache before the database migration", me)
    for i in range(5):
        store.create("notes", f"/other/{i}.md", f"unrelated words {i}", me)
    assert found(store, "cache flush database migration")[0] == "/two.md"


def test_an_update_replaces_and_a_delete_removes_what_is_found(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "aardvark", me)
    store.update("notes", memory.id, content="badger", path="/b.md", by=me)
    assert found(store, "aardvark") == []
    assert found(store, "badger") == ["/b.md"]
    store.delete("notes", memory.id, by=me)
    assert found(store, "badger") == []
    store.restore("notes", memory.id, memory.version_id, me)
    assert found(store, "aardvark badger") == ["/a.md"]
    assert store.database.damage() == []


def test_search_can_be_limited_to_stores_and_leaves_archived_ones_out(store: Store, me: Author):
    store.create_store("other")
    store.create("notes", "/a.md", "walrus", me)
    store.create("other", "/b.md", "walrus", me)
    assert found(store, "walrus", stores=["other"]) == ["/b.md"]
    assert len(found(store, "walrus")) == 2
    assert len(found(store, "walrus", limit=1)) == 1
    store.archive_store("other")
    assert found(store, "walrus") == ["/a.md"]
    assert found(store, "walrus", stores=["other"]) == ["/b.md"]


def test_equal_scores_are_ordered_by_path(store: Store, me: Author):
    for name in ("c", "a", "b"):
        store.create("notes", f"/{name}.md", "identical text", me)
    assert found(store, "identical") == ["/a.md", "/b.md", "/c.md"]


@pytest.mark.hostile("U7")
@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        '"',
        '""',
        "'",
        "NEAR(",
        "NEAR(a b, 3)",
        "*",
        "a*",
        "**",
        "(",
        ")))((",
        "a AND",
        "OR",
        "NOT",
        "-a",
        "^a",
        "content:a",
        "a:b",
        "a + b",
        "{a b}:c",
        "%",
        "_",
        "\\",
        "a\0b",
        "\ud800",
        "🧠",
        "日本語",
        "مرحبا",
        "'; DROP TABLE memories; --",
        "or or or",
        "a:*",
        "!a & | <->",
        "x" * 100_000,
        "word " * 50_000,
        "?",
        "%s",
        "a\nb\tc",
    ],
    ids=lambda query: ascii(query[:20]),
)
def test_any_query_string_is_safe(store: Store, me: Author, query: str):
    store.create("notes", "/a.md", "a b c or not near 🧠 日本語 مرحبا", me)
    assert len(store.search(query)) <= 1
    assert store.find_store("notes").memories == 1


@pytest.mark.hostile("U7")
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
    deadline=None,
)
@given(query=st.text(max_size=60))
def test_no_text_is_an_error(store: Store, query: str):
    assert store.search(query) == []


def test_what_is_written_without_spaces_is_cut_into_pairs_and_emoji_part_words():
    assert [term.words for term in terms("日本語🧠 x")] == ["日本", "本語", "x"]


def test_stop_words_count_only_when_there_is_nothing_else():
    assert [term.words for term in terms("what is the plan")] == ["plan"]
    assert [term.words for term in terms("what is the")] == ["what", "is", "the"]


def test_a_snippet_is_the_line_with_most_of_the_words():
    text = "# Title\n\nsome other line\n  the deployment needs a token  \nend"
    assert snippet(text, terms("deploying tokens")) == "the deployment needs a token"
    assert len(snippet("word " * 100, terms("word"))) <= 160
