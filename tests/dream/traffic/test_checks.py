"""Checks that hooks run and nobody else, checks that run twice, tests that fail again and again."""

import pytest
from tests.dream.weeks import seen, weeks

from reverie.learn.traffic.outputs import count_of_tests

TYPES = "$ types --strict|src/{n}.ts(3,1): error T{n}: no such field"
HOOKED = """
    human: finish part {n}
    edit: src/{n}.ts
    ok: done
    run: bun run lint
    ok: $ lint all|fine
    run: git commit -m done
    fail 1: $ lint all|fine|{types}
    edit: src/{n}.ts
    ok: done
    run: bun run typecheck
    ok: $ types --strict|fine
"""


def hooked(number: int, script: str = HOOKED) -> str:
    return script.format(n=number, types=TYPES.format(n=number))


@pytest.mark.proves("A2")
def test_a_check_that_stops_commits_because_nobody_runs_it_is_told_with_its_call() -> None:
    ((text, rows),) = seen(weeks(*(hooked(n) for n in range(4))), "check").items()
    assert text == (
        "`git commit` is stopped by the hook's `types --strict`, which was not run before: run"
        " `bun run typecheck` before `git commit`"
    )
    assert [one.evidence for one in rows] == [f"claude-code:s000{n}#5" for n in range(4)]
    assert rows[0].cost.failed_calls == 1


def test_what_a_check_cannot_mend_itself_is_to_be_written_right() -> None:
    fault = "error: M12/block Code blocks should have a language [Context: x]"
    script = HOOKED.replace("{types}", f"$ mdlint --fix|{fault}")
    (text,) = seen(weeks(*(hooked(n, script) for n in range(4))), "check")
    assert text == (
        "`git commit` is stopped by the hook's `mdlint --fix`, which cannot fix it: make sure that"
        " code blocks have a language"
    )
    unsaid = HOOKED.replace("{types}", "$ mdlint --fix|error: 3 problems")
    assert seen(weeks(*(hooked(n, unsaid) for n in range(4))), "check") == {}


def test_a_stop_is_shown_by_those_that_heard_the_same() -> None:
    fault = "error: M12/block Code blocks should have a language [Context: x]"
    script = HOOKED.replace("{types}", f"$ mdlint --fix|{fault}")
    other = HOOKED.replace("{types}", "$ mdlint --fix|error: M7/title Another title [Context: y]")
    scripts = [hooked(n, script) for n in range(3)] + [hooked(3, other)]
    ((text, rows),) = seen(weeks(*scripts), "check").items()
    assert text.endswith("make sure that code blocks have a language")
    assert len({one.session for one in rows}) == 3


def test_a_check_that_had_been_run_stops_a_commit_by_accident() -> None:
    run = HOOKED.replace(
        "    run: git commit",
        "    run: bun run typecheck\n    ok: $ types --strict|x\n    run: git commit",
    )
    assert seen(weeks(*(hooked(n, run) for n in range(4))), "check") == {}


@pytest.mark.parametrize(
    ("output", "step"),
    [
        (
            "[STARTED] mdlint --fix|[FAILED] mdlint --fix [FAILED]|x.md:3 error M1 rows must be x",
            "mdlint --fix",
        ),
        (
            "check yaml.............................Passed|mdlint....................Failed",
            "mdlint",
        ),
        ("make: *** [Makefile:12: mdlint] Error 1", "mdlint"),
    ],
)
def test_hooks_name_the_step_that_stopped_them(output: str, step: str) -> None:
    script = f"human: note\nedit: {{n}}.md\nok: done\nrun: git commit -m x\nfail 1: {output}"
    (text,) = seen(weeks(*(script.format(n=n) for n in range(4))), "check")
    assert f"the hook's `{step}`" in text


CHOOSES = """
    human: test part {n}
    run: pnpm test
    ok: {all} passing
    run: {call} "part {n}"
    ok: {some} passing
"""


def chooses(call: str, some: int, *numbers: int) -> list[str]:
    return [CHOOSES.format(n=n, all=40 + n, some=some or 40 + n, call=call) for n in numbers]


def test_an_option_that_never_chooses_among_the_tests_is_told_with_the_call_that_does() -> None:
    scripts = chooses("pnpm test -- --grep", 0, 0, 1, 2) + chooses("pnpm -s test --grep", 6, 3)
    ((text, rows),) = seen(weeks(*scripts), "fix").items()
    assert text == (
        "`pnpm test -- --grep …` runs all the tests, whatever `--grep` is given: use"
        " `pnpm -s test --grep …` instead"
    )
    assert [one.quote for one in rows[:1]] == [
        "pnpm test -- --grep … ran 40 tests, as many as there are"
    ]


def test_an_option_that_chose_some_tests_once_is_heard() -> None:
    scripts = chooses("npx mocha --grep", 0, 0, 1, 2) + chooses("npx mocha --grep", 6, 3)
    assert seen(weeks(*scripts), "fix") == {}


@pytest.mark.parametrize(
    ("output", "ran"),
    [
        ("Test Suites: 3 passed, 3 total\nTests: 2 failed, 44 passed, 46 total", 46),
        (" Test Files  2 passed (2)\n      Tests  12 passed (12)", 12),
        ("=== 3 passed, 1 failed in 0.4s ===", 4),
        ("test result: ok. 7 passed; 0 failed; 0 ignored", 7),
        ("nothing to test", 0),
    ],
)
def test_runners_say_how_many_tests_they_ran(output: str, ran: int) -> None:
    assert count_of_tests(output) == ran
