"""The quick JSON of hooks means what the standard one means."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.connect.quick_json import dumps, loads

SIMPLE = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(VALUES)
def test_what_is_written_reads_the_same_everywhere(value: object) -> None:
    assert json.loads(dumps(value)) == value
    assert loads(dumps(value)) == value


@given(VALUES | st.floats(allow_nan=False), st.sampled_from(["", " ", "\n\t"]), st.booleans())
def test_standard_json_is_read(value: object, blank: str, ascii_only: bool) -> None:
    assert loads(blank + json.dumps(value, ensure_ascii=ascii_only, indent=1) + blank) == value


@pytest.mark.parametrize(
    "text", ["", " ", "{", "{]", "[1,]", "{'a': 1}", "tru", "1 2", '"\n"', "x"]
)
def test_what_is_not_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(text)
