"""Dreaming as an operation: a proposal, what was done at once, and nothing else."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reverie.errors import Archived, Conflict, NotFound
from reverie.memory import Memory
from reverie.operations import learning, stores
from reverie.operations.starts.starting import read_due


def heads(memory: Memory) -> dict[str, str]:
    return {
        f"{info.name}{one.path}": one.version_id
        for info in memory.store.stores()
        for one in memory.store.walk(info.id)
    }


@pytest.mark.proves("F2")
def test_the_whole_loop_runs_without_a_model_a_daemon_or_a_hook(
    fresh: Memory, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_else(*_: object, **__: object) -> None:
        raise AssertionError("a program was started, or a connection made")

    assert fresh.settings.engines.default == "rules"
    monkeypatch.setattr("subprocess.Popen", nothing_else)
    monkeypatch.setattr("socket.socket.connect", nothing_else)
    learned = fresh.learn(sample, jobs=1)
    assert learned.count("created") and learned.diaries and learned.corrections
    run = fresh.dream(sample, jobs=1)
    assert run.proposal is not None
    desk = fresh.review()
    offers = desk.pending(proposal=run.proposal.id).offers
    accepted = next(one for one in offers if one.change.verb == "create")
    assert desk.accept(accepted).outcome == "done"
    names = {item.name for item in fresh.memories(everywhere=True)}
    assert accepted.change.path.strip("/").removesuffix(".md") in names
    assert fresh.recall(accepted.change.after).text
    assert not (fresh.config.home / "spool").exists()
    assert not (fresh.config.home / "receipts.jsonl").exists()


def test_a_dream_offers_a_proposal_changes_no_memory_and_ends_the_reminder(
    memory: Memory, sample: Path
) -> None:
    learning.remind(memory)
    before = heads(memory)
    run = memory.dream(sample, jobs=1)
    assert run.proposal is not None
    assert run.applied == ()
    assert [one.id for one in memory.proposals.all()] == [run.proposal.id]
    assert memory.proposals.find(run.proposal.id[:9]) == run.proposal
    assert heads(memory) == before
    assert not memory.due().due
    assert read_due(memory) == ""


def test_what_needs_no_person_is_done_at_once_when_asked_for(memory: Memory, sample: Path) -> None:
    run = memory.dream(sample, apply=True, jobs=1)
    assert run.proposal is not None
    waiting = {offer.id for offer in memory.review().pending().offers}
    assert set(run.applied) == {change.id for change in run.proposal.changes} - waiting
    assert run.applied


def test_a_dream_into_a_new_store_leaves_the_others_alone(memory: Memory, sample: Path) -> None:
    before = heads(memory)
    memory.dream(sample, into="dreamt", jobs=1)
    after = heads(memory)
    assert {path: after[path] for path in before} == before
    assert any(path.startswith("dreamt/") for path in after)
    with pytest.raises(Conflict):
        memory.dream(sample, into="dreamt", min_sessions=1, min_days=1, jobs=1)


def test_a_dry_dream_over_logs_makes_no_home(fresh: Memory, sample: Path) -> None:
    run = fresh.dream(sample, dry_run=True, jobs=1)
    assert run.night.changes
    assert (run.id, run.proposal) == ("", None)
    assert not fresh.config.home.exists()


def test_a_dry_dream_over_what_is_known_writes_no_proposal(memory: Memory) -> None:
    assert memory.dream(dry_run=True).night.changes
    assert memory.proposals.all() == []


@pytest.mark.parametrize("name", ["x", ""])
@pytest.mark.parametrize("option", ["project", "sessions", "store"])
@pytest.mark.parametrize(("dry_run", "logs"), [(True, False), (False, True), (False, False)])
def test_a_name_nobody_knows_is_an_error(
    memory: Memory, sample: Path, option: str, name: str, dry_run: bool, logs: bool
) -> None:
    before = heads(memory)
    wanted: dict[str, Any] = {option: [name] if option == "sessions" else name}
    with pytest.raises(NotFound):
        memory.dream(sample if logs else None, dry_run=dry_run, jobs=1, **wanted)
    assert heads(memory) == before


def test_over_logs_alone_any_store_may_be_meant(fresh: Memory, sample: Path) -> None:
    run = fresh.dream(sample, store="team", dry_run=True, jobs=1)
    assert {change.store for change in run.night.changes} == {"team"}
    for wanted in ({"project": "x"}, {"sessions": ["x"]}, {"store": ""}):
        with pytest.raises(NotFound):
            fresh.dream(sample, dry_run=True, jobs=1, **wanted)  # type: ignore[arg-type]


def test_a_session_may_be_one_that_only_the_logs_tell_of(fresh: Memory, sample: Path) -> None:
    for dry_run in (True, False):
        run = fresh.dream(
            sample, sessions=["61bb35b3"], project="shop-api", dry_run=dry_run, jobs=1
        )
        assert [key[:20] for key in run.night.sessions] == ["claude-code:61bb35b3"]


@pytest.mark.proves("C5")
def test_a_dream_about_one_store_some_sessions_or_into_another_learns_nothing_besides(
    fresh: Memory, sample: Path
) -> None:
    fresh.store.create_store("team")
    for wanted in ({"store": "team"}, {"sessions": ["61bb35b3"]}, {"into": "dreamt"}):
        fresh.dream(sample, jobs=1, **wanted)  # type: ignore[arg-type]
    assert {path.partition("/")[0] for path in heads(fresh)} == {"dreamt"}
    assert fresh.learn(sample, jobs=1).count("created")


def test_a_dream_about_one_project_learns_from_it_alone(fresh: Memory, sample: Path) -> None:
    fresh.dream(sample, project="shop-api", jobs=1)
    assert any(path.startswith("shop-api/") for path in heads(fresh))
    assert not any(path.startswith("feed-loader/") for path in heads(fresh))


def test_after_a_dream_there_is_nothing_left_to_learn(fresh: Memory, sample: Path) -> None:
    fresh.dream(sample, jobs=1)
    assert learning.nothing_new(fresh, learning.found_logs(fresh, sample))


def test_the_store_of_a_project_takes_what_was_said_there(memory: Memory) -> None:
    run = memory.dream(dry_run=True, store="shop-api")
    assert run.night.ask.project == "shop-api"
    assert {change.store for change in run.night.changes} == {"shop-api"}
    feed = memory.index.sessions(project="feed-loader")
    run = memory.dream(dry_run=True, store="shop-api", sessions=[row.key for row in feed])
    assert run.night.sessions == tuple(row.key for row in feed)


def test_an_archived_store_is_not_dreamt_about(memory: Memory) -> None:
    memory.store.archive_store(memory.store.create_store("old").id)
    with pytest.raises(Archived):
        memory.dream(dry_run=True, store="old")


def test_a_store_may_be_named_by_its_beginning_or_be_that_of_a_project_to_come(
    memory: Memory,
) -> None:
    memory.store.create_store("elsewhere")
    assert memory.dream(dry_run=True, store="elsew").night.ask.store == "elsewhere"
    assert memory.dream(dry_run=True, store="global").night.ask.store == "global"


def test_a_dream_shows_in_mounted_folders_what_it_did(
    memory: Memory, sample: Path, tmp_path: Path
) -> None:
    stores.mount(memory, "global", str(tmp_path / "shown"))
    run = memory.dream(sample, apply=True, jobs=1)
    assert run.proposal is not None
    made = [c for c in run.proposal.changes if c.store == "global" and c.id in run.applied]
    assert made
    for change in made:
        assert (tmp_path / "shown" / (change.new_path or change.path).lstrip("/")).exists()


@pytest.mark.proves("A7")
def test_what_is_kept_private_is_in_no_dream(sample: Path, tmp_path: Path) -> None:
    def dreamt(name: str, **environ: str) -> dict[str, int]:
        where = tmp_path / name
        where.mkdir()
        with Memory.open(where / "home", folder=where, environ=environ) as memory:
            night = memory.dream(sample, dry_run=True, jobs=1).night
        return Counter(one.project for one in night.observations)

    every = dreamt("open")
    kept = next(project for project in every if project.startswith("shop-api"))
    assert dreamt("private", REVERIE_PRIVACY_IGNORE_PROJECTS=kept) == {
        project: count for project, count in every.items() if project != kept
    }
