"""Small logs for the tests: lines with the fields that agents always write, filled in."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.sessions.model import SPOKEN, Turn
from reverie.sessions.readers.agents import by_agent

SESSION = "00000000-0000-4000-8000-00000000000a"
FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Case:
    name: str
    lines: list[dict[str, Any]]
    expected: list[str]


def cases(file: str) -> list[Case]:
    """The cases of a fixture file."""
    found: list[Case] = []
    for block in (FIXTURES / file).read_text(encoding="utf-8").split("\n== ")[1:]:
        name, *rest = block.strip().split("\n")
        lines = [json.loads(line) for line in rest if line.startswith("{")]
        expected = [line.removeprefix("-> ") for line in rest if line.startswith("-> ")]
        found.append(Case(name, lines, expected))
    return found


def time_of(number: int) -> str:
    return f"2026-09-{1 + number // 3600:02}T10:{number // 60 % 60:02}:{number % 60:02}.000Z"


def claude(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines of a Claude Code log, in order."""
    whole: list[dict[str, Any]] = []
    for number, line in enumerate(lines):
        filled: dict[str, Any] = {"sessionId": SESSION, "timestamp": time_of(number)}
        if line.get("type") in {"user", "assistant", "system", "attachment", "progress"}:
            filled = {
                "parentUuid": f"u-{number - 1}" if number else None,
                "isSidechain": False,
                "cwd": "/w/app",
                "gitBranch": "main",
                "version": "2.1.240",
                "uuid": f"u-{number}",
                **filled,
            }
        whole.append({**filled, **line})
    return whole


def codex(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines of a rollout, without its first."""
    return [{"timestamp": time_of(number), **line} for number, line in enumerate(lines)]


def meta(**fields: Any) -> dict[str, Any]:
    """The first line of a rollout."""
    payload = {"id": SESSION, "cwd": "/w/app", "cli_version": "0.140.0", "source": "cli"}
    payload |= {"originator": "codex-tui", **fields}
    return {"timestamp": time_of(0), "type": "session_meta", "payload": payload}


def prompt(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def reply(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}, **more}


def call(name: str, call_id: str, **given: Any) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": call_id, "name": name, "input": given}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}}


def result(call_id: str, text: str, *, failed: bool = False, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": failed}
    return {"type": "user", "message": {"role": "user", "content": [block]}, **more}


def refused(call_id: str, words: str, **more: Any) -> dict[str, Any]:
    """What is left of a call that the person refused, with words."""
    text = "The user doesn't want to proceed with this tool use. To tell you how to proceed, "
    text += f"the user said:\n{words}"
    marks = {"toolDenialKind": "user-rejected", "userFeedback": words}
    more = {"toolUseResult": f"Error: {text}", **marks, **more}
    return result(call_id, text, failed=True, **more)


def as_bytes(lines: list[dict[str, Any]]) -> bytes:
    """As the agents write them: compact, one per line."""
    return b"".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for line in lines
    )


def written(folder: Path, lines: list[dict[str, Any]], name: str = f"{SESSION}.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_bytes(lines))
    return path


def turns(path: Path, agent: str = "claude-code") -> list[Turn]:
    return by_agent(agent).open(path).read()


def heard(found: list[Turn]) -> list[str]:
    """As `spoken`, with `kind?` where it is not sure that a person typed it."""
    return [
        f"{turn.kind}{'' if turn.typed == 'typed' else '?'}: {turn.text}".replace("\n", "\\n")
        for turn in found
        if turn.role == "human" and turn.kind in SPOKEN
    ]


def spoken(found: list[Turn]) -> list[str]:
    """`kind: text` of each human turn with words."""
    return heard([turn._replace(typed="typed") for turn in found])
