"""Transfer: memories of other tools and whole stores, taken over, taken back and given away."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from reverie.config import expanded
from reverie.documents.long_term import tokens
from reverie.documents.vocabulary import GLOBAL
from reverie.errors import Ambiguous, InvalidInput, NotFound, Refused
from reverie.home import Home
from reverie.imports import source_for
from reverie.imports.archives import is_archive, pack, unpack
from reverie.imports.base import Target
from reverie.imports.claude_code import memory_folders, switched_off
from reverie.imports.run import Imported, Undone, take_over, undo
from reverie.imports.write_back import WrittenBack, write_back
from reverie.mounts.transfer import Exported, Loaded, is_export, load
from reverie.mounts.transfer import export as write
from reverie.operations.keeping import unheard
from reverie.store.library import Library

CLAUDE_CODE = "claude-code"
REVERIE = "reverie"
_OTHER_ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z"})

Made = Callable[[str], None]  # is told the name of a store that was made
Took = Callable[[Path, "Imported"], None]  # is told what was taken over from one place


class _Wish(NamedTuple):
    """How something is to be taken over, and who is told."""

    kind: str | None
    store: str | None
    dry_run: bool
    made: Made
    took: Took


class Page(NamedTuple):
    """The long-term memory of a scope as one page."""

    scope: str
    tokens: int
    synthesized: str  # when the last dream ended; "" when there was none
    text: str


def import_memories(
    home: Home,
    source: str | Path | None = None,
    *,
    kind: str | None = None,
    store: str | None = None,
    dry_run: bool = False,
    made: Made = unheard,
    took: Took = unheard,
) -> list[Imported] | Loaded:
    """Take over the memories at `source`: a folder, a file, or an archive of `export`.

    Args:
        source: None or `claude-code` for the memory folders of Claude Code.
        kind: What the source is; seen if absent.
        store: Put everything into this store; made if new.

    Returns:
        What each place gave, or what came back of an export of stores.

    Raises:
        InvalidInput: there is nothing of a known form.
        Refused: Claude Code's memory is switched off.
        NotFound: Claude Code keeps no memory; or a store is nearly named so.
    """
    wish = _Wish(kind, store, dry_run, made, took)
    if source in (None, CLAUDE_CODE):
        places = [(CLAUDE_CODE, folder) for folder in _claude_code_folders(home)]
        return _take_over(home, places, wish)
    return _import(home, _place(home, source or ""), wish)


def undo_import(home: Home, source: str | Path | None = None) -> Undone:
    """Take the last import back, of one source or of any; what was changed since stays.

    Raises:
        NotFound: there is none.
    """
    if source is None:
        return undo(home.store, home.asker.actor)
    place = _place(home, source)
    return undo(home.store, home.asker.actor, f"{source_for(place).kind} {place}")


def export(home: Home, target: Path, stores: Sequence[str] = ()) -> Exported:
    """Write stores with their history to a new folder or `.tar.gz` archive.

    Raises:
        InvalidInput: an archive of another kind.
        Refused: the folder holds something.
        NotFound: no such store.
    """
    if target.suffix in _OTHER_ARCHIVES and not is_archive(target):
        raise InvalidInput(
            f"no {target.suffix} is written", hint="name a new folder, or FILE.tar.gz"
        )
    refs = [home.store.resolve_store(name).id for name in stores] or None
    if not is_archive(target):
        return write(home.store, target, refs)
    with tempfile.TemporaryDirectory(prefix="reverie-") as scratch:
        folder = Path(scratch) / "export"
        done = write(home.store, folder, refs)
        pack(folder, target)
    return done


def export_to_claude_code(home: Home, folder: Path, scope: str | None = None) -> WrittenBack:
    """Add what is missing to Claude Code's memory folder; change nothing there."""
    chosen = scope_of(home, scope)
    items = Library(home.store, chosen).documents(chosen)
    return write_back((item.document for item in items if not item.document.problem), folder)


def long_term(home: Home, scope: str | None = None) -> Page:
    """The long-term memory of a scope as one Markdown page with fixed sections."""
    from reverie.documents.long_term import long_term as page_of
    from reverie.dream.proposals.proposals import last_dreamt
    from reverie.learn.profile import current_projects, environment, merged

    chosen, last = scope_of(home, scope), last_dreamt(home.database)
    there = chosen in {info.name for info in home.store.stores()}
    items = Library(home.store, chosen).documents(chosen) if there else []
    known: dict[str, list[str]] = {}
    if chosen == GLOBAL:
        database = home.index.database
        known["Current Projects"] = current_projects(database, home.clock())
        known["Technical Environment"] = environment(database)
    text = page_of(
        chosen,
        merged(item.document for item in items),
        max_tokens=home.settings.forget.long_term_tokens,
        synthesized=last,
        known=known,
    )
    return Page(chosen, tokens(text), last, text)


def scope_of(home: Home, scope: str | None) -> str:
    """The slug of a scope: as named, else the project of the home, else `global`."""
    if scope is None:
        return home.project or GLOBAL
    known = {info.name for info in home.store.stores()} | {GLOBAL}
    return scope if scope in known else home.projects.find(scope).slug


def _import(home: Home, place: Path, wish: _Wish) -> list[Imported] | Loaded:
    kind = wish.kind
    if place.is_file() and is_archive(place):
        with tempfile.TemporaryDirectory(prefix="reverie-") as scratch:
            unpack(place, Path(scratch))
            return _import(home, Path(scratch), wish)
    if kind == REVERIE or (kind is None and place.is_dir() and is_export(place)):
        return load(home.store, place, dry_run=wish.dry_run)
    return _take_over(home, [(source_for(place, kind).kind, place)], wish)


def _claude_code_folders(home: Home) -> list[Path]:
    if why := switched_off(home.config.environ):
        raise Refused(
            f"Claude Code's memory is switched off: {why}",
            hint="name a folder to import it all the same",
        )
    folders = memory_folders(home.config.environ)
    if not folders:
        raise NotFound("Claude Code keeps no memory here", hint="name a folder to import")
    return folders


def _take_over(home: Home, places: Sequence[tuple[str, Path]], wish: _Wish) -> list[Imported]:
    target, by = _target(home, wish), home.asker.actor
    results: list[Imported] = []
    for kind, place in places:
        contents = source_for(place, kind).read(place, target)
        what = f"{kind} {place}"
        done = take_over(home.store, contents, what, home.redact, by, dry_run=wish.dry_run)
        results.append(done)
        wish.took(place, done)
    return results


def _target(home: Home, wish: _Wish) -> Target:
    def slug_of(name: str) -> str:
        try:
            return home.projects.find(name).slug
        except NotFound:
            return name

    def slug_at(cwd: str) -> str:
        return home.projects.expected(cwd).slug

    project = _named(home, wish.store, wish) if wish.store else home.project or GLOBAL
    fixed = wish.store is not None
    pins = home.asker.trust == "user"
    return Target(project, home.now[:10], slug_of, slug_at, fixed, home.redact, pins)


def _named(home: Home, store: str, wish: _Wish) -> str:
    """The store to put everything into; a new name makes one, a misspelt one does not."""
    try:
        return home.store.resolve_store(store).name
    except Ambiguous:
        raise
    except NotFound as error:
        if "did you mean" in (error.hint or ""):
            raise
    if not wish.dry_run:
        home.store.ensure_store(store)
        wish.made(store)
    return store


def _place(home: Home, source: str | Path) -> Path:
    place = Path(home.folder, expanded(str(source), home.config.environ))
    if not place.exists():
        raise InvalidInput(f"there is no {source}")
    return place
