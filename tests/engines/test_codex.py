"""The user's own Codex as an engine: the form it is asked for, and what it is kept from."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.engines.test_claude_code import LIMITS, PROMPT

from reverie.engines.codex import Codex, strict
from reverie.errors import CallFailed


def codex_that(tmp_path: Path, *events: Any, code: str = "") -> Codex:
    """A program in the client's place that tells events."""
    lines = "".join(f"print({json.dumps(event)!r})\n" for event in events)
    script = tmp_path / "codex.py"
    script.write_text(f"import json, sys\n{code}\n{lines}", encoding="utf-8")
    program = tmp_path / "codex"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "engine").mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    return Codex(str(program), tmp_path / "engine", env)


def said(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"type": "agent_message", "text": text}}


USAGE = {"input_tokens": 1000, "cached_input_tokens": 300, "output_tokens": 50}
DONE = {"type": "turn.completed", "usage": USAGE}


def test_an_answer_comes_with_its_tokens_and_leaves_nothing(tmp_path: Path) -> None:
    events = (said("Thinking."), said('{"lessons": [{"text": "x", "why": null}]}'), DONE)
    answer = codex_that(tmp_path, *events).answer(PROMPT, LIMITS)
    assert json.loads(answer.text) == {"lessons": [{"text": "x"}]}
    paid = answer.receipt
    assert (paid.input_tokens, paid.cache_read_tokens, paid.output_tokens) == (700, 300, 50)
    assert (paid.known, paid.priced, paid.cost_usd) == (True, False, 0.0)
    assert not list((tmp_path / "engine").iterdir())


@pytest.mark.hostile("R5")
@pytest.mark.parametrize(
    ("events", "why", "whole"),
    [
        ([said("No idea."), DONE], "something else: No idea.", False),
        ([DONE], "refuses", False),
        ([{"type": "turn.failed", "error": {"message": "status 500"}}], "failed: status", False),
        ([{"type": "turn.failed", "error": {"message": "401 Unauthorized"}}], "failed: 401", True),
        (["a word", 5, None], "no answer", False),
        ([], "no answer", False),
    ],
)
def test_a_client_that_fails_is_an_error_that_says_why(
    events: list[Any], why: str, whole: bool, tmp_path: Path
) -> None:
    with pytest.raises(CallFailed, match=why) as failed:
        codex_that(tmp_path, *events).answer(PROMPT, LIMITS)
    assert failed.value.whole is whole
    assert not list((tmp_path / "engine").iterdir())


def test_a_client_that_is_too_old_is_said_to_be(tmp_path: Path) -> None:
    code = "print(\"error: unexpected argument '--ephemeral'\", file=sys.stderr); sys.exit(2)"
    with pytest.raises(CallFailed) as failed:
        codex_that(tmp_path, code=code).answer(PROMPT, LIMITS)
    assert (failed.value.hint, failed.value.whole) == ("update Codex", True)


def test_the_users_servers_are_turned_off_by_name(tmp_path: Path) -> None:
    engine = codex_that(tmp_path)
    config = tmp_path / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text("[mcp_servers.git-hub]\ncommand = 'x'\n[mcp_servers.'a b']\ncommand = 'y'\n")
    command = engine.command(Path("s"), Path("i"))
    assert [part for part in command if "mcp_servers" in part] == [
        "mcp_servers.git-hub.enabled=false"
    ]
    config.write_text("not toml [")
    assert not any("mcp_servers" in part for part in engine.command(Path("s"), Path("i")))


def test_a_schema_is_closed_and_what_may_be_missing_may_be_null() -> None:
    lesson = {
        "type": "object",
        "required": ["text"],
        "properties": {"text": {"type": "string"}, "type": {"enum": ["a", "b"]}},
    }
    given = {
        "type": "object",
        "required": ["lessons"],
        "properties": {"lessons": {"type": "array", "items": lesson, "maxItems": 3}},
    }
    items = {
        "type": "object",
        "required": ["text", "type"],
        "additionalProperties": False,
        "properties": {
            "text": {"type": "string"},
            "type": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]},
        },
    }
    assert strict(given) == {
        "type": "object",
        "required": ["lessons"],
        "additionalProperties": False,
        "properties": {"lessons": {"type": "array", "items": items, "maxItems": 3}},
    }
