"""What the files for agents say is shown to a model, and what it finds of that is sent back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.desks import GOLDEN, RULE, Desk, found

from reverie.dream.proposals import instructed
from reverie.learn.work.taking import PartlyTaken

GUIDE = "# Guide\n- Golden files are what we compare with: never regenerate them.\n- Use tabs.\n"
SAID = ("2.2", "3.2", "4.2")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def reading(file: str, text: str = GUIDE) -> list[str | tuple[str, str] | tuple[str, str, str]]:
    return ["Look around.", ("print", f"cat {file}", text)]


@pytest.mark.parametrize(
    "file",
    ["AGENTS.md", ".agents/testing.md", "skills/compare/SKILL.md", ".claude/rules/golden.md"],
)
def test_what_files_for_agents_say_of_the_words_is_shown(desk: Desk, file: str) -> None:
    desk.learn(reading(file), *GOLDEN)
    shown = desk.take().prompt.material
    assert f"{instructed_section(shown)[0]}" == f"{file}:"
    assert "Golden files are what we compare with: never regenerate them." in shown
    assert "Use tabs" not in shown.partition("INSTRUCTIONS")[2], "nobody speaks of it"


def instructed_section(shown: str) -> list[str]:
    return [line.strip() for line in shown.partition("INSTRUCTIONS")[2].splitlines()[1:]]


def test_no_more_is_shown_than_there_is_room_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructed, "MOST", 20)
    desk.learn(reading("AGENTS.md"), *GOLDEN)
    assert "INSTRUCTIONS" not in desk.take().prompt.material


def test_of_a_file_that_changed_the_last_whole_version_is_shown(desk: Desk) -> None:
    before = "# Guide\n- Regenerate what we compare with, the golden files, at the end.\n"
    desk.learn(reading("AGENTS.md", before), reading("AGENTS.md"), *GOLDEN)
    shown = desk.take().prompt.material
    assert "never regenerate them" in shown and "at the end" not in shown


def test_a_pattern_that_a_file_holds_is_sent_back_with_the_line(desk: Desk) -> None:
    desk.learn(reading("AGENTS.md"), *GOLDEN)
    task = desk.take()
    with pytest.raises(PartlyTaken, match=r"AGENTS\.md says already"):
        desk.answer(task, found(RULE, *SAID))
    taken = desk.answer(task)
    assert (taken.patterns, taken.changes) == (0, ()), "it is left out where nothing more comes"


def test_a_pattern_that_is_handed_in_again_with_what_a_file_leaves_out_stands(desk: Desk) -> None:
    desk.learn(reading("AGENTS.md"), *GOLDEN)
    task = desk.take()
    with pytest.raises(PartlyTaken):
        desk.answer(task, found(RULE, *SAID))
    text = "Restore golden files that changed while tests were made to pass."
    taken = desk.answer(task, found(text, *SAID))
    assert [change.title for change in taken.changes] == [text]


def test_what_persons_had_to_repeat_stands(desk: Desk) -> None:
    again = ["Mend the door.", ("agent", "Done."), "leave the golden files alone"]
    desk.learn(reading("AGENTS.md"), *GOLDEN, again, again, again)
    text = "Leave the golden files alone."
    taken = desk.answer(desk.take(), found(text, "5.2", "6.2", "7.2", "3.2"))
    assert [change.title for change in taken.changes] == [text]
