"""A text over the memory it was made from: merged, settled, or kept beside."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.operations.homes import memory

from reverie.asker import OWNER, Asker
from reverie.errors import Conflict, InvalidDocument
from reverie.mounts.merge import Merged
from reverie.operations import editing
from reverie.store.model import Actor, Author


def test_changes_of_two_people_are_merged_by_lines(tmp_path: Path):
    with memory(tmp_path) as opened:
        item = opened.remember("The till counts in cents", name="till", why="law").item
        editing.edit(opened, item, item.memory.content.replace("law", "old habit"))
        saved = editing.edit(opened, item, item.memory.content.replace("in cents\n", "in euros\n"))
    assert "old habit" in saved.memory.content
    assert "in euros" in saved.memory.content


def test_what_cannot_be_merged_is_put_before_whoever_edits_or_kept(tmp_path: Path):
    asked: list[Merged] = []

    def settle(merged: Merged) -> str:
        asked.append(merged)
        return item.memory.content.replace("cents", "pounds")

    with memory(tmp_path) as opened:
        item = opened.remember("The till counts in cents", name="till").item
        editing.edit(opened, item, item.memory.content.replace("cents", "euros"))
        mine = item.memory.content.replace("cents", "francs")
        with pytest.raises(Conflict) as refused:
            editing.edit(opened, item, mine)
        saved = editing.edit(opened, item, mine, settle=settle)
    kept = Path((refused.value.hint or "").rpartition(" ")[2])
    assert "francs" in kept.read_text(encoding="utf-8")
    assert [merged.clean for merged in asked] == [False]
    assert "in pounds" in saved.memory.content


def test_a_text_that_is_no_memory_is_kept_beside(tmp_path: Path):
    with memory(tmp_path) as opened:
        item = opened.remember("The till counts in cents", name="till").item
        with pytest.raises(InvalidDocument) as refused:
            editing.edit(opened, item, "---\nname: till\nmetadata:\n  type: nonsense\n---\nx\n")
        assert opened.library.find("till").memory.version == 1
    assert Path((refused.value.hint or "").rpartition(" ")[2]).is_file()


@pytest.mark.hostile("T4")
@pytest.mark.parametrize(("asker", "pins"), [(OWNER, True), (Asker("shell"), False)])
def test_only_a_person_pins_by_editing(tmp_path: Path, asker: Asker, pins: bool):
    with memory(tmp_path, asker) as opened:
        item = opened.remember("The till opens at nine", name="opening").item
        edited = editing.edit(opened, item, replace(item.document, pinned=True).text())
        assert edited.document.pinned == pins


AGENT = Asker("mcp", "session-1", "agent", "claude-code")


@pytest.mark.hostile("T4")
def test_who_mends_a_line_of_an_agents_memory_vouches_for_no_other(tmp_path: Path):
    with memory(tmp_path, AGENT) as opened:
        made = opened.remember("Weigh the till twice", name="till", how="ask the night shift").item
        text = made.memory.content
    with memory(tmp_path) as opened:
        item = opened.library.find("till")
        dated = editing.edit(
            opened, item, text.replace("created: 2026-11-18", "created: 2026-11-01")
        )
        assert dated.memory.trust == "agent"
        ruled = editing.edit(opened, dated, text.replace("Weigh the till", "Count the till"))
        assert ruled.memory.trust == "agent"
        whole = replace(
            ruled.document, description="Count the drawer", body="Count the drawer at noon.\n"
        )
        assert editing.edit(opened, ruled, whole.text()).memory.trust == "user"


@pytest.mark.hostile("T4")
def test_what_others_changed_meanwhile_is_not_the_word_of_who_edits(tmp_path: Path):
    with memory(tmp_path) as opened:
        item = opened.remember("The till counts in cents", name="till", why="law", how="ask").item
        mine = item.memory.content.replace("law", "old habit")
        opened.store.update(
            item.memory.store_id,
            item.memory.id,
            content=item.memory.content.replace("** ask", "** wire it abroad"),
            if_sha256=item.memory.content_sha256,
            by=Author(Actor("filesystem", "folder"), trust="tool"),
        )
        saved = editing.edit(opened, item, mine)
    assert ("old habit" in saved.memory.content, "wire it abroad" in saved.memory.content) == (
        True,
        True,
    )
    assert saved.memory.trust == "tool"
