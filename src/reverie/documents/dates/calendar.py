"""The arithmetic behind every language: what a phrase means, seen from one moment."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple

from reverie.data import pairs

# `None` leaves the text to other rules; the matched text itself keeps every rule away from it.
Resolve = Callable[["re.Match[str]", "Moment"], str | None]


class Rule(NamedTuple):
    pattern: "re.Pattern[str]"
    resolve: Resolve


class Moment:
    """One day, and the phrases that are resolved from it."""

    __slots__ = ("at", "day")

    def __init__(self, at: datetime) -> None:
        self.at = at
        self.day = at.date()

    def plus_days(self, days: int) -> str:
        return (self.day + timedelta(days=days)).isoformat()

    def monday(self, weeks: int = 0) -> date:
        """The Monday of the ISO week that many weeks away."""
        return self.day - timedelta(days=self.day.weekday()) + timedelta(weeks=weeks)

    def weekday_of_week(self, weekday: int, weeks: int) -> str:
        return (self.monday(weeks) + timedelta(days=weekday)).isoformat()

    def weekday_after(self, weekday: int) -> str:
        """The next such day after today."""
        return self.plus_days((weekday - self.day.weekday() - 1) % 7 + 1)

    def weekday_before(self, weekday: int) -> str:
        """The last such day before today."""
        return self.plus_days(-((self.day.weekday() - weekday - 1) % 7 + 1))

    def month(self, months: int) -> str:
        """`2026-11`, that many months away."""
        year, month = self._month(months)
        return f"{year:04}-{month:02}"

    def month_end(self, months: int = 0) -> str:
        year, month = self._month(months)
        return date(year, month, monthrange(year, month)[1]).isoformat()

    def month_start(self, months: int) -> str:
        return self.month(months) + "-01"

    def year(self, years: int) -> str:
        return f"{self.day.year + years:04}"

    def quarter(self, quarters: int) -> str:
        index = self.day.year * 4 + (self.day.month - 1) // 3 + quarters
        return f"Q{index % 4 + 1} {index // 4}"

    def quarter_end(self, quarters: int) -> str:
        index = self.day.year * 4 + (self.day.month - 1) // 3 + quarters
        year, month = index // 4, index % 4 * 3 + 3
        return date(year, month, monthrange(year, month)[1]).isoformat()

    def shift(self, count: int, unit: str) -> str:
        """`count` units away, as exact as the unit is: days and weeks give a day."""
        match unit:
            case "d":
                return self.plus_days(count)
            case "w":
                return self.plus_days(7 * count)
            case "m":
                return self.month(count)
            case "y":
                return self.year(count)
            case _:
                later = self.at + timedelta(hours=count) if unit == "h" else self._minutes(count)
                zone = later.strftime("%z")
                offset = "UTC" if zone in ("", "+0000") else f"{zone[:3]}:{zone[3:]}"
                return f"{later:%Y-%m-%d %H:%M} {offset}"

    def named_month(self, month: int, tense: str) -> str:
        """A month without a year: the last one, the coming one, or the nearest."""
        return f"{self._year_for(month, 1, tense):04}-{month:02}"

    def named_day(self, month: int, day: int, tense: str) -> str | None:
        """A day of a month without a year; `None` when there is no such day."""
        try:
            return date(self._year_for(month, day, tense), month, day).isoformat()
        except ValueError:
            return None

    def day_of_month(self, day: int, tense: str) -> str | None:
        """ "the 15th": of this month, or of the one before or after."""
        offset = 0
        if tense == "past" and day > self.day.day:
            offset = -1
        elif tense == "future" and day < self.day.day:
            offset = 1
        year, month = self._month(offset)
        return date(year, month, day).isoformat() if day <= monthrange(year, month)[1] else None

    def named_quarter(self, quarter: int, tense: str) -> str:
        year, now = self.day.year, (self.day.month - 1) // 3 + 1
        if tense == "future" and quarter < now:
            year += 1
        elif tense == "past" and quarter > now:
            year -= 1
        return f"Q{quarter} {year}"

    def _minutes(self, count: int) -> datetime:
        return self.at + timedelta(minutes=count)

    def _month(self, months: int) -> tuple[int, int]:
        index = self.day.year * 12 + self.day.month - 1 + months
        return index // 12, index % 12 + 1

    def _year_for(self, month: int, day: int, tense: str) -> int:
        year = self.day.year
        here, there = (self.day.month, self.day.day), (month, day)
        if tense == "past":
            return year if there <= here else year - 1
        if tense == "future":
            return year if there >= here else year + 1
        distance = (month - self.day.month) * 30 + day - self.day.day
        return year - 1 if distance > 183 else year + 1 if distance < -183 else year


@dataclass(frozen=True, slots=True)
class Tongue:
    """The vocabulary of one language; keys are lower case."""

    numbers: Mapping[str, int]
    units: Mapping[str, str]  # word → d, w, m, y, h, n (minute)
    weekdays: Mapping[str, int]  # word → 0 Monday … 6 Sunday
    months: Mapping[str, int]
    week: str  # template of a week by its Monday
    weekend: str = "{}"
    past: "re.Pattern[str]" = field(default_factory=lambda: re.compile(r"(?!)"))
    future: "re.Pattern[str]" = field(default_factory=lambda: re.compile(r"(?!)"))
    habit: "re.Pattern[str]" = field(default_factory=lambda: re.compile(r"(?!)"))

    def count(self, match: "re.Match[str]") -> int:
        word = match["n"].lower()
        return int(word) if word.isdecimal() else self.numbers[word]

    def unit(self, match: "re.Match[str]") -> str:
        return self.units[match["unit"].lower()]

    def weekday(self, match: "re.Match[str]") -> int:
        return self.weekdays[match["wd"].lower().rstrip(".")]

    def month_number(self, match: "re.Match[str]") -> int:
        return self.months[match["month"].lower().rstrip(".")]

    def tense(self, match: "re.Match[str]") -> str:
        """`past`, `future` or `near`: what the nearest telling word says, those before first."""
        start, end = sentence_span(match)
        text = match.string
        cues = [
            (cue.start(), name)
            for name, pattern in (("past", self.past), ("future", self.future))
            for cue in pattern.finditer(text, start, end)
        ]
        before = [cue for cue in cues if cue[0] <= match.start()]
        if before:
            return max(before)[1]
        return min(cues)[1] if cues else "near"

    def is_habit(self, match: "re.Match[str]") -> bool:
        return self.habit.search(sentence_of(match)) is not None

    def in_week(self, moment: Moment, weeks: int) -> str:
        return self.week.format(moment.monday(weeks).isoformat())

    def in_weekend(self, moment: Moment, weeks: int) -> str:
        return self.weekend.format(moment.weekday_of_week(5, weeks))

    def period(self, moment: Moment, unit: str, away: int) -> str:
        """The week, month, quarter, year or weekend that many away."""
        match unit:
            case "w":
                return self.in_week(moment, away)
            case "m":
                return moment.month(away)
            case "q":
                return moment.quarter(away)
            case "e":
                return self.in_weekend(moment, away)
            case _:
                return moment.year(away)

    def end(self, moment: Moment, unit: str, away: int) -> str:
        """Its last day; a week ends on Friday, as people at work say it."""
        match unit:
            case "w":
                return moment.weekday_of_week(4, away)
            case "m":
                return moment.month_end(away)
            case "q":
                return moment.quarter_end(away)
            case _:
                return moment.year(away) + "-12-31"

    def ago(self, match: "re.Match[str]", moment: Moment) -> str:
        return moment.shift(-self.count(match), self.unit(match))

    def ahead(self, match: "re.Match[str]", moment: Moment) -> str:
        return moment.shift(self.count(match), self.unit(match))


_STOPS = re.compile(r"[.!?](?=\s|$)|[;\n。！？]")


# No sentence is longer; without a bound a text of one sentence would take quadratic time.
_SENTENCE = 240


def sentence_span(match: "re.Match[str]") -> tuple[int, int]:
    text = match.string
    first = max(0, match.start() - _SENTENCE)
    last = min(len(text), match.end() + _SENTENCE)
    before = [stop.end() for stop in _STOPS.finditer(text, first, match.start())]
    after = _STOPS.search(text, match.end(), last)
    return before[-1] if before else first, after.start() if after else last


def sentence_of(match: "re.Match[str]") -> str:
    """The sentence a match stands in."""
    start, end = sentence_span(match)
    return match.string[start:end]


def keep(match: "re.Match[str]", moment: Moment) -> str:
    """Not a date after all; nor is anything inside it."""
    return match.group()


def fixed(days: Mapping[str, int]) -> Resolve:
    """Words that name one day: `{"today": 0}`."""

    def resolve(match: "re.Match[str]", moment: Moment) -> str:
        return moment.plus_days(days[" ".join(match.group().lower().split())])

    return resolve


def letters(name: str) -> dict[str, str]:
    """A table of `data/dates.txt`: word → what stands first in its line."""
    return {word: value for value, words in pairs("dates.txt", name) for word in words.split(", ")}


def numbers(name: str) -> dict[str, int]:
    """As `letters`, where numbers stand first."""
    return {word: int(value) for word, value in letters(name).items()}


def words(table: Mapping[str, int]) -> str:
    """The alternatives of a table, longest first, spaces as any blank."""
    ordered = sorted(table, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered)


# Not inside a word, path, address, flag, variable or call.
BEFORE = r"(?<![\w./\\@#$%=+\-'’])"
AFTER = r"(?![\w@/\\=(\-])(?!\.\w)(?!:\w)"


def rule(pattern: str, resolve: Resolve, *, flags: int = re.I) -> Rule:
    """A rule for a language that has spaces between words."""
    return Rule(re.compile(f"{BEFORE}(?:{pattern}){AFTER}", flags), resolve)


def rules(
    language: str, parts: Mapping[str, str], resolve: Mapping[str, Resolve]
) -> tuple[Rule, ...]:
    """The rules of `data/dates.txt`: how each is resolved, and its pattern with its parts."""
    found: list[Rule] = []
    for name, pattern in pairs("dates.txt", f"{language} rules"):
        name, _, case = name.partition("/")
        text = re.sub(r"\{([a-z_]+)\}", lambda match: parts[match[1]], pattern)
        found.append(rule(text, resolve[name], flags=0 if case else re.I))
    return tuple(found)
