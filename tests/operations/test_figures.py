"""What memory did and cost, without a command line."""

from pathlib import Path

from tests.operations.homes import memory

from reverie.engines.receipts import Receipt, Receipts
from reverie.memory import Memory
from reverie.operations import figures


def test_engines_and_costs_are_those_of_the_home(tmp_path: Path):
    with memory(tmp_path) as opened:
        assert [one.engine for one in figures.engines(opened)] == ["rules", "agent", "claude-code"]
        assert figures.costs(opened).receipts == []
        kept = Receipts(opened.config.home, opened.clock)
        for at, cost in (("2026-11-17T08:00:00.000Z", 0.5), ("2026-11-18T08:00:00.000Z", 0.25)):
            kept.add(Receipt(at, "claude-code", "learn", "s", cost))
        found = figures.costs(opened)
        assert (found.total_usd, found.today_usd) == (0.75, 0.25)
        assert figures.costs(opened, "2026-11-18").total_usd == 0.25


def test_what_helped_is_counted_per_month(read: Memory):
    found = figures.helped(read, project="app")
    assert [(one.month, one.turns) for one in found.periods] == [("2026-09", 2)]
    assert (found.stats.corrections, found.characters, found.tokens) == (0, 0, 0)
    assert figures.helped(read, since="2026-10-01").periods == []
