"""A home: opened when it is used, closed as a whole, asked nothing it was not told."""

from pathlib import Path

import pytest

from reverie import Memory, Unavailable
from reverie.db.database import Database
from reverie.home import Home


def test_opening_makes_nothing(tmp_path: Path) -> None:
    with Home.open(tmp_path / "fresh", folder=tmp_path) as home:
        assert home.projects.all() == [] and home.marks.learned_at == {}
        assert not home.exists
    assert not (tmp_path / "fresh").exists()


def test_a_database_that_is_refused_is_not_left_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Home.open(tmp_path / "fresh", folder=tmp_path) as home:
        home.database.query("INSERT INTO migrations VALUES (9999, 'from_the_future', 'now')")
    closed: list[bool] = []
    close = Database.close
    monkeypatch.setattr(Database, "close", lambda self: closed.append(True) or close(self))
    home = Home.open(tmp_path / "fresh", folder=tmp_path)
    with pytest.raises(Unavailable):
        _ = home.database
    assert closed == [True]
    with pytest.raises(Unavailable):
        _ = home.database  # and is tried anew, not taken for open
    home.close()


def test_what_was_closed_is_opened_again_when_it_is_used_again(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "fresh", folder=tmp_path) as memory:
        memory.remember("Staging listens on port 8443", scope="global")
        first = memory.recall("staging port").text
        memory.close()
        assert memory.recall("staging port").text == first != ""


def test_the_same_home_from_elsewhere_is_another_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    with Memory.open(tmp_path / "fresh", folder=tmp_path / "a") as memory:
        with memory.at(folder=str(tmp_path / "b")) as other:
            assert (memory.here.slug, other.here.slug) == ("a", "b")
            other.remember("Staging listens on port 8443", scope="global")
        assert memory.recall("staging port").entries


def test_a_home_in_the_environment_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_HOME", str(tmp_path / "mine"))
    monkeypatch.chdir(tmp_path)
    assert Home.open().config.home == tmp_path / "mine"
    assert Home.open("theirs").config.home == tmp_path / "theirs"
    assert Home.open(folder="code").folder == str(tmp_path / "code")
