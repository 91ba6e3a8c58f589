"""Which words in a Claude Code log a person typed.

Most `user` lines are not human, and one human text in eight is not on a `user` line. The rules
are in the order in which they decide; newer versions of the agent mark the source of a prompt
(`origin`, `promptSource`), older ones are told by how the text begins.
"""

import re
from typing import NamedTuple

from reverie.sessions.model import Kind, Typed
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


# How texts begin that the harness, a hook, another agent or we ourselves put on a user line.
INJECTED = (
    "<local-command-stdout",
    "<local-command-stderr",
    "<local-command-caveat",
    "<task-notification",
    "<agent-notification",
    "<bash-stdout",
    "<bash-stderr",
    "<system-reminder",
    "<teammate-message",
    "<cross-session-message",
    "<channel-message",
    "<session-start-hook",
    "<user-prompt-submit-hook",
    "<post-tool-use-hook",
    "<tick>",
    "<goal>",
    "<system_instruction",
    "<system-instruction",
    "<reverie-",
    "Caveat: The messages below were generated",
    "Stop hook feedback:",
    "[SYSTEM NOTIFICATION",
)
_BY_HAND = frozenset({"typed", "queued", "suggestion_accepted"})
SUMMARY = "This session is being continued from"
PLAN = "Implement the following plan:"
INTERRUPT = "[Request interrupted by user"

_TASK = '{"task_id"'
# `/name` and what follows, but not a path with words after it.
_SLASH = re.compile(r"/[A-Za-z][\w:.-]*(?=\s|\Z)")

# Blocks an IDE or the harness adds around what was typed.
_ADDED = re.compile(
    r"<(ide_opened_file|ide_selection|ide_diagnostics|system-reminder|post-tool-use-hook"
    r"|user-prompt-submit-hook|new-diagnostics|system_instruction|reverie-context)\b[^>]*>"
    r".*?</\1>\s*",
    re.DOTALL,
)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SHELL = re.compile(r"\s*<bash-input>(.*?)</bash-input>", re.DOTALL)
_MEMORY = re.compile(r"\s*<user-memory-input>(.*?)</user-memory-input>", re.DOTALL)

REFUSED = (
    "The user doesn't want to ",
    "The agent proposed a plan that was rejected by the user",
)
# Written by the harness when a person would rather talk than pick an answer.
CLARIFY = "The user wants to clarify these questions"
_FEEDBACK = re.compile(r"\bthe user said:(.*)", re.DOTALL)
# What the harness adds after the feedback in some versions.
_AFTER_FEEDBACK = re.compile(
    r"\n+(?:Note: The user's next message may contain|<system-reminder>|STOP what you are doing)"
    r".*\Z",
    re.DOTALL,
)


def strip_added(text: str) -> str:
    """The text without blocks that an IDE, a hook or the harness put into it."""
    if "<" in text:
        text = _ADDED.sub("", text)
    return text.strip()


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
    return judge_text(text, _typed(record))


def _typed(record: Record) -> Typed:
    """A front end built on the SDK may be a person or a script."""
    if (record.origin and record.origin.kind == "human") or record.promptSource in _BY_HAND:
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


def judge_text(text: str, typed: Typed = "typed") -> Said:
    """What a text on a user line is, by its form."""
    bare = text.lstrip()
    if bare.startswith(INTERRUPT):
        return Said("interrupt", "")
    if bare.startswith("<"):
        special = _tagged(bare, typed)
        if special is not None:
            return special
    stripped = strip_added(text)
    if stripped.startswith(SUMMARY):
        return Said("summary", text)
    if stripped.startswith(PLAN):
        return Said("plan", text)
    if not stripped or stripped.startswith(INJECTED):
        return Said("injected", text)
    return Said("prompt", stripped, typed)


def _tagged(text: str, typed: Typed) -> Said | None:
    if text.startswith(("<command-name", "<command-message")):
        name = _COMMAND.search(text)
        if name is None:
            return Said("injected", text)
        arguments = _ARGUMENTS.search(text)
        words = arguments.group(1).strip() if arguments else ""
        slash = "/" + name.group(1).lstrip("/")
        return Said("command", f"{slash} {words}", typed) if words else Said("note", slash)
    if shell := _SHELL.match(text):
        command = shell.group(1).strip()
        return Said("shell", command, typed) if command else Said("injected", text)
    if memory := _MEMORY.match(text):
        words = memory.group(1).strip()
        return Said("prompt", words, typed) if words else Said("injected", text)
    return None


def judge_queued(text: str) -> Said | None:
    """A text put into the queue while the agent worked; None when no person typed it."""
    stripped = strip_added(text)
    if stripped.startswith(_TASK) or _SLASH.match(stripped):
        return None
    said = judge_text(text)
    if said.kind == "prompt":
        return Said("steer", said.text)
    return said if said.kind == "shell" else None


def judge_delivered(record: Record, attachment: Attachment) -> Said | None:
    """A queued text as it reached the agent (`queued_command`); None when no person typed it."""
    if record.isMeta or (attachment.origin and attachment.origin.kind not in {None, "human"}):
        return None
    text = text_of(attachment.prompt)
    if attachment.commandMode == "bash":
        return Said("shell", text.strip()) if text.strip() else None
    return judge_queued(text) if attachment.commandMode in {None, "prompt"} else None


def judge_result(record: Record, text: str, *, failed: bool) -> Said | None:
    """What a person said or did about a tool call, by its result; None when nothing."""
    by_person = record.toolDenialKind in {None, "user-rejected"}
    words = (record.userFeedback or "").strip() if by_person else ""
    if words:
        return Said("reject_feedback" if failed else "steer", words)
    if not failed or not text.startswith(REFUSED):
        return None
    words = feedback_in(text)
    return Said("reject_feedback", words) if words else Said("reject", "")


def feedback_in(text: str) -> str:
    """The words in a refusal, without the harness's sentences around them; "" for none."""
    said = _FEEDBACK.search(text)
    if said is None:
        return ""
    words = _AFTER_FEEDBACK.sub("", said.group(1)).strip()
    return "" if words.startswith(CLARIFY) else words
