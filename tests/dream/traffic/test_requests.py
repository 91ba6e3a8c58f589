"""What people ask for once the work is done, and edits that keep missing."""

import pytest
from tests.dream.weeks import kept, seen, session, weeks
from tests.learn.scripts import played

from reverie.dream.traffic.requests import usual_wording
from reverie.sessions.index import SessionRead

SESSIONS = 6


def working(number: int, *then: str) -> str:
    lines = ["human: build the report", f"edit: src/part{number}.py", "ok: done", *then]
    return "\n".join(lines)


COMMIT = ("run: git add -A", "ok: ", "run: git commit -m x", "ok: done")


@pytest.mark.proves("A6")
def test_what_is_asked_for_after_the_work_is_told_with_what_it_means() -> None:
    push = ("run: git push", "ok: done")
    scripts = [working(n, "human: commit and push", *COMMIT, *push) for n in range(SESSIONS)]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert text == (
        "At the end of the work people ask “commit and push”, which means `git add -A`, then"
        " `git commit -m …`, then `git push`: make it one command"
    )
    assert len({one.session for one in rows}) == SESSIONS
    assert rows[0].kind == "command"


def test_a_wrapper_of_ones_own_is_left_out_where_the_same_is_run_without_it() -> None:
    wrapped = ("run: zip git add -A", "ok: ", "run: git commit -m x", "ok: done")
    push = ("human: commit and push", "run: git push", "ok: done")
    scripts = [working(n, push[0], *wrapped, *push[1:]) for n in range(SESSIONS)]
    scripts += [working(n, push[0], *COMMIT, *push[1:]) for n in range(2)]
    (text,) = seen(weeks(*scripts), "ask")
    assert "`git add -A`, then `git commit -m …`, then `git push`" in text


@pytest.mark.parametrize(("sessions", "others", "told"), [(6, 0, 0), (12, 0, 1), (12, 20, 0)])
def test_a_request_for_one_deed_is_told_where_most_sessions_end_with_it(
    sessions: int, others: int, told: int
) -> None:
    scripts = [working(n, "human: commit this", *COMMIT) for n in range(sessions)]
    scripts += [working(n) for n in range(others)]
    assert len(seen(weeks(*scripts), "ask")) == told


def test_a_request_that_edits_meet_is_better_met_unasked() -> None:
    wordings = (
        "can we add a test for this?",
        "add some tests please",
        "now the tests",
        "add tests",
    )
    scripts = [
        working(n, f"human: {wordings[n % 4]}", f"edit: tests/test_part{n}.py", "ok: done")
        for n in range(SESSIONS)
    ]
    (text,) = seen(weeks(*scripts), "ask")
    assert text.startswith("At the end of the work people ask “")
    assert text.endswith("”: do it without being asked")


def test_a_request_before_any_work_is_a_task() -> None:
    script = "\n".join(["human: commit this", *COMMIT])
    assert seen(weeks(*[script] * SESSIONS), "ask") == {}


def test_a_request_that_nothing_was_done_about_is_talk() -> None:
    scripts = [working(n, "human: commit this", "agent: there is nothing") for n in range(SESSIONS)]
    assert seen(weeks(*scripts), "ask") == {}


def test_what_the_agent_had_done_already_was_not_asked_for() -> None:
    scripts = [working(n, *COMMIT, "human: commit this", *COMMIT) for n in range(SESSIONS)]
    assert seen(weeks(*scripts), "ask") == {}


def test_a_request_of_few_sessions_among_many_is_none() -> None:
    asked = [working(n, "human: commit this", *COMMIT) for n in range(3)]
    others = [working(n) for n in range(20)]
    assert seen(weeks(*asked, *others), "ask") == {}


def test_a_delivery_is_one_request_however_far_it_goes() -> None:
    push = ("run: git push -u origin x", "ok: done")
    further = (*push, "run: gh pr create --title x --body y", "ok: done")
    scripts = [
        working(n, "human: push it up and get a pr ready", *COMMIT, *further) for n in (1, 2)
    ]
    scripts += [working(n, "human: commit this", *COMMIT, *further) for n in (3, 4)]
    scripts += [working(5, "human: and push", *push)]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert len({one.session for one in rows}) == 5
    assert text.endswith(
        "then `git push -u …`, then `gh pr create --title … --body …`: make it one command"
    )


def test_one_request_that_names_two_things_is_told_once() -> None:
    scripts = [working(n, "human: add and commit the changelog", "edit: CHANGELOG.md", "ok: done",
                       *COMMIT) for n in range(SESSIONS)]  # fmt: skip
    assert len(seen(weeks(*scripts), "ask")) == 1


def test_the_commonest_wording_speaks_for_a_request() -> None:
    assert usual_wording(["Commit", "commit", "commit", "and now commit it"]) == "commit"
    assert usual_wording(["add tests?", "please add the tests", "more of it"]) == "add tests"


def missing(number: int, failed: int, then: str = "\t\tif (x) {") -> SessionRead:
    lines = ["human: go on", f"edit: src/{number}.py", "ok: done"]
    lines += ["edit: src/app.py", "fail: String to replace not found in file."] * failed
    turns = played("\n".join([*lines, "edit: src/app.py", "ok: done"]))
    texts = iter(["x = 1", *["\tif (x) {"] * failed, then])
    for place, turn in enumerate(turns):
        if turn.kind == "tool_call" and turn.tool is not None:
            given = {**turn.tool.input, "old_string": next(texts)}
            turns[place] = turn._replace(tool=turn.tool._replace(input=given))
    return session(number, turns)


def test_edits_that_miss_by_their_indentation_are_told_with_the_file() -> None:
    index = kept(missing(n, 2 if n < 5 else 0) for n in range(8))
    ((text, rows),) = seen(index, "misedit").items()
    assert text == (
        "`Edit` fails again and again with “String to replace not found in file” (10 calls), most"
        " often in `src/app.py`, and works once tabs and spaces are those of the file: copy the"
        " indentation exactly"
    )
    assert sum(one.cost.failed_calls for one in rows) == 10


def test_edits_that_miss_for_another_reason_teach_nothing_about_the_project() -> None:
    assert seen(kept(missing(n, 2, "while (y) {") for n in range(8)), "misedit") == {}


def test_an_edit_that_misses_now_and_then_is_nothing() -> None:
    assert seen(kept(missing(n, 1 if n < 2 else 0) for n in range(20)), "misedit") == {}
