"""Programs in the place of Claude Code and Codex that have the test's server think for them."""

import sys
from pathlib import Path

ASKS = """
import json, sys, urllib.error, urllib.request
def asked(material):
    body = {"model": "stand-in", "messages": [{"role": "user", "content": material}]}
    request = urllib.request.Request(URL + "/v1/messages", json.dumps(body).encode())
    try:
        reply = json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        return "", f"API Error: {error.code}", "", {}
    return reply["content"][0]["text"], "", reply["stop_reason"], reply["usage"]
text, error, stop, usage = asked(sys.stdin.read())
"""
CLAUDE = """
print(json.dumps({
    "type": "result", "subtype": "success", "is_error": bool(error), "result": text or error,
    "stop_reason": stop, "total_cost_usd": 0.01, "usage": usage, "modelUsage": {"stand-in": {}},
}))
"""
CODEX = """
if not error and stop != "refusal":
    said = {"type": "agent_message", "text": text}
    print(json.dumps({"type": "item.completed", "item": said}))
ended = {"type": "turn.completed"}
if error:
    ended = {"type": "turn.failed", "error": {"message": error}}
if usage:
    cached = usage["cache_read_input_tokens"]
    usage["cached_input_tokens"] = cached
    usage["input_tokens"] += cached
print(json.dumps(ended | {"usage": usage}))
"""


def stand_ins(folder: Path, url: str) -> str:
    """A folder for the PATH with both programs."""
    folder.mkdir()
    for name, code in (("claude", CLAUDE), ("codex", CODEX)):
        (folder / f"{name}.py").write_text(f"URL = {url!r}\n{ASKS}{code}", encoding="utf-8")
        program = folder / name
        start = f'#!/bin/sh\nexec "{sys.executable}" -I "{folder / name}.py" "$@"\n'
        program.write_text(start, encoding="utf-8")
        program.chmod(0o755)
    return str(folder)
