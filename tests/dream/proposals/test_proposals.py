"""Proposals end to end: offered, decided, applied by compare-and-set, undone, not asked twice."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.dream.nights import CLOCK, Sleeper
from tests.dream.planted import plant

from reverie.cli.root import run
from reverie.db import leases
from reverie.documents.document import parse
from reverie.dream.model import Ask
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposal, Proposals
from reverie.errors import LeaseHeld, Refused
from reverie.sample import place
from reverie.sessions.turns import human_records
from reverie.store.model import Actor, Author

ME = Author(Actor("user"), "by hand")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    plant(folder, 3, sessions=24, rules=4)
    return folder


@pytest.fixture
def sleeper(tmp_path: Path, logs: Path, database_url: str) -> Iterator[Sleeper]:
    made = Sleeper(tmp_path, database_url)
    made.read(logs)
    yield made
    made.close()


def offered(sleeper: Sleeper) -> Proposal:
    proposal = sleeper.dreamer.run(Ask()).proposal
    assert proposal is not None
    return proposal


def applying(sleeper: Sleeper) -> tuple[Applying, Proposals]:
    kept = Proposals(sleeper.store.database, CLOCK)
    return Applying(sleeper.store, kept), kept


@pytest.mark.hostile("M4")
def test_who_accepts_a_proposal_vouches_for_its_words_alone(sleeper: Sleeper) -> None:
    proposal = offered(sleeper)
    offer = next(one for one in proposal.offers if one.change.verb == "create")
    wanted = parse(offer.change.after, path=offer.change.path)
    said = replace(wanted, name="same", trust="agent", body="Fetch tallow from the yard first.\n")
    sleeper.store.ensure_store(offer.change.store)
    by = Author(Actor("agent", "claude-code:s9"), trust="agent")
    known = sleeper.store.create(offer.change.store, "/same.md", said.text(), by)
    apply, _ = applying(sleeper)
    assert apply.accept(offer).outcome == "done"
    now = sleeper.store.get(offer.change.store, known.id)
    assert now.trust == "user"
    assert parse(now.content, path=now.path).body == wanted.body


@pytest.mark.proves("F1", "C5")
def test_a_dream_changes_nothing_until_somebody_accepts(sleeper: Sleeper) -> None:
    proposal = offered(sleeper)
    assert proposal.status == "open"
    assert all(change.evidence and change.after for change in proposal.changes)
    assert [
        memory for info in sleeper.store.stores() for memory in sleeper.store.walk(info.id)
    ] == []


@pytest.mark.proves("F1")
def test_a_person_is_quoted_as_they_said_it(tmp_path: Path) -> None:
    place(tmp_path / "sample")
    sleeper = Sleeper(tmp_path)
    sleeper.read(tmp_path / "sample")
    said = {" ".join(row["text"].split()) for row in human_records(tmp_path / "sample")}
    quotes = [
        quote.quote
        for change in offered(sleeper).changes
        for quote in change.evidence
        if quote.trust == "user"
    ]
    sleeper.close()
    assert len(quotes) > 5
    assert [quote for quote in quotes if not any(quote in text for text in said)] == []


@pytest.mark.proves("F1")
def test_accepted_changes_are_written_and_one_step_takes_them_back(sleeper: Sleeper) -> None:
    desk, kept = applying(sleeper)
    proposal = offered(sleeper)
    for offer in proposal.offers:
        assert desk.accept(offer).outcome == "done"
    change = proposal.changes[0]
    memory = sleeper.store.get(change.store, change.path)
    assert parse(memory.content).evidence == parse(change.after).evidence
    for offer in kept.find(proposal.id).offers:
        assert desk.undo(offer).outcome == "done"
    assert kept.find(proposal.id).status == "undone"
    assert [
        memory for info in sleeper.store.stores() for memory in sleeper.store.walk(info.id)
    ] == []


@pytest.mark.proves("A7", "F11")
def test_without_new_evidence_there_is_nothing_to_do(sleeper: Sleeper) -> None:
    desk, _ = applying(sleeper)
    for offer in offered(sleeper).offers:
        desk.accept(offer)
    again = sleeper.dreamer.run(Ask())
    assert again.proposal is None
    assert again.night.changes == ()


def test_the_same_dream_offers_the_same_proposal(sleeper: Sleeper) -> None:
    assert offered(sleeper).id == offered(sleeper).id


@pytest.mark.proves("F1")
@pytest.mark.hostile("CC6")
def test_an_edit_made_meanwhile_wins_and_the_change_is_offered_again(
    sleeper: Sleeper, tmp_path: Path
) -> None:
    desk, kept = applying(sleeper)
    first = offered(sleeper)
    for offer in first.offers:
        desk.accept(offer)
    plant(tmp_path / "more", 3, sessions=40, rules=4)
    sleeper.read(tmp_path / "more")
    proposal = sleeper.dreamer.run(Ask()).proposal
    assert proposal is not None
    offer = next(one for one in proposal.offers if one.change.verb == "corroborate")
    change = offer.change
    mine = change.before + "\nMy own note.\n"
    sleeper.store.update(change.store, change.path, content=mine, by=ME)
    assert desk.accept(offer).outcome == "again"
    assert sleeper.store.get(change.store, change.path).content == mine
    fresh = kept.offer(offer.id)
    assert fresh.status == "pending"
    assert desk.accept(fresh).outcome == "done"
    content = sleeper.store.get(change.store, change.path).content
    assert "My own note." in content
    assert parse(content).support == parse(change.after).support


def test_an_agent_accepts_nothing_that_changes_what_a_person_accepted(
    sleeper: Sleeper, tmp_path: Path
) -> None:
    desk, kept = applying(sleeper)
    for offer in offered(sleeper).offers:
        desk.accept(offer)
    plant(tmp_path / "more", 3, sessions=40, rules=4)
    sleeper.read(tmp_path / "more")
    proposal = offered(sleeper)
    offer = next(one for one in proposal.offers if one.change.verb == "corroborate")
    before = sleeper.store.sequences()
    with pytest.raises(Refused) as refusal:
        desk.accept(offer, actor=Actor("agent", "s-1"))
    assert "reverie edit" in (refusal.value.hint or "")
    assert sleeper.store.sequences() == before
    assert kept.offer(offer.id).status == "pending"


def test_undoing_gives_old_words_the_trust_they_had(sleeper: Sleeper, tmp_path: Path) -> None:
    desk, kept = applying(sleeper)
    for offer in offered(sleeper).offers:
        desk.accept(offer)
    plant(tmp_path / "more", 3, sessions=40, rules=4)
    sleeper.read(tmp_path / "more")
    offers = offered(sleeper).offers
    offer = next(one for one in offers if one.change.verb == "corroborate")
    change = replace(offer.change, trust="tool")
    desk.accept(replace(offer, change=change))
    assert sleeper.store.get(change.store, change.path).trust == "tool"
    desk.undo(replace(kept.offer(offer.id), change=change))
    assert sleeper.store.get(change.store, change.path).trust == "user"


def test_undoing_leaves_what_was_edited_since(sleeper: Sleeper) -> None:
    desk, kept = applying(sleeper)
    proposal = offered(sleeper)
    desk.accept(proposal.offers[0])
    change = proposal.changes[0]
    memory = sleeper.store.get(change.store, change.path)
    sleeper.store.update(change.store, change.path, content=memory.content + "\nMine.\n", by=ME)
    assert desk.undo(kept.offer(change.id)).outcome == "again"
    assert "Mine." in sleeper.store.get(change.store, change.path).content


@pytest.mark.proves("A7")
def test_a_rejected_pattern_comes_back_only_when_its_evidence_doubles(sleeper: Sleeper) -> None:
    desk, _ = applying(sleeper)
    proposal = offered(sleeper)
    turned_down = proposal.offers[0]
    desk.reject(turned_down)
    rejected = sleeper.dreamer.run(Ask()).proposal
    assert rejected is not None
    assert turned_down.change.pattern not in {change.pattern for change in rejected.changes}


@pytest.mark.proves("F8")
def test_unattended_what_only_tools_said_keeps_waiting(sleeper: Sleeper) -> None:
    proposal = offered(sleeper)
    done = set(sleeper.dreamer.apply_unattended(proposal))
    waiting = [change for change in proposal.changes if change.id not in done]
    assert waiting
    assert all(change.trust in {"tool", "web"} for change in waiting)
    for change in proposal.changes:
        if change.id in done:
            assert sleeper.store.get(change.store, change.path).trust == change.trust


def test_a_new_store_takes_the_result_and_the_others_stay(sleeper: Sleeper) -> None:
    before = {info.name for info in sleeper.store.stores()}
    done = sleeper.dreamer.into(sleeper.dreamer.run(Ask()), "dreamt").applied
    assert {info.name for info in sleeper.store.stores()} == before | {"dreamt"}
    assert len(list(sleeper.store.walk("dreamt"))) == len(done) > 0


@pytest.mark.hostile("CC7")
def test_one_dream_per_store_and_who_was_too_slow_cannot_write(sleeper: Sleeper) -> None:
    database = sleeper.store.database
    slow = leases.take(database, CLOCK, "all", "elsewhere:1", doing="a dream")
    with pytest.raises(LeaseHeld):
        leases.take(database, CLOCK, "all", "elsewhere:2", doing="a dream")
    leases.give_back(database, slow)
    leases.take(database, CLOCK, "all", "elsewhere:2", doing="a dream")
    with pytest.raises(LeaseHeld), database.atomic() as tx:
        leases.fence(tx, slow)


DREAM = """
from pathlib import Path
from tests.dream.nights import Sleeper
from reverie.dream.model import Ask
Sleeper(Path({home!r}), {url!r}).dreamer.run(Ask())
print("dreamt", flush=True)
"""


def dreamt_and_killed(home: Path, url: str, point: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", DREAM.format(home=str(home), url=url)],
        env={"REVERIE_TEST_KILL_AT": point},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.proves("C5")
@pytest.mark.hostile("K2")
@pytest.mark.parametrize("point", ["dream_begun", "dream_weigh", "dream_check", "dream_offered"])
def test_a_run_that_was_killed_goes_on_under_its_own_id(
    sleeper: Sleeper, tmp_path: Path, database_url: str, point: str
) -> None:
    ended = dreamt_and_killed(tmp_path, database_url, point)
    assert (ended.returncode, ended.stdout) == (-9, ""), ended.stderr
    database = sleeper.store.database
    (begun,) = database.query("SELECT id, status FROM dreams")
    assert begun[1] == "running"
    assert database.query("SELECT id FROM proposals") == []
    done = sleeper.dreamer.run(Ask())
    assert done.id == begun[0]
    assert done.proposal is not None
    assert database.query("SELECT status, proposal FROM dreams") == [("done", done.proposal.id)]


@pytest.mark.hostile("K2")
def test_a_dream_that_was_killed_after_it_was_kept_is_not_offered_twice(
    sleeper: Sleeper, tmp_path: Path, database_url: str
) -> None:
    whole = dreamt_and_killed(tmp_path, database_url, "")
    assert (whole.returncode, whole.stdout) == (0, "dreamt\n"), whole.stderr
    again = sleeper.dreamer.run(Ask())
    assert again.proposal is not None
    assert sleeper.store.database.query("SELECT id FROM proposals") == [(again.proposal.id,)]


class Killed(BaseException):
    """Stands for −9: nobody handles it."""


@pytest.mark.proves("F1")
@pytest.mark.hostile("K2")
def test_a_change_is_made_whole_or_not_at_all(
    sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = offered(sleeper).offers[0]
    maker, kept = applying(sleeper)

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Proposals, "decide", killed)
        with pytest.raises(Killed):
            maker.accept(change)
        assert set(sleeper.store.sequences().values()) <= {0}
    assert maker.accept(change).outcome == "done"
    (done,) = [offer for offer in kept.all()[0].offers if offer.id == change.id]
    with monkeypatch.context() as patched:
        patched.setattr(Proposals, "decide", killed)
        with pytest.raises(Killed):
            maker.undo(done)
    assert sleeper.store.get(done.applied["store"], done.applied["memory"])
    assert maker.undo(done).outcome == "done"


Reverie = Callable[..., tuple[str, str]]


@pytest.fixture
def reverie(
    capsys: pytest.CaptureFixture[str], isolated_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Reverie:
    work = isolated_home / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def call_it(*arguments: str) -> tuple[str, str]:
        code = run(list(arguments))
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out, captured.err

    return call_it


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_machine_contract_prints_patterns_and_candidates_and_writes_nothing(
    reverie: Reverie, logs: Path, isolated_home: Path
) -> None:
    before = sorted(isolated_home.rglob("*"))
    out, _ = reverie("dream", "--logs", str(logs), "--dry-run", "--json")
    found = records(out)
    assert {"text", "scope", "type", "kind", "trust", "sessions", "days", "chance", "forms",
            "supersedes"} <= found[0].keys()  # fmt: skip
    assert any(record.get("candidate") for record in found)
    assert sorted(isolated_home.rglob("*")) == before
    assert reverie("dream", "--logs", str(logs), "--dry-run", "--json")[0] == out


@pytest.mark.proves("A6")
def test_explain_tells_what_each_step_dropped_and_why(reverie: Reverie, logs: Path) -> None:
    _, words = reverie("dream", "--logs", str(logs), "--dry-run", "--explain")
    for step in ("gather", "group", "weigh", "settle", "write", "check"):
        assert f"{step}: " in words
    assert "dropped: " in words


@pytest.mark.proves("F1", "A4")
def test_review_accepts_in_part_places_forms_and_undo_restores(
    reverie: Reverie, logs: Path, isolated_home: Path
) -> None:
    reverie("dream", "--logs", str(logs))
    changes = [c for c in json.loads(reverie("review", "--json")[0]) if c["id"].startswith("chg_")]
    rule = next(c for c in changes if any(f["form"] == "rule" for f in c["forms"]))
    notes = isolated_home / "work" / "CLAUDE.md"
    notes.write_bytes(b"# Mine\r\n\r\nBe kind.")
    reverie("review", "--accept", rule["id"], "--forms", "rule")
    assert notes.read_bytes().startswith(b"# Mine\r\n\r\nBe kind.\r\n")
    assert rule["id"].encode() in notes.read_bytes()
    listed = json.loads(reverie("proposals", "--json")[0])
    assert listed[0]["status"] == "open"
    assert rule["id"] not in {c["id"] for c in json.loads(reverie("review", "--json")[0])}
    reverie("proposals", "undo", listed[0]["id"])
    assert notes.read_bytes() == b"# Mine\r\n\r\nBe kind."


@pytest.mark.proves("A6", "F1")
def test_show_prints_evidence_and_diff(reverie: Reverie, logs: Path) -> None:
    reverie("dream", "--logs", str(logs))
    identity = json.loads(reverie("proposals", "--json")[0])[0]["id"]
    out, _ = reverie("proposals", "show", identity)
    assert "+**Rule:**" in out
    assert "would be expected" in out
    assert "claude-code:" in out


@pytest.mark.proves("A6")
def test_patterns_come_by_worth_and_what_is_beyond_the_most_is_counted(
    reverie: Reverie, logs: Path
) -> None:
    dry = ("dream", "--logs", str(logs), "--dry-run")
    found = records(reverie(*dry, "--json", "--most", "2")[0])
    told = [one for one in found if not one.get("candidate")]
    worths = [one["worth"] for one in told]
    assert worths == sorted(worths, reverse=True)
    assert [one["offered"] for one in told] == [True, True, *([False] * (len(told) - 2))]
    assert len(told) > 2
    out, words = reverie(*dry, "--most", "2")
    assert len(out.splitlines()) == 4
    assert f"{len(told) - 2} patterns of less worth left out" in words
    every = records(reverie(*dry, "--json", "--all")[0])
    assert [one["offered"] for one in every if not one.get("candidate")] == [True] * len(told)


@pytest.mark.proves("A4")
def test_forms_are_tried_before_they_are_put_in_place(
    reverie: Reverie, logs: Path, isolated_home: Path
) -> None:
    reverie("dream", "--logs", str(logs), "--all")
    changes = [c for c in json.loads(reverie("review", "--json")[0]) if c["id"].startswith("chg_")]
    (found, hook) = next((c, f) for c in changes for f in c["forms"] if f["form"] == "hook")
    call = json.loads(hook["content"])["calls"][0]["call"]
    assert hook["replay"]["good"] == 0
    before = sorted((isolated_home / "work").rglob("*"))
    tried = ("proposals", "try", "--form", "hook")
    fired = json.loads(reverie(*tried, "--json", found["id"], *call)[0])
    assert [(one["fires"], one["replay"]) for one in fired] == [(True, hook["replay"])]
    assert "would not fire on it" in reverie(*tried, found["id"], "echo", " ".join(call))[0]
    out, _ = reverie("proposals", "try", found["id"], *call)
    assert "would fire on it" in out
    assert "+++ CLAUDE.md" in out
    assert sorted((isolated_home / "work").rglob("*")) == before
