"""The same failure in several sessions, and what works in its place."""

from collections import Counter

import pytest
from tests.databases import scratch_index
from tests.dream.weeks import kept, seen, session, weeks
from tests.learn.scripts import played

from reverie.dream.traffic.mends import general
from reverie.dream.traffic.obstacles import drawn, order_of
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Tool
from reverie.sessions.traces import Trace, replace_traces

MISSING = """
    human: run the tests of {part}
    run: pytest tests/{part}_test.py
    fail 127: bash: pytest: command not found
    run: python -m pytest tests/{part}_test.py
    ok: 3 passed
"""
UNLIKE = """
    human: bring {part} to the test machine
    run: make deploy
    fail 2: make: *** No rule to make target 'deploy'.  Stop.
    run: ./scripts/ship.sh --to test
    ok: shipped
"""
NEVER = """
    human: what does {part} print?
    run: gauge --live {part}
    fail 2: gauge: unknown option --live
    agent: I cannot see it.
"""


@pytest.mark.proves("A2", "A5")
def test_one_fix_in_several_sessions_is_one_thing_with_what_varied_left_open() -> None:
    found = seen(weeks(*(MISSING.format(part=part) for part in ("cart", "mail", "menu"))), "fix")
    (text,) = found
    assert text == (
        "`pytest tests/…` fails with “bash: pytest: command not found”: use"
        " `python -m pytest tests/…` instead"
    )
    assert len({one.session for one in found[text]}) == 3
    assert {one.trust for one in found[text]} == {"tool"}


@pytest.mark.proves("A5")
def test_what_did_not_vary_stays_as_it_was() -> None:
    (text,) = seen(weeks(*[MISSING.format(part="cart")] * 3), "fix")
    assert "`pytest tests/cart_test.py`" in text


@pytest.mark.proves("A6", "C5")
def test_a_fix_tells_its_cost_and_its_place() -> None:
    (rows,) = seen(weeks(*[MISSING.format(part="cart")] * 2), "fix").values()
    told = [one for one in rows if one.cost.failed_calls]
    assert [one.cost.failed_calls for one in told] == [1, 1]
    assert [one.cost.minutes for one in told] == [3.0, 3.0]
    assert told[0].evidence == "claude-code:s0000#1"
    assert "command not found" in told[0].quote


def test_a_way_out_may_look_quite_different_when_it_is_always_the_same() -> None:
    (text,) = seen(weeks(*(UNLIKE.format(part=part) for part in ("cart", "mail", "menu"))), "fix")
    assert "`make deploy` fails" in text
    assert text.endswith(": use `./scripts/ship.sh --to test` instead")


def test_a_step_that_has_to_come_first_is_told_without_what_varied() -> None:
    script = """
        human: train on {part}
        run: python train.py --input data/{part}.bin
        fail 1: FileNotFoundError: [Errno 2] No such file or directory: 'data/{part}.bin'
        run: lfs pull data/{part}.bin && python train.py --input data/{part}.bin
        ok: epoch 1
    """
    (text,) = seen(weeks(*(script.format(part=part) for part in ("north", "south"))), "fix")
    assert text.startswith("`python train.py --input data/…` fails with “FileNotFoundError:")
    assert text.endswith(": run `lfs pull data/…` first")


def test_a_call_that_never_worked_is_told_without_a_fix() -> None:
    (text,) = seen(weeks(*(NEVER.format(part=part) for part in ("a1", "b2", "c3"))), "fix")
    assert text.startswith("`gauge --live …` fails with “gauge: unknown option --live”")
    assert "leave out `" in text


def test_a_call_that_works_elsewhere_is_not_warned_of() -> None:
    works = "human: look\nrun: gauge --live c3\nok: 12"
    scripts = [NEVER.format(part=part) for part in ("a1", "b2")]
    assert seen(weeks(*scripts, works), "fix") == {}


def test_one_session_shows_nothing() -> None:
    twice = MISSING.format(part="cart").strip() + MISSING.format(part="mail")
    assert seen(weeks(twice), "fix") == {}


@pytest.mark.proves("D3")
def test_a_bug_that_was_fixed_by_an_edit_is_no_pattern() -> None:
    script = """
        human: fix the total
        run: make test
        fail 1: FAILED tests/test_total.py::test_total - assert 3 == 4
        edit: total.py
        ok: done
        run: make test
        ok: 12 passed
    """
    assert seen(weeks(script, script, script), "fix") == {}


