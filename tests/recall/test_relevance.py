"""How well entries meet a question: each by its own words, and by the work it comes from."""

from collections.abc import Sequence

import pytest
from tests.recall.conftest import Correct, Remember

from reverie.clock import parse_iso
from reverie.db.database import Database
from reverie.db.full_text import Source, Term
from reverie.memory import Memory
from reverie.recall import relevance
from reverie.recall.entry import Entry
from reverie.recall.nearness import Nearness
from reverie.recall.query import Query, parse_query
from reverie.recall.relevance import Match, Meeting, TermCounts, stands
from reverie.sessions.corrections import replace_session
from reverie.sessions.schema import note_write
from reverie.settings import Recall as RecallSettings

SEEN = {"crane": 3, "oil": 2}


def meeting(question: str, near: Nearness | None = None, units: int = 40) -> Meeting:
    query = parse_query(question)
    seen = {term: SEEN.get(term, 0) for term in query.terms}
    return Meeting(query, units, seen, parse_iso("2026-11-15T08:00:00.000Z"), near)


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
    assert short > long > 2 * RecallSettings().good_enough


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


def test_a_single_sign_has_to_be_better_than_two_that_agree() -> None:
    """A word that is borne out by the place, or by a second word, weighs more than its sum."""
    entry = lesson("the crane is locked at night", evidence=("claude-code:s1#20",))
    alone = meeting("crane lamps").relevance(entry)
    borne_out = meeting("crane lamps", SPOKEN).relevance(entry)
    nowhere = Nearness({"claude-code:s2": [1]}, {"claude-code:s2": {0: {0}}}, [2.0], 4.0)
    assert meeting("crane lamps", nowhere).relevance(entry) == alone
    assert borne_out > 1.5 * alone


def test_a_question_without_telling_words_meets_nothing() -> None:
    assert meeting("how are you?").relevance(lesson("how you are is how we are")) == 0.0


def test_everyday_words_count_for_little_however_rare_they_are_here() -> None:
    asked = meeting("still waiting for the winch")
    everyday = asked.relevance(lesson("I am still waiting for the harbour office to answer"))
    telling = asked.relevance(lesson("the winch is locked by the harbour office at night"))
    assert telling > 3 * everyday


def test_where_a_reason_is_asked_for_the_sentence_that_gives_it_is_worth_most() -> None:
    asked = meeting("why did the crane stop?")
    restated = "The crane has come to a stop at the quay."
    reason = "The root cause is a fuse for the crane."
    assert asked.worth(reason) > asked.worth(restated)
    plain = meeting("where did the crane stop?")
    assert plain.worth(restated) >= plain.worth(reason)


def test_who_asks_is_answered_a_little_by_what_was_said_before_and_who_does_not_ask_is_not() -> (
    None
):
    entry = lesson("leave the harbour office out of this", context="the crane oil is low")
    said = lesson("the crane oil is low")
    asked = meeting("where is the crane oil?")
    assert 0 < asked.relevance(entry) < asked.relevance(said) / 2
    assert meeting("fill up the crane oil").relevance(entry) == 0.0


def test_what_was_said_for_the_moment_fades_and_what_is_meant_to_last_does_not() -> None:
    fresh, old = "2026-11-15T07:00:00.000Z", "2026-09-15T07:00:00.000Z"
    asked = meeting("crane oil")

    def left(**fields: object) -> float:
        entry = lesson("the crane oil is in shed four", at=fresh, **fields)
        return asked.relevance(entry._replace(at=old)) / asked.relevance(entry)

    assert left() < 0.2
    assert left(standing=True) == left(origin="memory") == 1.0


def test_after_some_days_of_a_short_history_what_was_said_for_the_moment_is_over() -> None:
    asked = meeting("crane oil")
    entry = lesson("the crane oil is in shed four")
    lately, longer, old = (
        asked.relevance(entry._replace(at=f"2026-11-{day}T07:00:00.000Z")) for day in (14, 13, 11)
    )
    assert lately < 1.5 * longer < longer * longer / old


@pytest.mark.parametrize(
    ("part", "text", "expected"),
    [
        ("star", "the star is up, follow both stars", True),
        ("star", "start the crane", False),
        ("commit", "it was committed twice", True),
        ("migration", "all migrations ran", True),
        ("icon", "iconography", False),
        ("oil", "oils", False),
        ("main", "remain in the main harbour", True),
        ("main", "they remain", False),
    ],
)
def test_a_word_is_met_by_its_forms_and_not_by_others_that_begin_alike(
    part: str, text: str, expected: bool
) -> None:
    assert stands(part, text) is expected


def test_who_says_little_is_not_wholly_met_by_one_word() -> None:
    entry = lesson("the crane is opposite the harbour office, behind the sheds of the nets")
    short, long = meeting("crane"), meeting("crane oil winch anchor buoy")
    assert short.relevance(entry) < 2 * long.relevance(entry)


def test_names_are_met_in_their_parts() -> None:
    asked = meeting("when was it created")
    assert asked.relevance(lesson("createdAt is the moment the session ended")) > 0
    assert asked.relevance(lesson("created_at is the moment the session ended")) > 0


SPOKEN = Nearness({"claude-code:s1": [1, 20, 40]}, {"claude-code:s1": {2: {0, 1}}}, [2.0, 2.0], 4.0)


def test_what_was_taught_amid_the_question_s_work_needs_no_word_of_it() -> None:
    near = lesson("pull the latest before you begin", evidence=("claude-code:s1#20",))
    far = near._replace(evidence=("claude-code:s2#20",))
    assert meeting("crane oil", SPOKEN).relevance(near) > 2 * RecallSettings().good_enough
    assert meeting("crane oil", SPOKEN).relevance(far) == 0.0


