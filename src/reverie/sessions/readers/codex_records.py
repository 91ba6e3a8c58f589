"""The lines of a Codex rollout as records, and the forms its texts and outputs have."""

import re
from typing import Any, cast

import msgspec
from msgspec import Struct

from reverie.sessions.readers.base import table_of, text_of

AGENT = "codex"

# What the IDE extension puts above the person's words, and the headings right before them.
_IDE = re.compile(r"# (?:Context from my IDE setup|Files mentioned by the user):")
_REQUESTS = ("## My request for Codex:", "## My request:")
_IMAGE = re.compile(r"<image\b[^>]*>(?:.*?</image>)?", re.DOTALL)
_SHELL = re.compile(r"\s*<user_shell_command>\s*<command>\s*(.*?)\s*</command>", re.DOTALL)
INJECTED = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skill>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<system-reminder",
    "<reverie-",
)


class Payload(Struct):
    """What is used of any payload; the format is young, so nothing is said about the types."""

    type: Any = None
    id: Any = None
    # messages and items
    role: Any = None
    message: Any = None
    content: Any = None
    kind: Any = None
    item: Any = None
    summary: Any = None
    # tool calls and what came of them
    name: Any = None
    call_id: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = None
    exit_code: Any = None
    success: Any = None
    # the course of the session
    reason: Any = None
    num_turns: Any = None
    thread_name: Any = None
    # session_meta and turn_context
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    cli_version: Any = None
    source: Any = None
    thread_source: Any = None
    parent_thread_id: Any = None
    forked_from_id: Any = None
    git: Any = None


class Line(Struct):
    """One line. `bare_item` is the type of an item without the envelope of later versions."""

    type: str | None = None
    timestamp: str | None = None
    payload: Payload | None = None


_decode = msgspec.json.Decoder(Line).decode


def decode(data: bytes) -> Line:
    """One line → record.

    Raises:
        msgspec.DecodeError: the line is not one JSON object.
    """
    try:
        line = _decode(data)
        if line.payload is not None:
            return line
    except msgspec.ValidationError:
        pass
    value = msgspec.json.decode(data)
    if not isinstance(value, dict):
        raise msgspec.DecodeError("not an object")
    return lenient(cast("dict[str, Any]", value))


def adopt(value: dict[str, Any]) -> Line | None:
    """A record out of a damaged line: only one in its envelope, an item alone may be nested."""
    envelope = isinstance(value.get("type"), str) and isinstance(value.get("timestamp"), str)
    return lenient(value) if envelope and isinstance(value.get("payload"), dict) else None


def lenient(value: dict[str, Any]) -> Line:
    """A record of any version out of a decoded object."""
    kind, at, payload = value.get("type"), text_of(value.get("timestamp")), value.get("payload")
    if isinstance(payload, dict):
        return Line(text_of(kind), at, msgspec.convert(payload, Payload))
    if isinstance(kind, str):
        return Line("bare_item", at, msgspec.convert(value, Payload))
    if isinstance(value.get("id"), str) and at:
        return Line("session_meta", at, msgspec.convert(value, Payload))
    return Line(None, at, None)


def typed_words(text: str) -> str:
    """What the person typed in a message that an IDE may have put context around."""
    if _IDE.match(text.lstrip()):
        # The words come last, and a selection above them may contain the heading itself.
        at, heading = max((text.rfind(heading), heading) for heading in _REQUESTS)
        if at >= 0:
            text = text[at + len(heading) :]
    if "<image" in text:
        text = _IMAGE.sub("", text)
    return text.strip()


def shell_command(text: str) -> str:
    """The command of a `!` line, "" when the text is none."""
    match = _SHELL.match(text)
    return match.group(1) if match else ""


def joined(content: Any) -> str:
    """The text parts of a message; images and the like have none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [text_of(table_of(part).get("text")) for part in cast("list[Any]", content)]
    return "\n".join(text for text in texts if text)


def arguments_of(given: Any) -> dict[str, Any]:
    """The input of a tool call: a table, JSON in a string, or plain text such as a patch."""
    if isinstance(given, dict):
        return cast("dict[str, Any]", given)
    if not isinstance(given, str):
        return {}
    if given.startswith("{"):
        try:
            return table_of(msgspec.json.decode(given))
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            pass
    return {"input": given}


def output_of(output: Any) -> tuple[str, int | None]:
    """Text and exit code of a tool's output: plain, or JSON in a string in older versions."""
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            output = msgspec.json.decode(output)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return output, None
    if isinstance(output, dict):
        table = cast("dict[str, Any]", output)
        code = table_of(table.get("metadata")).get("exit_code")
        text = joined(table.get("output")) or joined(table.get("content"))
        return text, code if isinstance(code, int) else None
    return joined(output), None
