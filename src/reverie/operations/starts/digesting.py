"""Digesting: what a session that begins now is told of this project."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from reverie.clock import iso
from reverie.home import Home
from reverie.operations import reach

if TYPE_CHECKING:
    from reverie.recall.digest import Digest, Lesson

_MOST = 400  # lessons of each sort that are looked at; far more than fit
_LAST_TIME = 90  # characters of each line of it


class Scope(NamedTuple):
    """Whose lessons are told."""

    project: str  # slug; "" for what holds everywhere
    stores: tuple[str, ...]  # ids
    unreviewed: bool = True  # what nobody decided about, and the last session, as settings say


def digest(home: Home, *, budget: int | None = None) -> "Digest":
    """What a session that begins here is told, in `digest.budget` characters."""
    stores = tuple(info.id for info in reach.stores(home))
    return composed(home, Scope(home.here.slug, stores), budget)


def project_scope(home: Home, slug: str) -> Scope:
    """The project and the shared memory; without a slug, the shared memory alone."""
    from reverie.store.access import of_project

    stores = of_project(home.database, slug, reach.GLOBAL)
    return Scope(slug, tuple(info.id for info in stores))


def confirmed_scope(home: Home, slug: str = "") -> Scope:
    """Only what is remembered of one project, or, without a slug, of all of them."""
    name = slug or reach.GLOBAL
    stores = tuple(info.id for info in home.store.stores() if info.name == name)
    return Scope(slug, stores, unreviewed=False)


def composed(home: Home, scope: Scope, budget: int | None = None) -> "Digest":
    """The best lines of a scope; none of a project in `digest.ignore_projects`.

    Raises:
        InvalidInput: a budget without room for a character.
    """
    from reverie.errors import InvalidInput
    from reverie.recall import digest as composing

    settings = home.settings.digest
    size = settings.budget if budget is None else budget
    if size < 1:
        raise InvalidInput("a digest has at least one character")
    if is_ignored(home, scope.project):
        return composing.Digest(scope.project, "", ())
    spoken = scope.unreviewed and bool(scope.project)
    told_unasked = spoken and settings.unconfirmed
    memories = list(_memories(home, scope, unconfirmed=told_unasked))
    told_at: dict[str, str] = {}
    for lesson in memories:
        for place in lesson.entry.evidence:
            told_at[place] = f"{told_at.get(place, '')}\n{lesson.line}"
    waiting = _unconfirmed(home, scope, told_at) if told_unasked else ()
    last = _last_time(home, scope.project) if spoken and settings.last_time else ()
    return composing.digest(scope.project, [*memories, *waiting], size, last)


def every_id(home: Home) -> list[str]:
    """The ids of all that could be told here."""
    scope = project_scope(home, home.here.slug)
    memories = list(_memories(home, scope, unconfirmed=True))
    return [lesson.entry.id for lesson in (*memories, *_unconfirmed(home, scope, {}))]


def is_ignored(home: Home, slug: str) -> bool:
    """Whether a project is to be told nothing, by its slug, its name or a path of it."""
    from reverie.errors import Ambiguous, NotFound

    for reference in home.settings.digest.ignore_projects if slug else ():
        try:
            if slug == reference or home.projects.find(reference).slug == slug:
                return True
        except (NotFound, Ambiguous):
            continue
    return False


def _memories(home: Home, scope: Scope, *, unconfirmed: bool) -> "Iterable[Lesson]":
    """What is remembered in its stores: a person's word, and if it is wanted what an engine of
    theirs worded from their turns and they were not asked about yet."""
    from reverie.learn.statements.gist import fit_to_tell
    from reverie.recall.digest import Lesson, shown
    from reverie.recall.memories import Memories, Wanted

    memories = Memories(home.database, home.index_database)
    memories.follow(scope.stores)
    # It is told later than it is made: what ends within a day may be over by then.
    now = home.clock()
    wanted = Wanted(scope.stores, (), "", iso(now), iso(now + timedelta(days=1)))
    asked = _unconfirmed_names(home, scope.project) if unconfirmed else set[str]()
    contested = _contested_names(home)
    for entry in memories.best(wanted, _MOST, rules=False):
        # What a later word may have overturned is not told as if nothing had been said since; but
        # only a person takes back what a person said.
        confirmed = entry.trust == "user"
        if not confirmed and contested.get(entry.id):
            continue
        tellable = confirmed or entry.id in asked
        line = shown(entry.title or entry.text) if tellable else ""
        if line and (entry.trust == "user" or fit_to_tell(line)):
            yield Lesson(entry, line, confirmed=confirmed)


def _unconfirmed_names(home: Home, project: str) -> set[str]:
    """The memories that an engine worded of a person's turns, and they were not asked about yet."""
    return set(_names(home, home.queue.unconfirmed(project)).values())


