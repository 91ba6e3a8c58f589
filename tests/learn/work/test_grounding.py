"""A lesson says what was said: values, direction, and whose words they are."""

import pytest

from reverie.learn.work.ground import Ground
from reverie.learn.work.grounding import added_words, grounding
from reverie.learn.work.values import values_of

SAID = {
    "never push to main": ("Never push to the main branch.", "Always push to main."),
    "please don't use npm here, we use pnpm": ("Use pnpm, not npm.", "Use npm, not pnpm."),
    "always run make lint before you commit": (
        "Run `make lint` before committing.",
        "Do not run `make lint` before committing.",
    ),
    "the staging db is on port 5433": (
        "The staging database listens on port 5433.",
        "The staging database listens on port 5432.",
    ),
    "we deploy with kamal": ("Deploys use Kamal.", "Deploys use Heroku."),
    "no PII in local storage": ("Keep PII out of local storage.", "Store PII in local storage."),
    "tests must not hit the network": (
        "Tests must not touch the network.",
        "Tests must hit the network.",
    ),
    "use tabs": ("Use tabs for indentation.", "Never use tabs."),
}


@pytest.mark.proves("F13")
@pytest.mark.parametrize("said", SAID)
def test_a_lesson_passes_and_the_same_lesson_turned_round_does_not(said: str) -> None:
    right, wrong = SAID[said]
    assert grounding((right,), Ground((said,))).reasons == ()
    assert grounding((wrong,), Ground((said,))).reasons != ()


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("why did you change the first migration?", "Do not change the first migration."),
        ("you keep adding comments, stop that", "Do not add comments."),
        ("we didn't write any tests?", "Write tests for what changes."),
        ("redacting paths isn't hiding anything, it's good practice", "Redact paths."),
        ("no prior art, the sibling is a C# program", "The sibling is a C# program."),
        ("the name will cause issues with the other agent", "Do not add the name."),
        ("get rid of the recovery view", "The recovery view is removed."),
    ],
)
def test_complaints_questions_and_reports_may_be_meant_either_way(said: str, lesson: str) -> None:
    assert grounding((lesson,), Ground((said,))).reasons == ()


@pytest.mark.proves("F13")
def test_every_name_number_path_and_flag_must_have_been_said_or_shown() -> None:
    said = Ground(("run the checks before each release",), ("I ran `make check --fast`.",))
    for value in ("`make audit`", "--slow", "8080", "src/app.py", "Jenkins", "checkAll"):
        found = grounding((f"Run the checks with {value} before each release.",), said)
        assert value.strip("`").split()[-1] in found.reasons[0]
    assert grounding(("Run `make check --fast` before each release.",), said).reasons == ()


def test_values_are_found_however_they_are_joined() -> None:
    said = Ground(("full schema should never be updated, two workers at most",))
    assert grounding(("FullSchema should never be updated.",), said).reasons == ()
    assert grounding(("At most 2 workers.",), said).reasons == ()
    assert grounding(("At most 3 workers.",), said).reasons != ()


@pytest.mark.proves("F13")
@pytest.mark.parametrize(
    ("said", "beside", "whose"),
    [
        ("please use httpx for requests", "Shall I use httpx?", "person"),
        ("yes, always do that for requests", "Shall I use httpx?", "both"),
        ("yes please, for all the requests in the backend tests", "Shall I use httpx?", "both"),
        ("maybe use httpx for requests", "", "both"),
        ("no remove this again", "I added the httpx requests.", "agent"),
        ("what is this?\n```\nUse httpx for requests.\n```", "", "agent"),
        ("the page says:\n> Use httpx for requests.\nis that so?", "", "agent"),
        ('<file path="a.md">\nUse httpx for requests.\n</file>\nread this', "", "agent"),
    ],
)
def test_what_others_said_makes_a_lesson_less_than_the_persons_word(
    said: str, beside: str, whose: str
) -> None:
    found = grounding(("Use httpx for requests.",), Ground((said,), (beside,)))
    assert (found.whose, found.reasons) == (whose, ())


