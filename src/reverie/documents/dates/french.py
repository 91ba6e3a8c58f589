"""French."""

import re

from reverie.documents.dates.calendar import (
    Moment,
    Rule,
    Tongue,
    fixed,
    keep,
    letters,
    numbers,
    rule,
    words,
)

_NUMBERS = numbers("french numbers")
_UNITS = letters("french units")
_WEEKDAYS = numbers("french weekdays")
_MONTHS = numbers("french months")
_N = rf"(?P<n>\d{{1,3}}|{words(_NUMBERS)})"
_WD = words(_WEEKDAYS)
_SPAN = r"(?:la\s+|le\s+|l['’])(?P<unit>semaine|mois|trimestre|année|an)"

FR = Tongue(
    numbers=_NUMBERS,
    units=_UNITS,
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    week="la semaine du {}",
    past=re.compile(
        r"\b(?:était|étaient|depuis|avait|(?:a|ont|est|sont)\s+(?:été\s+)?\w+[éitsu])\b", re.I
    ),
    future=re.compile(r"\b(?:avant|jusqu|d'ici|doit|doivent|sera|il faut|prévu|pour)\b", re.I),
    habit=re.compile(
        r"\b(?:chaque|tous|toutes|toujours|jamais)\b|\ble\s+(?:lun|mar|jeu|vend)\w*di\b", re.I
    ),
)


def _last(match: re.Match[str], moment: Moment) -> str:
    return FR.period(moment, FR.unit(match), -1)


def _next(match: re.Match[str], moment: Moment) -> str:
    return FR.period(moment, FR.unit(match), 1)


def _this(match: re.Match[str], moment: Moment) -> str:
    return FR.period(moment, FR.unit(match), 0)


def _ahead(match: re.Match[str], moment: Moment) -> str:
    resolved = FR.ahead(match, moment)
    return f"le {resolved}" if FR.unit(match) in "dw" else f"en {resolved}"


def _end(match: re.Match[str], moment: Moment) -> str:
    return FR.end(moment, FR.unit(match), 1 if match["next"] else 0)


def _weekday_alone(match: re.Match[str], moment: Moment) -> str | None:
    if FR.is_habit(match):
        return None
    lead, weekday = match["lead"], FR.weekday(match)
    if lead.lower().startswith("depuis") or FR.tense(match) == "past":
        return lead + moment.weekday_before(weekday)
    return lead + moment.weekday_after(weekday)


def _month_day(match: re.Match[str], moment: Moment) -> str | None:
    day = 1 if match["day"].startswith("1er") else int(match["day"])
    return moment.named_day(FR.month_number(match), day, FR.tense(match))


_DAYS = numbers("french days")

RULES: tuple[Rule, ...] = (
    rule(rf"(?:du\s+)?(?:{_WD})\s+(?:au|et|ou|à)\s+(?:{_WD})", keep),
    rule(words(_DAYS), fixed(_DAYS)),
    rule(rf"il\s+y\s+a\s+{_N}\s+(?P<unit>jours?|semaines?|mois|ans?|heures?)", FR.ago),
    rule(rf"dans\s+{_N}\s+(?P<unit>jours?|semaines?|mois|ans?)", _ahead),
    rule(rf"{_SPAN}\s+(?:derni[eè]re?|pass[ée]e?)", _last),
    rule(rf"{_SPAN}\s+prochaine?", _next),
    rule(r"cet?(?:te)?\s+(?P<unit>semaine|mois|trimestre|année)(?:[- ]ci)?", _this),
    rule(
        r"(?:à\s+)?(?:la\s+)?fin\s+(?:du|de\s+la|de\s+l['’])\s*(?P<unit>semaine|mois|trimestre|année)"
        r"(?P<next>\s+prochaine?)?",
        _end,
    ),
    rule(
        rf"(?:le\s+)?(?P<wd>{_WD})\s+dernier", lambda match, m: m.weekday_before(FR.weekday(match))
    ),
    rule(
        rf"(?:le\s+)?(?P<wd>{_WD})\s+prochain",
        lambda match, m: m.weekday_of_week(FR.weekday(match), 1),
    ),
    rule(
        rf"(?P<lead>(?:avant|depuis|jusqu['’]à|pour|d['’]ici|dès|ce)\s+)(?P<wd>{_WD})"
        r"(?!\s+(?:dernier|prochain))",
        _weekday_alone,
    ),
    rule(rf"(?P<day>1er|\d{{1,2}})\s+(?P<month>{words(_MONTHS)})(?!\s+\d)", _month_day),
)
