"""Calls of several sessions that failed with one message, and what all that worked have."""

import pytest
from tests.dream.weeks import seen, weeks

from reverie.dream.traffic.mends import general, usual

WAY = """
    human: have a look
    run: {failed}
    fail 1: {message}
    run: {worked}
    ok: fine
"""


def paths(message: str, *pairs: tuple[str, str]) -> list[str]:
    return [WAY.format(failed=failed, message=message, worked=worked) for failed, worked in pairs]


@pytest.mark.proves("A5")
def test_what_helped_is_seen_although_everything_else_differs() -> None:
    scripts = paths(
        "config.errors.NotConfigured: set CONFIG_FILE or pass a file",
        ("pytest cart", "CONFIG_FILE=test.toml pytest mail/tests -x"),
        ("pytest mail/tests -x", "CONFIG_FILE=test.toml pytest menu"),
        ("python -m pytest menu -q", "CONFIG_FILE=test.toml pytest cart -x"),
    )
    ((text, rows),) = seen(weeks(*scripts), "fix").items()
    assert text.endswith(": use `CONFIG_FILE=test.toml pytest …` instead")
    assert len({one.session for one in rows}) == 3


def test_an_option_that_names_a_host_does_not_ask_for_help() -> None:
    scripts = paths(
        "client: error: connection to localhost, port 7001 failed: Connection refused",
        *(
            (f"client -h localhost get {part}", f"client -h localhost -p 7002 get {part}")
            for part in ("cart", "mail", "menu")
        ),
    )
    (text,) = seen(weeks(*scripts), "fix")
    assert text.endswith(": use `client -h localhost -p 7002 get …` instead")


def test_names_and_numbers_in_a_message_do_not_make_it_another_one() -> None:
    scripts = [
        script
        for number, part in enumerate(("cart", "mail", "menu"))
        for script in paths(
            f"merge: data/{part}.tsv:{number}: is not sorted: K{number}4",
            (f"merge data/{part}.tsv all.tsv", f"merge --sort data/{part}.tsv all.tsv"),
        )
    ]
    (text,) = seen(weeks(*scripts), "fix")
    assert "use `merge --sort data/… all.tsv` instead" in text


def test_a_call_that_every_session_went_on_from_in_its_own_way_teaches_nothing() -> None:
    ways = ("--fast", "--slow", "--deep", "--wide")
    scripts = paths("Error: the model did not settle", *((f"fit {w}", f"fit x{w}") for w in ways))
    assert seen(weeks(*scripts), "fix") == {}


def test_a_script_of_the_same_runner_is_another_call() -> None:
    pair = ("bun run test", "bun run lint")
    scripts = paths("error: Database connection failed", pair, pair, pair)
    assert seen(weeks(*scripts), "fix") == {}


def test_what_follows_everywhere_is_no_way_out() -> None:
    failing = paths("Error: no answer", *[("probe", "probe --all")] * 2)
    usual_call = "human: go\nrun: probe --all\nok: fine"
    found = seen(weeks(*failing, *[usual_call] * 12), "fix")
    rare = seen(weeks(*failing, *["human: go\nrun: other thing\nok: fine"] * 12), "fix")
    (often,), (seldom,) = found.values(), rare.values()
    assert (often[0].chance or 0) > 5 * (seldom[0].chance or 1)


def test_a_step_in_the_same_shell_is_told_with_the_call() -> None:
    scripts = paths(
        "bash: gauge: command not found", *[("gauge -c x", "source tools.sh && gauge -c x")] * 3
    )
    (text,) = seen(weeks(*scripts), "fix")
    assert text.endswith(": use `source tools.sh && gauge -c x` instead")


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (["npm install --old", "npm ci --old"], "npm … --old"),
        (["a b --x c", "a --x c"], "a … --x c"),
        (["a b", "a b c d"], "a b …"),
    ],
)
def test_calls_of_any_length_keep_the_words_they_share(calls: list[str], expected: str) -> None:
    assert general(calls) == expected


def test_the_usual_program_speaks_for_several() -> None:
    assert usual(["pytest cart", "python -m pytest mail", "pytest menu"]) == "pytest …"
