"""Premises and spans: verbatim, with their place."""

import pytest
from tests.learn.scenes import session

from reverie.language.cues import human_cues
from reverie.language.words import content, words
from reverie.learn.detect.context import scenes
from reverie.learn.detect.judge import span_of
from reverie.learn.detect.premise import LONGEST, call_line, premise_of
from reverie.learn.statements.utterance import hear
from reverie.sessions.model import Tool


def premise(*events: tuple[str, object]) -> tuple[str, int] | None:
    turns = session(*events)
    scene = scenes(turns)[-1]
    own = hear(scene.turn.text)
    found = premise_of(scene, turns, own, span(scene.turn.text, scene.before))
    return (found.text, found.line) if found else None


def test_the_premise_is_the_sentence_that_shares_most_words() -> None:
    assert premise(
        ("prompt", "Plan it."),
        ("text", "We use Redis for the queue. Workers run on two hosts. Shall I go on?"),
        ("prompt", "the queue does not use Redis"),
    ) == ("We use Redis for the queue.", 1)


@pytest.mark.parametrize(
    "closing",
    [
        "Shall I go on?",
        "Would you like me to change anything else?",
        "Which approach do you prefer?",
        "Want me to commit this now?",
        "Let me know if you need more!",
    ],
)
def test_with_nothing_shared_the_last_statement_is_answered_not_how_to_go_on(closing: str) -> None:
    assert premise(
        ("prompt", "Plan it."),
        ("text", f"The cache lives in the gateway. The queue stays in the worker. {closing}"),
        ("prompt", "nope"),
    ) == ("The queue stays in the worker.", 1)


def test_with_nothing_shared_what_is_recommended_is_answered() -> None:
    assert premise(
        ("prompt", "Plan it."),
        ("text", "I recommend the second way. It costs a day. Both are safe."),
        ("prompt", "nah"),
    ) == ("I recommend the second way.", 1)


def test_a_question_is_answered_when_there_is_nothing_else() -> None:
    assert premise(("prompt", "Go."), ("text", "Shall I go on?"), ("prompt", "nope")) == (
        "Shall I go on?",
        1,
    )


def test_a_value_says_more_than_words() -> None:
    assert premise(
        ("prompt", "Start it."),
        ("text", "The server is up and running for you. It listens on 8080."),
        ("prompt", "the server runs, but not on 8080, that is taken"),
    ) == ("It listens on 8080.", 1)


def test_what_carries_the_correction_counts_more_than_the_rest_of_the_turn() -> None:
    long = "Thanks for the report, the tables and the summary of the meeting last week. " * 3
    assert premise(
        ("prompt", "Start it."),
        ("text", "The report has tables and a summary. The parser keeps comments."),
        ("prompt", long + "But the parser should not keep comments, that is wrong."),
    ) == ("The parser keeps comments.", 1)


def test_an_earlier_text_is_meant_when_the_last_one_speaks_of_something_else() -> None:
    assert premise(
        ("prompt", "Set it up."),
        ("text", "I put the token cache into redis.local for now."),
        ("tool_call", Tool("Bash", "t", {"command": "make lint"})),
        ("text", "All checks pass."),
        ("prompt", "no, the token cache does not belong into redis.local"),
    ) == ("I put the token cache into redis.local for now.", 1)


def test_what_was_said_before_the_last_human_turn_is_not_meant() -> None:
    assert premise(
        ("prompt", "Set it up."),
        ("text", "I put the token cache into redis.local for now."),
        ("prompt", "Now the docs."),
        ("text", "The docs are written."),
        ("prompt", "no, the token cache does not belong into redis.local"),
    ) == ("The docs are written.", 3)


def test_what_a_client_writes_in_the_agents_name_is_no_premise() -> None:
    assert premise(
        ("prompt", "Set it up."),
        ("text", "The linter is clean."),
        ("text", "No response requested."),
        ("prompt", "linting fails"),
    ) == ("The linter is clean.", 1)


def test_headings_tables_and_code_stand_back_behind_sentences() -> None:
    text = "## The cache\n\n| cache | size |\n\n```\ncache.clear\n```\n\nWe clear the cache daily."
    assert premise(("prompt", "Go."), ("text", text), ("prompt", "not the cache")) == (
        "We clear the cache daily.",
        1,
    )


def test_a_refused_call_is_the_premise_with_the_line_that_is_meant() -> None:
    edit = Tool(
        "Edit", "t", {"file_path": "/w/app/cache.py", "new_string": "ttl = 5\nmode = redis"}
    )
    refused = ("text", "Now the settings:"), ("tool_call", edit)
    assert premise(("prompt", "Go."), *refused, ("reject_feedback", "hm")) == (
        "Edit: /w/app/cache.py",
        2,
    )
    assert premise(
        ("prompt", "Go."), *refused, ("reject_feedback", "the mode is not redis, it is memory")
    ) == ("Edit cache.py: mode = redis", 2)


def test_of_a_refused_plan_the_line_is_told_that_is_meant() -> None:
    plan = Tool("ExitPlanMode", "t", {"plan": "# Release\n\n1. Tag it\n2. Publish to the tap acme"})
    assert premise(
        ("prompt", "Plan it."),
        ("tool_call", plan),
        ("reject_feedback", "the tap is called summit, not acme"),
    ) == ("ExitPlanMode: 2. Publish to the tap acme", 1)


def test_an_edit_that_was_stopped_is_meant_and_a_look_is_not() -> None:
    text = ("text", "The parser is ready.")
    for name, expected in (("Edit", "Edit: a.py"), ("Read", "The parser is ready.")):
        stopped = ("tool_call", Tool(name, "t", {"file_path": "a.py"})), ("interrupt", "")
        found = premise(("prompt", "Go."), text, *stopped, ("prompt", "stop that"))
        assert found is not None
        assert found[0] == expected


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
    return span_of(text, hear(text), human_cues(), content(words(agent)))


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
