"""`reverie dream` as it is typed: about what, from when on, and where the result goes."""

import json

import pytest

from reverie.cli.root import run

pytestmark = pytest.mark.usefixtures("learned_sample")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--into", "global"], 4, "there is a store 'global' already"),
        (["--into", ""], 2, "a store's name has 1 to 255 characters"),
        (["--into", "a:b"], 2, "a store's name has no colon"),
        (["--into", "x", "--dry-run"], 2, "--dry-run and --into exclude each other"),
        (["--into", "x", "--apply"], 2, "--apply and --into exclude each other"),
        (["--apply", "--dry-run"], 2, "--dry-run and --apply exclude each other"),
        (["--since", "soonish"], 2, "'soonish' is not a day"),
        (["--since", "2026-03-15", "--dry-run"], 0, "`reverie learn` reads the logs first"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: list[str], code: int, said: str, capsys
) -> None:
    assert run(["dream", *arguments]) == code
    assert said in capsys.readouterr().err
    assert run(["proposals", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("since", "sessions"), [("last week", 8), ("7d", 8), ("last month", 16), ("two weeks ago", 16)]
)
def test_a_day_may_be_said_in_words(since: str, sessions: int, capsys) -> None:
    assert run(["dream", "--dry-run", "--explain", "--since", since]) == 0
    assert f"gather: {sessions} sessions showed" in capsys.readouterr().err


def test_a_new_store_is_told_of(capsys) -> None:
    run(["stores", "create", "team-memory"])
    assert run(["dream", "--store", "team-memory", "--into", "dreamt"]) == 0
    told = capsys.readouterr().err
    assert "store dreamt: a copy of all this was about, with " in told
    assert " in dreamt alone" in told
    assert run(["dream", "--store", "team-memory", "--into", "again", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["into"] == "again" and record["applied"]
