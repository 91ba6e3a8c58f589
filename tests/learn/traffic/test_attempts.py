"""Which files a call of an editing tool names, however the agent calls them."""

from typing import Any

import pytest

from reverie.learn.traffic.attempts import Made, attempts, files_of
from reverie.sessions.model import Tool, Turn

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


def test_attempts_that_were_made_for_a_task_are_not_made_again_for_the_session() -> None:
    turns = [
        Turn(
            role="agent", kind="tool_call", text="", at="", line=0, offset=0,
            tool=Tool("Bash", "a", {"command": "make test"}),
        ),
        Turn(
            role="tool", kind="tool_result", text="2 passed", at="", line=1, offset=9,
            tool=Tool("Bash", "a", {}, ok=True),
        ),
    ]  # fmt: skip
    made: Made = {}
    (of_task,) = attempts(turns, 0, 2, made)
    (of_session,) = attempts(turns, made=made)
    assert of_session is of_task
    # Cut between call and result, it is another attempt.
    assert attempts(turns, 0, 1, made)[0].result == "unknown"
