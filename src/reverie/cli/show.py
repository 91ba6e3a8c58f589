"""`reverie show`: one memory. Imports little, because it starts often and cold."""

from typing import TYPE_CHECKING, Any

import click

from reverie.cli.app import App
from reverie.cli.printing import out, out_json, say

if TYPE_CHECKING:
    from reverie.store.library import Item


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str, as_json: bool) -> None:
    """Print one memory, as it is stored.

    NAME is its name, a unique beginning of it, STORE:NAME, a path or an id.
    """
    item = App.load().library.find(name)
    memory = item.memory
    if as_json:
        out_json(as_data(item) | {"content": memory.content})
        return
    state = " archived" if item.archived else ""
    say(
        f"{item.store}:{item.name}{state}, version {memory.version} of {memory.updated_at[:10]}, "
        f"trust {memory.trust}"
    )
    out(memory.content.removesuffix("\n"))


def as_data(item: "Item") -> dict[str, Any]:
    """A memory for machines, without its text."""
    memory, document = item.memory, item.document
    return {
        "id": memory.id,
        "name": item.name,
        "store": item.store,
        "path": memory.path,
        "title": document.title,
        "description": document.description,
        "type": document.type or None,
        "kind": document.kind or None,
        "scope": document.scope or None,
        "section": document.section or None,
        "pinned": document.pinned,
        "pin_reason": document.pin_reason or None,
        "archived": item.archived,
        "trust": memory.trust,
        "support": document.support,
        "evidence": list(document.evidence),
        "created": document.created or memory.created_at,
        "updated": memory.updated_at,
        "version": memory.version,
        "version_id": memory.version_id,
        "sha256": memory.content_sha256,
        "problem": document.problem or None,
    }
