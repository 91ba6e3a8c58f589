"""Who can think, and what calls cost, without a command line."""

from pathlib import Path

import pytest
from tests.operations.homes import memory

from reverie.engines.receipts import Receipt, Receipts
from reverie.errors import InvalidInput
from reverie.operations.engines import catalog as engines


def test_each_engine_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with memory(tmp_path) as opened:
        found = {one.engine: one for one in engines.engines(opened)}
        assert list(found) == ["rules", "agent", "claude-code", "codex", "anthropic", "openai"]
        assert [name for name, one in found.items() if one.available] == ["rules", "agent"]
        assert found["rules"].default
        assert "not on the PATH" in found["claude-code"].how
        assert "ANTHROPIC_API_KEY" in found["anthropic"].how
        assert "engines.openai_model" in found["openai"].how
        with pytest.raises(InvalidInput, match="no engine 'gpt'"):
            engines.chosen(opened, "gpt")


def test_an_engine_that_is_ready_says_what_it_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-nothing")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
    monkeypatch.setenv("REVERIE_ENGINES_OPENAI_MODEL", "qwen3:8b")
    with memory(tmp_path) as opened:
        found = {one.engine: one for one in engines.engines(opened)}
    assert found["anthropic"].costs.startswith("2 in, 10 out a million tokens")
    assert found["openai"].costs == "nothing: on this machine"
    assert "sk-test" not in str(found)


def test_costs_are_those_of_the_home_by_day_engine_and_model(tmp_path: Path) -> None:
    with memory(tmp_path) as opened:
        assert engines.costs(opened).receipts == []
        kept = Receipts(opened.config.home, opened.clock)
        for at, cost in (("2026-11-17T08:00:00.000Z", 0.5), ("2026-11-18T08:00:00.000Z", 0.25)):
            kept.add(Receipt(at, "claude-code", "session", "s t", cost))
        kept.add(Receipt("2026-11-18T09:00:00.000Z", "claude-code", "session", "s", 0.25))
        found = engines.costs(opened)
        assert (found.total_usd, found.today.usd, found.today.sessions) == (1.0, 0.5, {"s", "t"})
        assert [(day.day, day.calls, day.usd) for day in found.days] == [
            ("2026-11-17", 1, 0.5),
            ("2026-11-18", 2, 0.5),
        ]
        assert engines.costs(opened, "2026-11-18").total_usd == 0.5
