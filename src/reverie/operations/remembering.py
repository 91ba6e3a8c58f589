"""Remembering: the one road on which what somebody says becomes a memory.

Secrets go, dates become absolute, what code, git or CLAUDE.md say already is weighed; then type,
store and name are settled, and what is known already is not written a second time. The same words
make the same memory on every surface: whose word it is, and what they may reach, is all that
differs.
"""

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from reverie.clock import iso, parse_iso
from reverie.data import patterns
from reverie.documents import bodies
from reverie.documents.dates import absolute_dates
from reverie.documents.document import Document
from reverie.documents.exclusions import Exclusion
from reverie.documents.vocabulary import GLOBAL, type_of_kind
from reverie.errors import Archived, InvalidInput, NotWorthKeeping
from reverie.home import Home
from reverie.learn.memories.naming import name_from
from reverie.operations import reach
from reverie.operations.forgotten import said_anew
from reverie.operations.pausing import span_of
from reverie.privacy import redact_parts
from reverie.sessions.projects import locate
from reverie.store import roads
from reverie.store.library import Item
from reverie.store.roads import Road

_RE = patterns("statements.txt", "remembering")
_INSTRUCTION_FILES = ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md")
PROJECT = "project"  # the scope of what holds where it is said
_REASONS = {
    "cli": "remembered by hand",
    "shell": "remembered in an agent's shell",
    "script": "remembered by a script",
    "mcp": "remembered through MCP",
    "http": "remembered through the server",
}


class Said(NamedTuple):
    """What somebody says, without secrets and relative dates."""

    rule: str
    why: str
    how: str


class Place(NamedTuple):
    """Where a memory goes: the name of its store, and the scope it holds for."""

    store: str
    scope: str


class Remembered(NamedTuple):
    """A memory that was written now, or that said the same before."""

    item: Item
    created: bool
    confirmed: bool = False  # it was known from elsewhere, and is a person's word from now on
    derivable: Exclusion | None = None  # why it would not be kept if a person did not want it
    ended: tuple[Item, ...] = ()  # what it replaced, or said to be over: in the archive now

    @property
    def store(self) -> str:
        """The name of its store."""
        return self.item.store

    @property
    def path(self) -> str:
        return self.item.memory.path


def remember(
    home: Home,
    text: str,
    *,
    type: str | None = None,
    kind: str | None = None,
    scope: str | None = None,
    section: str | None = None,
    why: str = "",
    how: str = "",
    name: str | None = None,
    pin: bool = False,
    store: str | None = None,
    expires: str = "",
) -> Remembered:
    """Keep `text` as a memory with the trust of whoever asks.

    Args:
        type: What it is about; that of the kind, or a guess, if absent.
        scope: `global`, or a project's slug; the project of the home (`project`) if absent.
        section: Which part of the user's profile; makes it a memory about the user.
        name: Its name; derived from the text if absent.
        store: Write to this store instead of the one it belongs to.
        expires: When it no longer holds: after `30m`, `4h` or `2d`, or from an ISO moment or after
            a day on. It goes to the archive then.

    Raises:
        InvalidInput: the text is empty, the name holds a secret, or `expires` is no moment.
        NotWorthKeeping: an instruction file says it already; or code or git do, and no person asks.
        NotFound: no such scope or store.
        Archived: the store takes no changes.
        PathTaken: another memory has the name that was given.
        Refused: a person had it forgotten, or it shall be pinned, and whoever asks has not the word
            of one.
    """
    if pin:
        reach.refuse_pin(home)
    if not text.strip():
        raise InvalidInput("there is nothing to remember")
    for option in (name, scope, store):
        refuse_secret(home, option or "")
    words = _clean(home, Said(text, why, how))
    derivable = _derivable(home, words)
    chosen = "user" if section else type or type_of_kind(kind or "") or guess_type(words.rule)
    place = _place(home, chosen, scope, store)
    document = Document(
        name=_slug(name) if name else name_from(words.rule),
        description=bodies.describe(words.rule),
        type=chosen,
        kind=kind or "",
        scope=place.scope,
        section=section or "",
        created=_here(home).date().isoformat(),
        expires=_moment(home, expires),
        pinned=pin,
        trust=home.asker.trust,
        body=bodies.compose(words.rule, words.why, words.how),
    ).validate()
    said_anew(home, place.store, document.description)
    road = roads.SAID._replace(names=1) if name else roads.SAID
    done = _write(home, place.store, document, road)
    return done._replace(derivable=derivable)


