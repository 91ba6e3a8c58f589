"""What people rule about one word, in other words each time."""

from dataclasses import replace

import pytest
from tests.dream.nights import night, said

from reverie.dream.model import Night, Observation, Pattern
from reverie.dream.steps.anchors import sayings, told_again
from reverie.dream.steps.group import group
from reverie.dream.steps.talk import fills_frame
from reverie.dream.steps.weigh import weigh

TASKS = (
    "Add a sort button to the guest list",
    "Show the arrival hour in the kitchen view",
    "Export last week's bookings as a sheet",
    "The floor plan opens too far to the left",
    "Rename the host field in the seating form",
    "Look at the waiting list and tell me how it grows",
    "Make the allergy icons larger on the order slip",
    "Import the wine prices from the supplier",
)
RULED = (
    "Dates go through dayjs, not through strings",
    "We never format days by hand, dayjs does",
    "You built the dayjs plugin list by hand again",
)


def talk(*remarks: str) -> Night:
    """Remarks of one session each, among the tasks of others."""
    passing = [said(task + ".", number, lasting=0.2) for number, task in enumerate(TASKS * 2)]
    ruled = [said(remark + ".", 20 + number) for number, remark in enumerate(remarks)]
    return weigh(group(night(*passing, *ruled)))


def tied(found: Night) -> list[Pattern]:
    return [one for one in found.patterns if one.group.anchor]


@pytest.mark.proves("A2")
def test_a_word_that_people_rule_about_is_a_pattern() -> None:
    (one,) = tied(talk(*RULED))
    assert (one.status, one.support) == ("pattern", 3)
    assert one.text.rstrip(".") in RULED[:2]
    assert one.chance < 3


def test_a_complaint_alone_says_what_is_wanted_in_no_quote() -> None:
    assert tied(talk(*[RULED[2]] * 3)) == []


def test_a_file_in_which_things_are_done_is_no_anchor() -> None:
    place = "src/seating/plan.ts"
    ruled = (
        f"The guests in {place} should always be sorted by arrival",
        f"Never round the prices in `{place}`",
        f"[plan.ts]({place}) must show the allergy icons",
    )
    assert tied(talk(*ruled)) == []


@pytest.mark.proves("A5")
def test_the_name_of_a_feature_is_no_anchor() -> None:
    worked_on = (
        "Add a dayjs column to the guest list",
        "The dayjs export of the bookings fails",
        "Why is the dayjs view so slow",
        "Move the dayjs card to the left",
    )
    assert tied(talk(*worked_on)) == []
    assert tied(talk(*worked_on, RULED[0])) == []


def test_a_word_said_all_the_time_is_what_the_project_is_about() -> None:
    more = [
        said(f"{task} with dayjs.", 20 + number, lasting=0.2)
        for number, task in enumerate(TASKS[:3])
    ]
    ruled = [said(remark + ".", 20 + number) for number, remark in enumerate(RULED)]
    passing = [said(task + ".", number, lasting=0.2) for number, task in enumerate(TASKS * 2)]
    assert tied(weigh(group(night(*passing, *ruled, *more)))) == []


@pytest.mark.proves("A7")
def test_the_later_word_about_an_anchor_stands_after_two_sessions() -> None:
    before = ("Use dayjs for the arrival hours, not strings", "Dates always go through dayjs")
    after = ("No dayjs any more, the browser formats days", "We no longer want dayjs in the forms")
    (one,) = tied(talk(*before, *after))
    assert one.support == 2
    assert one.group.members[0].text.startswith(("No dayjs", "We no longer"))


def test_a_word_of_two_projects_is_no_anchor() -> None:
    ruled: list[Observation] = [
        said(remark + ".", 20 + number, project=f"shop{number}")
        for number, remark in enumerate(RULED)
    ]
    passing = [said(task + ".", number, lasting=0.2) for number, task in enumerate(TASKS * 2)]
    assert tied(weigh(group(night(*passing, *ruled)))) == []


@pytest.mark.parametrize(
    ("one", "other", "fills"),
    [
        ("The guest list must fit on a page.", "The order slip must fit on a page.", True),
        ("Print the guest list in two columns.", "Print the order slip in two columns.", True),
        ("Reply to each guest by name.", "Answer to each guest by name.", False),
        ("Keep the guest list short.", "Keep the guest lists short.", False),
        ("Dates go through dayjs.", "No dates without dayjs.", False),
    ],
)
def test_a_form_of_words_is_filled_with_other_things(one: str, other: str, fills: bool) -> None:
    assert fills_frame(one, other) is fills


