"""Which words in a Claude Code log a person typed.

Most `user` lines are not human, and one human text in eight is not on a `user` line. The rules
are in the order in which they decide; newer versions of the agent mark the source of a prompt
(`origin`, `promptSource`), older ones are told by how the text begins.

A text can take belief away, never give it: that a person refused a call, or typed what follows a
block, is known by fields and places that only the agent writes.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from reverie.data import lines
from reverie.sessions.model import Kind, Typed
from reverie.sessions.readers.base import between, table_of, version_of
from reverie.sessions.readers.blocks import Blocks, is_template
from reverie.sessions.readers.claude_records import (
    Attachment,
    Block,
    Inner,
    Message,
    Record,
    fields_of,
    given,
)
from reverie.sessions.readers.objects import tables
from reverie.sessions.readers.provenance import foreign


class Said(NamedTuple):
    """What a text turned out to be. `kind` outside SPOKEN: not the person's words."""

    kind: Kind
    text: str
    typed: Typed = "typed"


_ECHOES = lines("clients.txt", "claude-code.echoes")
_HARNESS = ("<channel ", *lines("clients.txt", "claude-code.harness"))
_FIELDS, _FIELDS_OF_RESULTS, _FIELDS_OF_ATTACHMENTS = (
    frozenset(lines("clients.txt", f"claude-code.fields{of}"))
    for of in ("", " of results", " of attachments")
)
_MARKS_OF_QUEUE = frozenset({"sessionId", "timestamp"})
_MARKS = _MARKS_OF_QUEUE | {"uuid", "version"}
_FIELDS_OF_MESSAGES = frozenset({"role", "content"})
_FIELDS_OF_TEXTS = frozenset({"type", "text", "cache_control"})
# `suggestion_accepted` is the agent's own text, taken over with one key; what is not known yet may
# be anything. `sdk` says how a prompt came, `origin` from whom.
_BY_HAND = frozenset({"typed", "queued"})
# Programs that show a person what the agent does and take their words; and those that may as well
# be a script, where only `origin` says who it was. All others (`sdk-cli`, an action) are scripts.
SCREENS = frozenset({"cli", "claude-desktop", "claude-vscode", "remote_mobile"})
_FRONT_ENDS = frozenset({"sdk-ts", "sdk-py"})
# The first versions that say who refused a call in a field, that tell again of what left the queue,
# and the first known in which what a command printed never stands at the start of its result.
_DENIAL_KINDS = (2, 1, 217)
# And the first known that say of every prompt how it was sent, and of one that was queued by whom.
_SOURCES = (2, 1, 161)
_ORIGINS = (2, 1, 217)
_DELIVERIES = (2, 1, 97)
_EXIT_CODES = (2, 0, 74)
SUMMARY = "This session is being continued from"
PLAN = "Implement the following plan:"

_INTERRUPT = re.compile(r"\[Request interrupted by user[^\]\n]{0,80}\]")
# The harness says so of an image it shows; `[Image #1]` is the person's.
_IMAGE_NOTE = re.compile(r"\[Image: (?:source|original)\b[^\]\n]{0,400}\]")
_HOOK = re.compile(
    r"[A-Za-z]+(?::\S+)? hook (?:feedback|blocking error)\b|Operation stopped by hook(?::|\Z)"
)
_TOOL_LOADED = "Tool loaded."
_UNSEEN = "\ufeff\u200b\u200c\u200d\u2060 \t\r\n"
_TASK = '{"task_id"'
# `/name` and what follows, but not a path with words after it.
_SLASH = re.compile(r"/[A-Za-z][\w:.-]*(?=\s|\Z)")

# A called command, before its arguments; the name stands before or after what is shown of it.
_CALL = re.compile(r"(?:<command-(name|message)>[^<]*</command-\1>\s*){1,2}")
_ARGS, _ARGS_END = "<command-args>", "</command-args>"

