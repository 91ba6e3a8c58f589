"""Reach: the stores whoever asks may use, and with whose rights.

The owner looks into any store; an agent acts as the project it works in (and as itself), checked by
the store at every access.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from reverie.documents.vocabulary import GLOBAL
from reverie.errors import InvalidInput, NotFound, ReadOnly, Refused
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.learn.memories.quotes import Quote
    from reverie.store.library import Item
    from reverie.store.model import Access, Memory, StoreName, Version
    from reverie.store.store import Store

_VERSIONS = 20


class Grounds(NamedTuple):
    """What a memory rests on, as far as whoever asks may see it."""

    item: "Item"
    quotes: "list[Quote]"
    versions: "tuple[Version, ...]"  # newest first
    elsewhere: int = 0  # sources in other projects, whose words are not shown


def acting(home: Home) -> "Store":
    """The stores with the rights of whoever asks."""
    return _acting(home)[0]


def _acting(home: Home) -> "tuple[Store, list[StoreName]]":
    """The stores with those rights, and what more may be read where nothing can be written."""
    if home.asker.agent is None or home.asker.guest:
        return home.store, []
    from reverie.store.model import Principal

    slug = home.here.slug
    principals = [Principal("project", slug)]
    if home.asker.agent:
        principals.append(Principal("agent", home.asker.agent))
    more = home.store.introduce(slug, (slug, GLOBAL))
    return home.store.acting_as(*principals), more


def stores(home: Home) -> "list[StoreName]":
    """The stores of the project: its own, `global`, and what is attached to it; by name.

    To be read: on a read-only disk, one that could not be attached is among them.
    """
    if home.asker.agent is not None:
        from reverie.store.model import StoreName

        store, more = _acting(home)
        return sorted({*more, *(StoreName(info.name, info.id) for info in store.stores())})
    from reverie.store.access import of_project

    return of_project(home.database, home.here.slug, GLOBAL)


class Described(NamedTuple):
    """A store as whoever asks may use it, and what they are told about it."""

    name: str
    access: "Access"
    description: str
    instructions: tuple[str, ...] = ()


def described(home: Home) -> list[Described]:
    """The stores of the project, by name, with what a person said about each and its use."""
    asked, ids = acting(home), {info.id for info in stores(home)}
    instructions: dict[str, list[str]] = {}
    only: set[str] = set()
    for attachment in asked.attachments():
        if home.asker.agent is not None or attachment.principal == ("project", home.here.slug):
            instructions.setdefault(attachment.store_id, []).append(attachment.instructions)
            only |= {attachment.store_id} if attachment.access == "read_only" else set()
    return [
        Described(
            info.name,
            "read_only" if info.id in only else "read_write",
            "" if info.by_key else info.description,
            tuple(dict.fromkeys(filter(None, instructions.get(info.id, ())))),
        )
        for info in sorted(asked.stores(), key=lambda info: (info.name, info.id))
        if info.id in ids
    ]


def find_store(home: Home, name: str) -> "StoreName":
    """One of `stores` by its name; others do not exist here.

    Raises:
        NotFound: the project has none of that name.
    """
    for info in stores(home):
        if info.name == name:
            return info
    raise NotFound(f"there is no store {name!r} in this project")


def own_store(home: Home) -> str:
    """Where a fact of this folder belongs: its project's store, or `global` outside of any.

    A folder that nobody worked in yet becomes a project with its first memory; a home, or what
    lies above it, does not. A guest has no folder, but perhaps one store.

    Raises:
        InvalidInput: a guest may write into none or several stores, and named none.
    """
    if home.asker.guest:
        may = [store.name for store in described(home) if store.access == "read_write"]
        if len(may) != 1:
            raise InvalidInput("name the store", hint=", ".join(may) or "none takes a change")
        return may[0]
    from reverie.sessions.layouts import is_common

    if home.project is None and is_common(home.folder, home.user_home):
        return GLOBAL
    return home.here.slug


def make_store(home: Home, name: str) -> "StoreName":
    """The store of that name, made on the first write.

    Raises:
        NotFound: an agent asks, and it is neither its project's, nor `global`, nor attached.
        ReadOnly: nothing can be written.
    """
    if _acting(home)[1]:
        raise ReadOnly("the memories can be read but not written")
    if home.asker.agent is not None:
        try:
            return find_store(home, name)
        except NotFound:
            taken = any(info.name == name for info in home.store.stores())
            if taken or home.asker.guest or name not in (home.here.slug, GLOBAL):
                raise
    from reverie.store.model import StoreName

    if name == home.here.slug:
        enter_project(home)
    made = home.store.ensure_store(name)
    return StoreName(made.name, made.id) if home.asker.agent is None else find_store(home, name)


def enter_project(home: Home) -> None:
    """A project that gets its first memory keeps its slug: no other folder of that name has it."""
    if home.named is None and home.projects.at(home.folder) is None:
        # Saved under the index's lock.
        with home.index.atomic():
            home.projects.identify(home.folder)
        home.entered()


def find_memory(home: Home, name: str) -> "Item":
    """A memory within reach, by path, name or `store/path`.

    Raises:
        NotFound: there is none.
    """
    from reverie.store.library import Item

    asked = acting(home)
    for info in stores(home):
        bare = name.removeprefix("/memories/").removeprefix(f"{info.name}/")
        path = "/" + bare.removeprefix("/")
        for candidate in (path, f"{path}.md"):
            try:
                return Item(info.name, asked.get(info.id, candidate))
            except NotFound:
                continue
    raise NotFound(f"no memory {name!r} in this project")


def grounds(home: Home, name: str) -> Grounds:
    """Why a memory within reach says what it says: its sources, and every change to it."""
    return grounds_of(home, find_memory(home, name))


def grounds_of(home: Home, item: "Item") -> Grounds:
    """As `grounds`, of a memory that was found already."""
    from reverie.learn.memories.quotes import quotes

    kept = quotes(home.database, item.document.evidence).values()
    versions = acting(home).versions(item.memory.store_id, item.memory.id, limit=_VERSIONS).items
    by_time = sorted(kept, key=lambda quote: (quote.at, quote.id))
    if home.asker.agent is None:
        return Grounds(item, by_time, versions)
    ours = _sessions_of(home, item)
    shown = [quote for quote in by_time if ours(quote.session)]
    # A reason may name what was said where the memory came from.
    own_words = item.store != GLOBAL and not home.asker.guest
    visible = tuple(
        version
        if own_words or version.actor == home.asker.actor or ours(version.actor.id)
        else version._replace(reason="")
        for version in versions
    )
    return Grounds(item, shown, visible, len(by_time) - len(shown))


def day_of(since: str) -> str:
    """The ISO day of a moment that somebody named; "" for none.

    Raises:
        InvalidInput: it is no moment.
    """
    from reverie.clock import iso, parse_iso

    return iso(parse_iso(since))[:10] if since else ""


def refuse_protected(home: Home, item: "Item") -> None:
    """Leave what a person said or pinned to a person, through whichever surface.

    Raises:
        Refused: it is, and whoever asks has not the word of one.
    """
    from reverie.store.access import protected, protection

    if home.asker.trust != "user" and protected(item.memory):
        raise protection(item.memory)


def refuse_pin(home: Home) -> None:
    """Leave pins to a person, through whichever surface: a pin makes a rule of what it is on.

    Raises:
        Refused: whoever asks has not the word of one.
    """
    if home.asker.trust != "user":
        raise Refused("only a person pins", hint="in a terminal of your own: `reverie pin NAME`")


def readable_content(home: Home, store: str, memory: "Memory") -> str:
    """What a memory says to whoever asks.

    What was learned into `global` may quote the session it comes from; an agent reads it without.
    """
    from reverie.documents.bodies import without_quotes
    from reverie.store.library import Item

    if home.asker.agent is None or store != GLOBAL or not Item(store, memory).document.evidence:
        return memory.content
    return without_quotes(memory.content)


def _sessions_of(home: Home, item: "Item") -> Callable[[str], bool]:
    """Whether a session is one of this project.

    One that the index no longer knows is, if the memory lies in the project's own store. A guest
    has sessions instead of a project.
    """
    if home.asker.guest:
        return home.guest_sees
    from reverie.sessions.query import projects_of_sessions

    here = home.here.slug
    projects = projects_of_sessions(home.index_database)
    unknown = here if item.store == here else None
    return lambda session: projects.get(session, unknown) == here
