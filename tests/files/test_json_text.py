"""One member changes, every other byte stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import InvalidInput
from reverie.files.json_text import with_member, without_member

SERVER = {"command": "x", "args": ["-m", "y"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}\n", '{\n  "s": {\n    "r": 1\n  }\n}\n'),
        ('{"a":1}', '{"a":1,"s": {"r":1}}'),
        ('{\n    "a": 1\n}', '{\n    "a": 1,\n    "s": {\n        "r": 1\n    }\n}'),
        ('{\n\t"s": {\n\t\t"q": 2\n\t}\n}', '{\n\t"s": {\n\t\t"q": 2,\n\t\t"r": 1\n\t}\n}'),
        ('{\n  "s": {"r": 0, "q": 2}\n}', '{\n  "s": {"r": 1, "q": 2}\n}'),
    ],
)
def test_a_member_is_added_in_the_style_of_the_file(before: str, after: str) -> None:
    assert with_member(before, ["s", "r"], 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"r": 1}}', '{"s": {}}'),
        ('{"s": {"q": 2,\n "r": 1}}', '{"s": {"q": 2}}'),
        ('{"s": {"r": {"x": [1]},\n "q": 2}}', '{"s": {"q": 2}}'),
        ('{"s": {"q": 2}}', '{"s": {"q": 2}}'),
        ('{"t": 1}', '{"t": 1}'),
    ],
)
def test_a_member_is_taken_out_with_its_comma(before: str, after: str) -> None:
    assert without_member(before, ["s", "r"]) == after


@pytest.mark.parametrize("text", ["", "[]", "nothing", '{"s": 5}', '{"s" 5}', '{"s": {} "t": 1}'])
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        with_member(text, ["s", "r"], 1)


OBJECTS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
        max_leaves=8,
    ),
    max_size=5,
)


@given(OBJECTS, st.sampled_from([None, 1, 2, "\t"]))
def test_any_object_gains_and_loses_exactly_our_entry(value: dict[str, Any], indent: Any) -> None:
    value.pop("mcpServers", None)
    text = json.dumps(value, indent=indent)
    added = with_member(text, ["mcpServers", "reverie"], SERVER)
    assert json.loads(added) == {**value, "mcpServers": {"reverie": SERVER}}
    assert json.loads(without_member(added, ["mcpServers", "reverie"])) == {
        **value,
        "mcpServers": {},
    }


def test_of_a_key_that_is_there_twice_the_last_counts_and_ours_goes_altogether() -> None:
    twice = '{"s": {"a": 1}, "s": {"r": 1, "b": 2, "r": 3}}'
    assert without_member(twice, ["s", "r"]) == '{"s": {"a": 1}, "s": {"b": 2}}'
    assert json.loads(with_member(twice, ["s", "c"], 4)) == {"s": {"r": 3, "b": 2, "c": 4}}
