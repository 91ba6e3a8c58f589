"""Braces never make more words than was counted, tried with a real bash."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.errors import Refused
from reverie.guard.braces import MAX_WORDS, most_words
from reverie.guard.shell import commands

PIECES = ["{", "{", "}", "}", ",", ",", "a", "b", "..", "1..5", "a..c", "9..-2", "1..9..2", "{a,b}"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), max_size=40))
def test_bash_makes_no_more_words_than_were_counted(texts: list[str]) -> None:
    kept = [text for text in texts if most_words(text) <= MAX_WORDS]
    script = "\n".join(f"set -- x{text}; echo $#" for text in kept)
    done = subprocess.run(["/bin/bash", "-c", script], capture_output=True, text=True, check=True)
    made = [int(line) for line in done.stdout.split()]
    assert [text for text, n in zip(kept, made, strict=True) if n > most_words(text)] == []


@pytest.mark.parametrize(
    "line",
    [
        "ls {1..1001}",
        "ls {1..9999999999}",
        "ls {0..-99999}",
        "ls " + "{a,b}" * 10,
        "ls " + "{a},b}" * 10,
        "ls {a,b}{c,d}'x'" + "{a,b}" * 8,
        "ls {1..600} {1..600}",
        "ls {1..$HOME}",
        "for i in {1..99999}; do echo $i; done",
    ],
)
def test_a_line_whose_braces_make_too_many_words_is_refused(line: str) -> None:
    with pytest.raises(Refused):
        commands(line)


def test_ordinary_braces_pass() -> None:
    for line in (
        "ls src/{a,b}.py",
        "ls x{a,b}{c,d}",
        "git show stash@{0} HEAD@{1}..@{u}",
        "ls {a..z}",
    ):
        assert commands(line)
