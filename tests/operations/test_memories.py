"""Memories by name, without a command line."""

from pathlib import Path

import pytest
from tests.operations.homes import memory, shop

from reverie.errors import InvalidInput, Refused
from reverie.operations import editing, forgetting, history, memories, reach, stores


def test_listing_looks_here_in_one_store_or_everywhere(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents")
        opened.remember("I am a data engineer")
        stores.create_store(opened, "attic")
        opened.remember("The stairs creak", store="attic")
        names = [item.name for item in opened.memories()]
        assert names == ["till-counts-in-cents", "am-data-engineer"]
        assert [item.store for item in opened.memories(store="attic")] == ["attic"]
        assert len(opened.memories(everywhere=True)) == 3
        assert memories.elsewhere(opened) == 1
        assert [item.name for item in opened.memories(types=["user"])] == names[1:]


def test_a_memory_without_an_asker_is_changed_in_an_agents_name(tmp_path: Path):
    from reverie.asker import Asker

    with memory(tmp_path, Asker(session="s-1")) as opened:
        opened.remember("The till counts in cents", name="till")
        with pytest.raises(Refused, match="only a person pins"):
            opened.pin("till")
        memories.rename(opened, "till", "cash")
        newest = history.versions(opened, "cash")[0]
    assert (newest.actor.kind, newest.actor.id, newest.trust) == ("agent", "s-1", "agent")


def test_who_is_no_person_leaves_a_persons_word_to_a_person(tmp_path: Path):
    from reverie.asker import Asker

    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till", pin=True)
    with memory(tmp_path, Asker("cli", "s-1")) as opened:
        item = opened.remember("The drawer sticks", name="drawer").item
        till = reach.find_memory(opened, "till")
        for change in (
            lambda: opened.forget("till"),
            lambda: opened.pin("till", "so it is"),
            lambda: memories.judge(opened, "till", "harmful"),
            lambda: forgetting.still_right(opened, till),
            lambda: forgetting.no_longer_right(opened, till),
            lambda: forgetting.put_right(opened, till, till.memory.content + "Not so.\n"),
            lambda: memories.unpin(opened, "till"),
            lambda: memories.rename(opened, "till", "cash"),
            lambda: editing.edit(opened, till, till.memory.content + "Not so.\n"),
            lambda: history.restore(opened, "till", "1"),
        ):
            with pytest.raises(Refused) as refusal:
                change()
            assert "reverie forget till" in (refusal.value.hint or "")
        assert len(history.versions(opened, "till")) == 1
        assert opened.forget(item.name).items[0].archived


@pytest.mark.hostile("M4")
def test_who_is_no_person_brings_no_pin_back(tmp_path: Path):
    from reverie.asker import Asker

    with memory(tmp_path, Asker("shell")) as opened:
        opened.remember("The till counts in cents", name="till")
    with memory(tmp_path) as opened:
        opened.pin("till")
        memories.unpin(opened, "till")
    with memory(tmp_path, Asker("shell")) as opened:
        with pytest.raises(Refused, match="only a person pins"):
            history.restore(opened, "till", "2")
        assert not history.restore(opened, "till", "1").document.pinned


def test_who_is_no_person_brings_no_persons_word_back_from_the_archive(tmp_path: Path):
    from reverie.asker import Asker

    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        opened.forget("till")
    with memory(tmp_path, Asker("shell")) as opened:
        with pytest.raises(Refused):
            opened.restore("till")
        opened.remember("The drawer sticks", name="drawer")
        opened.forget("drawer")
        (back,) = opened.restore("drawer").items
    assert back.memory.trust == "agent"


def test_an_edit_by_no_person_never_raises_trust(tmp_path: Path):
    from reverie.asker import Asker
    from reverie.store.model import Actor, Author

    with memory(tmp_path, Asker("shell")) as opened:
        opened.remember("The till counts in cents", name="till")
        item = reach.find_memory(opened, "till")
        tool = Author(Actor("filesystem", "x"), "edited", "tool")
        text = item.memory.content.replace("trust: agent", "trust: user")
        opened.store.update(item.store, item.memory.id, content=text, by=tool)
        item = reach.find_memory(opened, "till")
        edited = editing.edit(opened, item, item.memory.content + "In coins, too.\n")
    assert (edited.memory.trust, edited.document.trust) == ("tool", "tool")


def test_renaming_names_those_that_still_link(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        opened.remember("See [[till]] before you count", name="counting")
        item, old, linking = memories.rename(opened, "till", "cash.md")
        assert (item.name, old, [other.name for other in linking]) == ("cash", "till", ["counting"])
        with pytest.raises(InvalidInput):
            memories.rename(opened, "cash", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")


def test_a_verdict_is_counted_and_shown_with_what_a_memory_rests_on(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        memories.judge(opened, "till", "helpful")
        memories.judge(opened, "till", "helpful")
        found = opened.why("till")
    assert (found.helpful, found.harmful, found.recalled) == (2, 0, 0)
    assert (found.quotes, len(found.versions)) == ([], 3)
    assert found.item.memory.trust == "user"


def test_a_memory_that_names_a_lost_file_is_outdated(tmp_path: Path):
    (shop(tmp_path) / "till.py").write_text("", encoding="utf-8")
    with memory(tmp_path) as opened:
        here = opened.remember("Ask Ana before you change `till.py`", name="here").item
        lost = opened.remember("Ask Ana before you change `tax/rates.py`", name="lost").item
        found = memories.outdated(opened, [here, lost])
    assert list(found) == [lost.memory.id]
    assert found[lost.memory.id][0].startswith("tax/rates.py: ")


def test_pinning_forgetting_and_restoring_leave_the_trust_and_tell_why(tmp_path: Path):
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        assert opened.pin("till", "law").document.pin_reason == "law"
        assert not memories.unpin(opened, "till").document.pinned
        gone = opened.forget("till", "sold")
        assert gone.items[0].archived
        with pytest.raises(InvalidInput):
            opened.forget("till")
        assert not opened.restore("till").items[0].archived
        reasons = [version.reason for version in history.versions(opened, "till")]
    assert reasons[:4] == ["restored from the archive", "sold", "unpinned", "pinned: law"]
