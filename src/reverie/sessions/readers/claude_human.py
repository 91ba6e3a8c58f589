"""Which words in a Claude Code log a person typed.

Most `user` lines are not human, and one human text in eight is not on a `user` line. The rules
are in the order in which they decide; newer versions of the agent mark the source of a prompt
(`origin`, `promptSource`), older ones are told by how the text begins.
"""

import re
from typing import NamedTuple

from reverie.sessions.model import Kind, Typed
from reverie.sessions.readers.base import between
from reverie.sessions.readers.claude_records import (
    Attachment,
    Inner,
    Message,
    Record,
    given,
)


class Said(NamedTuple):
    """What a text turned out to be. `kind` outside SPOKEN: not the person's words."""

    kind: Kind
    text: str
    typed: Typed = "typed"


# How texts begin that are the echo of a command, or that we put on a user line ourselves.
_ECHOES = (
    "<local-command-stdout",
    "<local-command-stderr",
    "<bash-stdout",
    "<bash-stderr",
    "<reverie-",
)
# As above, but a line that says a person sent it is believed.
_HARNESS = (
    "<local-command-caveat",
    "<task-notification",
    "<agent-notification",
    "<system-reminder",
    "<teammate-message",
    "<cross-session-message",
    "<channel-message",
    "<channel ",
    "<fork-boilerplate",
    "<session-start-hook",
    "<user-prompt-submit-hook",
    "<post-tool-use-hook",
    "<tick>",
    "<goal>",
    "<<autonomous-loop",
    "<system_instruction",
    "<system-instruction",
    "Caveat: The messages below were generated",
    "Base directory for this skill:",
    "[SYSTEM NOTIFICATION",
)
_BY_HAND = frozenset({"typed", "queued", "suggestion_accepted"})
SUMMARY = "This session is being continued from"
PLAN = "Implement the following plan:"

_INTERRUPT = re.compile(r"\[Request interrupted by user[^\]\n]{0,80}\]")
# The harness says so of an image it shows; `[Image #1]` is the person's.
_IMAGE_NOTE = re.compile(r"\[Image: (?:source|original)\b[^\]\n]{0,400}\]")
_HOOK = re.compile(r"[A-Za-z]+(?::\S+)? hook (?:feedback|blocking error)\b")
_TOOL_LOADED = "Tool loaded."
_TASK = '{"task_id"'
# `/name` and what follows, but not a path with words after it.
_SLASH = re.compile(r"/[A-Za-z][\w:.-]*(?=\s|\Z)")

# Blocks an IDE, a front end, a hook or the harness adds around what was typed.
_ADDED = re.compile(
    r"<(ide_\w+|system-reminder|[a-z]+(?:-[a-z]+)*-hook|new-diagnostics|local-command-caveat"
    r"|system[_-]instruction|uploaded_files|reverie-context)\b[^<>]*>"
)
_SPACE = re.compile(r"\s*")
_MOST_UNCLOSED = 32  # each costs a search to the end: a text made of them is not looked at further

_REFUSED = re.compile(
    r"(?:Error: )?(?:The user doesn['\u2019]t want to "
    r"|The agent proposed a plan that was rejected by the user)"
)
_REJECTED = b'"User rejected tool use"'
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


def strip_added(text: str) -> str:
    """The text without blocks that an IDE, a hook or the harness put into it."""
    if "<" not in text:
        return text.strip()
    kept: list[str] = []
    at, unclosed = 0, set[str]()
    for opening in _ADDED.finditer(text):
        name = opening.group(1)
        if opening.start() < at or name in unclosed:
            continue
        end = text.find(f"</{name}>", opening.end())
        if end < 0:
            unclosed.add(name)
            if len(unclosed) > _MOST_UNCLOSED:
                break
            continue
        kept.append(text[at : opening.start()])
        after = _SPACE.match(text, end + len(name) + 3)
        at = after.end() if after else len(text)
    return "".join((*kept, text[at:])).strip()


def text_of(content: str | list[Inner] | None) -> str:
    if isinstance(content, str):
        return content
    if not content:
        return ""
    return "\n".join(part.text for part in content if part.type == "text" and part.text)


def message_text(message: Message | None) -> str:
    content = message.content if message else None
    if isinstance(content, str):
        return content
    if not content:
        return ""
    return "\n".join(block.text for block in content if block.type == "text" and block.text)


