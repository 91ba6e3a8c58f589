"""Remembering: the one road on which what somebody says becomes a memory.

Secrets go, dates become absolute, what code or git say already is refused; then type, store and
name are settled, and what is known already is not written a second time.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from reverie.data import patterns
from reverie.documents import bodies
from reverie.documents.dates import absolute_dates
from reverie.documents.document import Document
from reverie.documents.vocabulary import GLOBAL, type_of_kind
from reverie.errors import Archived, InvalidInput, NotWorthKeeping
from reverie.home import Home
from reverie.learn.memories.candidate import name_from
from reverie.operations import reach
from reverie.operations.forgotten import said_anew
from reverie.sessions.projects import locate
from reverie.store import roads
from reverie.store.library import Item
from reverie.store.roads import Road

_DESCRIPTION = 150
_RE = patterns("statements.txt", "remembering")
_INSTRUCTION_FILES = ("CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md")
_REASONS = {
    "cli": "remembered by hand",
    "shell": "remembered in an agent's shell",
    "script": "remembered by a script",
    "mcp": "remembered through MCP",
}


class Manner(NamedTuple):
    """In what the two ways of remembering differ: at a keyboard, and through an agent's tool."""

    local_day: bool  # "today" is the speaker's day, in reasons too; else Greenwich's, in the text
    weighed: bool  # what an instruction file says is not kept
    guessed: bool  # a type nobody gave is guessed from the words
    anywhere: bool  # any known store; else the project's own and `global`, with the asker's rights
    support: int  # sessions it counts as resting on
    road: Road  # what is checked on the way into the store


TYPED = Manner(
    local_day=True, weighed=True, guessed=True, anywhere=True, support=0, road=roads.TYPED
)
THROUGH_MCP = Manner(
    local_day=False,
    weighed=False,
    guessed=False,
    anywhere=False,
    support=1,
    road=roads.THROUGH_MCP,
)


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
    manner: Manner = TYPED,
) -> Remembered:
    """Keep `text` as a memory with the trust of whoever asks.

    Args:
        type: What it is about; that of the kind, or a guess, if absent.
        scope: `global`, or a project's slug; the project of the home if absent.
        section: Which part of the user's profile; makes it a memory about the user.
        name: Its name; derived from the text if absent.
        store: Write to this store instead of the one it belongs to.

    Raises:
        InvalidInput: the text is empty, or the name holds a secret.
        NotWorthKeeping: code, git or an instruction file say it already.
        NotFound: no such scope or store.
        Archived: the store takes no changes.
        PathTaken: another memory has the name that was given.
        Refused: a person had it forgotten, and whoever asks has not the word of one.
    """
    if manner.anywhere:
        if not text.strip():
            raise InvalidInput("there is nothing to remember")
        refuse_secret(home, name or "")
    said = _clean(home, Said(text, why, how), manner)
    _refuse_derivable(home, said, manner)
    guess = guess_type(said.rule) if manner.guessed else "project"
    chosen = "user" if section else type or type_of_kind(kind or "") or guess
    place = _place(home, chosen, scope, store, manner)
    document = Document(
        name="",
        description=describe(said.rule) if manner.anywhere else " ".join(said.rule.split())[:200],
        type=chosen,
        kind=kind or "",
        scope=place.scope,
        section=section or "",
        created=home.now[:10],
        pinned=pin,
        trust=home.asker.trust,
        support=manner.support,
        body=bodies.compose(said.rule, said.why, said.how),
    )
    said_anew(home, place.store, document.description)
    free = _name(home, place.store, name, said.rule, manner)
    return _write(home, place.store, document, free, manner)


def refuse_secret(home: Home, name: str) -> None:
    """Names are shown everywhere and stay in the history, so a secret cannot be one.

    Raises:
        InvalidInput: the name holds a secret.
    """
    if home.redact(name) != name:
        raise InvalidInput("the name holds a secret", hint="choose another name")


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
    if _RE.about_me.search(text):
        return "user"
    if _RE.way_of_working.search(text):
        return "feedback"
    return "reference" if _RE.pointer.search(text) else "project"


def _clean(home: Home, said: Said, manner: Manner) -> Said:
    now = home.clock()
    if manner.local_day:
        # "Today" is the speaker's day, not Greenwich's.
        here = now.astimezone()
        return Said(
            *(home.redact(absolute_dates(part.strip(), here)) if part else "" for part in said)
        )
    rule, why, how = (home.redact(part).strip() for part in said)
    return Said(absolute_dates(rule, now), why, how)


def _refuse_derivable(home: Home, said: Said, manner: Manner) -> None:
    instructions = _instructions(home) if manner.weighed else ""
    excluded = roads.excluded(manner.road, said.rule, said.why, instructions=instructions)
    if excluded is not None:
        refusal = "not kept: " if manner.weighed else ""
        raise NotWorthKeeping(refusal + excluded.reason, hint=excluded.instead)


def _instructions(home: Home) -> str:
    """What the instruction files of the repository say; read as text, never obeyed."""
    root = Path(locate(home.folder).root)
    found: list[str] = []
    for name in _INSTRUCTION_FILES:
        file = root / name
        if file.is_file():
            with file.open(encoding="utf-8", errors="replace") as stream:
                found.append(stream.read(65_536))
    return "\n".join(found)


def _place(home: Home, type_: str, scope: str | None, store: str | None, manner: Manner) -> Place:
    if not manner.anywhere:
        shared = type_ == "user" or scope == GLOBAL
        target = GLOBAL if shared else home.here.slug
        return Place(target, target)
    if scope:
        where = _known_scope(home, scope)
    else:
        where = GLOBAL if type_ == "user" or home.project is None else home.project
    target = GLOBAL if type_ == "user" else where
    if store:
        target = store if store in (GLOBAL, home.project) else _live(home, store)
    return Place(target, where)


def _known_scope(home: Home, given: str) -> str:
    """`given` must exist: a slip of the pen would make a store that nothing ever reads."""
    if given in (GLOBAL, home.project) or any(s.name == given for s in home.store.stores()):
        return given
    return home.projects.find(given).slug


def _live(home: Home, store: str) -> str:
    found = home.store.find_store(store)
    if found.archived_at:
        raise Archived(f"the store {found.name} is archived", hint="it can be read, not written")
    return found.name


def _write(home: Home, store: str, document: Document, name: str, manner: Manner) -> Remembered:
    named = replace(document, name=name).validate()
    if manner.anywhere:
        if store == home.project:
            reach.enter_project(home)
        acting, target = home.store, store
    else:
        target = reach.make_store(home, store).id
        acting = reach.acting(home)
    by = home.asker.author(_reason(home))
    done = roads.enter(acting, target, f"/{name}.md", named, by, manner.road)
    return Remembered(Item(store, done.here), created=done.change == "created")


def _name(home: Home, store: str, given: str | None, text: str, manner: Manner) -> str:
    if not manner.anywhere:
        words = re.findall(r"[a-z0-9]+", (home.redact(given or "") or text).lower())
        return "-".join(words[:8])[:60].strip("-") or "memory"
    if given:
        return given.removesuffix(".md")
    home.store.ensure_store(store)
    return home.library.free_name(name_from(text), store)


def _reason(home: Home) -> str:
    return _REASONS.get(home.asker.surface, f"remembered through {home.asker.surface}")
