"""Two machines of one person, and one memory."""

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sync.homes import BY, Machines, heads, machines, opened, texts, versions

from reverie.errors import InvalidInput, Refused, ReverieError
from reverie.operations import syncing
from reverie.operations.syncing import Wish
from reverie.sync import keys, links
from reverie.sync.pack import decoded

LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
SECRET_TEXT = "the words that must go\n"


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Machines]:
    with machines(tmp_path) as both:
        yield both


def alike(two: Machines) -> None:
    """Every home holds the same, and can prove it."""
    two.settle()
    first = two.homes[0]
    for home in two.homes:
        assert heads(home) == heads(first)
        assert versions(home) == versions(first)
        assert home.store.verify() == []


@pytest.mark.proves("F15")
def test_a_memory_arrives_with_its_id_author_trust_and_history(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    one.store.update("global", made.id, content=LINES + "eight\n", by=BY)
    two.sync(0, 1)
    assert heads(other) == heads(one)
    mine, theirs = (home.store.versions("global", made.id).items for home in two.homes)
    assert [(v.id, v.actor, v.reason, v.trust, v.created_at, v.content) for v in mine] == [
        (v.id, v.actor, v.reason, v.trust, v.created_at, v.content) for v in theirs
    ]
    alike(two)


@pytest.mark.proves("F15")
def test_a_second_exchange_of_the_same_is_nothing_new(two: Machines):
    two.homes[0].store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    done = two.sync(0, 1, 0)
    assert not any(one.received or one.sent for one in done)


@pytest.mark.proves("F15")
def test_edits_of_different_lines_are_merged(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    one.store.update("global", made.id, content=LINES.replace("one", "ONE"), by=BY)
    other.store.update("global", made.id, content=LINES.replace("seven", "SEVEN"), by=BY)
    alike(two)
    assert texts(one)["/n.md"] == LINES.replace("one", "ONE").replace("seven", "SEVEN")


@pytest.mark.proves("F15")
def test_edits_of_the_same_line_are_kept_as_both(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    one.store.update("global", made.id, content="mine\n", by=BY)
    other.store.update("global", made.id, content="theirs\n", by=BY)
    alike(two)
    assert sorted(texts(one).values()) == ["mine\n", "theirs\n"]
    assert len([path for path in texts(one) if path.startswith("/n.conflict-")]) == 1


def test_what_two_machines_keep_beside_alone_is_one_version(tmp_path: Path):
    remote, aside = tmp_path / "remote", tmp_path / "aside"

    def packs(place: Path) -> set[Path]:
        return {file.relative_to(place) for file in place.rglob("*.pack")}

    def carry(files: set[Path], start: Path, end: Path) -> None:
        for file in files:
            (end / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(start / file, end / file)

    with machines(tmp_path, 3) as three:
        one, other, third = three.homes
        made = one.store.create("global", "/n.md", LINES, BY)
        three.settle()
        one.store.update("global", made.id, content="mine\n", by=BY)
        other.store.update("global", made.id, content="theirs\n", by=BY)
        third.store.update("global", made.id, path="/renamed.md", by=BY)
        known = packs(remote)
        sent: list[set[Path]] = []
        for number in range(3):  # each sends what it knows, and hears of nobody
            three.sync(number)
            sent.append(packs(remote) - known)
            carry(sent[-1], remote, aside)
        carry(sent[0] | sent[1], aside, remote)
        three.sync(0)  # knows both edits and not the new name
        decided = packs(remote) - known - sent[0] - sent[1]
        carry(decided, remote, aside)
        carry(sent[2], aside, remote)
        three.sync(2)
        carry(decided, aside, remote)
        assert decided
        alike(three)


def test_an_edit_after_a_merge_follows_all_that_was_merged(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    one.store.update("global", made.id, content=LINES.replace("one", "ONE"), by=BY)
    other.store.update("global", made.id, content=LINES.replace("seven", "SEVEN"), by=BY)
    two.sync(0, 1)
    other.store.update("global", made.id, content="all new\n", by=BY)
    alike(two)
    assert texts(one) == {"/n.md": "all new\n"}


def test_two_memories_of_one_path_are_both_kept(two: Machines):
    one, other = two.homes
    one.store.create("global", "/n.md", "about cranes\n", BY)
    other.store.create("global", "/n.md", "about the weather in March\n", BY)
    alike(two)
    assert sorted(texts(one).values()) == ["about cranes\n", "about the weather in March\n"]


def test_a_memory_below_the_path_of_another_is_moved(two: Machines):
    one, other = two.homes
    one.store.create("global", "/n", "about cranes\n", BY)
    other.store.create("global", "/n/m.md", "about the weather in March\n", BY)
    alike(two)
    assert len(texts(one)) == 2


def test_names_that_were_exchanged_are_exchanged_everywhere(two: Machines):
    one, other = two.homes
    first = one.store.create("global", "/a.md", "about cranes\n", BY)
    second = one.store.create("global", "/b.md", "about the weather\n", BY)
    two.sync(0, 1)
    for path, memory in (("/c.md", first), ("/a.md", second), ("/b.md", first)):
        one.store.update("global", memory.id, path=path, by=BY)
    alike(two)
    assert texts(other) == {"/a.md": "about the weather\n", "/b.md": "about cranes\n"}


@pytest.mark.proves("F15")
def test_what_was_said_on_both_machines_in_other_words_is_one_memory(two: Machines):
    one, other = two.homes
    one.remember("Run the linter before every commit", scope="global")
    other.remember("Always run the linter before each commit", scope="global")
    alike(two)
    assert len(one.library.documents("global")) == 1


def test_what_a_joined_memory_had_to_add_is_in_the_archive(two: Machines):
    later, earlier = two.homes  # by their clocks, and so by the ids of what they say
    earlier.remember("Use pnpm, not npm", scope="global", why="the lockfile is pnpm's")
    later.remember("Always use pnpm instead of npm", scope="global", why="CI has nothing else")
    two.sync(1)
    (taken,) = two.sync(0)[0].received.values()
    assert taken.memories == 1
    (away,) = taken.settled.joined
    alike(two)
    for home in two.homes:
        (stays,) = home.library.documents("global")
        assert "the lockfile" in stays.memory.content
        assert away.startswith("/archive/")
        assert "CI has nothing else" in texts(home)[away]
    earlier.restore(f"global:{away}")
    alike(two)
    assert len(later.library.documents("global")) == 2


def test_an_edit_outlives_that_a_memory_was_joined_meanwhile(tmp_path: Path):
    with machines(tmp_path, 3) as three:
        one, other, third = three.homes
        one.remember("Use pnpm, not npm", scope="global", why="the lockfile is pnpm's")
        (made,) = one.store.walk("global")
        three.sync(0, 2)
        other.remember("Always use pnpm instead of npm", scope="global", why="CI has nothing else")
        text = made.content.replace("Use pnpm, not npm", "Pin the version of node")
        third.store.update("global", made.id, content=text, by=BY)
        (taken,) = three.sync(1)[0].received.values()
        assert taken.settled.joined
        alike(three)
        said = {item.document.description for item in one.library.documents("global")}
        assert said == {"Pin the version of node", "Always use pnpm instead of npm"}


@pytest.mark.proves("F15")
def test_a_deletion_arrives_and_an_edit_outlives_one_it_did_not_know_of(two: Machines):
    one, other = two.homes
    gone = one.store.create("global", "/gone.md", "about cranes\n", BY)
    kept = one.store.create("global", "/kept.md", LINES, BY)
    two.sync(0, 1)
    one.store.delete("global", gone.id, by=BY)
    one.store.delete("global", kept.id, by=BY)
    other.store.update("global", kept.id, content="edited\n", by=BY)
    alike(two)
    assert texts(one) == {"/kept.md": "edited\n"}


@pytest.mark.proves("F15")
def test_what_is_redacted_on_one_machine_is_emptied_on_all_and_in_the_remote(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", SECRET_TEXT, BY)
    two.sync(0, 1)
    one.store.update("global", made.id, content="nothing to see\n", by=BY)
    one.store.redact(made.version_id, BY)
    alike(two)
    assert other.store.version(made.version_id).content is None
    files = [*(Path(two.remote).parent / "home-1").rglob("*.db*"), *Path(two.remote).rglob("*")]
    assert not any(SECRET_TEXT.encode() in file.read_bytes() for file in files if file.is_file())
    with opened(Path(two.remote).parent / "third") as third:
        syncing.sync_with(third, two.remote, key=syncing.key_of(one))
        assert third.store.version(made.version_id).content is None


def test_what_is_merged_into_the_current_version_is_redacted_after_a_newer_one(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    one.store.update("global", made.id, content=LINES.replace("one", "ONE"), by=BY)
    bad = other.store.update("global", made.id, content=LINES.replace("seven", "SECRET"), by=BY)
    two.settle()
    assert "SECRET" in texts(one)["/n.md"]
    with pytest.raises(InvalidInput, match=r"current version of /n\.md"):
        one.store.redact(bad.version_id, BY)
    clean = LINES.replace("one", "ONE")
    one.store.update("global", made.id, content=clean, by=BY)
    one.store.redact(bad.version_id, BY)
    alike(two)
    for home in two.homes:
        rows = home.database.query("SELECT id FROM versions WHERE content LIKE '%SECRET%'")
        assert rows == []
    assert texts(other)["/n.md"] == clean


def test_what_was_sent_before_a_kill_and_redacted_after_it_leaves_the_remote(two: Machines):
    one = two.homes[0]
    made = one.store.create("global", "/n.md", SECRET_TEXT, BY)
    two.sync(0)
    old = list(Path(two.remote).rglob("*.pack"))
    with one.database.atomic() as tx:  # killed before it was noted
        tx.execute("DELETE FROM sync_marks")
        tx.execute("DELETE FROM sync_packs")
    one.store.update("global", made.id, content="other\n", by=BY)
    one.store.redact(made.version_id, BY)
    alike(two)
    assert not [file for file in old if file.exists()]


def test_what_was_brought_from_another_remote_and_redacted_later_leaves_this_one(
    tmp_path: Path, two: Machines
):
    one, other = two.homes
    stick = str(tmp_path / "stick")
    made = one.store.create("global", "/n.md", SECRET_TEXT, BY)
    one.store.update("global", made.id, content="nothing of it\n", by=BY)
    for home in (one, other):
        syncing.sync_with(home, stick)
    two.sync(1)  # which brings it there
    one.store.redact(made.version_id, BY)
    alike(two)
    signer = keys.signer_of(one.make_home())
    for pack in Path(two.remote).rglob("*.pack"):
        changes = decoded(pack.read_bytes(), signer).body.changes
        assert SECRET_TEXT not in {change.content for change in changes}


def test_what_was_merged_over_a_redacted_version_that_was_moved_is_alike(two: Machines):
    one, other = two.homes
    said = (LINES, "red\nblue\ngreen\ngrey\nwhite\nblack\n")
    first = [
        home.store.create("global", "/n.md", text, BY)
        for home, text in zip(two.homes, said, strict=True)
    ]
    two.settle()
    moved = one.store.get("global", "/n-2.md")
    one.store.update("global", moved.id, content=f"before\n{moved.content}", by=BY)
    other.store.update("global", moved.id, content=f"{moved.content}after\n", by=BY)
    two.settle()
    one.store.redact(next(made.version_id for made in first if made.id == moved.id), BY)
    alike(two)


def test_what_a_sync_only_moved_is_no_old_version_to_be_redacted(two: Machines):
    first = [
        home.store.create("global", "/n.md", text, BY)
        for home, text in zip(two.homes, (SECRET_TEXT, "something else\n"), strict=True)
    ]
    two.settle()
    moved = two.homes[0].store.get("global", "/n-2.md")
    before = next(made for made in first if made.id == moved.id)
    assert moved.version_id != before.version_id
    with pytest.raises(InvalidInput, match="current version"):
        two.homes[0].store.redact(before.version_id, BY)
    two.homes[0].store.update("global", moved.id, content="nothing of it\n", by=BY)
    two.homes[0].store.redact(before.version_id, BY)
    alike(two)
    assert texts(two.homes[1])["/n-2.md"] == "nothing of it\n"


def test_what_is_told_by_the_copy_kept_beside_is_redacted_after_the_copy_is_gone(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    edits = [
        home.store.update("global", made.id, content=f"{home.now}\n", by=BY)
        for home in (one, other)
    ]
    two.settle()
    loser = next(edit for edit in edits if edit.content != texts(one)["/n.md"])
    copy = next(memory for memory in one.store.walk("global") if memory.path != "/n.md")
    one.store.update("global", made.id, content="nothing of either\n", by=BY)
    with pytest.raises(InvalidInput, match=f"current version of {re.escape(copy.path)}"):
        one.store.redact(loser.version_id, BY)
    one.store.delete("global", copy.id, by=BY)
    one.store.redact(loser.version_id, BY)
    alike(two)
    assert texts(other) == {"/n.md": "nothing of either\n"}


def test_a_copy_kept_beside_goes_when_a_machine_that_does_not_know_it_redacts(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0, 1)
    one.store.update("global", made.id, content="said here\n", by=BY)
    loser = other.store.update("global", made.id, content=SECRET_TEXT, by=BY)
    two.sync(1, 0)
    assert SECRET_TEXT in texts(one).values()
    other.store.update("global", made.id, content="nothing of it\n", by=BY)
    other.store.redact(loser.version_id, BY)
    alike(two)
    assert SECRET_TEXT not in texts(one).values()


@pytest.mark.proves("F15")
def test_what_is_forgotten_on_one_machine_stays_forgotten_on_all(two: Machines):
    one, other = two.homes
    one.remember("Always put the schema files first", scope="global")
    two.sync(0, 1)
    other.remember("Always put the schema files first, please", scope="global")
    one.forget(one.library.documents("global")[0].name)
    alike(two)
    assert all(
        "schema files first" not in item.document.description or item.archived
        for item in other.library.documents("global", archived=True)
    )
    with pytest.raises(ReverieError):
        agent = other.at(asker=other.asker._replace(trust="agent"))
        agent.remember("Always put the schema files first", scope="global")


def test_both_texts_of_what_was_forgotten_are_kept_in_the_archive(tmp_path: Path):
    said = "Always put the schema files first"
    with machines(tmp_path) as two, opened(tmp_path / "third") as third:
        other, one = two.homes  # whose clock is behind: it was said before it was forgotten
        bridge = str(tmp_path / "stick")
        one.remember(said, scope="global")
        (made,) = one.store.walk("global")
        syncing.sync_with(one, bridge)
        syncing.sync_with(third, bridge, key=syncing.key_of(one))
        for home, text in ((one, "Mine."), (third, "Theirs.")):
            home.store.update("global", made.id, content=f"{made.content}{text}\n", by=BY)
        other.remember(said, scope="global")
        other.forget(other.library.documents("global")[0].name)
        two.sync(0, 1)
        for home in (third, one, third):
            syncing.sync_with(home, bridge)
        for home in (one, third):
            kept = texts(home)
            assert all(path.startswith("/archive/") or path == "/MEMORY.md" for path in kept)
            assert all(any(word in text for text in kept.values()) for word in ("Mine.", "Theirs."))
        assert heads(one) == heads(third)


def test_the_other_text_of_a_conflict_is_forgotten_with_the_one(tmp_path: Path):
    """Also by a machine whose clock is behind, and that heard of no conflict."""
    with machines(tmp_path, 3) as three:
        ahead, other, behind = three.homes
        ahead.remember("Always put the schema files first", scope="global")
        (made,) = ahead.library.documents("global")
        longer = f"{made.memory.content}\nThen the tests.\n"
        ahead.store.update("global", made.memory.id, content=longer, by=BY)
        three.settle()
        for home, text in ((ahead, "Mine."), (other, "Theirs.")):
            home.store.update("global", made.memory.id, content=f"{longer}{text}\n", by=BY)
        behind.forget(made.name)
        three.sync(0, 1, 0)  # who keep both, and edit on, before they hear of it
        now = ahead.library.find(made.name).memory
        ahead.store.update("global", now.id, content=f"{now.content}More.\n", by=BY)
        alike(three)
        assert [home.library.documents("global") for home in three.homes] == [[], [], []]


def test_what_a_clock_ahead_wrote_before_is_forgotten_where_an_edit_brings_it_back(two: Machines):
    ahead, behind = two.homes
    said = "Always put the schema files first"
    ahead.remember(said, scope="global")
    (made,) = ahead.library.documents("global")
    two.settle()
    behind.store.delete("global", made.memory.id, by=BY)
    behind.remember(said, scope="global", name="said-again")
    behind.forget("said-again")
    content = f"{made.memory.content}More.\n"
    ahead.store.update("global", made.memory.id, content=content, by=BY)
    alike(two)
    assert [home.library.documents("global") for home in two.homes] == [[], []]


def test_what_was_forgotten_and_taken_back_is_back_on_all(two: Machines):
    one, other = two.homes
    one.remember("Always put the schema files first", scope="global")
    name = one.library.documents("global")[0].name
    two.sync(0, 1)
    one.forget(name)
    two.settle()
    assert other.library.documents("global") == []
    other.restore(name)
    alike(two)
    assert [item.name for item in one.library.documents("global")] == [name]
    assert one.database.query("SELECT 1 FROM forgotten") == []


@pytest.mark.proves("F15")
def test_what_a_person_says_about_a_store_is_said_on_all_their_machines(two: Machines):
    one, other = two.homes  # whose clock is a day behind
    one.store.create_store("shop", description="What the shop needs to know.")
    two.settle()
    assert other.store.find_store("shop").description == "What the shop needs to know."
    other.store.update_store("shop", description="Earlier by the clock.")
    one.store.update_store("shop", description="The last word.")
    alike(two)
    assert {home.store.find_store("shop").description for home in two.homes} == {"The last word."}
    other.store.update_store("shop", description="Said by who knew the last word.")
    alike(two)
    assert one.store.find_store("shop").description == "Said by who knew the last word."


def test_what_somebody_wrote_into_the_database_about_a_store_does_not_travel(two: Machines):
    one, other = two.homes
    one.store.create_store("shop")
    one.store.create("shop", "/n.md", LINES, BY)
    with one.database.atomic() as tx:
        tx.execute("UPDATE stores SET description = 'Obey.', updated_at = '2030-01-01T00:00:00Z'")
    two.settle()
    assert other.store.find_store("shop").description == ""


def test_days_and_diaries_stay_on_their_machine(two: Machines):
    one, other = two.homes
    one.store.create("global", "/daily/2026-03-01.md", "a day\n", BY)
    one.store.create("global", "/diary/x.md", "a session\n", BY)
    two.settle()
    assert texts(other) == {}


def test_a_store_without_a_remote_is_the_one_of_the_same_name(two: Machines):
    one, other = two.homes
    one.store.ensure_store("shop")
    one.store.create("shop", "/n.md", LINES, BY)
    two.settle()
    assert texts(other, "shop") == {"/n.md": LINES}


def test_a_project_is_known_by_its_address_whatever_it_is_called(two: Machines):
    one, other = two.homes
    mine = one.projects.of_remote("example.org/o/app")
    other.projects.of_remote("example.org/other/app")
    theirs = other.projects.of_remote("example.org/o/app")
    assert mine.slug != theirs.slug
    one.store.ensure_store(mine.slug)
    one.store.create(mine.slug, "/n.md", LINES, BY)
    two.settle()
    assert texts(other, theirs.slug) == {"/n.md": LINES}


def test_only_the_stores_that_were_named_travel(tmp_path: Path):
    with machines(tmp_path) as two:
        one = two.homes[0]
        for name in ("shop", "private"):
            one.store.ensure_store(name)
            one.store.create(name, "/n.md", f"about {name}\n", BY)
        remote = str(tmp_path / "elsewhere")
        done = syncing.sync_with(one, remote, syncing.Wish(stores=("shop",)))
        assert done.sent == {"shop": 1}
        assert links.required(one.database, remote).stores == ("shop",)


def test_a_pack_that_follows_what_is_not_there_yet_waits(two: Machines):
    one, other = two.homes
    made = one.store.create("global", "/n.md", LINES, BY)
    two.sync(0)
    one.store.update("global", made.id, content="later\n", by=BY)
    two.sync(0)
    first = min(Path(two.remote).rglob("*-00000001-*.pack"))
    data = first.read_bytes()
    first.unlink()
    (done,) = two.sync(1)
    assert (done.waiting, texts(other)) == (1, {})
    first.write_bytes(data[: len(data) // 2])
    assert two.sync(1)[0].waiting == 2
    first.write_bytes(data)
    assert two.sync(1)[0].waiting == 0
    assert texts(other) == {"/n.md": "later\n"}


def test_a_remote_that_was_emptied_is_filled_again_with_all(two: Machines):
    one, other = two.homes
    one.store.create("global", "/a.md", "about cranes\n", BY)
    other.store.create("global", "/b.md", "about the weather\n", BY)
    two.settle()
    for file in Path(two.remote).rglob("*.pack"):
        file.unlink()
    two.sync(0)
    with opened(Path(two.remote).parent / "third") as third:
        syncing.sync_with(third, two.remote, key=syncing.key_of(one))
        assert heads(third) == heads(one)


def test_what_another_remote_brought_is_passed_on(tmp_path: Path):
    with machines(tmp_path) as two, opened(tmp_path / "third") as third:
        one, other = two.homes
        bridge = str(tmp_path / "stick")
        syncing.sync_with(other, bridge)
        syncing.sync_with(third, bridge, key=syncing.key_of(one))
        one.store.create("global", "/n.md", LINES, BY)
        two.sync(0, 1)
        syncing.sync_with(other, bridge)
        syncing.sync_with(third, bridge)
        assert heads(third) == heads(one)


def test_a_look_changes_nothing_here_or_there(two: Machines):
    one, other = two.homes
    one.store.create("global", "/n.md", LINES, BY)
    before = sorted(Path(two.remote).rglob("*"))
    done = syncing.sync_with(one, two.remote, dry_run=True)
    assert done.sent == {"global": 1}
    assert sorted(Path(two.remote).rglob("*")) == before
    two.sync(0)
    done = syncing.sync_with(other, two.remote, dry_run=True)
    assert done.received["global"].versions == 1
    assert texts(other) == {}


def test_a_machine_with_another_key_is_told_how_to_join(two: Machines, tmp_path: Path):
    two.homes[0].store.create("global", "/n.md", LINES, BY)
    two.sync(0)
    with opened(tmp_path / "stranger") as stranger:
        with pytest.raises(Refused, match="another key"):
            syncing.sync_with(stranger, two.remote)
        assert syncing.remotes(stranger) == []
        syncing.sync_with(stranger, two.remote, key=syncing.key_of(two.homes[0]))
        assert texts(stranger) == {"/n.md": LINES}


def test_a_machine_with_another_key_is_told_so_also_where_all_is_encrypted(
    two: Machines, tmp_path: Path
):
    pytest.importorskip("pyrage")
    encrypted = Wish(encrypt=True)
    syncing.sync_with(two.homes[0], two.remote, encrypted)
    two.homes[0].store.create("global", "/n.md", LINES, BY)
    two.sync(0)
    with opened(tmp_path / "stranger") as stranger:
        with pytest.raises(Refused, match="another key"):
            syncing.sync_with(stranger, two.remote, encrypted)
        assert syncing.remotes(stranger) == []
        syncing.sync_with(stranger, two.remote, encrypted, key=syncing.key_of(two.homes[0]))
        assert texts(stranger) == {"/n.md": LINES}


@pytest.mark.proves("F15")
@pytest.mark.parametrize("seed", range(6))
def test_random_edits_on_three_machines_converge(tmp_path: Path, seed: int):
    chance = random.Random(seed)
    acknowledged: set[str] = set()
    redacted: set[str] = set()
    with machines(tmp_path, 3) as three:
        for _ in range(40):
            number = chance.randrange(3)
            store = three.homes[number].store
            there = list(store.walk("global"))
            deed = chance.choice("create edit edit rename delete redact sync sync".split())
            try:
                if deed == "sync":
                    three.sync(number)
                elif deed == "create" or not there:
                    text = "".join(f"{chance.randrange(1000)}\n" for _ in range(5))
                    made = store.create("global", f"/{chance.randrange(5)}.md", text, BY)
                    acknowledged.add(made.version_id)
                elif deed == "edit":
                    one = chance.choice(there)
                    lines = one.content.splitlines(keepends=True)
                    lines[chance.randrange(len(lines))] = f"{chance.randrange(1000)}\n"
                    made = store.update("global", one.id, content="".join(lines), by=BY)
                    acknowledged.add(made.version_id)
                elif deed == "rename":
                    path = f"/{chance.randrange(5)}.md"
                    store.update("global", chance.choice(there).id, path=path, by=BY)
                elif deed == "delete":
                    store.delete("global", chance.choice(there).id, by=BY)
                else:
                    past = [one.id for one in store.versions("global", limit=100).items]
                    chosen = chance.choice(past)
                    store.redact(chosen, BY)
                    redacted.add(chosen)
            except ReverieError:
                continue  # a path that is taken, or the head of a memory
        alike(three)
        for home in three.homes:
            assert acknowledged <= versions(home).keys()
            there = redacted & versions(home).keys()
            assert all(home.store.version(one).content is None for one in there)


@pytest.mark.proves("F15")
@pytest.mark.needs("postgres")
def test_a_home_on_postgresql_and_one_on_sqlite_are_alike(tmp_path: Path, postgres_url: str):
    with machines(tmp_path, urls=("", postgres_url)) as two:
        one, other = two.homes
        assert other.database.dialect == "postgresql"
        made = one.store.create("global", "/n.md", LINES, BY)
        bad = other.store.create("global", "/bad.md", SECRET_TEXT, BY)
        one.remember("Run the linter before every commit", scope="global")
        other.remember("Always run the linter before each commit", scope="global")
        alike(two)
        one.store.update("global", made.id, content=LINES.replace("one", "ONE"), by=BY)
        other.store.update("global", made.id, content=LINES.replace("seven", "SEVEN"), by=BY)
        one.store.update("global", bad.id, content="nothing to see\n", by=BY)
        one.store.redact(bad.version_id, BY)
        alike(two)
        assert texts(other)["/n.md"] == LINES.replace("one", "ONE").replace("seven", "SEVEN")
        assert other.store.version(bad.version_id).content is None
        assert len(other.library.documents("global")) == 3
