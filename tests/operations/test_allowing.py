"""Allowing larger hand-overs: at a person's word, for a while."""

from pathlib import Path

import pytest
from tests.operations import homes

from reverie.clock import fixed
from reverie.errors import InvalidInput
from reverie.operations import allowing


def test_an_allowance_ends_by_itself(tmp_path: Path) -> None:
    with homes.memory(tmp_path) as memory:
        assert allowing.limit(memory) == 20_000
        allowing.allow(memory, 50_000, "30m")
        assert allowing.limit(memory) == 50_000
        memory.clock = fixed("2026-11-18T10:00:01Z")
        assert allowing.limit(memory) == 20_000


def test_less_than_is_free_anyway_takes_nothing_away(tmp_path: Path) -> None:
    with homes.memory(tmp_path) as memory:
        allowing.allow(memory, 100)
        assert allowing.limit(memory) == 20_000


@pytest.mark.parametrize(("characters", "duration"), [(0, "1h"), (-5, "1h"), (9, "soon"), (9, "")])
def test_what_is_no_allowance_is_refused(tmp_path: Path, characters: int, duration: str) -> None:
    with homes.memory(tmp_path) as memory, pytest.raises(InvalidInput):
        allowing.allow(memory, characters, duration)
