"""Writing what a source holds: checked, redacted, once, and so that it can be taken back.

The history is the marker: every version says which import wrote it. What is there already, in any
version, is not written again, and what was removed here since does not come back.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from reverie.documents import bodies
from reverie.documents.document import Document, parse, without_claims
from reverie.errors import InvalidInput, NotFound, ReverieError
from reverie.imports.base import Found, Piece, Skipped
from reverie.privacy import has_mark
from reverie.store import roads
from reverie.store.causes import Cause
from reverie.store.model import Actor, Author, Made, Memory
from reverie.store.store import Store

Redact = Callable[[str], str]

_NOTE = re.compile(r"^(?:#+ |[-*] )", re.M)


class Written(NamedTuple):
    """One memory that was written, or would be."""

    store: str
    path: str
    source: str
    change: str  # created, updated, returned, archived


@dataclass(slots=True)
class Imported:
    """What an import did."""

    batch: str
    written: list[Written] = field(default_factory=list[Written])
    already: int = 0
    redacted: int = 0
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    notes: list[str] = field(default_factory=list[str])
    gone: list[Written] = field(default_factory=list[Written])  # from its source, so archived here
    kept: list[Skipped] = field(default_factory=list[Skipped])  # a person changed it here


@dataclass(frozen=True, slots=True)
class Undone:
    """What taking an import back did."""

    batch: str
    removed: int
    restored: int
    kept: tuple[str, ...]  # changed since


class Unchanged(Exception):
    """Ends the transaction of a dry run."""


def take_over(
    store: Store, contents: Found, what: str, redact: Redact, by: Actor, *, dry_run: bool = False
) -> Imported:
    """Write every piece of a source, all or none.

    `what` names the kind of source and its place; it stands in the reason of every version. What
    no session wrote is in the name of `by`.
    """
    result = begun(store, contents, redact)
    try:
        with store.database.atomic():
            for piece in contents.pieces:
                try:
                    write(store, piece, what, redact, by, result)
                except ReverieError as error:
                    result.skipped.append(Skipped(redact(piece.source), error.message))
            if dry_run:
                raise Unchanged
    except Unchanged:
        pass
    return result


def begun(store: Store, contents: Found, redact: Redact) -> Imported:
    """An import of which nothing is written yet, with what its source left out."""
    return Imported(
        store.context.id("import"),
        skipped=[skipped._replace(source=redact(skipped.source)) for skipped in contents.skipped],
        notes=[redact(note) for note in contents.notes],
    )


def write(
    store: Store, piece: Piece, what: str, redact: Redact, importer: Actor, result: Imported
) -> None:
    """Write one piece as a memory of its own, unless its text was here at any time.

    Raises:
        InvalidInput: it is none, holds a secret in its name, or is not worth keeping.
    """
    text, by = checked(piece, what, redact, importer, result)

    def earlier(head: Memory) -> bool:
        last = store.version(head.version_id).cause
        return (last.kind, last.what, last.subject) == ("imported", what, piece.source)

    done = roads.enter(store, piece.store, piece.path, text, by, roads.IMPORTED, earlier=earlier)
    if done.change == "known":
        result.already += 1
    else:
        result.written.append(Written(piece.store, done.here.path, piece.source, done.change))


def checked(
    piece: Piece, what: str, redact: Redact, importer: Actor, result: Imported
) -> tuple[str, Author]:
    """What is written of a piece, without secrets and claims, and in whose name.

    Raises:
        InvalidInput: as `write`.
    """
    if redact(piece.path) != piece.path or redact(piece.source) != piece.source:
        raise InvalidInput("its name holds a secret")
    text = redact(piece.text)
    result.redacted += text != piece.text or has_mark(text)  # most were when it was read
    if not piece.claims:
        text = without_claims(text, piece.trust, path=piece.path)
    if piece.checked:
        _check(parse(text, path=piece.path).validate())
    cause = Cause("imported", piece.source, what, result.batch)
    actor = Actor("agent", piece.session) if piece.session else importer
    return text, Author(actor, cause.reason, piece.trust)


def _check(document: Document) -> None:
    """Raises InvalidInput for a single statement that the code or git already make.

    A note with headings or lists is somebody's own work, and is kept whatever its lines say.
    """
    if _NOTE.search(document.body):
        return
    parts = bodies.parts(document.body)
    rule = parts.rule or document.description
    excluded = roads.excluded(roads.IMPORTED, rule, parts.why)
    if excluded is not None and not document.pinned and document.type != "user":
        raise InvalidInput(f"not kept: {excluded.reason}")


def undo(store: Store, actor: Actor, what: str | None = None) -> Undone:
    """Take the last import back, of one source or of any; what was changed since stays.

    Raises:
        NotFound: there is none.
    """
    marks = _marks(store, what)
    if not marks:
        raise NotFound(f"there is no import{f' of {what}' if what else ''} to undo")
    batch, _ = marks[-1]
    by = Author(actor, Cause("import undone", batch=batch).reason)
    removed = restored = 0
    kept: list[str] = []
    with store.database.atomic():
        for made in reversed([made for of, made in marks if of == batch]):
            head = store.get(made.store_id, made.memory_id)
            if head.version_id != made.version_id:
                kept.append(head.path)
                continue
            if made.before is not None:
                store.restore(made.store_id, made.memory_id, made.before, by)
                restored += 1
            else:
                store.delete(made.store_id, made.memory_id, if_version=head.version, by=by)
                removed += 1
    return Undone(batch, removed, restored, tuple(kept))


def _marks(store: Store, what: str | None) -> list[tuple[str, Made]]:
    """The imported versions of memories that are still there, with their batch, oldest first."""
    return [
        (made.cause.batch, made)
        for made in store.made_by("imported")
        # What moved along with its project is no longer the import's.
        if not made.cause.after and what in (None, made.cause.what)
    ]
