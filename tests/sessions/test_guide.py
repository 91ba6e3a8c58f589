"""The reader in docs/guides/add-an-agent.md is one that works."""

import json
import re
import types
from pathlib import Path
from typing import Any

import pytest

from reverie.sessions.logs.transcript import Resume

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "add-an-agent.md"


@pytest.fixture(scope="module")
def example() -> Any:
    """The module of the guide, as if it lay beside the others."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    module = types.ModuleType("example")
    exec(compile(blocks[0], str(GUIDE), "exec"), module.__dict__)
    return module


def _line(role: str, text: str, minute: int) -> bytes:
    record = {
        "session": "a1",
        "time": f"2026-11-02T09:{minute:02}:00Z",
        "role": role,
        "text": text,
        "cwd": "/srv/shop",
    }
    return json.dumps(record).encode() + b"\n"


def test_it_finds_recognises_and_reads_a_log(example: Any, tmp_path: Path):
    log = tmp_path / ".example" / "logs" / "a1.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(_line("user", "run the tests", 12) + _line("assistant", "They pass.", 13))
    reader = example.Example()
    (root,) = reader.roots({"HOME": str(tmp_path)})
    assert list(reader.candidates(root)) == [log]
    assert reader.recognises(log, log.read_bytes())
    transcript = reader.open(log)
    assert [(turn.role, turn.text) for turn in transcript.read()] == [
        ("human", "run the tests"),
        ("agent", "They pass."),
    ]
    head = transcript.head
    assert (head.agent, head.session_id, head.cwd) == ("example", "a1", "/srv/shop")
    assert (head.started[11:16], head.ended[11:16]) == ("09:12", "09:13")


def test_it_goes_on_where_it_stopped_and_counts_what_is_damaged(example: Any, tmp_path: Path):
    log = tmp_path / "a1.jsonl"
    log.write_bytes(_line("user", "run the tests", 12))
    first = example.Example().open(log)
    first.read()
    log.write_bytes(log.read_bytes() + b'{"session": nonsense\n' + _line("user", "and lint", 14))
    state = json.loads(json.dumps(first.resume.to_json()))
    second = example.Example().open(log, Resume.from_json(state))
    assert [turn.text for turn in second.read()] == ["and lint"]
    assert second.damage.bad_lines == 1
    assert second.head.started[11:16] == "09:12"
