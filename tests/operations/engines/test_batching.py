"""Batches: sent together at half the price, held for a day, and fetched by whoever comes next."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.connect.logs import LOGS, write_log
from tests.engines.server import OVERLOADED, PROSE, SLOW, Server, serving

from reverie.asker import OWNER
from reverie.engines.receipts import Receipts
from reverie.errors import NotFound, Refused, Unavailable
from reverie.memory import Memory
from reverie.operations.engines import batching, thinking
from reverie.operations.engines import catalog as engines


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


@pytest.fixture
def logs(isolated_home: Path, tmp_path: Path) -> None:
    for number in range(3):
        project = tmp_path / f"project-{number}"
        (project / ".git").mkdir(parents=True)
        said = f"Small commits in part {number}, please, one for each change."
        turns = [("user", "Mend it."), ("assistant", "Mended."), ("user", said)]
        write_log(isolated_home / LOGS, f"s{number}", project, *turns)


class Side:
    """One process that sends or fetches."""

    def __init__(self, server: Server, **settings: Any) -> None:
        env = {**os.environ, "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k-1234567"}
        env |= {f"REVERIE_ENGINES_{k}".upper(): str(v) for k, v in settings.items()}
        self.memory = Memory.open(asker=OWNER, environ=env)
        self.memory.learn()
        self.engine = engines.chosen(self.memory, "anthropic")
        self.asked = thinking.wanted(self.memory, everything=True)

    def __enter__(self) -> "Side":
        return self

    def __exit__(self, *_: object) -> None:
        self.memory.close()

    def send(self) -> batching.Sent:
        return batching.send(self.memory, self.engine, self.asked)

    def fetch(self) -> list[thinking.Thought] | None:
        found = batching.fetch(self.memory, self.engine)
        return None if found is None else list(found)

    def receipts(self) -> list[Any]:
        return list(Receipts(self.memory.config.home, self.memory.clock).all())


@pytest.mark.proves("F7")
def test_pieces_go_out_together_and_another_process_takes_the_answers(
    server: Server, logs: None
) -> None:
    with Side(server) as one:
        sent = one.send()
        assert sent.pieces == len(server.batches[sent.id]) == 3
        assert thinking.estimate(one.memory, one.engine, one.asked).pieces == 0, "they are held"
        with pytest.raises(Refused, match="is out"):
            one.send()
    with Side(server) as other:
        assert other.fetch() is None, "not yet answered"
        server.answered = True
        thoughts = other.fetch()
        assert thoughts is not None
        assert [len(one.taken.lessons) for one in thoughts if one.taken] == [1, 1, 1]
        assert batching.out(other.memory) == []
        with pytest.raises(NotFound):
            other.fetch()
        (first, *_) = other.receipts()
        price = other.engine.price
        assert price is not None
        whole = (120 * price.input + 30 * price.output + 50 * price.cache_read
                 + 10 * price.cache_created) / 1_000_000  # fmt: skip
        assert first.cost_usd == pytest.approx(whole / 2)
        assert {one.outcome for one in other.receipts()} == {"taken"}


def test_what_was_not_answered_or_not_taken_waits_for_the_next_run(
    server: Server, logs: None
) -> None:
    with Side(server) as one:
        one.send()
        server.answered = True
        server.plan = [SLOW, PROSE]
        thoughts = one.fetch()
        assert thoughts is not None
        assert sum(one.error is not None for one in thoughts) == 2
        assert len(list(thinking.taken_tasks(one.memory, one.asked))) == 2


@pytest.mark.proves("F7")
def test_a_cap_lets_only_as_many_out_as_it_allows(server: Server, logs: None) -> None:
    with Side(server, max_sessions_per_day=2) as one:
        assert one.send().pieces == 2
        assert len(server.batches["msgbatch_0"]) == 2
    with Side(server, max_sessions_per_day=0) as none, pytest.raises(Refused):
        server.answered = True
        none.fetch()
        none.send()


def test_a_batch_that_was_not_taken_leaves_its_pieces_free(server: Server, logs: None) -> None:
    with Side(server) as one:
        server.plan = [OVERLOADED]
        with pytest.raises(Unavailable, match="529"):
            one.send()
        assert batching.out(one.memory) == []
        assert sum(receipt.cost_usd for receipt in one.receipts()) == 0
        assert one.send().pieces == 3


def test_an_engine_without_batches_says_so(server: Server, logs: None) -> None:
    with Side(server, openai_model="m", openai_base_url=f"{server.url}/v1") as one:
        other = engines.chosen(one.memory, "openai")
        with pytest.raises(Unavailable, match="takes no batches"):
            batching.send(one.memory, other, one.asked)


def test_the_same_command_sends_and_later_fetches(
    server: Server, logs: None, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k-1234567")
    assert command("learn").code == 0
    asked = ("learn", "--engine", "anthropic", "--all", "--batch", "--yes")
    assert "sent 3 pieces as msgbatch_0" in command(*asked).err
    assert "not answered yet: 3 pieces are out" in command(*asked).err
    server.answered = True
    assert "3 pieces done" in command(*asked).err