# Blocks an IDE, a front end, a hook or the harness adds around what was typed.
_ADDED = Blocks(
    r"ide_\w+|system-reminder|[a-z]+(?:-[a-z]+)*-hook|new-diagnostics|local-command-caveat"
    r"|system[_-]instruction|uploaded_files|reverie-context"
)

_REFUSED = re.compile(
    r"(?:Error: )?(?:The user doesn['\u2019]t want to "
    r"|The agent proposed a plan that was rejected by the user)"
)
_REJECTED = b'"User rejected tool use"'
_QUIET_TOOLS = frozenset(lines("clients.txt", "claude-code.quiet_tools"))
_SAID = "the user said:"
# Written by the harness when a person would rather talk than pick an answer.
_ABOUT_QUESTIONS = (
    "The user wants to clarify these questions",
    "The user has indicated they have provided enough answers",
)
# What the harness adds after the feedback in some versions, and a plan that may quote anything.
_AFTER_FEEDBACK = (
    "\nNote: The user's next message may contain",
    "\n<system-reminder>",
    "\nSTOP what you are doing",
)
_REJECTED_PLAN = "\nRejected plan:"


def texts_of(content: str | Sequence[Inner] | None) -> list[str]:
    """The text parts of a tool result, a queued prompt or a system line."""
    if isinstance(content, str):
        return [content]
    return [part.text for part in content or () if part.type == "text" and part.text]


def text_of(content: str | Sequence[Inner] | None) -> str:
    return "\n".join(texts_of(content))


def message_texts(message: Message | None) -> list[str]:
    """The text parts of a message: an IDE's context and the words are often two of them."""
    content = message.content if message else None
    if isinstance(content, str):
        return [content]
    return [block.text for block in content or () if block.type == "text" and block.text]


def message_text(message: Message | None) -> str:
    return "\n".join(message_texts(message))


def typed_words(texts: Sequence[str]) -> str:
    """The parts without what was added to them."""
    return _ADDED.around(texts).text


def queue_alone_tells(version: str | None) -> bool:
    """Whether a version told of what was typed meanwhile nowhere but in the queue."""
    return () < version_of(version) < _DELIVERIES


def judge_user(record: Record) -> Said:
    """What a `user` line without tool results says."""
    texts = message_texts(record.message)
    marked = _marked(record, "\n".join(texts))
    if marked is not None:
        return marked
    said = judge_text(texts, sure=_by_hand(record))
    if said.kind == "prompt" and not _by_hand(record) and _marks(record, _SOURCES):
        return said._replace(typed="probable")
    return said


def _marks(record: Record, since: tuple[int, ...]) -> bool:
    """Whether the line is of a version that marks what is typed at its screen."""
    return record.entrypoint == "cli" and version_of(record.version) >= since


def _by_hand(record: Record) -> bool:
    """Whether the line itself says that a person sent it."""
    kind, how = record.origin.kind if record.origin else None, record.promptSource
    # A front end talks through the SDK; what a person types at the terminal does not come so.
    unsaid = not how or (how == "sdk" and record.entrypoint != "cli")
    return how in _BY_HAND or (kind == "human" and unsaid)


def is_sure(record: Record) -> bool:
    """Whether all that the line says of itself fits a person at a screen."""
    entry = record.entrypoint
    if entry in _FRONT_ENDS:
        # A program built on the SDK may pass on a person's words, or its own.
        at_a_screen = bool(record.origin and record.origin.kind == "human") and _by_hand(record)
    else:
        # A source that nobody knows yet may be anything.
        known = not record.promptSource or _by_hand(record)
        at_a_screen = known and (entry is None or entry in SCREENS)
    return at_a_screen and not _from_elsewhere(record)


