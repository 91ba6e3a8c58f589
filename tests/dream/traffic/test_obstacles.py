"""The same failure in several sessions, and what works in its place."""

from collections import Counter

import pytest
from tests.dream.weeks import kept, seen, session, weeks
from tests.learn.scripts import played

from reverie.dream.traffic.obstacles import drawn, general

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
        "`pytest …` fails with “bash: pytest: command not found”: use `python -m pytest …` instead"
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
    assert [one.cost.failed_calls for one in rows] == [1, 1]
    assert [one.cost.minutes for one in rows] == [2.0, 2.0]
    assert rows[0].evidence == "claude-code:s0000#2"
    assert "command not found" in rows[0].quote


def test_a_way_out_may_look_quite_different_when_it_is_always_the_same() -> None:
    (text,) = seen(weeks(*(UNLIKE.format(part=part) for part in ("cart", "mail", "menu"))), "fix")
    assert "`make deploy` fails" in text
    assert "`./scripts/ship.sh --to test` helped each time" in text


def test_a_step_that_has_to_come_first_is_told_without_what_varied() -> None:
    script = """
        human: train on {part}
        run: python train.py --input data/{part}.bin
        fail 1: FileNotFoundError: [Errno 2] No such file or directory: 'data/{part}.bin'
        run: lfs pull data/{part}.bin && python train.py --input data/{part}.bin
        ok: epoch 1
    """
    (text,) = seen(weeks(*(script.format(part=part) for part in ("north", "south"))), "fix")
    assert "`lfs pull … && python train.py --input …` helped each time" in text


def test_a_call_that_never_worked_is_told_without_a_fix() -> None:
    (text,) = seen(weeks(*(NEVER.format(part=part) for part in ("a1", "b2", "c3"))), "fix")
    assert text.startswith("`gauge --live …` fails with “gauge: unknown option --live”")
    assert "leave it out" in text


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
    assert {one.cost.tokens for one in rows} == {7}
