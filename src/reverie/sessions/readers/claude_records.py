"""The lines of a Claude Code log as typed records: only the fields that mean something here.

The vendor calls the format internal, so every field is optional, unknown ones are skipped, and a
line whose fields have other types than expected is read field by field (`adopt`).
"""

import re
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

from reverie.data import lines
from reverie.sessions.readers.base import head_lines

AGENT = "claude-code"
SUBAGENT_FILE = re.compile(r"agent-[\w-]*[0-9a-f]{4,}\.")

_ABSENT = Raw(b"")
_NULL = Raw(b"null")


class Inner(Struct):
    """A block inside a tool result, a queued prompt or a hook's output."""

    type: str | None = None
    text: str | None = None


class Block(Struct):
    """One content block of a message."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    tool_use_id: str | None = None
    content: str | list[Inner] | None = None
    is_error: bool | None = None


class Usage(Struct, gc=False):
    """Tokens of one request; what came from the cache is not counted here."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None


class Message(Struct):
    content: str | list[Block] | None = None
    id: str | None = None
    usage: Usage | None = None


class Origin(Struct):
    kind: str | None = None


class Attachment(Struct):
    type: str | None = None
    prompt: str | list[Inner] | None = None
    commandMode: str | None = None
    isMeta: bool | None = None
    source_uuid: str | None = None
    origin: Origin | None = None
    content: str | list[str] | None = None
    hookEvent: str | None = None


class Record(Struct):
    """One line. Names are the log's own."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    sessionId: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    isSidechain: bool | None = None
    agentId: str | None = None
    teamName: str | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    isSynthetic: bool | None = None
    isApiErrorMessage: bool | None = None
    interruptedByShutdown: bool | None = None
    turnCompanion: Raw = _ABSENT
    planContent: str | None = None
    origin: Origin | None = None
    promptSource: str | None = None
    message: Message | None = None
    toolUseResult: Raw = _ABSENT
    userFeedback: str | None = None
    toolDenialKind: str | None = None
    sourceToolUseID: str | None = None
    attachment: Attachment | None = None
    operation: str | None = None
    content: str | list[Inner] | None = None
    summary: str | None = None
    aiTitle: str | None = None
    customTitle: str | None = None
    prUrl: str | None = None
    # The line as it is, for fields that have no name here; never out of the log.
    whole: bytes | dict[str, Any] = b""


_decode = msgspec.json.Decoder(Record).decode
_TYPES = frozenset(lines("clients.txt", "claude-code.records"))
_UNKNOWN = "unknown"
_WITHOUT_SESSION = frozenset({"summary", "file-history-snapshot", "file-history-delta"})
_STARTS = (
    b'{"parentUuid":',
    b'{"type":"summary","summary":',
    b'{"type":"file-history-',
    b'{"type":"queue-operation"',
    b'{"type":"user","message":',
    b'{"type":"assistant","message":',
)
_NESTED: dict[str, type[Struct]] = {
    "message": Message,
    "origin": Origin,
    "attachment": Attachment,
    "usage": Usage,
}


def decode(data: bytes) -> Record:
    """One line → record.

    Raises:
        msgspec.DecodeError: the line is not one JSON object.
    """
    try:
        record = _decode(data)
    except msgspec.ValidationError:
        value = msgspec.json.decode(data)
        if not isinstance(value, dict):
            raise
        return lenient(cast("dict[str, Any]", value))
    record.whole = data
    return record


def given(value: Raw) -> bool:
    """Whether a field was there and not null."""
    return value is not _ABSENT and value != _NULL


def adopt(value: dict[str, Any]) -> Record | None:
    """A record out of a damaged line: only one with an identity of its own.

    Messages of subagents nested in progress lines look like records but have no `sessionId`.
    """
    if not isinstance(value.get("type"), str):
        return None
    if isinstance(value.get("sessionId"), str) or value["type"] in _WITHOUT_SESSION:
        return lenient(value)
    return None


def looks_like_a_line(data: bytes) -> bool:
    """Whether a line, or the first part of a long one, is Claude Code's."""
    if data.lstrip(b"\0 ").startswith(_STARTS):
        return True
    try:
        record = _decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return bool(record.sessionId) and record.type in _TYPES


def names_its_session(name: str, head: bytes) -> bool:
    """Whether a file is named after the session that its first lines are of."""
    for line in head_lines(head):
        try:
            session = _decode(line).sessionId
        except (msgspec.DecodeError, RecursionError):
            continue
        if session:
            return name == f"{session}.jsonl"
    return False


def lenient(value: dict[str, Any]) -> Record:
    """A record from the fields that have the expected type; the others count as absent.

    Then nobody knows who speaks: any of them may be a mark.
    """
    record = _struct(Record, value)
    record.whole = value
    if any(
        given is not None and getattr(record, name, given) is None for name, given in value.items()
    ):
        record.promptSource = _UNKNOWN
    return record


def fields_of(record: Record) -> dict[str, Any]:
    """All fields of the line that a record stands for."""
    return record.whole if isinstance(record.whole, dict) else msgspec.json.decode(record.whole)


def _struct(form: type[Any], value: dict[str, Any]) -> Any:
    known: dict[str, Any] = {}
    for field in msgspec.structs.fields(form):
        if field.encode_name not in value:
            continue
        given = value[field.encode_name]
        if field.name in _NESTED and isinstance(given, dict):
            known[field.name] = _struct(_NESTED[field.name], cast("dict[str, Any]", given))
        elif field.type is Raw:
            known[field.name] = Raw(msgspec.json.encode(given))
        elif field.name in {"content", "prompt"} and isinstance(given, list):
            known[field.name] = _blocks(form, field.name, cast("list[Any]", given))
        else:
            try:
                known[field.name] = msgspec.convert(given, field.type)
            except msgspec.ValidationError:
                continue
    return form(**known)


def _blocks(form: type[Any], name: str, items: list[Any]) -> list[Any]:
    if form is Attachment and name == "content":
        return [item for item in items if isinstance(item, str)]
    block = Block if form is Message else Inner
    blocks: list[Any] = []
    for item in items:
        if isinstance(item, dict):
            blocks.append(_struct(block, cast("dict[str, Any]", item)))
        elif isinstance(item, str):
            blocks.append(block(type="text", text=item))
    return blocks