@pytest.mark.proves("A5")
def test_what_is_asked_of_one_thing_after_the_other_is_no_pattern() -> None:
    things = ("guest list", "order slip", "floor plan", "wine card", "host view")
    found = talk(*(f"The {thing} must fit on a page" for thing in things))
    assert [one.text for one in found.patterns if one.status == "pattern"] == []


@pytest.mark.proves("A2")
@pytest.mark.parametrize(
    "remarks",
    [
        # a name, asked for, missed and ordered
        (
            "Every dish gets a line in allergens.csv",
            "allergens.csv is missing the soup again",
            "Put it into allergens.csv, like all the others",
        ),
        # two words of everybody
        (
            "Replies start with the short answer",
            "Where's the short answer? It belongs in front",
            "Give me the short answer first",
        ),
        # what is forbidden, and no more
        (
            "No glitter in anything you draw",
            "There's glitter on the card again",
            "I don't want glitter on the menus",
        ),
    ],
)
def test_rules_complaints_and_orders_that_share_a_name_or_two_words_are_one(
    remarks: tuple[str, ...],
) -> None:
    found = [one for one in talk(*remarks).patterns if one.status == "pattern"]
    assert [one.support for one in found] == [3]


@pytest.mark.proves("A5")
@pytest.mark.parametrize(
    "remarks",
    [
        ("The menu cover is grey", "Grey menu covers again", "Covers of the menu stay grey"),
        (
            "The kettle never stops after a refill",
            "The kettle doesn't stop when I refill it, again",
            "Kettle keeps going after the refill",
        ),
        ("The list has a hole at noon", "There's a hole in the list at noon", "Noon hole again"),
    ],
)
def test_what_is_only_reported_is_never_a_rule(remarks: tuple[str, ...]) -> None:
    assert [one.text for one in talk(*remarks).patterns if one.status == "pattern"] == []


@pytest.mark.proves("A5")
def test_a_rule_is_not_proven_by_questions_about_its_thing() -> None:
    asked = ("Where are the logs of the oven?", "Path of the oven logs again?")
    found = talk("A guest's name must never end up in a log", *asked)
    assert [one.text for one in found.patterns if one.status == "pattern"] == []


def test_an_order_to_do_it_again_is_of_the_moment() -> None:
    orders = [f"Publish again, the {thing} changed" for thing in ("menu", "price list", "plan")]
    assert [one.text for one in talk(*orders).patterns if one.status == "pattern"] == []


def test_few_words_around_a_name_go_along_with_what_rules_about_it() -> None:
    said_of_it = (
        "Ids are snowids here",
        "Snowids for the id column",
        "Not serial, snowids",
        "Why is the id an int again? snowids",
    )
    (one,) = tied(talk(*said_of_it))
    assert one.status == "pattern" and "snowids" in one.text.lower()


def test_what_is_missing_is_wanted_by_those_who_want_it() -> None:
    said_of_it = (
        "No cursor_id in the log line",
        "Log the cursor_id in every handler",
        "Can't trace anything without cursor_id in the log",
    )
    (one,) = tied(talk(*said_of_it))
    assert one.text.startswith("Log the cursor_id")


def test_a_clause_that_no_other_remark_knows_is_cut_from_a_text() -> None:
    one, *others = (
        said("Sort the guests by table, dates only through dayjs.", 1),
        said("Dates through dayjs please.", 2),
        said("You printed a bare date again, use dayjs.", 3),
    )
    assert told_again(one, others) == "Dates only through dayjs."
    assert told_again(said("Sort the guests by their table.", 1), others) == ""


@pytest.mark.proves("A5")
def test_tasks_that_end_alike_are_no_wish() -> None:
    tasks = ("Split the bookings", "Merge the tables", "Round the totals", "Export the menus")
    assert tied(talk(*(f"{task} before invoicing" for task in tasks))) == []


def test_a_ban_on_no_deed_is_no_text() -> None:
    not_there = [said("Do not behind the blue curtain.", number) for number in range(3)]
    assert not [one for one in weigh(group(night(*not_there))).patterns if one.status == "pattern"]


def test_a_name_that_stands_alone_says_what_the_remark_before_it_means() -> None:
    first, alone = (said(text, 20) for text in ("You sorted them by hand again.", "Dayjs."))
    heard = sayings([first, replace(alone, evidence=first.evidence)])
    assert [each.about & {"dayj"} for each in heard] == [{"dayj"}] * 2


def test_a_word_that_everybody_uses_ties_remarks_that_say_little_else() -> None:
    ruled = (
        "Each seating request gets a timeout",
        "You forgot the timeout again",
        "Never call the printer without a timeout",
    )
    assert [one.support for one in tied(talk(*ruled))] == [3]
