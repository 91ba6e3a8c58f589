"""Starting: what a session is told when it begins, prepared beforehand.

The hook that tells it only reads a file (`reverie.handover`), so whatever could change a line has
it prepared anew. Each file keeps what it was made from, and is made again only when that changed.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from reverie.errors import ReadOnly, Unavailable
from reverie.files import replace_file
from reverie.handover import ELSEWHERE, LONGEST, is_ours, prepared, project_key, seal_of
from reverie.home import Home
from reverie.privacy import seal_key
from reverie.sealing import Sealer

if TYPE_CHECKING:
    from reverie.recall.digest import Digest

Consent = Literal["yes", "no", "unasked", "earlier"]

_FORM = 2  # of what is written; another one is prepared anew


class Place(NamedTuple):
    """Where sessions begin."""

    key: str
    project: str  # slug; "" for every place that no project is known of


def refresh(home: Home) -> None:
    """Prepare what is told wherever that may have changed; nothing unless the user said yes.

    While another process writes the index, or on a read-only or full disk, what is prepared stays
    as it is. So it does for a database that only a variable names: hooks tell what the home holds.
    """
    if home.config.is_borrowed:
        return
    with suppress(Unavailable, ReadOnly, OSError):
        if not home.settings.hooks.digest:
            from shutil import rmtree

            rmtree(_folder(home), ignore_errors=True)
            return
        _prepare(home)
        from reverie.operations.starts import instructing

        instructing.renew(home)


def consent(home: Home) -> Consent:
    """What the user answered when they were asked for the digest.

    A yes to the standing rules of an earlier version is none to the digest.
    """
    import tomllib

    if home.settings.hooks.digest:
        return "yes"
    try:
        with open(home.config.file, "rb") as file:
            hooks = tomllib.load(file).get("hooks", {})
    except FileNotFoundError:
        return "unasked"
    if "digest" in hooks:
        return "no"
    return "earlier" if hooks.get("standing_rules") else "unasked"


def write_due(home: Home, sentence: str) -> None:
    """Leave (or, with "", take away) a sentence for the person, told at most once a day."""
    file = home.config.home / "due"
    if sentence:
        replace_file(file, sentence)
    else:
        file.unlink(missing_ok=True)


def read_due(home: Home) -> str:
    """The sentence that waits for the person."""
    try:
        return (home.config.home / "due").read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def told_here(home: Home) -> "dict[str, Any]":
    """What is prepared for the asker's folder; nothing where that is not to be told."""
    if not home.settings.hooks.digest:
        return {}
    folder = str(home.config.home)
    return _read(folder, project_key(home.folder)) or _read(folder, ELSEWHERE)


def top_lines(home: Home, limit: int) -> str:
    """The beginning of what is prepared here, for who has no more room; noted as told."""
    from reverie.recall.digest import CLOSE, HEADINGS

    content = told_here(home)
    lines = str(content.get("text", "")).splitlines()
    kept, size = list[str](), len(CLOSE)
    for line in lines[:-1]:
        size += len(line) + 1
        if size > limit:
            break
        kept.append(line)
    while kept and kept[-1] in HEADINGS.values():
        kept.pop()
    note = json.loads(content.get("note") or "{}")
    entries = note.get("entries", [])
    lessons = min(len(entries), sum(line not in HEADINGS.values() for line in kept[2:]))
    if not lessons:
        return ""
    text = "\n".join([*kept, CLOSE])
    note |= {"entries": entries[:lessons], "characters": len(text)}
    _leave_note(home, note)
    return text


def _leave_note(home: Home, note: dict[str, Any]) -> None:
    """As hooks do: it is entered in the ledger when there is time."""
    name = f"{int(home.clock().timestamp() * 1e9):020d}-{os.getpid()}.json"
    content = {"session": home.asker.session, "event": home.asker.surface, "note": json.dumps(note)}
    with suppress(OSError):
        replace_file(home.make_home() / "spool" / "told" / name, json.dumps(content))


def _prepare(home: Home) -> None:
    places = list(_places(home))
    state = _State(home)
    sealer = Sealer(lambda: seal_key(home.config.home))
    kept = {f"{place.key}.json" for place in places}
    for place in places:
        stamp = state.of(place.project)
        if _read(str(home.config.home), place.key).get("stamp") != stamp:
            content = _content(_digest(home, place), stamp)
            content["seal"] = seal_of(sealer, place.key, content)
            file = Path(prepared(str(home.config.home), place.key))
            replace_file(file, json.dumps(content, sort_keys=True))
    for file in _folder(home).glob("*.json"):
        if file.name not in kept:
            file.unlink(missing_ok=True)
    # What 0.1.0 had prepared; nobody reads it any more.
    (home.config.home / "start.json").unlink(missing_ok=True)


def _places(home: Home) -> Iterator[Place]:
    """Every root on this machine, one of each key, and any other place."""
    places = {
        project_key(root): project.slug
        for project in home.projects.all()
        for root in project.roots
        if os.path.isdir(root)
    }
    for reference in home.settings.digest.ignore_projects:
        if os.path.isabs(reference) and os.path.isdir(reference):
            places.setdefault(project_key(reference), "")
    for key, slug in sorted(places.items()):
        yield Place(key, slug)
    yield Place(ELSEWHERE, "")


def _digest(home: Home, place: Place) -> "Digest | None":
    from reverie.operations.starts import digesting

    unknown = not place.project and place.key != ELSEWHERE
    if unknown or not (home.exists or home.config.has_index):
        return None
    scope = digesting.project_scope(home, place.project)
    return digesting.composed(home, scope, min(home.settings.digest.budget, LONGEST))


def _content(digest: "Digest | None", stamp: str) -> dict[str, str]:
    lines = digest.lines if digest else ()
    note = {
        "project": digest.project if digest else "",
        "characters": len(digest.text) if digest else 0,
        "entries": [[line.entry.id, list(line.entry.evidence), len(str(line))] for line in lines],
    }
    return {
        "stamp": stamp,
        "text": digest.text if digest else "",
        # Carried by the hook as it is.
        "note": json.dumps(note),
        "handles": json.dumps({line.handle: line.entry.id for line in lines}),
    }


class _State:
    """What a digest depends on, as one short text for each project."""

    def __init__(self, home: Home) -> None:
        from reverie.sessions.forgotten import deeds_so_far
        from reverie.sessions.schema import times_written

        self._home = home
        written = times_written(home.index_database) if home.config.has_index else 0
        self._shared: list[Any] = [_FORM, written, _fields(home)]
        self._sequences: dict[str, int] = {}
        if home.exists:
            queue, labels = home.queue, home.labels
            self._shared += [queue.last_decision(), labels.last_given()]
            self._shared.append(deeds_so_far(home.database))
            self._sequences = home.store.sequences()

    def of(self, slug: str) -> str:
        from hashlib import sha256

        from reverie.operations.starts import digesting

        stores = digesting.project_scope(self._home, slug).stores if self._sequences else ()
        ours = [(store, self._sequences.get(store)) for store in stores]
        return sha256(repr((*self._shared, slug, ours)).encode()).hexdigest()[:16]


def _fields(home: Home) -> list[Any]:
    settings = home.settings.digest
    return [getattr(settings, name) for name in sorted(settings.__slots__)]


def _folder(home: Home) -> Path:
    return home.config.home / "digests"


def _read(home: str, key: str) -> dict[str, Any]:
    """What is prepared for a place; nothing if somebody else wrote it."""
    try:
        parsed = json.loads(Path(prepared(home, key)).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    content = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    return content if is_ours(home, key, content) else {}
