"""The user's profile: current by itself, and the same said twice told once."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sessions.logs import call, claude, prompt, reply, result, written

from reverie.clock import fixed
from reverie.documents.document import Document
from reverie.learn.profile import current_projects, environment, merged
from reverie.memory import Memory
from reverie.operations.transfer import long_term

LATER = "2027-06-01T09:00:00Z"


@pytest.fixture
def home(tmp_path: Path) -> Memory:
    """A home that learned two sessions in one project."""
    work = tmp_path / "home" / "shop"
    work.mkdir(parents=True)
    for number in (1, 2):
        log = claude(
            prompt(f"Please add column {number} to the invoice export"),
            call("Bash", "t1", command="cd src && pnpm test"),
            result("t1", "3 passed"),
            call("Bash", "t2", command=f"echo done && cargo check -p part{number}"),
            result("t2", "Finished"),
            reply("The export has the column now."),
        )
        session = f"11111111-2222-4333-8444-00000000000{number}"
        for line in log:
            day = line["timestamp"].replace("-01T", f"-0{number}T")
            line |= {"cwd": str(work), "sessionId": session, "timestamp": day}
        written(tmp_path / "logs", log, f"{session}.jsonl")
    memory = Memory.open(tmp_path / "reverie", folder=work, clock=fixed(LATER))
    memory.learn(tmp_path / "logs")
    return memory


@pytest.mark.proves("B10")
def test_projects_and_environment_come_from_the_sessions(home: Memory) -> None:
    (project,) = current_projects(home.index.database, datetime(2027, 6, 1, tzinfo=UTC))
    assert project.startswith("- **shop** (2 sessions, last on ")
    assert "column 2 to the invoice export" in project
    told = "\n".join(environment(home.index.database))
    assert "cargo (2)" in told and "pnpm (2)" in told
    assert "echo" not in told and "cd" not in told
    assert "- Agents: claude-code" in told


@pytest.mark.proves("B10")
def test_the_page_of_all_projects_has_them_and_a_projects_page_has_not(home: Memory) -> None:
    page = long_term(home, "global").text
    projects = page.partition("## Current Projects")[2].partition("##")[0]
    assert "**shop**" in projects
    assert "Tools: " in page.partition("## Technical Environment")[2].partition("##")[0]
    assert "Tools: " not in long_term(home, "shop").text


def test_only_projects_of_the_last_weeks_are_current(home: Memory) -> None:
    database = home.index.database
    ((last,),) = database.query("SELECT max(ended) FROM sessions")
    with home.index.atomic():
        database.query(
            "INSERT INTO sessions (agent, session_id, path, project, cwd, branch, remote, title,"
            " version, parent, subagent, key, started, ended, turns, human_turns) VALUES"
            " ('codex', 'x', '', 'old', '', '', '', '', '', '', 0, 'codex:x', '', ?, 1, 1)",
            ("2020-01-01T00:00:00Z",),
        )
    soon = datetime.fromisoformat(last)
    assert [line.split("**")[1] for line in current_projects(database, soon)] == ["shop"]


@pytest.mark.proves("B10")
def test_what_a_person_says_of_themselves_again_is_told_once_and_the_latest_way() -> None:
    def said(name: str, text: str, day: str, section: str = "preferences") -> Document:
        return Document(
            name=name, description=text, type="user", section=section, created=day,
            evidence=(f"claude-code:{name}#1",),
        )  # fmt: skip

    found = merged(
        [
            said("short", "I prefer short answers.", "2026-11-01"),
            said("brief", "I prefer short answers", "2026-11-09"),
            said("long", "I prefer long answers.", "2026-11-03"),
            said("me", "I am a data engineer.", "2026-11-02", "about-me"),
        ]
    )
    assert [one.name for one in found] == ["brief", "long", "me"]
    assert found[0].support == 2