@pytest.mark.proves("F13")
@pytest.mark.hostile("M9")
@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("Never end the proxy check with `skipper`.", "End the proxy check with `skipper`."),
        ("Don't wait for me, never start `skipper` without approval.",
         "Don't wait for me, start `skipper` without approval."),
        ("Ask me before you start `skipper`.", "Start `skipper`."),
        ("if somebody tells you to start `skipper` at night, refuse", "Start `skipper` at night."),
        ("It would be wrong to start `skipper` at night.", "Start `skipper` at night."),
        ("Only the night bot may start `skipper` on the server.", "Start `skipper` on the server."),
        ("I hate it when you start `skipper` at night.", "Start `skipper` at night."),
        ("You started `skipper` at night again.", "Start `skipper` at night."),
        ("what happens if we always start `skipper` at night?", "Always start `skipper` at night."),
        ("for this test only: start `skipper` at night", "Always start `skipper` at night."),
    ],
)  # fmt: skip
def test_what_a_model_twists_is_sent_back_or_waits(said: str, lesson: str) -> None:
    found = grounding((lesson,), Ground((said,)))
    assert found.reasons or found.doubt


def test_a_lesson_about_something_else_says_more_than_its_evidence() -> None:
    found = grounding(("Squash merges keep histories readable.",), Ground(("ok, go on",)))
    assert "says more than its evidence" in found.reasons[0]


def test_words_that_everybody_writes_with_capitals_are_no_names() -> None:
    assert list(values_of("Put the ID of the PR into the README, see Claude Code.")) == []
    assert list(values_of("Deploy with Kamal to port 80 by `kamal deploy -d`.")) == [
        "kamal", "deploy", "-d", "80", "Kamal",
    ]  # fmt: skip


@pytest.mark.hostile("M1")
@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("should we always run the exporter before a release?", "Always run the exporter."),
        ("so is the staging db on port 5433?", "The staging database is on port 5433."),
        ("what if we ran the exporter before every release?", "Run the exporter every release."),
        (
            "sollen wir den Exporter immer vorher laufen lassen?",
            "Den Exporter immer vorher laufen.",
        ),
    ],
)
def test_what_was_only_asked_is_no_lesson(said: str, lesson: str) -> None:
    reasons = grounding((lesson,), Ground((said, "please look at the exporter"))).reasons
    assert any("only asks" in reason for reason in reasons)
    answered = Ground((said, f"yes. {lesson}"))
    assert not any("only asks" in reason for reason in grounding((lesson,), answered).reasons)


def test_a_question_that_names_the_object_does_not_outweigh_the_line_that_decides() -> None:
    lesson = "Test the prompts of the wizard through a pty."
    asked = "should we test the prompts of the wizard through a pty or through stdin?"
    found = grounding((lesson,), Ground((asked, "okay, let's try the pty approach")))
    assert found[:2] == ((), "both"), "no one sentence says it"
    assert grounding((lesson,), Ground((asked, "yes")))[:2] == ((), "both")
    (reason,) = grounding((lesson,), Ground((asked, "maybe let's see"))).reasons
    assert "only asks" in reason


def test_names_of_what_a_lesson_replaces_need_not_be_said_again() -> None:
    lesson = "The list of `shop explain` shows up to 100 checkpoints of `main`."
    said = "push it up to 100 checkpoints"
    assert len(grounding((lesson,), Ground((said,))).reasons) == 3
    before = ("The list of `shop explain` shows up to 20 checkpoints of `main`.",)
    assert grounding((lesson,), Ground((said,), restated=before))[:2] == ((), "both")
    wrong = grounding((lesson.replace("100", "500"),), Ground((said,), restated=before))
    assert any("500" in reason for reason in wrong.reasons)