def test_of_two_ways_out_of_one_failure_the_usual_one_is_told() -> None:
    other = MISSING.replace("python -m pytest", "uv run pytest")
    scripts = [MISSING.format(part="cart")] * 5 + [other.format(part="cart")] * 2
    (text,) = seen(weeks(*scripts), "fix")
    assert "python -m pytest" in text


def test_a_fix_that_is_everyones_daily_command_is_explained_by_chance() -> None:
    common, rare = Counter({"make test": 90, "make fmt": 10}), Counter({"make test": 3, "x": 97})
    assert drawn(["make test"] * 3, 10, common) > 5
    assert drawn(["make test"] * 3, 10, rare) < 0.1


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        (["a b"], "a b"),
        (["a b c", "a x c"], "a … c"),
        (["a b c d", "a b"], "a b …"),
    ],
)
def test_calls_of_any_length_have_one_general_form(forms: list[str], expected: str) -> None:
    assert general(forms) == expected


def test_a_file_that_is_not_where_it_was_looked_for_is_no_lasting_failure() -> None:
    script = (
        "human: go\nrun: sed -n 1,9p src/{n}.ts\nfail 2: sed: can't read src/{n}.ts: No such file"
    )
    assert seen(weeks(*(script.format(n=n) for n in range(4))), "fix") == {}


def test_a_fix_tells_the_tokens_that_the_log_counts() -> None:
    turns = [t._replace(tokens=7 * (t.kind == "tool_call")) for t in played(MISSING)]
    (rows,) = seen(kept(session(number, turns) for number in range(3)), "fix").values()
    assert [one.cost.tokens for one in rows if one.cost.failed_calls] == [14, 14, 14]


NOISY = """
    human: change {part}
    run: npm test
    ok: > app@1.0.0 test|> runner all|error: planned refusal|12 passed
    run: npm test
    fail 1: {fails}
    run: rm -rf tmp/copies/{part}
    ok: x
    run: npm test
    ok: > app@1.0.0 test|> runner all|error: planned refusal|12 passed
"""


FAILS = (
    "> app@1.0.0 test|> runner all|error: planned refusal"
    "|error: cannot find module 'left' from 'tmp/copies/{part}/a.js'|1 failed"
)


def noisy(part: str) -> str:
    return NOISY.format(part=part, fails=FAILS.format(part=part))


@pytest.mark.proves("A2", "A5")
def test_what_passing_runs_print_does_not_name_a_failure() -> None:
    ((text, rows),) = seen(weeks(*map(noisy, ("a1", "b2", "c3"))), "fix").items()
    assert text == (
        "`npm test` fails with “error: cannot find module 'left' from 'tmp/copies/…'”:"
        " delete `tmp/copies/…`, unless something that runs uses it, and run it again"
    )
    assert [one.evidence for one in rows] == [f"claude-code:s000{n}#3" for n in range(3)]


def test_a_failure_behind_a_hook_is_the_one_that_the_check_itself_meets() -> None:
    direct = noisy("a1")
    failing = "fail 1: > app@1.0.0 test|> runner all|error: cannot find module 'left' from 'x.js'"
    hooked = f"""
        human: commit it
        run: git commit -m done
        {failing}
        run: rm -rf tmp/copies/b2
        ok: x
        run: git commit -m done
        ok: [main 1] done
    """
    ((text, rows),) = seen(weeks(direct, hooked, direct), "fix").items()
    assert "delete `tmp/copies/…`, unless" in text
    assert len({one.session for one in rows}) == 3


def test_a_step_that_only_judges_is_no_way_out() -> None:
    script = """
        human: change it
        run: npm run types
        fail 1: error: left is not assignable to right
        run: npm run lint
        ok: fine
        run: npm run types
        ok: fine
    """
    assert seen(weeks(script, script, script), "fix") == {}


SANDBOX = """
    human: test it
    run: npm test
    fail 1: Error: getaddrinfo ENOTFOUND updates.example.org
    run: npm test
    ok: 12 passed
"""


def escaping(number: int) -> SessionRead:
    turns = played(SANDBOX)
    (call,) = [turn for turn in turns if turn.line == 3]
    assert call.tool is not None
    call.tool.input["sandbox_permissions"] = "require_escalated"
    return session(number, turns)


def test_what_works_outside_the_sandbox_of_an_agent_is_told_so() -> None:
    (text,) = seen(kept(escaping(number) for number in range(3)), "fix")
    assert text == (
        "`npm test` fails in the agent's sandbox with “Error: getaddrinfo ENOTFOUND"
        " updates.example.org”: run it outside the sandbox"
    )


