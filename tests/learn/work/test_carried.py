"""Whether a lesson is a sentence of the person, and not what somebody made of it."""

import pytest

from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import grounding


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
    ("Merge without a review.", "I never want anybody to\nmerge without a review."),
    ("Skip the notes.", "what we no longer do here\n- paint the hall\n- skip the notes"),
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
# A lesson, and the words that have another sign, mark or capital.
CHANGED = [
    ("We need ferry <= 20 for the pier.", "we need ferry >= 20 for the pier"),
    ("The pier is 2 hours off.", "the pier is -2 hours off"),
    ("Write the crane in C.", "write the crane in C++"),
    ("The gate lets auth routes pass.", "the gate lets !auth routes pass"),
    ("Keep .bak files in the dock.", "keep *.bak files in the dock"),
    ("The crane reads /etc/crane.toml at start.", "the crane reads ~/etc/crane.toml at start"),
    ("Keep the load above 80 in the hold.", "keep the load above 80% in the hold"),
    ("Fees over 50 need a second look.", "fees over $50 need a second look"),
    ("Run the crane with v in the harbour.", "run the crane with -v in the harbour"),
    ("~~Never~~ ship from the harbour branch.", "never ship from the harbour branch"),
    ("<!-- never --> ship from the harbour branch", "never ship from the harbour branch"),
    ("[Never] ship from the harbour branch.", "never ship from the harbour branch"),
    ("'Never' ship from the harbour branch.", "never ship from the harbour branch"),
    ("Never ship from the harbour branch?", "never ship from the harbour branch"),
    ("Never: ship from the harbour branch.", "never ship from the harbour branch"),
    ("Don't, wait: ship from the harbour.", "don't wait, ship from the harbour"),
    ("No, ships on Sundays.", "no ships on Sundays"),
    ("Ships on Sundays.", "no ships on Sundays"),
    ("Send the bill to the US first.", "send the bill to the us first"),
    ("Never ship from the har\u200bbour branch.", "never ship from the harbour branch"),
    (".bak files stay in the dock.", "*.bak files stay in the dock"),
]
SAID = [
    ("Squash commits unless others have them.", "squash commits unless others have them"),
    ("In tests, use the fake clock please.", "In tests,  use the fake clock\tplease"),
    ("Always run make lint first.", "From now on always run make lint first!"),
    ("We use pnpm, not npm.", "No, we use pnpm, not npm."),
    ("Name branches after tickets.", "ok, please name branches after tickets."),
    ("Don't sort the rows by day.", "looks good. don’t sort the rows by day. next one please"),
    ("Never push to main. Name branches after tickets.",
     "- never push to main. name branches after tickets"),
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


@pytest.mark.proves("F13")
@pytest.mark.hostile("M9")
@pytest.mark.parametrize("case", CHANGED)
def test_a_lesson_with_another_sign_mark_or_capital_is_not_the_persons_word(
    case: tuple[str, str],
) -> None:
    assert whose(*case) != "person"