def judge_user(record: Record) -> Said:
    """What a `user` line without tool results says."""
    text = message_text(record.message)
    marked = _marked(record, text)
    if marked is not None:
        return marked
    return judge_text(text, _typed(record), sure=_by_hand(record))


def _by_hand(record: Record) -> bool:
    """Whether the line itself says that a person sent it."""
    kind = record.origin.kind if record.origin else None
    return kind == "human" or record.promptSource in _BY_HAND


def _typed(record: Record) -> Typed:
    """A front end built on the SDK may be a person or a script."""
    if _by_hand(record):
        return "typed"
    scripted = record.promptSource == "sdk" or (record.entrypoint or "").startswith("sdk-")
    return "probable" if scripted else "typed"


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


def judge_text(text: str, typed: Typed = "typed", *, sure: bool = False) -> Said:
    """What a text on a user line is, by its form; `sure` when its line says that it was typed."""
    words = strip_added(text)
    if interrupt := _INTERRUPT.match(words):
        words = words[interrupt.end() :].strip()
        if not words:
            return Said("interrupt", "")
    if words.startswith("<"):
        special = _tagged(words, typed)
        if special is not None:
            return special
    if not words or words.startswith(_ECHOES):
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
        if not name:
            return Said("injected", text)
        words = next(between(text, "command-args"), "")
        slash = "/" + name.lstrip("/")
        return Said("command", f"{slash} {words}", typed) if words else Said("note", slash)
    if text.startswith("<bash-input>"):
        command = next(between(text, "bash-input"), "")
        return Said("shell", command, typed) if command else Said("injected", text)
    if text.startswith("<user-memory-input>"):
        words = next(between(text, "user-memory-input"), "")
        return Said("prompt", words, typed) if words else Said("injected", text)
    return None


def judge_queued(text: str, *, sure: bool = False) -> Said | None:
    """A text put into the queue while the agent worked; None when no person typed it."""
    stripped = strip_added(text)
    if stripped.startswith(_TASK) or _SLASH.match(stripped):
        return None
    said = judge_text(text, sure=sure)
    if said.kind == "prompt":
        return Said("steer", said.text)
    return said if said.kind == "shell" else None


def judge_delivered(record: Record, attachment: Attachment) -> Said | None:
    """A queued text as it reached the agent (`queued_command`); None when no person typed it."""
    kind = attachment.origin.kind if attachment.origin else None
    if record.isMeta or attachment.isMeta or kind not in {None, "human"}:
        return None
    text = text_of(attachment.prompt)
    if attachment.commandMode == "bash":
        return Said("shell", text.strip()) if text.strip() else None
    if attachment.commandMode not in {None, "prompt"}:
        return None
    return judge_queued(text, sure=kind == "human")


def judge_result(record: Record, text: str, *, failed: bool) -> Said | None:
    """What a person said or did about a tool call, by its result; None when nothing."""
    by_person = record.toolDenialKind in {None, "user-rejected"}
    words = (record.userFeedback or "").strip() if by_person else ""
    if words and not words.startswith(_ABOUT_QUESTIONS):
        return Said("reject_feedback" if failed else "accept_feedback", words)
    if not failed or not _refused(record, text):
        return None
    words = feedback_in(text)
    return Said("reject_feedback", words) if words else Said("reject", "")


def _refused(record: Record, text: str) -> bool:
    return (
        _REFUSED.match(text) is not None
        or record.toolDenialKind == "user-rejected"
        or bytes(record.toolUseResult) == _REJECTED
    )


def feedback_in(text: str) -> str:
    """The words in a refusal, without the harness's sentences around them; "" for none."""
    _, _, words = text.partition(_REJECTED_PLAN)[0].partition(_SAID)
    for marker in _AFTER_FEEDBACK:
        words = words.partition(marker)[0]
    words = words.strip()
    return "" if words.startswith(_ABOUT_QUESTIONS) else words


def judge_beside(record: Record) -> Said | None:
    """A text beside the result of a tool: typed when the call was allowed; None when nothing."""
    text = message_text(record.message)
    if not text or text.strip() == _TOOL_LOADED or _marked(record, text) is not None:
        return None
    said = judge_text(text)
    if said.kind == "prompt":
        return Said("accept_feedback", said.text)
    return said if said.kind == "interrupt" else None
