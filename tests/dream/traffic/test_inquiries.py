"""Facts that a person asks for in session after session."""

import pytest
from tests.dream.weeks import seen, weeks

from reverie.learn.traffic.questions import asks_for_fact, values_of


def asked(question: str, answer: str) -> str:
    lines = [f"human: {question}", "run: rg -n x", "ok: y", f"agent: {answer}", "human: paint it"]
    return "\n".join([*lines, "agent: Painted the gate in 12 minutes."])


PORT = (
    ("which port does the weather relay use?", "It is 5571 (`relay.toml`)."),
    ("weather relay, which port?", "The weather relay listens on port 5571."),
    ("what was the port of the weather relay again?", "Port 5571, see `relay.toml`."),
)


@pytest.mark.proves("A2")
def test_a_fact_that_is_asked_for_again_is_told_as_the_answer_said_it() -> None:
    ((text, rows),) = seen(weeks(*(asked(*one) for one in PORT)), "question").items()
    assert text == "The weather relay listens on port 5571."
    assert len({one.session for one in rows}) == 3
    assert {one.trust for one in rows} == {"agent"}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Could you tell me which port the relay uses, please?", True),
        ("I can never remember where the charts go", True),
        ("Would you mind telling me who owns the relay? thanks", True),
        ("could you check the relay please?", False),
        ("can you move the relay?", False),
        ("please prefer the large relay over the small one, ok?", False),
    ],
)
def test_a_question_may_be_polite(text: str, asks: bool) -> None:
    assert asks_for_fact(text) == asks


def test_an_answer_that_says_too_little_alone_is_told_with_its_question() -> None:
    scripts = [asked(question, "It is `5571`.") for question, _ in PORT]
    (text,) = seen(weeks(*scripts), "question")
    assert text == (
        "“which port does the weather relay use?” is asked again and again; the answer is"
        " “It is `5571`”"
    )


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((4410, 4410, 5571, 5571), "5571"),  # it changed, and stayed
        ((4410, 5571, 4410, 5571), ""),
        ((5571, 5571, 5571, 4410), ""),
    ],
)
def test_where_the_answer_changed_the_later_one_holds_if_it_stayed(
    answers: tuple[int, ...], expected: str
) -> None:
    scripts = [asked(PORT[n % 3][0], f"The weather relay: {a}.") for n, a in enumerate(answers)]
    found = seen(weeks(*scripts), "question")
    assert [expected in text for text in found] == ([True] if expected else [])


def test_a_plain_word_may_be_the_answer() -> None:
    answers = ("We draw with inkwell.", "inkwell, it is on the machine", "That's Inkwell.")
    questions = (
        "which tool draws the charts?",
        "charts tool again?",
        "what draws the charts tool?",
    )
    scripts = [asked(question, text) for question, text in zip(questions, answers, strict=True)]
    (text,) = seen(weeks(*scripts), "question")
    assert "inkwell" in text.lower()


def test_other_questions_with_the_same_value_are_not_one() -> None:
    scripts = [
        asked(question, f"See `notes.md`, {n}.")
        for n, question in enumerate(
            ("where is the gate drawn?", "which lamp is bright?", "who owns the boats?")
        )
    ]
    assert seen(weeks(*scripts), "question") == {}


@pytest.mark.parametrize(
    "text",
    [
        "which port does the relay use?", "relay port?", "where do the dumps go again?",
        "how do I turn on the tracer?", "who owns the price tables?",
        "remind me, what is the switch for tracing?", "I need the dump, where are they?",
        "path of the relay logs again?",
    ],
)  # fmt: skip
def test_a_short_question_for_a_fact_is_one(text: str) -> None:
    assert asks_for_fact(text)


@pytest.mark.parametrize(
    "text",
    [
        "why does this fail?", "is it done?", "what happened?", "what do you think?", "done?",
        "can you fix the relay?", "what is this?", "what's next?", "should we go on?", "go on",
        "how do I fix that error?", "paint the gate, and where it is rusty scrape it first",
    ],
)  # fmt: skip
def test_questions_about_the_work_are_none(text: str) -> None:
    assert not asks_for_fact(text)


def test_values_are_what_could_be_looked_up() -> None:
    answer = "Set `TRACE=1` or pass --trace; logs go to ~/logs/relay/ on port 5571, ask Nora Lind."
    assert values_of(answer) == ["TRACE=1", "--trace", "~/logs/relay/", "5571", "Nora Lind"]
