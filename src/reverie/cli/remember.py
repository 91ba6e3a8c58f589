"""`reverie remember`: a person says what to keep."""

import os
import re
import sys
from pathlib import Path

import click

from reverie.cli.app import App
from reverie.cli.memories import by_user, refuse_secret
from reverie.cli.options import json_option
from reverie.cli.printing import out_json, say
from reverie.cli.show import as_data
from reverie.documents import bodies
from reverie.documents.dates import absolute_dates
from reverie.documents.document import GLOBAL, KINDS, SECTIONS, TYPES, Document, type_of_kind
from reverie.documents.exclusions import why_not
from reverie.errors import Archived, InvalidInput, NotWorthKeeping
from reverie.store.library import Item, Library

_DESCRIPTION = 150
_ABOUT_ME = re.compile(
    r"\b(?:i am|i'm|i work|my (?:role|name|job|team|background)|the user is)\b", re.I
)
_POINTER = re.compile(
    r"https?://|\b(?:dashboard|runbook|wiki|board|channel|tracked in|documented (?:in|at))\b", re.I
)
_WAY_OF_WORKING = re.compile(
    r"\b(?:always|never|prefer|don'?t|do not|avoid|instead of|before every|make sure|must)\b"
    r"|^(?:use|run|keep|write|put|ask|answer|check)\b",
    re.I,
)
_INSTRUCTION_FILES = ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md")


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--type", "type_", type=click.Choice(TYPES), help="What it is about; guessed if absent."
)
@click.option("--kind", type=click.Choice(KINDS), help="What sort of lesson it is.")
@click.option("--scope", help="`global`, or a project's slug; the project here if absent.")
@click.option("--section", type=click.Choice(SECTIONS), help="Which part of the user's profile.")
@click.option("--why", default="", help="The reason; often the most useful part.")
@click.option("--how", default="", help="How to apply it.")
@click.option("--name", help="Its name; derived from TEXT if absent.")
@click.option("--pin", is_flag=True, help="Protect it from decay.")
@click.option("--store", help="Write to this store instead of the project's or the shared one.")
@json_option
def remember(
    text: tuple[str, ...],
    type_: str | None,
    kind: str | None,
    scope: str | None,
    section: str | None,
    why: str,
    how: str,
    name: str | None,
    pin: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Keep TEXT as a memory (`-` reads it from standard input).

    Relative dates become absolute and secrets are replaced. What code or git already say is
    refused, with a word on what would be worth saving; a reason given with --why makes most such
    things worth it.
    """
    app = App.load()
    said = sys.stdin.read() if text == ("-",) else " ".join(text)
    if not said.strip():
        raise InvalidInput("there is nothing to remember")
    refuse_secret(app, name or "")
    rule, reason, steps = (_clean(app, part) for part in (said, why, how))
    _refuse_derivable(rule, reason)
    chosen = "user" if section else type_ or type_of_kind(kind or "") or guess_type(rule)
    where = _scope(app, scope) if scope else _scope_here(app, chosen)
    target = GLOBAL if where == GLOBAL or chosen == "user" else where
    library = app.library
    if store:
        target = store if store in (GLOBAL, app.project) else _live(library, store)
    description = describe(rule)
    if known := _known(library, target, description):
        if as_json:
            out_json(as_data(known))
        else:
            say(f"{target}:{known.name} says this already")
        return
    document = Document(
        name=_name(library, target, name, rule),
        description=description,
        type=chosen,
        kind=kind or "",
        scope=where,
        section=section or "",
        created=app.now[:10],
        pinned=pin,
        trust="user",
        body=bodies.compose(rule, reason, steps),
    )
    item = library.remember(document, by_user("remembered by hand"), store=target)
    if as_json:
        out_json(as_data(item))
    else:
        say(f"remembered as {item.store}:{item.name} ({chosen})")


def _scope_here(app: App, type_: str) -> str:
    return GLOBAL if type_ == "user" or app.project is None else app.project


def _scope(app: App, given: str) -> str:
    """`given` must exist: a slip of the pen would make a store that nothing ever reads."""
    if given in (GLOBAL, app.project) or any(s.name == given for s in app.store.stores()):
        return given
    return app.projects.find(given).slug


def _live(library: Library, store: str) -> str:
    found = library.store.find_store(store)
    if found.archived_at:
        raise Archived(f"the store {found.name} is archived", hint="it can be read, not written")
    return found.name


def describe(text: str) -> str:
    """The first sentence, on one line, at most 150 characters."""
    line = " ".join(text.split())
    sentence = re.match(r".{12,}?[.!?。！？](?=\s|$)", line)
    first = sentence.group() if sentence else line
    if len(first) <= _DESCRIPTION:
        return first.rstrip(".")
    return first[: _DESCRIPTION - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def guess_type(text: str) -> str:
    """About the person, a pointer to elsewhere, a way of working, else a fact of the project."""
    if _ABOUT_ME.search(text):
        return "user"
    if _WAY_OF_WORKING.search(text):
        return "feedback"
    return "reference" if _POINTER.search(text) else "project"


def _clean(app: App, text: str) -> str:
    if not text:
        return ""
    # "Today" is the speaker's day, not Greenwich's.
    return app.redact(absolute_dates(text.strip(), app.clock().astimezone()))


def _refuse_derivable(rule: str, reason: str) -> None:
    said = f"{rule} because {reason}" if reason else rule
    excluded = why_not(said, instructions=_instructions())
    if excluded is not None:
        raise NotWorthKeeping(f"not kept: {excluded.reason}", hint=excluded.instead)


def _instructions() -> str:
    """What the instruction files of the repository here say; read as text, never obeyed."""
    from reverie.sessions.projects import locate

    root = Path(locate(os.getcwd()).root)
    found: list[str] = []
    for name in _INSTRUCTION_FILES:
        file = root / name
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as stream:
                found.append(stream.read(65_536))
    return "\n".join(found)


def _known(library: Library, store: str, description: str) -> Item | None:
    if all(info.name != store for info in library.store.stores()):
        return None
    wanted = description.casefold()
    for item in library.documents(store):
        if item.document.description.casefold() == wanted:
            return item
    return None


def _name(library: Library, store: str, given: str | None, text: str) -> str:
    from reverie.learn.memories.candidate import name_from

    if given:
        return given.removesuffix(".md")
    library.store.ensure_store(store)
    return library.free_name(name_from(text), store)
