"""Instructed: what the files for agents said to the sessions, for a model to leave it out.

A model words a rule in its own way, so what it finds is looked for part by part; who is told that
a line holds it already may still say what that line leaves out.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log

from reverie.data import patterns
from reverie.dream.model import Night, Pattern, named_once
from reverie.dream.steps.instructions import Instructions, says_most
from reverie.inert import inert
from reverie.language.keys import is_slight
from reverie.language.meaning import is_common, stems
from reverie.sessions.derived import Chosen
from reverie.sessions.traces import TraceRow, traces

MOST = 6_000  # characters that are shown, of all files
SEVERAL = 2  # sessions in which persons use a word, and such words in a line that is shown
HANDED = 1.5  # worth of a line that each session is handed, where one of a guide has 1
FEWEST = 3  # words of a part that a line can be said to hold
COMMON = 0.3  # weight of a word that anybody uses, where another has 1
SHARED = 0.4  # of the weight of a pattern, in one line, and
TELLING = 2.5  # so much of it at least
LONGEST = 200  # characters of a line that is told as a reason

_RE = patterns("dreams.txt", "instructed")


@dataclass(frozen=True)
class Instructed:
    """The lines that the instructions of some projects held last."""

    night: Night
    projects: Collection[str]

    @cached_property
    def lines(self) -> dict[str, str]:
        """Lines in their order, each with its file: of the longest showing of a file, and later."""
        reach = self.night.reach
        showings: defaultdict[tuple[str, str], list[TraceRow]] = defaultdict(list)
        for row in (
            traces(Chosen(reach.database, self.night.sessions), "instructed") if reach else ()
        ):
            if row.project in self.projects:
                showings[named_once(row.project), row.trace.key].append(row)
        lines: dict[str, str] = {}
        for (_, file), rows in showings.items():
            rows.sort(key=lambda row: row.trace.at)
            longest = max(range(len(rows)), key=lambda at: (len(rows[at].trace.data), at))
            for row in rows[longest:]:
                lines |= {line: file for line in row.trace.data if line not in lines}
        return lines

    @cached_property
    def _stems(self) -> dict[str, frozenset[str]]:
        return {line: stems(line) for line in self.lines}

    @cached_property
    def _known(self) -> Instructions:
        return Instructions(self.night)

    def shown(self) -> Iterator[str]:
        """Of each file the lines that share most with what persons say, as far as there is room."""
        spoken = self._spoken()
        frequent = Counter(stem for found in self._stems.values() for stem in found)
        worth: dict[str, float] = {}
        for line, found in self._stems.items():
            telling = [s for s in found if spoken[s] >= SEVERAL and not is_slight(s)]
            if len(telling) >= SEVERAL:
                weights = (log(1 + spoken[s]) / (1 + frequent[s]) ** 0.5 for s in telling)
                handed = HANDED if "/" not in self.lines[line] else 1.0
                worth[line] = handed * sum(weights) / len(found) ** 0.5
        room, files = MOST, defaultdict[str, list[str]](list)
        kept: set[frozenset[str]] = set()
        for line in sorted(worth, key=lambda one: -worth[one]):
            if self._stems[line] in kept:  # a line with its number, and without
                continue
            room -= len(line) + 3
            if room < 0:
                break
            kept.add(self._stems[line])
            files[self.lines[line]].append(line)
        places = {line: place for place, line in enumerate(self.lines)}
        for file, chosen in files.items():
            listed = sorted(chosen, key=places.__getitem__)
            yield "\n".join([f"{file or 'handed over'}:", *(f"  {inert(line)}" for line in listed)])

    def _spoken(self) -> Counter[str]:
        """In how many sessions persons use a word."""
        of_sessions: defaultdict[str, set[str]] = defaultdict(set)
        for observation in self.night.observations:
            if observation.source == "said" and observation.project in self.projects:
                of_sessions[observation.session] |= stems(observation.text)
        return Counter(stem for found in of_sessions.values() for stem in found)

    def fault(self, pattern: Pattern) -> str:
        """Why a pattern is none: a line says it already, and nobody had to repeat it."""
        line = self._known.tell(pattern, pattern.title) or self._holding(pattern.text)
        if not line or self._known.unheeded(pattern, line):
            return ""
        file = self.lines.get(line) or "a file for agents"
        said = line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
        return f"{file} says already {said!r}: leave it out, or say only what that leaves out"

    def _holding(self, text: str) -> str:
        """The line that says a part of a text, or much of the whole; "" for none."""
        names = {stem for project in self.projects for stem in stems(named_once(project))}
        whole = stems(text) - names
        share = {line: _weight(whole & found) for line, found in self._stems.items()}
        near = sorted((line for line in share if share[line]), key=lambda one: -share[one])
        if near and share[near[0]] >= max(TELLING, SHARED * _weight(whole)):
            return near[0]
        parts = [part for part in _RE.part.split(text) if len(stems(part) - names) >= FEWEST]
        return next((line for line in near if any(says_most(line, part) for part in parts)), "")


def _weight(found: Collection[str]) -> float:
    return sum(COMMON if is_common(stem) or is_slight(stem) else 1.0 for stem in found)
