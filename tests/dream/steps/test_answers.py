"""What sessions ran when something was said again."""

from dataclasses import replace

import pytest
from tests.dream.nights import night, said
from tests.dream.steps.test_steps import TALK
from tests.dream.weeks import weeks

from reverie.dream.model import Met, Pattern, Reach
from reverie.dream.proposals.rules import rule_of
from reverie.dream.steps.answers import answered
from reverie.dream.steps.group import group
from reverie.dream.steps.weigh import weigh

CLASH = "Always solve the conflicts with trunk first."
FETCH = ("run: git fetch origin trunk", "ok: done")


def session(first: str, *then: str) -> str:
    return "\n".join([f"human: {first}", *then, "run: git status", "ok: clean"])


def met(text: str, *scripts: str) -> Pattern:
    """What becomes of a remark that is the first line of each script."""
    database = weeks(*scripts)
    keys = tuple(f"claude-code:s{number:04d}" for number in range(len(scripts)))
    remarks = [
        replace(said(text, number), session=key, evidence=f"{key}#0")
        for number, key in enumerate(keys)
        if scripts[number].startswith(f"human: {text}")
    ]
    dreamt = weigh(group(night(*remarks, *TALK)))
    reached = replace(dreamt, sessions=keys, reach=Reach(database, (), ()))
    found = answered(reached, dreamt.patterns)
    return next(one for one in found if one.group.members[0].text == text)


@pytest.mark.parametrize("others", [3, 4])
def test_a_command_that_is_run_anyway_is_no_answer(others: int) -> None:
    scripts = [session(CLASH, *FETCH) for _ in range(3)]
    scripts += [session("build the report", *FETCH) for _ in range(others)]
    assert (met(CLASH, *scripts).met is not None) is (others == 3)


def test_what_looks_around_or_judges_is_no_answer() -> None:
    checks = ("run: cat notes.md", "ok: x", "run: pytest -q", "ok: passed")
    assert met(CLASH, *[session(CLASH, *checks)] * 4).met is None


def test_a_rule_says_how_most_sessions_did_it() -> None:
    text = "Always fetch the open remarks of the reviewers."
    calls = [
        (f"run: gh api repos/acme/till/pulls/{n}/comments --jq .body", "ok: none") for n in range(4)
    ]
    one = met(text, *(session(text, *call) for call in calls))
    assert one.text == text
    assert one.met == Met("gh api repos/acme/till/pulls/…/comments --jq .body", 4, 4)
    rule = rule_of(one)
    assert rule.order.endswith("(start with `gh api repos/acme/till/pulls/…/comments --jq .body`)")
    assert "4 of 4 sessions" in rule.counted and "4 of 4" not in rule.line
