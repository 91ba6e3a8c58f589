"""The versions of a memory and the way back, without a command line."""

from pathlib import Path

import pytest
from tests.operations.homes import memory

from reverie.errors import InvalidInput, NotFound


def test_a_version_is_found_compared_and_redacted(tmp_path: Path):
    with memory(tmp_path) as opened:
        item = opened.remember("The till counts in cents", name="till").item
        opened.edit(item, item.memory.content.replace("cents", "euros"))
        found = opened.compare("till")
        assert (found.before and found.before.number, found.after.number) == (1, 2)
        assert "+The till counts in euros" in found.lines
        assert opened.find_version("till@1").number == 1
        assert opened.redact_version("till@1").redacted_at
        with pytest.raises(InvalidInput):
            opened.compare("till", "1", "2")
        with pytest.raises(NotFound):
            opened.find_version("till@7")
