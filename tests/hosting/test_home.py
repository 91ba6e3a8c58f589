"""Whose index it is: people who share a database, and a server beside them."""

from pathlib import Path

import pytest
from tests.hosting.nights import brought
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER, Asker
from reverie.clock import fixed
from reverie.config import load
from reverie.hosting import reading
from reverie.hosting.guests import Guest
from reverie.hosting.home import GuestProjects, ServerHome
from reverie.memory import Memory
from reverie.operations import projects

NOW = "2026-11-18T09:30:00Z"
RULE = "always run the linter before you commit"


def person(tmp_path: Path, name: str, url: str) -> Memory:
    """Somebody with a home of their own, who keeps the index on a server."""
    folder = tmp_path / name
    folder.mkdir()
    environ = {"HOME": str(folder), "REVERIE_HOME": str(folder / ".reverie")}
    environ["REVERIE_INDEX_URL"] = url
    said = lines(f"{name}-1", ("you", RULE), ("agent", "I will"))
    write(folder / ".claude" / "projects" / "-w-app" / f"{name}-1.jsonl", said)
    config = load(environ)
    return Memory(config, folder=str(folder), asker=OWNER, clock=fixed(NOW))


@pytest.mark.needs("postgres")
def test_people_who_share_a_database_see_and_rebuild_their_own_index_alone(
    tmp_path: Path, postgres_url: str
) -> None:
    with person(tmp_path, "ada", postgres_url) as ada, person(tmp_path, "bo", postgres_url) as bo:
        logs = {one: one.config.home.parent / ".claude" for one in (ada, bo)}
        assert ada.learn(logs[ada], jobs=1).sessions == 1
        assert bo.index.sessions() == []
        assert bo.learn(logs[bo], jobs=1).sessions == 1
        assert [row.session_id for row in ada.index.sessions()] == ["ada-1"]
        assert [row.session_id for row in bo.index.sessions()] == ["bo-1"]
        before = ada.index_database.query("SELECT * FROM turns ORDER BY id")
        times = ada.index_database.query("SELECT times FROM index_writes")
        projects.reindex(bo, bo.config.home.parent / ".claude")
        assert ada.index_database.query("SELECT * FROM turns ORDER BY id") == before
        assert ada.index_database.query("SELECT times FROM index_writes") == times
        assert ada.index_owner() != bo.index_owner()


@pytest.mark.needs("postgres")
def test_every_process_of_a_server_shares_one_index(tmp_path: Path, postgres_url: str) -> None:
    homes: list[ServerHome] = []
    for name in ("one", "two"):
        environ = {"HOME": str(tmp_path), "REVERIE_HOME": str(tmp_path / name)}
        environ |= {"REVERIE_DATABASE_URL": postgres_url, "REVERIE_INDEX_URL": postgres_url}
        config = load(environ)
        homes.append(ServerHome(config, folder=str(tmp_path), asker=Asker("http")))
    first, second = homes
    with first, second:
        (session,) = brought(first, Guest("apikey_a", first.store), days=1)
        reading.read_into_index(first, [session.id], lambda: None)
        assert [row.session_id for row in second.index.sessions()] == [session.id]


def test_what_guests_bring_is_not_among_the_persons_own_sessions(
    home: ServerHome, guest: Guest
) -> None:
    (one,) = brought(home, guest, days=1)
    reading.read_into_index(home, [one.id], lambda: None)
    with Memory(home.config, folder=home.folder, asker=OWNER, clock=home.clock) as mine:
        assert mine.index.sessions() == []
        assert mine.index.search("spike") == []
        assert mine.projects.all() == []
        report = mine.learn(home.config.home, jobs=1)
        assert (report.sessions, report.outcomes) == (0, [])
    assert [row.session_id for row in home.index.sessions()] == [one.id]


@pytest.mark.parametrize(
    ("cwd", "remote", "slug"),
    [
        ("/w/shop", "", "shop"),
        ("C:\\work\\Shop", "", "shop"),
        ("/w/a", "git@github.com:team/shop.git", "shop"),
        ("/etc/../root", "", "root"),
        ("", "", "elsewhere"),
    ],
)
def test_a_guests_project_is_named_by_its_log_and_no_disk_is_looked_at(
    tmp_path: Path, cwd: str, remote: str, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looked(*_: object) -> None:
        raise AssertionError("the disk was looked at")

    monkeypatch.setattr("reverie.sessions.registry.locate", looked)
    found = GuestProjects(tmp_path / "projects.json").identify(cwd, remote)
    assert (found.slug, found.root) == (slug, "")
