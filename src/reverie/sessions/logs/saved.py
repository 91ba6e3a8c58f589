"""Where each session stood when it was last extracted, and what the agent saved by itself there.

Hooks leave one file per project, `$REVERIE_HOME/spool/<project>/stretches`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from reverie.sessions.logs.own_memory import saving
from reverie.sessions.model import Turn

Ranges = tuple[tuple[int, int], ...]  # of bytes of a log


def stretches_file(spool: Path) -> Path:
    """The file of one project's spool."""
    # Not `.json`: that is what the staged files are told by.
    return spool / "stretches"


def stretches(spool: Path) -> dict[str, Any]:
    """Log path → its `end` and `saved` ranges; nothing when the file is not there or not ours."""
    try:
        return json.loads(stretches_file(spool).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


class Watched(NamedTuple):
    """What hooks know of a log: how far they saw it, and where its agent saved memory."""

    end: int = 0
    saved: Ranges = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """Where agents saved memory themselves, which nobody saves a second time.

    What no hook saw is cut as hooks would have cut it, every so many turns of the person: the same
    log says the same, whenever it is read.
    """

    watched: Mapping[str, Watched] = field(default_factory=dict[str, Watched])
    saves: Callable[[Turn], bool] = lambda _: False
    every: int = 8  # turns

    def ranges(self, log: Path, turns: Sequence[Turn]) -> Ranges:
        """The byte ranges of a log in which its agent saved memory itself."""
        known = self.watched.get(str(log), Watched())
        return (*known.saved, *self._computed([t for t in turns if t.offset >= known.end]))

    def _computed(self, turns: Sequence[Turn]) -> Iterator[tuple[int, int]]:
        saved = saving(turns, self.saves)
        if not saved:
            return
        spoken = [turn.offset for turn in turns if turn.role == "human"]
        cuts = [turns[0].offset, *spoken[self.every :: self.every], turns[-1].offset + 1]
        for start, end in pairwise(cuts):
            if any(start <= offset < end for offset in saved):
                yield start, end


def watched(home: Path) -> dict[str, Watched]:
    """What hooks know of logs, over all projects."""
    by_log: dict[str, Watched] = {}
    folder = home / "spool"
    for project in sorted(folder.iterdir()) if folder.is_dir() else []:
        for log, state in stretches(project).items():
            ranges = tuple((int(a), int(b)) for a, b in state["saved"])
            by_log[log] = Watched(int(state["end"]), ranges)
    return by_log
