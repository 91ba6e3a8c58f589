"""Statements: what is asked, and what reads as if it will hold tomorrow."""

import pytest

from reverie.language.cues import human_cues
from reverie.language.words import words
from reverie.learn.statements.lasting import marked
from reverie.learn.statements.utterance import is_question, sentences


@pytest.mark.parametrize(
    "text",
    [
        "do we keep the old flag",
        "when is the release",
        "so which is the default port",
        "have you run the migration",
        "should we pin the compiler",
    ],
)
def test_a_question_needs_no_mark(text: str) -> None:
    assert is_question(words(text))


@pytest.mark.parametrize(
    "text",
    [
        "do not touch the lock file",
        "have a look at the queue",
        "when merging two branches, keep the older entry",
        "where possible, use the standard library",
    ],
)
def test_an_order_or_a_condition_is_no_question(text: str) -> None:
    assert not is_question(words(text))


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("we use the shared cache in every job", "move the button in every dialog"),
        (
            "can we pin the compiler, since the mirror drops old versions?",
            "can we pin the compiler, and the mirror and the old versions?",
        ),
        ("can we pin the compiler of the mirror?", "what pins the compiler of the mirror?"),
        ("the parser drops comments on purpose", "the parse_line() drops comments on purpose"),
    ],
)
def test_one_sentence_is_more_lasting_than_another(more: str, less: str) -> None:
    cues = human_cues()
    assert marked(sentences(more)[0], cues).weight > marked(sentences(less)[0], cues).weight
