"""Premises and spans: verbatim, with their place."""

from tests.learn.scenes import session

from reverie.learn.context import scenes
from reverie.learn.cues import human_cues
from reverie.learn.premise import LONGEST, call_line, premise_of
from reverie.learn.span import span_of
from reverie.learn.words import content, said, words
from reverie.sessions.model import Tool


def premise(*events: tuple[str, object]) -> tuple[str, int] | None:
    scene = scenes(session(*events))[-1]
    found = premise_of(scene, said(scene.turn.text))
    return (found.text, found.line) if found else None


def test_the_premise_is_the_sentence_that_shares_most_words() -> None:
    assert premise(
        ("prompt", "Plan it."),
        ("text", "We use Redis for the queue. Workers run on two hosts. Shall I go on?"),
        ("prompt", "the queue does not use Redis"),
    ) == ("We use Redis for the queue.", 1)


def test_with_nothing_shared_the_last_sentence_is_answered() -> None:
    assert premise(
        ("prompt", "Plan it."),
        ("text", "First step. Second step. Shall I go on?"),
        ("prompt", "nope"),
    ) == ("Shall I go on?", 1)


def test_the_first_turn_of_a_session_answers_nothing() -> None:
    assert premise(("prompt", "no, not like that")) is None


def test_a_session_without_agent_text_falls_back_to_the_last_call() -> None:
    assert premise(
        ("prompt", "Go."),
        ("tool_call", Tool("Edit", "t", {"file_path": "src/app.py"})),
        ("steer", "not that file"),
    ) == ("Edit: src/app.py", 1)


def test_a_call_is_told_in_one_bounded_line() -> None:
    long = call_line(Tool("Bash", "t", {"command": "echo a\n" * 500}))
    assert len(long) == LONGEST
    assert "\n" not in long
    assert call_line(Tool("Plan", "t", {"steps": [1, 2]})) == 'Plan: {"steps": [1, 2]}'
    assert call_line(Tool("Stop", "t", {})) == "Stop"


def span(text: str, agent: str = "") -> str:
    return span_of(text, said(text), human_cues(), content(words(agent)))


def test_a_short_turn_is_its_own_span() -> None:
    assert span(" not the cache, the queue \n") == "not the cache, the queue"


def test_in_a_long_turn_the_span_is_the_sentence_against() -> None:
    text = (
        "I had a look at the pull request this morning and went through the whole of it. "
        "The timeout should be in the client instead of the server. "
        "Other than that I will come back to it tomorrow with the others from my team."
    )
    assert span(text, "I put the timeout into the server.") == (
        "The timeout should be in the client instead of the server."
    )


def test_a_span_never_crosses_pasted_lines() -> None:
    text = (
        "that is wrong, it should not retry at all here. " + "x" * 120 + "\n"
        "$ make test\n"
        "you should not retry, that is wrong too"
    )
    assert span(text) in text
