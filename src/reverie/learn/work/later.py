"""Later words: what was said after a memory was made, and that may have overtaken it.

A session that changes what an earlier one decided often teaches no lesson of its own: nobody who
reads it alone sees that something is over. So whoever reads memories side by side is shown, too,
the person's later words that speak of the same; and since a person often says no more than "commit
it", what agents told at the end of their work to have taken out or replaced. That is nobody's
word: it may end what nobody confirmed, and only brings up what a person said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from math import log
from typing import NamedTuple

from reverie.data import patterns
from reverie.db.database import Database
from reverie.language.words import content, words
from reverie.learn.memories.candidate import Candidate
from reverie.learn.memories.quotes import Quote, quote_of
from reverie.learn.memories.writing import is_later
from reverie.learn.work.rewording import Entry
from reverie.sessions.derived import Chosen
from reverie.sessions.query import SessionRow, TurnRow, turns
from reverie.sessions.statements import StatementRow, statements

_RE = patterns("work.txt", "later")
SESSIONS = 300  # the newest of a project that are looked through
EACH = 2  # turns that are shown for one memory,
MOST = 30  # and for all
FEWEST_SHARED = 2  # telling words that both must have,
LEAST = 0.3  # of the weight of all that tell the memory,
NAMED = 0.6  # or of the words of its name
DEEDS = 12  # of what agents told, shown for all
LONGEST = 200  # characters of one


class Later(NamedTuple):
    """Words that came later, and the memories they may bear on, by place."""

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
    newest = sorted(sessions, key=lambda session: session.started)[-SESSIONS:]
    chosen = Chosen(database, tuple(session.key for session in newest))
    spoken = _turns(row for row in statements(chosen) if row.trust == "user")
    done = [deed for row in newest for deed in _deeds(row.key, turns(database, row.key))]
    telling = {turn.id: content(words(turn.quote)) for turn in (*spoken, *done)}
    common = Counter(stem for stems in telling.values() for stem in stems)
    weight = {stem: log(1 + len(telling) / count) for stem, count in common.items()}
    near: dict[str, set[int]] = {}
    doubted: dict[str, set[int]] = {}
    for place, entry in enumerate(entries):
        for name in doubts.get(entry.item.memory.id, ()):
            doubted.setdefault(name, set()).add(place)
        for quotes, most in ((spoken, EACH), (done, 1)):
            for turn_id in _nearest(entry, quotes, telling, weight)[:most]:
                near.setdefault(turn_id, set()).add(place)
    remarks = [
        Later(turn, frozenset(near.get(turn.id, set()) | overtaken), frozenset(overtaken))
        for turn in (*spoken, *done)
        if (overtaken := doubted.get(turn.id, set[int]())) or turn.id in near
    ]
    kept = [later for later in remarks if later.doubts]
    for trusted, most in ((True, MOST), (False, DEEDS)):
        kept += [
            later
            for later in remarks
            if not later.doubts and (later.quote.trust == "user") == trusted
        ][-most:]
    return sorted(kept, key=lambda later: (later.quote.at, later.quote.id))


def _nearest(
    entry: Entry,
    quotes: Iterable[Quote],
    telling: Mapping[str, frozenset[str]],
    weight: Mapping[str, float],
) -> list[str]:
    """The ids of what came after a memory and speaks of it, or names it; nearest first."""
    tells = content(words(entry.candidate.lesson))
    name = content(words(entry.item.name.replace("-", " ")))
    whole = sum(weight.get(stem, 0.0) for stem in tells)
    last = max((quote.at for quote in entry.quoted), default=entry.candidate.at)
    ranked: list[tuple[float, str]] = []
    for turn in quotes:
        shared = tells & telling[turn.id]
        worth = sum(weight[stem] for stem in shared)
        near = len(shared) >= FEWEST_SHARED and worth >= LEAST * whole
        named = len(name & telling[turn.id]) >= max(FEWEST_SHARED, NAMED * len(name))
        after = is_later(turn.at, last) and turn.id not in entry.item.document.evidence
        if after and (near or named):
            ranked.append((worth, turn.id))
    return [turn_id for _, turn_id in sorted(ranked, reverse=True)]


def _deeds(key: str, rows: Sequence[TurnRow]) -> Iterator[Quote]:
    """What an agent told to have taken out or replaced, in the last words before a person's."""
    last: TurnRow | None = None
    for turn in (*rows, None):
        if turn is not None and turn.role == "agent":
            last = turn if turn.kind == "text" and not (turn.copied or turn.undone) else last
        elif last is not None and (turn is None or turn.role == "human"):
            lines = [" ".join(line.split()) for line in _RE.end.split(last.text)]
            gone = "; ".join(line[:LONGEST] for line in lines if _RE.gone.search(line))
            if gone:
                where = f"{key}#{last.line}"
                yield Quote(where, key, last.line, last.at, gone, "", "agent")
            last = None


def _turns(rows: Iterable[StatementRow]) -> list[Quote]:
    """The turns of sentences, each with all of its own."""
    said: dict[str, list[StatementRow]] = {}
    for row in rows:
        said.setdefault(row.evidence, []).append(row)
    return [
        quote_of(Candidate.of(group[0]))._replace(
            quote=" ".join(dict.fromkeys(row.quote for row in group))
        )
        for group in said.values()
    ]
