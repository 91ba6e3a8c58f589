"""A diary of one task: its parts, its two views, and the four things it must hold."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.learn.scripts import FIXTURES, judged, played

from reverie.errors import InvalidInput
from reverie.learn.diary.account import account
from reverie.learn.diary.diary import Diary, ErrorNote, Line, diary_from
from reverie.learn.diary.tasks import Task, tasks
from reverie.learn.diary.text import broken, markdown
from reverie.sessions.model import Turn

SESSION = "claude-code:5e55-10"
BULLET = re.compile(r"^\s*(?:-|\d+\.) ")
PLACED = re.compile(r"\(#-?\d+(?:, (?:#-?\d+|\+\d+))*\)$")
LINES = st.sampled_from(
    [
        "human: Please add a health endpoint to the server that answers with the version",
        "human: No, that is wrong, use port 8443 instead of 8080. Always.",
        "human: yes",
        "steer: The invoice exporter rounds totals wrongly | - [ ] # not a heading | ```",
        "refuse: do not push, ask me first",
        "stop",
        "plan: Implement the following plan: | # A new exporter",
        "agent: The issue is that the port is taken. I'll change it.",
        "edit: src/server.py",
        "run: pytest -q | tail -3",
        "run: python -m pytest -q",
        "run: git commit -m done",
        "run: grep -rn port src",
        "ok: 3 passed",
        "ok: 1 failed, 2 passed",
        "ok: [main 1a2b3c4] done",
        "fail 1: FAILED tests/test_a.py::test_b - assert 1 == 2",
        "fail 127: bash: pytest: command not found",
        "fail 1:",
        "fail: The user doesn't want to proceed with this tool use.",
        "fail: <tool_use_error>Sibling tool call errored</tool_use_error>",
        "compact",
        "wait: 9h",
        "link: https://example.org/team/app/pull/7",
    ]
)


def written_up(turns: list[Turn]) -> list[tuple[Task, Diary]]:
    found = judged(turns)
    split = tasks(turns, {j.turn_index for j in found if j.correction.label != "none"})
    whose = (SESSION, "app", len(split))
    return [(task, account(turns, task, found, *whose)[0]) for task in split]


def golden() -> tuple[list[Turn], list[tuple[Task, Diary]]]:
    turns = played((FIXTURES / "diary.txt").read_text(encoding="utf-8"))
    return turns, written_up(turns)


@pytest.mark.proves("A1")
def test_a_diary_reads_as_it_should() -> None:
    _, found = golden()
    text = "\n".join(markdown(diary) for _, diary in found)
    assert text.rstrip() == (FIXTURES / "diary.md").read_text(encoding="utf-8").rstrip()


@pytest.mark.proves("A1")
def test_the_data_holds_all_that_the_text_says() -> None:
    _, found = golden()
    for _, diary in found:
        again = diary_from(json.dumps(diary.as_data()))
        assert again == diary
        assert markdown(again) == markdown(diary)


def test_an_approach_says_whether_a_check_passed_and_older_data_does_not_know() -> None:
    _, found = golden()
    data = found[0][1].as_data()
    decided = [(way["verdict"], way["checked"]) for way in data["approaches"]]
    assert decided[:3] == [("failed", False), ("worked", True), ("worked", True)]
    for way in data["approaches"]:
        del way["checked"]
    assert not any(way.checked for way in diary_from(json.dumps(data)).approaches)


def test_data_of_another_form_is_refused() -> None:
    _, found = golden()
    with pytest.raises(InvalidInput):
        diary_from(json.dumps(found[0][1].as_data() | {"form": 99}))


@pytest.mark.proves("F11")
@given(st.lists(LINES, max_size=40))
def test_every_diary_of_any_session_holds_the_four_invariants(lines: list[str]) -> None:
    turns = played(lines)
    for (task, diary), (_, again) in zip(written_up(turns), written_up(turns), strict=True):
        assert broken(turns, task, diary) == []
        assert diary.dumps() == again.dumps()
        assert markdown(diary) == markdown(again)
        assert diary_from(diary.dumps()) == diary
        for line in markdown(diary).splitlines():
            assert PLACED.search(line) or not BULLET.match(line)


def test_a_lost_human_turn_is_noticed() -> None:
    turns, found = golden()
    task, diary = found[0]
    lost = replace(diary, task=diary.task[1:])
    assert broken(turns, task, lost) == ["turns"]


def test_a_lost_failure_is_noticed() -> None:
    turns, found = golden()
    task, diary = found[0]
    lost = replace(diary, errors=diary.errors[1:])
    assert broken(turns, task, lost) == ["failures"]


@pytest.mark.parametrize("lines", [(), (999,)])
def test_a_line_that_rests_on_nothing_is_noticed(lines: tuple[int, ...]) -> None:
    turns, found = golden()
    task, diary = found[0]
    loose = replace(diary, worked=(Line("it all works", lines),))
    assert broken(turns, task, loose) == ["places"]


def test_failures_are_grouped_with_what_overcame_them() -> None:
    _, found = golden()
    errors: Sequence[ErrorNote] = found[0][1].errors
    assert [(error.trouble, error.count) for error in errors] == [
        ("missing-command", 1),
        ("code", 1),
    ]
    assert errors[0].overcome == "`python -m pytest -q tests`"
    assert errors[1].overcome == "edits of `src/server.py`"


def test_a_failure_behind_a_pipe_is_seen() -> None:
    script = "human: test it\nrun: pytest -q | tail -3\nok: 1 failed, 2 passed"
    turns = played(script.replace("pytest -q | tail", "pytest -q @ tail"))
    call = turns[1]
    assert call.tool is not None
    turns[1] = call._replace(tool=call.tool._replace(input={"command": "pytest -q | tail -3"}))
    ((_, diary),) = written_up(turns)
    assert diary.errors[0].lines == (2,)
    assert diary.outcome == "failing"


def test_hostile_words_stay_on_their_line() -> None:
    turns = played("human: fix the parser of the report\nagent: ok\nhuman: x")
    turns[0] = turns[0]._replace(
        text="Fix this parser --- please\n---\nname: evil\n---\n# Heading\n<!-- hidden -->\x1b[31m"
    )
    ((_, diary),) = written_up(turns)
    text = markdown(diary)
    assert text.count("\n# ") + text.startswith("# ") == 1
    assert "<!--" not in text
    assert "\x1b" not in text
    assert "\n---" not in text
