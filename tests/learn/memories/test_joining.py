"""`projects merge`: memories, diaries, dailies and reviews follow their sessions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, claude, prompt, reply, written

from reverie.cli.root import run
from reverie.memory import Memory
from reverie.store.library import Library
from reverie.store.model import Actor, Author

Reverie = Callable[..., Any]
OLD, NEW = "attic", "house"
KEYS = {OLD: "1111" + SESSION[4:], NEW: "2222" + SESSION[4:]}
RULES = {
    OLD: "From now on always feed the walrus before you commit.",
    NEW: "From now on always water the plants before you push.",
}
UNSURE = "No, that is wrong: the cellar has two doors, not one. Please lock both."


@pytest.fixture
def reverie(capsys: pytest.CaptureFixture[str]) -> Reverie:
    """Run a command that must succeed; returns what its JSON says."""

    def call_it(*arguments: str) -> Any:
        code = run([*arguments, "--json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)

    return call_it


@pytest.fixture
def logs(tmp_path: Path, reverie: Reverie, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One session in each of two projects, learned."""
    for name, rule in RULES.items():
        (tmp_path / name).mkdir()
        lines = claude(
            prompt("Please look after the building."),
            reply("The cellar has one door, and I locked it."),
            prompt(UNSURE),
            reply("Both doors are locked."),
            prompt(rule),
            reply("Understood."),
        )
        said = json.dumps([{**line, "cwd": str(tmp_path / name)} for line in lines])
        written(tmp_path / "logs", json.loads(said.replace(SESSION, KEYS[name])), f"{name}.jsonl")
    monkeypatch.chdir(tmp_path / NEW)
    reverie("learn", "--logs", str(tmp_path / "logs"))
    return tmp_path / "logs"


def files(store: str, prefix: str) -> list[str]:
    opened = Memory.open()
    try:
        return [memory.path for memory in opened.store.walk(store, prefix)]
    finally:
        opened.close()


@pytest.mark.proves("F5")
def test_what_was_learned_in_a_project_follows_it_into_another(
    logs: Path, reverie: Reverie
) -> None:
    old = files(OLD, "/diary/")
    assert old
    done = reverie("projects", "merge", OLD, NEW)
    assert (done["sessions"], done["memories"], done["diaries"]) == (1, 2, 1)
    assert files(OLD, "/") == []
    assert set(old) < set(files(NEW, "/diary/"))
    opened = Memory.open()
    (walrus,) = (i for i in Library(opened.store, NEW).documents() if "walrus" in i.name)
    (newest,) = opened.store.versions(NEW, walrus.memory.id).items
    opened.close()
    assert (walrus.store, walrus.document.scope) == (NEW, NEW)
    # By moving it nobody wrote it.
    assert (walrus.memory.trust, newest.actor.kind) == ("user", "agent")
    assert newest.reason.endswith(f"(moved from {OLD})")


def test_dailies_name_the_project_it_is_now_and_keep_their_lessons(
    logs: Path, reverie: Reverie
) -> None:
    before = reverie("daily")
    assert f"#{OLD}" in before["text"]
    reverie("projects", "merge", OLD, NEW)
    after = reverie("daily")
    assert f"#{OLD}" not in after["text"]
    assert f"#{NEW}" in after["text"]
    assert "walrus" in after["text"]
    assert "plants" in after["text"]


def test_what_waits_for_review_is_written_where_the_project_is_now(
    logs: Path, reverie: Reverie
) -> None:
    reverie("projects", "merge", OLD, NEW)
    assert {one["store"] for one in reverie("review")} <= {NEW, "global"}


def test_learning_again_after_the_merge_changes_nothing(logs: Path, reverie: Reverie) -> None:
    reverie("projects", "merge", OLD, NEW)
    before = reverie("memories"), files(NEW, "/"), reverie("daily")
    reverie("reindex", "--logs", str(logs))
    reverie("learn", "--logs", str(logs))
    assert (reverie("memories"), files(NEW, "/"), reverie("daily")) == before
    assert OLD not in {info["name"] for info in reverie("stores", "list")}


def test_a_diary_somebody_wrote_and_a_taken_name_move_as_they_are(
    logs: Path, reverie: Reverie
) -> None:
    opened = Memory.open()
    (diary,) = opened.store.walk(OLD, "/diary/")
    opened.store.update(OLD, diary.id, content="my own words", by=Author(Actor("user"), "by hand"))
    for store in (OLD, NEW):
        opened.store.create(store, "/plan.md", f"the plan of {store}", Author(Actor("user")))
        opened.store.create(store, "/same.md", "the same in both", Author(Actor("user")))
    opened.close()
    reverie("projects", "merge", OLD, NEW)
    opened = Memory.open()
    assert opened.store.get(NEW, diary.path).content == "my own words"
    assert opened.store.get(NEW, "/plan.md").content == f"the plan of {NEW}"
    assert opened.store.get(NEW, "/plan-2.md").content == f"the plan of {OLD}"
    assert [m.path for m in opened.store.walk(NEW) if m.path.startswith("/same")] == ["/same.md"]
    assert opened.store.verify() == []
    opened.close()


def test_unlearning_after_the_merge_leaves_no_word_in_the_store_it_came_from(
    logs: Path, reverie: Reverie, isolated_home: Path
) -> None:
    reverie("projects", "merge", OLD, NEW)
    reverie("unlearn", KEYS[OLD], "--yes")
    for file in sorted((isolated_home / ".reverie").glob("*.db*")):
        assert b"walrus" not in file.read_bytes(), file.name


def test_a_merge_that_died_before_its_end_is_finished_by_repeating_it(
    logs: Path, reverie: Reverie, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as broken:
        broken.setattr("reverie.learn.memories.joining.Chronicler.write", die)
        with pytest.raises(Killed):
            run(["projects", "merge", OLD, NEW])
    assert reverie("projects", "merge", OLD, NEW)["sessions"] == 1
    assert files(OLD, "/") == []
    assert sum("walrus" in path for path in files(NEW, "/")) == 1
    assert f"#{OLD}" not in reverie("daily")["text"]


def test_a_merge_before_anything_was_learned_makes_no_store(
    tmp_path: Path, isolated_home: Path, reverie: Reverie
) -> None:
    for name in (OLD, NEW):
        (tmp_path / name).mkdir()
        lines = claude(prompt("Hello"), reply("Hello."))
        said = json.dumps([{**line, "cwd": str(tmp_path / name)} for line in lines])
        folder = isolated_home / ".claude" / "projects" / name
        written(folder, json.loads(said.replace(SESSION, KEYS[name])), f"{KEYS[name]}.jsonl")
    reverie("projects")
    assert reverie("projects", "merge", OLD, NEW)["sessions"] == 1
    assert not (isolated_home / ".reverie" / "memory.db").exists()
