"""Browsing: memories of all projects by what they are, sessions by when they were."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from reverie.home import Home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.recall.ledger import LedgerRow
    from reverie.recall.memories import Memories
    from reverie.recall.recall import Item as Recalled
    from reverie.recall.recall import Recall, Request
    from reverie.sessions.corrections import CorrectionRow
    from reverie.sessions.diaries import DiaryRow
    from reverie.sessions.fixes import Failure, FixRow
    from reverie.sessions.query import SessionRow
    from reverie.store.browsing import Shelf
    from reverie.store.library import Item

MOST_CHARACTERS = 40_000  # of an answer
MOST_FOUND = 200  # of what words find, the best
SHORTEST_PROMPT = 12  # characters; "yes" and "8" ask for nothing


class Told(NamedTuple):
    """A session, and what is known of its tasks."""

    session: "SessionRow"
    tasks: "list[DiaryRow]"


def memories(
    home: Home,
    *,
    words: str = "",
    store: str = "",
    type: str = "",
    trust: str = "",
    author: str = "",
    since: str = "",
    archived: bool = False,
    first: int = 0,
    limit: int = 50,
) -> "Shelf":
    """The memories that fit, the best first where there are words, else the latest.

    Raises:
        NotFound: there is no such store.
    """
    from reverie.store.browsing import Shelf, Sought, browse

    if not home.exists:
        return Shelf([], 0)
    if store:
        home.store.find_store(store)
    ids = _of_type(home, type) if type else None
    sought = Sought(store, trust, author, since, archived, ids)
    if not words.strip():
        return browse(home.store.context, sought, first, limit)
    query = f"{words.strip()}*" if words.strip()[-1].isalnum() else words
    hits = home.store.search(query, [store] if store else None, limit=MOST_FOUND)
    places = {hit.memory.id: place for place, hit in enumerate(hits)}
    ids = places.keys() if ids is None else places.keys() & ids
    items = browse(home.store.context, sought._replace(ids=ids), 0, MOST_FOUND).items
    items.sort(key=lambda item: places[item.memory.id])
    return Shelf(items[first : first + limit], len(items))


def stores(home: Home) -> list[str]:
    """The names of all stores; looking makes none."""
    return sorted(info.name for info in home.store.stores()) if home.exists else []


def _of_type(home: Home, type: str) -> set[str]:
    return _facts(home).of_type(type)


def get_ready(home: Home) -> None:
    """Take over what memories say of themselves: whoever filters by it first waits for nothing."""
    if home.exists:
        _facts(home)


def _facts(home: Home) -> "Memories":
    """What all memories say of themselves, as it is now."""
    from reverie.recall.memories import Memories

    facts = Memories(home.database, home.index_database)
    facts.follow([info.id for info in home.store.stores()])
    return facts


def days_ago(home: Home, days: int) -> str:
    """The ISO day so many days before now."""
    from datetime import timedelta

    from reverie.clock import iso

    return iso(home.clock() - timedelta(days=days))[:10]


def latest_sessions(
    home: Home,
    *,
    limit: int,
    first: int = 0,
    agent: str | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> "list[Told]":
    """Sessions, the newest first, each with what its diaries say of it in a line or two."""
    from reverie.sessions.diaries import diaries_of
    from reverie.sessions.query import latest

    rows = latest(home.index_database, agent, project, since, until, first=first, limit=limit)
    written = diaries_of(home.index_database, [row.key for row in rows])
    return [Told(row, written.get(row.key, [])) for row in rows]


def linking_to(home: Home, item: "Item") -> "list[Item]":
    """The memories of the same store that link to one, and of all where it is shared."""
    from reverie.documents.bodies import links

    name = item.document.name or item.name
    hits = home.store.search(f'"{name}"', [item.store], limit=MOST_FOUND)
    items = (type(item)(item.store, hit.memory) for hit in hits if hit.memory.id != item.memory.id)
    return [linking for linking in items if name in links(linking.document.body)]


def leading_from(home: Home, item: "Item") -> "list[Item]":
    """The memories that one links to, as far as they are there."""
    from reverie.documents.bodies import links
    from reverie.errors import ReverieError

    linked: dict[str, Item] = {}
    for name in links(item.document.body):
        try:
            target = home.library.find(f"{item.store}:{name}")
        except ReverieError:
            continue
        if target.memory.id != item.memory.id:
            linked.setdefault(target.memory.id, target)
    return list(linked.values())


def fixes_in(home: Home, session: str) -> "list[FixRow]":
    """What failed in one session and what then worked."""
    from reverie.sessions.derived import Chosen
    from reverie.sessions.fixes import fixes

    return fixes(Chosen(home.index_database, (session,)))


def corrected_after(home: Home, rows: "Sequence[LedgerRow]") -> dict[str, int]:
    """Id of a hand-over → how often its session was corrected after it, of sessions that are
    known by now."""
    from reverie.sessions.query import keys_of

    if not rows or not home.config.has_index:
        return {}
    keys = keys_of(home.index_database, {row.session for row in rows if row.session})
    counts: dict[str, int] = {}
    for row in rows:
        if row.session in keys and not row.refused:
            later = corrections_in(home, keys[row.session])
            counts[row.id] = sum(correction.at > row.at for correction in later)
    return counts


def how_many(home: Home) -> int:
    """Memories of all stores the asker may see, without pages of days and the archive."""
    from reverie.store.browsing import Sought, browse

    return browse(home.store.context, Sought(), 0, 0).fitting if home.exists else 0


def agents(home: Home) -> list[str]:
    """The agents whose sessions are known."""
    from reverie.sessions.query import agents_known

    return agents_known(home.index_database)


def diaries_in(home: Home, session: str) -> "list[DiaryRow]":
    """The diaries of one session, in order."""
    from reverie.sessions.diaries import diaries_of

    return diaries_of(home.index_database, [session]).get(session, [])


def diary_text(home: Home, diary: "DiaryRow") -> str:
    """What stands in a diary; "" when its file is gone."""
    from reverie.documents.document import parse
    from reverie.errors import NotFound

    try:
        return parse(home.store.get(diary.project, diary.path).content).body
    except NotFound:
        return ""


def corrections_in(home: Home, session: str) -> "list[CorrectionRow]":
    """What a person corrected in one session, as they labelled it themselves if they did."""
    from reverie.sessions.corrections import corrections
    from reverie.sessions.labels import Labels, as_labelled

    rows = corrections(home.index_database, session=session)
    labelled = as_labelled(rows, Labels(home.database).all()) if home.exists else rows
    return [row for row in labelled if row.label != "none"]


def past_prompts(home: Home, project: str, most: int) -> list[str]:
    """How people began their latest sessions in a project."""
    rows = latest_sessions(home, project=project, limit=most) if home.config.has_index else []
    openings = ((row.session.opening or "").strip() for row in rows)
    return [opening for opening in openings if len(opening) >= SHORTEST_PROMPT]


def left_out(home: Home, question: "Request", answer: "Recall", most: int) -> "list[Recalled]":
    """What was found for a question and not handed over, the nearest first: as if the gate were
    open and there were room for all."""
    from copy import copy
    from dataclasses import replace

    from reverie.operations.recalling import answered

    settings = home.settings
    wide = replace(settings.recall, good_enough=0.0, most_found=len(answer.items) + most)
    open_home = copy(home)  # with the rights of whoever asks, and what is open already
    open_home.config = replace(home.config, settings=replace(settings, recall=wide))
    handed = {entry.id for entry in answer.entries}
    wider = answered(open_home, question._replace(budget=MOST_CHARACTERS))
    items = [item for item in wider.items if item.part == "found" and item.entry.id not in handed]
    return items[:most]


def memories_by_day(home: Home, project: str = "") -> tuple[Counter[str], Counter[str]]:
    """How many memories were made and how many ended on each day, of one store or of all."""
    from reverie.store.browsing import begun_and_ended

    return begun_and_ended(home.store.context, project)


def failures(home: Home, project: str, most: int) -> "list[Failure]":
    """Calls that failed in several sessions before something else worked, the costliest first."""
    from reverie.sessions.fixes import recurring

    return recurring(home.index_database, project, most)


def state(home: Home) -> tuple[object, ...]:
    """What differs as soon as a session is read, a memory written, or something handed over."""
    from reverie.operations.recalling import ledger
    from reverie.sessions.corrections import count_corrections
    from reverie.sessions.labels import Labels
    from reverie.sessions.schema import times_written

    return (
        times_written(home.index_database),
        count_corrections(home.index_database),
        home.store.sequences(),
        ledger(home).length(),
        Labels(home.database).all(),
    )
