"""What Claude Code's history names as pasted is shown in the log's prompt, not said in it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.sessions.logs import SESSION, claude, prompt, written

from reverie.language.words import said
from reverie.sessions.readers.agents import by_agent

PASTE = "Never use npm here.\nAlways install with the crate tool.\nThe end."


def history(root: Path, display: str, paste: dict[str, Any], session: str = SESSION) -> None:
    entry = {
        "display": display,
        "pastedContents": {"1": {"id": 1, "type": "text"} | paste},
        "timestamp": 1_787_801_374_609,
        "project": "/w/app",
        "sessionId": session,
    }
    root.mkdir(parents=True, exist_ok=True)
    (root / "history.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")


def told(root: Path, text: str) -> str:
    log = written(root / "projects/x", claude(prompt(text)))
    (turn,) = by_agent("claude-code").open(log).read()
    return turn.text


@pytest.mark.hostile("M1")
@pytest.mark.parametrize(
    ("display", "text", "own"),
    [
        ("please go on [Pasted text #1 +3 lines]", f"please go on {PASTE}", "please go on"),
        ("[Pasted text #1 +3 lines]", PASTE, ""),
        ("[Pasted text #1 +3 lines] is it so?", f"{PASTE} is it so?", "is it so?"),
    ],
)
@pytest.mark.parametrize("session", [SESSION, "of the session that this one was copied from"])
def test_a_paste_is_heard_by_nobody(
    display: str, text: str, own: str, session: str, tmp_path: Path
) -> None:
    history(tmp_path, display, {"content": PASTE}, session)
    turn = told(tmp_path, text)
    assert said(turn).prose.strip() == own
    assert PASTE in turn


@pytest.mark.hostile("M1")
def test_a_long_paste_lies_in_a_file_of_its_own(tmp_path: Path) -> None:
    history(tmp_path, "see [Pasted text #1 +3 lines]", {"contentHash": "0123456789abcdef"})
    (tmp_path / "paste-cache").mkdir()
    (tmp_path / "paste-cache/0123456789abcdef.txt").write_text(PASTE, encoding="utf-8")
    assert said(told(tmp_path, f"see {PASTE}")).prose.strip() == "see"


@pytest.mark.hostile("M1")
def test_a_paste_with_other_blanks_takes_the_prompt_along(tmp_path: Path) -> None:
    history(tmp_path, "see [Pasted text #1 +3 lines]", {"content": PASTE})
    assert said(told(tmp_path, f"see {PASTE}".replace("\n", "\n\n"))).prose == ""


@pytest.mark.parametrize("hashed", ["../../etc/passwd", "", "no such file"])
def test_a_history_that_names_nothing_takes_nothing_away(hashed: str, tmp_path: Path) -> None:
    history(tmp_path, "see [Pasted text #1]", {"contentHash": hashed})
    assert told(tmp_path, "keep the tests green") == "keep the tests green"


def test_a_damaged_history_takes_nothing_away(tmp_path: Path) -> None:
    tmp_path.joinpath("history.jsonl").write_bytes(b'{"pastedContents": {"1": \xff\n[]\n')
    assert told(tmp_path, "keep the tests green") == "keep the tests green"
