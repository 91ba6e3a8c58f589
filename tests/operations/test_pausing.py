"""A pause: how long it lasts, and that it holds tools back as well."""

from datetime import timedelta
from pathlib import Path

import pytest

from reverie import OWNER, Memory
from reverie.asker import Asker
from reverie.clock import fixed, parse_iso
from reverie.errors import InvalidInput, Refused
from reverie.operations import pausing
from reverie.serve.schema import INSTRUCTIONS
from reverie.serve.tools import Tools

NOW = "2026-11-10T09:00:00Z"


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path / "home", folder=tmp_path, asker=OWNER, clock=fixed(NOW)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("given", "length"),
    [
        ("30m", timedelta(minutes=30)),
        ("2h", timedelta(hours=2)),
        (" 1 D ", timedelta(days=1)),
        ("1w", timedelta(weeks=1)),
    ],
)
def test_a_pause_ends_by_itself(given: str, length: timedelta, memory: Memory) -> None:
    end = parse_iso(NOW) + length
    assert pausing.pause(memory, given) == pausing.paused(memory) == end
    memory.clock = lambda: end
    assert pausing.paused(memory) is None


def test_a_pause_without_an_end_lasts_until_it_is_ended(memory: Memory) -> None:
    assert not pausing.resume(memory)
    assert pausing.pause(memory) == pausing.paused(memory) == pausing.FOR_GOOD
    assert pausing.resume(memory)
    assert pausing.paused(memory) is None


@pytest.mark.parametrize("given", ["soon", "0h", "-1h", "2 hours", "1y", "9999999h"])
def test_what_is_no_duration_pauses_nothing(given: str, memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        pausing.pause(memory, given)
    assert pausing.paused(memory) is None


@pytest.mark.proves("D11")
def test_while_paused_tools_hand_nothing_over_and_keep_nothing(memory: Memory) -> None:
    memory.remember("The till counts in cents", scope="global")
    pausing.pause(memory)
    with memory.at(asker=Asker("mcp", agent="codex")) as agent:
        tools = Tools(agent, opening=lambda: "a line of the digest")
        assert tools.instructions == INSTRUCTIONS
        for name, given in (("recall", {"query": "till"}), ("remember", {"text": "A fact"})):
            with pytest.raises(Refused):
                tools.call(name, given)
        pausing.resume(memory)
        assert "a line of the digest" in tools.instructions
        assert "cents" in tools.call("recall", {"query": "what does the till count in"})