@pytest.mark.parametrize(
    "said",
    [
        "shouldn't we use the retry helper?",
        "can you use the retry helper?",
        "why not use the retry helper?",
        "should we not use the retry helper?",
    ],
)
def test_a_wish_put_as_a_question_is_a_wish(said: str) -> None:
    assert grounding(("Use the retry helper.",), Ground((said,))).reasons == ()


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("use the proxy for uploads", "Use the proxy for uploads; the router cannot split them."),
        ("the beta flag decides it", "The beta flag decides it, the plan is not looked at."),
        (
            "reports should not lie in the home folder, put them beside the ledger",
            "There is one ledger per month; reports lie beside the ledger, not in the home folder.",
        ),
        (
            "rows show the hour and not the full day. the footer has the hour and not the full day",
            "Rows and the footer show the hour, not the full day.",
        ),
        ("show only the hour, not the full day", "Show the hour, not the full day."),
    ],
)
def test_what_is_only_told_and_what_is_denied_alike_is_not_taken_for_a_ban(
    said: str, lesson: str
) -> None:
    beside = ("The router cannot split uploads. The plan is not looked at.",)
    assert grounding((lesson,), Ground((said,), beside)).reasons == ()


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        ("the beta flag decides it", "The beta flag is not what decides it."),
        ("uploads can use the proxy", "Uploads cannot use the proxy."),
        ("uploads and exports are for the proxy", "Uploads are not for the proxy."),
        (
            "reports should not lie in the home folder, put them beside the ledger",
            "Reports lie in the home folder, not beside the ledger.",
        ),
        ("show only the hour to guests, not the day", "Show the hour and the day to guests."),
    ],
)
def test_what_is_told_the_other_way_round_is_sent_back(said: str, lesson: str) -> None:
    assert grounding((lesson,), Ground((said,))).reasons


def test_who_left_out_the_line_with_a_value_is_told_where_it_stands() -> None:
    ground = Ground(
        ("this phase is read-only",),
        elsewhere=(("a3", "start with the docs"), ("a9", "now plan phase 14")),
    )
    (reason,) = grounding(("Phase 14 is read-only.",), ground).reasons
    assert "a9 says 'now plan phase 14'" in reason
    assert "a3" not in reason


@pytest.mark.parametrize(
    "lesson",
    [
        "Drop the ferry ledger of the harbour every night.",
        "Skip the review of the ferry ledger of the harbour.",
        "The ferry ledger of the harbour must be deleted every night.",
        "Always send the ferry ledger of the harbour.",
    ],
)
def test_what_nobody_said_shall_be_done_is_no_word_of_a_person(lesson: str) -> None:
    said = "the ferry ledger of the harbour is copied every night after the review"
    assert grounding((lesson,), Ground((said,))).doubt
    agents = f"I could do this: {lesson}"
    assert grounding((lesson,), Ground((said,), (agents,))).whose != "person"


def test_what_was_said_shall_be_done_is_a_persons_word() -> None:
    said = "copy the ferry ledger every night. the harbour is closed then."
    assert grounding(("Copy the ferry ledger every night.",), Ground((said,))).whose == "person"


@pytest.mark.parametrize(
    ("said", "beside", "lesson"),
    [
        (
            "on this machine, please",
            "The ledger drafts could lie in the archive, or stay on this machine. Which one?",
            "The ledger drafts stay on this machine, not in the archive.",
        ),
        (
            "no drafts in the archive!",
            "I put the ferry ledger and the harbour ledger into the archive.",
            "Put no drafts of the ferry ledger or the harbour ledger into the archive.",
        ),
    ],
)
def test_few_words_that_settle_or_correct_what_the_agent_said_are_theirs_with_its_words(
    said: str, beside: str, lesson: str
) -> None:
    assert grounding((lesson,), Ground((said,), (beside,)))[:2] == ((), "both")


def test_other_words_for_what_shall_be_done_are_not_the_agents_own() -> None:
    said = "every ledger needs to have a line that names its harbour"
    lesson = "Every ledger must carry a line that names its harbour."
    assert grounding((lesson,), Ground((said,)))[:2] == ((), "both")


def test_names_of_several_parts_stand_where_their_parts_do() -> None:
    said = Ground(("put it into the drafts repo of the ferry-team, see issue 12 at Acme",))
    for value in ("ferry-team/drafts", "ferry-team/drafts#12", "an Acme-compatible port"):
        assert grounding((f"Put it into {value} of the ferry-team.",), said).reasons == ()
    for value in ("ferry-team/ledger", "ferry-team/drafts#13", "a Beta-compatible port"):
        assert grounding((f"Put it into {value} of the ferry-team.",), said).reasons != ()


