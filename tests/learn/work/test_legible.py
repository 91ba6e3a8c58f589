"""What a lesson is sent back for once: words without their thing, work for a decision, too wide."""

import pytest
from tests.learn.work.test_desk import Desk, lesson, talk
from tests.learn.work.test_desk import desk as desk

from reverie.learn.work.legible import illegible
from reverie.learn.work.taking import PartlyTaken


def reasons(text: str, *said: str, kind: str = "decision") -> str:
    return "\n".join(illegible(text, kind, said))


@pytest.mark.parametrize(
    "text",
    [
        "It stays on the staging server.",
        "Never use it for the nightly export.",
        "This should live beside the parser.",
        "Keep this branch free of generated files.",
        "Take option B for the export.",
        "Exports are written as agreed.",
    ],
)
def test_what_is_not_named_is_asked_for(text: str) -> None:
    assert "name that" in reasons(text)


@pytest.mark.parametrize(
    "text",
    [
        "Docker for this project runs on the host.",
        "The exporter keeps its state in Redis, which it shares with the worker.",
        "A file that has no owner is never deleted.",
        "Do both of the checks before a release.",
        "Use one common key for the exporter and the worker.",
    ],
)
def test_what_is_named_is_not(text: str) -> None:
    assert not reasons(text, "never do both")


def test_a_guess_is_not_told_as_known() -> None:
    assert "'probably'" in reasons("The exporter probably keeps its state in Redis.")


def test_a_decision_is_told_as_what_holds() -> None:
    assert "when it is done" in reasons("Move the session cache to Redis.")
    assert "when it is done" in reasons("We will keep sessions in Redis.")
    assert not reasons("Sessions are kept in Redis.")
    assert not reasons("Add a changelog entry for each release.", "for each release, please")
    assert not reasons("Move the cache by hand.", kind="command"), "how something is done"


def test_nothing_is_made_wider_than_it_was_said() -> None:
    said = "Put the exporter's state into Redis."
    assert "'only'" in reasons("The exporter's state is kept only in Redis.", said)
    assert "'all'" in reasons("The state of all jobs is kept in Redis.", said)
    assert not reasons("The exporter's state is kept only in Redis.", "Redis and nothing else")
    assert not reasons("All exports carry a date.", "any export needs a date")
    assert not reasons("The exporter's state is an append-only log in Redis.", said)


def test_it_is_sent_back_once_with_the_reason_and_taken_the_second_time(desk: Desk) -> None:
    said = "The exporter should keep its state in Redis, the worker needs that state."
    desk.learn("one", *talk(said))
    task = desk.take()
    wide = lesson(task, "The exporter keeps its state only in Redis, the worker needs that state.")
    with pytest.raises(PartlyTaken, match="nobody said 'only'"):
        desk.answer(task, wide)
    assert desk.answer(task, wide) != ["reworded"]
    (item,) = desk.memories().values()
    assert item.memory.trust == "user"
    assert "only" not in item.document.description, "nobody said the only"
