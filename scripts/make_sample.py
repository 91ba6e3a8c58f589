"""Turn `sample_story.txt` into the bundled sample: logs as Claude Code and Codex write them.

    python -m scripts.make_sample [FOLDER]

Same story, same bytes: ids come from names, times from the story. Run it after editing the story;
a test compares the result with what is committed.
"""

import json
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

STORY = Path(__file__).with_name("sample_story.txt")
SAMPLE = Path(__file__).parents[1] / "src" / "reverie" / "sample"
ROOT = "/srv/code"
CLAUDE_VERSION = "2.1.240"
CODEX_VERSION = "0.130.0"
MODEL = "sample-model"

_HEADER = re.compile(
    r'## (?P<agent>\S+) (?P<project>\S+) (?P<start>\S+) (?P<branch>\S+) "(?P<title>.*)"'
)
_REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, "
    "the user said:\n"
)

Record = dict[str, Any]


@dataclass
class Event:
    """One step of a session: who did what, and for a call what came of it."""

    kind: str  # human, steer, interrupt, command, agent, call
    text: str = ""
    tool: str = ""
    input: dict[str, str] = field(default_factory=dict[str, str])
    output: list[str] = field(default_factory=list[str])
    exit_code: int = 0
    refusal: str = ""


@dataclass
class Story:
    """One session."""

    agent: str
    project: str
    start: datetime
    branch: str
    title: str
    events: list[Event] = field(default_factory=list[Event])

    @property
    def cwd(self) -> str:
        return f"{ROOT}/{self.project}"

    @property
    def id(self) -> str:
        return _id(f"{self.agent} {self.project} {self.start.isoformat()}")


def _id(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"https://example.com/reverie-sample/{name}"))


def stories(text: str) -> Iterator[Story]:
    """The sessions of a story file, in order."""
    story: Story | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            if story:
                yield story
            start = datetime.fromisoformat(header["start"]).replace(tzinfo=UTC)
            story = Story(
                header["agent"], header["project"], start, header["branch"], header["title"]
            )
        elif story and line and not line.startswith("#"):
            try:
                _add(story.events, story.cwd, *line.split(" ", 1))
            except (KeyError, IndexError, TypeError) as error:
                raise SystemExit(f"{STORY.name}:{number}: cannot read {line!r} ({error})") from None
    if story:
        yield story


# What a sign at the start of a line begins; the words after it become its text or its input.
_SPOKEN = {">": "human", ">>": "steer", "^": "interrupt", "/": "command", "<": "agent"}
_CALLS = {"$": "Bash", "read": "Read", "edit": "Edit", "fetch": "WebFetch"}


def _add(events: list[Event], cwd: str, sign: str, rest: str = "") -> None:
    if sign in _SPOKEN:
        events.append(Event(_SPOKEN[sign], rest))
    elif sign in _CALLS:
        events.append(Event("call", tool=_CALLS[sign], input=_input_of(sign, rest, cwd)))
    elif sign == "|":
        events[-1].output.append(rest)
    elif sign == "!":
        events[-1].exit_code = int(rest)
    elif sign == "x":
        events[-1].refusal = rest
    else:
        events[-1].input[{"-": "old_string", "+": "new_string"}[sign]] = rest


def _input_of(sign: str, rest: str, cwd: str) -> dict[str, str]:
    match sign:
        case "$":
            return {"command": rest}
        case "fetch":
            return {"url": rest, "prompt": "What does this page describe?"}
        case _:
            return {"file_path": f"{cwd}/{rest}"}


class _Clock:
    """Moves on by a fixed pause per record, so that times are plausible and never equal."""

    def __init__(self, start: datetime) -> None:
        self._at = start

    def __call__(self, seconds: int = 9) -> str:
        self._at += timedelta(seconds=seconds)
        return self._at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def claude_code(story: Story) -> Iterator[Record]:
    """The lines of a Claude Code transcript."""
    clock = _Clock(story.start)
    parent: str | None = None
    count = 0

    def line(kind: str, seconds: int, **fields: Any) -> Record:
        nonlocal parent, count
        count += 1
        own = _id(f"{story.id} {count}")
        record = {
            "type": kind,
            "uuid": own,
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli",
            "timestamp": clock(seconds),
            "sessionId": story.id,
            "cwd": story.cwd,
            "gitBranch": story.branch,
            "version": CLAUDE_VERSION,
            **fields,
        }
        parent = own
        return record

    for event in story.events:
        yield from _claude_event(event, line, f"{story.id} {count}")
    yield {"type": "ai-title", "sessionId": story.id, "aiTitle": story.title}


Line = Callable[..., Record]


def _claude_event(event: Event, line: Line, name: str) -> Iterator[Record]:
    match event.kind:
        case "human":
            yield line("user", 40, **_HUMAN, message=_said(event.text))
        case "steer":
            queued = {"type": "queued_command", "commandMode": "prompt", "prompt": event.text}
            yield line("attachment", 5, attachment={**queued, "origin": {"kind": "human"}})
        case "interrupt":
            text = [{"type": "text", "text": "[Request interrupted by user]"}]
            yield line("user", 4, message={"role": "user", "content": text})
        case "command":
            command, _, words = event.text.partition(" ")
            text = (
                f"<command-message>{command}</command-message>\n"
                f"<command-name>/{command}</command-name>\n<command-args>{words}</command-args>"
            )
            yield line("user", 60, **_HUMAN, message=_said(text))
        case "agent":
            yield line("assistant", 12, message=_reply(name, {"type": "text", "text": event.text}))
        case _:
            yield from _claude_call(event, line, name)


