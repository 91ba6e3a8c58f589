"""Slips of the finger are mended, and nothing else is touched."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.spelling import has_slip, spelled

CASES = [
    block.split("\n-> ") if "\n-> " in block else [block, block]
    for block in (Path(__file__).parent / "fixtures/slips.txt")
    .read_text(encoding="utf-8")
    .strip()
    .split("\n\n")[1:]
]


@pytest.mark.parametrize(("typed", "kept"), CASES, ids=[case[0][:30] for case in CASES])
def test_a_slip_is_mended_only_where_nobody_could_mean_another_word(typed: str, kept: str) -> None:
    assert spelled(typed) == kept


@given(st.text(max_size=200))
def test_what_is_mended_once_stays_as_it_is(text: str) -> None:
    assert spelled(spelled(text)) == spelled(text)


@given(st.lists(st.from_regex(r"[A-Za-z]+[0-9_./-][A-Za-z0-9_]*", fullmatch=True), max_size=8))
def test_names_of_code_are_never_touched(names: list[str]) -> None:
    line = "use " + " and ".join(names)
    assert spelled(line) == line


def test_what_may_be_a_slip_and_may_be_a_name_is_told() -> None:
    assert has_slip("I don't want ot ring the bell")
    assert has_slip("the bell hangs in in the tower")
    assert has_slip("an statement about bells")
    assert has_slip("at the start of ever new watch")
    assert not has_slip("an npm package, an ssh key, an SDK: had had, that that, out-of-the-box")
    assert not has_slip("go on as it is, if so be it, in js or go")


def test_a_joining_word_typed_twice_or_turned_round_is_mended() -> None:
    assert spelled("Ring the the bell ot wake the crew") == "Ring the bell to wake the crew"
    assert spelled("Boats ni dock need a lamp") == "Boats in dock need a lamp"
    kept = "He had had that that bell; run it on su or em, the os knows"
    assert spelled(kept) == kept
