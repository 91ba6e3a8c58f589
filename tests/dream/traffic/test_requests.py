"""What people ask for once the work is done."""

import pytest
from tests.dream.weeks import seen, weeks

from reverie.dream.traffic.requests import usual_wording

SESSIONS = 6


def working(number: int, *then: str) -> str:
    lines = ["human: build the report", f"edit: src/part{number}.py", "ok: done", *then]
    return "\n".join(lines)


COMMIT = ("run: git add -A", "ok: ", "run: git commit -m x", "ok: done")


@pytest.mark.proves("A6")
def test_a_commit_that_most_sessions_end_with_is_better_made_unasked() -> None:
    scripts = [working(n, "human: commit this", *COMMIT) for n in range(12)]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert text == (
        "At the end of the work people ask “commit this” (in 12 of 12 sessions): do it when the"
        " work is done, without being asked"
    )
    assert rows[0].order == "Commit this when the work is done, without being asked"


@pytest.mark.parametrize(("sessions", "others", "told"), [(5, 0, 0), (6, 6, 1), (12, 20, 0)])
def test_a_request_is_told_where_most_sessions_end_with_it(
    sessions: int, others: int, told: int
) -> None:
    scripts = [working(n, "human: commit this", *COMMIT) for n in range(sessions)]
    scripts += [working(n) for n in range(others)]
    assert len(seen(weeks(*scripts), "ask")) == told


def test_a_request_that_edits_meet_is_told_where_most_sessions_make_it() -> None:
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
    others = [working(n) for n in range(SESSIONS, 20)]
    ((text, rows),) = seen(weeks(*scripts, *others[:4]), "ask").items()
    assert text.startswith("At the end of the work people ask “")
    assert rows[0].order == "Add a test with a change, without being asked"
    assert seen(weeks(*scripts, *others), "ask") == {}


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
        working(n, "human: commit, push it up and get a pr ready", *COMMIT, *further)
        for n in (1, 2)
    ]
    scripts += [working(n, "human: commit this", *COMMIT, *further) for n in (3, 4)]
    scripts += [working(n, "human: and push", *push) for n in (5, 6)]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert len({one.session for one in rows}) == 6
    assert "“commit, push it up and get a pr ready”" in text


def test_what_is_run_at_a_word_is_as_short_to_ask_for() -> None:
    then = ("run: make graph", "ok: done", "run: make report", "ok: done")
    scripts = [working(n, "human: graph and report please", *then) for n in range(SESSIONS)]
    assert seen(weeks(*scripts), "ask") == {}


def test_one_request_that_names_two_things_is_told_once() -> None:
    scripts = [working(n, "human: add and commit the changelog", "edit: CHANGELOG.md", "ok: done",
                       *COMMIT) for n in range(SESSIONS)]  # fmt: skip
    assert len(seen(weeks(*scripts), "ask")) == 1


def test_the_commonest_wording_speaks_for_a_request() -> None:
    assert usual_wording(["Commit", "commit", "commit", "and now commit it"]) == "commit"
    assert usual_wording(["add tests?", "please add the tests", "more of it"]) == "add tests"


def test_what_asks_for_nothing_is_no_request_although_its_words_were_met() -> None:
    told = "human: the commit of yesterday has conflicts with the push of Ada"
    push = ("run: git push", "ok: done")
    scripts = [working(n, told, *COMMIT, *push) for n in range(SESSIONS)]
    assert seen(weeks(*scripts), "ask") == {}


def test_a_delivery_is_not_shown_by_what_shares_no_word_with_it() -> None:
    push = ("run: git push", "ok: done")
    scripts = [working(n, "human: commit and push", *COMMIT, *push) for n in range(SESSIONS)]
    note = ("human: comment on it please", "run: gh pr comment 3 --body x", "ok: done")
    rows = next(iter(seen(weeks(*scripts, working(9, *note)), "ask").values()))
    assert {one.quote for one in rows} == {"commit and push"}
