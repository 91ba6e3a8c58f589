"""The review queue: what says the same is one entry, with every piece of its evidence."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.learn.benches import Bench
from tests.learn.memories.test_writing import PROJECT, said

from reverie.asker import OWNER
from reverie.cli import printing
from reverie.cli.review import ask
from reverie.cli.root import run
from reverie.errors import NotFound
from reverie.learn.memories.queue import WEEKLY, Queue, Review
from reverie.learn.memories.quotes import quotes
from reverie.learn.memories.writing import Writer
from reverie.memory import Memory
from reverie.operations import repairing
from reverie.sessions.corrections import CorrectionRow, replace_session
from reverie.sessions.labels import Labels
from reverie.store.library import Library
from reverie.store.store import Store

FIRST = "Don't mock the database in tests."
AGAIN = "Use the real database in tests."


def queued(store: Store, *lessons: str, **changes: object) -> list[Review]:
    """What waits after these were said, unsurely, one a day."""
    queue = Queue(store.database, store.context.clock)
    writer = Writer(store, queue, unasked=False)
    for day, lesson in enumerate(lessons, 1):
        writer.write(said(lesson, day, **changes), sure=False)
    return queue.pending()


@pytest.mark.proves("B7")
def test_the_same_in_other_words_is_one_entry_with_two_pieces_of_evidence(bench: Bench) -> None:
    (entry,) = queued(bench.store, FIRST, AGAIN)
    assert entry.candidate.lesson == FIRST
    assert [one.evidence for one in entry.also] == ["claude-code:s2#4"]
    assert [one.quote for one in entry.also] == [AGAIN]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The dev server listens on port 8080.", "The dev server listens on port 8443."),
        ("Use tabs in the Makefile.", "Don't use tabs in the Makefile."),
        ("Run pytest before you commit.", "Run ruff before you commit."),
        ("`x run test` fails; `run test` works", "`x run test` fails; `x test run test` works"),
    ],
)
def test_a_number_a_negation_or_a_name_keeps_two_entries_apart(
    bench: Bench, one: str, other: str
) -> None:
    assert [entry.also for entry in queued(bench.store, one, other)] == [(), ()]


def test_another_store_or_another_trust_is_another_entry(bench: Bench) -> None:
    queue = Queue(bench.store.database, bench.store.context.clock)
    writer = Writer(bench.store, queue, unasked=False)
    writer.write(said(FIRST, 1), sure=False)
    writer.write(said(AGAIN, 2, project="garage"), sure=False)
    writer.hold(said(AGAIN, 3, trust="tool"), why="only a tool said so")
    assert [entry.also for entry in queue.pending()] == [(), (), ()]


def test_of_what_a_tool_refused_one_way_that_works_is_asked_about(bench: Bench) -> None:
    queue = Queue(bench.store.database, bench.store.context.clock)
    writer = Writer(bench.store, queue)
    for day, way in enumerate(("moor test", "quay moor test"), start=1):
        lesson = f"Use `{way}`: `quay test` fails with “unknown command”"
        failed = said(lesson, day, trust="tool", premise="quay test", standing=False)
        writer.hold(failed, why="only a tool said so")
    (entry,) = queue.pending()
    assert len(entry.also) == 1


def test_a_second_run_joins_to_what_the_first_one_left_and_repeats_nothing(bench: Bench) -> None:
    queued(bench.store, FIRST)
    for _ in range(2):
        queued(bench.store, FIRST, AGAIN)
    (entry,) = queued(bench.store, FIRST)
    assert len(entry.also) == 1


def test_the_surest_of_them_gives_the_score(bench: Bench) -> None:
    queue = Queue(bench.store.database, bench.store.context.clock)
    writer = Writer(bench.store, queue, unasked=False)
    writer.write(said(FIRST, 1, score=0.3), sure=False)
    outcome = writer.write(said(AGAIN, 2, score=0.6), sure=False)
    assert outcome.action == "joined"
    (entry,) = queue.pending()
    assert entry.score == 0.6


def test_what_is_said_surely_answers_what_waited(bench: Bench) -> None:
    queued(bench.store, FIRST, AGAIN)
    queue = Queue(bench.store.database, bench.store.context.clock)
    writer = Writer(bench.store, queue, unasked=False)
    writer.write(said("Never mock the database in tests.", 3), sure=True)
    assert queue.pending() == []
    (item,) = Library(bench.store, PROJECT).documents()
    assert item.document.support == 3
    assert len(quotes(bench.store.database, item.document.evidence)) == 3


@pytest.mark.proves("E2")
def test_what_a_person_labelled_as_lasting_is_asked_first_and_what_lasts_not_last(
    bench: Bench,
) -> None:
    lessons = ("Pin the image.", "Log in German.", "Sign every tag.")
    first, second, third = queued(bench.store, *lessons)
    labels = Labels(bench.store.database)
    labels.put(third.candidate.evidence, third.candidate.session, "none", "project")
    labels.put(first.candidate.evidence, first.candidate.session, "explicit", "none")
    queue = Queue(bench.store.database, bench.store.context.clock)
    assert [one.id for one in queue.asked()] == [third.id, second.id, first.id]


@pytest.fixture
def memory(isolated_home: Path) -> Iterator[Memory]:
    with Memory.open(isolated_home / ".reverie", asker=OWNER) as opened:
        queued(opened.store, FIRST, AGAIN)
        yield opened


@pytest.mark.parametrize("edited", [False, True])
def test_accepting_one_keeps_the_evidence_of_all(memory: Memory, edited: bool) -> None:
    desk = memory.review()
    (entry,) = desk.pending().reviews
    own = replace(entry.candidate.document(), description="Tests talk to a real database.")
    desk.accept(entry, document=own if edited else None)
    (item,) = Library(memory.store, PROJECT).documents()
    assert item.document.evidence == ("claude-code:s1#4", "claude-code:s2#4")
    assert item.document.support == 2
    assert len(quotes(memory.database, item.document.evidence)) == 2
    labels = memory.labels.all()
    assert {one: labels[one].durable for one in item.document.evidence} == dict.fromkeys(
        item.document.evidence, "project"
    )
    assert desk.pending().reviews == []


def test_accepting_a_lesson_does_not_deny_that_it_was_a_correction(memory: Memory) -> None:
    place = ("claude-code:s1#4", "claude-code:s1", "claude-code", 4, "2026-11-01", PROJECT)
    row = CorrectionRow(*place, FIRST, label="implicit", score=0.7)
    with memory.index.atomic() as database:
        replace_session(database, row.session, [row])
    desk = memory.review()
    desk.accept(desk.pending().reviews[0])
    labels = memory.labels.all()
    assert {one: labels[one].correction for one in labels} == {
        "claude-code:s1#4": "implicit", "claude-code:s2#4": "none"
    }  # fmt: skip


def test_rejecting_one_rejects_all_and_none_is_asked_for_again(memory: Memory) -> None:
    joined = said(AGAIN, 2).id
    memory.review().reject(joined)
    assert queued(memory.store, FIRST, AGAIN) == []
    queue = Queue(memory.database, memory.clock)
    assert {queue.status(said(FIRST, 1).id), queue.status(joined)} == {"rejected"}


def test_unlearning_the_first_leaves_the_others_as_one_entry(bench: Bench) -> None:
    third = "Tests use the real database."
    (entry,) = queued(bench.store, FIRST, AGAIN, third)
    assert len(entry.also) == 2
    bench.unlearn(1)
    (left,) = Queue(bench.store.database, bench.store.context.clock).pending()
    assert left.candidate.lesson == AGAIN
    assert [one.lesson for one in left.also] == [third]


def test_the_list_says_how_often_it_was_said(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(memory.review().pending().reviews) == 1
    assert run(["review"]) == 0
    assert f"{FIRST} (said 2 times)" in capsys.readouterr().out
    assert run(["review", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert [one["quote"] for one in entry["also"]] == [AGAIN]


@pytest.mark.parametrize(
    ("trust", "who"), [("user", "the person"), ("agent", "a program"), ("tool", "a tool")]
)
def test_review_says_whose_words_they_are(
    trust: str,
    who: str,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lesson = "Run ruff before you commit."
    (entry,) = [
        r for r in queued(memory.store, lesson, trust=trust) if r.candidate.lesson == lesson
    ]
    assert run(["review"]) == 0
    assert (f"{lesson} (by {who})" in capsys.readouterr().out) == (trust != "user")
    monkeypatch.setattr(printing, "key", lambda: "q")
    ask(memory, memory.review(), [entry])
    shown = capsys.readouterr().err
    assert f"{who}: " in shown and f"“{lesson}”" in shown
    assert trust == "user" or "the person" not in shown


@pytest.mark.proves("D5")
def test_what_a_person_says_in_a_second_session_is_written_without_a_question(bench: Bench) -> None:
    queue = Queue(bench.store.database, bench.store.context.clock)
    writer = Writer(bench.store, queue)
    first, again = (
        "Never mock the harbour clock in tests.",
        "Don't mock the harbour clock in tests.",
    )
    assert writer.write(said(first, 1), sure=False).action == "queued"
    assert writer.write(
        replace(said(first, 1), evidence="claude-code:s1#9"), sure=False
    ).action == ("joined")
    assert writer.write(said(again, 2), sure=False).action == "created"
    assert queue.pending() == []


def test_an_agents_word_said_twice_still_waits(bench: Bench) -> None:
    waiting = "Never mock the harbour clock in tests."
    (entry,) = queued(bench.store, waiting, waiting, trust="agent")
    assert len(entry.also) == 1


def test_of_one_week_a_person_is_asked_about_few_and_the_best(bench: Bench) -> None:
    queue = Queue(bench.store.database, bench.store.context.clock)
    for number in range(WEEKLY + 3):
        one = said(f"Boat {number} needs {number} ropes.", 1, score=number / 100)
        queue.add(one, why="unsure")
    queue.add(said("The pier is closed in winter.", 20, score=0.0), why="unsure")
    asked = queue.asked()
    assert len(asked) == WEEKLY + 1 == queue.waiting()
    assert len(queue.pending()) == WEEKLY + 4
    assert asked[0].candidate.lesson.startswith(f"Boat {WEEKLY + 2} ")
    assert asked[-1].candidate.lesson == "The pier is closed in winter."


@pytest.mark.proves("F8")
@pytest.mark.parametrize(
    "forged",
    [
        "candidate = replace(candidate, 'mock', 'obey')",
        "candidate = '{}'",
        "candidate = '[1, 2'",
        "memory_id = 'mem_1'",
        "seal = NULL",
    ],
)
def test_an_entry_that_somebody_wrote_is_not_shown_and_the_rest_goes_on(forged: str) -> None:
    with Memory.open(asker=OWNER) as memory:
        memory.store.create_store(PROJECT)
        queued(memory.store, FIRST, "Deploys happen on Mondays only.")
        queue = Queue(memory.database, memory.clock)
        first = next(one for one in queue.pending() if one.candidate.lesson == FIRST)
        memory.database.query(f"UPDATE reviews SET {forged} WHERE id = ?", (first.id,))
        assert [one.candidate.lesson[:7] for one in queue.pending()] == ["Deploys"]
        with pytest.raises(NotFound):
            queue.decide(first.id, "accepted")
        assert memory.digest() is not None
        found = [one for one in memory.check() if one.check == "seals"]
        assert [(one.level, first.id in one.message) for one in found] == [("error", True)]
        repairing.repair(memory)
        assert not [one for one in memory.check() if one.check == "seals"]


@pytest.mark.proves("F8")
def test_a_quote_that_somebody_changed_is_not_shown() -> None:
    with Memory.open(asker=OWNER) as memory:
        memory.store.create_store(PROJECT)
        writer = Writer(memory.store, Queue(memory.database, memory.clock))
        writer.write(said(FIRST, 1), sure=True)
        assert quotes(memory.database, ["claude-code:s1#4"])
        memory.database.query("UPDATE evidence SET quote = 'Always obey this'")
        assert quotes(memory.database, ["claude-code:s1#4"]) == {}
        assert [one.level for one in memory.check() if one.check == "seals"] == ["error"]


def test_what_an_agent_says_as_well_is_asked_once(bench: Bench) -> None:
    queue = Queue(bench.store.database, bench.store.context.clock)
    writer = Writer(bench.store, queue, unasked=False)
    for day, trust in enumerate(("user", "agent"), start=1):
        writer.write(said("Cranes are painted red.", day, trust=trust, standing=False), sure=False)
    assert len(queue.pending()) == 2
    assert len(queue.asked()) == 1 == queue.waiting()
