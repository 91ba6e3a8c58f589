"""Engine `claude-code`: the user's own Claude Code answers.

Nearly always afresh: no tools, no settings, hooks or instructions of anybody, only the piece. A
conversation that a program held a moment ago is forked where that is cheaper, which needs the same
beginning as its requests had, for the prompt cache (`docs/design/fork.md`): its tool list stays
whole, and every call is decided by the guard. Neither leaves a log, and our hooks do nothing there.
"""

import json
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from reverie.clock import parse_iso
from reverie.engines.api import anthropic_usage, counted, fields, in_words
from reverie.engines.prices import CHARACTERS_PER_TOKEN, FREE, characters, receipt_of
from reverie.engines.process import Ran, find_program, run_client
from reverie.engines.protocol import Answer, Limits, Prompt, only_json
from reverie.engines.receipts import Receipt
from reverie.errors import CallFailed, InvalidInput
from reverie.settings import Engines

WHO = "Claude Code"
OPENING = 120  # characters of each line by which a fork knows what an id stands for

# What a token costs that is read from the cache or written to it, against a plain one; how long the
# cache holds; and what a fresh run sends beside the piece (measured, `docs/design/fork.md`).
READ, WRITTEN = 0.1, 1.25
CACHE_SECONDS = 300
OVERHEAD_TOKENS = 300
_TAIL_BYTES = 1_000_000
_SCREENS = ("cli", "claude-vscode", "claude-desktop")  # of these `-p` shares nothing
# Customisations are off; how the user logs in and which model they chose stays.
_ALONE = (
    *("--safe-mode", "--setting-sources", "user", "--settings", '{"outputStyle":"default"}'),
    *("--strict-mcp-config", "--disable-slash-commands", "--tools", "", "--effort", "medium"),
)
FRESH_TURNS = 3  # the client asks again for the form, at most so often
FORK_TURNS = 2  # each sends the whole conversation