def test_what_works_when_it_is_repeated_was_no_sandbox() -> None:
    assert seen(weeks(SANDBOX, SANDBOX, SANDBOX), "fix") == {}


def test_what_a_shell_takes_for_its_own_says_nothing_of_the_project() -> None:
    script = "human: look\nrun: make x/{n}-*.md\nfail 1: zsh:1: no matches found: x/{n}-*.md"
    assert seen(weeks(*(script.format(n=n) for n in range(4))), "fix") == {}


REFUSED = """
    human: why does the linter fail?
    run: git stash
    fail: The user doesn't want to proceed with this tool use. the user said:|do not touch my tree
"""


@pytest.mark.proves("A2")
def test_a_command_that_the_person_does_not_let_run_is_told_with_their_words() -> None:
    works = "human: go\nrun: make test\nok: fine\nrun: make docs\nok: fine"
    deploy = REFUSED.replace("git stash", "make deploy")
    ((text, rows),) = seen(weeks(*[deploy] * 3, *[works] * 6), "refusal").items()
    assert text == "`make deploy` is refused by the person (every call): ask before it is run"
    assert rows[0].quote == "make deploy was refused: do not touch my tree"


def test_calls_that_throw_changes_away_are_refused_for_one_reason() -> None:
    works = "human: go\nrun: make test\nok: fine\nrun: git checkout main\nok: fine"
    calls = ("git stash", "git checkout -- src/a.py", "git reset --hard origin/main")
    scripts = [REFUSED.replace("git stash", call) for call in calls]
    (text,) = seen(weeks(*scripts, *[works] * 6), "refusal")
    assert "(`git checkout -- …`, `git reset --hard …`, `git stash`) are refused" in text


def test_a_question_at_the_prompt_is_no_refusal_where_the_call_is_then_let_through() -> None:
    works = "human: go\nrun: make test\nok: fine\nrun: make docs\nok: fine"
    asked = REFUSED.replace("git stash", "make deploy").replace(
        "do not touch my tree", "is it red?"
    )
    then = f"{asked}    human: go on\n    run: make deploy\n    ok: done\n"
    assert len(seen(weeks(*[asked] * 3, *[works] * 6), "refusal")) == 1
    assert seen(weeks(*[then] * 3, *[works] * 6), "refusal") == {}
    told = then.replace("is it red?", "not now")
    assert len(seen(weeks(*[told] * 3, *[works] * 6), "refusal")) == 1


def test_other_calls_of_one_program_are_refused_for_other_reasons() -> None:
    calls = ("git push origin a", "git push origin b", "git push --force")
    scripts = [REFUSED.replace("git stash", call) for call in calls]
    assert seen(weeks(*scripts), "refusal") == {}


def test_a_command_that_is_refused_now_and_then_is_not_told() -> None:
    works = "human: keep it\n" + "run: git stash\nok: saved\nrun: make x\nok: x\n" * 8
    assert seen(weeks(*[REFUSED] * 3, *[works] * 4), "refusal") == {}


def test_a_tool_that_does_not_exist_is_told_with_what_was_used_in_its_place() -> None:
    turns = played("human: commit\nrun: git commit -m '…'\nok: [main 1] done")
    call = turns[0]._replace(role="agent", kind="tool_call", line=10, text="")
    asked = call._replace(tool=Tool("Skill", "s", {"skill": "commit"}))
    said = call._replace(
        role="tool",
        kind="tool_result",
        text="Unknown skill: commit",
        tool=Tool("Skill", "s", {}, False),
    )
    (text,) = seen(kept(session(n, [turns[0], asked, said, *turns[1:]]) for n in range(3)), "fix")
    assert text == (
        "`Skill commit` fails with “Unknown skill: commit”: use `git commit -m …` instead"
    )


def test_the_state_of_a_repository_is_no_pattern() -> None:
    script = """
        human: push it
        run: git push
        fail 1: error: failed to push some refs, the remote contains work that you do not have
        run: git pull --rebase
        ok: done
        run: git push
        ok: done
    """
    assert seen(weeks(script, script, script), "fix") == {}


