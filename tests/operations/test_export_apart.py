"""What was exported comes back into the store it was in, as often as one likes."""

from pathlib import Path

from tests.sync.homes import BY, opened, texts

from reverie.operations import transfer

RULE = "---\nname: n\ndescription: {}\ntype: feedback\n---\n\n{}, since the harbour asks for it.\n"


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
