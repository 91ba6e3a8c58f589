"""How well entries meet a question: each by its own words, and by the work it comes from."""

import pytest

from reverie.recall.entry import Entry
from reverie.recall.query import parse_query
from reverie.recall.relevance import Meeting, Nearness

SEEN = {"crane": 3, "oil": 2}


def meeting(question: str, near: Nearness | None = None) -> Meeting:
    query = parse_query(question)
    seen = {term: SEEN.get(term, 0) for term in query.terms}
    return Meeting(query, 40, seen, near or Nearness({}))


def lesson(text: str, **fields: object) -> Entry:
    return Entry(id="claude-code:s1#4", origin="correction", text=text, prior=0.8)._replace(
        **fields  # pyright: ignore[reportArgumentType]
    )


def test_a_long_question_does_not_starve_an_entry_it_meets() -> None:
    entry = lesson("never put fish oil into the crane")
    short = meeting("crane oil").relevance(entry)
    long = meeting(
        "please have a look at the timetable of the ferries, the buoys, the nets and the lamps on"
        " the outer pier, and while you are there see whether the crane needs oil"
    ).relevance(entry)
    assert long > 0.5 * short > 0


def test_of_two_entries_the_one_that_is_met_more_wholly_comes_first() -> None:
    asked = meeting("crane oil")
    whole = asked.relevance(lesson("crane oil is kept in shed four"))
    passing = asked.relevance(
        lesson(
            "the crane is opposite the harbour office, behind the sheds where nets are dried and"
            " mended by those who came in with the last ships of the season"
        )
    )
    assert whole > passing


def test_a_question_without_telling_words_meets_nothing() -> None:
    assert meeting("how are you?").relevance(lesson("how you are is how we are")) == 0.0


def test_names_are_met_in_their_parts() -> None:
    asked = meeting("when was it created")
    assert asked.relevance(lesson("createdAt is the moment the session ended")) > 0
    assert asked.relevance(lesson("created_at is the moment the session ended")) > 0


def test_lessons_of_a_session_that_was_about_the_question_need_no_word_of_it() -> None:
    entry = lesson("pull the latest before you begin", evidence=("claude-code:s1#4",))
    near = Nearness({"claude-code:s1": 1.0, "claude-code:s2": 0.1}, 0.8)
    far = Nearness({"claude-code:s2": 1.0}, 0.8)
    assert meeting("crane oil", near).relevance(entry) > 0.4
    assert meeting("crane oil", far).relevance(entry) == 0.0


def test_a_memory_whose_session_is_gone_is_judged_by_its_words() -> None:
    entry = lesson("crane oil is in shed four", origin="memory", evidence=("codex:gone#1",))
    near = Nearness({"claude-code:s2": 1.0}, 1.0)
    assert meeting("crane oil", near).relevance(entry) == meeting("crane oil").relevance(entry)


@pytest.mark.parametrize("prior", [0.0, 0.1])
def test_what_hardly_teaches_is_no_answer(prior: float) -> None:
    assert meeting("crane oil").relevance(lesson("crane oil", prior=prior)) == 0.0
