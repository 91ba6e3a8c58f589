"""Somebody who thinks looks over sessions: patterns become a proposal, or are sent back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dream.desks import GOLDEN, RULE, Desk, found, suggested

from reverie.dream.model import Ask
from reverie.dream.proposals import material
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.proposals.work import DreamWork
from reverie.errors import Conflict, InvalidInput, Refused
from reverie.learn.memories.queue import Queue
from reverie.learn.work.taking import PartlyTaken
from reverie.operations import diaries

SAID = ("1.2", "2.2", "3.2")
FLAKY = ("call", "make check", "Error: port 4100 is in use by another program")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()


def offered(desk: Desk) -> list[Any]:
    return Proposals(desk.memory.store.database, desk.memory.clock).pending()


@pytest.mark.proves("A2")
def test_one_thing_in_other_words_each_time_becomes_a_proposal(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    for name in SAID:
        assert f"{name} " in task.prompt.material
    taken = desk.answer(task, found(RULE, *SAID))
    (change,) = taken.changes
    assert (change.verb, change.title, change.sessions) == ("create", RULE, 3)
    assert {quote.session for quote in change.evidence} == {f"claude-code:s{n}" for n in (1, 2, 3)}
    assert change.trust == "agent", "no one sentence says it so"
    assert [form.form for form in change.forms] == ["rule"]
    assert taken.proposal == offered(desk)[0].proposal
    assert not [item for item in desk.memory.memories() if RULE in item.document.description]


def test_what_failed_and_how_sessions_ended_is_shown(desk: Desk) -> None:
    desk.learn(*[["Run the checks.", FLAKY, ("agent", "The port was taken.")] for _ in range(3)])
    shown = desk.take().prompt.material
    assert "T1 (3 sessions: 1, 2, 3; last 11-04) `make check`" in shown
    assert "`make check` fails with “Error: port 4100 is in use" in shown
    assert "E2 The port was taken." in shown


def test_what_was_looked_at_is_not_shown_again(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    taken = desk.answer(desk.take())
    assert (taken.proposal, taken.changes) == (None, ())
    assert desk.work.next() is None


def test_too_few_sessions_for_a_pattern_are_no_work(desk: Desk) -> None:
    desk.learn(*GOLDEN[:2])
    assert not desk.memory.memories()
    assert desk.work.next() is None


def test_a_piece_that_has_changed_is_taken_anew(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    desk.learn(*GOLDEN, ["One more thing about the reader."])
    with pytest.raises(Conflict, match="changed since"):
        desk.answer(task, found(RULE, *SAID))
    assert desk.take().assignment.id != task.assignment.id


def test_a_good_pattern_is_taken_beside_one_that_is_not(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    with pytest.raises(PartlyTaken, match=r"pattern 2: .--force") as caught:
        desk.answer(task, found(RULE, *SAID), found("Use `make --force`.", *SAID))
    assert caught.value.left is not None
    assert [one["text"] for one in caught.value.left["patterns"]] == ["Use `make --force`."]
    assert [offer.change.title for offer in offered(desk)] == [RULE]
    assert desk.answer(task).patterns == 0
    assert desk.work.next() is None


@pytest.mark.parametrize(
    "text", ["no JSON", '{"lessons": []}', '{"patterns": 3}', '{"patterns": [7]}']
)
def test_an_answer_of_another_form_is_sent_back(desk: Desk, text: str) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    with pytest.raises(InvalidInput):
        desk.work.submit(task.assignment, text)
    assert offered(desk) == []


def test_after_so_many_refusals_a_piece_is_closed(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    for _ in range(3):
        with pytest.raises(InvalidInput):
            desk.work.submit(desk.work.assignments.find(task.assignment.id), "no JSON")
    with pytest.raises(Refused, match="refused 3 times"):
        desk.answer(task, found(RULE, *SAID))


def test_what_is_wrong_comes_back_once_and_is_then_left_out(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    wrong = found("Use `make --force`.", *SAID)
    other = found("Restore the golden files with `git checkout tests/golden`.", *SAID)
    with pytest.raises(PartlyTaken) as caught:
        desk.answer(task, wrong, other)
    assert "pattern 1: '--force'" in caught.value.message
    assert "pattern 2: 'git'" in caught.value.message
    desk.answer(task, found(RULE, *SAID), other)
    assert [offer.change.title for offer in offered(desk)] == [RULE]
    night = desk.work.thought(desk.work._night)  # pyright: ignore[reportPrivateUsage]
    assert any("git checkout" in drop.text for drop in night.drops), "--explain tells it"
    assert not any("make --force" in drop.text for drop in night.drops)


def test_what_is_wrong_with_a_pattern_of_little_worth_is_left_out_at_once(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    taken = desk.answer(task, found(RULE, *SAID), found("Use `make --force`.", *SAID, worth=2))
    assert taken.patterns == 1
    night = desk.work.thought(desk.work._night)  # pyright: ignore[reportPrivateUsage]
    assert [drop.why for drop in night.drops if "--force" in drop.text]


FORMS = [suggested("command", "Run `make golden`", name="mend golden")]


@pytest.mark.parametrize("second", ["without the form", "in other words", "nothing"])
def test_a_form_is_sent_back_and_its_pattern_is_not_lost(desk: Desk, second: str) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    with pytest.raises(PartlyTaken, match="its command names"):
        desk.answer(task, found(RULE, *SAID, forms=FORMS))
    told = {
        "without the form": [found(RULE, *SAID)],
        "in other words": [found("Leave the golden files alone.", *SAID)],
        "nothing": [],
    }[second]
    desk.answer(task, *told)
    (offer,) = offered(desk)
    assert offer.change.title == (told[0]["text"] if told else RULE)
    night = desk.work.thought(desk.work._night)  # pyright: ignore[reportPrivateUsage]
    assert len([one for one in night.patterns if one.reader]) == 1


def test_only_what_an_answer_is_about_comes_back_with_it(desk: Desk) -> None:
    desk.learn(*GOLDEN, *[[f"Paint the {color} door."] for color in ("red", "green", "blue")])
    task = desk.take()
    material = task.material_of({"patterns": [found(RULE, *SAID)], "changes": []})
    assert "why did the golden files change" in material
    assert "door" not in material and "SESSIONS" not in material
    assert "door" in task.prompt.material


def test_a_later_piece_shows_what_was_found_and_may_take_its_place(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "PORTION", 400)
    desk.learn(*GOLDEN, ["Please look at the golden files once more, they changed again."])
    wide = DreamWork(
        desk.memory.store,
        desk.memory.index,
        desk.memory.clock,
        str,
        Ask(min_sessions=1, min_days=1),
    )
    first, second = wide.next(), wide.next()
    assert first and second
    assert "Piece 1 of 2" in first.prompt.material and "Piece 2 of 2" in second.prompt.material
    names = [name for name in first.portion.ids if name in SAID]
    part = json.dumps({"patterns": [found(RULE, *names)]})
    wide.keep(first.assignment, part)
    again = wide._task(second.assignment, second.portion)  # pyright: ignore[reportPrivateUsage]
    assert f"P1.1 ({len({one.split('.')[0] for one in names})}) {RULE}" in again.prompt.material
    others = [name for name in second.portion.ids if name in {*SAID, "4.0"}]
    wide.keep(second.assignment, json.dumps({"patterns": [found(RULE, "P1.1", *others)]}))
    night = wide.thought(wide._night)  # pyright: ignore[reportPrivateUsage]
    (pattern,) = [one for one in night.patterns if one.reader]
    assert {one.evidence for one in pattern.group.members} >= {
        one.evidence
        for name in (*names, *others)
        for one in (first.portion.ids | second.portion.ids)[name]
    }


@pytest.mark.proves("A2")
def test_four_diaries_make_one_pattern_with_its_forms(desk: Desk) -> None:
    """Each task ended in the same mistake, told otherwise each time."""
    mistakes = (
        "Tried the login only right after signing in; with an expired session it broke",
        "Forgot that the token may have run out: the expired session gave a blank page",
        "Checked with a fresh token alone, an expired session was never tried",
        "Nobody tested the expired session, and the refresh failed",
    )
    desk.learn(*[[f"Change the login form, part {n}.", ("agent", "Done.")] for n in range(4)])
    for number, mistake in enumerate(mistakes, 1):
        row = diaries.diary_rows(desk.memory, session=f"s{number}")[0]
        own = {
            "task": "Change the login", "mistakes": [mistake],
            "approaches": [{"what": "edited the form", "outcome": "failed"}],
            "patterns": ["test authentication with an expired session"],
        }  # fmt: skip
        diaries.hand_in_diary(desk.memory, row, json.dumps(own))
    task = desk.take()
    assert task.prompt.material.index("D1 ") < task.prompt.material.index("WORDS")
    text = "Test authentication changes with an expired session too, not only with a fresh token."
    steps = ("Sign in, let the session expire", "Test the login with the expired session")
    forms = [suggested("command", *steps, name="test expired session"), suggested("observation")]
    taken = desk.answer(task, found(text, "D1", "D2", "D3", "D4", kind="error", forms=forms))
    (change,) = taken.changes
    assert (change.trust, change.sessions) == ("agent", 4)
    assert [form.form for form in change.forms] == ["rule", "command", "observation"]
    assert steps[1] in change.forms[1].content


def test_what_waits_may_be_rejected_and_a_person_decides(desk: Desk) -> None:
    desk.learn(
        *GOLDEN, ["Tidy the lockers.", "no, we never paint the red lockers", "it should be blue"]
    )
    queue = Queue(desk.memory.store.database, desk.memory.clock)
    waiting = queue.pending()
    assert waiting
    task = desk.take()
    name = next(n for entry in task.portion.entries if entry.review for n in entry.ids)
    taken = desk.answer(task, rejects=[{"id": name, "why": "of that day alone"}])
    assert taken.advised == 1
    (advice,) = queue.advice().values()
    assert (advice.verdict, advice.reason) == ("reject", "of that day alone")
    assert len(queue.pending()) == len(waiting)


def test_what_a_person_had_forgotten_is_not_shown(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    assert "why did the golden files change" in next(desk.work.waiting()).prompt.material
    desk.memory.forget("claude-code:s1#2")
    assert "why did the golden files change" not in desk.take().prompt.material


def test_a_kept_answer_goes_with_a_session_that_it_may_quote(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    task = desk.take()
    work = desk.work
    work.keep(task.assignment, json.dumps({"patterns": [found(RULE, *SAID)]}))
    assert RULE in work.assignments.answer(task.assignment.id)
    desk.memory.unlearn("s2", "not to be kept")
    assert work.assignments.answer(task.assignment.id) == ""


def test_a_hook_that_would_not_be_offered_comes_back_with_its_reason(desk: Desk) -> None:
    counted = ["Count the stock.", ("call", "stock count hall-1"), ("agent", "Counted.")]
    desk.learn(*GOLDEN, *[counted for _ in range(4)])
    task = desk.take()
    hook = suggested("hook", match="stock count", decision="deny")
    with pytest.raises(PartlyTaken, match="its hook on `stock count` would have fired at 4 past"):
        desk.answer(task, found(RULE, *SAID, forms=[hook]))
    taken = desk.answer(task)
    (change,) = taken.changes
    assert change.title == RULE
    assert "hook" not in [form.form for form in change.forms]


def test_how_many_are_offered_is_no_part_of_what_is_asked(desk: Desk) -> None:
    desk.learn(*GOLDEN)
    memory = desk.memory
    asked = {
        next(
            DreamWork(
                memory.store, memory.index, memory.clock, memory.redact, Ask(most=most)
            ).waiting()
        ).prompt.instructions
        for most in (0, 3, 10)
    }
    assert len(asked) == 1
