"""English."""

import re

from reverie.documents.dates.calendar import (
    Moment,
    Resolve,
    Tongue,
    fixed,
    keep,
    letters,
    numbers,
    rules,
    sentence_of,
    words,
)

_NUMBERS = numbers("english numbers")
_UNITS = letters("english units")
_WEEKDAYS = numbers("english weekdays")
_FULL = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_SHORT = "Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun"
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTHS = {name: at for at, name in enumerate(_MONTH_NAMES, 1)} | {
    **{name[:3]: at for at, name in enumerate(_MONTH_NAMES, 1)},
    "sept": 9,
}
_LONG_MONTH = "|".join(name.capitalize() for name in _MONTH_NAMES)
_MONTH = f"{_LONG_MONTH}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_N = rf"(?P<n>\d{{1,3}}|{words(_NUMBERS)})"
_NO_YEAR = r"(?!\s*,?\s*'?\d)(?!\s+of\s+\d)"

EN = Tongue(
    numbers=_NUMBERS,
    units=_UNITS,
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    week="the week of {}",
    weekend="the weekend of {}",
    past=re.compile(
        r"\b(?:was|were|did|had|has been|been|broke|built|went|came|got|ran|sent|lost|began|took"
        r"|saw|said|told|made|(?:re)?wrote|redid|found|hit|since|ago|[a-z]{2,}ed)\b(?!\s+by\b)",
        re.I,
    ),
    future=re.compile(
        r"\b(?:will|shall|due|until|till|by|before|must|should|going to|plan(?:ned|s)?|scheduled"
        r"|starts?|begins?|deadline|ships?|launch(?:es)?|goes live|needs? to|have to|has to"
        r"|let's|ends?|closes?|expires?|comes?)\b",
        re.I,
    ),
    habit=re.compile(
        r"\b(?:every|each|always|never|usually|typically|normally|weekly|monthly|yearly|whenever"
        r"|generally|often|sometimes|rule|kept|keep|retained|stored|birthday"
        r"|anniversary)\b|\bon an?\b",
        re.I,
    ),
)


def _near(match: re.Match[str], moment: Moment) -> str | None:
    which = match["which"].lower()
    away = {"last": -1, "this": 0, "next": 1}[which]
    return EN.period(moment, EN.unit(match), away)


def _weekday_which(match: re.Match[str], moment: Moment) -> str:
    which = " ".join(match["which"].lower().split())
    weekday = EN.weekday(match)
    if which in ("last", "past", "this past"):
        return moment.weekday_before(weekday)
    if which == "next":
        return moment.weekday_of_week(weekday, 1)
    if which == "this":
        return moment.weekday_of_week(weekday, 0)
    return moment.weekday_after(weekday)