_HUMAN = {"origin": {"kind": "human"}, "promptSource": "typed", "permissionMode": "default"}


def _said(text: str) -> Record:
    return {"role": "user", "content": text}


def _reply(name: str, block: Record) -> Record:
    return {
        "id": f"msg_{uuid.UUID(_id(name)).hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
        "usage": {"input_tokens": 1200, "output_tokens": 60},
    }


def _claude_call(event: Event, line: Line, name: str) -> Iterator[Record]:
    call = f"toolu_{uuid.UUID(_id(f'{name} call')).hex[:24]}"
    block = {"type": "tool_use", "id": call, "name": event.tool, "input": event.input}
    yield line("assistant", 8, message=_reply(name, block))
    output = "\n".join(event.output)
    result: Record = {"type": "tool_result", "tool_use_id": call, "content": output}
    extra: Record = {"toolUseResult": _structured(event, output)}
    if event.refusal:
        result |= {"content": _REFUSAL + event.refusal, "is_error": True}
        extra = {
            "toolUseResult": "User rejected tool use",
            "toolDenialKind": "user-rejected",
            "userFeedback": event.refusal,
        }
    elif event.exit_code:
        result |= {"content": f"Exit code {event.exit_code}\n{output}", "is_error": True}
        extra = {"toolUseResult": f"Error: Exit code {event.exit_code}\n{output}"}
    yield line("user", 3, message={"role": "user", "content": [result]}, **extra)


def _structured(event: Event, output: str) -> Record:
    match event.tool:
        case "Bash":
            return {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        case "Edit":
            return {
                "filePath": event.input["file_path"],
                "oldString": event.input["old_string"],
                "newString": event.input["new_string"],
                "userModified": False,
                "replaceAll": False,
            }
        case _:
            return {"content": output}


def codex(story: Story) -> Iterator[Record]:
    """The lines of a Codex rollout."""
    clock = _Clock(story.start)

    def line(kind: str, seconds: int, **payload: Any) -> Record:
        return {"timestamp": clock(seconds), "type": kind, "payload": payload}

    yield line(
        "session_meta",
        0,
        id=story.id,
        timestamp=story.start.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        cwd=story.cwd,
        originator="codex_cli_rs",
        cli_version=CODEX_VERSION,
        source="cli",
        git={
            "branch": story.branch,
            "repository_url": f"https://git.example.com/team/{story.project}.git",
        },
    )
    context = f"<environment_context>\n  <cwd>{story.cwd}</cwd>\n</environment_context>"
    yield line("response_item", 1, type="message", role="user", content=_input(context))
    for number, event in enumerate(story.events):
        yield from _codex_event(event, line, f"{story.id} {number}", story.cwd)
    yield line("event_msg", 1, type="thread_name_updated", thread_name=story.title)


def _codex_event(event: Event, line: Line, name: str, cwd: str) -> Iterator[Record]:
    match event.kind:
        case "human" | "steer":
            yield line(
                "turn_context",
                40,
                turn_id=_id(name),
                cwd=cwd,
                model=MODEL,
                approval_policy="on-request",
            )
            yield line("response_item", 1, type="message", role="user", content=_input(event.text))
            yield line("event_msg", 0, type="user_message", message=event.text, images=[])
        case "interrupt":
            yield line("event_msg", 4, type="turn_aborted", turn_id=_id(name), reason="interrupted")
        case "agent":
            text = [{"type": "output_text", "text": event.text}]
            yield line("response_item", 12, type="message", role="assistant", content=text)
            yield line("event_msg", 0, type="agent_message", message=event.text)
        case "call":
            call = f"call_{uuid.UUID(_id(f'{name} call')).hex[:24]}"
            arguments = json.dumps({"cmd": event.input["command"], "workdir": cwd})
            yield line(
                "response_item",
                8,
                type="function_call",
                name="exec_command",
                arguments=arguments,
                call_id=call,
            )
            output = f"Process exited with code {event.exit_code}\nOutput:\n" + "\n".join(
                event.output
            )
            yield line("response_item", 3, type="function_call_output", call_id=call, output=output)
        case _:
            raise SystemExit(f"Codex has no {event.kind}")


def _input(text: str) -> list[Record]:
    return [{"type": "input_text", "text": text}]


def path_of(story: Story) -> Path:
    """Where the agent would have put this log, below the sample's folder."""
    if story.agent == "claude-code":
        key = re.sub(r"[^A-Za-z0-9]", "-", story.cwd)
        return Path("claude", "projects", key, f"{story.id}.jsonl")
    day = story.start.strftime("%Y/%m/%d")
    return Path(
        "codex", "sessions", day, f"rollout-{story.start:%Y-%m-%dT%H-%M-%S}-{story.id}.jsonl"
    )


def files() -> Iterator[tuple[Path, bytes]]:
    """Every file of the sample: where, and its bytes."""
    for story in stories(STORY.read_text(encoding="utf-8")):
        records = claude_code(story) if story.agent == "claude-code" else codex(story)
        lines = (
            json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records
        )
        yield path_of(story), "".join(f"{line}\n" for line in lines).encode()


def main(folder: Path = SAMPLE) -> None:
    for agent in ("claude", "codex"):
        shutil.rmtree(folder / agent, ignore_errors=True)
    for path, content in files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
