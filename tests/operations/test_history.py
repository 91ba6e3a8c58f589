"""The versions of a memory and the way back, without a command line."""

from pathlib import Path

import pytest
from tests.operations.homes import memory

from reverie.errors import InvalidInput, NotFound
from reverie.operations import editing, history


def test_a_version_is_found_compared_and_redacted(tmp_path: Path):
    with memory(tmp_path) as opened:
        item = opened.remember("The till counts in cents", name="till").item
        editing.edit(opened, item, item.memory.content.replace("cents", "euros"))
        found = history.compare(opened, "till")
        assert (found.before and found.before.number, found.after.number) == (1, 2)
        assert "+The till counts in euros" in found.lines
        assert history.find_version(opened, "till@1").number == 1
        assert history.redact_version(opened, "till@1").redacted_at
        with pytest.raises(InvalidInput):
            history.compare(opened, "till", "1", "2")
        with pytest.raises(NotFound):
            history.find_version(opened, "till@7")