def _contested_names(home: Home) -> dict[str, bool]:
    """The memories that something which waits would replace, and whether that is told itself."""
    contested = home.queue.contested()
    return {name: contested[place] for place, name in _names(home, contested).items()}


def _names(home: Home, places: "Iterable[tuple[str, str]]") -> dict[tuple[str, str], str]:
    """What memories are called, by store and id."""
    from reverie.errors import NotFound
    from reverie.store.library import Item

    names: dict[tuple[str, str], str] = {}
    for store, memory_id in places:
        with suppress(NotFound):
            names[store, memory_id] = Item(store, home.store.get(store, memory_id)).name
    return names


def _unconfirmed(home: Home, scope: Scope, told_at: "Mapping[str, str]") -> "Iterable[Lesson]":
    """What the person said in sessions of the project, and nobody decided or thought about.

    `told_at` is what memories say of what was said at some places; the rest of it is still to tell.
    """
    from reverie.learn.work.assignments import Assignments
    from reverie.recall.digest import Lesson, shown
    from reverie.recall.pack import covers
    from reverie.recall.relevance import TermCounts
    from reverie.recall.sources import Candidates
    from reverie.recall.sources import Scope as Searched

    searched = Searched(scope.project, (), (), "", iso(home.clock()))
    candidates = Candidates(home.database, home.index_database, searched, TermCounts())
    refused = _refused(home, scope.stores)
    thought = Assignments(home.database, home.clock).finished("session")
    for gist, entry in candidates.teaching(_MOST):
        if entry.id in refused or thought.covers(entry.id):
            continue
        told_of_it = told_at.get(entry.id, "")
        words = gist if not covers(told_of_it, gist) else _rest(home, entry.id, told_of_it)
        if line := shown(words):
            yield Lesson(entry, line, confirmed=False)


def _rest(home: Home, evidence: str, told_of_it: str) -> str:
    """What else a turn states that lasts, and that is not told of it yet; "" for nothing."""
    from reverie.learn.statements.gist import fit_to_tell
    from reverie.recall.pack import covers
    from reverie.sessions.derived import Chosen
    from reverie.sessions.statements import statements

    session, _, line = evidence.rpartition("#")
    chosen = Chosen(home.index_database, (session,))
    rest = [
        row
        for row in statements(chosen, lasting=True, since=int(line))
        if row.evidence == evidence and row.trust == "user" and fit_to_tell(row.rule)
        if not covers(told_of_it, row.rule)
    ]
    return max(rest, key=lambda row: (row.standing, row.worth)).rule if rest else ""


def _refused(home: Home, stores: Iterable[str]) -> set[str]:
    """Evidence of what a person rejected, or let go of."""
    from reverie.documents.document import load
    from reverie.documents.vocabulary import ASIDE

    rejected = home.queue.rejected_evidence()
    for store in stores:
        for memory in home.store.walk(store, prefix=ASIDE[0]):
            rejected.update(load(memory.content or "").evidence)
    return rejected


def _last_time(home: Home, slug: str) -> "list[str]":
    """What the last session was about, how it ended, and what was left open of it."""
    import json

    from reverie.language.clauses import bare_of, begins_lasting
    from reverie.language.frames import is_labelled, states_duty
    from reverie.language.words import words
    from reverie.sessions.diaries import last_diary
    from reverie.sessions.forgotten import Said, forgotten

    last = last_diary(home.index_database, slug)
    if last is None:
        return []
    data = json.loads(last.data)
    # What reads like a rule is told as one, with its mark, or not at all.
    told = data.get("title_by") == "human" and not (
        states_duty(last.title)
        or begins_lasting(bare_of(words(last.title)))
        or is_labelled(last.title, last.title)
    )
    asked = f": {last.title}" if told else ""
    lines = [f"{last.day}{asked}", f"It ended: {last.outcome}."]
    # Only the name: what a tool printed, or an agent wrote, is told to nobody unasked.
    left = [name for part in data["approaches"] if (name := part.get("failing"))]
    if left:
        lines.append(f"Open: `{left[-1]}` failed")
    gone = forgotten(home.database, [Said(line, slug, (line,), at=last.day) for line in lines])
    kept = [line for line in lines if line not in gone]
    return [line if len(line) <= _LAST_TIME else f"{line[: _LAST_TIME - 1]}…" for line in kept]
