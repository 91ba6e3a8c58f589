"""Memories that come from elsewhere and go there, without a command line."""

import tarfile
from pathlib import Path

import pytest
from tests.operations.homes import memory
from tests.sync.homes import BY, opened, texts

from reverie.errors import InvalidInput, NotFound, Refused
from reverie.imports.run import Imported
from reverie.operations import transfer

RULE = "---\nname: n\ndescription: {}\ntype: feedback\n---\n\n{}, since the harbour asks for it.\n"


def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "shop" / "notes"
    folder.mkdir(parents=True)
    (folder / "till.md").write_text("# Till\n\n- counts in cents\n", encoding="utf-8")
    return folder


def imported(result: object) -> list[Imported]:
    assert isinstance(result, list)
    return result


def test_a_folder_named_from_where_the_asker_works_comes_in_once_and_goes_again(tmp_path: Path):
    notes(tmp_path)
    made: list[str] = []
    took: list[Path] = []
    with memory(tmp_path) as opened:

        def take(*, dry_run: bool = False) -> Imported:
            (done,) = imported(
                transfer.import_memories(
                    opened,
                    "notes",
                    store="attic",
                    dry_run=dry_run,
                    made=made.append,
                    took=lambda place, _: took.append(place),
                )
            )
            return done

        assert len(take(dry_run=True).written) == 1
        assert (made, opened.store.stores()) == ([], [])
        assert len(take().written) == 1
        assert take().already == 1
        assert made == ["attic"]
        assert took == [tmp_path / "shop" / "notes"] * 3
        with pytest.raises(NotFound):
            transfer.import_memories(opened, "notes", store="attik")
        assert transfer.undo_import(opened, "notes").removed == 1
        assert opened.memories(store="attic") == []
        with pytest.raises(NotFound):
            transfer.undo_import(opened)
        with pytest.raises(InvalidInput):
            transfer.import_memories(opened, "nowhere")


def test_claude_codes_memory_is_asked_for_in_the_homes_own_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with memory(tmp_path) as opened, pytest.raises(NotFound, match="keeps no memory here"):
        transfer.import_memories(opened)
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    with memory(tmp_path) as opened, pytest.raises(Refused):
        transfer.import_memories(opened, "claude-code")


def test_an_archive_brings_stores_back_with_their_history(tmp_path: Path):
    archive = tmp_path / "all.tar.gz"
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        done = transfer.export(opened, archive, ["shop"])
        assert (done.stores, done.memories, done.versions) == (("shop",), 1, 1)
        with pytest.raises(InvalidInput):
            transfer.export(opened, tmp_path / "all.zip")
    assert tarfile.is_tarfile(archive)
    with memory(tmp_path / "other") as opened:
        loaded = transfer.import_memories(opened, archive)
        assert not isinstance(loaded, list)
        assert [info.name for info in loaded.copied.stores] == ["shop"]
        # Another home cannot know that it was the same person.
        assert opened.library.find("till").memory.trust == "agent"


def test_a_page_and_claude_codes_folder_are_of_one_scope(tmp_path: Path):
    folder = tmp_path / "claude"
    with memory(tmp_path) as opened:
        opened.remember("The till counts in cents", name="till")
        opened.remember("I am a data engineer", name="me")
        page = transfer.long_term(opened)
        assert (page.scope, "counts in cents" in page.text) == ("shop", True)
        assert page.tokens > 0
        assert transfer.export_to_claude_code(opened, folder).written == ("till.md",)
        assert transfer.export_to_claude_code(opened, folder, "global").written == ("me.md",)
        with pytest.raises(NotFound):
            transfer.long_term(opened, "nowhere")


def test_a_private_memory_of_all_projects_never_lands_in_a_project(tmp_path: Path):
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        for store, rule in (("global", "Answer in short sentences"), ("shop", "Count in cents")):
            one.store.ensure_store(store)
            one.store.create(store, "/n.md", RULE.format(rule, rule), BY)
        transfer.export(one, tmp_path / "out")
        here = two.at(folder=str(tmp_path / "work"))
        transfer.import_memories(here, tmp_path / "out", kind="markdown")
        here.close()
        assert texts(two, "global") == texts(one, "global")
        assert texts(two, "shop") == texts(one, "shop")


def test_an_older_export_of_what_is_there_is_no_error(tmp_path: Path):
    with opened(tmp_path / "one") as one, opened(tmp_path / "two") as two:
        one.store.ensure_store("shop")
        made = one.store.create("shop", "/n.md", "Count in cents\n", BY)
        transfer.export(one, tmp_path / "older")
        one.store.update("shop", made.id, content="Count in euros\n", by=BY)
        transfer.export(one, tmp_path / "newer")
        for export in ("newer", "older", "older"):
            loaded = transfer.import_memories(two, tmp_path / export)
        assert not isinstance(loaded, list)
        assert [info.name for info in loaded.copied.already] == ["shop"]
        assert texts(two, "shop") == {"/n.md": "Count in euros\n"}
