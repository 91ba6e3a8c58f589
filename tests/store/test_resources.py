"""Many versions, many openings, few descriptors: what must not grow, does not."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.connect.logs import write_log

from reverie.cli.root import run
from reverie.clock import system_clock
from reverie.sessions.index import Index
from reverie.settings import Store as Limits
from reverie.store.arrivals import Change, Pen
from reverie.store.model import Actor, Author
from reverie.store.store import Store
from reverie.store.writing import lock

BY = Author(Actor("user"), "edited")
VERSIONS = 250
MANY = 100_000

# The limits are set in the child before anything of ours is loaded.
LIMITED = """
import os, resource, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
from reverie.cli.root import main
main()
"""


@pytest.mark.hostile("R2")
def test_a_long_history_comes_in_pages_each_version_once_newest_first(store: Store) -> None:
    store.ensure_store("shop")
    for number in range(VERSIONS):
        store.put("shop", "/notes.md", f"version {number}\n", BY)
    seen: list[int] = []
    page: str | None = None
    while True:
        answer = store.versions("shop", "/notes.md", limit=40, page=page)
        assert len(answer.items) <= 40
        seen += [version.number for version in answer.items]
        page = answer.next_page
        if page is None:
            break
    assert seen == list(range(VERSIONS, 0, -1))


@pytest.mark.hostile("R2")
def test_a_hundred_thousand_versions_are_read_a_page_at_a_time(tmp_path: Path) -> None:
    """As a sync brings them, in one transaction; every page is found by its place."""
    store = Store.open(f"sqlite:///{tmp_path}/memory.db", clock=system_clock, limits=Limits())
    store.ensure_store("shop")
    head = store.put("shop", "/notes.md", "version 1\n", BY)
    with store.database.atomic() as tx:
        pen = Pen(store.context, tx, lock(store.context, tx, "shop", archived=True))
        for number in range(2, MANY + 1):
            change = Change(
                id=f"memver_{number:024}", memory=head.id, parents=(), operation="modified",
                path=head.path, content=f"version {number}\n", actor=("user", ""), reason="edited",
                trust="user", valid_from=None, valid_to=None, created_at=head.created_at,
            )  # fmt: skip
            pen.write(change, None)
        pen.finish()
    seen, page = 0, None
    while seen < 5_000:
        answer = store.versions("shop", head.id, limit=1_000, page=page)
        assert [one.number for one in answer.items] == list(
            range(MANY - seen, MANY - seen - 1_000, -1)
        )
        seen, page = seen + 1_000, answer.next_page
    assert store.version("memver_" + "2".zfill(24)).content == "version 2\n"
    store.close()


@pytest.mark.hostile("R2")
def test_the_log_of_a_memory_shows_what_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], isolated_home: Path
) -> None:
    home = isolated_home / ".reverie"
    home.mkdir()
    opened = Store.open(f"sqlite:///{home}/memory.db", clock=system_clock, limits=Limits())
    opened.ensure_store("global")
    for number in range(130):
        opened.put("global", "/notes.md", f"version {number}\n", BY)
    opened.close()
    assert run(["log", "global:notes", "--limit", "120"]) == 0
    assert capsys.readouterr().out.count("\n") == 120


@pytest.mark.hostile("R4")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
def test_opening_and_closing_leaves_no_descriptor_and_no_thread(tmp_path: Path) -> None:
    def once() -> None:
        opened = Store.open(f"sqlite:///{tmp_path}/memory.db", clock=system_clock, limits=Limits())
        opened.ensure_store("shop")
        opened.put("shop", "/notes.md", "the same\n", BY)
        assert opened.get("shop", "/notes.md").version == 1
        opened.close()
        with Index.open(tmp_path / "index.db") as index:
            assert index.sessions() == []

    for _ in range(5):
        once()
    before = (len(os.listdir("/proc/self/fd")), threading.active_count())
    for _ in range(150):
        once()
    # What earlier tests left may go meanwhile, so there may be fewer.
    assert len(os.listdir("/proc/self/fd")) <= before[0]
    assert threading.active_count() <= before[1]


@pytest.mark.hostile("R7")
@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_learning_and_recall_fit_into_64_files_256_megabytes_and_one_processor(
    tmp_path: Path, isolated_home: Path
) -> None:
    project = tmp_path / "shop"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    logs = tmp_path / "logs"
    for number in range(80):
        write_log(
            logs,
            f"s{number}",
            project,
            ("user", f"Please look at part {number}. " + "More of the same. " * 400),
            ("assistant", "Done, and committed."),
            ("user", "From now on always run make lint before you commit anything."),
        )

    def reverie(*args: str) -> str:
        command = [sys.executable, "-c", LIMITED, *args]
        env = {"PATH": os.environ["PATH"], "HOME": str(isolated_home)}
        done = subprocess.run(
            command, cwd=project, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    reverie("learn", "--logs", str(logs))
    assert "make lint" in reverie("recall", "lint before commit")
