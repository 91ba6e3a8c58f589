"""Chinese, simplified and traditional, and Japanese."""

import re

from reverie.documents.dates.calendar import Moment, Rules, Tongue

ZH = Tongue("chinese", "{}那一周", spaced=False)
JA = Tongue("japanese", "{}の週", spaced=False)
# What is before, now and after; of months, years and weeks.
_AROUND = {
    "上": -1,
    "本": 0,
    "这": 0,
    "這": 0,
    "下": 1,
    "去": -1,
    "明": 1,
    "先": -1,
    "今": 0,
    "来": 1,
    "昨": -1,
    "": 0,
    "先週": -1,
    "今週": 0,
    "来週": 1,
    "再来週": 2,
    "先々週": -2,
}


def chinese() -> Rules:
    return ZH.rules(
        week=lambda match, moment: ZH.in_week(moment, _AROUND[match["which"]]),
        weekday_in_week=lambda match, moment: _weekday(ZH, match, moment),
        month=_month,
        month_end=_month_end,
        year=_year,
        year_end=lambda _, moment: moment.year(0) + "-12-31",
    )


def japanese() -> Rules:
    return JA.rules(
        week=lambda match, moment: JA.in_week(moment, _AROUND[match.group()]),
        weekday_in_week=lambda match, moment: _weekday(JA, match, moment),
        month=_month,
        month_end=_month_end,
        year=_year,
    )


def _weekday(tongue: Tongue, match: re.Match[str], moment: Moment) -> str:
    return moment.weekday_of_week(tongue.weekday(match), _AROUND[match["which"]])


def _month(match: re.Match[str], moment: Moment) -> str:
    return moment.month(_AROUND[match["which"]])


def _month_end(match: re.Match[str], moment: Moment) -> str:
    return moment.month_end(_AROUND[match["which"]])


def _year(match: re.Match[str], moment: Moment) -> str:
    return moment.year(_AROUND[match.group()[0]])