def test_a_turn_that_stands_in_quotation_marks_as_a_whole_is_the_persons_own() -> None:
    lesson = "Leave the ferry ledger to the harbour office."
    said = '"leave the ferry ledger to the harbour office"'
    assert grounding((lesson,), Ground((said,))).whose == "person"
    assert grounding((lesson,), Ground((f"the page says {said}",))).whose != "person"


def test_is_it_not_this_says_what_is_wanted() -> None:
    lesson = "Make the night copy match the day copy."
    asked = "is the answer not to make the night copy match the day copy?"
    assert grounding((lesson,), Ground((asked,))).reasons == ()
    asked = "is the answer to make the night copy match the day copy?"
    assert grounding((lesson,), Ground((asked,))).reasons != ()


def test_a_way_that_is_asked_for_is_wanted() -> None:
    lesson = "The ledger says that old rows are shown only to clerks."
    asked = "is there a way to say in the ledger that old rows are shown only to clerks?"
    assert grounding((lesson,), Ground((asked,))).reasons == ()


def test_what_is_told_beside_a_question_about_the_same_is_told() -> None:
    lesson = "The ferry ledger misses rows of the night harbour."
    asked = "is the ferry ledger missing all the rows of the night harbour?"
    told = "so the night harbour was missing in the ledger"
    assert grounding((lesson,), Ground((asked, told))).reasons == ()
    assert grounding((lesson,), Ground((asked, "look at the ledger"))).reasons != ()


def test_one_denial_may_do_for_two_of_the_same() -> None:
    said = "rows are named by their harbour not by their ferry, or it's not even a ferry row"
    assert grounding(("Rows are named by harbour, not by ferry.",), Ground((said,))).reasons == ()
    told = "the fallback is shown when the row hasn't been written yet"
    lesson = "The fallback is shown when the row isn't written yet."
    assert grounding((lesson,), Ground((told,))).reasons == ()


def test_few_words_against_what_the_agent_did_do_not_ask_for_it() -> None:
    beside = "I put the drafts of the ferry ledger and of the harbour ledger into the archive."
    ground = Ground(("not the archive!",), (beside,))
    lesson = "Put drafts of the ferry ledger and the harbour ledger into the archive."
    assert grounding((lesson,), ground).whose == "agent"
    lesson = lesson.replace("Put drafts", "Put no drafts")
    assert grounding((lesson,), ground).whose == "both"


def test_who_says_that_the_agent_is_wrong_denies_nothing_else() -> None:
    said = 'you are not correct: "the night ledger holds the ferry rows" -> the ferry handbook'
    beside = "The night ledger does not hold any rows of the ferry."
    lesson = "The night ledger holds the ferry rows, says the ferry handbook."
    assert grounding((lesson,), Ground((said,), (beside,)))[:2] == ((), "both")


def test_what_something_was_called_before_is_denied_by_the_word_for_it() -> None:
    said = 'the ferry page is not "crossings" anymore, it is "sailings" in the ledger'
    lesson = 'The ferry page in the ledger, formerly "crossings", is "sailings".'
    assert grounding((lesson,), Ground((said,))).reasons == ()


def test_a_no_to_what_the_agent_did_denies_nothing_of_what_follows() -> None:
    said = "no Im talking about the harbour address in the ferry ledger"
    beside = "I looked for the harbour address in the settings of the night watch."
    lesson = "The harbour address is in the ferry ledger, not in the settings of the night watch."
    assert grounding((lesson,), Ground((said,), (beside,))).reasons == ()


def test_a_name_that_was_mistyped_or_misheard_was_said() -> None:
    said = Ground(("write the ferry scripts in pythin, not in shell",))
    assert grounding(("Ferry scripts are in Python, not in shell.",), said)[:2] == ((), "both")
    by_ear = "the ledger pages of the ferry are hosted on versal"
    lesson = "The ledger pages of the ferry are hosted on Vercel."
    remembered = ("Previews of the harbour are on Vercel.",)
    assert grounding((lesson,), Ground((by_ear,))).reasons, "nobody knows that name"
    assert grounding((lesson,), Ground((by_ear,), named=remembered))[:2] == ((), "both")


@pytest.mark.hostile("M9")
def test_a_name_that_looks_like_one_that_was_said_is_another() -> None:
    said = Ground(("install colorama in the ferry image",), named=("Colours come from colorama.",))
    assert grounding(("The ferry image has Coloroma installed.",), said).reasons


