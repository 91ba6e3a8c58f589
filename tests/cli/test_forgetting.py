"""`decay`, `due` and `export --long-term` on the sample, through the command line."""

import json
from pathlib import Path

import pytest
from tests.commands import Answer

from reverie.cli.root import run
from reverie.documents.long_term import tokens
from reverie.sample import NOW, place


@pytest.fixture
def reverie(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("REVERIE_NOW", NOW)
    return answer


@pytest.fixture
def home(isolated_home: Path, reverie: Answer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample, learned."""
    monkeypatch.chdir(place(isolated_home) / "shop-api")
    reverie("learn")
    return isolated_home / ".reverie"


def names(reverie: Answer, *options: str) -> set[str]:
    return {one["name"] for one in reverie("memories", "--json", *options)}


@pytest.mark.proves("B8")
def test_a_dry_run_says_what_would_go_and_changes_nothing(home: Path, reverie: Answer) -> None:
    before = names(reverie)
    assert before
    plan = reverie("decay", "--dry-run", "--json", now="2026-08-01T08:00:00Z")
    assert plan["counts"]["archive"] > 0
    assert not any(step["done"] for step in plan["steps"])
    assert names(reverie) == before
    assert not (home / "audit.jsonl").exists()


@pytest.mark.proves("B8", "E3")
def test_decay_moves_what_is_old_and_logs_the_rates_it_applied(home: Path, reverie: Answer) -> None:
    report = reverie("decay", "--json", now="2026-08-01T08:00:00Z")
    archived = [step for step in report["steps"] if step["deed"] == "archive"]
    assert {step["store"] for step in archived} == {"feed-loader", "global", "shop-api"}
    gone = {step["name"] for step in archived if step["store"] == "shop-api"}
    assert names(reverie).isdisjoint(gone)
    assert gone <= names(reverie, "--archived")
    shown = reverie("decay", "--archive", "--json")
    assert {one["day"] for one in shown} == {"2026-08-01"}
    assert all(one["source"].endswith(f":/{one['name']}.md") for one in shown)
    assert "## Archived 2026-08-01" in reverie("decay", "--archive")
    line = json.loads((home / "audit.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert line["event"] == "decay"
    assert line["rates"]["after_days"] == {"1": 0.9057, "7": 0.5, "30": 0.0513}
    assert line["rates"]["corrections"] > 0
    assert reverie("decay", "--json")["steps"] == []


def test_the_words_for_a_person_name_the_rates(home: Path, reverie: Answer) -> None:
    told = reverie("decay", "--dry-run")
    assert "0.91 after 1 d, 0.50 after 7 d, 0.05 after 30 d" in told


@pytest.mark.proves("B13")
def test_due_leaves_a_reminder_for_the_next_session_only_when_it_is_due(
    home: Path, reverie: Answer
) -> None:
    found = reverie("due", "--json")
    assert found["due"]
    assert found["last_dream"] is None
    assert (home / "due").read_text(encoding="utf-8") == found["sentence"]
    assert "dream is due" in reverie("due")
    reverie("dream")
    assert not reverie("due", "--json")["due"]
    assert not (home / "due").exists()
    assert "no dream is due" in reverie("dream", "--if-due")


@pytest.mark.proves("B6")
def test_the_long_term_page_has_every_section_and_stays_small(home: Path, reverie: Answer) -> None:
    page = reverie("export", "--long-term", "--json")
    assert page["scope"] == "shop-api"
    assert page["tokens"] == tokens(page["text"]) <= 10_000
    for heading in ("Pinned", "Error Patterns", "Best Practices", "Data Quirks", "Key Decisions"):
        assert f"## {heading}\n" in page["text"]
    shared = reverie("export", "--long-term", "--scope", "global")
    assert "## About Me" in shared
    assert run(["export"]) == 2


@pytest.mark.proves("B6")
def test_a_project_without_memories_gets_the_template(
    home: Path, reverie: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    (empty / ".git").mkdir(parents=True)
    (empty / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(empty)
    target = tmp_path / "page.md"
    reverie("export", "--long-term", "--output", str(target))
    text = target.read_text(encoding="utf-8")
    assert text.startswith("# Long-term memory: ")
    assert [line for line in text.splitlines() if line.startswith("- ")] == []
    assert "## Useful Commands" in text
