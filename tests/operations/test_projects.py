"""Projects and the index that is built anew, without a command line."""

from pathlib import Path

from reverie.memory import Memory
from reverie.operations import projects, stores


def test_projects_are_listed_shown_renamed_and_joined(read: Memory):
    assert [(one.project.slug, one.days) for one in projects.worked(read)] == [
        ("app", ["2026-09-01"]),
        ("tool", ["2026-09-02"]),
    ]
    view = projects.show_project(read, "tool")
    assert [(day.day, day.sessions[0].about) for day in view.recent] == [
        ("2026-09-02", "rename the printer")
    ]
    assert view.memories == []
    assert projects.rename_project(read, "tool", "Printer").name == "Printer"
    merged = projects.merge_projects(read, "tool", "app")
    assert (merged.gone.slug, merged.kept.slug, merged.joined.sessions) == ("tool", "app", 1)
    assert [one.project.slug for one in projects.worked(read)] == ["app"]
    assert not read.exists


def test_joining_moves_memories_under_the_lease(read: Memory):
    stores.create_store(read, "tool")
    read.remember("The printer is called Bob", store="tool", name="bob")
    waited: list[str] = []
    done = projects.merge_projects(read, "tool", "app", waited.append)
    assert (done.joined.memories, waited) == (1, [])
    assert read.memories(store="app")[0].name == "bob"


def test_an_index_that_cannot_be_read_is_set_aside_and_built_anew(read: Memory):
    file = read.config.index_db
    read.close()
    file.write_bytes(b"no database at all" * 100)
    moved: list[str] = []
    done = projects.reindex(read, set_aside=moved.append)
    assert (len(done.sessions), done.without_log) == (2, [])
    assert [Path(where).is_file() for where in moved] == [True]


def test_sessions_whose_log_is_gone_stay_in_a_new_index(read: Memory, logs: Path):
    (logs / "-w-app" / "a.jsonl").unlink()
    done = projects.reindex(read)
    assert (len(done.sessions), done.without_log) == (2, ["claude-code:aaaa-1"])
