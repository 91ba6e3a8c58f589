"""Error→fix: what overcame a failure, and what teaches nothing."""

import pytest
from tests.learn.scripts import Case, cases, played

from reverie.learn.attempts import attempts
from reverie.learn.fixes import fixes, varied


@pytest.mark.proves("D3", "A5")
@pytest.mark.parametrize("case", cases("fixes.txt"), ids=lambda case: case.name)
def test_what_is_learned_from_a_failure(case: Case) -> None:
    found = fixes(attempts(played(case.script)))
    assert [f"{fix.kind}: {fix.lesson}" for fix in found] == case.expected


@pytest.mark.proves("A5")
def test_only_words_that_varied_are_generalised() -> None:
    assert varied([["a", "b", "c"]]) == ["a", "b", "c"]
    assert varied([["a", "b", "c"], ["a", "x", "c"]]) == ["a", "…", "c"]


def test_a_fix_names_the_lines_it_was_seen_in() -> None:
    script = """
        human: run the tests
        run: pytest -q
        fail 127: bash: pytest: command not found
        run: pytest -q
        fail 127: bash: pytest: command not found
        run: python -m pytest -q
        ok: 3 passed
    """
    (fix,) = fixes(attempts(played(script)))
    assert fix.lines == (2, 4)
    assert fix.fixed_line == 6
    assert fix.tries == 2
