"""Kinds, types, scope, standing rules and confirmations, by rule."""

import pytest

from reverie.language.cues import human_cues
from reverie.learn.statements import kinds
from reverie.learn.statements.lasting import marked
from reverie.learn.statements.statement import act_of
from reverie.learn.statements.utterance import Sentence, hear


def only(text: str) -> Sentence:
    (sentence,) = hear(text).sentences
    return sentence


def act(text: str) -> str:
    return act_of(marked(only(text), human_cues()))


def type_of(text: str) -> str:
    return kinds.type_of(only(text), act(text), kinds.sort_of(only(text)))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("you forgot the changelog entry", "error"),
        ("never write tests without a name", "best-practice"),
        ("let's rename the command to prepare", "decision"),
        ("the sandbox has no network", "data-quirk"),
        ("run `make dev`", "command"),
    ],
)
def test_the_kind_follows_what_the_words_are_about(text: str, kind: str) -> None:
    assert kinds.kind_of(only(text), type_of(text), corrects=True) == kind


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("I'm a data engineer, new to Rust", "user"),
        ("I have been writing firmware for twelve years", "user"),
        ("I prefer brief replies", "user"),
        ("never commit generated files", "feedback"),
        ("please use tabs in every makefile", "feedback"),
        ("migrations must be reviewed before they are merged", "feedback"),
        ("the harbour dashboard is at https://boats.example/d/7", "reference"),
        ("harbour bugs are tracked in the Jira project QUAY", "reference"),
        ("the ferry service uses gRPC instead of REST because the kiosks are old", "project"),
        ("the team decided that timestamps are stored in UTC", "project"),
        ("no need to restart the ferry worker any more", "project"),
    ],
)
def test_rules_are_feedback_pointers_references_and_the_person_is_a_user(
    text: str, type_: str
) -> None:
    assert type_of(text) == type_


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("always run the linter first", True),
        ("ok, never push to main", True),
        ("use tabs from now on", True),
        ("In this repo we squash before merging", True),
        ("it never reaches the handler", False),
        ("should we always retry?", False),
        ("always", False),
    ],
)
def test_a_standing_rule_heads_its_sentence_or_names_the_time_to_come(
    text: str, standing: bool
) -> None:
    assert kinds.sort_of(only(text)).standing is standing


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("the new quay opens for boats and ships next Tuesday", True),
        ("we freeze merges after Thursday", True),
        ("changes need to be reviewed before you merge", True),
        ("the code freeze was fun", False),
        ("we are reviewing https://boats.example/org/repo/pull/7", False),
        ("the release failed last Tuesday", False),
        ("are the docs on Confluence?", False),
    ],
)
def test_events_with_their_day_pointers_and_occasions_last_by_themselves(
    text: str, tells: bool
) -> None:
    assert kinds.sort_of(only(text)).tells is tells


def test_what_holds_in_all_projects_is_global() -> None:
    def everywhere(text: str) -> bool:
        return kinds.is_global(only(text), kinds.sort_of(only(text)))

    assert everywhere("I always prefer short commit messages")
    assert everywhere("in all my repos the default branch is main")
    assert not everywhere("the default branch is main")


def test_a_plain_yes_confirms_nothing() -> None:
    assert kinds.confirms(hear("exactly right, one module per noun"))
    assert not kinds.confirms(hear("yes"))
    assert not kinds.confirms(hear("is this a good approach?"))


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("stop painting ropes that nobody uses", True),
        ("please stop using tar on decks, it sticks", True),
        ("every crane must carry a lamp", True),
        ("no ferry may leave without a pilot on board", True),
        ("don't open the lock without my word", True),
        ("When you moor a boat, always count the ropes.", True),
        ("before sailing, never forget to check the tide", True),
        ("One more rule for the piers: no bicycles after dark.", True),
        ("For all night shifts: two people on watch.", True),
        ("stop the crane", False),
        ("stop doing that", False),
        ("all of the cranes need oil", False),
        ("don't do it without a rope", False),
        ("when you come to the pier, turn left", False),
        ("the rule book is in the office", False),
    ],
)
def test_a_rule_is_told_by_its_form(text: str, standing: bool) -> None:
    assert kinds.sort_of(only(text)).standing is standing
