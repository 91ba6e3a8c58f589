"""The commands of sessions, projects, reindex, as a user runs them."""

import contextlib
import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.sessions.worklogs import lines, write

from reverie.cli.options import day_of, end_of, start_of
from reverie.cli.root import root, run
from reverie.clock import parse_iso, system_clock
from reverie.errors import InvalidInput
from reverie.store.model import Actor, Author
from reverie.store.store import Store

TALK = (("you", "use tabs here"), ("agent", "I will use spaces"), ("you", "no, tabs please"))
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def claude(isolated_home: Path) -> Path:
    """Two sessions of two projects on two days, where Claude Code puts them."""
    folder = isolated_home / ".claude" / "projects"
    write(folder / "-w-app" / "aaaa-1.jsonl", lines("aaaa-1", *TALK))
    other = (("you", "rename the printer"), ("error", "Exit code 2\nprinter: not found"))
    write(folder / "-w-tool" / "bbbb-2.jsonl", lines("bbbb-2", *other, cwd="/w/tool", day=1))
    return folder


def reverie(*arguments: str) -> Result:
    result = CliRunner().invoke(root, arguments, prog_name="reverie")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def data(*arguments: str) -> Any:
    return json.loads(reverie(*arguments, "--json").stdout)


@pytest.mark.proves("B1")
def test_sessions_are_listed_newest_first(claude: Path) -> None:
    shown = reverie("sessions", "list").stdout.splitlines()
    assert [line.split()[3] for line in shown[1:]] == ["tool", "app"]
    assert "use tabs here" in shown[2]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], ["bbbb-2", "aaaa-1"]),
        (["--project", "app"], ["aaaa-1"]),
        (["--agent", "codex"], []),
        (["--since", "2026-09-02"], ["bbbb-2"]),
        (["--until", "2026-09-01"], ["aaaa-1"]),
        (["--limit", "1"], ["bbbb-2"]),
    ],
)
def test_a_list_can_be_narrowed(claude: Path, options: list[str], expected: list[str]) -> None:
    assert [row["session_id"] for row in data("sessions", "list", *options)] == expected


def test_a_session_is_shown_with_the_persons_words_marked(claude: Path) -> None:
    shown = reverie("sessions", "show", "aaaa").stdout
    assert "\n> use tabs here\n" in shown
    assert "\nI will use spaces\n" in shown
    assert [line for line in shown.splitlines() if line.startswith(">")] == [
        "> use tabs here",
        "> no, tabs please",
    ]
    turns = data("sessions", "show", "aaaa", "--human", "--line", "1")["turns"]
    assert [turn["text"] for turn in turns] == ["no, tabs please"]


def test_a_failed_tool_is_shown_and_found(claude: Path) -> None:
    assert "printer: not found" in reverie("sessions", "show", "bbbb").stdout
    (hit,) = data("sessions", "search", "not", "found")
    assert (hit["role"], hit["line"], hit["at"][:10]) == ("tool", 1, "2026-09-02")


def test_search_prints_snippet_session_and_date(claude: Path) -> None:
    shown = reverie("sessions", "search", "tabs please").stdout
    assert "2026-09-01 10:00  app  claude-code:aaaa-1#2" in shown
    assert "you: no, tabs please" in shown
    assert data("sessions", "search", "tabs", "--project", "tool") == []
    assert reverie("sessions", "search", "((((").exit_code == 0


def test_stored_text_cannot_speak_to_the_terminal(isolated_home: Path) -> None:
    write(
        isolated_home / ".claude/projects/x/a.jsonl", lines("a", ("you", "\x1b]0;pwned\x07 hello"))
    )
    for command in (["show", "a"], ["list"], ["search", "hello"], ["extract"]):
        shown = reverie("sessions", *command).stdout
        assert "hello" in shown
        assert "\x1b" not in shown
        assert "\x07" not in shown


@pytest.mark.proves("B1")
def test_turns_are_printed_for_machines_and_nothing_is_written(
    claude: Path, isolated_home: Path
) -> None:
    result = reverie("sessions", "turns", "--logs", str(claude), "--json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [list(record) for record in records] == [
        ["transcript", "agent", "session", "line", "turn", "at", "cwd", "text"]
    ] * 3
    assert records[0]["transcript"] == "-w-app/aaaa-1.jsonl"
    assert records[1]["text"] == "no, tabs please"
    assert not (isolated_home / ".reverie").exists()


@pytest.mark.proves("B1")
def test_days_are_pending_until_they_are_marked(claude: Path) -> None:
    assert [day["day"] for day in data("sessions", "pending")] == ["2026-09-01", "2026-09-02"]
    extracted = reverie("sessions", "extract", "2026-09-01", "--mark")
    assert "no, tabs please" in extracted.stdout
    assert "printer" not in extracted.stdout
    assert [day["day"] for day in data("sessions", "pending")] == ["2026-09-02"]
    assert reverie("reindex").exit_code == 0
    assert [day["day"] for day in data("sessions", "pending")] == ["2026-09-02"]
    write(
        claude / "-w-app/aaaa-1.jsonl", lines("aaaa-1", ("you", "and more"), begin=9), append=True
    )
    assert [day["day"] for day in data("sessions", "pending")] == ["2026-09-01", "2026-09-02"]


