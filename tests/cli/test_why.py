"""`why`, `costs` and `engines`: where things come from and what they cost."""

import json
from pathlib import Path

import pytest
from tests.commands import Command
from tests.connect.logs import write_log

from reverie.clock import system_clock
from reverie.engines.receipts import Receipt, Receipts

RULE = "No. From now on always run make lint before you commit anything."


@pytest.fixture
def reverie(shop: Path, command: Command) -> Command:
    return command


@pytest.fixture
def learned(reverie: Command, tmp_path: Path) -> str:
    """The name of a memory that was learned from a session."""
    write_log(
        tmp_path / "logs",
        "one",
        tmp_path / "shop",
        ("user", "Please fix the check."),
        ("assistant", "Fixed, and committed without the linter."),
        ("user", RULE),
    )
    assert reverie("learn", "--logs", str(tmp_path / "logs"))[0] == 0
    (memory,) = json.loads(reverie("memories", "--json")[1])
    return memory["name"]


def test_why_tells_words_session_date_versions_and_recalls(reverie: Command, learned: str) -> None:
    assert reverie("recall", "lint before commit")[0] == 0
    code, text, _ = reverie("why", learned)
    assert code == 0
    assert "claude-code:one#2  2026-11-10  user" in text
    assert "always run make lint before you commit" in text
    assert "v1 created" in text
    assert "recalled 1 times" in text


def test_a_verdict_is_counted_and_leaves_the_trust_as_it_was(
    reverie: Command, learned: str
) -> None:
    reverie("why", learned, "--helpful")
    reverie("why", learned, "--helpful")
    reverie("why", learned, "--harmful")
    found = json.loads(reverie("why", learned, "--json")[1])
    assert (found["helpful"], found["harmful"], found["trust"]) == (2, 1, "user")
    assert [version["reason"] for version in found["versions"]][:2] == [
        "found harmful",
        "found helpful",
    ]
    assert found["quotes"][0]["at"].startswith("2026-11-10")


def test_a_verdict_moves_a_memory_in_recall(reverie: Command) -> None:
    said = {
        "waits": "The importer waits for the nightly ledger, because the vendor closes at ten",
        "twice": "The importer bills an order of the nightly ledger twice when it is retried",
    }
    for name, text in said.items():
        assert reverie("remember", text, "--name", name, "--type", "project")[0] == 0

    def order() -> list[str]:
        entries = json.loads(reverie("recall", "importer nightly ledger", "--json")[1])["entries"]
        return [entry["id"] for entry in entries]

    first, second = order()
    for _ in range(3):
        reverie("why", first, "--harmful")
    assert order()[0] == second


def test_why_of_what_is_not_there_is_an_error(reverie: Command) -> None:
    code, text, err = reverie("why", "nothing-of-that-name")
    assert (code, text) == (3, "")
    assert err.startswith("error: ")


@pytest.mark.proves("F7")
def test_costs_shows_receipts_and_what_is_left(reverie: Command, isolated_home: Path) -> None:
    receipts = Receipts(isolated_home / ".reverie", system_clock)
    receipts.add(Receipt(receipts.now(), "claude-code", "extract", "s1", 0.25, known=False))
    receipts.add(Receipt("2026-01-01T00:00:00.000Z", "claude-code", "extract", "s0", 0.5))
    found = json.loads(reverie("costs", "--json")[1])
    assert (found["total_usd"], found["today_usd"], len(found["receipts"])) == (0.75, 0.25, 2)
    _, text, err = reverie("costs", "--since", "1d")
    assert "0.2500 (at most)" in text
    assert "1 call, 0.25 USD; today 0.25 of 1.00" in err


def test_engines_says_what_is_there_and_what_it_costs(
    reverie: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = json.loads(reverie("engines", "--json")[1])
    assert [one["engine"] for one in found if one["available"]] == ["rules", "agent"]
    text = reverie("engines")[1]
    assert "rules (default)" in text and "ANTHROPIC_API_KEY" in text
