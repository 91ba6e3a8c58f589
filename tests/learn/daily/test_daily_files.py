"""New files: told by the log, bounded, and only those that are worth a line of the day."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.learn.daily.test_daily import diary
from tests.sessions.logs import SESSION, call, claude, prompt, reply, result, written

from reverie.cli.root import run
from reverie.learn.daily.daily import new_files
from reverie.learn.diary.diary import Line
from reverie.learn.diary.findings import created_of
from reverie.learn.traffic.attempts import attempts
from reverie.sessions.model import Tool, Turn

ADDED = "*** Begin Patch\n*** Add File: src/a.py\n+x\n*** Update File: src/b.py\n*** End Patch"


def turns(*calls: tuple[str, dict[str, Any], str]) -> list[Turn]:
    """Calls that worked, each with its answer."""
    found: list[Turn] = []
    for number, (name, given, answer) in enumerate(calls):
        tool = Tool(name, f"t{number}", given)
        line = number * 2
        found.append(Turn(line, line, "agent", "tool_call", "", "", tool=tool, cwd="/w/app"))
        answered = Tool(name, f"t{number}", {}, ok=True)
        found.append(Turn(line + 1, line + 1, "tool", "tool_result", "", answer, tool=answered))
    return found


def made(*calls: tuple[str, dict[str, Any], str]) -> list[str]:
    return [line.text for line in created_of(attempts(turns(*calls)))]


@pytest.mark.parametrize(
    ("name", "given", "answer", "expected"),
    [
        ("Write", {"file_path": "/w/app/a.py"}, "File created successfully at: a.py", ["a.py"]),
        ("Write", {"file_path": "/w/app/a.py"}, "The file /w/app/a.py has been updated.", []),
        ("write_file", {"file_path": "a.py"}, "Successfully created and wrote to new file: a.py",
         ["a.py"]),
        ("create", {"path": "a.py"}, "Created file a.py with 12 characters", ["a.py"]),
        ("Edit", {"file_path": "a.py"}, "The file a.py has been updated.", []),
        ("apply_patch", {"input": ADDED}, "Done!", ["src/a.py"]),
        ("Bash", {"command": "git commit -m x"}, "[main 1234567] x\n create mode 100644 src/c.py\n",
         ["src/c.py"]),
        ("Read", {"file_path": "a.py"}, "create a new file", []),
    ],
)  # fmt: skip
def test_what_tools_say_they_made_is_new(
    name: str, given: dict[str, Any], answer: str, expected: list[str]
) -> None:
    assert made((name, given, answer)) == expected


def test_what_was_removed_again_is_not_new() -> None:
    write = ("Write", {"file_path": "/w/app/a.py"}, "File created successfully at: a.py")
    assert made(write, ("Bash", {"command": "rm -f a.py"}, "")) == []
    assert made(write, ("Bash", {"command": "git rm a.py"}, "")) == []
    assert made(write, ("Bash", {"command": "rm -f b.py"}, "")) == ["a.py"]


def test_generated_files_and_those_outside_are_not_worth_a_line() -> None:
    names = ("dist/a.js", "uv.lock", "package-lock.json", "logo.png")
    created = tuple(Line(name, (1,)) for name in (*names, "src/app.py"))
    assert new_files([diary(created=created)]) == [("shop", "src/app.py")]
    for path in ("/tmp/x", "~/x.md", "../x", "C:/x", "REDACTED.ts"):
        assert made(("create", {"path": path}, f"Created file {path} with 1 character")) == []


def test_many_files_of_a_folder_are_told_as_the_folder_and_tests_come_last() -> None:
    names = ("tests/test_a.py", *(f"docs/{n}.md" for n in range(5)), "src/app.py")
    created = tuple(Line(name, (1,)) for name in names)
    told = [name for _, name in new_files([diary(created=created)])]
    assert told == ["docs/ (5 files)", "src/app.py", "tests/test_a.py"]


@pytest.mark.proves("B2")
def test_the_daily_tells_new_files_and_the_diary_says_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "app"
    place.mkdir()
    monkeypatch.chdir(place)
    log = claude(
        prompt("Please write the release notes into a new page."),
        call("Write", "t1", file_path=str(place / "docs/release.md"), content="x"),
        result("t1", f"File created successfully at: {place}/docs/release.md"),
        call("Edit", "t2", file_path=str(place / "README.md"), old_string="a", new_string="b"),
        result("t2", f"The file {place}/README.md has been updated."),
        reply("The notes are in docs/release.md."),
    )
    written(tmp_path / "logs", [{**line, "cwd": str(place)} for line in log])
    assert run(["learn", "--logs", str(tmp_path / "logs")]) == 0
    capsys.readouterr()
    assert run(["daily"]) == 0
    shown = capsys.readouterr().out
    assert "## New files\n\n- `docs/release.md`\n" in shown
    assert "README.md" not in shown
    assert run(["daily", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["data"]
    assert found["new_files"] == [{"project": "app", "file": "docs/release.md"}]
    assert run(["diary", SESSION]) == 0
    told = capsys.readouterr().out
    assert "created `docs/release.md`" in told
    assert "README.md" not in told.partition("## Left behind")[2]