def _weekday_in_week(match: re.Match[str], moment: Moment) -> str:
    away = {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    return moment.weekday_of_week(EN.weekday(match), away)


_LED = re.compile(r"\b(?:on|by|until|till|before|after|since|from|every|each|an?)\s+$", re.I)


def _weekday_alone(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match):
        return None
    lead = (match.groupdict().get("lead") or "").lower()
    if not lead and _LED.search(match.string[max(0, match.start() - 12) : match.start()]):
        return None
    if lead.startswith("on") and re.search(
        r"\b(?:don'?t|do not|no|avoid)\b", sentence_of(match), re.I
    ):
        return None
    past = lead.startswith("since") or (
        lead[:2] not in ("by", "un", "ti", "be", "du") and EN.tense(match) == "past"
    )
    day = EN.weekday(match)
    return (match.groupdict().get("lead") or "") + (
        moment.weekday_before(day) if past else moment.weekday_after(day)
    )


def _in_units(match: re.Match[str], moment: Moment) -> str | None:
    if EN.tense(match) == "past":
        return None
    unit = EN.unit(match)
    resolved = EN.ahead(match, moment)
    return f"on {resolved}" if unit in "dw" else f"in {resolved}"


def _last_units(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match):
        return None
    unit = EN.unit(match)
    count = EN.count(match) if match["n"] else 1
    start = {
        "d": moment.plus_days(-count),
        "w": moment.plus_days(-7 * count),
        "m": moment.month(-count),
        "y": moment.year(-count),
    }[unit]
    if match["lead"].lower() == "for":
        return f"since {start}"
    return f"between {start} and {moment.day.isoformat()}"


def _from_day(match: re.Match[str], moment: Moment) -> str:
    days = EN.count(match) * (7 if EN.unit(match) == "w" else 1)
    anchor = match["anchor"].lower()
    if anchor in ("now", "today"):
        return EN.ahead(match, moment)
    if anchor == "tomorrow":
        return moment.plus_days(days + 1)
    first = moment.weekday_after(_WEEKDAYS[anchor])
    return Moment(moment.at.fromisoformat(first)).plus_days(days)


def _end(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match):
        return None
    groups = match.groupdict()
    away = {"next": 1, "last": -1}.get((groups["which"] or "").lower(), 0)
    unit = EN.unit(match)
    if unit == "d":
        return f"the end of {moment.plus_days(0)}"
    if match["edge"].lower() == "end":
        return EN.end(moment, unit, away)
    if unit == "w":
        return moment.weekday_of_week(0, away)
    return moment.month_start(away) if unit == "m" else moment.year(away) + "-01-01"


def _shorthand(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match):
        return None
    word = match.group().upper()
    if word in ("EOD", "COB"):
        return f"the end of {moment.plus_days(0)}"
    return EN.end(moment, {"EOW": "w", "EOM": "m", "EOQ": "q", "EOY": "y"}[word], 0)


def _end_of_weekday(match: re.Match[str], moment: Moment) -> str:
    return f"the end of {moment.weekday_after(EN.weekday(match))}"


def _tense_of(match: re.Match[str], lead: str) -> str:
    lead = lead.strip().lower()
    if lead in ("last", "since"):
        return "past"
    if lead in ("next", "by", "until", "till", "before", "due"):
        return "future"
    return EN.tense(match)


def _month(match: re.Match[str], moment: Moment) -> str | None:
    lead = match["lead"]
    if EN.is_habit(match):
        return None
    resolved = moment.named_month(EN.month_number(match), _tense_of(match, lead))
    return resolved if lead.strip().lower() in ("last", "next", "this") else lead + resolved


def _month_day(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match):
        return None
    if match["month"] == "May" and not re.match(
        r"\s*(?:$|[.,;:!?)]|\b(?:at|in|on|for|to|and|or|is|was|as|with|from|by|until|we)\b)",
        match.string[match.end() : match.end() + 12],
    ):
        return None
    before = re.search(r"(\w+)\s*$", match.string[max(0, match.start() - 20) : match.start()])
    tense = _tense_of(match, before[1] if before else "")
    first = moment.named_day(EN.month_number(match), int(match["day"]), tense)
    if first is None or not match.groupdict().get("to"):
        return first
    last = moment.named_day(EN.month_number(match), int(match["to"]), tense)
    return f"{first} to {last}" if last else None


def _quarter(match: re.Match[str], moment: Moment) -> str | None:
    lead = match["lead"]
    if EN.is_habit(match):
        return None
    resolved = moment.named_quarter(int(match["q"]), _tense_of(match, lead))
    return lead + resolved


def _day_of_month(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match) or not 1 <= int(match["day"]) <= 31:
        return None
    which = (match["which"] or "").lower()
    if which:
        shifted = moment.month({"next": 1, "last": -1}.get(which, 0))
        return f"{match['lead']}{shifted}-{int(match['day']):02}"
    resolved = moment.day_of_month(int(match["day"]), _tense_of(match, match["lead"]))
    return match["lead"] + resolved if resolved else None


def _part_of_day(match: re.Match[str], moment: Moment) -> str:
    said = " ".join(match.group().lower().split())
    if said == "last night":
        return f"the night of {moment.plus_days(-1)}"
    part = "night" if said == "tonight" else said.split()[1]
    return f"the {part} of {moment.plus_days(0)}"


_DAYS = numbers("english days")
# What comes before "in 2 weeks" when it tells how long something takes.
_TOOK = "".join(
    f"(?<!{word} )"
    for word in (
        *("done", "times", "once", "twice", "expires", "expire", "days", "finishes", "finish"),
        *("completes", "runs", "run", "rotate", "rotates", "results", "lapses", "lapse"),
    )
)
_CLAUSE_END = (
    r"(?=\s*(?:$|[.,;:!?)\n]|\b(?:at|by|before|after|from|because|so|morning|afternoon|evening"
    r"|night|noon|EOD|\d)))"
)
_NAMED_DAYS = (
    r"(?:Black|Good|Patch|Cyber|Giving|Casual|Happy|Easter|Palm|Ash|Fat|Shrove|Super|Freaky"
    r"|Throwback)"
)
_LEADS = r"[Ii]n|[Bb]y|[Uu]ntil|[Ss]ince|[Bb]efore|[Aa]fter|[Dd]uring|[Ee]arly|[Ll]ate|of"

_PARTS = {
    "days": words(_DAYS), "full": _FULL, "short": _SHORT, "n": _N, "month": _MONTH,
    "long_month": _LONG_MONTH, "no_year": _NO_YEAR, "clause_end": _CLAUSE_END,
    "named_days": _NAMED_DAYS, "leads": _LEADS, "took": _TOOK,
}  # fmt: skip
_RESOLVE: dict[str, Resolve] = {
    "days": fixed(_DAYS), "keep": keep, "ago": EN.ago, "ahead": EN.ahead, "near": _near,
    "in_units": _in_units, "last_units": _last_units, "from_day": _from_day, "end": _end,
    "shorthand": _shorthand, "part_of_day": _part_of_day, "month": _month,
    "month_day": _month_day, "quarter": _quarter, "day_of_month": _day_of_month,
    "weekday_which": _weekday_which, "weekday_in_week": _weekday_in_week,
    "weekday_alone": _weekday_alone, "end_of_weekday": _end_of_weekday,
}  # fmt: skip
RULES = rules("english", _PARTS, _RESOLVE)
