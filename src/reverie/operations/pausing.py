"""Pausing: for a while nothing is handed over by hooks and MCP, and they learn nothing."""

import re
from datetime import UTC, datetime, timedelta

from reverie.errors import InvalidInput
from reverie.files import replace_file
from reverie.handover import paused_until
from reverie.home import Home

_DURATION = re.compile(r"(\d{1,6})\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
FOR_GOOD = datetime.max.replace(tzinfo=UTC)


def pause(home: Home, duration: str = "") -> datetime:
    """Pause for `30m`, `2h`, `1d` or `1w`, or until `resume`; returns the end.

    Raises:
        InvalidInput: it is no duration.
    """
    end = None
    if duration:
        span = span_of(duration)
        if span is None:
            raise InvalidInput(f"{duration!r} is no duration", hint="such as 30m, 2h, 1d or 1w")
        end = home.clock() + span
    replace_file(home.make_home() / "paused", "" if end is None else f"{end.timestamp():.0f}\n")
    return end or FOR_GOOD


def span_of(text: str) -> timedelta | None:
    """How long `30m`, `2h`, `1d` or `1w` is; None when it is no duration."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None or not int(match[1]):
        return None
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def resume(home: Home) -> bool:
    """End the pause; False when there was none."""
    was = paused(home) is not None
    (home.config.home / "paused").unlink(missing_ok=True)
    return was


def paused(home: Home) -> datetime | None:
    """When the pause ends that is in force; None when there is none."""
    end = paused_until(str(home.config.home), home.clock().timestamp())
    if not end:
        return None
    return FOR_GOOD if end == float("inf") else datetime.fromtimestamp(end, UTC)
