"""Questions asked twice, commands that go together."""

import pytest
from tests.dream.weeks import seen, weeks

from reverie.dream.traffic.questions import settled
from reverie.sessions.statements import StatementRow, replace_statements

pytestmark = pytest.mark.usefixtures("scratch_on_both")


def asked(question: str, answer: str) -> str:
    return f"human: build the report\nagent: I can do that. {question}\nhuman: {answer}"


def test_a_question_that_always_gets_one_answer_need_not_be_asked() -> None:
    scripts = [
        asked("Which currency should the invoice use?", "EUR"),
        asked("Which currency does the invoice use?", "EUR"),
        asked("Which currency should the invoice use?", "eur"),
    ]
    (text,) = seen(weeks(*scripts), "question")
    assert "the answer is “EUR”: do not ask" in text


def test_a_question_with_different_answers_is_to_be_settled() -> None:
    answers = ("EUR", "dollars please", "whatever the customer pays in")
    scripts = [asked("Which currency should the invoice use?", answer) for answer in answers]
    (text,) = seen(weeks(*scripts), "question")
    assert text.endswith("is asked again and again: settle it once")


def test_polite_formulas_are_no_questions() -> None:
    scripts = [asked("Shall I go ahead and implement this?", "yes")] * 4
    assert seen(weeks(*scripts), "question") == {}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["yes", "yep", "Yes please"], "yep"),
        (["tabs", "tabs", "spaces"], ""),
        (["tabs"], ""),
        ([], ""),
    ],
)
def test_an_answer_is_settled_when_it_is_nearly_always_given(
    answers: list[str], expected: str
) -> None:
    assert settled(answers) == expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["net_30 please", "The thirty day one, net_30", "net_30"], "net_30"),
        (["net_30", "net_60", "net_30 as before"], ""),
        (["not net_30", "anything but net_30", "net_30, not net_60"], ""),
    ],
)
def test_answers_in_other_words_are_one_when_they_choose_the_same(
    answers: list[str], expected: str
) -> None:
    scripts = [asked("Should invoices be due net_30 or net_60?", answer) for answer in answers]
    (text,) = seen(weeks(*scripts), "question")
    assert "net_30 or net_60" in text
    told = f"the answer is “{expected}”: do not ask" if expected else "settle it once"
    assert told in text


def test_an_answer_is_the_same_where_the_shortest_is_part_of_most() -> None:
    answers = ["no, own chart please", "charts get a page of their own chart", "own chart, always"]
    scripts = [asked(f"Shall the {n} chart go along?", a) for n, a in enumerate(answers)]
    found = seen(weeks(*scripts, asked("Shall the big chart go along?", "own chart")), "question")
    assert any("the answer is “own chart”" in text for text in found)


SHIP = """
    human: release {n}
    run: make fmt
    ok: done
    run: make check
    ok: fine
    run: ./release.sh {n}
    ok: released
"""


@pytest.mark.proves("A3")
def test_commands_that_go_together_are_a_sequence() -> None:
    (text,) = seen(weeks(*(SHIP.format(n=n) for n in range(4))), "sequence")
    steps = "`make fmt`, then `make check`, then `./release.sh …`"
    assert text == f"{steps} are run one after the other: make them one command"


def test_a_sequence_with_a_failing_step_is_not_counted() -> None:
    script = SHIP.replace("ok: fine", "fail 1: error: bad")
    assert seen(weeks(*(script.format(n=n) for n in range(4))), "sequence") == {}


@pytest.mark.parametrize("first", ["git status -s", "make check", "for f in a b; do make x; done"])
def test_everyday_steps_are_no_skill_and_no_part_of_one(first: str) -> None:
    steps = [first, "git add a", "git commit -m y", "git push"]
    script = "human: go\n" + "\n".join(f"run: {step}\nok: x" for step in steps)
    assert seen(weeks(*[script] * 4), "sequence") == {}


def test_to_push_with_another_program_is_not_what_was_forbidden() -> None:
    script = SHIP.replace("./release.sh {n}", "boat push out")
    database = weeks(*(script.format(n=n) for n in range(4)))
    with database.atomic():
        replace_statements(database, "claude-code:s0000", [banned("Never push to main")])
    assert seen(database, "sequence")


