"""The small script behind a proposed hook: standard library only, reads one JSON, decides."""

import json
from typing import Any

_SCRIPT = '''"""Put here by `reverie review`; `reverie proposals undo` takes it out again."""

import json
import sys

WHEN = {when}
DECISION = {decision}
REASON = {reason}

given = json.load(sys.stdin)
command = str(given.get("tool_input", {{}}).get("command", ""))
if WHEN in command:
    answer = {{"hookEventName": "PreToolUse"}}
    if DECISION == "deny":
        answer["permissionDecision"] = "deny"
        answer["permissionDecisionReason"] = REASON
    else:
        answer["additionalContext"] = REASON
    print(json.dumps({{"hookSpecificOutput": answer}}))
'''


def script_of(given: dict[str, Any]) -> str:
    """The script for one entry: which command it looks for, what it decides, and why."""
    return _SCRIPT.format(
        when=_literal(given["when"]),
        decision=_literal(given["decision"]),
        reason=_literal(given["reason"]),
    )


def _literal(value: Any) -> str:
    """A Python string literal; JSON's escapes are Python's too."""
    return json.dumps(str(value), ensure_ascii=True)
