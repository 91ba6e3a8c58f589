"""OpenCode: its database, the folders of JSON files before 2026, and `opencode export`.

A message, in the form of the export, is `{info, parts}`. Text parts marked `synthetic` or `ignored`
were not typed; in a session with a parent a model wrote the prompts. A refused permission leaves no
mark but the text of an error, which a tool or a plugin can write as well: it is told with doubt.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reverie.sessions.logs.document import messages_of
from reverie.sessions.logs.lines import DamageCount
from reverie.sessions.logs.transcript import Resume, Transcript, WholeTranscript
from reverie.sessions.model import Kind, Role, Tool, Turn
from reverie.sessions.readers import neutral
from reverie.sessions.readers import opencode_sources as sources
from reverie.sessions.readers.base import Part, files_matching, home, iso_of_ms, table_of, text_of
from reverie.sessions.readers.blocks import is_template
from reverie.sessions.readers.clip import clip
from reverie.sessions.readers.databases import MAGIC, has_tables
from reverie.sessions.readers.objects import Objects, Place, Table, tables, texts_of

AGENT = "opencode"

# The message that stands for a `!` line; the command is in the message that follows.
_SHELL = "The following tool was executed by the user"
_REFUSED = "The user rejected permission to use this specific tool call"
_FEEDBACK = re.compile(r"with the following feedback:\s*(.*)", re.DOTALL)
_OWN = "<reverie-"
# `opencode run` puts quotes around words with blanks in them, also in versions that forbid nothing.
_QUOTED = re.compile(r'"\S*\s.*"', re.DOTALL)
_ASKING = frozenset({"question", "plan_enter", "plan_exit"})
# What the agent's own GitHub action puts into its prompt.
_ACTION = "<github_action_context>"


class OpenCode:
    """The reader of sessions in all three places."""

    agent = AGENT

    def roots(self, env: Mapping[str, str]) -> list[Path]:
        given = env.get("XDG_DATA_HOME")
        data = Path(given) if given else home(env) / ".local" / "share"
        return [data / "opencode"]

    def candidates(self, root: Path) -> Iterator[Path]:
        yield from sorted(root.glob("opencode*.db"))
        yield from files_matching(root / "storage" / "session", r"[^/]+/ses_[^/]+\.json")
        # Before projects shared one folder each had its own.
        for project in sorted(root.glob("project/*/storage/session/info")):
            yield from files_matching(project, r"ses_[^/]+\.json")

    def recognises(self, path: Path, head: bytes) -> bool:
        if head.startswith(MAGIC):
            return has_tables(path, "session", "message", "part")
        if neutral.written_for(AGENT, head):
            return True
        if sources.is_stored_session(path, head):
            return True
        return (
            b'"info"' in head[:2_000]
            and b'"ses_' in head
            and (b'"messages"' in head or b'"directory"' in head)
        )

    def parts(self, path: Path) -> list[Part] | None:
        if path.suffix == ".db":
            return sources.database_parts(path)
        stored = sources.stored_session(path)
        return [sources.stored_part(path, stored)] if stored else None

    def open(self, path: Path, resume: Resume | None = None, part: str = "") -> Transcript:
        if path.name.endswith((".jsonl", ".jsonl.zst")):
            return neutral.opened(AGENT, path, resume)
        session = OpenCodeSession(part or path.name.partition(".")[0])

        def records(damage: DamageCount) -> Iterator[tuple[int, object]]:
            if path.suffix == ".db":
                return sources.database_messages(path, part, session.describe, damage)
            if part:
                return sources.stored_messages(path, session.describe, damage)
            return messages_of(path, ("messages",), session.whole, session.describe, damage)

        return WholeTranscript(AGENT, path, session, records)


def _headless(permission: Any) -> bool:
    """Whether nobody sits before the session: `opencode run` forbids what asks a person."""
    denied = {
        text_of(rule.get("permission"))
        for rule in tables(permission)
        if rule.get("action") == "deny" and rule.get("pattern") in (None, "*")
    }
    return denied >= _ASKING


class OpenCodeSession(Objects):
    """Reads the messages of one session in order."""

    agent = AGENT
    fields = frozenset({"agent"})

    def __init__(self, session: str) -> None:
        super().__init__(session)
        self._revert = ""
        self._shell = False

    def describe(self, fields: Table) -> None:
        """What the session's own record says; an export has it beside the messages."""
        info = table_of(fields.get("info")) or fields
        names = {"id": "id", "directory": "cwd", "title": "title", "version": "version"}
        for key, name in (*names.items(), ("parentID", "parent")):
            if text := text_of(info.get(key)):
                self._fields[name] = text
        if self._fields.get("parent"):
            self._fields["subagent"] = "yes"
        if _headless(info.get("permission")):
            self.typed = "probable"
        time = table_of(info.get("time"))
        for key, name in (("created", "started"), ("updated", "ended")):
            if at := iso_of_ms(time.get(key)):
                self._fields[name] = at
        self._revert = text_of(table_of(info.get("revert")).get("messageID"))

    def whole(self, value: Table) -> bool:
        return isinstance(value.get("parts"), list) and isinstance(
            table_of(value.get("info")).get("role"), str
        )

    def feed(self, line: int, offset: int, record: Table, out: list[Turn]) -> None:
        info = table_of(record.get("info"))
        at = iso_of_ms(table_of(info.get("time")).get("created"))
        place = Place(line, 0, at, text_of(info.get("id")))
        self.seen(at)
        self._fields["here"] = text_of(table_of(info.get("path")).get("cwd"))
        if self._revert and place.event == self._revert:
            self._undone.append((line, 2**31))
        parts = tables(record.get("parts"))
        if info.get("role") == "user":
            self._said(place, info, parts, out)
        else:
            self._answer(place, info, parts, out)

    def _said(self, place: Place, info: Table, parts: list[Table], out: list[Turn]) -> None:
        typed: list[Table] = []
        for part in parts:
            text = text_of(part.get("text"))
            match part.get("type"):
                case "text" if part.get("synthetic") or part.get("ignored"):
                    self._shell = self._shell or text.startswith(_SHELL)
                    out.append(self.turn(place, "harness", "injected", clip(text)))
                case "text":
                    typed.append(part)
                case "compaction":
                    out.append(self.turn(place, "harness", "boundary", "compacted"))
                case "shell":
                    out.append(self.turn(place, "human", "shell", text_of(part.get("command"))))
                case _:
                    pass
        words = texts_of(typed).strip()
        if not words:
            return
        added = words.startswith(_OWN) or _ACTION in words or is_template(words)
        if self._fields.get("subagent") or added:
            out.append(self.turn(place, "harness", "injected", clip(words)))
        else:
            doubt = self.from_elsewhere(info, *typed) or _QUOTED.fullmatch(words) is not None
            out.append(self.turn(place, "human", "prompt", words, doubt=doubt))

    def _answer(self, place: Place, info: Table, parts: list[Table], out: list[Turn]) -> None:
        role: Role = "harness" if info.get("summary") is True else "agent"
        kind: Kind = "summary" if info.get("summary") is True else "text"
        for part in parts:
            text = text_of(part.get("text"))
            match part.get("type"):
                case "text" if text and not part.get("synthetic"):
                    out.append(self.turn(place, role, kind, text))
                case "reasoning" if text:
                    out.append(self.turn(place, "agent", "thinking", clip(text)))
                case "tool":
                    self._tool(place, part, out)
                case _:
                    pass
        self._shell = False
        error = table_of(info.get("error"))
        if error.get("name") == "MessageAbortedError":
            out.append(self.turn(place, "human", "interrupt", ""))
        elif error:
            message = table_of(error.get("data")).get("message") or error.get("message")
            out.append(self.turn(place, "harness", "note", clip(text_of(message))))

    def _tool(self, place: Place, part: Table, out: list[Turn]) -> None:
        name = text_of(part.get("tool")) or text_of(part.get("name"))
        call = text_of(part.get("callID")) or text_of(part.get("id"))
        state = table_of(part.get("state"))
        given = table_of(state.get("input"))
        command = text_of(given.get("command"))
        if self._shell and command and not self._fields.get("subagent"):
            self._shell = False
            out.append(self.turn(place, "human", "shell", command))
        else:
            out.append(self.turn(place, "agent", "tool_call", "", Tool(name, call, given)))
        status = state.get("status")
        if status not in ("completed", "error"):
            return
        error = state.get("error")
        message = text_of(error) or text_of(table_of(error).get("message"))
        refused = status == "error" and message.startswith(_REFUSED)
        if refused and not self._fields.get("subagent"):
            feedback = _FEEDBACK.search(message)
            words = feedback.group(1).strip() if feedback else ""
            kind: Kind = "reject_feedback" if words else "reject"
            out.append(self.turn(place, "human", kind, words, doubt=True))
        code = table_of(state.get("metadata")).get("exit")
        code = code if isinstance(code, int) else None
        tool = Tool(name, call, {}, status == "completed" and code in {None, 0}, code)
        text = text_of(state.get("output")) or message
        out.append(self.turn(place, "tool", "tool_result", clip(text), tool))
