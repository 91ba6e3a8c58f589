"""References: what was printed somewhere, found again.

A memory by its name; where something was said, as `agent:session#line` or with a short beginning of
the session; what waits for review by its id; a line of the digest by its few letters.
"""

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import Ambiguous, NotFound
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.sessions.corrections import CorrectionRow
    from reverie.sessions.query import SessionRow, TurnRow
    from reverie.store.library import Item

CANDIDATE = "cand_"
_PLACE = re.compile(r"([\w.-]+:[^\s#]+)#(\d+)(?:\.\d+)?")
_HANDLE = re.compile(r"([a-z2-7]{3,52})\??")


class Spoken(NamedTuple):
    """Something that was said in a session."""

    place: str  # `agent:session#line`
    session: "SessionRow"
    turn: "TurnRow | None"  # None when the log was not indexed so far
    correction: "CorrectionRow | None"


def find(home: Home, reference: str) -> "Item | Spoken":
    """The memory, or what was said, that a reference stands for.

    Raises:
        NotFound, Ambiguous: none or several fit.
    """
    name = canonical(home, reference)
    return spoken(home, name) if is_place(name) else home.library.find(name)


def canonical(home: Home, reference: str) -> str:
    """A name that every command understands: a memory's, or a place in full.

    Raises:
        NotFound, Ambiguous: it is a place, a candidate or a handle, and none or several fit.
    """
    if match := _PLACE.fullmatch(reference):
        return f"{home.index.session(match[1]).key}{reference[match.end(1) :]}"
    if reference.startswith(CANDIDATE):
        return home.queue.find(reference).candidate.evidence
    handle = _HANDLE.fullmatch(reference)
    if handle is None or not (home.exists or home.config.has_index) or _is_memory(home, reference):
        return reference
    return _named(home, handle[1]) or reference


def is_place(name: str) -> bool:
    """Whether a name stands for something that was said in a session."""
    return _PLACE.fullmatch(name) is not None


def session_and_line(home: Home, reference: str) -> tuple[str, int]:
    """The session a reference leads to, and the line there; 0 for its beginning."""
    name = canonical(home, reference)
    match = _PLACE.fullmatch(name)
    return (match[1], int(match[2])) if match else (reference, 0)


def spoken(home: Home, place: str) -> Spoken:
    """What was said at a place.

    Raises:
        NotFound: no such session, or nothing was said there.
    """
    from reverie.sessions.corrections import corrections

    match = _PLACE.fullmatch(place)
    if match is None:
        raise NotFound(f"{place!r} is no place in a session")
    session, line = home.index.session(match[1]), int(match[2])
    turns = [turn for turn in home.index.turns(session.key) if turn.line == line]
    rows = corrections(home.index_database, session=session.key)
    row = next((correction for correction in rows if correction.id == place), None)
    row = row or next((correction for correction in rows if correction.line == line), None)
    # Several turns may stand on one line; the correction knows its own.
    fitting = [turn for turn in turns if row is not None and turn.text.startswith(row.text)]
    turn = next(iter(fitting or turns), None)
    if turn is None and row is None:
        raise NotFound(f"nothing was said at {place}", hint=f"`reverie sessions show {match[1]}`")
    return Spoken(place, session, turn, row)


def _is_memory(home: Home, reference: str) -> bool:
    """Whether a memory bears just this name; a beginning of one does not count."""
    try:
        return home.exists and home.library.find(reference).name == reference
    except (NotFound, Ambiguous):
        return False


def _named(home: Home, handle: str) -> str:
    """What a handle of the digest or of a prompt's few lines stands for; "" when it is none."""
    from reverie.operations.starts import digesting, starting
    from reverie.recall.digest import named_by
    from reverie.sessions.corrections import corrections

    if name := json.loads(starting.told_here(home).get("handles") or "{}").get(handle):
        return str(name)
    for line in digesting.digest(home).lines:
        if line.handle == handle:
            return line.entry.id
    ids = named_by(handle, digesting.every_id(home))
    if not ids:
        # With a prompt more is told than a session's start would choose from.
        rows = corrections(home.index_database, projects=[home.here.slug])
        ids = named_by(handle, (row.id for row in rows))
    if len(ids) > 1:
        raise Ambiguous(f"{handle!r} stands for several: {', '.join(ids[:3])}")
    return ids[0] if ids else ""
