"""Opening a database by its URL."""

from pathlib import Path

import pytest

from reverie.db.opening import open_database


@pytest.mark.parametrize("sparing", [True, False])
def test_who_stays_for_long_caches_less(tmp_path: Path, sparing: bool) -> None:
    database = open_database(f"sqlite:///{tmp_path}/a.db", sparing=sparing)
    ((kilobytes,),) = database.query("PRAGMA cache_size")
    database.close()
    assert (-kilobytes <= 1_000) is sparing
