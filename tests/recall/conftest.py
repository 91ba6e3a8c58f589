"""A project to recall from, on both databases."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reverie import config
from reverie.clock import fixed
from reverie.documents.document import Document
from reverie.serve.workspace import Workspace
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
def workspace(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    for variable, where in zip(("DATABASE", "INDEX"), request.param, strict=True):
        if where == "postgresql":
            monkeypatch.setenv(f"REVERIE_{variable}_URL", request.getfixturevalue("postgres_url"))
    folder = tmp_path / "harbour"
    folder.mkdir()
    made = Workspace(config.load(), cwd=str(folder), clock=fixed(NOW))
    made.make_store("global")
    made.make_store("harbour")
    yield made
    made.close()


@pytest.fixture
def remember(workspace: Workspace) -> Remember:
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
        document = Document(name=name, description=text, body=f"{text}\n", **(values | fields))
        by = Author(Actor("user"), "test", trust=author_trust, valid_to=valid_to)
        return workspace.owner.put(store, f"{folder}{name}.md", document.text(), by).id

    return write


@pytest.fixture
def correct(workspace: Workspace) -> Correct:
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
        with workspace.index.atomic() as tx:
            replace_session(workspace.index, session, [row])
            note_write(tx)
        return row

    return store
