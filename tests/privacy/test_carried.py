"""What may be taken out of a whole session for being named once in it, and what never."""

import random
import string

import pytest

from reverie.privacy import Carried, Redactor, Told
from reverie.privacy.carried import may_be_carried

REDACT = Redactor(b"k" * 32).redact
RNG = random.Random(31)
TOKEN = "".join(RNG.choices(string.ascii_letters + string.digits, k=20)) + "7x"
MARK = "[redacted:password-said:0123abcd]"
COMMIT = "".join(RNG.choices("0123456789abcdef", k=40))


def settled(*values: str, texts: tuple[str, ...] = (), ids: tuple[str, ...] = ()) -> Carried:
    carried = Carried()
    for value in values:
        carried.learn(value, MARK)
    carried.settle(ids, lambda: texts)
    return carried


@pytest.mark.hostile("X1")
def test_what_one_text_names_is_taken_out_of_those_before_and_behind_it() -> None:
    told = Told(REDACT)
    first = told.redact(f"try {TOKEN} for now")
    told.redact(f"the mail password is {TOKEN}")
    assert TOKEN in first
    assert told.carried.settle((), tuple)
    assert TOKEN not in told.redact(first)
    assert TOKEN not in told.so_far()(f"it printed '{TOKEN}'")


def test_a_value_ends_where_a_word_does() -> None:
    carried = settled(TOKEN)
    assert carried.without(f"x{TOKEN} {TOKEN}y") == f"x{TOKEN} {TOKEN}y"
    assert carried.without(f"'{TOKEN}', {TOKEN}") == f"'{MARK}', {MARK}"


def test_quotes_within_a_value_are_known_as_json_writes_them() -> None:
    carried = settled(f'{TOKEN}"z')
    assert TOKEN not in carried.without(f'{{\\"line\\": \\"{TOKEN}\\"z\\"}}')
    assert TOKEN not in carried.without(f'say {TOKEN}"z')


@pytest.mark.parametrize(
    "word",
    [
        "production",
        "changeme",
        "password",
        "example",
        "configuration",
        "user_password",
        "settings.py",
        "src/app/main",
        "getToken()",
        "2026-11-20",
        "20261120",
        "abc12",
        "${TOKEN}",
        "https://example.com",
    ],
)
def test_what_is_met_everywhere_is_never_carried(word: str) -> None:
    assert not may_be_carried(word)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("harvest_lantern_copper", "harvest_lantern_copper(rows)"),
        ("harvest_lantern_copper", "from harvest_lantern_copper import rows"),
        ("harvest.lantern.copper", "config.harvest.lantern.copper"),
        (COMMIT, f"git show {COMMIT}"),
        (COMMIT, f"on main: {COMMIT[:7]} Fix the menu"),
        ("lantern-copper/7f3a9c1", "switched to branch lantern-copper/7f3a9c1"),
    ],
)
def test_words_and_numbers_that_the_session_uses_as_names_stay(value: str, text: str) -> None:
    assert settled(value, texts=(text,)).without(text) == text
    assert MARK in settled(value).without(f"it was '{value}'")


def test_words_that_people_say_again_and_again_stay() -> None:
    said = ("the copper-lantern-harvest is late",) * 9
    assert settled("copper-lantern-harvest", texts=said).without(said[0]) == said[0]


def test_what_identifies_a_record_stays() -> None:
    assert settled(TOKEN, ids=(TOKEN,)).without(TOKEN) == TOKEN


def test_what_an_output_names_is_learned_without_reading_more_of_it() -> None:
    told = Told(REDACT)
    told.result("1", f"loaded\nREDIS_PASSWORD={TOKEN}\n" + "lines of code\n" * 9)
    assert told.carried.settle((), tuple)
    assert TOKEN not in told.carried.without(f"redis-cli -a {TOKEN}")


def test_where_it_was_told_brings_it_back_and_holds_no_value() -> None:
    told = Told(REDACT)
    told.carried.at = 70
    told.redact(f"the mail password is {TOKEN}")
    told.carried.settle((), tuple)
    noted = told.noted
    assert TOKEN not in repr(noted)
    ((offset, mark),) = noted["places"]
    later = Told(REDACT, noted)
    later.recall({"text": f"the mail password is {TOKEN}"}, [mark])
    later.carried.settle((), tuple)
    assert offset == 70
    assert TOKEN not in later.redact(f"use {TOKEN} again")


@pytest.mark.parametrize("name", ["secp521r1", "ECDH-512-XYZ", "loadKeyPart"])
def test_the_name_of_an_algorithm_or_of_a_function_is_taken_out_only_where_it_was_told(
    name: str,
) -> None:
    assert settled(name).without(f"it was '{name}'") == f"it was '{name}'"