@pytest.mark.proves("B1")
def test_all_pending_days_are_extracted_as_text_or_json_to_a_file(
    claude: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.json"
    result = reverie("sessions", "extract", "--json", "--output", str(output), "--mark")
    assert result.stdout == ""
    assert [(s["day"], s["project"], len(s["turns"])) for s in json.loads(output.read_text())] == [
        ("2026-09-01", "app", 3),
        ("2026-09-02", "tool", 2),
    ]
    assert data("sessions", "extract") == []
    assert len(data("sessions", "extract", "--all")) == 2
    assert reverie("sessions", "extract", "--all").stdout.startswith("# 2026-09-01\n\n## app")


@pytest.mark.proves("B1", "F6")
def test_keep_copies_redacted_and_drop_deletes_the_copy_only(
    claude: Path, isolated_home: Path
) -> None:
    log = write(claude / "-w-app/cccc.jsonl", lines("cccc", ("you", f"use {SECRET}"), day=2))
    kept = data("sessions", "keep", "--all")
    assert len(kept) == 3
    assert all(entry["deleted_in_days"] is not None for entry in kept)
    copies = sorted((isolated_home / ".reverie/kept").rglob("*.zst"))
    assert len(copies) == 3
    log.unlink()
    assert SECRET not in reverie("sessions", "show", "cccc").stdout
    assert "[redacted:" in reverie("sessions", "show", "cccc").stdout
    dropped = data("sessions", "drop", "2026-09-01", "cccc")
    assert (dropped["marked"], dropped["copies_deleted"]) == (2, 2)
    assert (claude / "-w-app/aaaa-1.jsonl").exists()
    assert [day["day"] for day in data("sessions", "pending")] == ["2026-09-02"]
    assert "cccc" in reverie("sessions", "list").stdout


@pytest.mark.proves("F6")
def test_keep_says_which_logs_are_about_to_go(claude: Path) -> None:
    old = claude / "-w-app/aaaa-1.jsonl"
    stamp = parse_iso("2026-10-18").timestamp()
    os.utime(old, (stamp, stamp))
    result = CliRunner().invoke(
        root, ["sessions", "keep"], env={"REVERIE_NOW": "2026-11-15T00:00:00Z"}
    )
    assert "the agent deletes it in 2 days" in result.stdout
    assert "1 of 2 logs kept, 1 about to be deleted by the agent" in result.stderr


@pytest.mark.proves("B1")
def test_reindex_rebuilds_from_logs_and_copies(claude: Path, isolated_home: Path) -> None:
    before = data("sessions", "list")
    reverie("sessions", "keep", "--all")
    shutil.rmtree(claude)
    for file in (isolated_home / ".reverie").glob("index.db*"):
        file.unlink()
    report = data("reindex")
    assert report["sessions"] == 2
    after = data("sessions", "list")
    for row in (*before, *after):
        row.pop("path")
    assert after == before


def test_reindex_leaves_sessions_without_a_source_alone(claude: Path) -> None:
    reverie("sessions", "list")
    shutil.rmtree(claude)
    report = data("reindex")
    assert report["without_log"] == ["claude-code:aaaa-1", "claude-code:bbbb-2"]
    assert len(data("sessions", "list")) == 2


def test_reindex_sets_a_damaged_index_aside(claude: Path, isolated_home: Path) -> None:
    home = isolated_home / ".reverie"
    home.mkdir(mode=0o700)
    (home / "index.db").write_bytes(b"no database" * 1000)
    assert run(["sessions", "list"]) == 7
    assert reverie("reindex").exit_code == 0
    assert len(data("sessions", "list")) == 2
    assert [p.name.split("-")[0] for p in home.glob("*.damaged*")] == ["index.db.damaged"]


@pytest.mark.proves("B12", "F5")
def test_projects_show_roots_agents_sessions_and_days(claude: Path) -> None:
    listed = data("projects")
    assert [(p["slug"], p["sessions"], p["days"]) for p in listed] == [
        ("app", 1, ["2026-09-01"]),
        ("tool", 1, ["2026-09-02"]),
    ]
    assert listed[0]["roots"] == ["/w/app"]
    assert listed[0]["agents"] == ["claude-code"]
    write(claude / "-w-app/zzzz.jsonl", lines("zzzz", ("you", "later"), day=5))
    shown = data("projects", "show", "/w/app", "--days", "1")
    assert shown["days"] == ["2026-09-01", "2026-09-06"]
    assert [entry["day"] for entry in shown["recent"]] == ["2026-09-06"]
    shown = reverie("projects", "show", "app").stdout
    assert "# 2026-09-06\n\n1 session, not learned from yet" in shown


@pytest.mark.proves("B12")
def test_a_projects_memory_is_loaded_by_path_or_name_from_anywhere(
    claude: Path, isolated_home: Path
) -> None:
    reverie("sessions", "list")
    memory = "---\nname: run-lint\ndescription: Lint before each commit\ntype: feedback\n---\nDo.\n"
    with contextlib.closing(
        Store.open(f"sqlite:///{isolated_home}/.reverie/memory.db", clock=system_clock)
    ) as store:
        store.ensure_store("app")
        store.create("app", "/run-lint.md", memory, Author(Actor("user")))
    for reference in ("app", "/w/app", "/w/app/src"):
        assert data("projects", "show", reference)["memories"] == [
            {"name": "run-lint", "description": "Lint before each commit", "type": "feedback"}
        ]
    assert data("projects", "show", "tool")["memories"] == []
    assert "run-lint: Lint before" in reverie("projects", "show", "app").stdout


@pytest.mark.proves("F5")
def test_names_and_merges_survive_reindex(claude: Path) -> None:
    reverie("projects")
    assert data("projects", "merge", "tool", "app")["sessions"] == 1
    assert data("projects", "rename", "app", "The App")["name"] == "The App"
    assert reverie("reindex").exit_code == 0
    assert [(p["slug"], p["name"], p["sessions"]) for p in data("projects")] == [
        ("app", "The App", 2)
    ]


def test_an_unlearned_session_does_not_come_back(claude: Path) -> None:
    reverie("sessions", "list")
    assert reverie("unlearn", "aaaa-1", "--yes").exit_code == 0
    for command in (["sessions", "list"], ["reindex"]):
        reverie(*command)
        assert [row["session_id"] for row in data("sessions", "list")] == ["bbbb-2"]


def test_two_projects_that_look_like_one_are_pointed_out(claude: Path) -> None:
    write(claude / "-v-app/dddd.jsonl", lines("dddd", ("you", "elsewhere"), cwd="/v/app", day=3))
    assert "did you mean one project?" in reverie("projects").stderr


def test_unknown_names_have_their_own_exit_code(claude: Path) -> None:
    assert run(["sessions", "show", "nothing"]) == 3
    assert run(["projects", "show", "nothing"]) == 3
    assert run(["sessions", "list", "--since", "someday"]) == 2
    assert run(["sessions", "drop"]) == 2


NOW = parse_iso("2026-11-15T08:00:00Z")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-01", "2026-11-01"),
        ("today", "2026-11-15"),
        ("yesterday", "2026-11-14"),
        ("7d", "2026-11-08"),
        ("2w", "2026-11-01"),
        ("99999y", "0001-01-01"),
    ],
)
def test_a_day_is_written_as_date_word_or_age(text: str, day: str) -> None:
    assert day_of(text, NOW).isoformat() == day


