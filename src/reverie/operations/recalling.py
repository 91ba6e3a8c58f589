"""Recalling: what an asker is told, and that it was told; looking into earlier sessions."""

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.errors import NotFound, ReadOnly, Refused, ReverieError, Unavailable
from reverie.home import Home
from reverie.operations import allowing, keeping, reach

if TYPE_CHECKING:
    from reverie.operations.sessions import Transcript
    from reverie.recall.entry import Entry
    from reverie.recall.ledger import HandOver, Ledger
    from reverie.recall.recall import Recall, Request

_BEFORE = 2  # turns that are shown before the line that was asked for


def recall(home: Home, request: "Request") -> "Recall":
    """Answer a request within the project of the home, and enter it in the ledger.

    Raises:
        InvalidInput: a budget, window or strategy that cannot be.
        Refused: very much would be handed over, and nobody agreed.
    """
    from reverie.recall.ledger import RECALL, HandOver

    handed = handed_before(home) if request.window else 0
    scoped = request._replace(project=home.here.slug, handed=handed)
    try:
        result = answered(home, scoped)
        if not request.confirmed:
            refuse_large(home, result.characters)
    except ReverieError as error:
        record(home, HandOver(RECALL, scoped.project, scoped.query, refused=reason_of(error)))
        raise
    record(home, HandOver.of(scoped, result))
    return result


def answered(home: Home, request: "Request") -> "Recall":
    """Answer a request within the project of the home; whoever hands it over enters it.

    It may name some of the stores within reach.

    Raises:
        NotFound: one of these is not.
    """
    from reverie.recall.recall import Sources
    from reverie.recall.recall import recall as answer

    keeping.sync(home)
    here = home.here
    stores = tuple(info.id for info in reach.stores(home))
    if missing := set(request.stores).difference(stores):
        raise NotFound(f"there is no store {min(missing)!r} here")
    scoped = request._replace(
        project=here.slug,
        root=here.root if os.path.isdir(here.root) else "",
        stores=request.stores or stores,
    )
    sources = Sources(
        home.database, home.index_database, home.settings, home.clock, home.term_counts
    )
    return answer(scoped, sources)


def refuse_large(home: Home, characters: int, *, asked: bool = False) -> None:
    """Leave a large hand-over to a person; `asked` is one who said no.

    Raises:
        Refused: it is larger than what may be handed over without asking one.
    """
    limit = allowing.limit(home)
    if characters > limit:
        raise Refused(
            f"this answer has {characters} characters (limit without a person's yes: {limit})"
            + (", and the person said no" if asked else ""),
            hint=f"ask for less; a person allows it in a terminal: `reverie allow {characters}`",
        )


def record(home: Home, hand_over: "HandOver") -> None:
    """Enter a call in the ledger. On a read-only or full disk an answer is still an answer."""
    with suppress(ReadOnly, Unavailable):
        ledger(home).record(hand_over, home.asker)


def reason_of(error: ReverieError) -> str:
    """Why something was refused, as the ledger keeps it."""
    return f"{type(error).__name__}: {error.message}"


def handed_before(home: Home) -> int:
    """About how many tokens the asker's session was handed so far."""
    try:
        return ledger(home).tokens_of_session(home.asker.session)
    except (ReadOnly, Unavailable):
        return 0


def few_lines(home: Home, prompt: str) -> str:
    """At most three lines for a prompt that asked for none; "" unless some meet it very well."""
    from reverie.recall import digest
    from reverie.recall.recall import Request

    result = recall(home, Request(query=prompt, rules=False, unasked=True))
    lessons = [
        digest.Lesson(entry, entry.title or entry.text, confirmed=entry.origin == "memory")
        for entry in result.entries
    ]
    return digest.few_lines(lessons)


def ledger(home: Home) -> "Ledger":
    """What was handed over, to whom and when."""
    from reverie.recall.ledger import Ledger

    return Ledger(home.database, home.make_home() / "audit.jsonl", home.clock, home.redact)


def anything_known(home: Home) -> bool:
    """Whether there is any memory, or any session was read."""
    from reverie.sessions.query import any_session

    return home.store.any_memory() or any_session(home.index_database)


def search_sessions(
    home: Home, question: str, *, since: str = "", limit: int = 10
) -> "list[Entry]":
    """Turns of earlier sessions of the project, best first."""
    from reverie.recall.query import parse_query
    from reverie.recall.sources import search_turns

    hits = search_turns(home.index_database, parse_query(question), home.here.slug, since, limit)
    return [entry for entry, _ in hits]


def read_session(home: Home, reference: str, *, line: int = 0, turns: int = 12) -> "Transcript":
    """A stretch of an earlier session of the project, around a line.

    Raises:
        NotFound: the project has no such session.
        Ambiguous: several fit.
    """
    from reverie.operations.sessions import Transcript
    from reverie.sessions.query import session
    from reverie.sessions.query import turns as turns_of

    try:
        row = session(home.index_database, reference, home.here.slug)
    except NotFound:
        raise NotFound(f"no session {reference!r} in this project") from None
    spoken = [turn for turn in turns_of(home.index_database, row.key) if turn.text]
    first = max(0, sum(1 for turn in spoken if turn.line < line) - _BEFORE)
    return Transcript(row, spoken[first : first + turns])
