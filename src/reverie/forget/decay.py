"""Decay: when a memory leaves, and how fast a correction fades.

A memory goes to the archive when nothing has spoken for it for `archive_after_days`: it was not
written, learned or put right, not said again, not handed over. What a person accepted, wrote,
pinned or said as a standing rule does not leave by days at all. Whatever speaks for a memory only
ever moves its day back, so a stronger memory never fades faster than a weaker one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from reverie.clock import age_days, rate
from reverie.forget.life import Life, WorkedDays
from reverie.settings import Decay, Forget

Action = Literal["keep", "date", "archive"]
# Ages that the log of rates names, in days.
AGES: tuple[int, ...] = (1, 7, 30)


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a memory today, and why; `leaves_in` as many days if nothing happens."""

    action: Action
    why: str
    leaves_in: int | None = None


def fate(life: Life, quiet: int, settings: Forget) -> Fate:
    """Keep it, give it a date, or archive it, after so many `quiet` days."""
    if life.pinned:
        return Fate("keep", "pinned")
    if life.protected:
        return Fate("keep", "its section never decays")
    if not life.written:
        return Fate("date", "it had no date, and counts from today")
    if life.kept:
        return Fate("keep", life.kept)
    left = settings.archive_after_days + 1 - quiet
    if left > 0:
        return Fate("keep", _spoke(life), left)
    unit = "days" if settings.clock == "calendar" else "days of work"
    return Fate("archive", f"{_spoke(life)}, nothing spoke for it in {quiet} {unit}", 0)


def quiet_days(life: Life, store: str, worked: WorkedDays, today: date, settings: Forget) -> int:
    """Days since anything spoke for a memory: those its project was worked on, or all of them."""
    last = _day(life.last_sign, today)
    if settings.clock == "calendar":
        return max(0, (today - last).days)
    return worked.since(store, last, today)


def purge_on(archived: str, settings: Forget) -> str:
    """The day on which something archived on `archived` is purged."""
    return _after(_day(archived, date.max), settings.purge_after_days + 1).isoformat()


def _spoke(life: Life) -> str:
    last = life.last_sign[:10]
    if life.useful == life.last_sign:
        return f"last of use on {last}"
    if life.touched == life.last_sign and life.touched > life.written:
        return f"last in your hands on {last}"
    if life.seen == life.last_sign:
        return f"last said on {last}"
    return f"learned on {last}" if life.learned > life.written else f"dated {last}"


def _day(text: str, otherwise: date) -> date:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return otherwise


def _after(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max


@dataclass(frozen=True, slots=True)
class Rates:
    """What the half-life makes of the corrections there are, at one moment."""

    half_life_days: float
    after: tuple[tuple[int, float], ...]  # (days, what a correction of that age counts)
    corrections: int  # that fade
    standing: int  # that do not
    mean: float  # of those that fade
    least: float


def rates(corrections: Iterable[tuple[str, bool]], now: datetime, settings: Decay) -> Rates:
    """The rates applied to corrections, each with when it was said and whether it stands.

    It is the multiplier that reading them applies; nothing is stored into their scores.
    """
    half_life = settings.half_life_days
    known = list(corrections)
    applied = [rate(age_days(at, now), half_life) for at, standing in known if not standing]
    return Rates(
        half_life_days=half_life,
        after=tuple((days, round(rate(days, half_life), 4)) for days in AGES),
        corrections=len(applied),
        standing=len(known) - len(applied),
        mean=round(sum(applied) / len(applied), 4) if applied else 0.0,
        least=round(min(applied, default=0.0), 4),
    )
