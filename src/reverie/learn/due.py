"""Is a dream due? Ten new sessions or a day since the last one, and something new was learned.

Going by the clock alone would ask for dreams that have nothing to work on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from reverie.clock import parse_iso
from reverie.db.database import Database
from reverie.learn.memories.queue import learned_since
from reverie.plural import several
from reverie.settings import Due as Interval


@dataclass(frozen=True, slots=True)
class Due:
    """Whether a dream is due, and what that rests on."""

    last: str  # when the last dream ended; "" when there was none
    since: str  # from when on things count as new: that, or when learning began
    hours: float
    sessions: int  # learned from since
    learned: int  # lessons found since, written or waiting
    due: bool

    @property
    def sentence(self) -> str:
        """For a person, only when it is due; else empty."""
        if not self.due:
            return ""
        when = f"since {self.last[:10]}" if self.last else "and none has been dreamt about yet"
        lessons, sessions = several(self.learned, "lesson"), several(self.sessions, "session")
        return f"A dream is due: {lessons} from {sessions} {when}. Run `reverie dream`."


def due(
    database: Database, last: str, learned_at: Mapping[str, str], now: datetime, interval: Interval
) -> Due:
    """Look at what was learned since the `last` dream ended; "" when there was none.

    `learned_at` maps each session to the moment it was last learned from.
    """
    learned, first = learned_since(database, last)
    since = last or first
    sessions = sum(1 for at in learned_at.values() if at > last)
    hours = max(0.0, (now - parse_iso(since)).total_seconds() / 3600) if since else 0.0
    enough = sessions >= interval.sessions or hours >= interval.hours
    return Due(last, since, hours, sessions, learned, learned > 0 and enough)
