"""How long it takes until what was done is seen: from times in outputs, and from those of calls."""

import random
from datetime import timedelta

import pytest
from tests.dream.weeks import seen, session, weeks
from tests.learn.scripts import START, played

from reverie.clock import iso
from reverie.learn.traffic.traces import traces

WAIT = """
    human: bring {part} out and look whether it arrives
    run: ./ship out --lane green
    ok: {did}
    run: ./shop show --lane green
    ok: {old}
    wait: {half}m
    run: sleep 60 && ./shop show --lane green
    ok: {old}
    wait: {half}m
    run: ./shop show --lane green
    ok: {new}
"""


def waited(half: int, **more: str) -> str:
    words = {"part": "a", "did": "sent", "old": "issue 41", "new": "issue 42"} | more
    return WAIT.format(half=half, **words)


def told(*scripts: str) -> list[str]:
    return [one.order for rows in seen(weeks(*scripts), "lag").values() for one in rows[:1]]


@pytest.mark.proves("A2", "C6")
def test_the_times_of_the_calls_tell_how_long_it_takes() -> None:
    (order,) = told(waited(3), waited(4), waited(3))
    assert order == (
        "After `./ship out --lane green`, `./shop show --lane green` shows it about 14 minutes"
        " later: wait rather than look again and again"
    )


@pytest.mark.parametrize("form", ["seconds", "millis", "date", "table"])
def test_a_time_that_only_the_new_output_has_is_the_time(form: str) -> None:
    at = START + timedelta(minutes=13)  # ten minutes after it was sent
    shown = {
        "seconds": f'{{"issue": 42, "seen_until": {at.timestamp():.0f}}}',
        "millis": f'{{"issue": 42, "seen_until": {at.timestamp() * 1000:.0f}}}',
        "date": f"issue 42 as of {iso(at)[:19]}",
        "table": f"issue | as_of|------+------|42 | {iso(at)[:19].replace('T', ' ')}",
    }[form]
    found = traces(session(0, played(waited(3, new=shown))))
    (wait,) = (trace for trace in found if trace.what == "wait")
    assert (wait.seconds, wait.data["exact"], wait.data["low"]) == (600, 600, 480)


def test_a_look_that_came_late_does_not_hide_what_the_others_show() -> None:
    (order,) = told(waited(3), waited(3), waited(3), waited(40).replace("40m", "2m", 1))
    assert "about 14 minutes later" in order


def test_what_was_edited_in_the_meantime_may_be_what_changed() -> None:
    edited = waited(3).replace("    wait: 3m", "    edit: a.py\n    ok: done\n    wait: 3m", 1)
    assert told(*[edited] * 3) == []


def test_what_changes_with_every_look_shows_nothing() -> None:
    script = waited(3, new="took 9 ms").replace("issue 41", "took 3 ms", 1)
    script = script.replace("issue 41", "took 7 ms")
    assert told(*[script] * 3) == []


TWICE = """
    human: bring it out
    run: ./ship out --lane green
    ok: sent issue 42
    run: ./shop show --lane green
    ok: {old}
    wait: 5m
    run: sleep 60 && ./shop show --lane green
    ok: {new}
"""


@pytest.mark.parametrize(
    ("old", "new", "lag"),
    [
        ("issue 41", "issue 42", True),  # what was sent
        ("state: queued", "state: shown", True),
        ("up for 3 s", "up for 363 s", False),  # changes by itself
    ],
)
def test_two_looks_are_enough_where_they_show_what_was_done(old: str, new: str, lag: bool) -> None:
    assert bool(told(*[TWICE.format(old=old, new=new)] * 3)) is lag


@pytest.mark.parametrize("look", ["cat out.txt", "git status", "pytest tests"])
def test_files_and_checks_of_the_code_are_no_looks_at_something_elsewhere(look: str) -> None:
    assert told(*[waited(3).replace("./shop show --lane green", look)] * 3) == []


@pytest.mark.proves("A7")
def test_delays_of_any_length_are_no_lag() -> None:
    false = 0
    for seed in range(30):
        draw = random.Random(seed)
        scripts = [waited(round(2 ** draw.uniform(2, 7.3))) for _ in range(draw.randint(3, 6))]
        false += len(seen(weeks(*scripts), "lag"))
    assert false <= 2
