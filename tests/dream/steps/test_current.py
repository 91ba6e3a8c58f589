"""What is over, replaced by something newer, or prescribed already, is not offered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dream.weeks import kept, session
from tests.learn.scripts import played

from reverie.dream.model import Ask, Night, Reach
from reverie.dream.steps.current import unseen
from reverie.dream.steps.gather import traffic
from reverie.dream.steps.group import group
from reverie.dream.steps.weigh import weigh
from reverie.sessions.derived import Chosen
from reverie.sessions.model import Turn

FAILS = """
    human: build part {n}
    run: build --fast
    fail 2: error: unknown option --fast
    run: build --quick
    ok: built
"""
BUILDS = """
    human: build part {n}
    run: build --quick
    ok: built
"""
TESTS = """
    human: test part {n}
    run: npm test
    ok: all passed
"""


SANDBOXED = """
    human: test part {n}
    run: npm test
    fail 1: Error: getaddrinfo ENOTFOUND updates.example.org
    run: npm test
    ok: all passed
"""


CHECKS = """
    human: finish part {n}
    run: mise run fmt
    ok: done
    run: mise run lint
    ok: done
    run: boat ship{how}
    ok: done
"""


def _slashed(script: str) -> list[Turn]:
    turns = played(script)
    if "ENOTFOUND" in script:
        *_, again = [turn.tool for turn in turns if turn.kind == "tool_call"]
        assert again is not None
        again.input["sandbox_permissions"] = "require_escalated"
    return [one._replace(kind="command") if one.text[:1] == "/" else one for one in turns]


def offered(*scripts: str) -> list[str]:
    """The patterns of the traffic of scripted sessions, one a day."""
    read = [session(n, _slashed(script.format(n=n))) for n, script in enumerate(scripts)]
    database = kept(read)
    seen = tuple(traffic(Chosen(database)))
    keys = tuple(one.key for one in read)
    night = Night(Ask(), "", Reach(database, (), ()), sessions=keys, observations=seen)
    return [one.text for one in weigh(group(night)).patterns if one.status == "pattern"]


@pytest.mark.proves("A2")
def test_a_call_that_nobody_makes_any_more_is_no_longer_warned_of() -> None:
    assert len(offered(*[FAILS] * 5, BUILDS, BUILDS)) == 1
    assert offered(*[FAILS] * 5, *[BUILDS] * 9) == []


def test_what_works_since_may_have_run_outside_the_sandbox_that_stopped_it() -> None:
    (text,) = offered(*[SANDBOXED] * 4, *[TESTS] * 40)
    assert text.endswith("run it outside the sandbox")
    assert offered(*[SANDBOXED] * 4, *[BUILDS] * 40) == []


def test_what_came_rarely_is_over_only_after_many_sessions() -> None:
    rare = [FAILS, *[TESTS] * 5] * 3
    assert len(offered(*rare, *[TESTS] * 6)) == 1
    assert offered(*rare, *[TESTS] * 90) == []


def test_of_two_ways_to_end_a_sequence_the_later_one_is_offered() -> None:
    old, new = CHECKS.replace("{how}", ""), CHECKS.replace("{how}", ":ci")
    (text,) = offered(*[old] * 6, *[new] * 5)
    assert "then `boat ship:ci` are run" in text
    (text,) = offered(*[new] * 4, *[old] * 6)
    assert "then `boat ship` are run" in text


def test_what_a_loaded_command_prescribes_is_not_proposed_again() -> None:
    checks = CHECKS.replace("{how}", "")
    called = checks.replace("finish part", "/ship:ready part")
    assert offered(*[called] * 5, *[TESTS] * 5) == []
    # Loaded afterwards, it prescribed nothing.
    late = checks + "    human: /ship:ready part {n}\n"
    assert len(offered(*[late] * 5, *[TESTS] * 5, late)) == 1


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50))
def test_the_more_often_it_came_the_sooner_it_is_over(seen: int, without: int, later: int) -> None:
    before = seen + without
    assert 0 < unseen(seen + 1, before + 1, later) <= unseen(seen, before + 1, later) <= 1
    assert unseen(seen, before, later + 1) < unseen(seen, before, later)
