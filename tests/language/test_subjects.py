"""Whose a rule is by its subject and tense, and whether a sentence only holds it as a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.language.frames import is_attributed, may_be_framed
from reverie.language.subjects import holds_text, is_in_text, whose

RULE = "Always moor at the east pier before dusk."


@pytest.mark.parametrize(
    "sentence",
    [
        RULE,
        "we always moor at the east pier",
        "I want the crews to always moor at the east pier",
        "I'd rather you never moored at the west pier",
        "I told you to always moor at the east pier",
        "the rule is to never moor at the west pier",
        "it's important to always moor at the east pier",
        "If the fog is thick we should moor at the east pier",
        "Ropes must be dried before they are stowed",
        "page numbers are never used on the charts",
        "we agreed to always moor at the east pier",
        "we moor at the east pier from now on",
        "make sure to always dry the ropes",
        "I don't want ropes on the pier",
        "ab jetzt müssen wir immer am Ostpier anlegen",
    ],
)
def test_a_rule_of_ones_own_has_me_you_or_things_as_its_subject(sentence: str) -> None:
    assert whose(sentence) == "own"
    assert not holds_text(sentence)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "sentence",
    [
        "The pilot exam wants you to always moor at the east pier.",
        "the captains' course had us always moor at the east pier",
        "my uncle is like always moor at the east pier",
        "then the pilot goes never moor at the west pier",
        "Everyone in the Baltic always moors at the east pier.",
        "a leaflet I found demands that we always moor at the east pier",
        "what the insurer hopes for is that we must moor at the east pier",
        "on the radio it came up that we must moor at the east pier",
        "we always moored at the east pier",
        "On my former boat we never used ropes.",
        "Long ago I would have said never moor at the west pier",
        "I was going to say always moor at the east pier",
        "I don't think we must always moor at the east pier.",
        "I'm not sure that we should always moor at the east pier",
        "it is not required to always moor at the east pier",
        "Damals haben wir immer am Ostpier angelegt.",
    ],
)
def test_somebody_else_the_past_and_a_denial_make_no_rule(sentence: str) -> None:
    assert whose(sentence) == "others"
    assert is_attributed(sentence, sentence)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "sentence",
    [
        "The harbour's crews never moor at the west pier.",
        "Old Jan always moors at the east pier.",
        "Our support bot must never moor at the west pier.",
    ],
)
def test_of_whom_it_is_not_known_the_rule_waits(sentence: str) -> None:
    assert whose(sentence) == "open"
    assert may_be_framed(sentence, sentence)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "sentence",
    [
        "Paint a board that says never moor at the west pier",
        "the buoy should bear 'always moor at the east pier'",
        "the parrot has to shout Never moor at the west pier",
        "Put a line that visitors must always moor at the east pier on the chart.",
        'A caption like "never moor at the west pier" goes below the map.',
        "I'd like the flyer to begin with Keep off the west pier",
        "In the ferry game the admiral mutters: always moor at the east pier",
        "set the label to always moor at the east pier",
        "the parser chokes on From now on, moor at the east pier",
        "Add a remark under the map: always moor at the east pier",
        "Write a song that begins with: never moor at the west pier",
        "Der Aushang soll 'Nie am Westpier anlegen' heißen.",
    ],
)
def test_what_a_sentence_holds_as_a_text_is_no_rule(sentence: str) -> None:
    assert is_attributed(sentence, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Never write 'should' in a log entry, write 'must'.",
        "Use 'do_' as the prefix of all winches from now on.",
        "Don't use print for soundings, always use the logger.",
        "We say never on a Friday, and we mean it.",
        "as I said: always moor at the east pier",
        "Add a rule to CLAUDE.md: always moor at the east pier",
        "Every crate has to be labelled with its port from now on.",
        "We build the charts with Make these days.",
    ],
)
def test_names_and_ones_own_words_are_no_text(sentence: str) -> None:
    assert not holds_text(sentence)
    assert not is_attributed(sentence, sentence)


@pytest.mark.hostile("M4")
def test_what_stands_behind_a_text_without_an_end_may_belong_to_it() -> None:
    turn = f"The poster has to read Stop fishing here. {RULE}\n\n{RULE}"
    assert is_in_text(turn, RULE)
    assert not is_in_text(f"{RULE} The poster has to read Stop fishing here.", RULE)
    quoted = f"The board should bear 'Never fish off the pier'. {RULE}"
    assert not is_in_text(quoted, RULE)
    assert may_be_framed(quoted, RULE)


@pytest.mark.hostile("M4")
def test_a_question_about_a_text_makes_one_of_what_stands_beside_it() -> None:
    assert is_attributed(f"Is this sentence too long? {RULE}", RULE)
    assert not is_attributed(f"Is this pier too long? {RULE}", RULE)


@pytest.mark.hostile("M4")
@pytest.mark.parametrize(
    "beside",
    [
        "Cosa vuol dire questo cartello?",
        "¿Quién ha escrito eso?",
        "Cette phrase est correcte ?",
        "Kto to napisał?",
        "Stämmer det här?",
        "Bunu kim yazdı?",
        "これは何ですか？",
    ],
)
def test_what_stands_beside_in_a_language_that_is_not_known_is_no_plain_talk(beside: str) -> None:
    for turn in (f"{beside} {RULE}", f"{RULE} {beside}"):
        assert is_attributed(turn, RULE)
    assert may_be_framed(f"{beside}\n\n{RULE}", RULE)


@pytest.mark.parametrize(
    "beside", ["Thanks, Ingrid.", "Fix the sounder.", "Bitte den Kran ölen.", "lol, odd ropes."]
)
def test_names_and_the_languages_that_are_known_are_talk(beside: str) -> None:
    assert not is_attributed(f"{beside} {RULE}", RULE)


@given(st.text(max_size=120), st.text(max_size=40))
def test_any_words_have_a_subject(text: str, quote: str) -> None:
    assert whose(text) in ("own", "open", "others")
    assert holds_text(text) in (True, False)
    assert is_in_text(f"{text}\n{quote}", quote) in (True, False)
