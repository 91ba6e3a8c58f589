"""Nearness: where in a project's sessions the words of a question were spoken.

Half of the lessons that matter later share no word with the prompt for which they matter; they were
taught amid the same work. So a place in a session is as near to a question as what was said around
it: a term counts fully within the same exchange (what a person says, and all that follows until
they speak again), and less with every exchange between.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from reverie.db.database import Database
from reverie.recall.query import Query, search_term

# By so many of a question's rarest terms, each said in so many turns at most.
TERMS = 12
TURNS = 400
_REACH = 1.5  # exchanges over which a term's weight falls to a third
_FARTHEST = 8  # exchanges from which on nothing of it is left
_FADED = [math.exp(-away / _REACH) for away in range(_FARTHEST)]
# One exchange in six teaches something, and a session's start tells some twenty things: so many
# exchanges are nearly whole in it, and of so many it tells but a part.
_SHORT, _LONG = 200, 350


class Nearness:
    """How near places in sessions are to one question, from 0 to 1."""

    def __init__(
        self,
        exchanges: Mapping[str, Sequence[int]],
        spoken: Mapping[str, Mapping[int, set[int]]],
        weights: Sequence[float],
        most: float,
        length: int = 0,
    ) -> None:
        """By session the lines at which a person spoke, and the terms of each exchange.

        `most` is what all terms could weigh at one place, `length` how many exchanges there are.
        """
        self._exchanges = exchanges
        self._spoken = spoken
        self._weights = weights
        self._most = most or 1.0
        # How much of the history every session is told at its start.
        self.told = min(1.0, max(0.0, (_LONG - length) / (_LONG - _SHORT)))

    def __bool__(self) -> bool:
        return bool(self._spoken)

    def at(self, session: str, line: int) -> float:
        """The nearness of a line of a session."""
        terms = self._spoken.get(session)
        if not terms:
            return 0.0
        place = bisect_right(self._exchanges.get(session, ()), line)
        strength: dict[int, float] = {}
        for away, faded in enumerate(_FADED):
            for exchange in {place - away, place + away}:
                for term in terms.get(exchange, ()):
                    strength.setdefault(term, faded)
        return sum(self._weights[term] * faded for term, faded in strength.items()) / self._most

    def of(self, evidence: Iterable[str]) -> float:
        """That of the nearest of some places, each `session#line`."""
        places = (place.rpartition("#") for place in evidence)
        return max(
            (self.at(key, int(line)) for key, _, line in places if line.isdigit()), default=0.0
        )

    def sessions(self) -> list[str]:
        """Those in which anything of the question was said, most of it first."""
        weight_of = {
            key: sum(self._weights[term] for term in set[int]().union(*terms.values()))
            for key, terms in self._spoken.items()
        }
        return sorted(weight_of, key=lambda key: (-weight_of[key], key))


def nearness(index: Database, query: Query, seen: Mapping[str, int], project: str) -> Nearness:
    """Where the project's sessions said what `query` says; `seen` is how common its terms are."""
    from reverie.sessions.query import count_exchanges, human_lines, places_that_said

    terms = sorted(query.terms, key=lambda term: (seen[term], term))[:TERMS]
    there = count_exchanges(index, project)
    asked = {term: places_that_said(index, search_term(term), project, TURNS) for term in terms}
    exchanges = human_lines(index, {key for hits in asked.values() for key, _ in hits or ()})
    spoken: dict[str, dict[int, set[int]]] = {}
    weights: list[float] = []
    for number, (term, hits) in enumerate(asked.items()):
        places = {(key, bisect_right(exchanges.get(key, ()), line)) for key, line in hits or ()}
        for key, exchange in places:
            spoken.setdefault(key, {}).setdefault(exchange, set()).add(number)
        weights.append(query.weight(term, there, len(places)))
    # What was said everywhere, or never, is no reason to tell what shares the rest: a place is near
    # by as much as the terms would weigh if they had been said there alone.
    most = sum(query.weight(term, there, 0 if hits == [] else 1) for term, hits in asked.items())
    return Nearness(exchanges, spoken, weights, most, there)
