"""The store takes secrets out of what it writes, as a whole, whoever writes it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import reverie
from reverie.errors import InvalidInput, InvalidPath
from reverie.privacy import Redactor
from reverie.store.model import Actor, Author
from reverie.store.store import Store

ME = Author(Actor("user"), "test")
BODY = "\n".join("".join(chr(65 + (7 * row + 11 * n) % 26) for n in range(64)) for row in range(4))
BEGIN, END = (
    ("-----{} RSA " + "PRIVATE KEY-----").format("BEGIN"),
    "-----END RSA " + "PRIVATE KEY-----",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path}/memory.db"
    with Store.open(url, redact=Redactor(b"a key of thirty-two bytes for us")) as opened:
        opened.create_store("notes")
        yield opened


def edited(store: Store, first: str, *edits: tuple[str, str]) -> str:
    """What is stored after a text was written and changed piece by piece."""
    memory = store.create("notes", "/a.md", first, ME)
    for old, new in edits:
        content = memory.content.replace(old, new) if old else f"{memory.content}{new}"
        memory = store.update("notes", "/a.md", content=content, by=ME)
    return memory.content


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    ("first", "edits"),
    [
        ("DB_PASSWORD=MARK\n", [("MARK", "sunshine")]),
        ("the password is: MARK\n", [("MARK", "Sun" + "shine417!")]),
        ("user: svc\n", [("", "password: "), ("", "'sun"), ("", "shine'\n")]),
        (f"{BEGIN}\n", [("", f"{BODY}\n")]),
        (f"{BEGIN}\n", [("", f"{BODY}\n"), ("", f"{BODY}\n{END}\n")]),
        ("deploy key:\n", [("", f"{BODY}\nABCDEFsunshine==\n{END}\n")]),
        ('variable "db_password" {\n  default = "MARK"\n}\n', [("MARK", "sunshine")]),
    ],
)
def test_an_edit_is_redacted_together_with_what_was_there(
    store: Store, first: str, edits: list[tuple[str, str]]
) -> None:
    content = edited(store, first, *edits)
    assert "[redacted:" in content
    assert "shine" not in content and BODY[:64] not in content


@pytest.mark.hostile("X2")
def test_reasons_actors_and_descriptions_are_redacted_and_names_refused(store: Store) -> None:
    secret = "DB_PASSWORD=" + "sunshine417x"
    by = Author(Actor("agent", secret), f"because {secret}")
    memory = store.create("notes", "/a.md", "text", by)
    version = store.version(memory.version_id)
    info = store.update_store("notes", description=secret, metadata={"password": "sunshine"})
    for text in (version.reason, version.actor.id, info.description, *info.metadata.values()):
        assert "sunshine" not in text
        assert "[redacted:" in text
    with pytest.raises(InvalidPath, match="secret"):
        store.create("notes", f"/{secret}.md", "text", ME)
    with pytest.raises(InvalidPath, match="secret"):
        store.update("notes", "/a.md", path=f"/{secret}.md", by=ME)
    with pytest.raises(InvalidInput, match="secret"):
        store.create_store(secret)
    assert not store.verify()


@pytest.mark.hostile("X2")
@pytest.mark.parametrize(
    "address",
    ["ldaps:__svc:{}@db.internal:636_dc", "jdbc:oracle:thin:scott_{}@__ora1:1521_X"],
)
def test_an_address_with_a_secret_is_no_path_whatever_its_strokes_became(
    store: Store, address: str
) -> None:
    with pytest.raises(InvalidPath, match="secret"):
        store.create("notes", f"/{address.format('Sun' + 'shine417x')}.md", "text", ME)
    assert store.create("notes", "/at 10:30 with_two_people.md", "text", ME)


def test_writing_what_is_redacted_to_the_same_text_is_no_new_version(store: Store) -> None:
    first = store.create("notes", "/a.md", "DB_PASSWORD=sunshine", ME)
    again = store.put("notes", "/a.md", "DB_PASSWORD=sunshine", ME)
    assert again.version == first.version == 1


# Stores that belong to no home: a copy that is being checked, the data of a measurement.
OPENERS = {"Store.open", "Context"}
WITHOUT_HOME = {"mounts/transfer.py", "measure/memorycode.py"}


def test_whoever_opens_the_stores_of_a_home_hands_over_the_redactor() -> None:
    source = Path(reverie.__file__).parent
    opened: list[str] = []
    for file in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in OPENERS:
                continue
            name = file.relative_to(source).as_posix()
            opened.append(name)
            given = {keyword.arg for keyword in node.keywords}
            assert "redact" in given or name in WITHOUT_HOME, f"{name}:{node.lineno}"
    assert len(opened) >= 4
