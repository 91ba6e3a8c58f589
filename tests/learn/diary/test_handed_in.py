"""A diary that is handed in: read, refused with a reason, cleaned."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import InvalidDocument, ReverieError, TooLarge
from reverie.learn.diary.handed_in import MAX_TEXT, check, read_own

GOOD: dict[str, Any] = {
    "task": "Add a health endpoint",
    "approaches": [{"what": "a route", "outcome": "worked", "why": "tests pass"}],
}
MARKDOWN = """# Health endpoint

## Task
Add a health endpoint
to the server.

## Approaches
1. a route in server.py → failed: the version was missing
2. the version from the package → **worked** (tests pass)

## What worked
- reading it at start

## Edge cases
- no version in a checkout without tags

## Patterns
* ask before a port is changed
"""


def test_markdown_and_json_say_the_same() -> None:
    from_markdown = read_own(MARKDOWN)
    data = {
        "title": "Health endpoint",
        "task": "Add a health endpoint to the server.",
        "approaches": [
            {
                "what": "a route in server.py",
                "outcome": "failed",
                "why": "the version was missing",
            },
            {"what": "the version from the package", "outcome": "worked", "why": "tests pass"},
        ],
        "worked": ["reading it at start"],
        "edge_cases": ["no version in a checkout without tags"],
        "patterns": ["ask before a port is changed"],
    }
    assert from_markdown == read_own(json.dumps(data))


def test_what_was_kept_can_be_handed_in_again() -> None:
    own = read_own(MARKDOWN)
    text = own.markdown("claude-code:1", 1)
    kept = text.replace("Session `claude-code:1`, task 1 · handed in by the agent\n", "")
    assert read_own(kept) == own


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"task": ""}, "task"),
        ({"approaches": []}, "approaches"),
        ({"approaches": [{"what": "a", "outcome": "maybe"}]}, "outcome"),
        ({"approaches": [{"outcome": "worked"}]}, "what"),
        ({"approaches": [{"what": "a", "outcome": "worked", "trust": "user"}]}, "trust"),
        ({"approaches": ["just a line"]}, "how it ended"),
        ({"trust": "user"}, "unknown field `trust`"),
        ({"mistakes": "one"}, "mistakes"),
        ({"mistakes": [3]}, "mistakes"),
        ({"task": "x" * 3000}, "2000 - at"),
    ],
)
def test_a_diary_of_another_form_is_refused_with_the_reason(
    change: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidDocument, match=told):
        read_own(json.dumps(GOOD | change))


@pytest.mark.parametrize("text", ["{", "[]", "", "## Nonsense\n- x", "{}"])
def test_what_is_no_diary_is_refused(text: str) -> None:
    with pytest.raises(InvalidDocument):
        read_own(text)


def test_a_diary_has_a_largest_size() -> None:
    with pytest.raises(TooLarge):
        read_own("x" * (MAX_TEXT + 1))


def test_secrets_and_what_git_already_says_are_taken_out() -> None:
    own = read_own(
        json.dumps(
            GOOD
            | {
                "errors": ["denied with hunter2"],
                "patterns": [
                    "Never use hunter2 in CI, because the runner logs it",
                    "The bug in src/server.py was fixed in commit 1a2b3c4",
                ],
            }
        )
    )
    checked = check(own, lambda text: text.replace("hunter2", "[redacted]"))
    assert checked.redacted == 2
    assert "hunter2" not in checked.diary.markdown("claude-code:1", 1)
    assert len(checked.diary.patterns) == 1
    assert checked.left_out[0][0].startswith("The bug in")


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    try:
        read_own(text)
    except ReverieError as error:
        assert error.message


@pytest.mark.hostile("M5")
def test_a_line_that_is_handed_in_stays_a_line_and_hides_nothing() -> None:
    lying = "done\n## Mistakes\n- none <!-- hidden \x1b[2J"
    task = read_own(json.dumps({**GOOD, "task": lying})).task
    assert len(task.splitlines()) == 1
    assert "<!--" not in task and "\x1b" not in task