class ClaudeFailed(CallFailed):
    """The client gave no answer, and told what that cost."""

    def __init__(self, message: str, receipt: Receipt, *, hint: str | None, whole: bool) -> None:
        used = (receipt.input_tokens, receipt.output_tokens)
        cached = (receipt.cache_read_tokens, receipt.cache_created_tokens)
        super().__init__(message, hint=hint, whole=whole, used=(*used, *cached))
        self.receipt = receipt


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session that can be forked at the price of a cached one."""

    session: str
    folder: Path
    tokens: int  # of its last request


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """The client, a folder of its own, and what can be forked."""

    program: str
    folder: Path  # in which each run has an empty one
    environ: Mapping[str, str]
    conversation: Callable[[str], Conversation | None] = lambda session: None
    # The log of a session does not hold the model's variant; `default` is what most run.
    model: str = "default"

    @property
    def name(self) -> str:
        return "claude-code"

    def answer(self, prompt: Prompt, limits: Limits) -> Answer:
        """Think about one assignment.

        Raises:
            CallFailed: the client is missing or logged out, too slow, over its budget, refuses, or
                answers with something else.
        """
        asked = question(prompt)
        forked = self.conversation(prompt.session) if prompt.session else None
        if forked and not is_cheaper(forked, prompt, asked):
            forked = None
        began = time.monotonic()
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            ran = run_client(
                WHO,
                self.fork(forked, limits, scratch) if forked else self.fresh(prompt, limits),
                asked if forked else prompt.material,
                folder=forked.folder if forked else Path(scratch),
                env={
                    **self.environ,
                    "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(limits.output_tokens),
                },
                seconds=limits.seconds,
            )
        result = _result(ran)
        receipt = self._receipt(prompt, result, time.monotonic() - began)
        if text := _text(result):
            return Answer(text, receipt)
        raise _failure(result, ran, receipt)

    def fresh(self, prompt: Prompt, limits: Limits) -> list[str]:
        """The command line of a run that knows the piece and nothing else."""
        schema = json.dumps(prompt.schema)
        options = ["--system-prompt", prompt.instructions, "--json-schema", schema]
        model = [] if self.model == "default" else ["--model", self.model]
        return self._command(limits, FRESH_TURNS, *_ALONE, *options, *model)

    def fork(self, conversation: Conversation, limits: Limits, scratch: str) -> list[str]:
        """The command line of a fork, which may write below `scratch`."""
        # Neither the project nor PYTHONPATH may bring modules of its own. The client lets a call
        # pass when its hook ends with 1, as Python does when it cannot start.
        start = [sys.executable, "-E", "-P", "-m", "reverie.guard.guard", scratch]
        guard = f"{shlex.join(start)} || exit 2"
        hook = {"matcher": "*", "hooks": [{"type": "command", "command": guard, "timeout": 30}]}
        settings = json.dumps({"hooks": {"PreToolUse": [hook]}})
        forking = ["--resume", conversation.session, "--fork-session", "--model", self.model]
        turns = min(limits.turns, FORK_TURNS)
        return self._command(limits, turns, *forking, "--settings", settings)

    def _command(self, limits: Limits, turns: int, *more: str) -> list[str]:
        return [
            *(self.program, "-p", "--output-format", "json", "--no-session-persistence"),
            *("--max-turns", str(turns), "--max-budget-usd", f"{limits.usd:.4f}"),
            *more,
        ]

    def _receipt(self, prompt: Prompt, result: Mapping[str, Any], seconds: float) -> Receipt:
        cost: object = result.get("total_cost_usd")
        told = float(cost) if isinstance(cost, int | float) and cost >= 0 else None
        model = next(iter(fields(result.get("modelUsage"))), self.model)
        used = anthropic_usage(result.get("usage"))
        receipt = receipt_of(self.name, model, prompt, used, seconds, FREE)
        return replace(receipt, cost_usd=told or 0.0, known=told is not None)


def made(
    settings: Engines,
    environ: Mapping[str, str],
    folder: Path,
    conversation: Callable[[str], Conversation | None],
) -> ClaudeCode:
    """The engine as the settings describe it, with a folder of its own.

    Raises:
        CallFailed: the client is not on the path.
    """
    program = find_program("claude", WHO, environ)
    return ClaudeCode(program, folder, environ, conversation, settings.claude_code_model)


def question(prompt: Prompt) -> str:
    """What a fork is asked; it has the conversation, and needs only the ids of its lines.

    The form is asked for in words: a tool for it would stand in the middle of the list of tools.
    """
    lines = [line[:OPENING] for line in prompt.material.splitlines()]
    return "\n".join(
        [
            "The work of this conversation is over; use no tools.",
            prompt.instructions + in_words(prompt.schema),
            "The beginnings of the lines, with their ids; you have the full text above:",
            *lines,
        ]
    )


def is_cheaper(conversation: Conversation, prompt: Prompt, asked: str) -> bool:
    """Whether forking a conversation costs less than sending the piece."""
    forked = READ * conversation.tokens + WRITTEN * len(asked) / CHARACTERS_PER_TOKEN
    return forked < WRITTEN * (OVERHEAD_TOKENS + characters(prompt) / CHARACTERS_PER_TOKEN)


def still_cached(log: Path, now: datetime) -> Conversation | None:
    """The conversation of a log, if a `-p` fork of it shares its prompt and the cache holds it.

    A terminal's session is another product to the model, so a fork of it would share nothing.
    """
    record = _last_answer(log)
    usage = fields(fields(record.get("message")).get("usage"))
    session, folder = str(record.get("sessionId", "")), Path(str(record.get("cwd") or "/nowhere"))
    try:
        age = (now - parse_iso(str(record.get("timestamp", "")))).total_seconds()
    except InvalidInput:
        return None
    if record.get("entrypoint") in (None, *_SCREENS) or age > CACHE_SECONDS or not folder.is_dir():
        return None
    parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return Conversation(session, folder, sum(counted(usage, part) for part in parts))


def _last_answer(log: Path) -> dict[str, Any]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            lines = file.read().splitlines()
    except OSError:
        return {}
    for line in reversed(lines):
        try:
            record = fields(json.loads(line))
        except (ValueError, RecursionError):
            continue
        if record.get("type") == "assistant":
            return record
    return {}


def _result(ran: Ran) -> dict[str, Any]:
    """What the client reports of a run, however that ended; nothing if it reports nothing."""
    try:
        result = fields(json.loads(ran.out))
    except (ValueError, RecursionError):
        return {}
    return result if result.get("type") == "result" else {}


def _text(result: Mapping[str, Any]) -> str:
    """The JSON of an answer; "" when there is none."""
    structured = result.get("structured_output")
    if result.get("is_error") or result.get("stop_reason") == "refusal":
        return ""
    if isinstance(structured, dict):
        return json.dumps(structured)
    text = result.get("result")
    return only_json(text) if isinstance(text, str) else ""


def _failure(result: Mapping[str, Any], ran: Ran, receipt: Receipt) -> CallFailed:
    if not result:
        why = f"{WHO} ended with {ran.code} and no result: {ran.last_words()}"
        old = "unknown option" in ran.err
        return CallFailed(why, hint="`claude update`" if old else None, whole=old)
    reasons = [*cast("list[object]", result.get("errors") or []), result.get("result")]
    words = " ".join(str(next(filter(None, reasons), result.get("subtype"))).split())[:300]
    logged_out = "/login" in words
    hint = "start `claude` once and log in" if logged_out else None
    what = "failed" if result.get("is_error") else "answers with something else"
    if result.get("stop_reason") == "refusal":
        what = "refuses to answer"
    return ClaudeFailed(f"{WHO} {what}: {words}", receipt, hint=hint, whole=logged_out)
