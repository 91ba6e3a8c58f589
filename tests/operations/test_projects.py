"""Projects and the index that is built anew, without a command line."""

from pathlib import Path

import pytest
from tests.commands import repository
from tests.operations.homes import memory
from tests.sessions.worklogs import lines, write

from reverie.asker import Asker
from reverie.errors import Refused
from reverie.memory import Memory
from reverie.operations import learning, projects, reach, stores
from reverie.operations.starts import digesting
from reverie.serve.tools import Tools


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
    (logs / "-w-app" / "aaaa-1.jsonl").unlink()
    done = projects.reindex(read)
    assert (len(done.sessions), done.without_log) == (2, ["claude-code:aaaa-1"])


def clone(root: Path) -> Path:
    repository(root)
    config = '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n'
    (root / ".git" / "config").write_text(config, encoding="utf-8")
    return root


@pytest.mark.proves("D6")
@pytest.mark.hostile("T5")
def test_a_clone_reads_nothing_of_the_project_it_says_it_is_until_a_person_agrees(tmp_path: Path):
    first, second = clone(tmp_path / "shop"), clone(tmp_path / "copies" / "shop")
    with memory(tmp_path, folder=first) as opened:
        opened.remember("The till counts in cents", name="till", type="feedback")
        assert (opened.project, opened.claim) == ("shop", "")
    agent = Asker("mcp", agent="codex")
    with memory(tmp_path, agent, folder=second) as opened:
        assert opened.here.slug != "shop"
        tools = Tools(opened)
        answer = tools.call("recall", {"query": "till counts in cents"})
        assert "cents" not in answer
        assert "this folder says it is the project shop" in answer
        assert "says it is" not in tools.call("recall", {"query": "till counts in cents"})
        opened.remember("The drawer sticks", name="drawer")
        with pytest.raises(Refused):
            projects.agree_to_project(opened, opened.folder)
    with memory(tmp_path, folder=second) as opened:
        found = digesting.composed(opened, digesting.project_scope(opened, opened.here.slug))
        assert found.text == ""
        assert opened.project != "shop"
        assert "projects agree" in opened.claim
        assert projects.agree_to_project(opened, opened.folder).slug == "shop"
    with memory(tmp_path, agent, folder=second) as opened:
        assert (opened.here.slug, opened.claim) == ("shop", "")
        assert "cents" in opened.recall("till counts in cents").text
        assert reach.find_memory(opened, "drawer").store == "shop"


@pytest.mark.proves("F5")
def test_reindex_places_sessions_anew_and_leaves_memories_in_their_project(tmp_path: Path):
    logs = tmp_path / "logs"
    said = ("you", "From now on always use tabs for indentation in this repository.")
    write(logs / "a.jsonl", lines("a", said, cwd="/Users/dev/.cursor/worktrees/app/x"))
    with memory(tmp_path) as home:
        learning.learn(home, logs)
        (before,) = projects.worked(home)
        (rule,) = home.memories(store=before.project.slug, types=["feedback"])
        with home.index.atomic():
            checkout = home.projects.identify("/Users/dev/code/app").slug
        assert learning.learn(home, logs).index.unchanged == 1
        assert [one.project.slug for one in projects.worked(home)] == [before.project.slug]
        projects.reindex(home, logs)
        assert [one.project.slug for one in projects.worked(home)] == [checkout]
        report = learning.learn(home, logs)
        assert {outcome.action for _, outcome in report.outcomes} <= {"known"}
        (kept,) = home.memories(types=["feedback"], everywhere=True)
        assert (kept.store, kept.memory.id) == (before.project.slug, rule.memory.id)
