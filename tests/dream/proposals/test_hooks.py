"""Hooks: which command a sentence is about, and what the past says against refusing it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.dream.nights import night, said
from tests.dream.proposals.test_rules import of, pattern
from tests.dream.weeks import weeks

from reverie.dream.model import Artefact, Night, Pattern, Reach, Replay
from reverie.dream.proposals.hooks import Guard, forbidden, guard_of, hook_form, replays

MAIN = {"call": ["git", "push"], "targets": ["main"]}


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    ("text", "calls", "decision"),
    [
        ("Never push to main.", [MAIN], "deny"),
        ("Don't push directly to `main`, open a pull request.", [MAIN], "deny"),
        ("Do not use `git add -A` or `git add .`.",
         [{"call": ["git", "add", "-A"]}, {"call": ["git", "add", "."]}], "deny"),
        ("Never force-push.",
         [{"call": ["git", "push", "--force"]}, {"call": ["git", "push", "-f"]}], "deny"),
        ("Never stash.", [{"call": ["git", "stash"], "but": ["list", "show"]}], "deny"),
        ("Never push without asking me.", [{"call": ["git", "push"]}], "ask"),
        ("Do not commit unless I ask for it.", [{"call": ["git", "commit"]}], "ask"),
        ("Don't run npm install in the sandbox.", [{"call": ["npm", "install"]}], "deny"),
        ("Never run `frobnicate --all`.", [{"call": ["frobnicate", "--all"]}], "deny"),
        ("Don't use `npm`, use `pnpm`.", [{"call": ["npm"]}], "deny"),
        ("Use pnpm, not npm.", [{"call": ["npm"]}], "deny"),
        ("Always use `uv run pytest` instead of `pytest`.", [{"call": ["pytest"]}], "deny"),
        ("Use make check rather than npm test here.", [{"call": ["npm", "test"]}], "deny"),
    ],
)  # fmt: skip
def test_a_ban_names_the_parsed_command(text: str, calls: list[Any], decision: str) -> None:
    found = forbidden(text)
    assert found is not None
    assert list(found.calls) == calls
    assert found.decision == decision


@pytest.mark.proves("A3")
@pytest.mark.parametrize(
    "text",
    [
        "Don't use `var`.",
        "Never edit `schema.sql` by hand.",
        "Don't just push the migrations.",
        "Never stash or reset the user's tree.",
        "Don't use docker for that.",
        "We don't commit to main.",
        "Don't commit .env files.",
        "Prices are integer cents.",
        "Use integer cents, not floats.",
        "Use the client instead of running curl by hand in a loop.",
        "Never run `make test | tee log`.",
        "Avoid `rm -rf $HOME/x`.",
    ],
)
def test_what_names_no_command_for_certain_is_no_hook(text: str) -> None:
    assert forbidden(text) is None


RULE = "Never push to main."


def slept(database: Any, sessions: int) -> Night:
    keys = tuple(f"claude-code:s{number:04d}" for number in range(sessions))
    return replace(night(), reach=Reach(database, (), ()), sessions=keys)


def replayed(one: Pattern, *scripts: str) -> Replay:
    guard = guard_of(one)
    assert guard is not None
    return replays(slept(weeks(*scripts), len(scripts)), {"pat_1": guard}, [one])["pat_1"]


def told(*places: tuple[int, int]) -> Pattern:
    """The rule, said in session and line of each place."""
    keys = [f"claude-code:s{number:04d}" for number, _ in places]
    return of(
        *(
            replace(said(RULE, at), session=key, evidence=f"{key}#{line}")
            for at, (key, (_, line)) in enumerate(zip(keys, places, strict=True))
        )
    )


PUSHED = "human: go on\nrun: git push origin main\nok: done\n"
ONLY_READ = "human: go on\nread: docs/wire.md\nok: text\n"
LOOKED = "human: go on\nrun: git checkout main\nok: done\nrun: git push origin topic\nok: done\n"


@pytest.mark.proves("A3")
@pytest.mark.usefixtures("scratch_on_both")
def test_a_push_that_the_person_then_forbade_was_bad() -> None:
    one = told((0, 9), (1, 9))
    found = replayed(one, PUSHED, PUSHED, LOOKED, ONLY_READ)
    assert (found.sessions, found.unread, found.commands) == (4, 0, 4)
    assert (found.bad, found.good) == (2, 0)
    assert found.fired[0].startswith("claude-code:s0000#")
    form = hook_form(one, Guard((MAIN,)), found)
    assert form is not None
    assert form.replay == found


@pytest.mark.proves("A3")
@pytest.mark.usefixtures("scratch_on_both")
def test_a_hook_that_would_have_refused_a_good_call_is_not_offered() -> None:
    one = told((0, 9), (1, 0))
    found = replayed(one, PUSHED, PUSHED, LOOKED)
    assert (found.bad, found.good) == (1, 1)
    assert hook_form(one, Guard((MAIN,)), found) is None


@pytest.mark.usefixtures("scratch_on_both")
def test_only_the_sessions_that_are_dreamt_about_are_replayed() -> None:
    guard = Guard((MAIN,))
    dreamt = slept(weeks(PUSHED, PUSHED), 1)
    found = replays(dreamt, {"pat_1": guard}, [told((0, 9))])["pat_1"]
    assert (found.sessions, found.commands) == (1, 1)


@pytest.mark.usefixtures("scratch_on_both")
def test_where_commands_of_a_session_were_not_kept_no_hook_is_offered() -> None:
    database = weeks(PUSHED, LOOKED)
    with database.atomic() as tx:
        tx.execute("DELETE FROM traces WHERE what = 'ran' AND session = 'claude-code:s0001'")
    one, guard = told((0, 9)), Guard((MAIN,))
    found = replays(slept(database, 2), {"pat_1": guard}, [one])["pat_1"]
    assert (found.sessions, found.unread) == (1, 1)
    assert hook_form(one, guard, found) is None


FAILS = "human: test it\nrun: rtk npm test\nfail: unknown command npm\n"


@pytest.mark.proves("A3")
@pytest.mark.usefixtures("scratch_on_both")
def test_a_call_that_always_failed_is_refused_and_one_that_once_worked_is_not() -> None:
    fields = {"source": "fix", "failed": "rtk npm test", "message": "unknown", "fix": "npm test"}
    one = pattern("`rtk npm test` fails", **fields)
    guard = guard_of(one)
    assert guard is not None
    found = replayed(one, FAILS, FAILS)
    assert (found.bad, found.good) == (2, 0)
    form = hook_form(one, guard, found)
    assert form is not None
    assert json.loads(form.content)["decision"] == "deny"
    worked = replayed(one, FAILS, FAILS.replace("fail: unknown command npm", "ok: 3 passed"))
    assert hook_form(one, guard, worked) is None
    assert (
        hook_form(one, guard, Replay(4, commands=40)) is None
    )  # nothing that it would have helped


def test_what_failed_for_want_of_a_program_is_guarded_only_where_it_is_missing() -> None:
    lost = {"source": "fix", "failed": "pytest -q …", "fix": "python -m pytest -q …"}
    found = guard_of(pattern("x", **lost, message="bash: pytest: command not found"))
    assert found is not None
    assert found.entry()["missing"] == "pytest"
    other = guard_of(pattern("x", **lost, message="no such option: -q"))
    assert other is not None
    assert "missing" not in other.entry()


@pytest.mark.proves("A3")
@pytest.mark.usefixtures("scratch_on_both")
def test_a_commit_without_what_comes_first_is_only_reminded_of_it_when_it_was_let_stand() -> None:
    one = pattern("Run `make fmt` before you commit.")
    commit = "human: go\nrun: {}\nok: x\nrun: git commit -m x\nok: done\n"
    found = replayed(one, commit.format("make fmt"), commit.format("make test"))
    assert (found.bad, found.good) == (0, 1)
    guard = guard_of(one)
    assert guard is not None
    form: Artefact | None = hook_form(one, guard, found)
    assert form is not None
    assert json.loads(form.content)["decision"] == "remind"
    strict = hook_form(one, guard, replace(found, good=0, bad=1))
    assert strict is not None
    assert json.loads(strict.content)["decision"] == "deny"
