"""Pairs of a call that failed and the next one that worked, as they are kept for a dream."""

import pytest
from tests.learn.scripts import played

from reverie.learn.traffic.attempts import attempts
from reverie.learn.traffic.ways import levelled, mends
from reverie.learn.traffic.work import Work


def pairs_of(script: str) -> list[tuple[str, str]]:
    turns = played(script)
    return [(m.data["failed"], m.data["worked"]) for m in mends(Work(turns, attempts(turns)))]


def failing(failed: str, message: str, *then: str) -> str:
    return "\n".join(["human: go on", f"run: {failed}", f"fail 1: {message}", *then])


def test_looks_in_between_do_not_hide_the_call_that_worked() -> None:
    script = failing(
        "npm ci", "npm ERR! peer trouble in tree", "run: git status", "ok: x",
        "run: npm install --old", "ok: added",
    )  # fmt: skip
    assert pairs_of(script) == [("npm ci", "npm install --old")]


def test_after_an_edit_it_may_work_for_another_reason() -> None:
    script = failing(
        "fit a", "Error: no such model", "edit: a.py", "ok: done", "run: fit b", "ok: fine"
    )
    assert pairs_of(script) == []


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("pytest a", "CI=1 python -m pytest b"),
        ("python -m pytest a", "uv run pytest b"),
        ("black a", "poetry run black b"),
        ("npm test", "cd ui && npm test"),
    ],
)
def test_one_program_is_known_through_interpreters_and_runners(failed: str, worked: str) -> None:
    script = failing(failed, "Error: nothing is set up", f"run: {worked}", "ok: fine")
    assert pairs_of(script) == [(failed, worked)]


def test_another_program_stands_in_only_for_the_same_thing() -> None:
    same = failing("draw plan.txt", "Error: gone stale", "run: paint plan.txt", "ok: x")
    other = failing("draw plan.txt", "Error: gone stale", "run: paint sea.txt", "ok: x")
    assert pairs_of(same) == [("draw plan.txt", "paint plan.txt")]
    assert pairs_of(other) == []


@pytest.mark.parametrize("message", ["Found 3 errors.", "exit code 1", "12"])
def test_a_message_that_says_nothing_is_none(message: str) -> None:
    assert pairs_of(failing("fit a", message, "run: fit --deep a", "ok: fine")) == []


def test_what_differs_from_day_to_day_is_levelled() -> None:
    first = levelled("job: step S17 of 'cart' failed at 12:04")
    assert first == levelled("job: step S9 of 'menu' failed at 09:41")
    assert first != levelled("job: part S17 of 'cart' failed at 12:04")


@pytest.mark.parametrize("shell", ["/bin/bash: line 1", "bash: line 14", "/usr/bin/sh: 2", "sh"])
def test_which_shell_says_it_is_no_part_of_a_message(shell: str) -> None:
    assert levelled(f"{shell}: pytest: command not found") == levelled("pytest: command not found")
