"""Whatever was printed somewhere is found again by every command."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import Answer
from tests.connect.logs import write_log

from reverie import OWNER, Memory
from reverie.errors import Ambiguous, NotFound
from reverie.operations import references
from reverie.recall.sources import short_place

SESSION = "1f2e3d4c-aaaa-bbbb"
SAID = "No, the quay is numbered from the north, not from the south."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    folder = tmp_path / "harbour"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    log = write_log(
        tmp_path / "logs", SESSION, folder, ("user", "Please number the berths."),
        ("assistant", "I numbered the quay from the south."), ("user", SAID),
    )  # fmt: skip
    with Memory.open(folder=folder, asker=OWNER) as opened:
        opened.learn(log, jobs=1)
        opened.remember("The crane is out of order", name="crane", type="project")
        yield opened


def lines(memory: Memory) -> dict[str, str]:
    """Handle → text, of the digest."""
    return {line.handle: line.text for line in memory.digest().lines}


def handle_of(memory: Memory, words: str) -> str:
    return next(handle for handle, text in lines(memory).items() if words in text)


def test_a_handle_leads_to_what_its_line_tells(memory: Memory) -> None:
    assert references.canonical(memory, handle_of(memory, "crane")) == "crane"
    place = references.canonical(memory, handle_of(memory, "north"))
    found = references.find(memory, place)
    text = found.turn.text if isinstance(found, references.Spoken) and found.turn else ""
    item = "" if isinstance(found, references.Spoken) else found.memory.content
    assert "from the north" in text + item


def test_a_place_is_found_by_its_short_form(memory: Memory) -> None:
    whole = f"claude-code:{SESSION}#2"
    assert references.canonical(memory, short_place(f"claude-code:{SESSION}", 2)) == whole
    found = references.find(memory, "claude-code:1f2e3d4c#2")
    assert isinstance(found, references.Spoken)
    assert found.turn is not None and found.turn.text == SAID
    assert references.session_and_line(memory, "claude-code:1f2e3d4c#2") == (
        f"claude-code:{SESSION}",
        2,
    )


def test_a_memory_of_the_same_name_comes_before_a_handle(memory: Memory) -> None:
    handle = handle_of(memory, "north")
    memory.remember("Another thing altogether", name=handle, type="project")
    assert references.canonical(memory, handle) == handle


def test_what_leads_nowhere_is_said(memory: Memory) -> None:
    for reference in ("claude-code:nobody#2", "claude-code:1f2e3d4c#99", "cand_nothing", "zzzzzz"):
        with pytest.raises((NotFound, Ambiguous)):
            references.find(memory, reference)


@pytest.mark.proves("F12")
def test_every_command_takes_every_reference(memory: Memory, answer: Answer) -> None:
    said = handle_of(memory, "north")
    for reference in (said, f"{said}?", f"claude-code:{SESSION}#2", "claude-code:1f2e3d4c#2"):
        assert "north" in json.dumps(answer("show", reference, "--json"))
        assert "north" in json.dumps(answer("why", reference, "--json"))
        assert "north" in answer("why", reference)
        assert "north" in answer("sessions", "show", reference) or reference.startswith(said)
    assert "crane" in answer("show", handle_of(memory, "crane"))
    answer("forget", said)
    assert "from the north" not in answer("digest")
    answer("forget", handle_of(memory, "crane"))
    assert "crane" not in answer("digest")
