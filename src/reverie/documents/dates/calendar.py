"""The arithmetic behind every language: what a phrase means, seen from one moment."""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from reverie.data import Parts, pairs, patterns

# `None` leaves the text to other rules; the matched text itself keeps every rule away from it.
Resolve = Callable[["re.Match[str]", "Moment"], str | None]


class Rule(NamedTuple):
    pattern: "re.Pattern[str]"
    resolve: Resolve


class Rules(NamedTuple):
    """The rules of a language in order, and what matches wherever any of them does."""

    every: tuple[Rule, ...]
    any_of: "re.Pattern[str]"


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


class Tongue(NamedTuple):
    """One language: the words and patterns it has in `data/dates.txt`, and what they come to."""

    language: str
    week: str  # template of a week by its Monday
    weekend: str = "{}"
    on: tuple[str, str] = ("", "")  # what stands before a day, and before a longer time
    since: str = "since"  # after this a weekday is a past one
    spaced: bool = True  # whether there are spaces between its words

    @property
    def said(self) -> Parts["re.Pattern[str]"]:
        return _patterns(self.language)

    def table(self, name: str) -> Mapping[str, int]:
        """Word → number; keys are lower case."""
        return numbers(f"{self.language} {name}")

    def count(self, match: "re.Match[str]") -> int:
        word = match["n"].lower()
        return int(word) if word.isdecimal() else self.table("numbers")[word]

    def unit(self, match: "re.Match[str]") -> str:
        """d, w, m, y, q, e (weekend), h or n (minute)."""
        return letters(f"{self.language} units")[match["unit"].lower()]

    def weekday(self, match: "re.Match[str]") -> int:
        """0 Monday … 6 Sunday."""
        return self.table("weekdays")[match["wd"].lower().rstrip(".")]

    def month_number(self, match: "re.Match[str]") -> int:
        return self.table("months")[match["month"].lower().rstrip(".")]

    def tense(self, match: "re.Match[str]") -> str:
        """`past`, `future` or `near`: what the nearest telling word says, those before first."""
        start, end = sentence_span(match)
        text = match.string
        cues = [
            (cue.start(), name)
            for name, pattern in (("past", self.said.past), ("future", self.said.future))
            for cue in pattern.finditer(text, start, end)
        ]
        before = [cue for cue in cues if cue[0] <= match.start()]
        if before:
            return max(before)[1]
        return min(cues)[1] if cues else "near"

    def is_habit(self, match: "re.Match[str]") -> bool:
        return self.said.habit.search(sentence_of(match)) is not None

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

    def dated(self, match: "re.Match[str]", resolved: str) -> str:
        """With the word that makes a date of it."""
        return self.on[self.unit(match) not in "dw"] + resolved

    def ago_on(self, match: "re.Match[str]", moment: Moment) -> str:
        return self.dated(match, self.ago(match, moment))

    def ahead_on(self, match: "re.Match[str]", moment: Moment) -> str:
        return self.dated(match, self.ahead(match, moment))

    def last(self, match: "re.Match[str]", moment: Moment) -> str:
        return self.period(moment, self.unit(match), -1)

    def this(self, match: "re.Match[str]", moment: Moment) -> str:
        return self.period(moment, self.unit(match), 0)

    def next(self, match: "re.Match[str]", moment: Moment) -> str:
        return self.period(moment, self.unit(match), 1)

    def end_of(self, match: "re.Match[str]", moment: Moment) -> str:
        return self.end(moment, self.unit(match), 1 if match["next"] else 0)

    def weekday_alone(self, match: "re.Match[str]", moment: Moment) -> str | None:
        if self.is_habit(match):
            return None
        lead, weekday = match["lead"], self.weekday(match)
        tense = self.tense(match)
        if tense == "near" and lead in self.on:
            return None  # it may be so every week
        past = lead.lower().startswith(self.since) or tense == "past"
        return lead + (moment.weekday_before(weekday) if past else moment.weekday_after(weekday))

    def month_day(self, match: "re.Match[str]", moment: Moment) -> str | None:
        day = int(match["day"].removesuffix("er"))  # the French "1er"
        return moment.named_day(self.month_number(match), day, self.tense(match))

    def part(self, name: str) -> str:
        """A piece of a pattern: the words of a table, or what the file has under that name."""
        if name == "n":
            return rf"(?P<n>\d{{1,3}}|{words(self.table('numbers'))})"
        if name in {"weekdays", "months", "days"}:
            return words(self.table(name))
        return self.filled(self.said.text(name).replace("\n", ""))

    def filled(self, text: str) -> str:
        return re.sub(r"\{([a-z_]+)\}", lambda match: self.part(match[1]), text)

    def rules(self, **resolve: Resolve) -> Rules:
        """The rules of `data/dates.txt`: how each is resolved, and its pattern with its parts."""
        known: dict[str, Resolve] = {"keep": keep, "days": fixed(self.table("days")), **resolve}
        resolved: list[Rule] = []
        forms: list[str] = []
        for name, pattern in pairs("dates.txt", f"{self.language} rules"):
            name, _, case = name.partition("/")
            text = self.filled(pattern)
            if self.spaced:
                text = f"(?:{text}){AFTER}"
            flag = "" if case or not self.spaced else "i"
            form = f"(?{flag}:{text})"
            forms.append(_GROUP.sub("(?:", form))
            shape = re.compile(self._alone(form))
            resolved.append(Rule(shape, known.get(name) or getattr(self, name)))
        return Rules(tuple(resolved), re.compile(self._alone("|".join(forms))))

    def _alone(self, form: str) -> str:
        return f"{BEFORE}(?:{form})" if self.spaced else form


_GROUP = re.compile(r"\(\?P<\w+>")
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


@cache
def _patterns(language: str) -> Parts["re.Pattern[str]"]:
    return patterns("dates.txt", language)


@cache
def letters(name: str) -> Mapping[str, str]:
    """A table of `data/dates.txt`: word → what stands first in its line."""
    return {word: value for value, words in pairs("dates.txt", name) for word in words.split(", ")}


@cache
def numbers(name: str) -> Mapping[str, int]:
    """As `letters`, where numbers stand first."""
    return {word: int(value) for word, value in letters(name).items()}


def words(table: Mapping[str, int]) -> str:
    """The alternatives of a table, longest first, spaces as any blank."""
    ordered = sorted(table, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered)


# Not inside a word, path, address, flag, variable or call.
BEFORE = r"(?<![\w./\\@#$%=+\-'’])"
AFTER = r"(?![\w@/\\=(\-])(?!\.\w)(?!:\w)"
