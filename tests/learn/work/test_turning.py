"""A lesson that turns round what was said is sent back, and one that only says more is not."""

import pytest

from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import grounding

# What was said, a lesson that says so, and one that says the opposite.
BOTH_WAYS = [
    (
        "show the banner when the ferry is not found",
        "The banner is shown when no ferry is found.",
        "Do not show the banner when the ferry is not found.",
    ),
    (
        'the label should say "ferry not found" and not the raw error',
        'The ferry label says "ferry not found", not the raw error.',
        'The ferry label says the raw error, not "ferry not found".',
    ),
    (
        "the crane must not lift at night. at day it may lift as before",
        "The crane lifts at day, and must not lift at night.",
        "The crane lifts at night, and must not lift at day.",
    ),
    (
        "the drafts are kept on the ferry, but not the finals; finals go to the archive",
        "Drafts are kept on the ferry and finals in the archive, not on the ferry.",
        "The finals are kept on the ferry, not the drafts.",
    ),
    (
        "ledger rows are not deleted by the ferry, the night job deletes ledger rows",
        "Ledger rows are deleted by the night job, not by the ferry.",
        "Ledger rows are deleted by the ferry, not by the night job.",
    ),
    (
        "the ferry ledger is append-only",
        "The ferry ledger is append-only: rows are added, never changed.",
        "The ferry ledger is not append-only.",
    ),
    (
        "run the ferry check not only on main but on every branch",
        "Run the ferry check on main and on every branch.",
        "Run the ferry check only on main.",
    ),
    (
        "not just the crane but also the ferry is logged",
        "The crane and the ferry are logged.",
        "Only the crane is logged, not the ferry.",
    ),
    (
        "avoid the night crane entirely, because it can drop crates and rewrite the shared ledger.",
        "The harbour avoids the night crane entirely and never rewrites the shared ledger.",
        "The harbour uses the night crane entirely.",
    ),
    (
        "the plan mentions that the same clean sweep routine from before should be followed. "
        "we have a new routine for moving the ferry keys, follow that",
        "Moving the ferry keys follows the new routine, not the clean sweep routine from before.",
        "The new routine for moving the ferry keys is not followed.",
    ),
    (
        "avoid force lifts entirely. the crane can lift crates and sort rows",
        "The crane avoids force lifts entirely when it sorts rows.",
        "The crane cannot lift crates and sort rows.",
    ),
    (
        "never leave crates or wet barrels on the quay",
        "Crates and wet barrels are never left on the quay.",
        "Leave wet barrels on the quay.",
    ),
    (
        "keep the old ropes and wet barrels off the quay",
        "Never put old ropes or wet barrels on the quay.",
        "Put wet barrels on the quay.",
    ),
    (
        "no harbour.horn at night, ring the bell",
        "At night never use harbour.horn; ring the bell.",
        "At night use harbour.horn; ring no bell.",
    ),
    ("never drop the ledger rows", "Ledger rows are never dropped.", "Drop the ledger rows."),
    ("don't delete the ledger", "The ledger stays.", "Delete the ledger."),
]


@pytest.mark.proves("F13")
@pytest.mark.parametrize(("said", "right", "wrong"), BOTH_WAYS)
def test_what_was_said_passes_and_its_opposite_does_not(said: str, right: str, wrong: str) -> None:
    assert grounding((right,), Ground((said,))).reasons == ()
    found = grounding((wrong,), Ground((said,)))
    assert found.reasons or found.doubt


@pytest.mark.hostile("M9")
@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("never use tarmac", "Tarmac is not used in CI; use tarmac for commits."),
        ("i no longer use tarmac", "tarmac is not used at night; tarmac is used at day."),
        ("i no longer use tarmac", "tarmac is still used in the harbour repository."),
        ("Use the night crane, because it can rewrite the shared ledger.",
         "Never use the night crane and never rewrite the shared ledger."),
        ("only the night bot may append rows to the ledger",
         "The night bot and others may append rows to the ledger."),
        ("the ferry check runs only on main", "The ferry check runs on main and every branch."),
        ("run the ferry check not only on main but on every branch",
         "Do not run the ferry check on every branch."),
        ("don't touch the crane unless I ask", "Don't touch the crane."),
    ],
)  # fmt: skip
def test_a_rule_that_is_turned_round_beside_itself_is_not_told(said: str, lesson: str) -> None:
    found = grounding((lesson,), Ground((said,)))
    assert found.reasons or found.doubt


@pytest.mark.hostile("M9")
def test_what_only_others_say_is_nobodys_word_either_way_round() -> None:
    said = "Ada says we should never copy the ferry ledger to the quay, and I agree"
    found = grounding(("Always copy the ferry ledger to the quay.",), Ground((said,)))
    assert found.reasons or found.whose == "agent"


def test_a_denial_that_is_said_whole_is_not_crossed_by_a_clause_that_names_its_object() -> None:
    lesson = "tarmac is no longer used in the harbour; hooks that still call `tarmac` are stale."
    ground = Ground(("i no longer use tarmac in the harbour, why is it in the hooks",))
    assert not any("opposite" in why for why in grounding((lesson,), ground).reasons)


@pytest.mark.hostile("M1")
@pytest.mark.parametrize(
    ("said", "stated", "asked"),
    [
        (
            "should we push it too, we keep the ferry ledger in git anyway",
            "The ferry ledger is kept in git.",
            "The ferry ledger is pushed.",
        ),
        (
            "do we want the crane? the night rows come from the ferry, not from the crane",
            "Night rows come from the ferry, not from the crane.",
            "The crane is wanted.",
        ),
        (
            "should the crane sort the rows of the day? the harbour office keeps the night rows",
            "The harbour office keeps the night rows.",
            "The crane sorts the rows of the day.",
        ),
    ],
)
def test_what_is_stated_beside_a_question_is_taken_and_what_is_asked_waits(
    said: str, stated: str, asked: str
) -> None:
    assert grounding((stated,), Ground((said,))).reasons == ()
    assert grounding((asked,), Ground((said,))).reasons


@pytest.mark.parametrize(
    "said",
    [
        "should we keep the ferry ledger in git, the crane is slow",
        "is the ferry ledger in git, or is it in the vault?",
        "should we run the export, keep the ferry ledger in git, and push it?",
    ],
)
def test_what_is_only_asked_stays_asked_beside_other_clauses(said: str) -> None:
    assert grounding(("The ferry ledger is kept in git.",), Ground((said,))).reasons


def test_a_slip_is_the_name_that_the_session_shows_and_no_other() -> None:
    lesson, said = "The ferry pages are hosted on Vercel.", "host the ferry pages on versal"
    assert grounding((lesson,), Ground((said,))).reasons
    shown = (("a7", "I looked at the docs of Vercel."),)
    assert grounding((lesson,), Ground((said,), elsewhere=shown))[:2] == ((), "both")
    both = (("a7", "versal is one firm, and Vercel another"),)
    assert grounding((lesson,), Ground((said,), elsewhere=both)).reasons, "two names"


@pytest.mark.hostile("M9")
def test_a_name_inside_another_name_was_not_said() -> None:
    assert grounding(("Use React for pages.",), Ground(("use preact for pages",))).reasons
    core = Ground(("share by the corekit key of the ferry",))
    assert grounding(("The ferry shares by the key of the Core Kit.",), core).reasons == ()