def test_what_is_no_day_is_refused_and_ends_are_exclusive() -> None:
    for text in ("", "7", "d7", "2026-13-01", "tomorrowish"):
        with pytest.raises(InvalidInput):
            day_of(text, NOW)
    assert start_of("2026-11-01", NOW) == "2026-11-01T00:00:00.000Z"
    assert end_of("2026-11-01", NOW) == "2026-11-02T00:00:00.000Z"
    assert start_of(None, NOW) is end_of(None, NOW) is None


def test_an_index_in_use_still_answers_and_says_what_it_leaves_out(
    claude: Path, isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(data("sessions", "list")) == 2
    write(claude / "-w-app" / "cccc-3.jsonl", lines("cccc-3", *TALK))
    monkeypatch.setenv("REVERIE_STORE_BUSY_TIMEOUT_MS", "10")
    place = isolated_home / ".reverie" / "index.db"
    with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        shown = reverie("sessions", "list", "--json")
    assert [row["session_id"] for row in json.loads(shown.stdout)] == ["bbbb-2", "aaaa-1"]
    assert "what is new in the logs is left out" in shown.stderr
    assert len(data("sessions", "list")) == 3


def test_nothing_to_extract_writes_no_file_and_no_day_is_no_day(
    claude: Path, tmp_path: Path
) -> None:
    file = tmp_path / "week.md"
    assert (
        "nothing to extract"
        in reverie("sessions", "extract", "2020-01-01", "--output", str(file)).stderr
    )
    assert not file.exists()
    assert run(["sessions", "extract", ""]) == 2


def test_reindex_sets_an_index_aside_that_opens_but_does_not_hold_together(
    claude: Path, isolated_home: Path
) -> None:
    assert len(data("sessions", "list")) == 2
    file = isolated_home / ".reverie" / "index.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = bytearray(file.read_bytes())
    # The first page, which says what the database holds, stays whole.
    pages[4096:] = bytes(byte ^ 0x55 for byte in pages[4096:])
    file.write_bytes(pages)
    assert run(["sessions", "list"]) == 7
    assert "the old index could not be read" in reverie("reindex").stderr
    assert len(data("sessions", "list")) == 2
    assert list(file.parent.glob("index.db.damaged-*"))
