"""Forgetting as a person means it: memory, correction, candidate, and every copy of the words."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.operations import homes
from tests.sessions.worklogs import lines, write

from reverie.asker import Asker
from reverie.errors import InvalidInput, NotFound, Refused
from reverie.memory import Memory
from reverie.operations import dreaming, memories, projects

RULE = "From now on always write commit messages in the imperative."
VALUE = "No, the till counts in cents, not in euros."
UNSURE = "the parcels go out at noon I think, because the van leaves then"
FIRST = (
    ("you", RULE),
    ("agent", "I will. The till counts in euros."),
    ("you", VALUE),
    ("agent", "In cents, then."),
    ("you", UNSURE),
)


@pytest.fixture
def logs(isolated_home: Path, tmp_path: Path) -> Path:
    folder = isolated_home / ".claude" / "projects" / "-shop"
    root = str(homes.shop(tmp_path))
    write(folder / "aaaa-1.jsonl", lines("aaaa-1", *FIRST, cwd=root))
    return folder


@pytest.fixture
def shop(logs: Path, tmp_path: Path) -> Iterator[Memory]:
    """The memory of a shop that learned one session."""
    with homes.memory(tmp_path) as opened:
        opened.learn()
        yield opened


def told(memory: Memory, question: str, *, sessions: bool = True) -> str:
    return memory.recall(question, sessions=sessions).text


def dreamt(memory: Memory) -> list[str]:
    night = dreaming.dream_dry(memory, dreaming.asked(memory)).night
    return [observation.text for observation in night.observations]


def relearned(memory: Memory) -> Memory:
    memory.learn()
    return memory


def reindexed(memory: Memory) -> Memory:
    projects.reindex(memory)
    memory.learn()
    return memory


def without_index(memory: Memory) -> Memory:
    file = memory.config.index_db
    memory.close()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)
    memory.learn()
    return memory


def rule(memory: Memory) -> str:
    (found,) = [one for one in memory.memories() if "imperative" in one.document.description]
    return f"{found.store}:{found.name}"


@pytest.mark.proves("B8")
@pytest.mark.parametrize("again", [relearned, reindexed, without_index])
def test_a_forgotten_memory_comes_back_from_nowhere(
    shop: Memory, logs: Path, tmp_path: Path, again: Callable[[Memory], Memory]
) -> None:
    assert "imperative" in told(shop, "how are commit messages written?")
    assert "imperative" in told(shop, "")
    assert any("imperative" in text for text in dreamt(shop))
    forgot = shop.forget(rule(shop))
    assert [item.archived for item in forgot.items] == [True]
    assert forgot.places == ("claude-code:aaaa-1#0",)
    # The log is copied: the same words under another session.
    root = str(homes.shop(tmp_path))
    write(logs / "bbbb-2.jsonl", lines("bbbb-2", *FIRST, cwd=root, day=1))
    shop = again(shop)
    for question in ("how are commit messages written?", "imperative", ""):
        assert "imperative" not in told(shop, question)
    assert not any("imperative" in one.candidate.lesson for one in shop.review().pending().reviews)
    assert not any("imperative" in one.document.description for one in shop.memories())
    assert not any("imperative" in text for text in dreamt(shop))
    assert "cents" in told(shop, "what does the till count in?")


@pytest.mark.proves("B8")
def test_restore_brings_back_the_memory_and_where_it_was_said(shop: Memory) -> None:
    name = rule(shop)
    shop.forget(name)
    back = shop.restore(name)
    assert [item.archived for item in back.items] == [False]
    assert back.places == ("claude-code:aaaa-1#0",)
    assert "imperative" in told(shop, "how are commit messages written?")
    with pytest.raises(InvalidInput):
        shop.restore(name)


@pytest.mark.proves("B8")
def test_a_turn_is_forgotten_with_what_was_learned_from_it(shop: Memory) -> None:
    place = "claude-code:aaaa-1#2"
    assert "cents" in told(shop, "does the till count in cents or euros?")
    forgot = shop.forget(place)
    assert forgot.subject == place
    assert "in cents, not" not in told(shop, "does the till count in cents or euros?")
    assert not any("cents" in one.document.description for one in shop.memories())
    assert not any("cents" in one.candidate.lesson for one in shop.review().pending().reviews)
    with pytest.raises(InvalidInput):
        shop.forget(place)
    with pytest.raises(NotFound):
        shop.forget("claude-code:aaaa-1#999")
    # As recall prints it: enough of the session's name.
    shop.restore("claude-code:aaaa#2")
    assert "in cents, not" in told(shop, "does the till count in cents or euros?")
    with pytest.raises(InvalidInput):
        shop.restore(place)


@pytest.mark.proves("B8")
def test_a_candidate_leaves_the_queue_and_comes_back_to_it(shop: Memory) -> None:
    desk = shop.review()
    waiting = desk.pending().reviews
    assert waiting
    one = waiting[0]
    forgot = shop.forget(one.id)
    assert forgot.reviews == (one.id,)
    assert one.id not in {other.id for other in desk.pending().reviews}
    assert shop.status().reviews == len(waiting) - 1
    shop.learn()
    assert one.id not in {other.id for other in desk.pending().reviews}
    with pytest.raises(InvalidInput):
        shop.forget(one.id)
    shop.restore(one.id)
    assert one.id in {other.id for other in desk.pending().reviews}


@pytest.mark.proves("B8")
def test_words_said_or_written_anew_are_told_again(
    shop: Memory, logs: Path, tmp_path: Path
) -> None:
    shop.forget(rule(shop))
    kept = shop.remember(RULE)
    assert kept.created
    assert "imperative" in told(shop, "how are commit messages written?")
    shop.forget(f"{kept.store}:{kept.item.name}")
    assert "imperative" not in told(shop, "how are commit messages written?")
    root = str(homes.shop(tmp_path))
    write(logs / "cccc-3.jsonl", lines("cccc-3", ("you", RULE), cwd=root, day=200))
    with homes.memory(tmp_path, now="2027-04-01T08:00:00Z") as later:
        later.learn()
        assert "imperative" in told(later, "how are commit messages written?")


def test_other_copies_of_a_memory_go_with_it_and_come_back_with_it(shop: Memory) -> None:
    shop.remember("The drawer sticks in the cold", name="drawer")
    shop.remember("the drawer sticks, in the cold!", name="shared-drawer", scope="global")
    forgot = shop.forget("drawer")
    assert {item.name for item in forgot.items} == {"drawer", "shared-drawer"}
    assert {item.name for item in shop.restore("drawer").items} == {"drawer", "shared-drawer"}


def test_an_agent_silences_nobody(shop: Memory, tmp_path: Path) -> None:
    name = rule(shop)
    with homes.memory(tmp_path, Asker("cli", "s-1")) as agent:
        for reference in (name, "claude-code:aaaa-1#0", "cand_0"):
            with pytest.raises(Refused):
                agent.forget(reference)
        note = agent.remember("The van is white and has two doors", name="van")
        assert agent.forget("van").places == ()
        assert agent.restore("van").items
    shop.forget(name)
    with homes.memory(tmp_path, Asker("cli", "s-1")) as agent:
        with pytest.raises(Refused):
            agent.restore(name)
        with pytest.raises(Refused):
            agent.remember(memories.why(shop, name).item.document.description)
    assert note.created
