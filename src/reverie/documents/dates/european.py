"""German, Spanish and French."""

import re

from reverie.documents.dates.calendar import Moment, Rules, Tongue

DE = Tongue("german", "Woche vom {}", "Wochenende vom {}", on=("am ", ""), since="seit")
ES = Tongue("spanish", "la semana del {}", on=("el ", "en "), since="desde")
FR = Tongue("french", "la semaine du {}", on=("le ", "en "), since="depuis")


def german() -> Rules:
    return DE.rules(tomorrow=_tomorrow, near=_near, end=_end, weekday_which=_weekday_which)


def spanish() -> Rules:
    return ES.rules(
        tomorrow=_tomorrow,
        weekday_before=lambda match, m: "el " + m.weekday_before(ES.weekday(match)),
        weekday_next=lambda match, m: "el " + m.weekday_of_week(ES.weekday(match), 1),
    )


def french() -> Rules:
    return FR.rules(
        weekday_before=lambda match, m: m.weekday_before(FR.weekday(match)),
        weekday_next=lambda match, m: m.weekday_of_week(FR.weekday(match), 1),
    )


def _tomorrow(_match: re.Match[str], moment: Moment) -> str:
    return moment.plus_days(1)


def _away(which: str) -> int:
    lowered = which.lower()
    return 0 if lowered.startswith("diese") else 1 if lowered.startswith(("nä", "ko")) else -1


def _near(match: re.Match[str], moment: Moment) -> str:
    return DE.period(moment, DE.unit(match), _away(match["which"]))


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
