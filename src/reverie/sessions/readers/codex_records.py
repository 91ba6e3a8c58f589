"""The lines of a Codex rollout as records, and the forms its texts and outputs have."""

import re
from typing import Any, cast

import msgspec
from msgspec import Struct

from reverie.data import lines
from reverie.sessions.readers.base import between, table_of, text_of, version_of
from reverie.sessions.readers.provenance import foreign

AGENT = "codex"

# What an extension puts above the person's words begins with a heading (`# Context from my IDE
# setup:`, `# Files mentioned by the user:`, …); these stand right before the words.
_REQUEST = re.compile(r"^## My request(?: for Codex)?:", re.MULTILINE)
_INSTRUCTION = re.compile(r"\s*<(system[_-]instruction)>")
_IMAGE = re.compile(r"<image(?: name=\[[^\]\n]{0,200}\][^<>]{0,200})?>(?:\s{0,8}</image>)?")
INJECTED = (
    *lines("clients.txt", "codex.injected"),
    "# AGENTS.md instructions",
    # An extension's context with no request behind it.
    "# Context from my IDE setup:",
    "# Files mentioned by the user:",
)
# What the desktop's automations send; the agent itself can set one up.
_AUTOMATION = re.compile(r"Automation: [^\n]{0,400}\n\s*Automation ID: ")
# Sources of a thread that are a person, or not told; and programs in which one types, which the
# first versions did not name.
_PERSONS = (None, "", "user")
_SCREENS = ("cli", "vscode")
_ORIGINATORS = lines("clients.txt", "codex.originators")
_SOURCES = (0, 118)  # the first version known to say of every session where it was begun
_NAMED = "Codex "  # newer ones with a screen
_FIELDS = frozenset(lines("clients.txt", "codex.fields"))
# What the description of a session says that an agent began.
_SPAWNED = ("agent_nickname", "agent_path", "agent_role", "agent_type")


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
    info: Any = None
    thread_name: Any = None
    # session_meta and turn_context
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    cli_version: Any = None
    parent_thread_id: Any = None
    forked_from_id: Any = None
    git: Any = None


class Line(Struct):
    """One line. `bare_item` is the type of an item without the envelope of later versions."""

    type: str | None = None
    timestamp: str | None = None
    payload: Payload | None = None
    # The line as it is, for fields that have no name here; never out of the log.
    whole: bytes | dict[str, Any] = b""


_decode = msgspec.json.Decoder(Line).decode


def decode(data: bytes) -> Line:
    """One line → record.

    Raises:
        msgspec.DecodeError: the line is not one JSON object.
    """
    try:
        line = _decode(data)
        if line.payload is not None:
            line.whole = data
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
        return Line(text_of(kind), at, msgspec.convert(payload, Payload), value)
    whole = {"payload": value}
    if isinstance(kind, str):
        return Line("bare_item", at, msgspec.convert(value, Payload), whole)
    if isinstance(value.get("id"), str) and at:
        return Line("session_meta", at, msgspec.convert(value, Payload), whole)
    return Line(None, at, None)


def typed_words(text: str) -> str:
    """What the person typed in a message that an IDE or a front end may have put context around."""
    text = text[_after_instructions(text) :]
    if text.lstrip().startswith("# "):
        # The words come last, and a selection above them may contain the heading itself.
        headings = list(_REQUEST.finditer(text))
        if headings:
            text = text[headings[-1].end() :]
    if "<image" in text:
        text = _IMAGE.sub("", text)
    return text.strip()


def is_automation(words: str) -> bool:
    """Whether a prompt was sent by an automation, not by a person who is there."""
    return _AUTOMATION.match(words) is not None


def _after_instructions(text: str) -> int:
    """Where the blocks end that a front end put at the start."""
    at = 0
    while opening := _INSTRUCTION.match(text, at):
        closing = f"</{opening.group(1)}>"
        # What the front end quotes may hold the tag: only the last one closes the block.
        end = text.rfind(closing, opening.end())
        if end < 0:
            break
        at = end + len(closing)
    return at


def fields_of(line: Line) -> dict[str, Any]:
    """All fields of a line's payload."""
    whole = line.whole if isinstance(line.whole, dict) else msgspec.json.decode(line.whole)
    return table_of(table_of(whole).get("payload"))


def by_a_model(meta: dict[str, Any]) -> bool:
    """Whether a model wrote the prompts of this session, by what its first line says."""
    thread = text_of(meta.get("thread_source")).lower()
    if "subagent" in thread or thread == "memory_consolidation" or any(map(meta.get, _SPAWNED)):
        return True
    if source := table_of(meta.get("source")):
        # Programs that use Codex name themselves: `{"custom": …}`.
        return source.keys() != {"custom"}
    return "subagent" in text_of(meta.get("source")).lower()


def by_a_script(meta: dict[str, Any]) -> bool:
    """Whether a program may have made up the prompts: `codex exec`, a server, an embedding one."""
    if meta.get("thread_source") not in _PERSONS or foreign(meta, _FIELDS, lenient=True):
        return True
    names_itself = version_of(text_of(meta.get("cli_version"))) >= _SOURCES
    unsaid = () if names_itself else (None, "")
    originator = meta.get("originator")
    known = (*_ORIGINATORS, *unsaid)
    if originator not in known and not text_of(originator).startswith(_NAMED):
        return True
    return meta.get("source") not in (*_SCREENS, *unsaid)


def shell_command(text: str) -> str:
    """The command of a `!` line, "" when the text is none."""
    if not text.lstrip().startswith("<user_shell_command>"):
        return ""
    return next(between(text, "command"), "")


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


def spent(info: Any) -> int:
    """The tokens of the last request, without what came from the cache; 0 when it is not told."""
    usage = table_of(table_of(info).get("last_token_usage"))
    given = [usage.get(key, 0) for key in ("input_tokens", "cached_input_tokens", "output_tokens")]
    if not all(isinstance(count, int) for count in given):
        return 0
    read, cached, written = given
    return max(0, read - cached) + max(0, written)
