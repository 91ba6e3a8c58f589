"""`reverie why`: what a memory rests on, what became of it, and whether it was of use."""

from typing import TYPE_CHECKING, Any, Literal

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several
from reverie.errors import InvalidDocument, InvalidInput

if TYPE_CHECKING:
    from reverie.store.library import Item

Use = Literal["helpful", "harmful"]
VERSIONS = 20


@click.command()
@click.argument("name")
@click.option("--helpful", is_flag=True, help="Say that it was of use.")
@click.option("--harmful", is_flag=True, help="Say that it led astray.")
@json_option
def why(name: str, helpful: bool, harmful: bool, as_json: bool) -> None:
    """Where a memory comes from: the words it rests on, its versions, when it was recalled.

    With --helpful or --harmful your verdict is counted in the memory: recall ranks by it, and what
    led astray fades first.
    """
    if helpful and harmful:
        raise InvalidInput("--helpful and --harmful exclude each other")
    use: Use | None = "helpful" if helpful else "harmful" if harmful else None
    app = App.load()
    item = app.library.find(name)
    if use is not None:
        item = counted(app, item, use)
        say(f"{item.store}:{item.name} counts as {use} {several(uses(item, use), 'time')}")
    found = _reasons(app, item)
    if as_json:
        out_json(found)
    elif use is None:
        _show(item, found)


def counted(app: App, item: "Item", use: Use) -> "Item":
    """Count one verdict; the words and their trust stay as they are."""
    from dataclasses import replace

    from reverie.documents import frontmatter
    from reverie.store.model import Actor, Author

    document = item.document
    if document.problem:
        raise InvalidInput(f"{item.name} has no usable frontmatter: {document.problem}")
    text = document.text()
    front = frontmatter.split(text) or frontmatter.split(replace(document, source=None).text())
    if front is None:
        raise InvalidDocument(f"{item.name} cannot hold a count")
    place = (use,) if use in front.values else ("metadata", use)
    changed = front.with_value(place, str(uses(item, use) + 1)).text()
    memory = app.store.update(
        item.memory.store_id,
        item.memory.id,
        content=changed,
        if_sha256=item.memory.content_sha256,
        by=Author(Actor("user"), f"found {use}", item.memory.trust),
    )
    return type(item)(item.store, memory)


def uses(item: "Item", use: Use) -> int:
    """How often a memory was found helpful or harmful."""
    text = item.document.extra.get(use, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _reasons(app: App, item: "Item") -> dict[str, Any]:
    from reverie.cli.history import version_data
    from reverie.cli.show import as_data
    from reverie.learn.memories.quotes import quotes
    from reverie.recall.ledger import handed_over

    memory = item.memory
    evidence = item.document.evidence
    kept = quotes(app.store.database, evidence)
    versions = app.store.versions(memory.store_id, memory.id, limit=VERSIONS).items
    times, latest = handed_over(app.store.database, item.document.name)
    return as_data(item) | {
        "helpful": uses(item, "helpful"),
        "harmful": uses(item, "harmful"),
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "quotes": [
            {
                "evidence": one,
                "session": one.rpartition("#")[0],
                "at": kept[one].at if one in kept else None,
                "quote": kept[one].quote if one in kept else None,
                "premise": (kept[one].premise or None) if one in kept else None,
                "trust": kept[one].trust if one in kept else None,
            }
            for one in evidence
        ],
        "versions": [version_data(version) for version in versions],
        "recalled": times,
        "last_recalls": [told._asdict() for told in latest],
    }


def _show(item: "Item", found: dict[str, Any]) -> None:
    out(f"{item.store}:{item.name}  trust {found['trust']}, {several(found['support'], 'session')}")
    out(f"  {found['description'] or found['title']}")
    for one in found["quotes"]:
        out(f"\n{one['evidence']}  {(one['at'] or '')[:10]}  {one['trust'] or 'no quote was kept'}")
        if one["premise"]:
            out("  the agent held: " + _line(one["premise"]))
        if one["quote"]:
            out("  “" + _line(one["quote"]) + "”")
    if not found["quotes"]:
        out("\nno session is named as its source")
    out()
    for version in found["versions"]:
        actor = f"{version['actor']['kind']} {version['actor']['id'] or ''}".strip()
        reason = f": {version['reason']}" if version["reason"] else ""
        what = f"v{version['number']} {version['operation']} {version['created'][:10]}"
        out(f"{what} by {actor}{reason}")
    last = found["last_recalls"]
    when = f", last on {last[0]['at'][:10]} ({last[0]['surface']})" if last else ""
    out(f"recalled {found['recalled']} times{when}")
    if found["helpful"] or found["harmful"]:
        out(f"helpful {found['helpful']}, harmful {found['harmful']}")


def _line(text: str) -> str:
    return " ".join(text.split())[:400]
