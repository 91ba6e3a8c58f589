"""The reference pages are what the code says, and every page that is linked exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from scripts import pictures, reference

from reverie import errors
from reverie.cli.examples import EXAMPLES
from reverie.cli.root import root, run

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", sorted(reference.pages()))
def test_the_reference_page_is_current(name: str) -> None:
    written = (reference.REFERENCE / name).read_text(encoding="utf-8")
    assert written == reference.pages()[name], "run `make docs`"


def every_command(command: click.Command, name: str) -> list[tuple[str, click.Command]]:
    found = [(name, command)]
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for sub in command.list_commands(context):
            child = command.get_command(context, sub)
            assert child is not None
            found += every_command(child, f"{name} {sub}")
    return found


@pytest.mark.parametrize(("name", "command"), every_command(root, "reverie"))
def test_every_command_and_option_says_what_it_does(name: str, command: click.Command) -> None:
    assert command.help, name
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts[0]}"


@pytest.mark.parametrize(
    ("command", "line"), [(name, line) for name, lines in EXAMPLES.items() for line in lines]
)
def test_an_example_is_a_call_that_parses(
    command: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("logs", "old-logs", "reverie-backup.db", "logs/labels.jsonl"):
        place = tmp_path / name
        if place.suffix:
            place.touch()
        else:
            place.mkdir()
    typed = line.partition(" #")[0].replace("~/", "").replace('eval "$(', "").replace(')"', "")
    words = shlex.split(typed.partition(" < ")[0])
    assert words[0] == "reverie"
    assert words[1 : 1 + len(command.split())] == command.split()
    assert len(line) <= 78, "it stands in a help page"
    context: click.Context | None = None
    here: click.Command = root
    words = words[1:]
    while (
        isinstance(here, click.Group)
        and words
        and (child := here.get_command(context or click.Context(root), words[0]))
    ):
        context = click.Context(here, info_name=here.name, parent=context)
        here, words = child, words[1:]
    here.make_context(here.name, words, parent=context)


PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "plugin").rglob("*.md"),
    *(ROOT / "examples").rglob("*.md"),
]
# A call in a line of a code block, or between backticks in a sentence.
CALLS = re.compile(r"(?:^(?:\$ )?|`)reverie((?: +[^`#\n]*)?)", re.MULTILINE)


def calls_in(text: str) -> list[str]:
    """What pages tell people to type, up to what the shell would do with it."""
    typed = [found.partition(" | ")[0].partition(" < ")[0] for found in CALLS.findall(text)]
    return [one.strip() for one in typed if one.strip()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_tells_people_to_type_exists(page: Path) -> None:
    wrong: list[str] = []
    for call in calls_in(page.read_text(encoding="utf-8")):
        words = call.replace("…", "").split()
        here: click.Command = root
        context = click.Context(root, info_name="reverie")
        while isinstance(here, click.Group) and words:
            child = here.get_command(context, words[0].rstrip(",.;:)"))
            if child is None:
                break
            here, words = child, words[1:]
        if here is root and words and words[0].isalpha() and words[0].islower():
            wrong.append(call)
        known = {"--help", "-h"}
        for option in reference.options_of(here):
            known |= {*option.opts, *option.secondary_opts}
        options = re.findall(r"(?<![\w-])--[a-z][a-z-]*", " ".join(words))
        wrong += [f"{call}: {option}" for option in options if option not in known]
    assert wrong == []


def test_an_example_belongs_to_a_command() -> None:
    known = {path.removeprefix("reverie ") for path, _ in every_command(root, "reverie")}
    assert set(EXAMPLES) <= known


def test_the_help_of_a_command_ends_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "search", "--help"]) == 0
    assert capsys.readouterr().out.rstrip().endswith(EXAMPLES["sessions search"][0])


@pytest.mark.parametrize(
    "asked", [["-h"], ["help"], ["learn", "-h"], ["help", "learn"], ["help", "sessions", "list"]]
)
def test_help_is_found_however_it_is_asked_for(asked: list[str]) -> None:
    # In a process of its own: click keeps the help option a command was first asked for with.
    shown = subprocess.run(
        [sys.executable, "-m", "reverie", *asked], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    command = " ".join(word for word in asked if word not in {"help", "-h"})
    assert shown.startswith(f"Usage: reverie {command}".rstrip())
    assert "xamples" in shown


def test_the_help_of_all_says_what_exit_codes_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    codes = {error.exit_code for error in reference.tree(errors.ReverieError)}
    listed = {int(code) for code in re.findall(r"(\d+) [a-z]", shown.partition("Exit codes:")[2])}
    assert listed == codes | {0}


def test_a_picture_holds_what_was_typed_and_fetches_nothing() -> None:
    shown = "\x1b[1m$ reverie show till\x1b[0m\n\x1b[32m+ counts <cents>\x1b[0m"
    drawn = pictures.svg("till", shown)
    assert "show" in drawn
    assert "&lt;cents&gt;" in drawn
    assert drawn == pictures.svg("till", shown)
    for picture in [drawn, *(f.read_text("utf-8") for f in pictures.PICTURES.glob("*.svg"))]:
        assert "://" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_links_between_pages_lead_somewhere() -> None:
    broken: list[str] = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            outside = "://" in target or target.startswith("mailto:")
            if not outside and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)} → {target}")
    assert broken == []


def test_no_file_holds_the_marks_of_a_merge() -> None:
    root = Path(__file__).parents[1]
    found = subprocess.run(
        ["git", "grep", "-lE", "^(<{7}|>{7}) ", "--", "."],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.stdout == ""


def test_no_page_says_a_long_line_twice() -> None:
    """What a merge leaves when it keeps both sides of a section."""
    twice: list[str] = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        if page.parent.name != "reference":
            lines = [line for line in page.read_text("utf-8").splitlines() if len(line) > 70]
            twice += [f"{page.name}: {line}" for line in lines if lines.count(line) > 1]
    assert twice == []
