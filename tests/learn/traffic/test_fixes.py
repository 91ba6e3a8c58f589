"""Error→fix: what overcame a failure, what teaches nothing, and what of it waits for a person."""

import pytest
from tests.dream.weeks import kept, session
from tests.learn.scripts import Case, cases, played

from reverie.db.database import Database
from reverie.learn.traffic.attempts import attempts
from reverie.learn.traffic.fixes import PER_WEEK, Fix, findings, fixes

MISSING = """
    human: run the tests
    run: pytest -q {part}
    fail 127: bash: pytest: command not found
    run: python -m pytest -q {part}
    ok: 3 passed
"""
UNKNOWN = """
    human: ship it
    run: tool ship --{flag}
    fail 1: unknown flag: --{flag}
    run: tool ship
    ok: shipped
"""
MONDAY = 6  # days after the first of the scripts, a Tuesday


def found_in(script: str) -> list[Fix]:
    return fixes(attempts(played(script)))


def learned(*scripts: tuple[int, str]) -> Database:
    """An index of one session per script, each on its day."""
    return kept(session(day, played(script)) for day, script in scripts)


def asked(database: Database, day: int) -> list[tuple[str, float]]:
    return [(one.lesson, one.score) for one in findings(database, f"claude-code:s{day:04d}")]


@pytest.mark.proves("D3", "A5")
@pytest.mark.parametrize("case", cases("fixes.txt"), ids=lambda case: case.name)
def test_what_is_learned_from_a_failure(case: Case) -> None:
    found = fixes(attempts(played(case.script)))
    assert [f"{fix.kind}: {fix.lesson}" for fix in found] == case.expected


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
    (fix,) = found_in(script)
    assert fix.lines == (2, 4)
    assert fix.fixed_line == 6
    assert fix.tries == 2


@pytest.mark.proves("A5")
def test_one_fix_has_one_form_whatever_it_is_about() -> None:
    def form(day: str, of: str, size: int) -> list[str]:
        script = f"""
            human: load {of}
            run: python load.py {of}
            fail 1: ModuleNotFoundError: No module named 'arrow'
            run: pixi run python load.py {of}
            ok: 40 rows
            run: flyway migrate {of}
            fail 1: KeyError: 'LEDGER_URL'
            run: LEDGER_URL={day} flyway migrate {of}
            ok: done
            run: python train.py --batch {size} --on {of}
            fail 1: RuntimeError: device out of memory
            run: python train.py --batch 32 --on {of}
            ok: epoch 1
        """
        return [fix.form for fix in found_in(script)]

    one = form("monday", "north", 512)
    assert len(one) == 3
    assert one == form("friday", "south", 256)


@pytest.mark.proves("D3")
def test_a_fix_waits_for_a_person_when_it_is_new_and_when_it_comes_again() -> None:
    days = {day: MISSING.format(part=part) for day, part in ((0, "cart"), (1, "mail"), (2, "menu"))}
    database = learned(*days.items())
    lesson = "Use `python -m pytest -q cart`: there is no `pytest` here"
    assert asked(database, 0) == [(lesson, 0.01)]
    assert asked(database, 1) == [(lesson, 0.02)]
    assert asked(database, 2) == []


@pytest.mark.proves("D3")
def test_few_fixes_of_a_week_wait_for_a_person() -> None:
    flags = ["alpha", "beta", "gamma", "delta"]
    days = [(day, UNKNOWN.format(flag=flag)) for day, flag in enumerate(flags)]
    database = learned(*days, (MONDAY, UNKNOWN.format(flag="omega")))
    waiting = [len(asked(database, day)) for day in (*range(len(flags)), MONDAY)]
    assert waiting == [1] * PER_WEEK + [0] * (len(flags) - PER_WEEK) + [1]


def test_what_waits_does_not_depend_on_what_comes_later() -> None:
    days = [(day, UNKNOWN.format(flag=flag)) for day, flag in enumerate(("alpha", "beta"))]
    alone, followed = learned(*days), learned(*days, (3, UNKNOWN.format(flag="alpha")))
    assert [asked(alone, day) for day in (0, 1)] == [asked(followed, day) for day in (0, 1)]
