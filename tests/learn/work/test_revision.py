"""Memories read side by side: what may change, what may not, and what is kept of it."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.connect.logs import write_log
from tests.learn.work.test_desk import Desk, lesson, talk

from reverie.errors import Conflict, Refused
from reverie.learn.work.pieces import Task
from reverie.learn.work.revision import FEWEST, RevisionTask, RevisionWork
from reverie.learn.work.taking import PartlyTaken
from reverie.operations.engines import working

BUCKETS = ("blue", "green", "red", "amber", "violet", "silver", "copper", "ivory")

CRANES = ("north", "south", "east", "west", "inner", "outer", "upper", "lower")


@pytest.fixture
def desk(tmp_path: Path, isolated_home: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    for number in range(FEWEST):
        said = f"The {BUCKETS[number]} bucket is for job number {number + 11} now."
        teach(made, f"s{number}", said)
    yield made
    made.close()


def hear(desk: Desk, name: str, said: str, agent: str = "Done.") -> Task:
    """One session, a day later than the last one, as a piece."""
    desk.now += timedelta(days=1)
    log = write_log(desk.folder / "logs", name, desk.project, *talk(said, agent=agent))
    dated = log.read_text("utf-8").replace("2026-11-10", desk.now.date().isoformat())
    log.write_text(dated, encoding="utf-8")
    desk.memory.learn(desk.folder / "logs")
    return desk.take()


def teach(desk: Desk, name: str, said: str, text: str = "", agent: str = "Done.") -> None:
    """Have one session taught one lesson."""
    task = hear(desk, name, said, agent)
    desk.answer(task, lesson(task, text or said))


def revision(desk: Desk) -> RevisionWork:
    return working.revision_desk(desk.memory)


def taken(desk: Desk) -> RevisionTask:
    task = revision(desk).next()
    assert task is not None
    return task


def answer(desk: Desk, task: RevisionTask, *verdicts: dict[str, Any]) -> int:
    found = revision(desk).assignments.find(task.assignment.id)
    return revision(desk).submit(found, json.dumps({"verdicts": verdicts}), by="person")


def place(task: RevisionTask, word: str) -> str:
    (name,) = [name for name, one in task.part.memories() if word in one.candidate.lesson]
    return name


def test_lessons_are_shown_oldest_first_with_what_was_said_and_only_once(desk: Desk) -> None:
    task = taken(desk)
    told = [json.loads(line) for line in task.prompt.material.splitlines() if line[0] == "{"]
    shown = [line for line in told if "id" in line]
    assert [one["id"] for one in shown] == [f"m{number}" for number in range(1, FEWEST + 1)]
    assert [one["said"] for one in shown] == sorted(one["said"] for one in shown)
    assert all(one["says"] in one["said"][0] for one in shown)
    assert answer(desk, task) == 0
    assert revision(desk).next() is None
    teach(desk, "more", "The white bucket is for job number 90 now.")
    assert revision(desk).next() is None, "a single new one is not worth another look"


def test_what_a_later_word_replaced_goes_and_comes_back_with_its_session_unlearned(
    desk: Desk,
) -> None:
    task = taken(desk)
    old, new = place(task, "blue"), place(task, "ivory")
    with pytest.raises(Refused, match="was said later"):
        answer(desk, task, {"id": new, "verdict": "replaced", "by": old, "reason": ""})
    assert answer(desk, task, {"id": old, "verdict": "replaced", "by": new, "reason": ""}) == 1
    assert not [said for said in desk.memories() if "blue" in said]
    assert [said for said in desk.memories(archived=True) if "blue" in said]
    desk.memory.unlearn(f"s{FEWEST - 1}", "was a trial")
    assert [said for said in desk.memories() if "blue" in said]


def test_two_that_say_the_same_become_one_that_rests_on_both(desk: Desk) -> None:
    fuller = "The blue bucket is for job number 11 and for the tests now."
    teach(desk, "fuller", fuller)
    task = taken(desk)
    (one,) = [name for name, old in task.part.memories() if old.item.name.endswith("11")]
    other = place(task, "tests")
    answer(desk, task, {"id": one, "verdict": "same", "by": other, "reason": "twice"})
    (kept,) = [item for said, item in desk.memories().items() if "blue" in said]
    assert set(kept.document.evidence) == {"claude-code:s0#2", "claude-code:fuller#2"}


@pytest.mark.proves("F13")
@pytest.mark.hostile("M9")
@pytest.mark.parametrize(
    "verdict",
    [
        {"verdict": "drop"},
        {"verdict": "same", "by": "green"},
        {"verdict": "replaced", "by": "elsewhere"},
    ],
)
def test_what_a_person_said_goes_for_nothing_that_says_less_without_their_yes(
    desk: Desk, verdict: dict[str, Any]
) -> None:
    teach(desk, "other", "Letters go to the office, elsewhere they get lost.")
    task = taken(desk)
    by = {"by": place(task, verdict["by"])} if "by" in verdict else {}
    answer(desk, task, {"id": place(task, "red"), "reason": "of that day", **verdict, **by})
    (item,) = [item for said, item in desk.memories().items() if "red" in said]
    (waiting,) = [one for one in desk.pending() if "red" in one.candidate.lesson]
    assert (item.memory.trust, waiting.memory_id) == ("user", item.memory.id)
    ((_, advice),) = desk.memory.review().advised()
    assert (advice.verdict, advice.reason) == ("reject", "of that day")
    desk.memory.review().reject(waiting.id)
    assert not [said for said in desk.memories() if "red" in said]


@pytest.mark.parametrize(
    ("title", "kept"), [("Amber bucket for ropes", False), ("Amber bucket of ropes", True)]
)
def test_other_words_keep_a_title_only_if_they_say_all_of_it(
    desk: Desk, title: str, kept: bool
) -> None:
    asked = "Shall the amber bucket hold the ropes of the pier, as the bucket for them?"
    task = hear(desk, "amber", "yes, the amber bucket", asked)
    title = title if kept else f"{title} of the pier"
    desk.answer(task, lesson(task, "The amber bucket holds the ropes of the pier.", title=title))
    task = taken(desk)
    text = "The amber bucket holds the ropes."
    answer(desk, task, {"id": place(task, "ropes"), "verdict": "reword", "text": text})
    (worded,) = [one.candidate for one in desk.pending() if one.candidate.lesson == text]
    assert worded.title == (title if kept else "")


def test_other_words_must_be_those_of_the_person_or_wait_for_them(desk: Desk) -> None:
    task = taken(desk)
    blue, red = place(task, "blue"), place(task, "red")
    wrong = {"id": blue, "verdict": "reword", "text": "The blue bucket is never for job number 11."}
    with pytest.raises(Refused):
        answer(desk, task, wrong | {"reason": ""})
    strange = {"id": blue, "verdict": "reword", "text": "The blue bucket is for job number 99."}
    with pytest.raises(Refused, match="99"):
        answer(desk, task, strange | {"reason": ""})
    better = "The blue bucket always is for job number 11 now."
    plainer = "Job number 13 uses the red bucket."
    answer(
        desk,
        task,
        {"id": blue, "verdict": "reword", "text": better, "reason": "plainer"},
        {"id": red, "verdict": "reword", "text": plainer, "reason": "plainer"},
    )
    memories = desk.memories()
    assert not {better, plainer} & memories.keys(), "it would be somebody else's words"
    assert {better, plainer} <= {advice.text for _, advice in desk.memory.review().advised()}


def test_what_a_person_touched_is_neither_shown_nor_changed(desk: Desk) -> None:
    (item,) = [item for said, item in desk.memories().items() if "blue" in said]
    desk.memory.pin(f"{item.store}:{item.name}")
    task = taken(desk)
    assert not [one for one in task.part.entries if "blue" in one.candidate.lesson]
    (other,) = [item for said, item in desk.memories().items() if "green" in said]
    desk.memory.pin(f"{other.store}:{other.name}")
    with pytest.raises(Conflict):
        answer(desk, task)


def test_an_answer_that_throws_most_away_is_sent_back(desk: Desk) -> None:
    task = taken(desk)
    everything = [
        {"id": f"m{number}", "verdict": "drop", "reason": "told to"}
        for number in range(1, len(task.part.entries) + 1)
    ]
    with pytest.raises(Refused, match="more than half"):
        answer(desk, task, *everything)
    assert len(desk.memories()) == FEWEST


@pytest.mark.proves("F13")
def test_a_rule_of_the_person_is_not_dropped_and_keeps_its_words(desk: Desk) -> None:
    desk.learn("rule", *talk("From now on always run make lint before you commit anything."))
    desk.answer(desk.take())
    task = taken(desk)
    rule = place(task, "lint")
    with pytest.raises(Refused, match="said it as a rule"):
        answer(desk, task, {"id": rule, "verdict": "drop", "reason": ""})
    with pytest.raises(Refused, match="leaves out too much"):
        answer(desk, task, {"id": rule, "verdict": "reword", "text": "Run make.", "reason": ""})
    better = "Always run `make lint` before you commit."
    answer(desk, task, {"id": rule, "verdict": "reword", "text": better, "reason": ""})
    assert better not in desk.memories()
    assert better in {advice.text for _, advice in desk.memory.review().advised()}


def test_one_verdict_that_cannot_be_done_does_not_stop_the_others(desk: Desk) -> None:
    task = taken(desk)
    bad = {
        "id": place(task, "blue"),
        "verdict": "reword",
        "text": "Use the 99 bucket.",
        "reason": "",
    }
    good = {"id": place(task, "red"), "verdict": "drop", "reason": "of that day"}
    with pytest.raises(PartlyTaken, match="99") as sent_back:
        answer(desk, task, bad, good)
    assert sent_back.value.left == {"verdicts": [bad]}
    with pytest.raises(PartlyTaken, match="99"):
        answer(desk, task, bad)
    assert answer(desk, task, bad) == 1  # the last time what is wrong is left out
    memories = desk.memories()
    assert [said for said in memories if "blue" in said]
    assert [one for one in desk.pending() if "red" in one.candidate.lesson]


def test_other_words_that_were_sent_back_are_corrected_and_the_rest_is_kept(desk: Desk) -> None:
    task = taken(desk)
    bad = {"id": place(task, "blue"), "verdict": "reword", "text": "Use the 99 bucket."}
    good = {"id": place(task, "red"), "verdict": "drop", "reason": "of that day"}
    with pytest.raises(PartlyTaken):
        answer(desk, task, bad, good)
    better = "The blue bucket always is for job number 11 now."
    assert answer(desk, task, bad | {"text": better}) == 2
    assert better in {advice.text for _, advice in desk.memory.review().advised()}
    assert [one for one in desk.pending() if "red" in one.candidate.lesson]


def test_a_raw_sentence_is_not_read_beside_others_before_its_session_was(desk: Desk) -> None:
    desk.learn("rule", *talk("From now on always run make lint before you commit anything."))
    assert [said for said in desk.memories() if "lint" in said]
    (before,) = revision(desk).waiting()
    assert not [one for one in before.part.entries if "lint" in one.candidate.lesson]
    desk.answer(desk.take())
    assert place(taken(desk), "lint")


def test_words_that_take_in_another_wait_and_both_stay(desk: Desk) -> None:
    task = taken(desk)
    blue, green = place(task, "blue"), place(task, "green")
    both = "The blue and the green bucket are for job number 11 and job number 12."
    answer(
        desk,
        task,
        {"id": blue, "verdict": "same", "by": green, "reason": "buckets"},
        {"id": green, "verdict": "reword", "text": both, "name": "two buckets", "reason": "one"},
    )
    assert {"blue", "green"} <= {word for said in desk.memories() for word in said.split()}
    assert both in {advice.text for _, advice in desk.memory.review().advised()}


def test_of_a_memory_that_a_later_one_overtakes_in_part_the_rest_waits(desk: Desk) -> None:
    teach(desk, "both", "The pearl bucket and the coral bucket are for job number 40.")
    teach(desk, "later", "The coral bucket is for job number 41 from today.")
    task = taken(desk)
    whole, later = place(task, "pearl"), place(task, "number 41")
    rest = "The pearl bucket is for job number 40."
    half = {"id": whole, "verdict": "half", "by": later, "text": rest, "reason": "coral moved"}
    for wrong in (half | {"by": place(task, "blue")}, half | {"text": None}):
        with pytest.raises(Refused):
            answer(desk, task, wrong)
    assert answer(desk, task, half) == 1
    assert [said for said in desk.memories() if "pearl" in said and "coral" in said]
    ((waiting, advice),) = desk.memory.review().advised()
    assert (waiting.why, advice.text) == ("a model would say it otherwise", rest)
    desk.memory.review().take_advice(waiting, advice)
    assert desk.memories()[rest].memory.trust == "user"
    assert not [said for said in desk.memories() if "coral" in said and "pearl" in said]


def test_short_words_are_shown_with_what_they_answered(desk: Desk) -> None:
    asked = "Shall the pearl bucket hold the exports of job number 50?"
    text = "The pearl bucket holds the exports of job number 50."
    teach(desk, "brief", "yes, the pearl bucket for the exports", text, agent=asked)
    shown = taken(desk).prompt.material
    assert f"(agent: {asked}) yes, the pearl bucket for the exports" in shown
    (item,) = [item for said, item in desk.memories().items() if "pearl" in said]
    assert f"The agent had said:\n\n> {asked}" in item.document.body


def test_a_run_that_goes_on_looks_again_only_once_there_is_much(desk: Desk) -> None:
    assert [len(one.part.entries) for one in revision(desk).waiting()] == [FEWEST]
    assert list(revision(desk).waiting(fewest=FEWEST + 1)) == []


def test_who_works_off_sessions_reads_what_they_taught_side_by_side_in_the_end(desk: Desk) -> None:
    desk.answer(hear(desk, "last", "The white bucket is for job number 90 now."))
    piece = working.next_piece(desk.memory, everything=True)
    assert isinstance(piece, RevisionTask)


def test_what_is_judged_worth_keeping_stays_and_counts_as_no_change(desk: Desk) -> None:
    task = taken(desk)
    before = set(desk.memories())
    kept = [{"id": name, "verdict": "keep", "reason": ""} for name, _ in task.part.memories()]
    assert answer(desk, task, *kept) == 0
    assert set(desk.memories()) == before


def test_what_was_said_later_about_the_same_is_shown_and_may_take_its_place(desk: Desk) -> None:
    gone = "The blue bucket is gone, job number 11 has none."
    desk.answer(hear(desk, "over", gone))
    renamed = "Job number 12 of the green bucket is called job number 77 from today."
    desk.answer(hear(desk, "moved", renamed))
    task = taken(desk)
    blue, green, red = (place(task, word) for word in ("blue", "green", "red"))
    later = {said.quote.id: (name, said) for name, said in task.part.words()}
    over, about = later["claude-code:over#2"]
    moved, _ = later["claude-code:moved#2"]
    assert blue in {f"m{place + 1}" for place in about.near}
    assert "The blue bucket is gone" in task.prompt.material
    far = {"id": red, "verdict": "replaced", "by": moved, "reason": ""}
    with pytest.raises(Refused, match="later words near to it"):
        answer(desk, task, far | {"by": "l99"})
    anew = "Job number 77 is what the green bucket is for."
    answer(
        desk,
        task,
        {"id": blue, "verdict": "replaced", "by": over, "reason": "gone"},
        {"id": green, "verdict": "reword", "by": moved, "text": anew, "reason": "renamed"},
    )
    assert not [said for said in desk.memories() if "blue" in said]
    assert anew in {advice.text for _, advice in desk.memory.review().advised()}
    desk.memory.unlearn("over", "was a trial")
    assert [said for said in desk.memories() if "blue" in said]


def test_what_a_session_was_said_to_end_in_other_words_is_shown_with_them(desk: Desk) -> None:
    task = hear(desk, "over", "We have cleared out that shelf, please open a PR.")
    (name,) = [one for one, item in task.others.items() if "blue" in item.document.description]
    assert f"ALSO REMEMBERED: {', '.join(task.others)}" in task.prompt.material
    judged = {"name": name, "verdict": "ended", "evidence": ["a2"]}
    desk.answer(task, memories=[judged])
    assert [said for said in desk.memories() if "blue" in said], "no word says so"
    look = taken(desk)
    ((word, said),) = [one for one in look.part.words() if one[1].doubts]
    assert f'"doubts": ["{place(look, "blue")}"]' in look.prompt.material
    gone = {"id": place(look, "blue"), "verdict": "replaced", "by": word, "reason": "cleared out"}
    assert answer(desk, look, gone) == 1
    assert said.quote.id == "claude-code:over#2"
    (waiting,) = [one for one in desk.pending() if "blue" in one.candidate.lesson]
    assert waiting.why == "a model would drop it: cleared out"


def test_what_a_person_said_stays_beside_a_fuller_one_that_is_trusted_less(desk: Desk) -> None:
    full = "The pearl bucket is for job number 40 and its copies lie in the cellar."
    asked = "Its copies could lie in the cellar, for job number 40. Shall I?"
    teach(desk, "short", "The pearl bucket is for job number 40.")
    teach(desk, "full", "yes, the pearl bucket", text=full, agent=asked)
    task = taken(desk)
    (short,) = [
        name
        for name, one in task.part.memories()
        if one.item.memory.trust == "user" and "pearl" in one.candidate.lesson
    ]
    answer(desk, task, {"id": short, "verdict": "same", "by": place(task, "cellar"), "reason": ""})
    kept = {item.memory.trust for said, item in desk.memories().items() if "pearl" in said}
    assert kept == {"user", "agent"}


def test_what_was_agreed_to_may_be_said_in_part_in_its_own_words(desk: Desk) -> None:
    whole = "Copies of the pearl bucket lie in the cellar, and a note of each hangs at the door."
    teach(desk, "agreed", "yes", text=whole, agent=f"{whole[:-1]} then. Shall I do that?")
    teach(desk, "later", "No note hangs at the door any more.")
    task = taken(desk)
    rest = "Copies of the pearl bucket lie in the cellar."
    half = {"id": place(task, "pearl"), "verdict": "half", "text": rest, "reason": "no notes"}
    assert answer(desk, task, half | {"by": place(task, "any more")}) == 1
    assert desk.memories()[rest].memory.trust == "agent"


def test_an_old_name_is_reworded_with_the_one_that_has_the_new(desk: Desk) -> None:
    teach(desk, "old", "The list of buckets is in stock/pails.txt for every job.")
    teach(desk, "new", "The list of buckets is in store/buckets.txt from today.")
    task = taken(desk)
    old, new = place(task, "pails"), place(task, "store/")
    text = "The list of buckets is in store/buckets.txt for every job."
    given = {"id": old, "verdict": "reword", "text": text, "reason": "moved"}
    with pytest.raises(Refused, match="stands neither"):
        answer(desk, task, given)
    assert answer(desk, task, given | {"by": new}) == 1
    assert text in {advice.text for _, advice in desk.memory.review().advised()}


def test_who_corrects_a_verdict_is_shown_only_the_memories_it_names(desk: Desk) -> None:
    task = taken(desk)
    again = task.only({"verdicts": [{"id": "m2", "verdict": "same", "by": "m5"}]})
    shown = [
        json.loads(line)["id"] for line in again.prompt.material.splitlines() if line[0] == "{"
    ]
    assert shown == ["m2", "m5"]
    assert task.only({"verdicts": []}).prompt == task.prompt


def test_each_short_answer_is_shown_with_what_it_answered(desk: Desk) -> None:
    desk.now += timedelta(days=1)
    asked = "Copies of the pearl bucket could lie in the cellar. Shall I do that?"
    opening = "Where should the copies of the pearl bucket lie, what do you think of it?"
    turns = [("user", opening), ("assistant", asked), ("user", "yes")]
    desk.learn("pearl", *turns)
    task = desk.take()
    given = lesson(task, "Copies of the pearl bucket lie in the cellar.")
    desk.answer(task, given | {"evidence": ["a0", "a2"]})
    task = taken(desk)
    (line,) = [one for one in task.prompt.material.splitlines() if '"Copies of the pearl' in one]
    assert "could lie in the cellar" in line


def test_what_was_judged_is_not_asked_again_unless_something_bears_on_it(desk: Desk) -> None:
    task = taken(desk)
    kept = [{"id": name, "verdict": "keep", "reason": ""} for name, _ in task.part.memories()]
    answer(desk, task, *kept)
    for number, crane in enumerate(CRANES):
        teach(desk, f"n{number}", f"A {crane} crane lifts parcels at berth {number + 41}.")
    teach(desk, "near", "The blue bucket is for the tests of job number 11 too.")
    again = taken(desk)
    shown = {entry.candidate.lesson for _, entry in again.part.memories()}
    assert sum("crane" in said for said in shown) == len(CRANES)
    told = [json.loads(line) for line in again.prompt.material.splitlines() if line[0] == "{"]
    judged = {one["says"] for one in told if one.get("judged")}
    assert "The blue bucket is for job number 11 now." in judged
    assert len(judged) < FEWEST, "those that nothing bears on are not shown once more"


def test_two_that_a_person_said_are_joined_with_their_yes(desk: Desk) -> None:
    teach(desk, "fuller", "The blue bucket is for the tests too.")
    task = taken(desk)
    other = place(task, "tests")
    (one,) = [name for name, old in task.part.memories() if old.item.name.endswith("11")]
    both = "The blue bucket is for job number 11 now, and for the tests too."
    verdict = {"id": other, "verdict": "join", "by": one, "text": both, "reason": "one thing"}
    stays = {"id": one, "verdict": "keep", "reason": ""}
    assert answer(desk, task, verdict, stays) == 2
    assert sum("blue" in said for said in desk.memories()) == 2
    review = desk.memory.review()
    assert {advice.text for _, advice in review.advised()} == {both, ""}
    for waiting, advice in review.advised():
        review.take_advice(waiting, advice)
    assert [said for said in desk.memories() if "blue" in said] == [both]


def test_what_was_taken_out_again_is_over_by_the_words_that_say_so(desk: Desk) -> None:
    gone = "The blue bucket is gone, job number 11 has none."
    desk.answer(hear(desk, "over", gone))
    task = taken(desk)
    blue = place(task, "blue")
    (name,) = [name for name, said in task.part.words() if said.quote.id == "claude-code:over#2"]
    assert answer(desk, task, {"id": blue, "verdict": "over", "by": name, "reason": "out"}) == 1
    assert not [said for said in desk.memories() if "blue" in said]


def test_what_a_person_said_is_not_over_because_a_model_says_so(desk: Desk) -> None:
    task = taken(desk)
    blue = place(task, "blue")
    answer(desk, task, {"id": blue, "verdict": "over", "by": None, "reason": "taken out"})
    assert [said for said in desk.memories() if "blue" in said]


def test_what_an_agent_took_out_later_is_shown_and_ends_what_nobody_confirmed(desk: Desk) -> None:
    shown = "Shown on the left side, beside the list of ships. Shall it stay there?"
    teach(desk, "pier", "yes, please", "Pier details are shown on the left side.", agent=shown)
    end = "Two commits:\n- `feat: a new ledger`\n- `refactor!: replace pier details with a map`"
    desk.answer(hear(desk, "later", "thanks", agent=end))
    task = taken(desk)
    pier, blue = place(task, "Pier"), place(task, "blue")
    ((name, said),) = [one for one in task.part.words() if one[1].quote.trust != "user"]
    assert "(agent): - `refactor!: replace pier details with a map`" in task.prompt.material
    assert "a new ledger" not in said.quote.quote
    with pytest.raises(Refused, match="later words near to it"):
        answer(desk, task, {"id": blue, "verdict": "over", "by": name, "reason": ""})
    assert answer(desk, task, {"id": pier, "verdict": "over", "by": name, "reason": "out"}) == 1
    assert not [said for said in desk.memories() if "Pier" in said]


@pytest.mark.proves("F13")
@pytest.mark.hostile("M9")
def test_what_a_person_said_is_not_over_because_an_agent_took_it_out(desk: Desk) -> None:
    end = "The blue bucket for job number 11 was removed."
    desk.answer(hear(desk, "later", "thanks", agent=end))
    task = taken(desk)
    blue = place(task, "blue")
    (name,) = [name for name, said in task.part.words() if said.quote.trust != "user"]
    answer(desk, task, {"id": blue, "verdict": "over", "by": name, "reason": "taken out"})
    assert [said for said in desk.memories() if "blue" in said]
    (waiting,) = [one for one in desk.pending() if "blue" in one.candidate.lesson]
    assert waiting.why == "a model would drop it: taken out"


def test_later_words_are_found_by_what_a_memory_is_called(desk: Desk) -> None:
    task = hear(desk, "pier", "Rows of ferries that are late are painted in a loud colour by hand.")
    text = "Rows of ferries that are late are painted in a loud colour by hand."
    desk.answer(task, lesson(task, text, name="ferry-paint"))
    desk.answer(hear(desk, "later", "The ferry needs no paint."))
    look = taken(desk)
    found = {said.quote.id: said.near for _, said in look.part.words()}
    assert int(place(look, "ferries")[1:]) - 1 in found["claude-code:later#2"]