def test_a_call_that_works_in_a_folder_is_told_with_it_and_a_run_without_tests_as_such() -> None:
    script = """
        human: test {part}
        run: npm test -- --only={part}
        fail 1: No tests found, exiting with code 0
        run: cd apps/api && jest --only={part}
        ok: 3 passed
    """
    (text,) = seen(weeks(*(script.format(part=part) for part in ("cart", "mail", "menu"))), "fix")
    assert text.startswith("`npm test -- --only=…` runs no test, and yet exits with 0: use")
    assert text.endswith(": use `cd apps/api && jest --only=…` instead")


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    ("advice", "order"),
    [
        ("run `make gen` first", "Run `make gen` before `make x` (it fails otherwise)"),
        (
            "delete `tmp/…`, unless something that runs uses it, and run it again",
            "Where `make x` fails, the cause is what is left over in `tmp/…`, not your change:"
            " delete `tmp/…`, unless something that runs uses it, and run it again",
        ),
        ("use `make y` instead", "Use `make y`, not `make x` (it fails)"),
        ("run it outside the sandbox", "Run `make x` outside the sandbox (it fails)"),
    ],
)
def test_the_way_past_a_failure_is_one_order_with_its_reason(advice: str, order: str) -> None:
    assert order_of("make x", "fails", advice).line == f"{order}."


PREPARED = """
    human: go on with {part}
    run: {call}
    fail 1: {message}
    run: {step}
    ok: done
    run: {call}
    ok: fine
"""


@pytest.mark.parametrize(
    ("call", "step"),
    [
        ("stack -dir=ops preview", "stack -dir=ops setup -store=stage"),
        ("brew --compile out/dev --goal {part}", "brew --plan dev"),
        ("npx stagehand test {part}", "npx stagehand install browser"),
        ("podctl compose up -d {part}", "podctl compose down --all"),
        ("./tools/wrap.sh {part}", "python3 tools/listing.py --write"),
        ("clusterctl -n web get {part}", "badge login north"),
        ("pnpm --filter shop build", "pnpm --filter contracts build"),
    ],
)
def test_what_came_between_a_failure_and_the_same_call_prepared_it(call: str, step: str) -> None:
    scripts = [
        PREPARED.format(part=part, call=call.format(part=part), step=step, message="Error: no base")
        for part in ("carts", "mails", "menus")
    ]
    database = weeks(*scripts, *["human: look\nrun: make fmt\nok: fine"] * 3)
    ((text, rows),) = seen(database, "fix").items()
    assert text.endswith(f"run `{step}` first")
    assert rows[0].order.startswith(f"Run `{step}` before `{call.split()[0]}")
    assert (rows[0].chance or 0) < 0.5


def test_what_everybody_runs_all_the_time_is_no_preparation() -> None:
    script = PREPARED.format(part="a", call="mill grain", step="make fmt", message="Error: gone")
    scripts = [script] * 3 + ["human: go on\n" + "run: make fmt\nok: done\n" * 2] * 12
    for rows in seen(weeks(*scripts), "fix").values():
        assert (rows[0].chance or 0) > 1


def test_other_tries_in_between_do_not_hide_the_step_that_all_took() -> None:
    script = PREPARED.replace(
        "    ok: done\n", "    ok: done\n    run: touch-up {part}\n    ok: x\n"
    )
    parts = {"call": "mill grain", "step": "mill-up --all", "message": "Error: gone"}
    scripts = [script.format(part=part, **parts) for part in ("carts", "mails", "menus")]
    (text,) = seen(weeks(*scripts), "fix")
    assert text.endswith("run `mill-up --all` first")


def test_what_a_call_was_given_is_no_part_of_its_message() -> None:
    scripts = [
        PREPARED.format(
            part=part, call=f"./tools/carve {part}", step="relay fetch --all",
            message=f"carve: {part}_top.svg: not a drawing|carve: 1 of 1 failed",
        )
        for part in ("carts", "mails", "menus")
    ]  # fmt: skip
    (text,) = seen(weeks(*scripts), "fix")
    assert text.startswith("`./tools/carve …` fails with “carve: … not a drawing”")


@pytest.mark.parametrize("step", ["rm -rf out/dev && brew --plan dev", "git stash", "pkill brew"])
def test_nobody_is_advised_to_take_things_away(step: str) -> None:
    script = PREPARED.format(part="a", call="brew --compile out", step=step, message="Error: gone")
    assert seen(weeks(*[script] * 3), "fix") == {}


def test_failures_of_an_older_index_are_read() -> None:
    database = scratch_index()
    data = {"call": "mill grain", "form": "mill grain", "message": "no sieve", "rank": 0,
            "trouble": "unknown", "way": "step", "then": "mill-up", "lines": [3]}  # fmt: skip
    for number in range(3):
        row = Trace(
            3, f"2026-03-0{number + 1}T09:00:00.000Z", "failure", "no sieve\nmill", data=data
        )
        replace_traces(database, f"claude-code:{number}", "app", [row])
    (text,) = seen(database, "fix")
    assert text == "`mill grain` fails with “no sieve”: run `mill-up` first"