def _from_elsewhere(record: Record) -> bool:
    """Whether the line lacks a field that the client gives each, or has one that no typed one has.

    Where it says itself that a person sent it, a later version may add what it likes, except what
    is named like a source.
    """
    line = fields_of(record)
    if not all(line.get(name) for name in _marks_of(record)):
        return True
    message, attachment = table_of(line.get("message")), table_of(line.get("attachment"))
    origins = [table_of(part.get("origin")) for part in (line, attachment)]
    if message.get("role") not in (None, "user") or any(
        origin.get("kind") not in (None, "human") for origin in origins
    ):
        return True
    if line.get("userType") not in (None, "", "external", "ant"):
        return True
    if line.get("sessionKind") not in (None, "", "interactive"):
        return True  # in the background, where a program may have begun it
    blocks = tables(message.get("content"))
    result = any(block.get("type") == "tool_result" for block in blocks)
    known = _FIELDS | _FIELDS_OF_RESULTS if result else _FIELDS
    if foreign(line, known, lenient=_by_hand(record)):
        return True
    parts = [
        (message, _FIELDS_OF_MESSAGES),
        (attachment, _FIELDS_OF_ATTACHMENTS),
        *((origin, {"kind"}) for origin in origins),
        *((block, _FIELDS_OF_TEXTS) for block in blocks if "text" in block),
    ]
    return any(foreign(table, names) for table, names in parts)


def _marks_of(record: Record) -> frozenset[str]:
    """What every line of its type has: a role alone can be written by anybody."""
    return _MARKS_OF_QUEUE if record.type == "queue-operation" else _MARKS


def _marked(record: Record, text: str) -> Said | None:
    """What the fields of the line alone decide."""
    if record.isCompactSummary:
        return Said("summary", text)
    if record.planContent is not None:
        return Said("plan", text)
    if record.isMeta or record.isVisibleInTranscriptOnly or record.isSynthetic:
        return Said("injected", text)
    if record.sourceToolUseID:  # a skill that the agent loaded itself
        return Said("injected", text)
    if given(record.turnCompanion) and bytes(record.turnCompanion) != b"false":
        return Said("injected", text)
    kind = record.origin.kind if record.origin else None
    if (kind and kind != "human") or record.promptSource == "system":
        return Said("injected", text)
    return None


def judge_text(texts: Sequence[str], typed: Typed = "typed", *, sure: bool = False) -> Said:
    """What the texts of a user line are, by their form; `sure` when the line says it was typed."""
    text, around = "\n".join(texts), _ADDED.around(texts)
    # What cannot be seen hides no beginning.
    words, typed = around.text.lstrip(_UNSEEN), typed if around.whole else "probable"
    if interrupt := _INTERRUPT.match(words):
        words = words[interrupt.end() :].strip()
        if not words:
            return Said("interrupt", "")
    if words.startswith("<"):
        special = _tagged(words, typed)
        if special is not None:
            return special
    if not words or words.startswith(_ECHOES) or is_template(words):
        return Said("injected", text)
    if not sure:
        if words.startswith(SUMMARY):
            return Said("summary", text)
        if words.startswith(PLAN):
            return Said("plan", text)
        if words.startswith(_HARNESS) or _HOOK.match(words):
            return Said("injected", text)
        if _IMAGE_NOTE.match(words) and not _IMAGE_NOTE.sub("", words).strip():
            return Said("injected", text)
    return Said("prompt", words, typed)


def _tagged(text: str, typed: Typed) -> Said | None:
    if text.startswith(("<command-name", "<command-message")):
        name = next(between(text, "command-name"), "")
        if not name or "<" in name:
            return Said("injected", text)
        words = _arguments(text)
        slash = "/" + name.lstrip("/")
        return Said("command", f"{slash} {words}", typed) if words else Said("note", slash)
    if text.startswith("<bash-input>"):
        command = next(between(text, "bash-input"), "")
        return Said("shell", command, typed) if command else Said("injected", text)
    if text.startswith("<user-memory-input>"):
        words = next(between(text, "user-memory-input"), "")
        return Said("prompt", words, typed) if words else Said("injected", text)
    return None


