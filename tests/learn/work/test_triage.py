"""Advice about the queue: checked like any lesson, and decided by the person with one answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.learn.work.test_desk import Desk, talk

from reverie.errors import Conflict, InvalidInput, Refused
from reverie.learn.work.triage import TriageTask, TriageWork
from reverie.operations.engines import working


@pytest.fixture
def desk(tmp_path: Path, isolated_home: Path) -> Any:
    (isolated_home / ".reverie").mkdir(mode=0o700)
    config = isolated_home / ".reverie" / "config.toml"
    config.write_text('[learn]\nwrite = "never"\n', encoding="utf-8")
    config.chmod(0o600)
    made = Desk(tmp_path)
    made.learn("one", *talk("From now on helpers go into the shared folder, not beside tests."))
    made.learn("two", *talk("Always write the nightly export to the blue bucket."))
    yield made
    made.close()


def triage(desk: Desk) -> TriageWork:
    return working.triage_desk(desk.memory)


def taken(desk: Desk) -> TriageTask:
    task = triage(desk).next()
    assert task is not None
    return task


def answer(desk: Desk, task: TriageTask, *verdicts: dict[str, Any]) -> int:
    found = triage(desk).assignments.find(task.assignment.id)
    return triage(desk).submit(found, json.dumps({"verdicts": verdicts}))


def test_what_waits_is_handed_out_once_with_the_words_it_rests_on(desk: Desk) -> None:
    task = taken(desk)
    assert len(task.entries) == len(desk.pending()) > 1
    for entry in task.entries:
        assert entry.candidate.quote[:20] in task.prompt.material
    assert triage(desk).next() is None
    assert task.prompt.version == "triage-1"


def test_a_person_decides_all_as_was_advised(desk: Desk) -> None:
    task = taken(desk)
    (helpers,) = [
        f"q{number}"
        for number, one in enumerate(task.entries, 1)
        if "helpers" in one.candidate.lesson.lower()
    ]
    verdicts: list[dict[str, Any]] = [
        {"id": f"q{number}", "verdict": "reject", "reason": "of that day"}
        for number in range(1, len(task.entries) + 1)
        if f"q{number}" != helpers
    ]
    worded = "Helpers belong into the shared folder, not beside tests."
    verdicts.append({"id": helpers, "verdict": "reword", "text": worded, "reason": "raw"})
    assert answer(desk, task, *verdicts) == len(task.entries)
    assert len(desk.pending()) == len(task.entries), "nothing is decided before the person says so"
    review = desk.memory.review()
    for one, advice in review.advised():
        review.take_advice(one, advice)
    assert desk.pending() == []
    assert [(said, item.memory.trust) for said, item in desk.memories().items()] == [
        (worded, "user")
    ]
    assert triage(desk).next() is None


@pytest.mark.proves("F13")
def test_advice_that_puts_words_into_a_persons_mouth_is_sent_back(desk: Desk) -> None:
    task = taken(desk)
    for text in (
        "Helpers belong beside tests, not into the shared folder.",
        "Write the nightly export to bucket 9999.",
        "Squash merges keep histories readable.",
        "",
    ):
        with pytest.raises(Refused):
            answer(desk, task, {"id": "q1", "verdict": "reword", "text": text, "reason": "x"})
        desk.work.assignments.renew(task.assignment)
        triage(desk).assignments.give_back(task.assignment)
        if triage(desk).next() is None:
            break
    assert desk.memory.review().advised() == []


def test_advice_of_another_form_or_on_a_queue_that_moved_is_sent_back(desk: Desk) -> None:
    task = taken(desk)
    with pytest.raises(InvalidInput):
        triage(desk).submit(task.assignment, "prose")
    with pytest.raises(Refused, match="not one of this piece"):
        answer(desk, task, {"id": "q99", "verdict": "accept", "reason": ""})
    desk.memory.review().reject(task.entries[0].id)
    with pytest.raises(Conflict):
        answer(desk, task, {"id": "q1", "verdict": "accept", "reason": ""})
