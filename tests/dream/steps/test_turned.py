"""What holds from now on, in the place of what had been said before."""

import pytest
from tests.dream.nights import night, said
from tests.dream.steps.test_anchors import TASKS

from reverie.dream.model import Night, Observation
from reverie.dream.steps.group import group
from reverie.dream.steps.settle import settle
from reverie.dream.steps.turned import turns_of
from reverie.dream.steps.weigh import weigh

OLD = ("Wine cards are set in troff", "Set the wine card in troff, so that it diffs")
NEW = ("Wine cards are set in typst from now on, not in troff", "That wine card should be typst")


def spoken(*remarks: str) -> list[Observation]:
    return [said(remark + ".", number) for number, remark in enumerate(remarks)]


def asleep(*remarks: str) -> Night:
    passing = [said(task + ".", 12 + number, lasting=0.2) for number, task in enumerate(TASKS)]
    return settle(weigh(group(night(*spoken(*remarks), *passing))))


@pytest.mark.proves("A7")
def test_two_sessions_that_name_what_is_new_turn_what_two_had_said() -> None:
    found = asleep(*OLD, *NEW)
    texts = {one.text for one in found.patterns if one.status == "pattern"}
    assert texts == {f"{NEW[0]}."}
    assert not any("diff" in one.text for one in found.patterns)


def test_a_choice_against_what_was_asked_for_turns_it() -> None:
    old = ("Use troff for cards", "The cards are in troff", "Cards in troff please")
    (found,) = turns_of(spoken(*old, "Cards in typst, not troff", "We're off troff. Typst only"))
    assert "typst" in found.text.lower()
    assert list(turns_of(spoken(*old, "Cards in troff, not typst", "Troff for the menus"))) == []


def test_what_nobody_asks_for_again_turns_nothing() -> None:
    assert list(turns_of(spoken(*OLD, NEW[0], "Print the guest list"))) == []


def test_what_nobody_had_asked_for_is_not_turned() -> None:
    assert list(turns_of(spoken(OLD[0], *NEW))) == []


def test_what_is_asked_for_as_before_is_no_new_thing() -> None:
    assert list(turns_of(spoken(*OLD, NEW[0], "Set the wine card in troff please"))) == []


def test_a_ban_is_turned_by_those_who_rule_it_out_as_well() -> None:
    old = ("Fold the napkins before dinner", "Napkins are folded before dinner, please")
    new = ("Don't fold napkins any more, roll them", "No folded napkins please")
    (found,) = turns_of(spoken(*old, *new))
    assert found.text == f"{new[0]}."
    assert len(found.over) == 2


def test_the_task_that_is_given_with_a_ban_is_not_what_is_new() -> None:
    bans = (
        "Stop editing wine.gen.rs, it comes from menu.csv",
        "You edited wine.gen.rs by hand",
    )
    turn = [
        said("New printer for garden tables.", 2, lasting=0.2),
        said("Change menu.csv, not wine.gen.rs.", 2),
    ]
    tasks = [said("Small printer for garden tables.", 3), said("Garden tables are in oak.", 4)]
    assert list(turns_of([*spoken(*bans), *turn, *tasks])) == []
