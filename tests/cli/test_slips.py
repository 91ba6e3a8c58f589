"""Slips of the pen: what was meant but not said so is refused, with a way out."""

from pathlib import Path

import pytest

from reverie.cli.root import run

pytestmark = pytest.mark.usefixtures("learned_sample")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["sessions", "search", " "], 2, "there is nothing to search for"),
        (["why", "prices", "--helpful", "--harmful"], 2, "exclude each other"),
        (["stores", "create", "a:b"], 2, "a store's name has no colon"),
        (["export", "out.zip"], 2, "no .zip is written\nhint: name a new folder, or FILE.tar.gz"),
        (["backup", "create", "nowhere/b.db"], 3, "there is no folder"),
        (["stores", "copy", "here", "nowhere/b.db"], 3, "there is no folder"),
        (["dream", "--dry-run", "--sessions", "nosuch"], 3, "no session 'nosuch'"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_made(
    arguments: list[str], code: int, said: str, capsys, tmp_path: Path
):
    assert run(arguments) == code
    assert said in capsys.readouterr().err
    assert not Path("nowhere").exists()
    assert not Path("out.zip").exists()


def test_filters_that_leave_nothing_are_told_from_a_place_without_logs(capsys):
    assert run(["sessions", "list", "--since", "2027-01-01"]) == 0
    assert "none of the 16 known ones fits" in capsys.readouterr().err


def test_a_store_attached_to_a_project_nobody_knows_is_warned_about(capsys):
    assert run(["stores", "attach", "global", "project:shop-ap"]) == 0
    assert "warning: no project 'shop-ap' is known yet" in capsys.readouterr().err
    assert run(["stores", "attach", "global", "project:shop-api"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_a_dream_takes_the_beginning_of_a_session(capsys):
    assert run(["dream", "--dry-run", "--sessions", "61bb35b3", "--explain"]) == 0
    assert "gather: 1 session" in capsys.readouterr().err


def test_labels_of_other_logs_are_said_to_be_that(tmp_path: Path, capsys):
    pytest.importorskip("numpy")
    (tmp_path / "empty").mkdir()
    labels = tmp_path / "labels.jsonl"
    labels.touch()
    corpus = str(tmp_path / "empty")
    assert run(["measure", "detection", "--corpus", corpus, "--labels", str(labels)]) == 2
    assert "none of the 0 labels belongs to a turn" in capsys.readouterr().err
