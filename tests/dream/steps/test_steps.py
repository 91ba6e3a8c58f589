"""Group, weigh and settle, each alone."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dream.nights import night, said

from reverie.dream.model import Observation, Pattern
from reverie.dream.steps.chance import at_least, discoveries
from reverie.dream.steps.check import check
from reverie.dream.steps.form import form
from reverie.dream.steps.group import group
from reverie.dream.steps.remarks import clauses
from reverie.dream.steps.settle import opposes, same_thing, settle
from reverie.dream.steps.weigh import weigh
from reverie.dream.steps.write import quotes_of, write

# Talk around the rules: what makes a word common or rare.
THINGS = (
    "spinner",
    "banner",
    "slider",
    "footer",
    "avatar",
    "legend",
    "ribbon",
    "badge",
    "carousel",
)
PLACES = ("start page", "second tab", "small screen", "help centre", "print view", "mail", "kiosk")
TALK = tuple(
    said(f"please look at the {thing} in the {place}", number % 40, lasting=0.0)
    for number, (thing, place) in enumerate((t, p) for t in THINGS for p in PLACES)
)


def groups(*texts: str) -> list[set[str]]:
    found = group(night(*(said(text, number) for number, text in enumerate(texts)), *TALK))
    return [{member.text for member in one.members} for one in found.groups]


def together(one: str, other: str) -> bool:
    return any({one, other} <= found for found in groups(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm for installs, not npm.", "Installs should go through pnpm instead of npm."),
        ("Don't mock the database.", "Use the real database in tests."),
        ("Run `make fmt` before you commit.", "Before you commit, run `make fmt`."),
        ("Prefer polars over pandas for frames.", "We use polars for frames."),
    ],
)
def test_wordings_of_one_rule_are_one_group(one: str, other: str) -> None:
    assert together(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gateway is on port 8080.", "The gateway is on port 8443."),
        ("Use the cache for lookups.", "Don't use the cache for lookups."),
        ("Name branches with the prefix feat/.", "Name branches with the prefix work/."),
        ("Use vitest for unit tests.", "Use jest for unit tests."),
        ("Indent with two spaces here.", "Indent with four spaces here."),
    ],
)
def test_a_number_a_name_or_a_negation_keeps_two_apart(one: str, other: str) -> None:
    assert not together(one, other)


@pytest.mark.proves("A5")
def test_what_varied_becomes_a_variable_and_what_did_not_stays() -> None:
    found = group(
        night(
            said("Always link ticket AB-101 in the commit footer.", 1, lasting=0.9),
            said("Always link ticket AB-207 in the commit footer.", 2, lasting=0.9),
            said("Always link ticket AB-350 in the commit footer.", 3, lasting=0.9),
        )
    )
    assert [one.text for one in found.groups] == ["Always link ticket <id> in the commit footer."]


def weighed(*observations: Observation, sessions: int = 40) -> dict[str, str]:
    found = weigh(group(night(*observations, *TALK, sessions=sessions)))
    return {one.text: one.status for one in found.patterns}


RULE = "Run `make fmt` before you commit."


@pytest.mark.proves("A2", "A7")
def test_three_sessions_on_two_days_make_a_pattern_and_two_a_candidate() -> None:
    assert weighed(*(said(RULE, number) for number in (1, 2, 3)))[RULE] == "pattern"
    assert weighed(*(said(RULE, number) for number in (1, 2)))[RULE] == "candidate"


def test_saying_it_ten_times_in_one_session_is_saying_it_once() -> None:
    assert weighed(*(said(RULE, 1) for _ in range(10)))[RULE] == "candidate"


def test_a_rule_stated_once_is_a_memory_and_no_pattern() -> None:
    text = "Always store money as integer cents."
    (one,) = [p for p in weigh(group(night(said(text, 1, standing=True), *TALK))).patterns
              if p.text == text]  # fmt: skip
    assert (one.status, one.reason) == ("candidate", "stated once: a memory, not a pattern")


def test_habits_of_common_words_are_no_rules() -> None:
    found = weighed(*(said("run the tests again", number, lasting=0.2) for number in range(6)))
    assert "run the tests again" not in found


def test_common_words_are_a_rule_when_several_sessions_say_them_as_one() -> None:
    asked, ruled = "Run the tests before the change.", "Always run the tests before the change."
    assert weighed(*(said(asked, number) for number in (1, 2, 3))).get(asked) != "pattern"
    assert weighed(*(said(ruled, number) for number in (1, 2, 3)))[ruled] == "pattern"
    assert weighed(*(said(ruled, number) for number in (1, 2))).get(ruled) != "pattern"


WORDINGS = (
    "Never install a package without asking.",
    "You added a dependency again, ask first.",
    "Ask before adding dependencies.",
    "No new libraries unless I said yes.",
)


@pytest.mark.proves("A2")
def test_a_rule_said_in_other_words_each_time_is_one_pattern_and_its_text_a_quote() -> None:
    found = weigh(group(night(*(said(text, n) for n, text in enumerate(WORDINGS)), *TALK)))
    (one,) = [p for p in found.patterns if p.status == "pattern"]
    assert one.support >= 3
    assert one.text in WORDINGS
    assert not one.text.startswith("You")


def test_a_group_whose_quotes_say_other_things_is_no_pattern() -> None:
    texts = (
        "Break the parser out into a type of its own.",
        "The parser of the importer is slow.",
        "Show the parser version in the footer.",
        "Why does the parser skip the last line?",
    )
    found = weighed(*(said(text, n, lasting=0.6) for n, text in enumerate(texts)))
    assert "pattern" not in found.values()


@pytest.mark.parametrize(
    "texts",
    [
        ("The worker is stuck again.", "Worker hangs after 12 jobs.", "The worker crashed."),
        ("Traceback (most recent call last).",) * 3,
        ("Delete the tmp view, nobody uses it.", "Rename the tmp view.", "Show the tmp view."),
        ("Is the tmp cache used by anyone?", "Who clears the tmp cache?", "What is the tmp cache?"),
        ("Don't merge the tmp branch yet.", "The tmp branch is not ready yet.",
         "Do not push the tmp branch yet."),
    ],
)  # fmt: skip
@pytest.mark.proves("A7")
def test_symptoms_pasted_lines_one_off_orders_and_questions_are_no_patterns(
    texts: tuple[str, ...],
) -> None:
    found = weighed(*(said(text, number, lasting=0.6) for number, text in enumerate(texts)))
    assert "pattern" not in found.values()


def test_lines_of_one_notice_are_no_pattern_however_often_it_is_pasted() -> None:
    lines = ("Never answer with more than the token.", "Always return the token alone.")
    pasted = [said(line, number, lasting=0.9) for number in range(4) for line in lines]
    assert "pattern" not in weighed(*pasted).values()


@pytest.mark.parametrize(
    "texts",
    [
        ("Go back to main and pull the latest.", "Back to main first, pull in latest.",
         "Before you start get back to main and pull latest.", "Pull the latest main first."),
        ("Log a ticket in the Otter board.", "Create a ticket on the Otter board.",
         "Make it a ticket on the Otter board."),
    ],
)  # fmt: skip
@pytest.mark.proves("A2")
def test_a_request_about_the_work_that_comes_back_in_other_words_is_a_pattern(
    texts: tuple[str, ...],
) -> None:
    requests = [said(text, number, lasting=0.1) for number, text in enumerate(texts)]
    found = weighed(*requests, sessions=6)
    assert [text for text, status in found.items() if status == "pattern" and text in texts]


TICKETS = ("Add a kanban ticket for this.", "Can you add a ticket to the kanban for that?",
           "Also add a short kanban ticket for it.")  # fmt: skip
NOTES = ("Commit and update the changelog notes.", "Commit and update the notes in the changelog.",
         "Then commit and update changelog notes for the release.")  # fmt: skip


@pytest.mark.proves("A2")
@pytest.mark.parametrize("texts", [TICKETS, NOTES])
def test_a_request_about_the_work_is_a_rule_however_many_sessions_lack_it(
    texts: tuple[str, ...],
) -> None:
    requests = [said(text, number, lasting=0.1) for number, text in enumerate(texts)]
    assert "pattern" in weighed(*requests, sessions=40).values()


@pytest.mark.proves("A7")
def test_a_rule_of_two_projects_is_proposed_for_all() -> None:
    observations = [said(RULE, n, project="app" if n % 2 else "web") for n in range(4)]
    (one,) = [p for p in weigh(group(night(*observations, *TALK))).patterns if p.text == RULE]
    assert one.scope == "global"


@pytest.mark.parametrize(
    ("projects", "scope"),
    [(("app", "app-1a2b3c", "app"), "app"), (("app", "shop-1a2b3c", "app"), "global")],
)
def test_clones_of_one_name_are_no_two_projects(projects: tuple[str, ...], scope: str) -> None:
    rules = [
        said("Always run `make fmt`.", n, standing=True, project=name)
        for n, name in enumerate(projects)
    ]
    (one,) = [p for p in weigh(group(night(*rules))).patterns if p.status == "pattern"]
    assert one.scope == scope


def test_what_shares_only_its_deed_says_something_else() -> None:
    texts = (
        "You can check the queue yourself, you have access to the broker.",
        "Open the report and verify the totals on your own.",
        "Feel free to start the sandbox to test the import.",
    )
    assert "pattern" not in weighed(*(said(text, n) for n, text in enumerate(texts))).values()


def test_a_request_for_the_matter_at_hand_asks_for_the_same_without_it() -> None:
    requests = [said(text, n) for n, text in enumerate(TICKETS)]
    found = weigh(group(night(*requests, *TALK, sessions=6)))
    (one,) = [p for p in found.patterns if p.status == "pattern"]
    assert one.text == "Add a kanban ticket."
    assert TICKETS[0] in {member.quote for member in one.group.members}
    assert (one.type, one.kind) == ("feedback", "best-practice")


def test_the_quotes_that_say_it_in_other_words_come_first() -> None:
    rules = [said("Always run `make fmt` first.", n, standing=True) for n in range(3)]
    rules += [said("Never skip `make fmt`, run it first.", 5, standing=True)]
    (one,) = [p for p in weigh(group(night(*rules))).patterns if p.status == "pattern"]
    quotes = quotes_of(one)
    assert len({quoted.quote for quoted in quotes}) == len(quotes) == 2
    (one,) = [p for p in weigh(group(night(*rules[:3]))).patterns if p.status == "pattern"]
    assert len({quoted.session for quoted in quotes_of(one)}) == len(quotes_of(one)) == 2


def test_what_only_reports_does_not_count_towards_a_rule() -> None:
    rule = "Panels must always show the chosen invoice."
    rules = [said(rule, n, standing=True) for n in range(3)]
    report = said("The panels never load the chosen invoice and crash.", 7)
    (one,) = [p for p in weigh(group(night(*rules, report))).patterns if p.status == "pattern"]
    assert one.support == 3


def test_a_tools_words_lower_the_trust_of_what_rests_on_them() -> None:
    from dataclasses import replace

    own = [said(RULE, 1), said(RULE, 2)]
    tools = [replace(said(RULE, 3), trust="tool")]
    (one,) = [p for p in weigh(group(night(*own, *tools, *TALK))).patterns if p.text == RULE]
    assert one.group.trust == "tool"
    enough = [*own, said(RULE, 4), *tools]
    (one,) = [p for p in weigh(group(night(*enough, *TALK))).patterns if p.text == RULE]
    assert one.group.trust == "user"
    assert one.support == 3


@pytest.mark.proves("B7")
def test_the_later_word_stands_and_names_what_it_replaced() -> None:
    old, new = "Use yarn for installs.", "Use pnpm for installs, not yarn."
    early = [said(old, number) for number in (1, 2, 3)]
    late = [said(new, number) for number in (11, 12, 13)]
    found = settle(weigh(group(night(*early, *late, *TALK))))
    patterns = [one for one in found.patterns if one.status == "pattern"]
    assert [one.text for one in patterns] == [new]
    assert patterns[0].supersedes == (old,)
    assert any(drop.step == "settle" and drop.text == old for drop in found.drops)


def test_two_sessions_that_say_what_changed_overturn_what_others_said() -> None:
    old = ("Avoid npm, use yarn.", "Workspaces are yarn workspaces.")
    new = "Not yarn any more, please use pnpm."
    early = [said(text, n, lasting=0.3) for n, text in enumerate((*old, *old), 1)]
    late = [said(new, number) for number in (11, 12)]

    def status(*observations: Observation) -> dict[str, str]:
        found = settle(weigh(group(night(*observations, *TALK))))
        return {one.text: one.status for one in found.patterns}

    assert status(*early, *late)[new] == "pattern"
    assert status(*early[:2], *late)[new] == "pattern"
    assert status(*early[:2], *late[:1])[new] == "candidate"


def test_a_change_that_is_told_in_other_words_is_one_and_the_older_value_is_not_offered() -> None:
    old = ("Queue jobs with rabbit.", "Use rabbit for jobs.")
    new = ("We moved to kafka, queue the jobs there.", "Kafka from now on, not rabbit.")
    early = [said(text, number) for number, text in enumerate(old, 1)]
    late = [said(text, number) for number, text in enumerate(new, 11)]
    found = settle(weigh(group(night(*early, *late, *TALK))))
    (told,) = (one for one in found.patterns if one.status == "pattern")
    assert told.text in new
    assert told.support == len(new)


def test_one_later_word_that_another_number_holds_now_is_enough_against_a_rule() -> None:
    rule = "Branches must not live longer than 14 days."
    early = [said(rule, number) for number in (1, 2, 3)]
    late = said("The limit for branches was raised to 30 days.", 11, lasting=0.1)
    found = settle(weigh(group(night(*early, late, *TALK))))
    assert rule not in [one.text for one in found.patterns if one.status == "pattern"]
    assert rule in [drop.text for drop in found.drops if drop.step == "settle"]


def test_two_things_that_are_forbidden_do_not_exclude_each_other() -> None:
    one = [said("Never edit a golden file by hand.", number) for number in (1, 2, 3)]
    other = [said("Don't edit golden files without a ticket.", number) for number in (11, 12, 13)]
    found = settle(weigh(group(night(*one, *other, *TALK))))
    assert not [drop for drop in found.drops if drop.step == "settle"]


def test_a_ban_on_a_deed_goes_with_what_to_do_with_the_thing() -> None:
    wordings = (
        "Never alter an existing ledger, add another.",
        "Add a ledger for the new year, existing ones stay.",
        "Don't alter the closed ledger, add one.",
    )
    found = weigh(group(night(*(said(t, n) for n, t in enumerate(wordings, 1)), *TALK)))
    (told,) = (one for one in found.patterns if "ledger" in one.text)
    assert (told.status, told.support) == ("pattern", len(wordings))


def test_a_vague_remark_neither_joins_two_rules_nor_makes_the_older_one_the_later() -> None:
    old, new = "Open pull requests against main.", "Open pull requests against develop."
    early = [said(old, number) for number in (1, 2, 3)]
    late = [said(new, number) for number in (11, 12, 13)]
    vague = [said("Open a PR.", number) for number in (4, 15, 16)]
    found = settle(weigh(group(night(*early, *late, *vague, *TALK))))
    patterns = [one.text for one in found.patterns if one.status == "pattern"]
    assert new in patterns
    assert old not in patterns


def test_two_who_rule_out_the_same_thing_do_not_exclude_each_other() -> None:
    one, other = rules("Use jotter, not out.Print.", "I don't want to see out.Print in a review.")
    assert not opposes(one, other)


def test_a_task_about_another_thing_overturns_nothing() -> None:
    texts = ("Review the parcel filter before lunch.", "Review the rate table before lunch.")
    one, other = rules(*texts)
    assert not opposes(one, other)


def rules(*texts: str) -> list[Pattern]:
    told = (said(text, number, lasting=0.5) for number, text in enumerate(texts))
    return list(weigh(group(night(*told))).patterns)


def test_what_is_from_now_on_takes_the_place_of_what_was_said_before() -> None:
    old = ("Keep lines under 79 characters.", "Lines must not be longer than 79.",
           "Max line length is 79.")  # fmt: skip
    new = ("Line length is 100 from now on, not 79.", "The limit for lines is 100 now.")
    early = [said(text, number) for number, text in enumerate(old)]
    late = [said(text, 20 + number) for number, text in enumerate(new)]
    found = settle(weigh(group(night(*early, *late, *TALK))))
    patterns = [one.text for one in found.patterns if one.status == "pattern"]
    assert not [text for text in patterns if "100" not in text]


def test_what_holds_from_now_on_is_one_rule_however_it_is_said() -> None:
    texts = (
        "Petra reviews the pull requests from now on, Tomas left.",
        "Request review from Petra instead of Tomas.",
        "Petra is the reviewer for every pr now.",
    )
    assert any(set(texts) <= found for found in groups(*texts))


def test_a_remark_on_the_matter_at_hand_overturns_no_rule() -> None:
    rule = [said("Answer each review comment on the pull request", n) for n in range(4)]
    passing = said("Say in a review comment that we don't need this pull request any more", 9)
    kept = settle(weigh(group(night(*rule, passing, *TALK)))).patterns
    assert any("Answer each review comment" in one.text for one in kept)


def test_reasons_are_no_part_of_what_is_compared() -> None:
    one = "Use the viridis palette since one of my authors is colour-blind."
    other = "Use the viridis palette because the printer makes red and green look alike."
    found = group(night(said(one, 1), said(other, 2), *TALK)).groups
    assert any(
        group_.text == "Use the viridis palette." and len(group_.sessions) == 2 for group_ in found
    )


def test_an_alternative_is_kept_when_the_ban_is_said_again() -> None:
    whole, ban = "Never push to main, open a pull request.", "Never push to main."
    found = settle(weigh(group(night(
        *(said(whole, number) for number in (1, 2, 3)), said(ban, 9), *TALK
    ))))  # fmt: skip
    (one,) = [p for p in found.patterns if p.status == "pattern"]
    assert one.text == whole


def test_what_holds_in_one_project_does_not_overturn_anothers_rule() -> None:
    old = [said("Always use yarn for installs.", number, project="web") for number in (1, 2, 3)]
    new = [said("Use pnpm for installs, not yarn.", number) for number in (11, 12, 13)]
    found = settle(weigh(group(night(*old, *new, *TALK))))
    assert sum(one.status == "pattern" for one in found.patterns) == 2


@given(st.integers(1, 30), st.floats(0.001, 40))
def test_more_sessions_are_never_more_likely_by_chance(count: int, expected: float) -> None:
    assert 0 <= at_least(count + 1, expected) <= at_least(count, expected) <= 1


@given(st.lists(st.floats(0, 1), max_size=60))
def test_a_discovery_is_never_less_likely_than_what_is_not_one(values: list[float]) -> None:
    believed = discoveries(values, 0.05)
    chosen = [value for value, yes in zip(values, believed, strict=True) if yes]
    rest = [value for value, yes in zip(values, believed, strict=True) if not yes]
    assert not chosen or not rest or max(chosen) <= min(rest)
    assert all(value <= 0.05 for value in chosen)


def patterns(*observations: Observation) -> dict[str, set[str]]:
    found = weigh(group(night(*observations, *TALK, sessions=6))).patterns
    return {
        one.text: {member.session[-1] for member in one.group.members}
        for one in found
        if one.status == "pattern"
    }


def test_what_is_wanted_on_an_occasion_that_comes_back_is_a_rule_for_it() -> None:
    found = patterns(
        said("There's a remark on the PR from gitwatch. Answer it if it holds.", 1, lasting=0.1),
        said("There are a few gitwatch remarks on that PR.", 2, lasting=0.1),
        said("Now there are more remarks from gitwatch on the PR.", 3, lasting=0.1),
        said("There are new remarks from gitwatch on the PR. Answer them if they hold.", 4),
    )
    rule = "When there is a remark on the PR from gitwatch, answer it if it holds."
    assert {rule: {"1", "2", "3", "4"}}.items() <= found.items()


def test_a_fault_that_was_met_is_no_occasion() -> None:
    text = "There is a bug in the {} of the PR. Fix it."
    assert not patterns(*(said(text.format("slider"), n, lasting=0.1) for n in range(4)))


def test_a_list_of_orders_says_each_of_them() -> None:
    found = patterns(
        said("Answer every reviewer of the PR.", 1, lasting=0.1),
        said("Commit, push, reply to the reviewers on the PR.", 2, lasting=0.1),
        said("Please respond to what the PR reviewers say.", 3, lasting=0.1),
    )
    assert any(sessions == {"1", "2", "3"} for sessions in found.values())


def test_where_something_always_goes_is_a_pattern_whatever_it_is_called() -> None:
    found = patterns(
        said("Create a ticket in board:Falcon.", 1, lasting=0.1),
        said("Log a ticket for the slider, board:Falcon.", 2, lasting=0.1),
        said("Make sure it's in board: Falcon.", 3, lasting=0.1),
        said("Have a look at ticket FA-260.", 4, lasting=0.1),
    )
    assert found == {"Create a ticket in board:Falcon.": {"1", "2", "3"}}


def test_what_never_happened_is_no_ban() -> None:
    assert not patterns(*(said(f"The report of the {t} was never sent.", n) for n, t in
                          enumerate(("slider", "slider", "slider", "slider"))))  # fmt: skip


def test_two_choices_for_one_thing_are_not_joined_by_what_mentions_it() -> None:
    found = groups(
        "We use valkey for caching in this project.",
        "For caching we always go with valkey.",
        "Use dragonfly for caching, not memcached.",
        "For caching we always go with dragonfly.",
        "Add caching to the photo viewer.",
    )
    assert not any(
        any("valkey" in text for text in one) and any("dragonfly" in text for text in one)
        for one in found
    )


@pytest.mark.proves("A5", "A7")
@pytest.mark.parametrize(
    "task",
    [
        "Rename the {} field to its long name in the export.",
        "Create a branch for the {} export.",
        "Update the ticket of the {} in the backlog.",
    ],
)
def test_tasks_of_one_form_about_other_things_are_no_rule(task: str) -> None:
    things = ("price", "label", "owner", "colour")
    assert not patterns(*(said(task.format(one), n, lasting=0.1) for n, one in enumerate(things)))


def test_a_part_of_what_was_said_is_quoted_with_the_sentence_it_stands_in() -> None:
    text = "There are a few gitwatch remarks on that branch. One of them is about a key."
    one = replace(said(text, 1), quote="one of them is about a key")
    first, second = clauses(one)
    assert (first.text, first.quote) == ("There are a few gitwatch remarks on that branch.", text)
    assert second.quote == "one of them is about a key"


def test_only_what_was_said_of_the_same_thing_is_named_as_replaced() -> None:
    found = settle(
        weigh(
            group(
                night(
                    *(said("The gateway listens on port 8080.", n) for n in range(3)),
                    *(said("The gateway listens on port 8443 now.", n) for n in (5, 6)),
                    *TALK,
                )
            )
        )
    )
    (one,) = [one for one in found.patterns if "8443" in one.text]
    assert one.supersedes == ("The gateway listens on port 8080.",)
    other = replace(one, group=replace(one.group, text="Make sure that people see the code."))
    assert not same_thing(one, other)


@pytest.mark.proves("F8")
def test_what_gives_the_agent_a_free_hand_needs_a_person() -> None:
    texts = ("You can restart the broker yourself.", "Restart the broker first.")
    for text, waits in zip(texts, (True, False), strict=True):
        rules = [said(text, n, standing=True) for n in range(3)]
        (change,) = check(write(form(weigh(group(night(*rules)))))).changes
        assert change.quarantined is waits


@pytest.mark.proves("A7")
def test_a_task_about_something_else_overturns_no_rule() -> None:
    ruled = [
        said("First a red test, then the repair, always.", 1),
        said("Always a red test first, then the repair.", 3),
        said("A red test first, always, and then the repair.", 5),
        said("The lamp is still red although the boat left.", 4),
    ]
    task = said("The harbour letter should contain the name of the boat.", 9)
    found = settle(weigh(group(night(*ruled, task, *TALK))))
    assert not any("harbour letter" in drop.why for drop in found.drops)


@pytest.mark.proves("A7")
def test_a_wish_does_not_overturn_its_own_restatement() -> None:
    bans = ("Never use tug ropes", "You used tug ropes again, don't", "Tug ropes are off limits")
    found = settle(
        weigh(group(night(*(said(text + ".", n) for n, text in enumerate(bans)), *TALK)))
    )
    assert not [drop for drop in found.drops if drop.step == "settle"]
