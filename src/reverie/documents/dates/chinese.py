"""Chinese, simplified and traditional."""

import re

from reverie.documents.dates.calendar import Moment, Rule, Tongue, fixed, keep, letters, numbers

_NUMBERS = {c: n for n, c in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}
_WEEKDAYS = {c: n for n, c in enumerate("一二三四五六日")} | {"天": 6}
_N = r"(?P<n>\d{1,3}|[一二三四五六七八九十两兩])"
_AROUND = {"上": -1, "本": 0, "这": 0, "這": 0, "下": 1}
_WEEK = r"(?P<which>[上下本这這])个?個?(?:周|週|星期|礼拜|禮拜)"

ZH = Tongue(
    numbers=_NUMBERS, units=letters("chinese units"), weekdays=_WEEKDAYS, months={}, week="{}那一周"
)


def _week(match: re.Match[str], moment: Moment) -> str:
    return ZH.in_week(moment, _AROUND[match["which"]])


def _weekday(match: re.Match[str], moment: Moment) -> str:
    return moment.weekday_of_week(_WEEKDAYS[match["wd"]], _AROUND[match["which"]])


def _month(match: re.Match[str], moment: Moment) -> str:
    return moment.month(_AROUND[match["which"]])


def _month_end(match: re.Match[str], moment: Moment) -> str:
    return moment.month_end(_AROUND[match["which"] or "本"])


def _year(match: re.Match[str], moment: Moment) -> str:
    return moment.year({"去": -1, "今": 0, "明": 1}[match.group()[0]])


def _year_end(match: re.Match[str], moment: Moment) -> str:
    return moment.year(0) + "-12-31"


_DAYS = numbers("chinese days")

RULES: tuple[Rule, ...] = (
    Rule(
        re.compile(r"[上下]周期|[上下]週期|每(?:周|週|月|天|年)(?:底|末|[一二三四五六日])?"), keep
    ),
    # 以后天 and the like: the last character of another word
    Rule(
        re.compile(r"(?<![以之然])(?:" + "|".join(sorted(_DAYS, key=len, reverse=True)) + ")"),
        fixed(_DAYS),
    ),
    Rule(re.compile(_WEEK + r"(?P<wd>[一二三四五六日天])(?![个個份])"), _weekday),
    Rule(re.compile(_WEEK + r"(?![期一二三四五六日天])"), _week),
    Rule(re.compile(r"(?P<which>[上下本这這])[个個]?月[底末]"), _month_end),
    Rule(re.compile(r"(?<![\d每一二三四五六七八九十个個])(?P<which>)月底"), _month_end),
    Rule(re.compile(r"(?P<which>[上下这這])[个個]月"), _month),
    Rule(re.compile(r"(?P<which>本)月"), _month),
    Rule(re.compile(r"(?<!每)年底"), _year_end),
    Rule(re.compile(r"去年|今年|明年"), _year),
    Rule(
        re.compile(rf"{_N}(?P<unit>天|日|周|週|个?星期|個星期|[个個]月|年|个?小时)(?:之|以)?前"),
        ZH.ago,
    ),
    Rule(
        re.compile(rf"{_N}(?P<unit>天|日|周|週|个?星期|個星期|[个個]月|年)(?:之|以)?[后後]"),
        ZH.ahead,
    ),
)