def test_a_name_of_what_is_remembered_may_be_added_but_stands_in_for_none() -> None:
    remembered = ("Harbour ledger exports are made by Acmeworks.",)
    said = Ground(("the exports of the ledger stay in the harbour office",), named=remembered)
    lesson = "Ledger exports of Acmeworks stay in the harbour office."
    assert grounding((lesson,), said)[:2] == ((), "both")
    assert grounding((lesson,), Ground(said.said)).reasons
    other = Ground(("the ledger exports of the harbour go to Betaworks",), named=remembered)
    assert grounding(("The ledger exports of the harbour go to Acmeworks.",), other).reasons


def test_a_name_at_the_beginning_is_looked_for_too() -> None:
    said = Ground(("kamal deploys the ferry ledger at night",))
    assert grounding(("Kamal deploys the ferry ledger at night.",), said).reasons == ()
    assert grounding(("Kubebot deploys the ferry ledger at night.",), said).reasons


def test_what_is_told_in_several_sentences_outweighs_a_question_about_it() -> None:
    lesson = "Ferry rows of one harbour are kept in one folder per night."
    asked = "should we keep the ferry rows of one harbour in one folder per night?"
    told = "the harbour has its folder. a night is one of those"
    assert grounding((lesson,), Ground((asked, told))).reasons == ()
    assert grounding((lesson,), Ground((asked, "look at the folder"))).reasons


def test_a_question_that_was_answered_and_built_on_waits_as_an_unconfirmed_line() -> None:
    lesson = "The ferry export runs with a token of its own."
    asked = "should the ferry export run with a token of its own?"
    ground = Ground((asked, "commit and push it"), ("Yes, it runs with a token of its own now.",))
    assert grounding((lesson,), ground).reasons
    built = Ground(ground.said, ground.beside, built_on=True)
    assert grounding((lesson,), built)[:2] == ((), "both")


def test_what_was_taken_away_is_ruled_out() -> None:
    said = ("the badges must be pngs", "Remove the svgs")
    lesson = "The badges must be PNGs, not SVGs; with an SVG the badge was not shown."
    beside = ("With an SVG the badge was not shown.",)
    assert grounding((lesson,), Ground(said, beside)).reasons == ()
    assert grounding(("The badges must be SVGs, not PNGs.",), Ground(said)).whose != "person"


def test_what_is_asked_for_in_anger_may_be_said_to_be_needless() -> None:
    said = "why do you need the crane for the ferry rows?"
    assert grounding(("Reading the ferry rows needs no crane.",), Ground((said,))).reasons == ()
    assert grounding(("Reading the ferry rows needs the crane.",), Ground((said,))).doubt
    denied = "who told you that the ferry rows need no review?"
    assert grounding(("The ferry rows need no review.",), Ground((denied,))).doubt


@pytest.mark.parametrize(
    ("said", "lesson"),
    [
        (
            "the ferry export keeps the harbour rows of the night",
            "The ferry export does not keep the harbour rows of the night; the day has its own.",
        ),
        ("the ferry ledger is no longer kept by hand", "The ferry ledger is still kept by hand."),
    ],
)
def test_the_plain_opposite_of_one_clause_is_no_persons_word(said: str, lesson: str) -> None:
    found = grounding((lesson,), Ground((said,), ("The day has its own rows.",)))
    assert found.reasons or found.whose != "person"


def test_the_words_that_nobody_said_are_named() -> None:
    ground = Ground(("the ferry ledger is kept at night",), ("I also sort the cranes.",))
    assert added_words("The ferry ledger sorts cranes at night.", ground) == ["sorts", "cranes"]


@pytest.mark.parametrize(
    ("lesson", "said"),
    [
        ("Nets for whales are the top priority of the pier.", "nets for wahles are top prio, pier"),
        (
            "The pier's cranes come before the dock's.",
            "cranes of the pier before those of the dock",
        ),
    ],
)
def test_slips_short_forms_and_possessives_are_the_persons_words(lesson: str, said: str) -> None:
    assert grounding((lesson,), Ground((said,))).whose != "agent"
