"""The only place that asks what time it is.

Everything else takes a `Clock`, so that the same input gives the same bytes and a test can choose
the moment. Moments are aware UTC datetimes; `iso` is their one written form.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

from reverie.errors import InvalidInput

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Now, in UTC. `REVERIE_NOW` (ISO) freezes it: for demos, tests and replays."""
    frozen = os.environ.get("REVERIE_NOW")
    return parse_iso(frozen) if frozen else datetime.now(UTC)


def fixed(moment: str) -> Clock:
    """A clock that always answers `moment` (ISO)."""
    at = parse_iso(moment)
    return lambda: at


def iso(moment: datetime) -> str:
    """`2026-11-15T08:30:00.000Z`: sortable as text, millisecond precision."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


# Many entries are from the same days, and the same entries come again.
@lru_cache(maxsize=4096)
def parse_iso(text: str) -> datetime:
    """Read an ISO date or time; one without a zone counts as UTC.

    Raises:
        InvalidInput: `text` is not an ISO date or time.
    """
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # the first day of all, in a zone to the east
        raise InvalidInput(f"{text!r} is not an ISO date or time") from None


_DAY = 86_400.0


def age_days(at: str, now: datetime) -> float:
    """Days since `at`; a time that is missing, unreadable or in the future counts as now."""
    try:
        return max(0.0, (now - parse_iso(at)).total_seconds() / _DAY)
    except InvalidInput:
        return 0.0


def rate(age: float, half_life: float) -> float:
    """2^(−age/half-life): 0.91, 0.50 and 0.05 after a day, a week and a month at seven days."""
    return 2.0 ** (-max(0.0, age) / half_life)
