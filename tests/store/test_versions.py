"""History: who, why, restore, redaction, pruning, and the chain that proves it."""

from pathlib import Path

import pytest
from tests.databases import PATIENT

from reverie.errors import Busy, InvalidInput, NotFound
from reverie.settings import Store as Limits
from reverie.store.model import Actor, ActorFilter, ActorKind, Author
from reverie.store.store import Store
from reverie.trust import lowest


@pytest.mark.proves("C4")
def test_every_version_says_who_why_when_and_how_far_it_is_trusted(store: Store):
    agent = Author(Actor("agent", "claude-code:1f2e"), "seen in the log", "agent", "2026-01-01")
    memory = store.create("notes", "/a.md", "one", agent)
    store.update(
        "notes",
        memory.id,
        content="two",
        by=Author(Actor("dream", "drm_1"), "merged", "user", valid_to="2026-06-01"),
    )
    new, old = store.versions("notes", memory.id).items
    assert (old.operation, old.number, old.sequence) == ("created", 1, 1)
    assert (old.actor, old.reason) == (agent.actor, "seen in the log")
    assert (old.trust, old.valid_from, old.valid_to) == ("agent", "2026-01-01", None)
    assert (new.operation, new.actor.kind, new.reason) == ("modified", "dream", "merged")
    assert (new.valid_from, new.valid_to) == ("2026-01-01", "2026-06-01")
    assert store.get("notes", memory.id).valid_to == "2026-06-01"


@pytest.mark.proves("C4")
@pytest.mark.parametrize("kind", ["user", "agent", "key", "dream", "filesystem"])
def test_a_version_by_anybody_names_them_with_time_and_reason(store: Store, kind: ActorKind):
    by = Author(Actor(kind, f"{kind}-1"), f"because {kind} said so")
    memory = store.create("notes", "/a.md", "one", by)
    (version,) = store.versions("notes", memory.id).items
    assert (version.actor, version.reason) == (by.actor, by.reason)
    assert version.created_at == memory.created_at != ""


