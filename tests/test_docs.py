"""The reference pages are what the code says, and every page that is linked exists."""

import re
from pathlib import Path

import click
import pytest
from scripts import reference

from reverie.cli.root import root

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


def test_links_between_pages_lead_somewhere() -> None:
    broken: list[str] = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            outside = "://" in target or target.startswith("mailto:")
            if not outside and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)} → {target}")
    assert broken == []
