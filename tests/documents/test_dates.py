"""Relative dates, on a fixture of sentences and traps."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.documents.dates import absolute_dates

AT = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
FIXTURE = Path(__file__).parent / "fixtures" / "dates.txt"


def cases() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in FIXTURE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("= "):
            text = line[2:].replace("\\n", "\n")
            found.append((text, text))
        else:
            text, expected = line.split(" → ")
            found.append((text, expected))
    return found


@pytest.mark.proves("D4")
@pytest.mark.parametrize(("text", "expected"), cases())
def test_a_relative_date_becomes_absolute_and_nothing_else_does(text, expected):
    assert absolute_dates(text, AT) == expected


@pytest.mark.parametrize(("_", "expected"), cases())
def test_a_second_pass_on_another_day_changes_nothing(_, expected):
    if "```" not in expected:
        assert absolute_dates(absolute_dates(expected, AT), AT + timedelta(days=40)) == (
            absolute_dates(expected, AT)
        )


def test_the_fixture_is_large_and_full_of_traps():
    found = cases()
    assert len(found) >= 150
    assert sum(text == expected for text, expected in found) >= 50


@pytest.mark.proves("D4")
def test_the_day_is_that_of_the_speakers_zone():
    late = datetime(2026, 12, 31, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert absolute_dates("done today", late) == "done 2026-12-31"
    assert absolute_dates("due tomorrow", late) == "due 2027-01-01"
    assert absolute_dates("it failed 2 hours ago", late) == "it failed 2026-12-31 21:30 -05:00"


def test_month_and_year_ends_are_right():
    at = datetime(2028, 1, 31, 12, tzinfo=UTC)
    assert absolute_dates("by the end of next month", at) == "by 2028-02-29"
    assert absolute_dates("planned for next month", at) == "planned for 2028-02"
    assert absolute_dates("shipped last quarter", at) == "shipped Q4 2027"


def test_each_line_is_read_in_its_own_language():
    text = "We ship tomorrow.\nGestern war der Server weg.\n明天发布\n"
    assert absolute_dates(text, AT) == (
        "We ship 2026-11-19.\n2026-11-17 war der Server weg.\n2026-11-19发布\n"
    )


@given(
    st.text(
        alphabet=st.sampled_from(list("abc tomorrow nextFriday `\"'.-0123\n明天今")), max_size=80
    )
)
def test_code_is_never_touched(text):
    clean = text.replace("`", "")
    shielded = f"`{clean}`" if "\n" not in clean else f"```\n{clean}\n```"
    assert absolute_dates(shielded, AT) == shielded


@given(st.text(max_size=200), st.integers(-2_000_000_000, 7_000_000_000))
def test_any_text_at_any_time_is_accepted(text, seconds):
    absolute_dates(text, datetime.fromtimestamp(seconds, UTC))
