"""Recalling through the front door: scope, ledger, mounts and earlier sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sessions.logs import as_bytes, claude, prompt, reply

from reverie import OWNER, Asker, InvalidInput, Memory, NotFound, Refused
from reverie.clock import fixed
from reverie.operations import reach, recalling, stores
from reverie.operations.recalling import ledger

NOW = fixed("2026-11-15T08:00:00Z")
SAID = "always install with the wheelhouse, never from the index"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "harbour"
    made.mkdir()
    return made


@pytest.fixture
def memory(folder: Path) -> Iterator[Memory]:
    with Memory.open(folder=folder, asker=OWNER, clock=NOW) as opened:
        reach.make_store(opened, "harbour")
        opened.remember("Staging listens on port 8443", scope="harbour", name="port")
        yield opened


def test_an_answer_has_its_text_and_its_entries(memory: Memory) -> None:
    answer = memory.recall("which port has staging", budget=900)
    assert "8443" in answer.text and answer.characters <= 900
    assert [(entry.id, entry.trust) for entry in answer.entries] == [("port", "user")]


def test_every_recall_is_entered_with_who_asked(memory: Memory, folder: Path) -> None:
    memory.recall("port")
    with Memory.open(folder=folder, asker=Asker("http", session="run-17"), clock=NOW) as other:
        other.recall()
    rows = [(row.surface, row.session, row.query, row.project) for row in ledger(memory).rows()]
    assert rows == [("cli", "", "port", "harbour"), ("http", "run-17", "", "harbour")]
    assert (memory.config.home / "audit.jsonl").read_text(encoding="utf-8").count("\n") == 2


def test_a_question_is_entered_without_its_secrets(memory: Memory) -> None:
    secret = "gh" + "p_" + "h4Qz8Lw2Rk7Vt1Xc9Nb5Mj3Fd6Gs0Pa4Ye8U"
    memory.recall(f"what is {secret} for")
    assert secret not in ledger(memory).rows()[-1].query
    assert secret not in (memory.config.home / "audit.jsonl").read_text(encoding="utf-8")


def test_what_was_edited_in_a_mounted_folder_is_known_to_the_next_recall(
    memory: Memory, tmp_path: Path
) -> None:
    stores.mount(memory, "harbour", str(tmp_path / "shown"))
    file = tmp_path / "shown" / "port.md"
    file.write_text(file.read_text(encoding="utf-8").replace("8443", "9443"), encoding="utf-8")
    assert "9443" in memory.recall("which port has staging").text


def test_what_cannot_be_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.recall("port", budget=0)
    for number in range(60):
        memory.remember(f"Crane {number} " + "turns left " * 40, scope="harbour", name=f"c{number}")
    with pytest.raises(Refused):
        memory.recall(budget=100_000)
    assert memory.recall(budget=100_000, confirmed=True).characters > 20_000


def test_nothing_is_known_of_an_empty_home(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "empty", folder=tmp_path) as other:
        assert other.recall("anything").text == ""
        assert not recalling.anything_known(other)
    assert recalling.anything_known(memory)


def test_an_unknown_folder_is_asked_about_and_not_entered(memory: Memory, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    with Memory.open(folder=place, clock=NOW) as other:
        other.recall("port")
        assert (other.here.slug, other.known) == ("elsewhere", False)
        assert [project.slug for project in other.projects.all()] == ["harbour"]
        reach.make_store(other, "elsewhere")
        assert other.known
    assert "elsewhere" in (memory.config.home / "projects.json").read_text(encoding="utf-8")


def test_earlier_sessions_are_searched_and_read_within_the_project(
    memory: Memory, tmp_path: Path, folder: Path
) -> None:
    lines = claude(prompt("set it up"), reply("I installed from the index."), prompt(SAID))
    for line in lines:
        line["cwd"] = str(folder)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "s.jsonl").write_bytes(as_bytes(lines))
    memory.learn(tmp_path / "logs")
    hit = recalling.search_sessions(memory, "wheelhouse")[0]
    assert hit.text == SAID
    session, _, line = hit.id.partition("#")
    read = recalling.read_session(memory, session, line=int(line), turns=2)
    assert [turn.text for turn in read.turns] == ["set it up", "I installed from the index."]
    with Memory.open(folder=tmp_path, clock=NOW) as other:
        assert recalling.search_sessions(other, "wheelhouse") == []
        with pytest.raises(NotFound):
            recalling.read_session(other, session)


def test_an_agent_reaches_only_what_is_attached(memory: Memory, folder: Path) -> None:
    memory.store.ensure_store("lighthouse")
    memory.remember("The lamp turns left", store="lighthouse", name="lamp")
    with Memory.open(folder=folder, asker=Asker("mcp", agent="codex"), clock=NOW) as agent:
        assert [store.name for store in reach.stores(agent)] == ["harbour"]
        assert reach.find_memory(agent, "port").store == "harbour"
        assert reach.grounds(agent, "harbour/port.md").versions[0].reason == "remembered by hand"
        with pytest.raises(NotFound):
            reach.find_memory(agent, "lamp")
        with pytest.raises(NotFound):
            reach.make_store(agent, "lighthouse")
        assert agent.recall("which way does the lamp turn").entries == ()


def test_lessons_leave_room_for_what_an_agent_said_to_a_question(
    memory: Memory, tmp_path: Path, folder: Path
) -> None:
    for number in range(12):
        text = f"Gate {number} of the lock opens to the left when ship{number} has paid its toll. "
        memory.remember(text + "The keeper notes it down. " * 6, scope="harbour", name=f"g{number}")
    answer = "The lock jammed at noon. The root cause is a swollen beam below the waterline."
    lines = claude(prompt("look at the harbour"), reply(answer))
    for line in lines:
        line["cwd"] = str(folder)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "s.jsonl").write_bytes(as_bytes(lines))
    memory.learn(tmp_path / "logs")
    found = memory.recall("why did the gate of the lock jam?", budget=2_000)
    assert sum(item.part == "found" for item in found.items) >= 2
    assert any("swollen beam" in item.text for item in found.items if item.part == "session")


def test_a_turn_of_a_word_or_two_tells_nothing_of_the_past(
    memory: Memory, tmp_path: Path, folder: Path
) -> None:
    told = ("Lock jammed.", "The lock jammed at noon, for a beam in it was swollen.")
    lines = claude(*(turn for text in told for turn in (prompt("look at the quay"), reply(text))))
    for line in lines:
        line["cwd"] = str(folder)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "s.jsonl").write_bytes(as_bytes(lines))
    memory.learn(tmp_path / "logs")
    found = memory.recall("why was the lock jammed?", budget=2_000)
    texts = [item.text for item in found.items if item.part == "session"]
    assert any("at noon" in text for text in texts)
    assert not any("Lock jammed." in text for text in texts)
