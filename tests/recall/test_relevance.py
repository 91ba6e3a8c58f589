"""How common a term is: counted once, and again when something was written."""

from collections.abc import Sequence

import pytest
from tests.recall.conftest import Correct, Remember

from reverie.db.database import Database
from reverie.db.full_text import Source, Term
from reverie.memory import Memory
from reverie.recall import relevance
from reverie.recall.query import Query, parse_query
from reverie.recall.relevance import TermCounts
from reverie.sessions.corrections import replace_session
from reverie.sessions.schema import note_write


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