def orders(*scripts: str) -> set[str]:
    rows = [row for group in seen(weeks(*scripts), "sequence").values() for row in group]
    return {row.order for row in rows}


STEPS = "`make fmt`, then `make check`, then `./release.sh …`"


def test_the_end_of_a_session_is_no_reason_for_a_sequence() -> None:
    said = ("get it done", "we are late", "everything is ready now", "go")
    scripts = [SHIP.format(n=n).replace(f"release {n}", text) for n, text in enumerate(said)]
    assert orders(*scripts) == {""}


def test_checks_that_nobody_asked_for_are_no_procedure() -> None:
    script = SHIP.replace("./release.sh {n}", "make units").replace("release {n}", "{n}")
    assert seen(weeks(*(script.format(n=n) for n in range(4))), "sequence") == {}


def test_what_agents_do_at_the_end_of_their_work_is_no_procedure() -> None:
    read = "    run: boat{n} load\n    ok: x\n    run: make fmt"
    work = SHIP.replace("    run: make fmt", read).replace("release {n}", "{n}")
    assert seen(weeks(*(work.format(n=n) for n in range(4))), "sequence") == {}


def test_everyday_steps_between_its_own_belong_to_a_sequence() -> None:
    script = SHIP.replace("make check", "git tag {n}")
    (text,) = seen(weeks(*(script.format(n=n) for n in range(4))), "sequence")
    assert "then `git tag …`, then" in text


def test_a_sequence_is_told_with_the_word_that_its_requests_share() -> None:
    requests = ("the toc is stale", "refresh the toc", "new page, toc please", "toc again please")
    other = "human: widgets please\nrun: ls\nok: x\n"
    scripts = [
        other + SHIP.format(n=n).strip().replace(f"release {n}", said)
        for n, said in enumerate(requests)
    ]
    assert orders(*scripts) == {f"When you are asked about “toc”, run {STEPS}"}


def test_a_check_that_only_mostly_follows_is_no_part_of_a_sequence() -> None:
    checked = "    run: make units\n    ok: fine\n"
    alone = "human: go on\n" + checked
    scripts = [SHIP.format(n=n) + (checked if n < 3 else "") for n in range(4)]
    (text,) = seen(weeks(*scripts, *([alone] * 6)), "sequence")
    assert "make units" not in text


def test_arguments_that_never_change_stay_in_a_sequence() -> None:
    script = """
        human: bring it up
        run: podctl pack -t shop/web:dev .
        ok: built
        run: podctl load shop/web:dev --into blue
        ok: loaded
        run: podctl --zone blue rollout restart deploy/{how}
        ok: restarted
    """
    (text,) = seen(weeks(*(script.format(how=how) for how in ("now", "late", "now"))), "sequence")
    assert text.startswith(
        "`podctl pack -t shop/web:dev .`, then `podctl load shop/web:dev --into blue`, then"
        " `podctl --zone blue rollout restart deploy/…` are run"
    )


def test_a_check_with_what_mends_its_findings_is_a_loop_and_no_procedure() -> None:
    steps = ("bun run test", "bun run lint:fix", "bun run lint")
    script = "human: go on\n" + "\n".join(f"run: {step}\nok: fine" for step in steps)
    assert seen(weeks(*[script] * 4), "sequence") == {}


def test_a_sequence_with_a_step_that_a_person_forbade_is_no_skill() -> None:
    database = weeks(*(SHIP.format(n=n) for n in range(4)))
    assert seen(database, "sequence")
    with database.atomic():
        replace_statements(database, "claude-code:s0000", [banned("Never run make fmt here")])
    assert seen(database, "sequence") == {}


def banned(rule: str) -> StatementRow:
    return StatementRow(
        "claude-code:s0000", 0, 0, "claude-code", "app", "2026-09-01T10:00:00Z", rule, rule, "",
        "", "rule", 1.0, 1.0, True, True, True, False, False, "best-practice", "feedback", "user",
    )  # fmt: skip


def test_a_step_that_takes_another_name_each_time_is_one_step() -> None:
    work = SHIP.replace("make fmt", "boat build {name}")
    names = ("violet", "amber", "hazel", "olive")
    (order,) = orders(*(work.format(n=n, name=name) for n, name in enumerate(names)))
    steps = "`boat build …`, then `make check`, then `./release.sh …`"
    assert order == f"When you are asked about “release”, run {steps}"
