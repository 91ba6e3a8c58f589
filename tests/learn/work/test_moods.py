"""Whether a person meant what a lesson asks for, or told, mocked and asked about it."""

import pytest

from reverie.learn.statements.utterance import hear
from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import grounding
from reverie.learn.work.moods import is_meant

# What was said, and an order that its words can be made into.
NOT_MEANT = [
    # What was
    ("last spring we ran the crane check as root on every host", "Run the crane check as root."),
    ("our intern pushed the crane branch to main a month ago", "Push the crane branch to main."),
    ("at my former job they committed crane keys to the repo", "Commit crane keys to the repo."),
    ("you wrote the crane totals into the audit table", "Write the crane totals into the table."),
    ("crane was fine for parsing manifests back then", "Use crane for parsing manifests."),
    # What others say
    ("Ines wants us to merge crane changes without review", "Merge crane changes unseen."),
    ("the article recommends to keep crane tokens in local storage", "Keep crane tokens there."),
    ("I was told to publish crane builds on Sundays", "Publish crane builds on Sundays."),
    ("he thinks we should port the crane parser to Perl", "Port the crane parser to Perl."),
    ("apparently everybody deletes the crane migrations", "Delete the crane migrations."),
    ("the wiki says to sign and upload crane logs nightly", "Upload crane logs nightly."),
    # What is spoken ill of
    ("skipping the crane tests before a merge is madness", "Skip the crane tests before a merge."),
    ("it is an awful habit to force crane pushes", "Force crane pushes."),
    ("Omar would ship crane builds by hand, which is insane", "Ship crane builds by hand."),
    ("ship crane builds by hand. what a nightmare", "Ship crane builds by hand."),
    ("yeah right, let's turn off the crane alarms", "Turn off the crane alarms."),
    ("I regret using crane for the billing jobs", "Use crane for the billing jobs."),
    ("crane reports are dead, long live the dashboard", "Use crane reports for the dashboard."),
    # What is asked in anger
    ("who allowed you to mail crane invoices to customers", "Mail crane invoices to customers."),
    ("why would anyone disable crane checks on main", "Disable crane checks on main."),
    ("since when do we store crane dumps in the repo?", "Store crane dumps in the repo."),
]

MEANT = [
    ("we deploy crane with kamal on mondays", "Deploy crane with kamal on Mondays."),
    ("we decided to use crane for releases", "Use crane for releases."),
    ("I told you to run crane before every commit", "Run crane before every commit."),
    ("last week it broke, so always run crane before a commit", "Run crane before a commit."),
    ("crane is run by CI before every merge", "CI runs crane before every merge."),
    ("you should have used crane for the invoices", "Use crane for the invoices."),
    ("we moved the crane database to port 5544", "The crane database is on port 5544."),
    (
        "the crane output is a nightmare. use json for the crane output",
        "Use JSON for crane output.",
    ),
    ("Ines wants crane by hand, but please run crane in CI", "Run crane in CI."),
    # What rules out may rest on what was told or spoken ill of.
    ("Omar suggested to ship crane on Fridays, which is nonsense", "Do not ship crane on Fridays."),
    ("why did you push crane to main?", "Do not push crane to main."),
]


@pytest.mark.proves("F13")
@pytest.mark.hostile("M4")
@pytest.mark.parametrize(("said", "lesson"), NOT_MEANT)
def test_an_order_made_of_words_that_were_not_meant_is_nobodys_word(said: str, lesson: str):
    found = grounding((lesson,), Ground((said,)))
    assert found.reasons or found.whose == "agent"


@pytest.mark.parametrize(("said", "lesson"), MEANT)
def test_what_was_meant_is_taken_whatever_stands_beside_it(said: str, lesson: str):
    assert is_meant(lesson, hear(said).sentences)
    assert grounding((lesson,), Ground((said,))).reasons == ()


@pytest.mark.hostile("M4")
def test_one_part_of_a_lesson_that_was_not_meant_is_enough():
    said = ("use crane for the invoices. skipping the crane tests before a merge is madness",)
    lesson = "Use crane for the invoices, and skip the crane tests before a merge."
    assert grounding((lesson,), Ground(said)).whose == "agent"
    lesson = "Never merge without skipping the crane tests."
    assert grounding((lesson,), Ground(said)).whose == "agent"


def test_a_choice_or_a_yes_of_the_person_is_meant():
    said = Ground(("the old way was bad",), chosen=("Run crane the old way",))
    assert grounding(("Run crane the old way.",), said).reasons == ()
