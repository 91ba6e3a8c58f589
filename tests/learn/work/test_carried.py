"""Whether one sentence of a person says what a lesson says, and bounds it no further."""

import pytest

from reverie.learn.work.grounding import Ground, grounding


def whose(lesson: str, *said: str, **beside: str) -> str:
    texts = (lesson, beside.get("title", ""), beside.get("why", ""), beside.get("when", ""))
    found = grounding(texts, Ground(said))
    return "sent back" if found.reasons else found.whose


# A lesson, and the sentence whose limit, case, place or time it leaves out.
WIDENED = [
    ("Ship from the harbour branch.", "Only ship from the harbour branch once Ines agreed."),
    ("Squash commits.", "Squash commits unless somebody else has them."),
    ("Wipe the old exports.", "Wipe the old exports except those of this year."),
    ("Turn off the certificate check.", "In the lab, turn off the certificate check."),
    ("Turn off the certificate check.", "Turn off the certificate check in the lab."),
    ("Merge without a review.", "Until Monday, merge without a review."),
    ("Merge without a review.", "Today we merge without a review because Ines is ill."),
    ("Ship right away.", "If I say so, ship right away."),
    ("Close the tickets.", "Close the tickets that nobody reads."),
    ("Merge your requests.", "Merge your requests as long as two people agreed."),
    ("Visitors see the editor.", "Trusted visitors see the editor."),
    ("The schema can be changed freely.", "Everything but the schema can be changed freely."),
    ("Verwende npm.", "Verwende npm nur für die Website."),
]
# A lesson, and the sentences of which it is put together.
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
    ("Photos go to texts/.", "Texts go to texts/, photos to photos/."),
]
SAID = [
    ("Squash commits unless others have them.", "squash commits unless others have them"),
    ("Use the fake clock in tests.", "In tests, use the fake clock please."),
    ("Run the long suite before a release.", "Before a release run the long suite, it is slow."),
    ("Use pnpm, not npm.", "No, we use pnpm here, not npm. It keeps the lockfile small."),
    ("Use tabs in Makefiles and spaces in Python.", "Use tabs in Makefiles and spaces in Python."),
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
def test_a_lesson_that_is_put_together_of_several_things_is_not_the_persons_word(
    case: tuple[str, ...],
) -> None:
    assert whose(*case) != "person"


@pytest.mark.parametrize("case", SAID)
def test_what_one_sentence_says_whole_is_the_persons_word(case: tuple[str, str]) -> None:
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
