"""Editing: a text written over the memory it was made from, and over nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import Conflict, InvalidDocument, PreconditionFailed
from reverie.home import Home
from reverie.operations import reach
from reverie.trust import Trust, lowest

if TYPE_CHECKING:
    from reverie.documents.document import Document
    from reverie.mounts.merge import Merged
    from reverie.store.library import Item

Settle = Callable[["Merged"], str]  # both changes merged → the text to keep
_TRIES = 5


def as_merged(merged: "Merged") -> str:
    """Take a merge as it is; where both sides changed the same lines, nobody settles it."""
    return merged.text


def edit(
    home: Home, item: "Item", text: str, *, why: str = "", settle: Settle = as_merged
) -> "Item":
    """Keep `text` as what `item` says, in the name of whoever asks.

    If somebody changed it meanwhile, both changes are merged by lines and put before `settle`.

    Raises:
        Refused: only a person may change it, and none asks.
        InvalidDocument: the text is no memory; it is kept in the home.
        Conflict: the same lines were changed; the text is kept in the home.
    """
    from reverie.mounts.merge import merge

    reach.refuse_protected(home, item)
    by = home.asker.author(why or "edited")
    base, mine = item.memory.content, text
    for _ in range(_TRIES):
        document, trust = _checked(home, item, mine)
        try:
            return home.library.rewrite(item, document, by._replace(trust=trust))
        except PreconditionFailed:
            now = home.library.find(f"{item.store}:{item.memory.id}")
            merged = merge(base, document.text(), now.memory.content, names=("yours", "stored"))
            mine = settle(merged)
            if not merged.clean and in_conflict(mine):
                break
            base, item = now.memory.content, now
    kept = keep_unsaved(home, mine, item.name)
    raise Conflict(
        f"{item.name} was changed meanwhile in the same lines",
        hint=f"your text, with both sides marked, is in {kept}",
    )


def in_conflict(text: str) -> bool:
    """Whether a merge is not settled yet."""
    return "\n<<<<<<< " in f"\n{text}"


def keep_unsaved(home: Home, text: str, name: str) -> Path:
    """Put what could not be written where its author finds it again."""
    from reverie.files import replace_file

    replace_file(unsaved(home, name), home.redact(text))
    return unsaved(home, name)


def unsaved(home: Home, name: str) -> Path:
    """Where a text lies while it is edited, and until it is kept."""
    return home.make_home() / "unsaved" / f"{name.replace('/', '-')}.md"


def _checked(home: Home, item: "Item", text: str) -> "tuple[Document, Trust]":
    from reverie.documents.document import is_rewritten, parse
    from reverie.learn.memories.candidate import reworded

    try:
        edited = reworded(item.document, parse(home.redact(text), path=item.memory.path))
    except InvalidDocument as error:
        kept = keep_unsaved(home, text, item.name)
        raise InvalidDocument(error.message, hint=f"your text is in {kept}") from None
    person = home.asker.trust == "user"
    trust = lowest(item.memory.trust, home.asker.trust)
    # Who mends one line of a text that is not theirs says that line, and vouches for no other.
    if person and is_rewritten(item.document, edited):
        trust = home.asker.trust
    if edited.pinned and not (person or item.document.pinned):
        edited = replace(edited, pinned=False, pin_reason="")
    return replace(edited, trust=trust) if edited.trust else edited, trust
