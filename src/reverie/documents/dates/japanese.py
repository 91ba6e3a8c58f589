"""Japanese."""

import re

from reverie.documents.dates.calendar import Moment, Rule, Tongue, fixed, keep, numbers

_KANJI = {c: n for n, c in enumerate("一二三四五六七八九十", 1)}
_WEEKDAYS = {c: n for n, c in enumerate("月火水木金土日")}
_N = r"(?P<n>[0-9０-９]{1,3}|[一二三四五六七八九十])"
_UNIT = r"(?P<unit>日|週間|[かヶケカ箇]月|年|時間)"
_WEEKS = {"先週": -1, "今週": 0, "来週": 1, "再来週": 2, "先々週": -2}
_AROUND = {"先": -1, "今": 0, "来": 1}

JA = Tongue(
    numbers=_KANJI,
    units={"日": "d", "週間": "w", "年": "y", "時間": "h", **{f"{c}月": "m" for c in "かヶケカ箇"}},
    weekdays=_WEEKDAYS,
    months={},
    week="{}の週",
)


def _week(match: re.Match[str], moment: Moment) -> str:
    return JA.in_week(moment, _WEEKS[match.group()])


def _weekday_in_week(match: re.Match[str], moment: Moment) -> str:
    return moment.weekday_of_week(_WEEKDAYS[match["wd"]], _WEEKS[match["week"]])


def _month(match: re.Match[str], moment: Moment) -> str:
    return moment.month(_AROUND[match["which"]])


def _month_end(match: re.Match[str], moment: Moment) -> str:
    return moment.month_end(_AROUND[match["which"] or "今"])


def _year(match: re.Match[str], moment: Moment) -> str:
    return moment.year({"去": -1, "昨": -1, "今": 0, "来": 1}[match.group()[0]])


_DAYS = numbers("japanese days")

RULES: tuple[Rule, ...] = (
    # "today" as in nowadays or a greeting, and a rule about the end of every month
    Rule(re.compile(r"今日的|今日[はわ][、！!]|毎(?:週|月|年|日)末?|年末年始"), keep),
    Rule(re.compile("|".join(sorted(_DAYS, key=len, reverse=True))), fixed(_DAYS)),
    Rule(
        re.compile(r"(?P<week>再来週|先々週|先週|今週|来週)の?(?P<wd>[月火水木金土日])(?:曜日?)"),
        _weekday_in_week,
    ),
    Rule(re.compile("再来週|先々週|先週|今週|来週(?!間)"), _week),
    Rule(re.compile(r"(?P<which>[先今来])月末"), _month_end),
    Rule(re.compile(r"(?<![毎0-9０-９])(?P<which>)月末(?!尾)"), _month_end),
    Rule(re.compile(r"(?P<which>[先今来])月"), _month),
    Rule(re.compile(r"今年度|来年度|昨年度"), keep),
    Rule(re.compile(r"去年|昨年|今年|来年"), _year),
    Rule(re.compile(rf"{_N}{_UNIT}前(?!後)"), JA.ago),
    Rule(re.compile(rf"{_N}{_UNIT}後"), JA.ahead),
)
