"""Phrase families: looked up in one pass, changed by the user's settings."""

import pytest

from reverie.language.cues import agent_cues, human_cues, statement_cues
from reverie.language.lexicon import lexicon
from reverie.language.words import words


@pytest.mark.parametrize(
    ("language", "lead"), [("de", "wenn ich sie nicht habe"), ("en", "if we have that")]
)
def test_every_phrase_is_in_the_form_it_is_looked_up_in(language: str, lead: str) -> None:
    for speaker in ("human", "agent", "statement"):
        for family, phrases in lexicon(language).families(speaker).items():
            for phrase in phrases:
                assert " ".join(words(f"{lead} {phrase}")) == f"{lead} {phrase}", (family, phrase)


def test_a_family_counts_its_phrases_and_knows_the_first_place() -> None:
    cues = human_cues()
    counts, first, _ = cues.hits(words("hmm, are you sure? that is wrong, really wrong"))
    found = dict(zip(cues.names, zip(counts, first, strict=True), strict=True))
    assert found["wrong"] == (2, 7)
    assert found["doubt"][1] == 1
    assert found["revert"] == (0, -1)


def test_an_added_phrase_is_seen_however_long_it_is() -> None:
    cues = human_cues(added=("Das ist so nicht ganz das Richtige",))
    assert cues.hits(words("nein, das ist so nicht ganz das richtige."))[2]
    assert not cues.hits(words("das ist das richtige"))[2]


def test_a_forbidden_phrase_leaves_its_siblings() -> None:
    cues = human_cues(forbidden=("Wrong",))
    assert cues.counted(words("wrong"))["wrong"] == 0
    assert cues.counted(words("incorrect"))["wrong"] == 1


def test_agent_and_statement_tables_are_built_once() -> None:
    assert agent_cues() is agent_cues()
    assert statement_cues() is statement_cues()


def test_a_text_is_looked_up_in_its_own_language() -> None:
    cues = human_cues()
    assert cues.counted(words("nein, das ist falsch"))["wrong"] == 2
    assert cues.counted(words("lass das also weg"))["also"] == 0
    assert cues.counted(words("that is also wrong"))["also"] == 1


def test_phrases_of_the_user_hold_in_every_language() -> None:
    cues = human_cues(added=("so ein quark",), forbidden=("falsch",))
    assert cues.hits(words("das ist so ein quark"))[2]
    assert cues.counted(words("das ist falsch"))["wrong"] == 1  # "ist falsch" is another phrase