@pytest.mark.hostile("M4")
def test_only_a_person_raises_trust(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", Author(Actor("agent"), trust="tool"))
    for i, kind in enumerate(("agent", "key", "dream", "filesystem")):
        claimed = Author(Actor(kind), trust="user")
        changed = store.update("notes", memory.id, content=f"again {i}", by=claimed)
        assert changed.trust == "tool"
    web = store.update(
        "notes", memory.id, content="from a page", by=Author(Actor("dream"), trust="web")
    )
    assert web.trust == "web"
    assert store.update("notes", memory.id, content="I say so", by=me).trust == "user"
    first = store.versions("notes", memory.id).items[-1]
    assert store.restore("notes", memory.id, first.id, me).trust == "tool"


def test_the_lowest_of_several_trusts_wins():
    assert lowest("user", "tool", "agent") == "tool"
    assert lowest("web", "user") == "web"


def test_dates_of_validity_alone_make_a_version_and_can_be_cleared(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", Author(Actor("user"), valid_from="2026-01-01"))
    ended = store.update(
        "notes", memory.id, by=Author(Actor("dream"), "superseded", valid_to="2026-02-01")
    )
    assert (ended.version, ended.valid_from, ended.valid_to) == (2, "2026-01-01", "2026-02-01")
    cleared = store.update("notes", memory.id, by=Author(Actor("user"), valid_to=""))
    assert (cleared.version, cleared.valid_to) == (3, None)


@pytest.mark.parametrize(
    "author",
    [
        Author(Actor("nobody")),  # pyright: ignore[reportArgumentType]
        Author(Actor("user"), trust="full"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_an_author_outside_the_closed_lists_is_refused(store: Store, author: Author):
    with pytest.raises(InvalidInput):
        store.create("notes", "/a", "x", author)


def test_history_is_filtered_and_paged_newest_first(store: Store, me: Author):
    agent = Author(Actor("agent", "s1"))
    for i in range(5):
        store.create("notes", f"/{i}", "x", me if i % 2 else agent)
    store.delete("notes", "/0", by=me)
    assert [v.sequence for v in store.versions("notes").items] == [6, 5, 4, 3, 2, 1]
    assert [v.path for v in store.versions("notes", operation="deleted").items] == ["/0"]
    by_agent = store.versions("notes", actors=[ActorFilter(("agent",), "s1")]).items
    assert [v.path for v in by_agent] == ["/4", "/2", "/0"]
    times = [v.created_at for v in store.versions("notes").items]
    inside = store.versions("notes", since=times[4], until=times[2]).items
    assert [v.sequence for v in inside] == [4, 3, 2]
    page = store.versions("notes", limit=4)
    rest = store.versions("notes", limit=4, page=page.next_page)
    assert [v.sequence for v in (*page.items, *rest.items)] == [6, 5, 4, 3, 2, 1]
    assert rest.next_page is None
    assert [v.operation for v in store.versions("notes", "/0").items] == ["deleted", "created"]


@pytest.mark.hostile("CC11")
def test_order_is_by_sequence_even_when_the_clock_runs_backwards(store: Store, me: Author, clock):
    from datetime import timedelta

    memory = store.create("notes", "/a.md", "one", me)
    clock.now -= timedelta(days=400)
    store.update("notes", memory.id, content="two", by=me)
    found = store.versions("notes", memory.id).items
    assert [v.number for v in found] == [2, 1]
    assert found[0].created_at < found[1].created_at
    assert store.get("notes", memory.id).content == "two"
    assert store.verify() == []


@pytest.mark.hostile("M10")
@pytest.mark.parametrize(
    "payload",
    ["'); DROP TABLE versions; --", "{{ 7 * 7 }}", "%s %(x)s {0} ${HOME}", '" OR "1"="1', "NEAR(*"],
)
def test_an_author_and_a_reason_are_text_whatever_they_look_like(store: Store, payload: str):
    by = Author(Actor("agent", payload), payload)
    memory = store.create("notes", "/a.md", payload, by)
    store.update("notes", memory.id, content="and on", by=by)
    found = store.versions("notes", memory.id, actors=[ActorFilter(("agent",), payload)]).items
    assert [(one.actor.id, one.reason) for one in found] == [(payload, payload)] * 2
    assert found[-1].content == payload
    assert store.verify() == []


@pytest.mark.proves("C4")
def test_any_version_can_be_restored_also_of_a_deleted_memory(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    store.update("notes", memory.id, content="two", path="/b.md", by=me)
    back = store.restore("notes", "/b.md", memory.version_id, me)
    assert (back.id, back.content, back.path, back.version) == (memory.id, "one", "/b.md", 3)
    store.delete("notes", memory.id, by=me)
    again = store.restore("notes", memory.id, back.version_id, me)
    assert (again.id, again.path, again.version) == (memory.id, "/b.md", 5)
    assert store.verify() == []


@pytest.mark.hostile("X4")
def test_restoring_what_cannot_be_restored_is_refused(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    other = store.create("notes", "/b.md", "two", me)
    store.update("notes", memory.id, content="three", by=me)
    with pytest.raises(NotFound):
        store.restore("notes", memory.id, other.version_id, me)
    store.redact(memory.version_id, me)
    with pytest.raises(InvalidInput, match="redacted"):
        store.restore("notes", memory.id, memory.version_id, me)
    store.delete("notes", memory.id, by=me)
    deletion = store.versions("notes", memory.id).items[0]
    with pytest.raises(InvalidInput, match="deletion"):
        store.restore("notes", memory.id, deletion.id, me)


@pytest.mark.hostile("X4")
def test_redaction_has_defined_answers(store: Store, me: Author):
    memory = store.create("notes", "/secret-path.md", "the password is hunter2", me)
    with pytest.raises(InvalidInput, match="current version"):
        store.redact(memory.version_id, me)
    store.update("notes", memory.id, content="nothing here", by=me)
    gone = store.redact(memory.version_id, Author(Actor("key", "apikey_1")))
    assert (gone.content, gone.path, gone.content_sha256, gone.size_bytes) == (None,) * 4
    assert (gone.actor, gone.reason, gone.number) == (me.actor, "because", 1)
    assert gone.redacted_by == Actor("key", "apikey_1")
    assert store.redact(memory.version_id, me) == gone
    assert store.version(memory.version_id) == gone
    assert store.search("hunter2") == []
    assert store.verify() == []


def test_a_deletion_can_be_redacted_too(store: Store, me: Author):
    memory = store.create("notes", "/secret-path.md", "x", me)
    store.delete("notes", memory.id, by=me)
    for version in store.versions("notes", memory.id).items:
        store.redact(version.id, me)
    assert [v.path for v in store.versions("notes", memory.id).items] == [None, None]
    assert store.verify() == []


SECRET = "correcthorsebatterystaple"


@pytest.mark.proves("C4")
@pytest.mark.hostile("X3")
@pytest.mark.parametrize("size", [1, 30_000])
def test_redacted_words_are_in_no_byte_of_the_sqlite_files(
    sqlite_store: Store, me: Author, tmp_path: Path, size: int
):
    store = sqlite_store
    for i in range(40):
        store.create("notes", f"/filler/{i}", f"plain words {i} " * 40, me)
    text = f"before {SECRET} after " + "padding " * size
    memory = store.create("notes", f"/{SECRET}.md", text[:100_000], me)
    store.update("notes", memory.id, content="clean", path="/clean.md", by=me)
    assert any(SECRET.encode() in file.read_bytes() for file in database_files(tmp_path))
    store.redact(memory.version_id, me)
    store.close()
    for file in database_files(tmp_path):
        found = file.read_bytes()
        assert SECRET.encode() not in found
        assert SECRET[:12].encode() not in found


@pytest.mark.needs("postgres")
@pytest.mark.hostile("X3")
def test_redacted_words_are_in_no_table_file_of_postgresql(own_postgres: str, me: Author):
    with Store.open(own_postgres, limits=PATIENT) as store:
        store.create_store("notes")
        memory = store.create("notes", f"/{SECRET}.md", f"the word {SECRET} here", me)
        store.update("notes", memory.id, content="clean", path="/clean.md", by=me)
        assert table_files_with(SECRET, store) != []
        store.redact(memory.version_id, me)
        assert table_files_with(SECRET, store) == []


@pytest.mark.needs("postgres")
@pytest.mark.hostile("X3")
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_redaction_on_postgresql_waits_for_transactions_that_still_see_the_words(
    own_postgres: str, postgres_server: str, me: Author, elsewhere: bool
):
    import psycopg

    with Store.open(own_postgres, limits=Limits(busy_timeout_ms=200)) as store:
        store.create_store("notes")
        memory = store.create("notes", f"/{SECRET}.md", f"the word {SECRET} here", me)
        # A reader of this database, or a writer of any other one, keeps deleted rows alive.
        with psycopg.connect(postgres_server if elsewhere else own_postgres) as older:
            older.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            older.execute("SELECT pg_current_xact_id()" if elsewhere else "SELECT 1")
            store.update("notes", memory.id, content="clean", path="/clean.md", by=me)
            with pytest.raises(Busy, match="older transaction"):
                store.redact(memory.version_id, me)
            assert store.version(memory.version_id).content is None
            assert table_files_with(SECRET, store) != []
    with Store.open(own_postgres, limits=PATIENT) as patient:
        patient.redact(memory.version_id, me)
        assert table_files_with(SECRET, patient) == []


def table_files_with(word: str, store: Store) -> list[str]:
    store.database.query("CHECKPOINT")
    folder = Path(store.database.query("SHOW data_directory")[0][0])
    found: list[str] = []
    for table in ("versions", "memories", "memory_words", "memory_words_gin"):
        relation = store.database.query("SELECT pg_relation_filepath(?)", (table,))[0][0]
        if word.encode() in (folder / relation).read_bytes():
            found.append(table)
    return found


def database_files(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.name.startswith("memory.db")]


def test_pruning_leaves_a_checkpoint_and_a_chain_that_adds_up(store: Store, me: Author):
    memory = store.create("notes", "/a.md", "one", me)
    quiet = store.create("notes", "/b.md", "never touched again", me)
    for i in range(4):
        memory = store.update("notes", memory.id, content=f"text {i}", by=me)
    cut = store.versions("notes", memory.id).items[1].created_at
    assert store.prune("notes", cut, me) == 3
    assert store.verify() == []
    assert [v.number for v in store.versions("notes", memory.id).items] == [5, 4]
    assert store.version(quiet.version_id).content == "never touched again"
    store.update("notes", memory.id, content="after", by=me)
    assert store.prune("notes", "2999-01-01", me) == 2
    assert store.verify() == []
    store.update("notes", memory.id, content="and on", by=me)
    assert store.verify() == []
    assert store.prune("notes", "2000-01-01", me) == 0


TAMPERINGS = {
    "content": "UPDATE versions SET content = 'other' WHERE sequence = 2",
    "content and hash": "UPDATE versions SET content = 'other', content_sha256 ="
    " 'd9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa' WHERE sequence = 2",
    "path": "UPDATE versions SET path = '/z' WHERE sequence = 2",
    "reason": "UPDATE versions SET reason = 'x' WHERE sequence = 1",
    "author": "UPDATE versions SET actor_kind = 'dream' WHERE sequence = 1",
    "trust": "UPDATE versions SET trust = 'web' WHERE sequence = 1",
    "time": "UPDATE versions SET created_at = '2000' WHERE sequence = 1",
    "a version lost": "DELETE FROM versions WHERE sequence = 2",
    "the last version lost": "DELETE FROM versions WHERE sequence = 4",
    "the end forgotten": "UPDATE stores SET sequence = 3",
    "another end": "UPDATE stores SET commitment = 'x'",
    "a memory lost": "DELETE FROM memories WHERE path = '/a'",
    "the head moved back": "UPDATE memories SET version_id ="
    " (SELECT id FROM versions WHERE sequence = 1), version = 1 WHERE path = '/a'",
    "the head's hash": "UPDATE memories SET content_sha256 = 'x' WHERE path = '/a'",
    "the count": "UPDATE stores SET memories = 7",
    "a half redaction": "UPDATE versions SET redacted_at = 'now' WHERE sequence = 1",
}


@pytest.mark.parametrize("sql", TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_the_chain_shows_what_was_changed_behind_the_stores_back(
    store: Store, me: Author, sql: str
):
    memory = store.create("notes", "/a", "one", me)
    store.update("notes", memory.id, content="two", by=me)
    store.create("notes", "/b", "three", me)
    store.update("notes", memory.id, content="four", by=me)
    assert store.verify() == []
    with store.database.atomic() as tx:
        if tx.dialect == "sqlite":
            tx.execute("PRAGMA defer_foreign_keys = ON")
        tx.execute(sql)
    assert store.verify() != []


def test_every_filter_of_actors_has_to_fit(store: Store) -> None:
    for number, actor in enumerate((Actor("agent", "s1"), Actor("dream", "s1"), Actor("key", "k"))):
        store.create("notes", f"/{number}", "x", Author(actor))

    def found(*actors: ActorFilter) -> list[str | None]:
        return [version.path for version in store.versions("notes", actors=actors).items]

    session, key = ActorFilter(("agent", "dream"), "s1"), ActorFilter(("key",), "k")
    assert found(session) == ["/1", "/0"]
    assert found(key) == ["/2"]
    assert found(session, ActorFilter(("dream",))) == ["/1"]
    assert found(session, key) == []
    assert found(ActorFilter(())) == []
    assert found(ActorFilter(("agent",), "")) == []


def test_a_version_is_asked_for_in_its_store(store: Store, me: Author) -> None:
    memory = store.create("notes", "/a", "x", me)
    here, other = store.find_store("notes").id, store.create_store("other").id
    assert store.version(memory.version_id, store=here).path == "/a"
    with pytest.raises(NotFound):
        store.version(memory.version_id, store=other)
    store.delete("notes", memory.id, by=me)
    with pytest.raises(NotFound):
        store.redact(memory.version_id, me, store=other)
    assert store.redact(memory.version_id, me, store=here).redacted_at
