"""Notes that expire: found while they hold, by nobody at their place afterwards."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reverie.asker import OWNER, Asker
from reverie.clock import fixed
from reverie.documents.document import parse
from reverie.errors import InvalidDocument, InvalidInput, PathTaken
from reverie.memory import Memory
from reverie.operations import stores
from reverie.operations.starts import digesting
from reverie.serve.tools import Tools
from reverie.store.library import Library
from reverie.store.model import Author, Principal
from reverie.store.store import Store

NOTE = "---\nname: rolling\nexpires: 2026-09-07T13:36:00Z\n---\ndawn is rolling the workers.\n"
PATH = "/memories/triage/in-flight/rolling.md"
BEFORE, AFTER = "2026-09-07T13:35:00Z", "2026-09-07T13:36:00Z"

Opened = Callable[[str, Asker], Memory]
DAWN, DUSK = Asker("mcp", agent="dawn"), Asker("mcp", agent="dusk")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """The memory of one home, at a moment, as somebody sees it."""
    (tmp_path / "shop").mkdir()
    made: list[Memory] = []

    def at(moment: str, asker: Asker) -> Memory:
        folder = tmp_path / "shop"
        made.append(Memory.open(tmp_path / ".r", asker=asker, folder=folder, clock=fixed(moment)))
        return made[-1]

    owner = at(BEFORE, OWNER).store
    owner.create_store("triage", "What the watches do.")
    for agent, told in (("dawn", "Note what you start."), ("dusk", "")):
        owner.attach("triage", principal(agent), "read_write", told)
    yield at
    for one in made:
        one.close()


def principal(agent: str) -> Principal:
    return Principal("agent", agent)


def create(memory: Memory, text: str = NOTE) -> str:
    arguments = {"command": "create", "path": PATH, "file_text": text}
    return Tools(memory).call("memory", arguments)


def view(memory: Memory, path: str = "/memories/triage/") -> str:
    return Tools(memory).call("memory", {"command": "view", "path": path})


@pytest.mark.parametrize(
    ("expires", "over"),
    [
        ("2026-09-07T13:36:00Z", "2026-09-07T13:36:00"),
        ("2026-09-07T15:36:00+02:00", "2026-09-07T13:36:00"),
        ("2026-09-07", "2026-09-08T00:00:00"),  # the last day on which it holds
        ("9999-12-31", ""),
    ],
)
def test_a_moment_is_exact_and_a_day_holds_to_its_end(expires: str, over: str) -> None:
    document = parse(f"---\nname: x\nmetadata:\n  expires: {expires}\n---\n")
    assert document.over_at.startswith(over) and bool(document.over_at) == bool(over)


def test_what_is_no_date_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="expires must be an ISO date"):
        parse("---\nname: x\nexpires: soon\n---\n")


def test_the_end_of_a_memory_follows_what_its_text_says(store: Store, me: Author) -> None:
    assert (store.create("notes", "/a.md", NOTE, me).valid_to or "")[:16] == "2026-09-07T13:36"
    later = NOTE.replace("13:36", "15:00")
    written = store.update("notes", "/a.md", content=later, by=me)
    assert (written.valid_to or "")[:16] == "2026-09-07T15:00"
    assert store.update("notes", "/a.md", path="/b.md", by=me).valid_to == written.valid_to
    assert store.update("notes", "/b.md", content="for good\n", by=me).valid_to is None
    dated = me._replace(valid_to="2030-01-01")
    store.update("notes", "/b.md", content="for a while\n", by=dated)
    assert store.update("notes", "/b.md", content="still\n", by=me).valid_to == "2030-01-01"


@pytest.mark.proves("C3", "C6")
def test_of_two_agents_one_gets_the_place_until_the_note_expires(opened: Opened) -> None:
    assert "File created" in create(opened(BEFORE, DAWN))
    with pytest.raises(PathTaken):
        create(opened(BEFORE, DUSK), NOTE.replace("dawn", "dusk"))
    assert "dawn is rolling" in view(opened(BEFORE, DUSK), PATH)
    dusk = opened(AFTER, DUSK)
    assert PATH not in view(dusk)
    assert "File created" in create(dusk, NOTE.replace("dawn", "dusk").replace("13:36", "18:00"))
    assert "dusk is rolling" in view(opened(AFTER, DAWN), PATH)


def test_an_expired_note_is_not_handed_over_and_lies_in_the_archive(opened: Opened) -> None:
    create(opened(BEFORE, DAWN))
    assert "rolling the workers" in opened(BEFORE, DUSK).recall("who is rolling the workers?").text
    later = opened(AFTER, OWNER)
    assert "rolling the workers" not in opened(AFTER, DUSK).recall("rolling the workers").text
    later.sync()
    paths = [memory.path for memory in later.store.walk("triage")]
    assert paths == ["/archive/2026-09-07/rolling.md"]
    (version, *_) = later.store.versions("triage", paths[0]).items
    assert "it expired at 2026-09-07T13:36" in version.reason
    assert version.trust == "agent"


def test_what_is_brought_back_stays_back(opened: Opened) -> None:
    owner = opened(BEFORE, OWNER)
    name = owner.remember("The gate is closed for repairs.", expires="4h").item.name
    later = opened("2026-09-08T09:00:00Z", OWNER)
    later.sync()
    assert [item.archived for item in later.memories(archived=True)] == [True]
    restored = Library(later.store).unarchive(
        later.memories(archived=True)[0], OWNER.author("still")
    )
    later.sync()
    assert [item.name for item in later.memories()] == [name] == [restored.name]
    assert restored.memory.valid_to is None and not restored.document.expires


def test_it_leaves_a_mounted_folder_and_one_written_there_expires_too(
    opened: Opened, tmp_path: Path
) -> None:
    owner = opened(BEFORE, OWNER)
    folder = tmp_path / "shown"
    stores.mount(owner, "triage", str(folder))
    (folder / "in-flight").mkdir()
    file = folder / "in-flight" / "rolling.md"
    file.write_text(NOTE, encoding="utf-8")
    stores.sync_mounts(owner)
    with pytest.raises(PathTaken):
        create(opened(BEFORE, DAWN))
    stores.sync_mounts(opened(AFTER, OWNER))
    assert not file.exists()
    index = (folder / "MEMORY.md").read_text(encoding="utf-8")
    assert index.startswith("What the watches do.\n\nFor agent dawn: Note what you start.\n\n")


def test_what_is_put_off_in_time_stays(opened: Opened, tmp_path: Path) -> None:
    owner = opened(BEFORE, OWNER)
    stores.mount(owner, "triage", str(tmp_path / "shown"))
    file = tmp_path / "shown" / "rolling.md"
    file.write_text(NOTE, encoding="utf-8")
    stores.sync_mounts(owner)
    file.write_text(NOTE.replace("13:36", "18:00"), encoding="utf-8")
    stores.sync_mounts(opened(AFTER, OWNER))
    assert file.exists()


def test_what_is_pinned_stays_and_what_never_said_when_is_left_to_a_dream(opened: Opened) -> None:
    owner = opened(BEFORE, OWNER)
    pinned = NOTE.replace("---\ndawn", "pinned: true\n---\ndawn")
    owner.store.create("triage", "/pinned.md", pinned, OWNER.author("by hand"))
    dated = OWNER.author("by hand")._replace(valid_to="2026-09-01")
    owner.store.create("triage", "/dated.md", "Over.\n", dated)
    opened(AFTER, OWNER).sync()
    assert [memory.path for memory in owner.store.walk("triage")] == ["/dated.md", "/pinned.md"]


@pytest.mark.parametrize(
    ("expires", "over"),
    [("4h", "2026-09-07T17:35:00"), ("2026-09-09", "2026-09-10T00:00:00"), ("", "")],
)
def test_what_is_remembered_may_say_when_it_ends(opened: Opened, expires: str, over: str) -> None:
    done = opened(BEFORE, OWNER).remember("The gate is closed for repairs.", expires=expires)
    assert (done.item.memory.valid_to or "").startswith(over)
    assert bool(done.item.memory.valid_to) == bool(over)


def test_an_agent_says_it_through_its_tool(opened: Opened) -> None:
    words = {"text": "The gate is closed while the crane is mended.", "expires": "2h"}
    assert "Remembered as" in Tools(opened(BEFORE, DAWN)).call("remember", words)
    with pytest.raises(InvalidInput):
        Tools(opened(BEFORE, DAWN)).call("remember", words | {"expires": "soon"})


@pytest.mark.proves("C2")
def test_what_a_store_is_for_and_how_it_is_used_reaches_the_agent(opened: Opened) -> None:
    line = "/memories/triage/: What the watches do."
    told = Tools(opened(BEFORE, DAWN))
    assert f"{line} Note what you start." in told.instructions
    assert f"{line} Note what you start." in told.call("memory", {"command": "view"})
    assert "Note what you start." not in Tools(opened(BEFORE, DUSK)).instructions
    assert line in Tools(opened(BEFORE, DUSK)).instructions
    stranger = Tools(opened(BEFORE, Asker("mcp", agent="noon")))
    assert "watches" not in stranger.instructions + stranger.call("memory", {"command": "view"})
    owner = opened(BEFORE, OWNER).store
    owner.attach("triage", principal("dawn"), "read_only")
    assert "/memories/triage/ (read-only): What" in Tools(opened(BEFORE, DAWN)).instructions


def test_what_ends_within_a_day_is_not_prepared_for_later_sessions(opened: Opened) -> None:
    owner = opened(BEFORE, OWNER)
    owner.remember("Nobody deploys while the crane is mended.", expires="5h")
    owner.remember("Nobody deploys during the audit week.", expires="3d")
    text = digesting.digest(owner).text
    assert "audit week" in text and "crane" not in text
