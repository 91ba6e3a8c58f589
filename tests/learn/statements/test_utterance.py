"""A turn is heard once: sentences, questions, the command behind a colon."""

import pytest

from reverie.learn.statements.utterance import hear


def texts(turn: str) -> list[str]:
    return [sentence.text for sentence in hear(turn).sentences]


def test_a_turn_is_cut_into_sentences_and_pasted_text_is_apart() -> None:
    turn = "Use the ferry clock. Never the harbour one!\n```\nboat = 1\n```\n- keep nets dry"
    assert texts(turn) == ["Use the ferry clock.", "Never the harbour one!", "keep nets dry"]


@pytest.mark.parametrize(
    "turn",
    [
        "this is the command I have to run:\n```\nmake boats -- --all\n```",
        "this is the command I have to run: `make boats -- --all`",
    ],
)
def test_the_command_behind_a_colon_stays_with_its_sentence(turn: str) -> None:
    assert texts(turn)[-1].endswith("run: `make boats -- --all`")


def test_what_follows_a_colon_as_prose_is_a_sentence_of_its_own() -> None:
    assert texts("two things:\nboats need lights\nnets need air") == [
        "two things:",
        "boats need lights",
        "nets need air",
    ]


@pytest.mark.parametrize(
    ("turn", "asks"),
    [
        ("use tabs in makefiles, ok?", False),
        ("should boats carry lights?", True),
        ("why does the ferry stop here", True),
    ],
)
def test_a_tag_makes_no_question(turn: str, asks: bool) -> None:
    assert [sentence.question for sentence in hear(turn).sentences] == [asks]


@pytest.mark.proves("F11")
def test_the_mark_of_a_secret_is_heard_the_same_in_every_home() -> None:
    told = "use the token [redacted:github-token:{}] for the harbour"
    assert hear(told.format("069e75ae")) == hear(told.format("12345678"))


def test_what_insists_on_a_sentence_belongs_to_it() -> None:
    heard = hear("Use UTC in the tables. Always. Then run the tests. No exceptions!")
    assert [one.text for one in heard.sentences] == [
        "Use UTC in the tables. Always.",
        "Then run the tests. No exceptions!",
    ]


def test_an_option_keeps_its_dashes_and_a_type_its_bracket() -> None:
    assert texts("- --frozen is not ok") == ["--frozen is not ok"]
    assert texts("it should be a Net<Boat>") == ["it should be a Net<Boat>"]


def test_an_example_does_not_end_a_sentence() -> None:
    line = "Nets carry their size in the name, e.g. net_m."
    assert texts(line) == [line]
