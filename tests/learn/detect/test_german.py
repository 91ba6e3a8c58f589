"""A session in German is judged as the same session in English."""

from pathlib import Path

import pytest
from tests.learn.scenes import session

from reverie.learn.detect.judge import Judge, Judgement
from reverie.settings import Learn

FIXTURE = Path(__file__).parent / "fixtures" / "german.txt"


def told(place: int) -> list[tuple[str, object]]:
    """The session in the language that stands at this place: `who: english | german` per line."""
    lines = (
        line.partition(": ")
        for line in FIXTURE.read_text(encoding="utf-8").splitlines()
        if line and line[0] != "#"
    )
    return [(who, text.split(" | ")[place]) for who, _, text in lines]


def judged(place: int) -> list[Judgement]:
    return Judge.load(Learn()).session(session(*told(place)))


def lasting(one: Judgement) -> bool:
    return one.best is not None


@pytest.mark.proves("E1")
@pytest.mark.parametrize(
    ("english", "german"), list(zip(judged(0), judged(1), strict=True)), ids=lambda one: one.line
)
def test_corrections_and_lasting_statements_are_found_as_in_the_english_translation(
    english: Judgement, german: Judgement
) -> None:
    assert german.correction.label == english.correction.label
    assert lasting(german) == lasting(english)
    assert (german.correction.premise and german.correction.premise.line) == (
        english.correction.premise and english.correction.premise.line
    )


def test_the_translation_holds_corrections_rules_and_neither() -> None:
    labels = {(one.correction.label, lasting(one)) for one in judged(1)}
    assert labels >= {("explicit", True), ("implicit", False), ("none", True), ("none", False)}


def test_a_rule_said_in_german_is_written_unasked() -> None:
    said = "Ab jetzt immer zuerst den Linter laufen lassen, bevor du etwas änderst."
    turns = session(("prompt", "Räum den Zweig auf."), ("text", "Erledigt."), ("prompt", said))
    best = Judge.load(Learn()).session(turns)[-1].best
    assert best is not None and best.standing and best.sure and best.rule == said


def test_a_language_without_a_lexicon_is_judged_by_what_was_done() -> None:
    turns = session(
        ("prompt", "Ryd op på grenen."),
        ("text", "Jeg skubber nu til main."),
        ("reject_feedback", "vi omskriver aldrig fælles historik"),
        ("text", "You're right, sorry, I will open a pull request."),
    )
    assert Judge.load(Learn()).session(turns)[-1].correction.label != "none"
