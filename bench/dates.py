"""Our rules for relative dates beside the libraries, on the fixture of the tests.

Counted are the sentences whose one date is a day: right, if exactly that day is found; and the
traps, which must find nothing. Libraries that are not installed are left out:

    pip install dateparser parsedatetime timefhuman && python bench/dates.py
"""

import importlib
import importlib.util
import re
import time
import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from reverie.documents.dates import absolute_dates

AT = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
FIXTURE = Path(__file__).parents[1] / "tests" / "store" / "fixtures" / "dates.txt"
DAY = re.compile(r"\d{4}-\d\d-\d\d")
# A day inside these stands for a week, a weekend, a clock time or a range.
NOT_A_DAY = re.compile(r"week|Woche|seman|semain|の週|那一周|UTC|between|since|the end of")

Find = Callable[[str], list[str]]


def ours(text: str) -> list[str]:
    resolved = absolute_dates(text, AT)
    return DAY.findall(resolved) if resolved != text else []


def dateparser(text: str) -> list[str]:
    search_dates: Any = importlib.import_module("dateparser.search").search_dates
    settings = {"RELATIVE_BASE": AT.replace(tzinfo=None), "PREFER_DATES_FROM": "future"}
    return [found.date().isoformat() for _, found in search_dates(text, settings=settings) or []]


def parsedatetime(text: str) -> list[str]:
    library: Any = importlib.import_module("parsedatetime")
    found: Any = library.Calendar().nlp(text, AT.replace(tzinfo=None))
    return [item[0].date().isoformat() for item in found or ()]


def timefhuman(text: str) -> list[str]:
    library: Any = importlib.import_module("timefhuman")
    found: Any = library.timefhuman(text, library.tfhConfig(now=AT.replace(tzinfo=None)))
    days: list[str] = []
    for item in found if isinstance(found, list) else [found]:
        while isinstance(item, tuple | list):
            item = item[0]
        if isinstance(item, date):
            days.append(item.isoformat()[:10])
    return days


def cases() -> tuple[list[tuple[str, str]], list[str]]:
    days: list[tuple[str, str]] = []
    traps: list[str] = []
    for line in FIXTURE.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            traps.append(line[2:].replace("\\n", "\n"))
        elif " → " in line and not line.startswith("#"):
            text, expected = line.split(" → ")
            wanted = DAY.findall(expected)
            if len(wanted) == 1 and not NOT_A_DAY.search(expected):
                days.append((text, wanted[0]))
    return days, traps


def outcome(find: Find, text: str) -> list[str]:
    try:
        return find(text)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return [repr(error)]


def main() -> None:
    warnings.simplefilter("ignore")
    days, traps = cases()
    for name, find in (
        ("ours", ours),
        ("dateparser", dateparser),
        ("parsedatetime", parsedatetime),
        ("timefhuman", timefhuman),
    ):
        if name != "ours" and importlib.util.find_spec(name) is None:
            print(f"{name:14} not installed")
            continue
        start = time.perf_counter()
        right = sum(outcome(find, text) == [wanted] for text, wanted in days)
        touched = sum(bool(outcome(find, text)) for text in traps)
        each = (time.perf_counter() - start) * 1000 / (len(days) + len(traps))
        print(
            f"{name:14} days right {right}/{len(days)}   traps touched {touched}/{len(traps)}"
            f"   {each:.2f} ms each"
        )


if __name__ == "__main__":
    main()
