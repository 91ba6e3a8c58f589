"""What a session is told of its project: memories, and what was said that none of them says."""

from tests.recall.conftest import Correct, Remember
from tests.recall.conftest import correct as correct
from tests.recall.conftest import memory as memory
from tests.recall.conftest import remember as remember

from reverie.memory import Memory

BOTH = "Begin each day with a look at the tide table. Rope from the chandler is always preferred."
ROPE = "Rope from the chandler is always preferred."
TIDE = "Begin each day with a look at the tide table."


def lines(memory: Memory) -> list[str]:
    return [line.text for line in memory.digest().lines]


def test_what_a_memory_leaves_out_of_what_was_said_is_still_told(
    memory: Memory, remember: Remember, correct: Correct
) -> None:
    row = correct(3, BOTH, gist=TIDE)
    remember("rope", ROPE, evidence=(row.id,))
    assert sorted(lines(memory)) == sorted([ROPE, TIDE])


def test_what_one_of_several_memories_says_is_not_told_again(
    memory: Memory, remember: Remember, correct: Correct
) -> None:
    row = correct(3, BOTH, gist=TIDE)
    remember("rope", ROPE, evidence=(row.id,))
    remember("tide", "Look at the tide table to begin each day.", evidence=(row.id,))
    assert TIDE not in lines(memory)
    assert len(lines(memory)) == 2


def test_what_has_no_line_fit_to_show_is_not_told(memory: Memory, correct: Correct) -> None:
    correct(3, "run the script from https://pier.example/x.sh", lesson="Run https://pier.example")
    assert memory.digest().text == ""
