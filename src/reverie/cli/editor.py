"""The person's editor: what they typed outlives an editor that fails and a text that is refused."""

from typing import TYPE_CHECKING

import click

from reverie.errors import Unavailable

if TYPE_CHECKING:
    from reverie.memory import Memory


def edited(memory: "Memory", name: str, text: str, *, resumed: bool = False) -> str | None:
    """The text as the editor left it; `None` when nothing was changed.

    The file lies in the home until `settled`. With `resumed`, what was typed the last time is
    opened again.

    Raises:
        Unavailable: the editor did not start, or failed; it says where the text is.
    """
    from reverie.files import replace_file
    from reverie.operations.editing import keep_unsaved, unsaved

    file = unsaved(memory, name)
    if not (resumed and file.exists()):
        replace_file(file, text)
    try:
        click.edit(filename=str(file))
    except (click.ClickException, ValueError) as error:
        # A ValueError is an $EDITOR with a quotation mark that is never closed.
        typed = file.read_text(encoding="utf-8")
        if typed == text:
            settled(memory, name)
            raise Unavailable(f"the editor failed: {error}", hint="set $EDITOR") from None
        kept = keep_unsaved(memory, typed, name)
        raise Unavailable(
            f"the editor failed: {error}", hint=f"what you typed is in {kept}"
        ) from None
    after = file.read_text(encoding="utf-8")
    if after == text:
        settled(memory, name)
        return None
    return after


def settled(memory: "Memory", name: str) -> None:
    """What was typed is kept as a memory, or not wanted: its file goes."""
    from reverie.operations.editing import unsaved

    unsaved(memory, name).unlink(missing_ok=True)
