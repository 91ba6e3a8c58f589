"""The telling line of an output, its signature and its sort of trouble."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.learn.scripts import Case, cases

from reverie.learn.traffic.failures import MAX_MESSAGE, MAX_SIGNATURE, failure_of, signature_of


@pytest.mark.parametrize("case", cases("failures.txt"), ids=lambda case: case.name)
def test_a_failure_is_named(case: Case) -> None:
    program, _, output = case.script[0].partition(":")
    text = output.strip().replace("|", "\n").replace("\\x1b", "\x1b")
    checking = program in {"go", "npm", "make"}
    failure = failure_of(program, text, checking=checking, code=2)
    assert [failure.trouble, failure.signature] == case.expected


def test_the_missing_command_is_known_by_name() -> None:
    assert failure_of("pytest", "sh: 1: pytest: not found", code=127).missing == "pytest"
    assert failure_of("x", 'exec: "./bin/protoc": executable file not found').missing == "protoc"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cannot open /w/app/a/b.py line 12", "cannot open /tmp/other/c.py line 7"),
        ("lock 3f2a91bc44 held for 12.5 seconds", "lock aa11bb22cc3 held for 3 seconds"),
        ("timeout at 2026-09-01T10:00:00Z", "timeout at 2026-10-02T23:59:59Z"),
    ],
)
def test_the_same_failure_on_another_day_has_the_same_signature(one: str, other: str) -> None:
    assert signature_of("tool", one) == signature_of("tool", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("unknown flag: --short", "unknown flag: --long"),
        ("No module named 'yaml'", "No module named 'toml'"),
        ("unrecognized subcommand 'npm'", "unrecognized subcommand 'bun'"),
    ],
)
def test_names_that_carry_the_meaning_stay(one: str, other: str) -> None:
    assert signature_of("tool", one) != signature_of("tool", other)


@given(st.text(max_size=400), st.text(max_size=10), st.one_of(st.none(), st.integers(0, 255)))
def test_any_output_gives_one_short_line(output: str, program: str, code: int | None) -> None:
    failure = failure_of(program, output, code=code)
    assert len(failure.message) <= MAX_MESSAGE
    assert len(failure.signature) <= MAX_SIGNATURE
    assert "\n" not in failure.message
    assert failure == failure_of(program, output, code=code)
