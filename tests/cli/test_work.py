"""`reverie work` from the outside: what an agent in a shell sees."""

import json
from pathlib import Path

import pytest
from tests.commands import Command, repository
from tests.connect.logs import write_log

RULE = "From now on always run make lint before you commit anything."


@pytest.fixture
def reverie(shop: Path, tmp_path: Path, command: Command) -> Command:
    turns = (("user", "Please fix the check."), ("assistant", "Fixed."), ("user", RULE))
    write_log(tmp_path / "logs", "one", shop, *turns)
    assert command("learn", "--logs", str(tmp_path / "logs")).code == 0
    return command


@pytest.mark.proves("B14")
def test_an_agent_takes_a_piece_answers_and_finds_no_more(reverie: Command) -> None:
    piece = json.loads(reverie("work", "next", "--kind", "session", "--json")[1])
    answer = {
        "text": "Run make lint before you commit anything.",
        "kind": "best-practice",
        "evidence": ["a2"],
    }
    given = json.dumps({"lessons": [answer]})
    code, text, _ = reverie("work", "submit", piece["id"], "-", "--json", given=given)
    assert code == 0
    assert [one["action"] for one in json.loads(text)["lessons"]] == ["known"]
    memories = json.loads(reverie("memories", "--json")[1])
    assert "make lint before you commit anything" in json.dumps(memories)  # as the person said it
    code, text, err = reverie("work", "next", "--json")
    assert (code, json.loads(text)) == (0, None)
    assert "no work" in err


@pytest.mark.proves("B14")
def test_a_refusal_has_its_exit_code_and_every_reason(reverie: Command) -> None:
    piece = json.loads(reverie("work", "next", "--json")[1])
    assert reverie("work", "submit", piece["id"], "-", given="Sure! Here it is:")[0] == 2
    good = {"text": "Use tabs.", "kind": "best-practice"}
    bad = json.dumps({"lessons": [good | {"evidence": ["y", "z"]}, good | {"text": ""}]})
    code, _, err = reverie("work", "submit", piece["id"], "-", given=bad)
    assert code == 5
    assert (err.count("lesson 1: "), err.count("lesson 2: ")) == (2, 1)
    assert "hint: " in err
    assert reverie("work", "submit", "work_nothing", "-", given="{}")[0] == 3


def test_another_project_is_handed_out_only_when_asked(
    reverie: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path / "other")
    monkeypatch.chdir(tmp_path / "other")
    assert json.loads(reverie("work", "next", "--json")[1]) is None
    assert json.loads(reverie("work", "next", "--all", "--json")[1])["project"] == "shop"
    monkeypatch.chdir(tmp_path)
    assert reverie("work", "next", "--json")[0] == 2


def test_a_person_can_read_a_piece(reverie: Command) -> None:
    _, text, err = reverie("work", "next")
    assert RULE in text
    assert "reverie work submit work_" in err


def test_review_says_that_a_model_worded_it(reverie: Command, shop: Path, tmp_path: Path) -> None:
    turns = (("user", "Look."), ("assistant", "Shall I use httpx?"),
             ("user", "yes, always do that for requests"))  # fmt: skip
    write_log(tmp_path / "logs", "two", shop, *turns)
    assert reverie("learn", "--logs", str(tmp_path / "logs")).code == 0
    piece = json.loads(reverie("work", "next", "--json")[1])
    (line,) = [one for one in piece["material"].splitlines() if "always do that" in one][:1]
    answer = {"text": "Use httpx for requests.", "kind": "decision", "name": "use-httpx",
              "evidence": [line.split()[0]]}  # fmt: skip
    given = json.dumps({"lessons": [answer]})
    assert reverie("work", "submit", piece["id"], "-", given=given)[0] == 0
    shown = reverie("review")
    assert "Use httpx for requests. (by a model, from what was said)" in shown[1] + shown[2]
