"""Statements: what a sentence does, and whether it is written, waits, or is only kept."""

from pathlib import Path

import pytest
from tests.learn.scenes import session

from reverie.config import Learn
from reverie.learn.detect.judge import Judge, Judgement

CASES = [
    line.split(" | ")
    for line in (Path(__file__).parent / "fixtures/statements.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def judged(said: str, write: str = "rules") -> Judgement:
    turns = session(
        ("prompt", "Please look at the harbour service."),
        ("text", "I changed the code as you asked and ran the tests."),
        ("prompt", said),
        ("text", "Done."),
    )
    return Judge.load(Learn(write=write)).session(turns)[-1]


@pytest.mark.parametrize(("said", "type_", "rule", "why"), CASES, ids=[c[0][:40] for c in CASES])
def test_what_becomes_of_a_sentence(said: str, type_: str, rule: str, why: str) -> None:
    best = judged(said).best
    if type_ == "-":
        assert best is None or not best.sure
        return
    assert best is not None
    assert (best.type, best.rule, best.why or "-") == (type_, rule, why)


def test_several_rules_of_one_turn_are_each_written() -> None:
    turn = judged("Never use page numbers here. From now on always paginate with cursors.")
    assert [one.rule for one in turn.statements if one.sure] == [
        "Never use page numbers here.",
        "Always paginate with cursors.",
    ]


def test_nothing_is_written_unasked_where_the_person_wants_to_be_asked() -> None:
    said = "Never use page numbers in the harbour service."
    assert [one.sure for one in judged(said, "never").statements] == [False]
    asked = "Please remember that page numbers are never used in the harbour service."
    assert [one.sure for one in judged(asked, "never").statements] == [True]


def test_a_rule_said_inside_a_correction_keeps_what_it_answers() -> None:
    turn = judged("no, that is wrong. Never run the tests against the harbour database.")
    assert turn.correction.label != "none" and turn.correction.premise is not None
    assert turn.best is not None and turn.best.type == "feedback"
