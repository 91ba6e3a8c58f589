"""Engine `claude-code`: the user's own Claude Code answers, as a fork of a past conversation.

The flags are those that keep the request's beginning the same as the parent's, so that the prompt
cache can answer (`docs/design/fork.md`): the tool list stays whole and every call is decided by the
guard. The fork leaves no log, our hooks do nothing inside it, and its cost is capped and kept.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reverie.config import Engines
from reverie.engines.receipts import Receipt, Receipts
from reverie.errors import Unavailable

NAME = "claude-code"
_LAST_WORDS_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said, and what it cost."""

    text: str
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """The client, where it may write, and what it may cost."""

    program: str
    memory_dir: Path
    limits: Engines
    receipts: Receipts
    # The log of a session does not hold the model's variant; `default` is what most run.
    model: str = "default"

    def ask(self, session: str, question: str, cwd: Path, env: Mapping[str, str]) -> Answer:
        """Fork `session`, ask, and return the answer.

        Raises:
            Refused: the cap of the day does not allow another run.
            Unavailable: the client is missing, too slow, fails or answers with something else.
        """
        self.receipts.check(self.limits.max_usd_per_run, self.limits.max_usd_per_day)
        began = time.monotonic()
        try:
            output = self._run(session, question, cwd, env)
            result = _result(output)
        except Unavailable:
            # Nobody said what it cost, so it counts as the most it may have.
            self.receipts.add(self._receipt(session, {}, began))
            raise
        receipt = self._receipt(session, result, began)
        self.receipts.add(receipt)
        if result.get("is_error") or not isinstance(result.get("result"), str):
            raise Unavailable(f"Claude Code ended with {result.get('subtype', 'an error')}")
        return Answer(result["result"], receipt)

    def command(self, session: str, question: str) -> list[str]:
        """The exact command line of a fork."""
        # Neither the project nor PYTHONPATH may bring modules of its own. The client lets a call
        # pass when its hook ends with 1, as Python does when it cannot start.
        start = [sys.executable, "-E", "-P", "-m", "reverie.guard.guard", str(self.memory_dir)]
        guard = f"{shlex.join(start)} || exit 2"
        hook = {"matcher": "*", "hooks": [{"type": "command", "command": guard, "timeout": 30}]}
        return [
            self.program,
            "-p",
            question,
            "--resume",
            session,
            "--fork-session",
            "--no-session-persistence",
            "--model",
            self.model,
            "--settings",
            json.dumps({"hooks": {"PreToolUse": [hook]}}),
            "--max-turns",
            str(self.limits.max_turns),
            "--max-budget-usd",
            f"{self.limits.max_usd_per_run:.2f}",
            "--output-format",
            "json",
        ]

    def _run(self, session: str, question: str, cwd: Path, env: Mapping[str, str]) -> str:
        try:
            process = subprocess.Popen(
                self.command(session, question),
                cwd=cwd,
                env={**env, "REVERIE_INSIDE": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(f"Claude Code cannot be started: {error.strerror}") from None
        try:
            out, err = process.communicate(timeout=self.limits.timeout_seconds)
        except subprocess.TimeoutExpired:
            _end_group(process)
            raise Unavailable(
                f"Claude Code took longer than {self.limits.timeout_seconds} s and was ended"
            ) from None
        text = out.decode("utf-8", "replace")
        if process.returncode and not text.lstrip().startswith("{"):
            said = (err or out).decode("utf-8", "replace").strip()[:300]
            raise Unavailable(f"Claude Code ended with {process.returncode}: {said}")
        return text

    def _receipt(self, session: str, result: Mapping[str, Any], began: float) -> Receipt:
        usage = result.get("usage")
        used = cast("dict[str, Any]", usage) if isinstance(usage, dict) else {}
        cost = _cost(result.get("total_cost_usd"))
        return Receipt(
            at=self.receipts.now(),
            engine=NAME,
            purpose="extract",
            session=session,
            cost_usd=self.limits.max_usd_per_run if cost is None else cost,
            model=self.model,
            input_tokens=_count(used, "input_tokens"),
            output_tokens=_count(used, "output_tokens"),
            cache_read_tokens=_count(used, "cache_read_input_tokens"),
            seconds=round(time.monotonic() - began, 3),
            known=cost is not None,
        )


def _result(output: str) -> dict[str, Any]:
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        raise Unavailable("Claude Code answered with something that is not JSON") from None
    if not isinstance(found, dict):
        raise Unavailable("Claude Code answered with something that is not a result")
    return cast("dict[str, Any]", found)


def _cost(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value >= 0 else None


def _count(used: Mapping[str, Any], key: str) -> int:
    value = used.get(key)
    return value if isinstance(value, int) else 0


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    # What left the group may hold the pipes open for as long as it likes.
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=_LAST_WORDS_SECONDS)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()
