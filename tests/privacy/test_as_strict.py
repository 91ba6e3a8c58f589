"""What one reader of a record takes out, all others do: arguments, lines of logs, JSON in texts."""

import json
import random
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.privacy import Redactor, in_as_many_lines, redact_value
from reverie.sessions.logs.kept import redacted_line

REDACT = Redactor(b"a key of thirty-two bytes for us")

KEYS = st.sampled_from(
    "password db_password apiKey token tokens secrets credentials value values data content text"
    " description label prompt question answer name key type to from new old args env command"
    " variables config inner prod rows columns id path items input cookies".split()
)
WORDS = st.sampled_from(
    [
        "database password",
        "DB_PASSWORD",
        "api key",
        "SecureString",
        "Enter passphrase",
        "svc",
        "blue",
    ]
)
VALUES = st.integers(0, 10**6).map(
    lambda seed: "Qzx" + "".join(random.Random(seed).choices(string.ascii_letters, k=12)) + "7"
)
RECORDS = st.dictionaries(
    KEYS,
    st.recursive(
        WORDS | VALUES | st.integers(0, 9_999),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
    max_size=4,
)


def drawn(value: Any) -> list[str]:
    """The values that were drawn for a record, or those of them that are left."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in drawn(item)]
    if isinstance(value, list):
        return [text for item in value for text in drawn(item)]
    return [value] if isinstance(value, str) and "Qzx" in value else []


@pytest.mark.hostile("X1")
@given(RECORDS)
def test_a_kept_line_hides_whatever_the_arguments_of_the_tool_do(record: dict[str, Any]) -> None:
    left = drawn(redact_value(record, REDACT))
    hidden = [value for value in drawn(record) if value not in left]
    block = {"type": "tool_use", "id": "toolu_01", "name": "Run", "input": record}
    for line in (
        {"type": "assistant", "message": {"role": "assistant", "content": [block]}},
        {"payload": {"type": "function_call", "name": "run", "arguments": json.dumps(record)}},
        {"payload": {"name": "run", "arguments": json.dumps(record, indent=1)}},
        {"turn": [1, 2, "agent", "tool_call", "", ["Run", "call-1", record, None]]},
    ):
        kept = redacted_line(json.dumps(line).encode() + b"\n", REDACT).decode()
        assert [value for value in hidden if value in kept] == []


@pytest.mark.hostile("X1")
@given(RECORDS, st.sampled_from([None, 1, 4]))
def test_a_text_that_is_json_hides_whatever_its_values_do(
    record: dict[str, Any], indent: int | None
) -> None:
    left = drawn(redact_value(record, REDACT))
    text = REDACT(json.dumps(record, indent=indent))
    assert [v for v in drawn(record) if v not in left and v in text] == []
    lines = REDACT(json.dumps(record) + "\n" + json.dumps({"id": 7}) + "\n")
    assert [v for v in drawn(record) if v not in left and v in lines] == []


@pytest.mark.parametrize(
    "text",
    [
        '{"args": ["DB_PASSWORD=two marigold words", "run"], "n": 1.50}',
        '{ "token" : "\\u0041-qzx7-marigold-7421" ,\n"ok":true }',
        '{"password": 48151623, "list": [1, 2.0, -3e5, null]}',
    ],
)
def test_a_text_that_is_json_stays_as_it_is_written_beside_its_marks(text: str) -> None:
    clean = REDACT(text)
    mark = clean[clean.index("[redacted:") : clean.index("]", clean.index("[redacted:")) + 1]
    before, _, behind = clean.partition(mark)
    assert text.startswith(before.rstrip('"')) and text.endswith(behind.lstrip('"'))


def test_a_copy_of_a_text_has_as_many_lines_as_the_text() -> None:
    lines = ["one", "-----BEGIN PRIVATE KEY-----", *["q7Zx" * 16] * 3, "-----END PRIVATE KEY-----"]
    text = "\n".join([*lines, "two", "password=marigold7421", "three", ""])
    clean = in_as_many_lines(text, REDACT(text))
    assert clean.count("\n") == text.count("\n")
    assert clean.split("\n")[len(lines)] == "two" and clean.split("\n")[-2] == "three"
    assert "q7Zx" not in clean and "marigold" not in clean


def test_a_text_without_secrets_is_its_own_copy() -> None:
    assert in_as_many_lines("a\nb\n", "a\nb\n") == "a\nb\n"
