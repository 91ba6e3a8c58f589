"""Later words: what a person said after a memory was made, and that may have overtaken it.

A session that changes what an earlier one decided often teaches no lesson of its own: nobody who
reads it alone sees that something is over. So whoever reads memories side by side is shown, too,
the person's later words that speak of the same.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from math import log
from typing import NamedTuple

from reverie.db.database import Database
from reverie.language.words import content, words
from reverie.learn.memories.quotes import Quote
from reverie.learn.memories.writing import is_later
from reverie.learn.work.rewording import Entry
from reverie.sessions.derived import Chosen
from reverie.sessions.query import SessionRow
from reverie.sessions.statements import StatementRow, statements

SESSIONS = 300  # the newest of a project that are looked through
EACH = 2  # turns that are shown for one memory,
MOST = 30  # and for all
FEWEST_SHARED = 2  # telling words that both must have,
LEAST = 0.3  # of the weight of all that tell the memory


class Later(NamedTuple):
    """A person's own words, and the memories they may bear on, by place."""

    quote: Quote
    near: frozenset[int]
    doubts: frozenset[int] = frozenset()  # of these, those that whoever read it took for over


def later_words(
    database: Database,
    sessions: Sequence[SessionRow],
    entries: Sequence[Entry],
    doubts: Mapping[str, Set[str]],
) -> list[Later]:
    """What was said after each memory and is nearest to it, in order of time.

    Args:
        doubts: Turns that may have overtaken a memory, by its id.
    """
    newest = sorted(sessions, key=lambda one: one.started)[-SESSIONS:]
    chosen = Chosen(database, tuple(one.key for one in newest))
    turns = _turns(row for row in statements(chosen) if row.trust == "user")
    telling = {turn.id: content(words(turn.quote)) for turn in turns}
    common = Counter(stem for stems in telling.values() for stem in stems)
    weight = {stem: log(1 + len(turns) / count) for stem, count in common.items()}
    near: dict[str, set[int]] = {}
    doubted: dict[str, set[int]] = {}
    for place, entry in enumerate(entries):
        tells = content(words(entry.candidate.lesson))
        whole = sum(weight.get(stem, 0.0) for stem in tells)
        last = max((quote.at for quote in entry.quoted), default=entry.candidate.at)
        found: list[tuple[float, str]] = []
        for turn in turns:
            shared = tells & telling[turn.id]
            worth = sum(weight[stem] for stem in shared)
            enough = len(shared) >= FEWEST_SHARED and worth >= LEAST * whole
            if enough and turn.id not in entry.item.document.evidence and is_later(turn.at, last):
                found.append((worth, turn.id))
        for name in doubts.get(entry.item.memory.id, ()):
            doubted.setdefault(name, set()).add(place)
            near.setdefault(name, set()).add(place)
        for _, name in sorted(found, reverse=True)[:EACH]:
            near.setdefault(name, set()).add(place)
    told = [
        Later(turn, frozenset(near[turn.id]), frozenset(doubted.get(turn.id, ())))
        for turn in turns
        if turn.id in near
    ]
    kept = [one for one in told if one.doubts]
    kept += [one for one in told if not one.doubts][-MOST:]
    return sorted(kept, key=lambda one: (one.quote.at, one.quote.id))


def _turns(rows: Iterable[StatementRow]) -> list[Quote]:
    """The turns of sentences, each with all of its own."""
    said: dict[str, list[StatementRow]] = {}
    for row in rows:
        said.setdefault(row.evidence, []).append(row)
    return [
        Quote(
            evidence,
            found[0].session,
            found[0].line,
            found[0].at,
            " ".join(dict.fromkeys(row.quote for row in found)),
            found[0].premise,
            found[0].trust,
        )
        for evidence, found in said.items()
    ]