@pytest.mark.parametrize("question", ["where is the crane oil?", "pick up where we left off"])
def test_who_asks_or_takes_up_work_again_is_lent_nothing(question: str) -> None:
    near = lesson("pull the latest before you begin", evidence=("claude-code:s1#20",))
    assert meeting(question, SPOKEN).relevance(near) == 0.0


def test_a_memory_whose_session_is_gone_is_judged_by_its_words() -> None:
    entry = lesson("crane oil is in shed four", origin="memory", evidence=("codex:gone#1",))
    assert meeting("crane oil", SPOKEN).relevance(entry) == meeting("crane oil").relevance(entry)


@pytest.mark.parametrize("prior", [0.0, 0.1])
def test_what_hardly_teaches_is_no_answer(prior: float) -> None:
    assert meeting("crane oil").relevance(lesson("crane oil", prior=prior)) == 0.0


def seen(counts: TermCounts, memory: Memory, question: str) -> dict[str, int]:
    return counts.of(parse_query(question), memory.database, memory.index_database).seen


def asked(
    memory: Memory, counts: TermCounts, question: str, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The terms that `counts` has to look up to answer."""
    looked_up: list[str] = []
    real = relevance.counts

    def noted(database: Database, source: Source, wanted: Sequence[Term]) -> list[int]:
        looked_up.extend(term.words for term in wanted)
        return real(database, source, wanted)

    with monkeypatch.context() as patch:
        patch.setattr(relevance, "counts", noted)
        seen(counts, memory, question)
    return sorted(set(looked_up))


def test_a_term_is_counted_once(
    memory: Memory, correct: Correct, monkeypatch: pytest.MonkeyPatch
) -> None:
    correct(1, "no, the crane stands at the quay")
    counts = TermCounts()
    assert asked(memory, counts, "crane quay", monkeypatch) == ["crane", "quay"]
    assert asked(memory, counts, "quay crane", monkeypatch) == []
    assert asked(memory, counts, "crane tide", monkeypatch) == ["tide"]
    assert seen(counts, memory, "crane tide quay") == {"crane": 1, "tide": 0, "quay": 1}


def test_whatever_is_written_is_counted_the_next_time(
    memory: Memory, remember: Remember, correct: Correct
) -> None:
    counts, question = TermCounts(), parse_query("crane")
    before = counts.of(question, memory.database, memory.index_database)
    correct(1, "no, the crane stands at the quay")
    one = counts.of(question, memory.database, memory.index_database)
    assert (one.units, one.seen["crane"]) == (1, 1)
    assert before.seen["crane"] == 0
    remember("crane", "The crane needs oil")
    fresh = TermCounts().of(question, memory.database, memory.index_database)
    assert counts.of(question, memory.database, memory.index_database) == fresh
    assert fresh.units == 2


def test_a_correction_learned_by_another_process_is_counted(
    memory: Memory, correct: Correct
) -> None:
    counts = TermCounts()
    correct(1, "no, the crane stands at the quay")
    assert seen(counts, memory, "crane") == {"crane": 1}
    other = Memory(memory.config, folder=str(memory.config.home))
    with other.index_database.atomic() as tx:
        replace_session(other.index_database, "claude-code:s1", [])
        note_write(tx)
    other.close()
    assert seen(counts, memory, "crane") == {"crane": 0}


def test_no_more_terms_are_kept_than_there_is_room_for(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = TermCounts()
    for start in range(0, relevance.MOST_KEPT + 100, 48):
        words = tuple(f"word{number}" for number in range(start, start + 48))
        result = counts.of(Query(words), memory.database, memory.index_database)
        assert tuple(result.seen) == words
    assert asked(memory, counts, "word0", monkeypatch) == ["word0"]
    assert asked(memory, counts, "word0", monkeypatch) == []


def test_a_passing_remark_counts_less_than_what_says_something() -> None:
    asked = meeting("crane oil")
    assert asked.relevance(lesson("crane again")) < asked.relevance(
        lesson("the crane wants oil of the thin sort in winter")
    )


def test_what_comes_up_by_itself_has_to_be_better_than_what_comes_with_others() -> None:
    asked = meeting("crane oil")
    entry = lesson("never put fish oil into the crane")
    alone = asked.match(entry)
    crowd = {f"other{number}": asked.match(entry) for number in range(5)}
    strangers = {f"stranger{number}": Match(0.1, 0.001) for number in range(12)}

    def judged(beside: dict[str, Match]) -> float:
        return asked.in_company({"it": alone} | beside)["it"].relevance

    assert judged(strangers) < judged(strangers | {"one": alone}) < alone.relevance
    assert judged(strangers | crowd) == alone.relevance


def test_where_little_was_taught_less_is_asked_of_it() -> None:
    entry = lesson("the crane oil is in shed four", at="2026-11-09T07:00:00.000Z")

    def judged(units: int) -> float:
        asked = meeting("crane oil", units=units)
        return asked.in_company({"it": asked.match(entry)})["it"].relevance

    assert judged(2) > 3 * judged(20)


def test_who_asks_is_answered_by_a_single_entry() -> None:
    asked = meeting("which oil does the crane need?")
    found = {"it": asked.match(lesson("the crane takes whale oil"))}
    strangers = {f"stranger{number}": Match(0.1, 0.001) for number in range(12)}
    assert asked.in_company(found | strangers)["it"] == found["it"]
