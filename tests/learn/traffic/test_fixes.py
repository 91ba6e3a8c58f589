"""Error→fix: what overcame a failure, and what teaches nothing."""

import pytest
from tests.learn.scripts import Case, cases, played

from reverie.learn.traffic.attempts import attempts
from reverie.learn.traffic.fixes import fixes, varied


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


@pytest.mark.proves("A5")
def test_one_fix_has_one_form_whatever_it_is_about() -> None:
    def form(day: str, of: str) -> str:
        script = f"""
            human: load {of}
            run: python train.py --input data/{of}.bin
            fail 1: FileNotFoundError: [Errno 2] No such file or directory: 'data/{of}.bin'
            run: lfs pull data/{of}.bin && python train.py --input data/{of}.bin
            ok: epoch 1
            run: flyway migrate
            fail 1: KeyError: 'LEDGER_URL'
            run: LEDGER_URL={day} flyway migrate
            ok: done
        """
        return "; ".join(fix.form for fix in fixes(attempts(played(script))))

    assert form("monday", "north") == form("friday", "south")
