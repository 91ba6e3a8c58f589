"""One memory shared by threads, and many memories in one process."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.sessions.logs import as_bytes, claude, prompt, reply

from reverie import OWNER, Asker, Memory
from reverie.clock import fixed
from reverie.operations import reach
from reverie.operations.recalling import ledger
from reverie.sessions.marks import Marks
from reverie.sessions.query import DayRow
from reverie.sessions.registry import Projects

THREADS = 8
NOW = "2026-11-15T08:00:00Z"


def at_once(deed: Callable[[int], object]) -> list[object]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(deed, range(THREADS)))


def log(folder: Path, number: int) -> None:
    """A session in which something is said that is worth keeping."""
    lines = claude(
        prompt(f"add a test for part {number}"),
        reply("I ran npm test and added it."),
        prompt(f"no, we never use npm for part {number}, always pnpm"),
    )
    for line in lines:
        line["sessionId"] = f"s-{number}"
        line["uuid"] = f"{number}-{line.get('uuid', '')}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"s-{number}.jsonl").write_bytes(as_bytes(lines))


@pytest.mark.hostile("CC9")
def test_eight_threads_recall_remember_and_learn_at_once(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_DATABASE_URL", database_url)
    for number in range(THREADS):
        log(tmp_path / f"logs-{number}", number)
    folder = tmp_path / "work"
    folder.mkdir()
    with Memory.open(folder=folder, asker=OWNER, clock=fixed(NOW)) as memory:

        def deeds(number: int) -> int:
            for turn in range(3):
                memory.remember(f"Lamp {number} of row {turn} stays on", scope="global")
                assert memory.recall(f"which lamp of row {turn}").text
                memory.learn(tmp_path / f"logs-{number}")
            return number

        assert at_once(deeds) == list(range(THREADS))
        lamps = [item for item in memory.library.documents("global") if "lamp" in item.name]
        assert len(lamps) == 3 * THREADS
        assert len(memory.index.sessions()) == THREADS
        assert len(memory.marks.learned_at) == THREADS
        assert len(ledger(memory).rows()) == 3 * THREADS
        assert memory.store.verify() == []


def test_many_memories_in_one_process_know_nothing_of_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / f"harbour-{number}" for number in range(THREADS)]
    for place in folders:
        place.mkdir()
    askers = [OWNER, Asker("python"), Asker("mcp", agent="codex"), Asker("http", agent="")]
    memories = [
        Memory.open(tmp_path / f"home-{number % 4}", folder=place, asker=askers[number % 4])
        for number, place in enumerate(folders)
    ]
    # Nothing of what was said at the door is asked for again.
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "another"))
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.chdir(tmp_path)

    def deed(number: int) -> str:
        with memories[number] as memory:
            reach.make_store(memory, f"harbour-{number}")
            memory.remember(f"Crane {number} stands at berth {number}", store=f"harbour-{number}")
            return memory.recall("which crane stands at which berth").text

    answers = [str(answer) for answer in at_once(deed)]
    for number, answer in enumerate(answers):
        named = {n for n in range(THREADS) if f"Crane {n}" in answer}
        assert named == {number}
        trust = "user" if number % 4 == 0 else "agent"
        assert f"trust {trust}" in answer
    assert not (tmp_path / "another").exists() and not (tmp_path / "nobody").exists()
    for number in range(4):
        with Memory.open(tmp_path / f"home-{number}", asker=OWNER) as memory:
            stores = {info.name for info in memory.store.stores()}
            assert stores == {f"harbour-{number}", f"harbour-{number + 4}"}
            surfaces = {row.surface for row in ledger(memory).rows()}
            assert surfaces == {askers[number].surface}


def test_a_project_by_its_path_is_found_from_where_the_asker_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "code" / "harbour").mkdir(parents=True)
    with Memory.open(folder=tmp_path / "code" / "harbour", asker=OWNER) as memory:
        reach.make_store(memory, "harbour")
    monkeypatch.chdir("/")
    for folder, named in (
        (tmp_path / "code" / "harbour", "."),
        (tmp_path / "code", "./harbour"),
        (tmp_path, "code/harbour/"),
        (Path("/"), str(tmp_path / "code" / "harbour")),
    ):
        with Memory.open(folder=folder, project=named) as memory:
            assert memory.project == memory.here.slug == "harbour"


def test_threads_that_meet_new_projects_at_once_lose_none(tmp_path: Path) -> None:
    projects = Projects.open(tmp_path / "projects.json")
    for number in range(50):
        (tmp_path / f"p{number}").mkdir()

    def meet(thread: int) -> None:
        for number in range(50):
            found = projects.identify(str(tmp_path / f"p{(number + thread) % 50}"))
            assert projects.find(found.slug).roots
            projects.save()
            projects.refresh()

    at_once(meet)
    assert len(Projects.open(tmp_path / "projects.json").all()) == 50


def test_threads_mark_each_stretch_once(tmp_path: Path) -> None:
    marks = Marks.open(tmp_path / "processed.jsonl")
    days = [DayRow("2026-11-01", f"s{n}", "p", "claude-code", 1, f"{n:04}") for n in range(200)]

    def mark(_: int) -> int:
        assert all(at == NOW for at in marks.learned_at.values())
        return sum(marks.mark([day], "learn", NOW) for day in days)

    assert sum(int(str(count)) for count in at_once(mark)) == 200
    assert len((tmp_path / "processed.jsonl").read_text(encoding="utf-8").split()) >= 200
    assert len(Marks.open(tmp_path / "processed.jsonl").learned_at) == 200
