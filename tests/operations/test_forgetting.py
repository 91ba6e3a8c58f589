"""Forgetting as an operation: what goes, what is written down, what a person decides."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.asker import OWNER, Asker
from reverie.clock import fixed
from reverie.memory import Memory
from reverie.operations import forgetting, stores


@pytest.fixture
def later(memory: Memory) -> Iterator[Memory]:
    """The same home with a note of an agent, two months of the calendar later."""
    with memory.at(asker=Asker("mcp", "claude-code:s9")) as agent:
        agent.remember("The stock table is copied every night")
    memory.close()
    (memory.config.home / "config.toml").write_text('[forget]\nclock = "calendar"\n', "utf-8")
    clock = fixed("2026-05-20T08:00:00Z")
    with Memory.open(memory.config.home, folder=memory.folder, asker=OWNER, clock=clock) as opened:
        yield opened


def test_a_run_archives_with_the_reason_and_is_a_line_of_the_audit_log(later: Memory) -> None:
    done = later.decay()
    gone = [step for step in done.plan.steps if step.deed == "archive"]
    assert gone
    assert {one.item.name for one in forgetting.archived(later)} >= {
        step.item.name for step in gone
    }
    (line,) = (later.config.home / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert record["event"] == "decay"
    assert record["counts"]["archive"] == len(gone)
    assert all(step["done"] for step in record["steps"])


def test_a_dry_run_says_the_same_and_changes_nothing(later: Memory) -> None:
    before = later.store.sequences()
    dry = later.decay(dry_run=True)
    assert later.store.sequences() == before
    assert not (later.config.home / "audit.jsonl").exists()
    assert [step.why for step in later.decay().plan.steps] == [step.why for step in dry.plan.steps]


def test_what_went_leaves_the_mounted_folder(later: Memory, tmp_path: Path) -> None:
    gone = next(step for step in later.decay(dry_run=True).plan.steps if step.deed == "archive")
    stores.mount(later, gone.item.store, str(tmp_path / "shown"))
    file = tmp_path / "shown" / gone.item.memory.path.lstrip("/")
    assert file.exists()
    later.decay()
    assert not file.exists()


@pytest.fixture
def stale(fresh: Memory, tmp_path: Path) -> Memory:
    """A memory in a project's tree that names a file which is not there."""
    root = tmp_path / "shop"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    memory = Memory.open(fresh.config.home, folder=root, asker=OWNER, clock=fresh.clock)
    memory.remember("Orders are sorted in `src/shop/vanished.py`, never in the client.")
    return memory


def test_a_memory_that_names_what_is_gone_waits_for_a_person(stale: Memory) -> None:
    (found,) = forgetting.stale(stale)
    assert [change.state for change in found.changes] == ["gone"]
    kept = forgetting.still_right(stale, f"{found.item.store}:{found.item.name}")
    assert kept.name == found.item.name
    assert "modified: 2026-03-16" in stale.library.find(kept.name).document.text()
    stale.close()


def test_one_that_is_no_longer_right_goes_to_the_archive(stale: Memory) -> None:
    (found,) = forgetting.stale(stale)
    forgetting.no_longer_right(stale, found.item)
    assert [one.item.name for one in forgetting.archived(stale)] == [found.item.name]
    assert forgetting.stale(stale) == []
    stale.close()


def test_one_that_was_written_anew_says_so(stale: Memory) -> None:
    (found,) = forgetting.stale(stale)
    forgetting.put_right(
        stale, found.item, found.item.document.text().replace("vanished.py", "orders.py")
    )
    assert "orders.py" in stale.library.find(found.item.name).document.text()
    stale.close()
