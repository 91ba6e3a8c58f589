"""Memories that are over are offered to the archive, and wait for a person."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.nights import CLOCK, Sleeper

from reverie.documents.document import Document
from reverie.dream.model import Ask, Change
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.run import Dreamer
from reverie.store.model import Actor, Author

ME = Author(Actor("user"), "by hand", trust="user")


@pytest.fixture
def sleeper(tmp_path: Path, database_url: str) -> Iterator[Sleeper]:
    made = Sleeper(tmp_path, database_url)
    made.store.create_store("app", "")
    yield made
    made.close()


def memory(name: str, text: str, *, pinned: bool = False) -> str:
    return Document(
        name=name, description=text, type="project", scope="app", created="2026-01-05",
        trust="user", pinned=pinned, body=f"**Fact:** {text}\n",
    ).text()  # fmt: skip


def keep(sleeper: Sleeper, name: str, text: str, *, by: Author = ME, pinned: bool = False) -> str:
    content = memory(name, text, pinned=pinned)
    return sleeper.store.create("app", f"/{name}.md", content, by).version_id


def changes(sleeper: Sleeper, **vanished: str) -> list[Change]:
    made = Dreamer(sleeper.store, sleeper.index, CLOCK, vanished)
    return list(made.dry(Ask()).changes)


@pytest.mark.proves("C5")
def test_a_memory_whose_last_day_has_passed_is_offered_to_the_archive(sleeper: Sleeper) -> None:
    keep(sleeper, "freeze", "No deployments to staging until 2026-03-31.")
    keep(sleeper, "later", "No deployments to production until 2026-12-31.")
    (one,) = changes(sleeper)
    assert (one.verb, one.path, one.valid_to) == ("archive", "/freeze.md", "2026-03-31")
    assert one.reason == "held until 2026-03-31"
    assert one.new_path == "/archive/2026-06-01/freeze.md"


def test_a_last_day_in_the_history_counts_too(sleeper: Sleeper) -> None:
    keep(sleeper, "quota", "The quota is 40 jobs.", by=ME._replace(valid_to="2026-04-30"))
    assert [one.reason for one in changes(sleeper)] == ["held until 2026-04-30"]


def test_a_memory_of_what_is_gone_is_offered_to_the_archive(sleeper: Sleeper) -> None:
    version = keep(sleeper, "seed", "Fill the database with `scripts/seed.sh`.")
    (one,) = changes(sleeper, **{version: "scripts/seed.sh"})
    assert (one.verb, one.reason) == ("archive", "what it names is gone: scripts/seed.sh")


def test_what_is_pinned_stays(sleeper: Sleeper) -> None:
    version = keep(sleeper, "pinned", "No deployments until 2026-03-31.", pinned=True)
    assert changes(sleeper, **{version: "deploy.sh"}) == []


def test_an_archive_waits_for_a_person_and_can_be_undone(sleeper: Sleeper) -> None:
    keep(sleeper, "freeze", "No deployments to staging until 2026-03-31.")
    proposal = sleeper.dreamer.run(Ask()).proposal
    assert proposal is not None
    assert sleeper.dreamer.apply_unattended(proposal) == []
    kept = Proposals(sleeper.store.database, CLOCK)
    applying = Applying(sleeper.store, kept)
    assert applying.accept(proposal.offers[0]).outcome == "done"
    assert [one.path for one in sleeper.store.walk("app")] == ["/archive/2026-06-01/freeze.md"]
    assert applying.undo(kept.find(proposal.id).offers[0]).outcome == "done"
    assert [one.path for one in sleeper.store.walk("app")] == ["/freeze.md"]
