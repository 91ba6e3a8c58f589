"""A dream that a model reads along with, and the model that goes away in the middle."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.commands import repository
from tests.dream.desks import GOLDEN, NOW, write_session
from tests.engines.server import CUT, GARBAGE, SLOW, Reply, Server, serving

from reverie.asker import OWNER
from reverie.engines.receipts import Receipts
from reverie.errors import Refused, Unavailable
from reverie.memory import Memory
from reverie.operations.dreaming import Thinker
from reverie.operations.engines import catalog

NOTHING = Reply(text=json.dumps({"patterns": []}))
GONE = Reply(status=529, headers=(("retry-after", "3600"),))


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def memory(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Sessions that are several pieces for a model."""
    monkeypatch.setattr("reverie.dream.proposals.material.PORTION", 300)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    root = repository(tmp_path / "shop")
    for number, turns in enumerate(GOLDEN, 1):
        write_session(tmp_path / "logs", f"s{number}", root, number, turns)
    environ = {
        "HOME": str(tmp_path),
        "REVERIE_HOME": str(tmp_path / "home"),
        "REVERIE_ENGINES_OPENAI_MODEL": "m",
        "REVERIE_ENGINES_OPENAI_BASE_URL": f"{server.url}/v1",
        "REVERIE_ENGINES_TIMEOUT_SECONDS": "1",
    }
    with Memory.open(
        folder=tmp_path / "shop", asker=OWNER, environ=environ, clock=lambda: NOW
    ) as opened:
        opened.learn(tmp_path / "logs", jobs=1)
        yield opened


def state(memory: Memory) -> list[tuple[str, str]]:
    heads = [
        (f"{info.name}{one.path}", one.version_id)
        for info in memory.store.stores()
        for one in memory.store.walk(info.id)
    ]
    return sorted(heads) + [("proposal", one.id) for one in memory.proposals.all()]


def prompts(server: Server) -> list[str]:
    return [json.dumps(request["messages"]) for request in server.requests]


@pytest.mark.hostile("R5")
@pytest.mark.parametrize(
    "failure", [GONE, SLOW, CUT, GARBAGE], ids=["529", "slow", "cut", "garbage"]
)
def test_a_dream_whose_model_goes_away_changes_nothing_and_the_next_asks_only_for_the_rest(
    memory: Memory, server: Server, failure: Reply
) -> None:
    thinker = Thinker(catalog.chosen(memory, "openai"), must=True)
    before = state(memory)
    server.plan = [NOTHING, failure, failure, failure]
    with pytest.raises(Unavailable):
        memory.dream(thinker=thinker, jobs=1)
    assert state(memory) == before
    answered, failed = prompts(server)[0], prompts(server)[1]
    first = len(server.requests)
    server.plan = [NOTHING] * 9
    memory.dream(thinker=thinker, jobs=1)
    rest = prompts(server)[first:]
    assert failed in rest and answered not in rest
    assert len(list(Receipts(memory.config.home, memory.clock).all())) == len(server.requests)
    memory.dream(thinker=thinker, jobs=1)
    assert len(server.requests) == first + len(rest)


@pytest.mark.hostile("R5")
def test_the_piece_beyond_a_cap_is_never_sent_and_there_is_no_dream_in_part(
    memory: Memory, server: Server
) -> None:
    engines = replace(memory.settings.engines, max_sessions_per_day=1, max_tokens_per_run=1)
    memory.config = replace(memory.config, settings=replace(memory.settings, engines=engines))
    before = state(memory)
    with pytest.raises(Refused):
        memory.dream(thinker=Thinker(catalog.chosen(memory, "openai"), must=True), jobs=1)
    assert (state(memory), server.requests) == (before, [])
