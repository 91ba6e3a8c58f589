"""Kinds, types, scope, standing rules and confirmations, by rule."""

import pytest

from reverie.language.words import said
from reverie.learn.statements import kinds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("you forgot the changelog entry", "error"),
        ("write tests with every commit", "best-practice"),
        ("let's rename the command to prepare", "decision"),
        ("the sandbox has no network", "data-quirk"),
        ("run `make dev`", "command"),
    ],
)
def test_the_kind_follows_what_the_words_are_about(text: str, kind: str) -> None:
    assert kinds.kind_of(said(text), explicit=True) == kind


def test_kinds_map_to_types_and_what_is_about_the_person_is_user() -> None:
    assert kinds.type_of("decision", said("use tabs")) == "project"
    assert kinds.type_of("command", said("run `make`")) == "reference"
    assert kinds.type_of("decision", said("I'm a data engineer, new to Rust")) == "user"


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("always run the linter first", True),
        ("ok. never push to main", True),
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
    assert kinds.is_standing(said(text)) is standing


def test_what_holds_in_all_projects_is_global() -> None:
    assert kinds.is_global(said("I prefer short commit messages"))
    assert kinds.is_global(said("in all my repos the default branch is main"))
    assert not kinds.is_global(said("the default branch is main"))


def test_a_plain_yes_confirms_nothing() -> None:
    assert kinds.confirms(said("exactly right, one module per noun"))
    assert not kinds.confirms(said("yes"))
    assert not kinds.confirms(said("is this a good approach?"))
