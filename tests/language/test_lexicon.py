"""The lexicon: one file per language, read as TOML reads it, and the language of a text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.lexicon import ENGLISH, FOLDER, Lexicon, language_of, lexicon

LANGUAGES = sorted(file.stem for file in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lexicon_is_read_as_toml_reads_it(language: str) -> None:
    whole = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    found = Lexicon(language)
    assert {name: found.table(name) for name in whole} == whole


def test_what_a_lexicon_does_not_hold_is_empty() -> None:
    assert not lexicon().words("stop.nothing")
    assert not lexicon().families("nobody")
    assert lexicon().pattern("nothing").search("") is None


@given(st.lists(st.text(max_size=8), max_size=20))
def test_any_words_have_a_language(found: list[str]) -> None:
    assert language_of(found) in LANGUAGES


def test_what_no_language_speaks_for_is_english() -> None:
    assert language_of([]) == ENGLISH
    assert language_of(["lampe", "tisch"]) == ENGLISH
