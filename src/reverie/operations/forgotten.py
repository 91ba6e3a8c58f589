"""Forgotten: a person lets go of a memory, a correction or a candidate, and the words stay away.

What says the same goes with it, in the archive and out of the queue; where it was said is neither
recalled nor learned from again. `restore` takes all of it back.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from reverie.documents.vocabulary import GLOBAL
from reverie.errors import InvalidInput, NotFound, Refused
from reverie.home import Home
from reverie.operations import keeping, reach
from reverie.sessions.forgotten import (
    Deed,
    Forgotten,
    Said,
    bury,
    deeds_of,
    lift,
    same_words,
)

if TYPE_CHECKING:
    from reverie.learn.memories.queue import Review
    from reverie.store.library import Item

CANDIDATE = "cand_"
_PLACE = re.compile(r"[\w.-]+:[^\s#]+#\d+(?:\.\d+)?")


class Forgot(NamedTuple):
    """What one `forget` took, or one `restore` gave back."""

    subject: str  # `STORE:NAME`, an evidence id or the id of a candidate
    items: "tuple[Item, ...]" = ()  # memories, the one that was named first
    reviews: tuple[str, ...] = ()  # what waited for review
    places: tuple[str, ...] = ()  # turns that are no longer told, or are again


class _Taken(NamedTuple):
    """What is to go, before it goes."""

    project: str  # where it holds; "" for everywhere
    texts: tuple[str, ...]
    places: tuple[str, ...]
    said_at: str = ""  # the last time any of it was said
    items: "tuple[Item, ...]" = ()
    reviews: tuple[str, ...] = ()  # ids


def forget(home: Home, reference: str, why: str = "") -> Forgot:
    """Let go of a memory, a correction (`agent:session#line`) or a candidate, with its words.

    Whoever has not the word of a person can only put a memory away: what the person said stays.

    Raises:
        NotFound, Ambiguous: none or several fit.
        InvalidInput: it is forgotten already.
        Refused: it is a person's, and whoever asks has not the word of one.
    """
    is_place = _PLACE.fullmatch(reference) is not None
    if reference.startswith(CANDIDATE) or is_place:
        if home.asker.trust != "user":
            raise Refused(
                "only a person can have something forgotten that a person said",
                hint=f"in a terminal of your own: `reverie forget {reference}`",
            )
        subject = _whole_id(home, reference) if is_place else reference
        taken = _turn(home, subject) if is_place else _candidate(home, subject)
        return _take(home, subject, taken, why)
    item = home.library.find(reference)
    if item.archived:
        raise InvalidInput(f"{item.name} is in the archive already")
    reach.refuse_protected(home, item)
    subject = f"{item.store}:{item.name}"
    if home.asker.trust != "user":
        gone = home.library.archive(item, home.asker.author(why or "forgotten"))
        return Forgot(subject, (gone,))
    return _take(home, subject, _memory(home, item), why)


def _take(home: Home, subject: str, taken: _Taken, why: str) -> Forgot:
    """Bury the words, archive, and strike off what waits; all of it or nothing."""
    from reverie.learn.work.assignments import forget_answers
    from reverie.store.library import Library

    queue = home.queue
    proposals = home.proposals
    waiting = tuple(review.id for review in queue.pending() if _says(review, taken))
    deed = Deed(
        "forget_" + os.urandom(8).hex(),
        taken.project,
        max(home.now, taken.said_at),
        taken.texts,
        taken.places,
        [item.memory.id for item in taken.items],
        waiting,
    )
    by = home.asker.author(why or "forgotten")
    before = Forgotten(home.database)
    with keeping.in_step(home), home.database.atomic() as tx:
        bury(tx, deed)
        forget_answers(tx)
        items = tuple(Library(home.store).archive(item, by) for item in taken.items)
        for review in waiting:
            queue.decide(review, "forgotten")
        known = Forgotten(home.database)
        for offer in proposals.pending():
            change = offer.change
            words = Said(offer.id, change.store, (change.title, change.after))
            if deed.id in known.deeds(words):
                proposals.decide(offer, "rejected", note="forgotten")
        _retell(home, before)
    return Forgot(subject, items, waiting, taken.places)


def _retell(home: Home, before: Forgotten) -> None:
    """Diaries and dailies that told what is forgotten now, or left out what no longer is."""
    from reverie.learn.daily.dailies import last_day
    from reverie.learn.diary.diaries import Diarist, as_told
    from reverie.learn.diary.diary import diary_from
    from reverie.sessions.derived import Chosen
    from reverie.sessions.diaries import diaries

    after = Forgotten(home.database)
    index = home.index_database
    days: set[str] = set()
    pairs = [(row, diary_from(row.data)) for row in diaries(Chosen(index))]
    other = [
        (row, diary) for row, diary in pairs if as_told(diary, before) != as_told(diary, after)
    ]
    for _, diary in other:
        days |= {diary.day, last_day(diary)}
    Diarist(home.store).renew(row for row, _ in other)
    home.dailies.renew(index, days)


def _says(review: "Review", taken: _Taken) -> bool:
    """Whether what waits was named, or says one of the texts."""
    if review.id in taken.reviews:
        return True
    return taken.project in ("", review.candidate.project) and any(
        same_words(candidate.lesson, text)
        for candidate in review.candidates
        for text in taken.texts
    )


def _memory(home: Home, item: "Item") -> _Taken:
    """A memory, its sources, and what else here says the same."""
    from reverie.documents import bodies
    from reverie.learn.memories.quotes import quotes
    from reverie.store.heads import last_written

    document = item.document
    rule = bodies.parts(document.body).rule
    quoted = quotes(home.database, document.evidence).values()
    texts = (document.description or document.title, rule, *(quote.quote for quote in quoted))
    copies = [copy for copy in home.library.documents() if _same_claim(copy, texts[0])]
    others = [copy for copy in copies if copy.memory.id != item.memory.id]
    # Another machine may have written it by a clock that is ahead of this one.
    written = (copy.memory.created_at for copy in (item, *others))
    return _Taken(
        "" if item.store == GLOBAL else item.store,
        tuple(text for text in texts if text),
        tuple(document.evidence),
        max(last_written(home.database, texts[0]), *written, *(quote.at for quote in quoted)),
        (item, *others),
    )


def _candidate(home: Home, reference: str) -> _Taken:
    """What waits for review, or became of it."""
    review = home.queue.find(reference)
    if review.status == "forgotten":
        raise InvalidInput(f"{review.id} is forgotten already")
    candidates = review.candidates
    project = "" if review.candidate.store == GLOBAL else review.candidate.project
    made = review.memory_id
    return _Taken(
        project,
        tuple(text for candidate in candidates for text in (candidate.lesson, candidate.quote)),
        tuple(candidate.evidence for candidate in candidates),
        max(candidate.at for candidate in candidates),
        tuple(item for item in _within(home, review.candidate.project) if item.memory.id == made),
        (review.id,),
    )


def _turn(home: Home, place: str) -> _Taken:
    """A turn: what it says, what was learned from it, and what rests on it alone."""
    from reverie.learn.memories.quotes import quotes
    from reverie.sessions.corrections import corrections
    from reverie.sessions.query import projects_of_sessions, turns

    if deeds_of(home.database, "place", place):
        raise InvalidInput(f"{place} is forgotten already")
    session, _, line = place.rpartition("#")
    index = home.index.database
    spoken = [(turn.text, turn.at) for turn in turns(index, session) if turn.line == int(line)]
    spoken += [(quote.quote, quote.at) for quote in quotes(home.database, [place]).values()]
    if not spoken:
        raise NotFound(f"there is no turn {place!r}", hint="`reverie corrections` lists them")
    reviews = [
        review for review in home.queue.of_sessions([session]) if review.candidate.evidence == place
    ]
    lessons = [review.candidate.lesson for review in reviews]
    rows = [row for row in corrections(index, session=session) if row.line == int(line)]
    lessons += [row.lesson for row in rows]
    project = projects_of_sessions(index).get(session, home.here.slug)
    shared = any(row.durable == GLOBAL for row in rows)
    return _Taken(
        "" if shared else project,
        tuple(text for text in (*(text for text, _ in spoken), *lessons) if text),
        (place,),
        max(at for _, at in spoken),
        tuple(item for item in _within(home, project) if _rests_on(item, place, lessons)),
        tuple(review.id for review in reviews),
    )


def _whole_id(home: Home, place: str) -> str:
    """The id of a turn, also from the short form that recall prints."""
    session, _, line = place.rpartition("#")
    try:
        # Of several turns on one line, all go: what rests on them cites the line.
        return f"{home.index.session(session).key}#{line.partition('.')[0]}"
    except NotFound:
        return place  # its log may be gone, and its words are kept


def _rests_on(item: "Item", place: str, lessons: Iterable[str]) -> bool:
    evidence = item.document.evidence
    return place in evidence and (
        set(evidence) == {place} or any(_same_claim(item, lesson) for lesson in lessons)
    )


def _same_claim(item: "Item", text: str) -> bool:
    return same_words(item.document.description or item.document.title, text)


def _within(home: Home, project: str) -> "list[Item]":
    """The live memories that a project sees."""
    from reverie.store.library import Library

    return Library(home.store, project).documents()


def restore(home: Home, reference: str, why: str = "") -> Forgot:
    """Take a `forget` back, or a memory out of the archive.

    Raises:
        NotFound, Ambiguous: none or several fit.
        InvalidInput: it is neither forgotten nor in the archive.
        Refused: it is a person's, or a person had it forgotten, and none asks.
    """
    if _PLACE.fullmatch(reference):
        place = _whole_id(home, reference)
        return _give_back(home, place, deeds_of(home.database, "place", place), why)
    if reference.startswith(CANDIDATE):
        review = home.queue.find(reference).id
        return _give_back(home, review, deeds_of(home.database, "review", review), why)
    item = home.library.find(reference)
    if not item.archived:
        raise InvalidInput(f"{item.name} is not in the archive", hint="name the version to restore")
    reach.refuse_protected(home, item)
    deeds = deeds_of(home.database, "memory", item.memory.id)
    return _give_back(home, f"{item.store}:{item.name}", deeds, why, item)


def _give_back(
    home: Home, subject: str, deeds: set[str], why: str, named: "Item | None" = None
) -> Forgot:
    from reverie.store.library import Library

    if not deeds and named is None:
        raise InvalidInput(f"{subject} is not forgotten")
    if deeds and home.asker.trust != "user":
        raise Refused(
            "a person had it forgotten, and only a person takes that back",
            hint=f"in a terminal of your own: `reverie restore {subject}`",
        )
    by = home.asker.author(why or "restored from the archive")
    before = Forgotten(home.database)
    with keeping.in_step(home), home.database.atomic() as tx:
        lifted = lift(tx, deeds)
        first = [named] if named is not None else []
        known = {item.memory.id for item in first}
        others = _archived(home, [memory for memory in lifted["memory"] if memory not in known])
        items = tuple(Library(home.store).unarchive(item, by) for item in (*first, *others))
        home.queue.take_back(lifted["review"])
        _retell(home, before)
    return Forgot(subject, items, tuple(lifted["review"]), tuple(lifted["place"]))


def _archived(home: Home, memories: Sequence[str]) -> "list[Item]":
    """Those of these memories that lie in the archive still."""
    from reverie.store.library import Library

    if not memories:
        return []
    library = Library(home.store)
    return [
        item
        for info in home.store.stores()
        for item in library.documents(info.name, archived=True)
        if item.memory.id in memories
    ]


def said_anew(home: Home, project: str, text: str) -> None:
    """A person wants these words after all: nothing keeps them away any longer.

    Raises:
        Refused: a person had them forgotten, and whoever asks has not the word of one.
    """
    deeds = Forgotten(home.database).deeds(Said("", project, (), whole=text))
    if not deeds:
        return
    if home.asker.trust != "user":
        raise Refused(
            "a person had that forgotten", hint="they can `reverie remember` or `restore` it"
        )
    with home.database.atomic() as tx:
        lift(tx, deeds)
