"""Allowing: for a while agents are handed more at once than they get without asking a person."""

from datetime import UTC, datetime
from typing import NamedTuple

from reverie.errors import InvalidInput
from reverie.files import replace_file
from reverie.home import Home
from reverie.operations.pausing import span_of

FILE = "allowed"


class Allowance(NamedTuple):
    """How many characters may be handed over at once, and until when."""

    characters: int
    until: datetime


def allow(home: Home, characters: int, duration: str = "1h") -> Allowance:
    """Let agents be handed up to `characters` at once for `30m`, `2h`, `1d` or `1w`.

    Raises:
        InvalidInput: it is no duration, or no number of characters.
    """
    span = span_of(duration)
    if span is None:
        raise InvalidInput(f"{duration!r} is no duration", hint="such as 30m, 2h, 1d or 1w")
    if characters < 1:
        raise InvalidInput("at least one character is allowed")
    allowance = Allowance(characters, home.clock() + span)
    replace_file(home.make_home() / FILE, f"{characters} {allowance.until.timestamp():.0f}\n")
    return allowance


def end(home: Home) -> bool:
    """Take the allowance back; False when there was none."""
    was = allowed(home) is not None
    (home.config.home / FILE).unlink(missing_ok=True)
    return was


def allowed(home: Home) -> Allowance | None:
    """The allowance that holds now; what cannot be read allows nothing."""
    try:
        text = (home.config.home / FILE).read_text(encoding="utf-8")
        characters, seconds = map(int, text.split())
        until = datetime.fromtimestamp(seconds, UTC)
    except (OSError, ValueError, OverflowError):
        return None
    return Allowance(characters, until) if until > home.clock() else None


def limit(home: Home) -> int:
    """Characters that may be handed over at once without asking."""
    allowance = allowed(home)
    asked = home.settings.recall.ask_above_chars
    return max(asked, allowance.characters) if allowance else asked
