"""A secret that one record of a session names is in none of them: in the index, in kept copies."""

import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.databases import OpenIndex
from tests.sessions.worklogs import lines, snapshot, update, write

from reverie.privacy import Redactor
from reverie.sessions.index import Index
from reverie.sessions.logs.ahead import here
from reverie.sessions.logs.discover import logs_under
from reverie.sessions.logs.kept import copy_path, keep
from reverie.sessions.logs.lines import open_log

REDACT = Redactor(b"k" * 32).redact
RNG = random.Random(17)
TOKEN = "".join(RNG.choices(string.ascii_letters + string.digits, k=20)) + "7x"
WORD = "".join(RNG.choice("bdklmnprst") + RNG.choice("aeiou") for _ in range(6))
NAMES = "the backup password is "


def edit(old: str, new: str, line: str) -> list[dict[str, Any]]:
    """An edit and what the client notes of it."""
    asked, answered = lines("a", ("agent", ""), ("error", ""))
    arguments = {"file_path": "/w/app/.env", "old_string": old, "new_string": new}
    asked["message"]["content"] = [
        {"type": "tool_use", "id": "t", "name": "Edit", "input": arguments}
    ]
    text = f"The file was updated:\n  1→MODE=live\n  2→{line}"
    answered["message"]["content"] = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    answered["toolUseResult"] = {"oldString": old, "newString": new, "originalFile": line}
    return [*lines("a", ("you", "set it up")), asked, answered]


def copied(tmp_path: Path) -> str:
    (log,) = logs_under(tmp_path / "logs")
    copy = copy_path(tmp_path / "kept", log)
    keep(log, copy, REDACT)
    with open_log(copy) as stream:
        return stream.read().decode()


def read(tmp_path: Path) -> str:
    (log,) = logs_under(tmp_path / "logs")
    return repr([turn.read() for turn in here(REDACT, None)(log, None).turns])


@pytest.mark.hostile("X1")
@pytest.mark.parametrize("value", [TOKEN, WORD])
@pytest.mark.parametrize("surface", [copied, read])
@pytest.mark.parametrize(
    "records",
    [
        lambda value: lines("a", ("agent", f"is it {value}?"), ("you", f"{NAMES}{value}")),
        lambda value: lines("a", ("you", f"{NAMES}{value}"), ("error", f"no: '{value}'")),
        lambda value: edit("changeme", value, f"MAIL_PASSWORD={value}"),
        lambda value: edit(value, "${MAIL_PASSWORD}", f"MAIL_PASSWORD={value}"),
        lambda value: edit("hunter", value, f"URL=redis://svc:{value}@cache/0"),
    ],
)
def test_what_is_named_once_is_nowhere(
    records: Callable[[str], list[dict[str, Any]]],
    surface: Callable[[Path], str],
    value: str,
    tmp_path: Path,
) -> None:
    write(tmp_path / "logs" / "a.jsonl", records(value))
    text = surface(tmp_path)
    assert value not in text
    assert "[redacted:" in text


def test_a_copy_keeps_its_lines_and_all_other_words(tmp_path: Path) -> None:
    path = write(
        tmp_path / "logs" / "a.jsonl",
        lines("a", ("agent", f"tried {TOKEN} twice"), ("you", f"{NAMES}{TOKEN}"), ("you", "ta")),
    )
    text = copied(tmp_path)
    assert text.count("\n") == path.read_bytes().count(b"\n")
    assert "tried [redacted:" in text
    assert "ta" in text


@pytest.mark.hostile("X1")
@pytest.mark.parametrize(
    "talk",
    [
        [("you", f"{NAMES}{TOKEN}"), ("agent", "noted"), ("agent", f"I typed {TOKEN}")],
        [("agent", f"found {TOKEN} here"), ("you", "what for?"), ("you", f"{NAMES}{TOKEN}")],
    ],
    ids=["named in its head", "named in its tail"],
)
def test_a_session_that_grew_knows_what_any_part_of_it_names(
    open_index: OpenIndex, tmp_path: Path, talk: list[tuple[str, str]]
) -> None:
    def told(index: Index) -> list[Any]:
        update(index, tmp_path / "logs", redact=REDACT)
        return snapshot(index)

    path = tmp_path / "logs" / "a.jsonl"
    grown: list[Any] = []
    with open_index(tmp_path / "home" / "index.db") as index:
        for number, said in enumerate(talk):
            write(path, lines("a", said, begin=number), append=True)
            grown = told(index)
        assert TOKEN not in repr(grown)
        assert not any(
            TOKEN.encode() in file.read_bytes() for file in (tmp_path / "home").iterdir()
        )
    with open_index(tmp_path / "fresh" / "index.db") as index:
        assert told(index) == grown
