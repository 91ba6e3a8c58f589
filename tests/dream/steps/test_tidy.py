"""A dream puts a store in order: what says the same is one memory, of opposites the later stays."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.dream.nights import CLOCK, Sleeper

from reverie.documents.document import Document
from reverie.dream.model import Ask, Change
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Proposals
from reverie.dream.run import Dreamer
from reverie.errors import Refused
from reverie.store.model import Actor, Author

ME = Author(Actor("user"), "by hand", trust="user")


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Sleeper]:
    made = Sleeper(tmp_path)
    made.store.create_store("app", "")
    yield made
    made.close()


def keep(sleeper: Sleeper, name: str, text: str, day: str, evidence: tuple[str, ...] = ()) -> None:
    document = Document(
        name=name, description=text, type="feedback", scope="app", created=day, trust="user",
        support=len(evidence), evidence=evidence, body=f"**Rule:** {text}\n",
    )  # fmt: skip
    sleeper.store.create("app", f"/{name}.md", document.text(), ME)


def changes(sleeper: Sleeper) -> dict[str, Change]:
    made = Dreamer(sleeper.store, sleeper.index, CLOCK, {}).dry(Ask()).changes
    return {one.path: one for one in made}


@pytest.mark.proves("C5")
def test_duplicates_are_merged_with_the_evidence_of_both(sleeper: Sleeper) -> None:
    keep(
        sleeper, "lint", "Always run the linter before committing", "2026-01-05", ("a:1#1", "a:2#1")
    )
    keep(sleeper, "lint-2", "Please run lint before every commit", "2026-02-05", ("a:3#1",))
    found = changes(sleeper)
    assert {path: one.verb for path, one in found.items()} == {
        "/lint.md": "refine",
        "/lint-2.md": "supersede",
    }
    assert "a:3#1" in found["/lint.md"].after
    assert {memory.path for memory in sleeper.store.walk("app")} == {"/lint.md", "/lint-2.md"}


@pytest.mark.proves("C5")
def test_of_two_that_cannot_both_hold_the_older_is_retired(sleeper: Sleeper) -> None:
    keep(sleeper, "old", "The dev server listens on 8080", "2026-01-05")
    keep(sleeper, "new", "The dev server listens on 8443", "2026-03-05")
    keep(sleeper, "other", "Answer in short sentences", "2026-03-05")
    found = changes(sleeper)
    assert {path: one.verb for path, one in found.items()} == {"/old.md": "supersede"}


@pytest.mark.hostile("M4")
def test_three_dreams_over_what_a_tool_said_never_raise_its_trust(sleeper: Sleeper) -> None:
    by = Author(Actor("agent", "a:1"), "seen in a tool's output", "tool")
    wordings = (
        "Always run the linter before committing",
        "Please run lint before every commit",
        "Run the linter before each commit, always",
        "Before committing, run the linter",
    )
    desk = Applying(sleeper.store, Proposals(sleeper.store.database, CLOCK))
    offered = 0
    for number, text in enumerate(wordings):
        document = Document(
            name=f"lint-{number}", description=text, type="feedback", scope="app",
            created=f"2026-0{number + 1}-05", trust="tool", support=1,
            evidence=(f"a:{number}#1",), body=f"**Rule:** {text}\n",
        )  # fmt: skip
        sleeper.store.create("app", f"/lint-{number}.md", document.text(), by)
        proposal = sleeper.dreamer.run(Ask()).proposal
        if number == 0 or proposal is None:
            continue
        offered += 1
        assert {offer.change.trust for offer in proposal.offers} == {"tool"}
        assert sleeper.dreamer.apply_unattended(proposal) == []
        for offer in proposal.offers:
            with pytest.raises(Refused):
                desk.accept(offer, actor=Actor("agent", "a:9"))
    assert offered == 3
    heads = list(sleeper.store.walk("app"))
    assert {head.trust for head in heads} == {"tool"}
    assert not any("trust: user" in head.content for head in heads)
