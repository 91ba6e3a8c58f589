"""Commands that go together."""

import pytest
from tests.dream.weeks import seen, weeks

from reverie.sessions.statements import StatementRow, replace_statements

pytestmark = pytest.mark.usefixtures("scratch_on_both")


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
