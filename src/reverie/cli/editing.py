"""`reverie edit`: a memory in the editor, written back only over what was opened."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from reverie.cli.app import App
from reverie.cli.memories import by_user
from reverie.cli.options import json_option
from reverie.cli.printing import out_json, say
from reverie.cli.show import as_data
from reverie.documents.document import Document, parse
from reverie.errors import Conflict, InvalidDocument, PreconditionFailed, Unavailable
from reverie.files import replace_file
from reverie.mounts.merge import Merged, merge
from reverie.store.library import Item

_TRIES = 5


@click.command()
@click.argument("name")
@click.option("--why", default="", help="The reason, kept in the history.")
@json_option
def edit(name: str, why: str, as_json: bool) -> None:
    """Open a memory in $EDITOR and keep the result.

    If somebody changed it meanwhile, both changes are merged by lines; what cannot be merged is
    shown once more. Nothing you wrote is thrown away.
    """
    app = App.load()
    item = app.library.find(name)
    desk = _Desk(app, why or "edited")
    text = desk.open(item.memory.content, item.name)
    if text is None or text == item.memory.content:
        say("nothing changed")
        return
    saved = desk.save(item, text)
    if as_json:
        out_json(as_data(saved))
    else:
        say(f"{saved.store}:{saved.name} is now version {saved.memory.version}")


class _Desk:
    """One edit: the editor, the check, the merge, and a place for what could not be written."""

    def __init__(self, app: App, reason: str) -> None:
        self._app = app
        self._by = by_user(reason)

    def open(self, text: str, name: str) -> str | None:
        """The text as the editor left it; `None` when it was not saved."""
        try:
            return click.edit(text, extension=".md", require_save=True)
        except (click.ClickException, ValueError) as error:
            # A ValueError is an $EDITOR with a quotation mark that is never closed.
            self._keep(text, name)
            raise Unavailable(f"the editor did not start: {error}", hint="set $EDITOR") from None

    def save(self, item: Item, text: str) -> Item:
        base, mine = item.memory.content, text
        for _ in range(_TRIES):
            document = self._checked(item, mine)
            try:
                return self._app.library.rewrite(item, document, self._by)
            except PreconditionFailed:
                now = self._app.library.find(f"{item.store}:{item.memory.id}")
                merged = merge(base, document.text(), now.memory.content, names=("yours", "stored"))
                mine = merged.text if merged.clean else self._settled(item, merged)
                say("changed by somebody else meanwhile; both changes are merged")
                base, item = now.memory.content, now
        raise self._conflict(item, mine)

    def _checked(self, item: Item, text: str) -> Document:
        try:
            edited = parse(self._app.redact(text), path=item.memory.path)
        except InvalidDocument as error:
            kept = self._keep(text, item.name)
            raise InvalidDocument(error.message, hint=f"your text is in {kept}") from None
        return _as_written(edited)

    def _settled(self, item: Item, merged: Merged) -> str:
        if not sys.stdin.isatty():
            raise self._conflict(item, merged.text)
        say(f"{merged.conflicts} places were changed on both sides; they are marked in the text")
        text = self.open(merged.text, item.name)
        if text is None or "\n<<<<<<< " in f"\n{text}":
            raise self._conflict(item, text or merged.text)
        return text

    def _conflict(self, item: Item, text: str) -> Conflict:
        kept = self._keep(text, item.name)
        return Conflict(
            f"{item.name} was changed meanwhile in the same lines",
            hint=f"your text, with both sides marked, is in {kept}",
        )

    def _keep(self, text: str, name: str) -> Path:
        file = self._app.home / "unsaved" / f"{name.replace('/', '-')}.md"
        replace_file(file, text)
        return file


def _as_written(document: Document) -> Document:
    """What a person saved is a person's word, whatever the file said of its trust."""
    return replace(document, trust="user") if document.trust else document