def _arguments(text: str) -> str:
    """What was typed behind a command; "" where its name, which a repository gives, may hold it."""
    call, opened, rest = text.partition(_ARGS)
    words, closed, after = rest.rpartition(_ARGS_END)
    whole = opened and closed and not after.strip() and _CALL.fullmatch(call)
    return words.strip() if whole and "<command-" not in words else ""


def judge_queued(
    texts: Sequence[str], typed: Typed = "typed", *, sure: bool = False
) -> Said | None:
    """A text put into the queue while the agent worked; None when no person typed it."""
    words = typed_words(texts)
    if words.startswith(_TASK) or _SLASH.match(words):
        return None
    said = judge_text(texts, typed, sure=sure)
    if said.kind == "prompt":
        return said._replace(kind="steer")
    return said if said.kind == "shell" else None


def judge_delivered(record: Record, attachment: Attachment) -> Said | None:
    """A queued text as it reached the agent (`queued_command`); None when no person typed it."""
    kind = attachment.origin.kind if attachment.origin else None
    if record.isMeta or attachment.isMeta or kind not in {None, "human"}:
        return None
    texts = texts_of(attachment.prompt)
    if attachment.commandMode == "bash":
        command = "\n".join(texts).strip()
        return Said("shell", command) if command else None
    if attachment.commandMode not in {None, "prompt"}:
        return None
    marked = kind == "human" or not _marks(record, _ORIGINS)
    return judge_queued(texts, "typed" if marked else "probable", sure=kind == "human")


def judge_result(record: Record, block: Block, text: str, tool: str) -> Said | None:
    """What a person said or did about a tool call, by its result; None when nothing."""
    if record.toolDenialKind not in {None, "user-rejected"}:
        return None
    failed = block.is_error is True
    words = (record.userFeedback or "").strip()
    if words and not words.startswith(_ABOUT_QUESTIONS):
        return Said("reject_feedback" if failed else "accept_feedback", words)
    if not failed:
        return None
    typed: Typed = "typed"
    if not record.toolDenialKind:
        if bytes(record.toolUseResult) == _REJECTED:
            return Said("reject", "")
        if not _refusal_in_text(record, block, text):
            return None
        typed = "typed" if tool in _QUIET_TOOLS else "probable"
    words = feedback_in(text)
    return Said("reject_feedback", words, typed) if words else Said("reject", "", typed)


def _refusal_in_text(record: Record, block: Block, text: str) -> bool:
    """Whether a result may be a refusal of a version that says so in words alone.

    Then the agent wrote an error of its own: one text, and the same as the call's only result. A
    result of a tool is an object, or has the exit code before what was printed.
    """
    return (
        _EXIT_CODES <= version_of(record.version) < _DENIAL_KINDS
        and isinstance(block.content, str)
        and _REFUSED.match(text) is not None
        and _error_of(record) in (f"Error: {text}", text)
    )


def _error_of(record: Record) -> str | None:
    try:
        return msgspec.json.decode(record.toolUseResult, type=str)
    except (msgspec.DecodeError, UnicodeError):
        return None


def feedback_in(text: str) -> str:
    """The words in a refusal, without the harness's sentences around them; "" for none."""
    _, _, words = text.partition(_REJECTED_PLAN)[0].partition(_SAID)
    for marker in _AFTER_FEEDBACK:
        words = words.partition(marker)[0]
    words = words.strip()
    return "" if words.startswith(_ABOUT_QUESTIONS) else words


def judge_beside(record: Record) -> Said | None:
    """A text beside the result of a tool: typed when the call was allowed; None when nothing."""
    texts = message_texts(record.message)
    text = "\n".join(texts)
    if not text or text.strip() == _TOOL_LOADED or _marked(record, text) is not None:
        return None
    # Later versions have a field for it; what stands there then is of unknown origin.
    typed: Typed = "typed" if () < version_of(record.version) < _DENIAL_KINDS else "probable"
    said = judge_text(texts, typed)
    if said.kind == "prompt":
        return said._replace(kind="accept_feedback")
    return said if said.kind == "interrupt" else None
