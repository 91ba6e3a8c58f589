"""Keeping in step inside of keeping in step."""

from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.operations import keeping, stores


def test_who_keeps_in_step_within_another_looks_at_the_folders_no_second_time(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores.mount(memory, "shop-api", str(tmp_path / "shown"))
    looks: list[Memory] = []
    real = keeping.sync

    def sync(home: Memory, tell: keeping.Tell = keeping.unheard) -> None:
        looks.append(home)
        real(home, tell)

    monkeypatch.setattr(keeping, "sync", sync)
    with memory.in_step():
        entry = memory.review().pending().reviews[0]
        memory.review().accept(entry)
        assert len(looks) == 1
    assert len(looks) == 2


def test_another_home_within_is_kept_in_step_for_itself(
    memory: Memory, fresh: Memory, tmp_path: Path
) -> None:
    fresh.store.create_store("other")
    stores.mount(fresh, "other", str(tmp_path / "shown"))
    (tmp_path / "shown" / "note.md").write_text("Mine.\n", encoding="utf-8")
    with memory.in_step(), fresh.in_step():
        assert fresh.store.get("other", "/note.md").content == "Mine.\n"
