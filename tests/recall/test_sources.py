"""What could answer, and how old it counts as."""

import pytest
from tests.recall.conftest import Correct

from reverie.memory import Memory
from reverie.recall.query import parse_query
from reverie.recall.relevance import TermCounts
from reverie.recall.sources import Candidates, Scope


def relevance(memory: Memory, question: str, now: str) -> dict[str, float]:
    scope = Scope("harbour", (), (), "", now)
    candidates = Candidates(memory.database, memory.index_database, scope, TermCounts())
    gathered = candidates.gather(parse_query(question))
    return {name: match.relevance for name, match in gathered.match.items()}


@pytest.mark.proves("B8")
def test_weeks_of_absence_make_nothing_less_relevant(memory: Memory, correct: Correct) -> None:
    early, late = "2026-11-02T10:00:00.000Z", "2026-11-12T10:00:00.000Z"
    correct(3, "put the crane oil into shed four", at=early)
    correct(5, "the winch grease is in the crane cabin", at=late)
    question = "where does the crane oil go"
    soon = relevance(memory, question, "2026-11-12T11:00:00.000Z")
    assert any(soon.values())
    assert relevance(memory, question, "2026-12-24T11:00:00.000Z") == soon
    correct(7, "sweep the quay", at="2026-12-23T10:00:00.000Z")
    assert relevance(memory, question, "2026-12-24T11:00:00.000Z") != soon
