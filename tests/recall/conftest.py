"""A project to recall from, on both databases."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie.asker import Asker
from reverie.clock import fixed
from reverie.documents.document import Document
from reverie.memory import Memory
from reverie.operations import reach
from reverie.sessions.corrections import CorrectionRow, replace_session
from reverie.sessions.schema import note_write
from reverie.store.model import Actor, Author
from reverie.trust import Trust

NOW = "2026-11-15T08:00:00.000Z"

Remember = Callable[..., str]
Correct = Callable[..., CorrectionRow]


@pytest.fixture(
    params=(
        ("sqlite", "sqlite"),
        pytest.param(("postgresql", "sqlite"), marks=pytest.mark.needs("postgres")),
        pytest.param(("sqlite", "postgresql"), marks=pytest.mark.needs("postgres")),
    ),
    ids=("sqlite", "stores on postgresql", "index on postgresql"),
)
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Memory]:
    for variable, where in zip(("DATABASE", "INDEX"), request.param, strict=True):
        if where == "postgresql":
            monkeypatch.setenv(f"REVERIE_{variable}_URL", request.getfixturevalue("postgres_url"))
    folder = tmp_path / "harbour"
    folder.mkdir()
    made = Memory.open(folder=folder, asker=Asker("test"), clock=fixed(NOW))
    reach.make_store(made, "global")
    reach.make_store(made, "harbour")
    yield made
    made.close()


@pytest.fixture
def remember(memory: Memory) -> Remember:
    """Writes one memory of the project; fields as in its frontmatter."""

    def write(
        name: str,
        text: str,
        *,
        store: str = "harbour",
        folder: str = "/",
        author_trust: Trust = "user",
        valid_to: str | None = None,
        **fields: Any,
    ) -> str:
        values: dict[str, Any] = {"type": "project", "scope": store, "trust": "user"}
        values["created"] = "2026-11-10"
        values["body"] = f"{text}\n"
        document = Document(name=name, description=text, **(values | fields))
        by = Author(Actor("user"), "test", trust=author_trust, valid_to=valid_to)
        return memory.store.put(store, f"{folder}{name}.md", document.text(), by).id

    return write


@pytest.fixture
def correct(memory: Memory) -> Correct:
    """Stores one correction of the project."""

    def store(line: int, text: str, **fields: Any) -> CorrectionRow:
        session = fields.pop("session", f"claude-code:s{line}")
        values: dict[str, Any] = {
            "project": "harbour",
            "at": "2026-11-12T10:00:00.000Z",
            "label": "explicit",
            "score": 0.8,
        }
        row = CorrectionRow(
            id=f"{session}#{line}",
            session=session,
            agent="claude-code",
            line=line,
            text=text,
            **(values | fields),
        )
        with memory.index_database.atomic() as tx:
            replace_session(memory.index_database, session, [row])
            note_write(tx)
        return row

    return store
