"""English."""

import re

from reverie.documents.dates.calendar import Moment, Rules, Tongue, sentence_of, sentence_span

EN = Tongue("english", "the week of {}", "the weekend of {}", on=("on ", "in "))


def english() -> Rules:
    return EN.rules(
        near=_near, in_units=_in_units, last_units=_last_units, from_day=_from_day, end=_end,
        shorthand=_shorthand, part_of_day=_part_of_day, month=_month, month_day=_month_day,
        quarter=_quarter, day_of_month=_day_of_month, weekday_which=_weekday_which,
        weekday_in_week=_weekday_in_week, weekday_alone=_weekday_alone,
        end_of_weekday=_end_of_weekday,
    )  # fmt: skip


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


def _weekday_alone(match: re.Match[str], moment: Moment) -> str | None:
    if EN.is_habit(match):
        return None
    lead = (match.groupdict().get("lead") or "").lower()
    if not lead and EN.said.led.search(match.string[max(0, match.start() - 12) : match.start()]):
        return None
    if lead.startswith("on") and EN.said.forbids.search(sentence_of(match)):
        return None
    tense = EN.tense(match)
    if lead.strip() in ("", "on") and tense == "near" and not _is_an_event(match):
        return None
    past = lead.startswith("since") or (
        lead[:2] not in ("by", "un", "ti", "be", "du") and tense == "past"
    )
    day = EN.weekday(match)
    return (match.groupdict().get("lead") or "") + (
        moment.weekday_before(day) if past else moment.weekday_after(day)
    )


def _is_an_event(match: re.Match[str]) -> bool:
    """Whether it "is on Friday", or "on Friday we …"; "releases go out on Friday" is every week."""
    start, _ = sentence_span(match)
    return EN.said.event.fullmatch(match.string[start : match.start()]) is not None


def _in_units(match: re.Match[str], moment: Moment) -> str | None:
    if EN.tense(match) == "past":
        return None
    return EN.ahead_on(match, moment)


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
    first = moment.weekday_after(EN.table("weekdays")[anchor])
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
    after = match.string[match.end() : match.end() + 12]
    if match["month"] == "May" and not EN.said.after_may.match(after):
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
    phrase = " ".join(match.group().lower().split())
    if phrase == "last night":
        return f"the night of {moment.plus_days(-1)}"
    part = "night" if phrase == "tonight" else phrase.split()[1]
    return f"the {part} of {moment.plus_days(0)}"
