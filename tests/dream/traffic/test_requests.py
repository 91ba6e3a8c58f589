"""What people ask for once the work is done."""

import pytest
from tests.dream.weeks import kept, seen, session, weeks
from tests.learn.scripts import played

from reverie.dream.traffic.requests import usual_wording
from reverie.sessions.model import Tool

SESSIONS = 6


def working(number: int, *then: str) -> str:
    lines = ["human: build the report", f"edit: src/part{number}.py", "ok: done", *then]
    return "\n".join(lines)


COMMIT = ("run: git add -A", "ok: ", "run: git commit -m x", "ok: done")


@pytest.mark.proves("A6")
def test_what_nearly_every_delivery_is_asked_for_is_one_command() -> None:
    scripts = [working(n, "human: commit this", *COMMIT) for n in range(12)]
    ((text, rows),) = seen(weeks(*scripts), "ask").items()
    assert text == (
        "When the work is done people ask “commit this”: a command `/commit` would do it"
    )
    assert rows[0].steps == ("git commit",)
    assert rows[0].why == "asked for in 12 of the 12 sessions that deliver anything"


def test_a_skill_that_agents_call_and_that_is_not_there_speaks_for_the_command() -> None:
    skill = Tool("Skill", "s", {"skill": "commit"})
    played_out = [played(working(n, "human: commit this", *COMMIT)) for n in range(8)]
    for turns in played_out[:4]:
        call = turns[1]._replace(line=90, tool=skill)
        answer = turns[2]._replace(text="Unknown skill: commit", tool=skill._replace(ok=False))
        turns[4:4] = [call, answer]
    ((text, _),) = seen(
        kept(session(n, turns) for n, turns in enumerate(played_out)), "ask"
    ).items()
    assert ", and agents call a skill `commit` that does not exist (in 4 sessions): " in text


@pytest.mark.parametrize(("asked", "unasked", "told"), [(3, 0, 0), (4, 1, 1), (12, 13, 0)])
def test_a_delivery_is_told_where_most_are_asked_for(asked: int, unasked: int, told: int) -> None:
    scripts = [working(n, "human: commit this", *COMMIT) for n in range(asked)]
    scripts += [working(n, *COMMIT) for n in range(unasked)]
    assert len(seen(weeks(*scripts), "ask")) == told


@pytest.mark.parametrize(("others", "told"), [(5, 1), (7, 0)])
def test_what_most_changes_come_with_and_people_had_to_ask_for_belongs_to_the_change(
    others: int, told: int
) -> None:
    wordings = ("can we add a test for this?", "add some tests please", "now the tests")
    test = ("edit: tests/test_part.py", "ok: done")
    scripts = [working(n, f"human: {wordings[n % 3]}", *test) for n in range(4)]
    scripts += [working(n, *test) for n in range(2)] + [working(n) for n in range(others)]
    found = seen(weeks(*scripts), "ask")
    assert len(found) == told
    for rows in found.values():
        assert rows[0].order == "When you change code, add a test in the same change, unasked"
        assert rows[0].why == (
            "6 of 11 sessions have that in the end, 4 of them because people asked"
        )


@pytest.mark.parametrize(("file", "told"), [("HISTORY.md", 1), ("src/history.py", 0)])
def test_a_document_that_is_changed_when_people_ask_is_kept_up_with_the_work(
    file: str, told: int
) -> None:
    asked = ("then update the history", "update history.md as well", "and the history please")
    scripts = [working(n, f"human: {asked[n]}", f"edit: {file}", "ok: done") for n in range(3)]
    scripts += [working(n) for n in range(20)]
    found = seen(weeks(*scripts), "ask")
    assert [rows[0].order for rows in found.values()] == told * [
        "When you commit a change that users notice, add it to `HISTORY.md` in that commit"
    ]


def test_a_document_that_few_deliveries_are_asked_for_is_offered() -> None:
    edit = ("edit: HISTORY.md", "ok: done", *COMMIT)
    scripts = [working(n, "human: update the history and commit", *edit) for n in range(3)]
    scripts += [working(n, *COMMIT) for n in range(9)]
    (order,) = {rows[0].order for rows in seen(weeks(*scripts), "ask").values()}
    assert order == "Before you commit a change that users notice, offer to add it to `HISTORY.md`"


def test_a_document_that_agents_change_by_themselves_needs_no_rule() -> None:
    edit = ("edit: HISTORY.md", "ok: done")
    scripts = [working(n, "human: update the history", *edit) for n in range(3)]
    scripts += [working(n, *edit) for n in range(4)]
    assert seen(weeks(*scripts), "ask") == {}


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
    assert rows[0].steps == ("git commit", "git push", "gh pr create")


def test_what_is_run_at_a_word_is_as_short_to_ask_for() -> None:
    then = ("run: make graph", "ok: done", "run: make report", "ok: done")
    scripts = [working(n, "human: graph and report please", *then) for n in range(SESSIONS)]
    assert seen(weeks(*scripts), "ask") == {}


def test_a_request_that_names_a_document_and_a_delivery_is_about_both() -> None:
    scripts = [working(n, "human: add and commit the changelog", "edit: CHANGELOG.md", "ok: done",
                       *COMMIT) for n in range(SESSIONS)]  # fmt: skip
    delivery, document = seen(weeks(*scripts), "ask")
    assert "a command `/commit` would do it" in delivery
    assert document.startswith("`CHANGELOG.md` is changed when people ask")


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
