"""What a model is shown of calls that worked, and of what people were told."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.desks import Desk, Said, found

from reverie.dream.proposals.readings import Reader


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def lines(desk: Desk) -> list[str]:
    return next(desk.work.waiting()).prompt.material.splitlines()


def baking(name: str, between: str) -> list[Said]:
    """Two calls for one thing, with others between them that differ."""
    return [
        f"Bake {name}.",
        ("call", f"./oven/heat.sh --tray {name}"),
        ("call", between),
        ("call", f"python tools/shelf.py --add {name}"),
        ("agent", f"{name} is on the shelf."),
    ]


def test_calls_that_the_same_sessions_run_are_told_with_what_differs_left_open(desk: Desk) -> None:
    named = (("rye", "cat notes.md"), ("spelt", "./label.sh 4"), ("oat", "ls shelf"))
    desk.learn(*[baking(*each) for each in named])
    (habit,) = (line for line in lines(desk) if "by the same sessions" in line)
    assert "`./oven/heat.sh --tray …`, `python tools/shelf.py --add …`" in habit
    assert "3 sessions: 1, 2, 3" in habit


def test_what_any_repository_does_is_no_habit(desk: Desk) -> None:
    usual = [("call", "git add -A"), ("call", "git commit -m x"), ("call", "ls")]
    desk.learn(*[["Go on.", *usual, ("agent", "Done.")] for _ in range(4)])
    assert not [line for line in lines(desk) if "by the same sessions" in line]


def test_a_question_is_told_with_its_answer_which_lends_it_names(desk: Desk) -> None:
    asked = ("where do the tide tables come from?", "tide tables: which server?",
             "which server has the tide tables?")  # fmt: skip
    desk.learn(*[[question, ("agent", "They come from `tides-9`.")] for question in asked])
    told = [line for line in lines(desk) if "(told: They come from `tides-9`.)" in line]
    assert len(told) == 3
    task = desk.take()
    night = desk.work._night  # pyright: ignore[reportPrivateUsage]
    reader = Reader(night, task.portion.ids, desk.memory.redact, "dream-x")
    read = reader.read(found("The tide tables come from `tides-9`.", "1.0", "2.0", "3.0"))
    assert read.pattern is not None, read.reasons
    assert read.pattern.group.trust == "agent"
