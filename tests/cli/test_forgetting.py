"""`decay`, `due` and `export --long-term` on the sample, through the command line."""

import json
from pathlib import Path

import pytest
from tests.commands import Answer

from reverie.asker import OWNER, Asker
from reverie.cli.root import run
from reverie.documents.long_term import tokens
from reverie.memory import Memory
from reverie.sample import NOW, place
from reverie.sessions.corrections import corrections
from reverie.store.model import Actor, Author


@pytest.fixture
def reverie(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("REVERIE_NOW", NOW)
    return answer


@pytest.fixture
def home(isolated_home: Path, reverie: Answer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample, learned, and what agents noted: nobody has to stand for that."""
    root = place(isolated_home)
    monkeypatch.chdir(root / "shop-api")
    reverie("learn")
    agent_notes("The stock table is copied every night")
    agent_notes("Invoices are numbered by the accounting office")
    agent_notes("Feeds of the two largest suppliers come as XML", root / "feed-loader")
    return isolated_home / ".reverie"


@pytest.fixture
def by_calendar(home: Path) -> None:
    (home / "config.toml").write_text('[forget]\nclock = "calendar"\n', encoding="utf-8")


def names(reverie: Answer, *options: str) -> set[str]:
    return {one["name"] for one in reverie("memories", "--json", *options)}


@pytest.mark.proves("B8")
@pytest.mark.usefixtures("by_calendar")
def test_a_dry_run_says_what_would_go_and_changes_nothing(home: Path, reverie: Answer) -> None:
    before = names(reverie)
    assert before
    plan = reverie("decay", "--dry-run", "--json", now="2026-08-01T08:00:00Z")
    assert plan["counts"]["archive"] == 8
    assert not any(step["done"] for step in plan["steps"])
    assert names(reverie) == before
    assert not (home / "audit.jsonl").exists()


@pytest.mark.proves("B8", "E3")
@pytest.mark.usefixtures("by_calendar")
def test_decay_moves_what_is_old_and_logs_the_rates_it_applied(home: Path, reverie: Answer) -> None:
    report = reverie("decay", "--json", now="2026-08-01T08:00:00Z")
    archived = [step for step in report["steps"] if step["deed"] == "archive"]
    # The rules that were said outright stay, in whichever store.
    assert {step["store"] for step in archived} == {"feed-loader", "shop-api"}
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


@pytest.mark.proves("B8")
def test_five_weeks_away_cost_nothing(home: Path, reverie: Answer) -> None:
    before = names(reverie, "--all")
    report = reverie("decay", "--json", now="2026-04-20T08:00:00Z")
    assert report["counts"]["archive"] == report["counts"]["prune"] == 0
    assert report["next_leaves_in"] == 31
    assert names(reverie, "--all") == before


@pytest.mark.proves("B8")
@pytest.mark.usefixtures("by_calendar")
def test_undo_brings_back_what_the_last_run_archived(home: Path, reverie: Answer) -> None:
    before = names(reverie, "--all")
    reverie("decay", now="2026-08-01T08:00:00Z")
    assert names(reverie, "--all") < before
    back = reverie("decay", "--undo", "--json", now="2026-08-02T08:00:00Z")
    assert len(back) == 8
    assert names(reverie, "--all") == before
    # It was in a person's hands: the next run lets it be.
    assert reverie("decay", "--json", now="2026-08-03T08:00:00Z")["steps"] == []
    assert run(["decay", "--undo"]) == 2


def test_a_terminal_is_asked_once_it_is_more_than_a_few(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(6):
        agent_notes(f"The shelf {number} holds parcels of sort {number}")
    (home / "config.toml").write_text('[forget]\nclock = "calendar"\n', encoding="utf-8")
    monkeypatch.setenv("REVERIE_NOW", "2026-08-01T08:00:00Z")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    asked: list[str] = []

    def answer(reply: bool) -> None:
        def confirm(question: str, **_: object) -> bool:
            asked.append(question)
            return reply

        monkeypatch.setattr("click.confirm", confirm)

    answer(False)
    assert run(["decay"]) == 0
    assert asked == ["Archive 14 memories?"]
    said = capsys.readouterr()
    assert "shelf" in said.out
    assert "would change" in said.err
    answer(True)
    assert run(["decay"]) == 0
    assert len(asked) == 2
    assert "would change" not in capsys.readouterr().err
    assert run(["decay", "--undo"]) == 0
    monkeypatch.setenv("REVERIE_NOW", "2026-12-01T08:00:00Z")
    assert run(["decay", "--yes"]) == 0
    assert len(asked) == 2


def agent_notes(text: str, folder: Path | None = None) -> None:
    with Memory.open(asker=Asker("mcp", "claude-code:s9"), folder=folder) as memory:
        memory.remember(text)


def offered(offer: str) -> bool:
    with Memory.open(asker=OWNER) as memory:
        return any(offer in step for step in memory.status().next)


@pytest.mark.proves("B8")
def test_whoever_upgrades_is_told_once_what_the_calendar_took(home: Path, reverie: Answer) -> None:
    with Memory.open(asker=OWNER) as memory:
        (item, *_) = memory.memories()
        old = f"decayed from {item.store}:{item.memory.path}: dated 2026-03-01, nothing in 31 days"
        memory.library.archive(item, Author(Actor("dream", "decay"), old, item.memory.trust))
    offer = "`reverie decay --undo --by-calendar` brings back 1 memory"
    assert offered(offer)
    assert offer in reverie("decay")
    assert offer not in reverie("decay")
    assert not offered(offer)
    back = reverie("decay", "--undo", "--by-calendar", "--json")
    assert [one["name"] for one in back] == [item.name]
    assert run(["decay", "--undo", "--by-calendar"]) == run(["decay", "--by-calendar"]) == 2


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


@pytest.mark.proves("E3")
def test_decay_leaves_every_stored_score_as_it_was(home: Path, reverie: Answer) -> None:
    with Memory.open() as memory:
        before = corrections(memory.index.database)
    assert before
    reverie("decay", "--json", now="2026-08-01T08:00:00Z")
    with Memory.open() as memory:
        assert corrections(memory.index.database) == before


@pytest.mark.proves("B8", "B6")
def test_memories_of_an_imported_project_without_sessions_age_too_and_keep_their_section(
    isolated_home: Path, reverie: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "memory"
    (old / "project-memory").mkdir(parents=True)
    (old / "global-long-term-memory.md").write_text("# Global\n", encoding="utf-8")
    (old / "project-memory/press-long-term-memory.md").write_text(
        "# Press\n\n## Data Quirks\n"
        "- **Ink** [press/data-quirk] (2026-01-09): the ink table counts barrels, not litres\n",
        encoding="utf-8",
    )
    reverie("import", str(old), now="2026-02-01T08:00:00Z")
    page = reverie("export", "--long-term", "--scope", "press")
    assert "## Data Quirks\n\n- **Ink** [press/data-quirk]" in page
    monkeypatch.chdir(place(isolated_home) / "shop-api")
    reverie("learn", now=NOW)
    # The days of the other projects are what passes for one that nobody works on here.
    (isolated_home / ".reverie/config.toml").write_text(
        "[forget]\narchive_after_days = 3\n", encoding="utf-8"
    )
    steps = reverie("decay", "--json")["steps"]
    assert [one["name"] for one in steps if one["deed"] == "archive" and one["store"] == "press"]


@pytest.mark.proves("B6")
def test_the_long_term_page_has_every_section_and_stays_small(home: Path, reverie: Answer) -> None:
    page = reverie("export", "--long-term", "--json")
    assert page["scope"] == "shop-api"
    assert page["tokens"] == tokens(page["text"]) <= 10_000
    for heading in ("Pinned", "Error Patterns", "Best Practices", "Data Quirks", "Key Decisions"):
        assert f"## {heading}\n" in page["text"]
    assert page["text"].endswith("*Last synthesized: never*\n")
    shared = reverie("export", "--long-term", "--scope", "global")
    assert "## About Me" in shared
    reverie("dream")
    after = reverie("export", "--long-term", "--json")
    assert after["text"].endswith(f"*Last synthesized: {after['synthesized'][:10]}*\n")
    assert after["synthesized"][:4] == "2026"
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
