"""How common a term is: counted once, and again when something was written."""

from tests.recall.conftest import Correct, Remember

from reverie.memory import Memory
from reverie.recall import terms
from reverie.recall.query import Query, parse_query
from reverie.recall.terms import TermCounts


def seen(counts: TermCounts, memory: Memory, question: str) -> dict[str, int]:
    return counts.of(parse_query(question), memory.database, memory.index_database).seen


def asked(memory: Memory, counts: TermCounts, question: str) -> list[str]:
    """The statements that `counts` needs to answer."""
    told: list[str] = []
    memory.index_database.set_trace_callback(told.append)
    seen(counts, memory, question)
    memory.index_database.set_trace_callback(None)
    return [statement for statement in told if "MATCH" in statement]


def test_a_term_is_counted_once(memory: Memory, correct: Correct) -> None:
    correct(1, "no, the crane stands at the quay")
    counts = TermCounts()
    assert asked(memory, counts, "crane quay")
    assert asked(memory, counts, "quay crane") == []
    assert asked(memory, counts, "crane tide")
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
    other.index_database.execute("DELETE FROM corrections")
    other.close()
    assert seen(counts, memory, "crane") == {"crane": 0}


def test_no_more_terms_are_kept_than_there_is_room_for(memory: Memory) -> None:
    counts = TermCounts()
    for start in range(0, terms.MOST_KEPT + 100, 48):
        words = tuple(f"word{number}" for number in range(start, start + 48))
        result = counts.of(Query(words), memory.database, memory.index_database)
        assert tuple(result.seen) == words
    assert asked(memory, counts, "word0") and not asked(memory, counts, "word0")
