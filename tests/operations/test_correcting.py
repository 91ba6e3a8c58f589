"""Corrections and labels on the paths people take: listed, told unasked, counted, fitted."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Answer
from tests.recall.conftest import NOW, Correct
from tests.recall.conftest import correct as correct
from tests.recall.conftest import memory as memory
from tests.sessions.worklogs import lines, write

from reverie.asker import OWNER
from reverie.clock import fixed, parse_iso
from reverie.memory import Memory
from reverie.operations import correcting, figures
from reverie.recall.rank import SIGNALS
from reverie.recall.recall import Request, Sources, recall
from reverie.sessions.corrections import corrections
from reverie.sessions.labels import Labels
from reverie.settings import Decay, Settings, Signals

HIGH, LOW = "grease the pulley with tallow", "paint the mast white by noon"
SAID = "2026-11-12T10:00:00.000Z"


def unasked(memory: Memory, settings: Settings, now: str = NOW) -> dict[str, float]:
    """What a session that asks nothing is told, in its order, with the scores."""
    sources = Sources(memory.database, memory.index_database, settings, fixed(now))
    found = recall(Request(project="harbour", stores=()), sources)
    return {item.entry.text: item.score for item in found.items}


@pytest.fixture(params=SIGNALS)
def signal(request: pytest.FixtureRequest, memory: Memory, correct: Correct) -> str:
    """The one signal that two corrections differ in; the one that has less of it comes first."""
    name = str(request.param)
    flat = dict.fromkeys(set(SIGNALS) - {"label", "recency"}, 0.5)
    more = flat | ({name: 1.0} if name in flat else {})
    less = flat | ({name: 0.0} if name in flat else {})
    correct(1, LOW, signals=less, at="2026-11-11" if name == "recency" else SAID)
    high = correct(2, HIGH, signals=more, at=SAID)
    if name == "label":
        correcting.label(memory, high.id, "explicit", "none")
    return name


@pytest.mark.proves("E2")
def test_each_signal_acts_on_what_is_told_unasked_by_its_weight(
    memory: Memory, signal: str
) -> None:
    forever = Decay(half_life_days=1e9)
    told = unasked(memory, Settings(decay=forever))
    assert list(told) == [HIGH, LOW]
    assert told[HIGH] > told[LOW]
    off: dict[str, Any] = {signal: 0.0}
    without = unasked(memory, Settings(decay=forever, signals=Signals(**off)))
    assert without[HIGH] == pytest.approx(without[LOW])


@pytest.mark.proves("E3")
def test_what_is_told_unasked_has_half_its_score_after_a_week(
    memory: Memory, correct: Correct
) -> None:
    correct(1, HIGH, signals={"misstep": 0.8}, at=SAID)
    (now,) = unasked(memory, Settings(), SAID).values()
    (later,) = unasked(memory, Settings(), "2026-11-19T10:00:00.000Z").values()
    assert later / now == pytest.approx(0.5)


@pytest.mark.proves("E3")
@pytest.mark.parametrize(("days", "share"), [(1, 0.91), (7, 0.50), (30, 0.05)])
def test_the_list_of_corrections_fades_as_promised(
    memory: Memory, correct: Correct, days: int, share: float, answer: Answer
) -> None:
    correct(1, HIGH, signals={"misstep": 0.8, "tier": 0.4}, at="2026-10-01T10:00:00.000Z")
    (now,) = answer("corrections", "--json", now="2026-10-01T10:00:00Z")
    moment = parse_iso("2026-10-01T10:00:00Z") + timedelta(days=days)
    (later,) = answer("corrections", "--json", now=moment.isoformat())
    assert round(later["rank"] / now["rank"], 2) == share


@pytest.mark.proves("E3")
@pytest.mark.parametrize("everything", [(), ("--all",)])
def test_what_is_chosen_by_its_signals_is_listed_by_its_score(
    memory: Memory, correct: Correct, answer: Answer, everything: tuple[str, ...]
) -> None:
    old = correct(1, LOW, signals={"misstep": 0.9}, at="2026-09-01")
    new = correct(2, HIGH, signals={"misstep": 0.4}, at=SAID)
    standing = correct(3, "never leave the winch alone", signals={"misstep": 0.6}, standing=True)
    assert {one.row.id for one in correcting.corrections(memory)[:2]} == {old.id, standing.id}
    listed = answer("corrections", "--json", *everything, now=NOW)
    assert [one["id"] for one in listed] == [standing.id, new.id, old.id]
    ranks = [one["rank"] for one in listed]
    assert ranks == sorted(ranks, reverse=True)


@pytest.mark.proves("E2")
def test_a_label_comes_before_the_detector_in_the_list_of_corrections_and_the_figures(
    memory: Memory, correct: Correct
) -> None:
    wrong = correct(1, LOW, signals={"misstep": 0.9})
    plain = correct(2, HIGH, signals={"misstep": 0.5})
    missed = correct(3, "the tide table hangs at the pier", label="none", score=0.2)
    assert figures.helped(memory).stats.corrections == 2
    correcting.label(memory, wrong.id, "none", "none")
    correcting.label(memory, missed.id, "implicit", "none")
    listed = {one.row.id: one.row.label for one in correcting.corrections(memory)}
    assert listed == {plain.id: "explicit", missed.id: "implicit"}
    assert (figures.helped(memory).stats.corrections, figures.helped(memory).labels) == (2, 2)


@pytest.mark.proves("E2")
def test_a_label_counts_in_what_is_told_unasked_and_asked(memory: Memory, correct: Correct) -> None:
    denied = correct(1, LOW, signals={"misstep": 0.9})
    correct(2, HIGH, signals={"misstep": 0.5})
    question = Request(query="grease the pulley and paint the mast", project="harbour")
    sources = Sources(memory.database, memory.index_database, Settings(), fixed(NOW))
    assert {one.text for one in recall(question, sources).entries} == {HIGH, LOW}
    correcting.label(memory, denied.id, "none", "none")
    assert list(unasked(memory, Settings())) == [HIGH]
    assert [one.text for one in recall(question, sources).entries] == [HIGH]


@pytest.mark.proves("E2")
def test_a_label_counts_in_what_a_session_is_told_at_its_start(
    memory: Memory, correct: Correct
) -> None:
    gist = "Grease the pulley of the crane with tallow every morning."
    other = "Paint the mast of the ferry white before the noon inspection."
    likely = correct(1, other, gist=other, score=0.6)
    unlikely = correct(2, gist, gist=gist, score=0.3)
    assert [line.text for line in memory.digest().lines] == [other, gist]
    correcting.label(memory, unlikely.id, "explicit", "project")
    assert [line.text for line in memory.digest().lines] == [gist, other]
    correcting.label(memory, likely.id, "none", "none")
    assert [line.text for line in memory.digest().lines] == [gist]


TALK = [
    ("you", "go on"),
    *[("agent", "done"), ("you", "no, that is wrong, use the other one")] * 60,
]


@pytest.mark.proves("E2")
@pytest.mark.parametrize("verdict", ["none", "explicit"])
def test_60_labels_move_the_misstep_probability_of_every_project(
    tmp_path: Path, verdict: str
) -> None:
    write(tmp_path / "logs" / "-w-app" / "one.jsonl", lines("one", *TALK))
    other = lines("two", *TALK[:3], cwd="/w/tool")
    write(tmp_path / "logs" / "-w-tool" / "two.jsonl", other)
    with Memory.open(folder=tmp_path, asker=OWNER) as memory:
        memory.learn(tmp_path / "logs")
        before = {row.id: row.signals["misstep"] for row in corrections(memory.index_database)}
        chosen = [row for row in corrections(memory.index_database) if row.project == "app"]
        labels = Labels(memory.database)
        for row in chosen[:49]:
            labels.put(row.id, row.session, verdict, "none")
        memory.learn(tmp_path / "logs")
        assert before == misstep(memory)
        assert not figures.helped(memory).fitted
        for row in chosen[49:60]:
            labels.put(row.id, row.session, verdict, "none")
        # No session is new: the labels alone are reason to look at all of them again.
        memory.learn(tmp_path / "logs")
        after = misstep(memory)
        found = figures.helped(memory)
    assert (found.labels, found.fitted) == (60, True)
    for name, value in before.items():
        moved = after[name] - value
        assert moved < -0.1 if verdict == "none" else moved > 0.01


def misstep(memory: Memory) -> dict[str, float]:
    return {row.id: row.signals["misstep"] for row in corrections(memory.index_database)}


@pytest.mark.proves("E2")
def test_labels_given_at_the_command_line_are_fitted_at_once(
    memory: Memory, correct: Correct, answer: Answer
) -> None:
    rows = [correct(number, f"{LOW} {number}", score=0.8) for number in range(1, 61)]
    for row in rows:
        correcting.label(memory, row.id, "none", "none")
    assert correcting.fit(memory) == 60
    fitted = misstep(memory)
    assert max(fitted.values()) < 0.5
    # The same labels give the same figures, and nothing is left to do.
    correcting.fit(memory)
    assert misstep(memory) == fitted
    Labels(memory.database).take_back([row.id for row in rows], {})
    correcting.fit(memory)
    assert set(misstep(memory).values()) == {0.8}


RULE = "from now on always run the linter before every commit"


@pytest.mark.proves("E2")
@pytest.mark.parametrize(("durable", "learned"), [("none", []), ("project", ["created"])])
def test_nothing_is_learned_from_a_turn_of_which_a_person_said_that_nothing_lasts(
    tmp_path: Path, durable: str, learned: list[str]
) -> None:
    talk = [("you", "add the parser"), ("agent", "done"), ("you", RULE), ("agent", "I will")]
    write(tmp_path / "logs" / "-w-app" / "one.jsonl", lines("one", *talk))
    with Memory.open(folder=tmp_path, asker=OWNER) as memory:
        correcting.label(memory, "claude-code:one#2", "none", durable)
        report = memory.learn(tmp_path / "logs")
    assert [outcome.action for _, outcome in report.outcomes] == learned