def _moment(home: Home, text: str) -> str:
    """When something ends, as a document says it; a day stays one."""
    if not text:
        return ""
    if (span := span_of(text)) is not None:
        return iso(home.clock() + span)
    try:
        moment = parse_iso(text.strip())
    except InvalidInput:
        raise InvalidInput(
            f"{text!r} is no moment", hint="write 4h, 2d, 2026-11-30 or 2026-11-30T18:00Z"
        ) from None
    return text.strip() if len(text.strip()) == len("2026-11-15") else iso(moment)


def refuse_secret(home: Home, name: str) -> None:
    """Names are shown everywhere and stay in the history, so a secret cannot be one.

    Raises:
        InvalidInput: the name holds a secret.
    """
    if home.redact(name) != name:
        raise InvalidInput("the name holds a secret", hint="choose another name")


def guess_type(text: str) -> str:
    """About the person, a pointer to elsewhere, a way of working, else a fact of the project."""
    if _RE.about_me.search(text):
        return "user"
    if _RE.way_of_working.search(text):
        return "feedback"
    return "reference" if _RE.pointer.search(text) else "project"


def _here(home: Home) -> datetime:
    """Now, where the speaker is: "today" is their day, not Greenwich's."""
    return home.clock().astimezone()


def _clean(home: Home, words: Said) -> Said:
    # What was said is looked at as it was said: a date in the place of a word hides what is told.
    now = _here(home)
    clean = redact_parts((part.strip() for part in words), home.redact)
    return Said(*(absolute_dates(part, now) if part else "" for part in clean))


def _derivable(home: Home, words: Said) -> Exclusion | None:
    """Why code or git make it needless; a person may want it all the same, and has the last word.

    Raises:
        NotWorthKeeping: an instruction file says it, or no person asks.
    """
    excluded = roads.excluded(roads.SAID, words.rule, words.why, instructions=_instructions(home))
    if excluded is not None and (excluded.instructed or home.asker.trust != "user"):
        raise NotWorthKeeping("not kept: " + excluded.reason, hint=excluded.instead)
    return excluded


def _instructions(home: Home) -> str:
    """What the instruction files of the repository say; read as text, never obeyed."""
    root = Path(locate(home.folder).root)
    texts: list[str] = []
    for name in _INSTRUCTION_FILES:
        file = root / name
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as stream:
                texts.append(stream.read(65_536))
    return "\n".join(texts)


def _place(home: Home, type_: str, scope: str | None, store: str | None) -> Place:
    if home.asker.guest:
        granted = _live(home, store) if store else reach.own_store(home)
        return Place(granted, granted)
    if scope and scope != PROJECT:
        where = _known_scope(home, scope)
    else:
        where = GLOBAL if type_ == "user" else reach.own_store(home)
    target = GLOBAL if type_ == "user" else where
    if store:
        target = store if store in (GLOBAL, home.project) else _live(home, store)
    return Place(target, where)


def _known_scope(home: Home, scope: str) -> str:
    """`scope` must exist: a slip of the pen would make a store that nothing ever reads."""
    if scope in (GLOBAL, home.project) or any(s.name == scope for s in home.store.stores()):
        return scope
    return home.projects.find(scope).slug


def _live(home: Home, store: str) -> str:
    info = home.store.find_store(store)
    if info.archived_at:
        raise Archived(f"the store {info.name} is archived", hint="it can be read, not written")
    return info.name


def _write(home: Home, store: str, document: Document, road: Road) -> Remembered:
    target = reach.make_store(home, store).id
    by = home.asker.author(_reason(home))
    path = f"/{document.name}.md"
    done = roads.enter(reach.acting(home), target, path, document, by, road)
    item = Item(store, done.here)
    if done.change == "known" and home.asker.trust == "user" != item.memory.trust:
        # Theirs is what they said of it: the reasons and steps of others stay in its history.
        pinned = item.document.pinned or document.pinned
        confirmed = replace(document, name=item.document.name, pinned=pinned)
        return Remembered(home.library.rewrite(item, confirmed, by), created=False, confirmed=True)
    return Remembered(item, created=done.change == "created")


def _slug(name: str) -> str:
    """A name that somebody gave, as one of a file: nothing of it leads elsewhere."""
    words = re.findall(r"\w+(?:\.\w+)*", name.removesuffix(".md").lower())
    if not words:
        raise InvalidInput(f"{name!r} is no name", hint="letters and digits make one")
    return "-".join(words)


def _reason(home: Home) -> str:
    return _REASONS.get(home.asker.surface, f"remembered through {home.asker.surface}")
