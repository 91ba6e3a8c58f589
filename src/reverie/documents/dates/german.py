"""German."""

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

_NUMBERS = numbers("german numbers")
_UNITS = letters("german units")
_WEEKDAYS = numbers("german weekdays")
_MONTHS = numbers("german months")
_N = rf"(?P<n>\d{{1,3}}|{words(_NUMBERS)})"
_WD = words(_WEEKDAYS)
_LAST = r"(?:letzte|vorige|vergangene)[nmrs]?"
_NEXT = r"(?:nächste|kommende)[nmrs]?"
_THIS = r"diese[nmrs]?"

DE = Tongue(
    numbers=_NUMBERS,
    units=_UNITS,
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    week="Woche vom {}",
    weekend="Wochenende vom {}",
    past=re.compile(r"\b(?:war|waren|wurden?|hatten?|seit|ging|kam|fiel|lief|\w*ge\w+t)\b", re.I),
    future=re.compile(r"\b(?:wird|werden|bis|soll|muss|müssen|fällig|geplant|ab)\b", re.I),
    habit=re.compile(r"\b(?:jede[nmrs]?|immer|nie|niemals|meist|üblicherweise|stets)\b", re.I),
)


def _away(which: str) -> int:
    lowered = which.lower()
    return 0 if lowered.startswith("diese") else 1 if lowered.startswith(("nä", "ko")) else -1


def _near(match: re.Match[str], moment: Moment) -> str:
    return DE.period(moment, DE.unit(match), _away(match["which"]))


def _ago(match: re.Match[str], moment: Moment) -> str:
    resolved = DE.ago(match, moment)
    return f"am {resolved}" if DE.unit(match) in "dw" else resolved


def _ahead(match: re.Match[str], moment: Moment) -> str:
    resolved = DE.ahead(match, moment)
    return f"am {resolved}" if DE.unit(match) in "dw" else resolved


def _end(match: re.Match[str], moment: Moment) -> str:
    which = match["which"] or ""
    return DE.end(moment, DE.unit(match), _away(which) if which else 0)


def _weekday_which(match: re.Match[str], moment: Moment) -> str:
    away, weekday = _away(match["which"]), DE.weekday(match)
    if away < 0:
        return moment.weekday_before(weekday)
    if match["which"].lower().startswith("ko"):
        return moment.weekday_after(weekday)
    return moment.weekday_of_week(weekday, away)


def _weekday_alone(match: re.Match[str], moment: Moment) -> str | None:
    if DE.is_habit(match):
        return None
    lead = match["lead"]
    past = lead.strip().lower() == "seit" or DE.tense(match) == "past"
    weekday = DE.weekday(match)
    return lead + (moment.weekday_before(weekday) if past else moment.weekday_after(weekday))


def _month_day(match: re.Match[str], moment: Moment) -> str | None:
    return moment.named_day(DE.month_number(match), int(match["day"]), DE.tense(match))


_DAYS = {"heute": 0, "gestern": -1, "vorgestern": -2, "übermorgen": 2}

RULES: tuple[Rule, ...] = (
    rule(rf"(?:{_WD})\s*(?:bis|[-–]|und|oder)\s*(?:{_WD})", keep),
    rule(words(_DAYS), fixed(_DAYS)),
    # The noun is "Morgen" (morning); the adverb at the start of a sentence looks the same: left.
    rule(
        r"(?<!heute )(?<!gestern )(?<!jeden )(?<!am )morgen(?!s)",
        lambda _, m: m.plus_days(1),
        flags=0,
    ),
    rule(rf"vor\s+{_N}\s+(?P<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?|stunden?)", _ago),
    rule(
        rf"(?<!innerhalb )in\s+{_N}\s+(?P<unit>tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)", _ahead
    ),
    rule(
        rf"(?P<which>{_LAST}|{_NEXT}|{_THIS})\s+(?P<unit>woche|monat|quartal|jahr|wochenende)",
        _near,
    ),
    rule(
        rf"ende\s+(?:(?:des|der)\s+)?(?P<which>{_LAST}|{_NEXT}|{_THIS})?\s*"
        r"(?P<unit>woche|monats?|quartals?|jahres)",
        _end,
    ),
    rule(rf"(?P<which>{_LAST}|{_NEXT}|{_THIS})\s+(?P<wd>{_WD})", _weekday_which),
    rule(rf"(?P<lead>(?:am|bis|seit|ab|vor|bis\s+zum)\s+)(?P<wd>{_WD})", _weekday_alone),
    rule(rf"(?P<day>\d{{1,2}})\.\s*(?P<month>{words(_MONTHS)})(?!\s*\d)", _month_day),
)
