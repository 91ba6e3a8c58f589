"""A project with a few memories and corrections, and servers over it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.documents.document import Document
from reverie.memory import Memory
from reverie.operations import reach
from reverie.sessions.corrections import CorrectionRow, replace_session
from reverie.store.model import Actor, Author

NOW = fixed("2026-11-15T08:00:00Z")
USER = Author(Actor("user"), "said so")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    """The owner's view, filled: two memories, one correction."""
    made = Memory.open(folder=project, clock=NOW)
    fill(made)
    yield made
    made.close()


@pytest.fixture
def agent(memory: Memory, project: Path) -> Iterator[Memory]:
    """The same project as an agent sees it."""
    made = Memory.open(folder=project, asker=Asker("mcp", agent="claude-code"), clock=NOW)
    yield made
    made.close()


def fill(memory: Memory) -> None:
    slug = memory.here.slug
    for store, document in (
        (
            "global",
            Document(
                name="lint-first",
                description="Run the linter before every commit",
                type="feedback",
                scope="global",
                created="2026-11-01",
                trust="user",
                support=3,
                body="Run the linter before every commit.\n",
            ),
        ),
        (
            slug,
            Document(
                name="staging-port",
                description="Staging listens on port 8443",
                type="project",
                scope=slug,
                created="2026-11-02",
                trust="user",
                body="Staging listens on port 8443, not 8080.\n",
            ),
        ),
    ):
        info = reach.make_store(memory, store)
        memory.store.create(info.id, f"/{document.name}.md", document.text(), USER)
    replace_session(memory.index_database, "claude-code:5e55", [correction(slug)])


def correction(project: str) -> CorrectionRow:
    return CorrectionRow(
        id="claude-code:5e55#7",
        session="claude-code:5e55",
        agent="claude-code",
        line=7,
        at="2026-11-10T10:00:00.000Z",
        project=project,
        text="no, install with the wheelhouse, the proxy blocks the index",
        span="install with the wheelhouse",
        premise="I will install from the public index.",
        label="explicit",
        score=0.9,
        signals={"misstep": 0.9},
    )
