"""Spanish."""

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

_NUMBERS = numbers("spanish numbers")
_UNITS = letters("spanish units")
_WEEKDAYS = numbers("spanish weekdays")
_MONTHS = numbers("spanish months")
_N = rf"(?P<n>\d{{1,3}}|{words(_NUMBERS)})"
_WD = words(_WEEKDAYS)
_SPAN = r"(?P<unit>semana|mes|trimestre|año)"

ES = Tongue(
    numbers=_NUMBERS,
    units=_UNITS,
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    week="la semana del {}",
    past=re.compile(r"\b(?:fue|era|estaba|desde|había|rompió|falló|\w+(?:ó|aron|ieron))\b", re.I),
    future=re.compile(r"\b(?:hasta|antes|debe|deben|será|hay que|vamos|para)\b", re.I),
    habit=re.compile(r"\b(?:todos|todas|cada|siempre|nunca|los)\b", re.I),
)


def _past(match: re.Match[str], moment: Moment) -> str:
    return ES.period(moment, ES.unit(match), -1)


def _next(match: re.Match[str], moment: Moment) -> str:
    return ES.period(moment, ES.unit(match), 1)


def _this(match: re.Match[str], moment: Moment) -> str:
    return ES.period(moment, ES.unit(match), 0)


def _ahead(match: re.Match[str], moment: Moment) -> str:
    resolved = ES.ahead(match, moment)
    return f"el {resolved}" if ES.unit(match) in "dw" else f"en {resolved}"


def _end(match: re.Match[str], moment: Moment) -> str:
    return ES.end(moment, ES.unit(match), 1 if match["next"] else 0)


def _weekday_alone(match: re.Match[str], moment: Moment) -> str | None:
    if ES.is_habit(match):
        return None
    weekday = ES.weekday(match)
    if ES.tense(match) == "past":
        return match["lead"] + moment.weekday_before(weekday)
    return match["lead"] + moment.weekday_after(weekday)


def _month_day(match: re.Match[str], moment: Moment) -> str | None:
    return moment.named_day(ES.month_number(match), int(match["day"]), ES.tense(match))


_DAYS = {"hoy": 0, "ayer": -1, "anteayer": -2, "antier": -2, "pasado mañana": 2}

RULES: tuple[Rule, ...] = (
    rule(r"hoy\s+en\s+día", keep),
    rule(rf"(?:de\s+)?(?:{_WD})\s+(?:a|y|o)\s+(?:{_WD})", keep),
    rule(words(_DAYS), fixed(_DAYS)),
    # "la mañana", "cada mañana" and "esta mañana" are mornings.
    rule(r"(?<!la )(?<!cada )(?<!esta )(?<!una )(?<!media )mañana", lambda _, m: m.plus_days(1)),
    rule(
        rf"hace\s+{_N}\s+(?P<unit>días?|dias?|semanas?|mes(?:es)?|años?|horas?)(?!\s+que)", ES.ago
    ),
    rule(rf"dentro\s+de\s+{_N}\s+(?P<unit>días?|dias?|semanas?|mes(?:es)?|años?)", _ahead),
    rule(rf"(?:la|el)\s+{_SPAN}\s+pasad[oa]", _past),
    rule(rf"(?:la|el)\s+próxim[oa]\s+{_SPAN}", _next),
    rule(rf"(?:la|el)\s+{_SPAN}\s+(?:que\s+viene|próxim[oa])", _next),
    rule(rf"est[ea]\s+{_SPAN}", _this),
    rule(
        r"(?:a\s+)?(?:fin(?:es|al)?)\s+de(?:l?|\s+este)\s*(?P<next>próximo\s+)?(?P<unit>mes|trimestre|año)",
        _end,
    ),
    rule(
        rf"el\s+(?P<wd>{_WD})\s+pasado",
        lambda match, m: "el " + m.weekday_before(ES.weekday(match)),
    ),
    rule(
        rf"el\s+próximo\s+(?P<wd>{_WD})",
        lambda match, m: "el " + m.weekday_of_week(ES.weekday(match), 1),
    ),
    rule(rf"(?P<lead>d?el\s+)(?P<wd>{_WD})(?!\s+(?:pasado|próximo|que))", _weekday_alone),
    rule(rf"(?P<day>\d{{1,2}})\s+de\s+(?P<month>{words(_MONTHS)})(?!\s+(?:de\s+)?\d)", _month_day),
)
