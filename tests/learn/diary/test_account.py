"""The mistakes of a diary: what was said against the agent for sure, refused, undone, repeated."""

import pytest
from tests.learn.scenes import session

from reverie.config import Learn
from reverie.learn.detect.judge import (
    CorrectionLabel,
    CorrectionVerdict,
    Judge,
    Judgement,
)
from reverie.learn.detect.premise import Premise
from reverie.learn.diary.account import mistakes

SAID = "hm, is the cache needed?"


def judged(place: int, label: CorrectionLabel, *, sure: bool) -> dict[int, Judgement]:
    verdict = CorrectionVerdict(0.4, label, Premise("We need a cache.", 1), SAID, sure)
    return {place: Judgement(place, place, verdict, confirms=False)}


@pytest.mark.parametrize("label", ["explicit", "implicit"])
def test_a_doubtful_correction_is_not_told_as_a_mistake(label: CorrectionLabel) -> None:
    turns = session(("prompt", "Plan it."), ("text", "We need a cache."), ("prompt", SAID))
    assert mistakes(turns, [0, 2], [], judged(2, label, sure=False), []) == []
    (told,) = mistakes(turns, [0, 2], [], judged(2, label, sure=True), [])
    assert told.text == f"held “We need a cache.”; corrected: “{SAID}”"
    assert told.lines == (1, 2)


def test_words_of_a_refusal_are_told_as_such_when_it_is_doubtful_what_they_correct() -> None:
    turns = session(("prompt", "Plan it."), ("text", "We need a cache."), ("reject_feedback", SAID))
    (told,) = mistakes(turns, [0, 2], [], judged(2, "implicit", sure=False), [])
    assert told.text == f"refused a call: “{SAID}”"


def test_what_is_said_outright_is_sure() -> None:
    turns = session(
        ("prompt", "Start the server."),
        ("text", "I started the server on port 8080."),
        ("prompt", "No, that is wrong: the port is 8443, not 8080. Please use 8443."),
    )
    first, last = Judge.load(Learn()).session(turns)
    assert (last.correction.label, last.correction.sure) == ("explicit", True)
    assert not first.correction.sure
