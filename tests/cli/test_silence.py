"""A command that has nothing to show says why, and what to do next."""

from pathlib import Path

import pytest

from reverie.cli.root import run


@pytest.fixture(autouse=True)
def _no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory that belongs to no project."""
    folder = tmp_path / "anywhere"
    folder.mkdir()
    monkeypatch.chdir(folder)


@pytest.mark.parametrize(
    ("arguments", "said", "hint"),
    [
        ("recall lint", "nothing is known yet", "`reverie learn`"),
        ("memories", "no memories yet", "`reverie learn`"),
        ("learn", "no logs found", "`reverie doctor` says where"),
        ("learn --dry-run", "no logs found", "`reverie doctor` says where"),
        ("corrections", "no corrections yet", "`reverie learn`"),
        ("stats", "no sessions were read yet", "`reverie learn`"),
        ("review --accept-all", "nothing waits for review", ""),
        ("log", "no versions yet", ""),
    ],
)
def test_an_empty_home_is_said_in_words(arguments: str, said: str, hint: str, capsys):
    assert run(arguments.split()) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(said)
    assert hint in captured.err


def test_memories_of_other_projects_are_not_passed_over(capsys):
    run(["stores", "create", "orchard"])
    run(["remember", "Prune the pear in March", "--store", "orchard", "--name", "pear"])
    capsys.readouterr()
    assert run(["memories"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "no memories of this folder's project" in captured.err
    assert "`reverie memories --all` looks at the 1 of other projects" in captured.err
    assert run(["memories", "--all"]) == 0
    assert capsys.readouterr().out.startswith("orchard:pear ")


def test_review_of_a_project_nobody_knows_is_refused(capsys):
    assert run(["review", "--project", "orchard"]) == 3
    assert "no project 'orchard'" in capsys.readouterr().err
    assert run(["review", "--project", "global"]) == 0


def test_all_stores_and_one_store_exclude_each_other(capsys):
    assert run(["memories", "--all", "--store", "global"]) == 2
    assert "--all and --store exclude each other" in capsys.readouterr().err


def test_recall_says_when_the_folder_belongs_to_no_project(capsys):
    run(["stores", "create", "orchard"])
    run(["remember", "Prune the pear in March", "--store", "orchard"])
    capsys.readouterr()
    assert run(["recall", "pear", "--no-rules"]) == 0
    assert "no session ran in this folder; --project NAME" in capsys.readouterr().err


def test_recall_says_when_only_standing_rules_were_found(capsys):
    run(["remember", "Always prune the pear in March", "--type", "feedback", "--scope", "global"])
    capsys.readouterr()
    assert run(["recall", "which", "port", "has", "the", "gateway?"]) == 0
    captured = capsys.readouterr()
    assert "Always prune the pear" in captured.out
    assert captured.err.startswith("besides the standing rules nothing")
    assert run(["recall", "--budget", "400", "which", "port", "has", "the", "gateway?"]) == 0
    assert "--no-rules, leaves room for an answer" in capsys.readouterr().err
    assert run(["recall"]) == 0
    assert capsys.readouterr().err == ""


def test_a_name_nothing_comes_near_leads_to_the_list(capsys):
    run(["remember", "Prune the pear in March", "--name", "pear"])
    capsys.readouterr()
    assert run(["show", "zzzzzz"]) == 3
    assert "hint: `reverie memories` lists those of here" in capsys.readouterr().err


def test_a_dream_for_a_store_that_is_not_there_is_refused(capsys):
    run(["stores", "create", "orchard"])
    capsys.readouterr()
    assert run(["dream", "--dry-run", "--store", "orchird"]) == 3
    captured = capsys.readouterr()
    assert captured.err == "error: there is no store 'orchird'\nhint: did you mean 'orchard'?\n"
    assert run(["dream", "--dry-run", "--store", "orchard"]) == 0


def test_a_history_that_was_cut_says_how_to_see_more(capsys):
    for number in range(3):
        run(["remember", f"Row {number} of the orchard is watered by hand", "--name", f"r{number}"])
    capsys.readouterr()
    assert run(["log", "--limit", "2"]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert captured.err == "older ones are not shown: --limit 4\n"
    assert run(["log"]) == 0
    assert capsys.readouterr().err == ""
