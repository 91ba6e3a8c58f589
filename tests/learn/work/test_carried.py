"""Whether a lesson is a sentence of the person, and not what somebody made of it."""

import pytest

from reverie.learn.work.grounding import Ground, grounding


def whose(lesson: str, *said: str, **beside: str) -> str:
    texts = (lesson, beside.get("title", ""), beside.get("why", ""), beside.get("when", ""))
    found = grounding(texts, Ground(said))
    return "sent back" if found.reasons else found.whose


# A lesson, and the words whose limit, case, place, time or share it leaves out.
WIDENED = [
    ("Ship from the harbour branch.", "Only ship from the harbour branch once Ines agreed."),
    ("Squash commits.", "Squash commits unless somebody else has them."),
    ("Wipe the old exports.", "Wipe the old exports except those of this year."),
    ("Turn off the certificate check.", "In the lab, turn off the certificate check."),
    ("Turn off the certificate check.", "Turn off the certificate check in the lab."),
    ("Turn off the certificate check.", "Turn off the certificate check. Only in the lab though."),
    ("Turn off the certificate check.", "For the lab:\nTurn off the certificate check."),
    ("Merge without a review.", "Until Monday, merge without a review."),
    ("Merge without a review.", "Today we merge without a review because Ines is ill."),
    ("Merge without a review.", "Merge without a review, so long as two people agreed."),
    ("Merge without a review.", "You could merge without a review."),
    ("Ship right away.", "If I say so, ship right away."),
    ("Close the tickets.", "Close the tickets that nobody reads."),
    ("Visitors see the editor.", "Trusted visitors see the editor."),
    ("Visitors see the editor.", "Half of the visitors see the editor."),
    ("Start ten workers.", "Start fewer than ten workers."),
    ("The schema can be changed freely.", "Everything but the schema can be changed freely."),
    ("Verwende npm.", "Verwende npm nur für die Website."),
]
# A lesson, and the sentences of which it is put together or turned round.
RECOMBINED = [
    (
        "Wipe the ledger after each run.",
        "Wipe the cache after each run.",
        "The ledger is on atlas.",
    ),
    ("Use npm for the api.", "Use npm for the website.", "Use pnpm for the api."),
    ("Keep keys in the wiki.", "Keep keys in the vault.", "Keep notes in the wiki."),
    ("Use tabs in Python.", "Use tabs in Makefiles and spaces in Python."),
    ("Ask Ana about bills.", "Ask Tom about bills, ask Ana about search."),
    ("Exports go to the blue bucket; buckets are public.", "Exports go to the blue bucket."),
    ("Copy rows from the ledger to the draft.", "Copy rows from the draft to the ledger."),
    ("Merge before you run the tests.", "Run the tests before you merge."),
    ("Tom reviews what Ana writes.", "Ana reviews what Tom writes."),
    ("Photos go to texts/.", "Texts go to texts/, photos to photos/."),
]
SAID = [
    ("Squash commits unless others have them.", "squash commits unless others have them"),
    ("Use the fake clock in tests.", "In tests, use the fake clock please."),
    ("Run make lint before you commit.", "From now on always run make lint before you commit."),
    ("Use pnpm, not npm.", "No, we use pnpm, not npm."),
    ("Name branches after tickets.", "You should name branches after tickets."),
    ("Sort the rows by day.", "Sort the rows by day because the page needs it."),
    ("Never push to main. Name branches after tickets.", "Name branches after tickets.",
     "Never push to main."),
]  # fmt: skip


@pytest.mark.proves("F13")
@pytest.mark.hostile("M9")
@pytest.mark.parametrize("case", WIDENED)
def test_a_lesson_that_leaves_out_what_bounds_it_is_not_the_persons_word(
    case: tuple[str, str],
) -> None:
    assert whose(*case) != "person"


@pytest.mark.proves("F13")
@pytest.mark.hostile("M9")
@pytest.mark.parametrize("case", RECOMBINED)
def test_a_lesson_that_is_put_together_or_turned_round_is_not_the_persons_word(
    case: tuple[str, ...],
) -> None:
    assert whose(*case) != "person"


@pytest.mark.parametrize("case", SAID)
def test_a_sentence_of_the_person_is_the_persons_word(case: tuple[str, ...]) -> None:
    assert whose(*case) == "person"


def test_a_case_may_stand_in_what_is_said_of_when_it_holds() -> None:
    said = "In the lab, close idle sessions."
    assert whose("Close idle sessions.", said, when="in the lab") == "person"
    assert whose("Close idle sessions.", said, when="at night") != "person"


@pytest.mark.hostile("M9")
@pytest.mark.parametrize("field", ["title", "why", "when"])
def test_nothing_beside_a_lesson_permits_what_nobody_did(field: str) -> None:
    said = "Keep functions under forty lines."
    assert whose(said, said, **{field: "longer ones"}) == "person"
    assert whose(said, said, **{field: "delete longer ones without asking"}) != "person"
