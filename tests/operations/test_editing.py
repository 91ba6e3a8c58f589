"""A text over the memory it was made from: merged, settled, or kept beside."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.operations.homes import memory

from reverie.asker import OWNER, Asker
from reverie.errors import Conflict, InvalidDocument
from reverie.mounts.merge import Merged
from reverie.operations import editing


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
