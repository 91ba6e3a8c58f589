"""Which files a call of an editing tool names, however the agent calls them."""

from typing import Any

import pytest

from reverie.learn.traffic.attempts import files_of
from reverie.sessions.model import Tool

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-1\n+2\n*** Add File: b.md\n+x\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"file_path": "src/a.py", "new_string": "x"}, ["src/a.py"]),
        ({"filePath": "src/a.py"}, ["src/a.py"]),
        ({"absolute_path": "/w/app/a.py"}, ["/w/app/a.py"]),
        ({"input": PATCH}, ["src/a.py", "b.md"]),
        ({"patchText": PATCH}, ["src/a.py", "b.md"]),
        ({"text": "a *** Add File: in the middle"}, []),
        ({"path": 7}, []),
    ],
)
def test_the_files_of_an_edit_are_known(given: dict[str, Any], expected: list[str]) -> None:
    assert files_of(Tool("edit", "call", given)) == expected
