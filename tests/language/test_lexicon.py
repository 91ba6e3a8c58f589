"""The lexicon: one file per language, read as TOML reads it, and the language of a text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.lexicon import ENGLISH, FOLDER, Lexicon, language_of, languages, lexicon
from reverie.language.words import words

LANGUAGES = languages()


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("speaker", ["human", "agent", "statement"])
def test_every_language_has_every_family(language: str, speaker: str) -> None:
    assert set(lexicon(language).families(speaker)) == set(lexicon().families(speaker))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("speaker", ["human", "agent", "statement"])
def test_no_phrase_stands_twice_in_its_family(language: str, speaker: str) -> None:
    for family, phrases in lexicon(language).families(speaker).items():
        assert len(set(phrases)) == len(phrases), (family, phrases)


@pytest.mark.parametrize(
    "text",
    [
        "Nein, das ist falsch.",
        "bitte committen",
        "Ab jetzt immer pnpm statt npm verwenden",
        "du hast schon wieder das Changelog vergessen",
        "Die Tests im Ordner tests/unit sind rot, weil der Mock fehlt",
        "Kannst du den Branch mergen?",
    ],
)
def test_german_is_known_by_its_small_words(text: str) -> None:
    assert language_of(words(text)) == "de"


@pytest.mark.parametrize(
    "text",
    [
        "No, that is wrong.",
        "check the man page, it dies on the bin folder",
        "MIT license",
        "im not sure",
        "git push -u origin main",
    ],
)
def test_english_and_commands_are_english(text: str) -> None:
    assert language_of(words(text)) == ENGLISH


def test_what_no_language_speaks_for_is_english() -> None:
    assert language_of([]) == ENGLISH
    assert language_of(["lampe", "tisch"]) == ENGLISH
