"""What a failed check printed: the step that failed, the lines that may tell why, failed tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.learn.traffic.outputs import (
    MOST_PROBLEMS,
    aim_of,
    echoes,
    failing,
    problems,
    readable,
)


@pytest.mark.parametrize(
    ("output", "steps"),
    [
        ("$ lint all\nfine\n$ types --strict\nerror", ["lint all", "types --strict"]),
        ("> app@1.0.0 test /w/app\n> mochi -- x\n\n3 passing", ["mochi -- x"]),
        ("[lint:go] $ golint run\n", ["golint run"]),
        ("task: [build] go build ./...\n", ["go build ./..."]),
        ("> quoted words\n$5 spent", []),
    ],
)
def test_runners_repeat_what_they_run(output: str, steps: list[str]) -> None:
    assert [one.command for one in echoes(output)] == steps
    last = failing(output)
    assert (last.command if last else "") == (steps[-1] if steps else "")


@pytest.mark.parametrize(
    ("command", "aim"),
    [
        ("npm run test -- --pattern=x", "npm run test"),
        ("./node_modules/.bin/tsc --noEmit -p .", "tsc"),
        ("git add a.py && git commit -m 'x y'", "git add && git commit"),
        ("python3 tools/run.py --all", "python3 tools/run.py"),
        ("cat x.txt", "cat"),
    ],
)
def test_the_aim_of_a_call_has_no_options(command: str, aim: str) -> None:
    assert aim_of(command) == aim


def test_quoted_names_may_vary_in_the_general_line() -> None:
    (one,) = problems("error: cannot find module 'a' from \"b\"")
    assert one.signature == "error: cannot find module … from …"


def test_a_long_line_is_told_from_its_error_on() -> None:
    (one,) = problems(f"{'could not fetch the versions, ' * 3}Error: ENOTFOUND host.example")
    assert one.message == "Error: ENOTFOUND host.example"


@given(st.text(max_size=400))
def test_any_output_has_few_problems_and_one_line_each(output: str) -> None:
    text = readable(output, "/w/app")
    found = problems(text)
    assert len(found) <= MOST_PROBLEMS
    assert all(one.message and "\n" not in one.message + one.signature for one in found)
