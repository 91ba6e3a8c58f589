"""Parameters of SQL: the statement names what stands in a list beside it."""

import json
import random
from typing import Any

import pytest
from tests import privacy_generator as generator

from reverie.privacy import Redactor, redact_value
from reverie.privacy.statements import columns_of

REDACT = Redactor(b"a key of thirty-two bytes for us")
SECRET = "k3" + generator.chars(generator.ALNUM, 14)(random.Random(11))


@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ("UPDATE s SET mail = $2, pin = $1 WHERE id = $3", {"1": "mail", "0": "pin", "2": "id"}),
        ("insert into t (a, `pin`) values (?, ?)", {"0": "a", "1": "pin"}),
        ("INSERT INTO t (id, token) VALUES (nextval('s'), %s)", {"0": "token"}),
        ("UPDATE t SET pw = crypt(:secret, salt()) WHERE k = :id", {"secret": "pw", "id": "k"}),
        ("UPDATE t SET at = ?::date, pin = ?", {"0": "at", "1": "pin"}),
        ("CREATE USER shop IDENTIFIED BY ?", {"0": "password"}),
        ("echo what is this?", {}),
    ],
)  # fmt: skip
def test_each_parameter_has_the_name_of_its_column(statement: str, columns: dict[str, str]) -> None:
    assert columns_of(statement) == columns


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "arguments",
    [
        {"sql": "UPDATE shops SET vendor_token = $1 WHERE id = $2", "params": [SECRET, 7]},
        {"sql": "UPDATE shops SET vendor_token = ? WHERE id = ?", "values": (SECRET, "7")},
        {"query": "INSERT INTO shops (id, api_key) VALUES (?, ?)", "args": [7, SECRET]},
        {"query": "INSERT INTO a (n, pwd) VALUES (%s, %s)", "rows": [["x", SECRET], ["y", "z"]]},
        {"statement": "ALTER USER shop PASSWORD :p", "bind": {"p": SECRET}},
        {"sql": "SELECT 1 FROM u WHERE password = @pw", "parameters": {"@pw": SECRET}},
    ],
)
def test_what_a_statement_puts_into_a_column_of_secrets_is_one(arguments: dict[str, Any]) -> None:
    shown = json.dumps(redact_value({"name": "query", "input": arguments}, REDACT))
    assert SECRET not in shown
    assert "7" in shown or "x" in shown or "p" in shown


def test_the_other_parameters_stay() -> None:
    given = {"sql": "UPDATE shops SET token = $1, city = $2", "params": [SECRET, "Kilkenny Abbey"]}
    assert redact_value(given, REDACT)["params"][1] == "Kilkenny Abbey"
    plain = {"sql": "UPDATE shops SET city = $1 WHERE id = $2", "params": ["Kilkenny", 7]}
    assert redact_value(plain, REDACT) == plain


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "key", "secretValue secret_value secretString SecretString tokenValue passwordValue".split()
)
def test_a_key_that_ends_in_value_names_what_it_holds(key: str) -> None:
    call = {"type": "tool_use", "name": "vault", "input": {"project": "shop", key: SECRET}}
    assert SECRET not in json.dumps(redact_value(call, REDACT))


@pytest.mark.hostile("X1")
def test_a_question_that_is_a_key_names_its_answer() -> None:
    phrase = "lichen kestrel cobalt bramble"
    answers = {"What is the backup passphrase of the shop?": phrase, "Which city?": "Kilkenny"}
    shown = redact_value({"answers": answers}, REDACT)["answers"]
    assert phrase not in json.dumps(shown)
    assert shown["Which city?"] == "Kilkenny"
