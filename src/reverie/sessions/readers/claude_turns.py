"""Turns out of the lines of one Claude Code log.

File order is a sound reading order, so all lines are read in order: walking the parent chain, as
the vendor's reader does, loses what was said before a compaction.
"""

import re
from pathlib import Path
from typing import Any

from reverie.sessions.logs.transcript import Resume
from reverie.sessions.model import TOOLS, Head, Kind, Role, Tool, Turn, Typed
from reverie.sessions.readers import claude_human as human
from reverie.sessions.readers import claude_records as records
from reverie.sessions.readers.base import UUID, named_by, trace_of
from reverie.sessions.readers.claude_pastes import pastes_beside
from reverie.sessions.readers.claude_queue import SteeringQueue
from reverie.sessions.readers.claude_records import AGENT, SUBAGENT_FILE, Block, Message, Record
from reverie.sessions.readers.clip import clip

_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,9})\b")
# The agent calls a command itself with these; its line looks like one of the person's.
_COMMANDS = frozenset({"Skill", "SlashCommand"})


class ClaudeParser:
    """Turns out of the lines of one log."""

    def __init__(self, path: Path, resume: Resume | None = None) -> None:
        state = resume.state if resume else {}
        self._named = named_by(path)
        self._in_subagents = _of_a_subagent(path)
        self._pastes = pastes_beside(path)
        self._head: dict[str, str] = dict(state.get("head", {}))
        self._titles: dict[str, str] = dict(state.get("titles", {}))
        self._calls: dict[str, str] = dict(state.get("calls", {}))
        self._seen: set[str] = set(state.get("seen", ()))
        self._prompts: dict[str, int] = dict(state.get("prompts", {}))
        self._main_lines: int = state.get("main_lines", 0)
        self._side_lines: int = state.get("side_lines", 0)
        self.undone: list[tuple[int, int]] = [(a, b) for a, b in state.get("undone", ())]
        self._queue = SteeringQueue()
        self._counted: tuple[str, int] = tuple(state.get("counted", ("", 0)))
        self._due: int = state.get("due", 0)
        self._cwd: str = state.get("cwd", "")
        self._branch: str = state.get("branch", "")
        self._commands: bool = state.get("commands", False)
        # What wrote lines here besides a screen: those that do not say it may be its own.
        self._program: str | None = state.get("program")

    def save(self) -> dict[str, Any]:
        return {
            "head": dict(self._head),
            "titles": dict(self._titles),
            "calls": dict(self._calls),
            "seen": sorted(self._seen - self._queue.keys()),
            "prompts": dict(self._prompts),
            "main_lines": self._main_lines,
            "side_lines": self._side_lines,
            "undone": [list(pair) for pair in self.undone],
            "counted": list(self._counted),
            "due": self._due,
            "cwd": self._cwd,
            "branch": self._branch,
            "commands": self._commands,
            "program": self._program,
        }

    @property
    def undecided(self) -> bool:
        return self._queue.open

    @property
    def withdrawn(self) -> set[int]:
        return self._queue.withdrawn

    decode = staticmethod(records.decode)
    adopt = staticmethod(records.adopt)

    def head(self) -> Head:
        head = self._head
        logged = head.get("session_id", "")
        subagent = self._in_subagents or (self._side_lines > 0 and self._main_lines == 0)
        session = self._named or logged
        if subagent and head.get("agent_id"):
            session = f"{logged or self._named}/{head['agent_id']}"
        titles = self._titles
        return Head(
            agent=AGENT,
            session_id=session,
            cwd=head.get("cwd", ""),
            started=head.get("started", ""),
            ended=head.get("ended", ""),
            title=titles.get("custom") or titles.get("ai") or titles.get("summary") or "",
            version=head.get("version", ""),
            branch=head.get("branch", ""),
            parent=logged if subagent or (logged and logged != session) else "",
            subagent=subagent,
        )

    def feed(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        if not record.entrypoint:
            record.entrypoint = self._program
        elif record.entrypoint not in human.SCREENS:
            self._program = record.entrypoint
        kind = record.type
        if kind == "assistant":
            self._conversation(record)
            self._assistant(line, offset, record, out)
        elif kind == "user":
            self._conversation(record)
            self._user(line, offset, record, out)
        elif kind == "queue-operation":
            self._queued(line, offset, record, out)
        elif kind == "attachment":
            self._conversation(record)
            self._attachment(line, offset, record, out)
        elif kind == "system":
            self._conversation(record)
            self._system(line, offset, record, out)
        elif kind is not None and kind != "progress":
            self._state(line, offset, record, out)

    def _conversation(self, record: Record) -> None:
        if self._queue.open:
            self._queue.tick()
        head = self._head
        if record.cwd:
            self._cwd = record.cwd
        if record.gitBranch:
            self._branch = record.gitBranch
        if record.timestamp:
            if "started" not in head:
                head["started"] = record.timestamp
                head["cwd"] = self._cwd
                head["branch"] = self._branch
            head["ended"] = record.timestamp
        if record.version:
            head["version"] = record.version
        if record.sessionId and "session_id" not in head:
            head["session_id"] = record.sessionId
        if record.isSidechain:
            self._side_lines += 1
            if record.agentId:
                head.setdefault("agent_id", record.agentId)
        else:
            self._main_lines += 1

    def _turn(
        self,
        line: int,
        offset: int,
        record: Record,
        role: Role,
        kind: Kind,
        text: str,
        tool: Tool | None = None,
        typed: Typed = "typed",
        tokens: int = 0,
    ) -> Turn:
        at, event = record.timestamp or "", record.uuid or ""
        if role == "human" and text:
            text = self._pastes.apart(record.sessionId or self._named, text)
            if typed == "typed" and not human.is_sure(record):
                typed = "probable"
        # By position: a million of them are made per gigabyte of log.
        return Turn(
            line, offset, role, kind, at, text, event, self._cwd, self._branch, typed, tool,
            False, tokens,
        )  # fmt: skip

    def _assistant(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        content = record.message.content if record.message else None
        if isinstance(content, str):
            content = [Block(type="text", text=content)]
        # A subagent's words inside the main log are not what the person answers to.
        aside = bool(record.isSidechain) and not self._in_subagents
        role: Role = "harness" if record.isApiErrorMessage or aside else "agent"
        tokens = self._due + self._spent(record.message)
        self._commands = False
        for block in content or ():
            if block.type == "text" and block.text:
                kind = "text" if role == "agent" else "note"
                turn = self._turn(line, offset, record, role, kind, block.text, tokens=tokens)
            elif block.type == "thinking" and block.thinking and not aside:
                text = clip(block.thinking)
                turn = self._turn(line, offset, record, "agent", "thinking", text, tokens=tokens)
            elif block.type in {"tool_use", "server_tool_use"}:
                tool = Tool(block.name or "", block.id or "", block.input or {})
                if tool.call_id:
                    self._calls[tool.call_id] = tool.name
                self._commands = self._commands or tool.name in _COMMANDS
                turn = self._turn(
                    line, offset, record, "agent", "tool_call", "", tool=tool, tokens=tokens
                )
            else:
                continue
            out.append(turn)
            tokens = 0
        self._due = tokens

    def _spent(self, message: Message | None) -> int:
        """What a message cost; its later lines repeat the count, or add what was written since."""
        usage = message.usage if message else None
        if message is None or usage is None or not message.id:
            return 0
        read = (usage.input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        total = read + (usage.output_tokens or 0)
        name, before = self._counted
        self._counted = message.id, total
        return max(0, total - before) if name == message.id else max(0, total)

    def _user(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        content = record.message.content if record.message else None
        if not isinstance(content, str):
            results = [block for block in content or () if block.type == "tool_result"]
            if results:
                for block in results:
                    self._result(line, offset, record, block, out)
                if len(results) < len(content or ()):
                    self._beside(line, offset, record, out)
                return
        if self._by_a_model(record) or records.given(record.toolUseResult):
            said = human.Said("injected", human.message_text(record.message))
        else:
            said = human.judge_user(record)
        if said.kind == "command" and self._commands:
            said = said._replace(kind="injected")
        if said.kind == "injected" and self._queue.open:
            # What waited in the queue turns out to be the harness's.
            self._queue.delivered(human.typed_words(human.message_texts(record.message)))
        self._say(line, offset, record, said, out)

    def _by_a_model(self, record: Record) -> bool:
        aside = record.isSidechain or record.teamName or record.agentId
        return bool(aside or self._in_subagents)

    def _say(
        self, line: int, offset: int, record: Record, said: human.Said, out: list[Turn]
    ) -> None:
        """Append what a person said, once, or what the harness put there."""
        if said.kind == "interrupt" and record.interruptedByShutdown:
            said = human.Said("note", "interrupted by a shutdown")
        if said.kind in {"summary", "plan", "injected", "note"}:
            text = said.text if said.kind in {"plan", "summary"} else clip(said.text)
            if text:
                out.append(self._turn(line, offset, record, "harness", said.kind, text))
            return
        if record.uuid:
            # A published log may have one and the same word in place of every id.
            key = trace_of(record.uuid, said.text)
            if key in self._seen:
                return
            self._seen.add(key)
        self._queue.delivered(said.text)
        if said.kind == "prompt":
            self._branch_off(line, record)
        typed = said.typed
        out.append(self._turn(line, offset, record, "human", said.kind, said.text, typed=typed))

    def _delivered(
        self, line: int, offset: int, record: Record, said: human.Said, out: list[Turn]
    ) -> None:
        """What was typed while the agent worked, unless it has a line of its own as well."""
        source = record.attachment.source_uuid if record.attachment else None
        if source:
            key = trace_of(source, said.text)
            if key in self._seen:
                self._queue.delivered(said.text)
                return
            self._seen.add(key)
        self._say(line, offset, record, said, out)

    def _branch_off(self, line: int, record: Record) -> None:
        """A second prompt under the same parent: the person went back, the first is undone."""
        parent = record.parentUuid
        if not parent:
            return
        before = self._prompts.get(parent)
        if before is not None and before < line:
            self.undone.append((before, line))
        self._prompts[parent] = line

    def _result(
        self, line: int, offset: int, record: Record, block: Block, out: list[Turn]
    ) -> None:
        text = human.text_of(block.content)
        call = block.tool_use_id or ""
        name = self._calls.pop(call, "")
        failed = bool(block.is_error)
        code = None
        if failed:
            match = _EXIT_CODE.match(text)
            code = int(match.group(1)) if match else None
        changed = name.lower() in TOOLS.edits and b'"userModified":true' in bytes(
            record.toolUseResult
        )
        tool = Tool(name, call, {}, not failed, code, changed)
        out.append(self._turn(line, offset, record, "tool", "tool_result", clip(text), tool=tool))
        if self._by_a_model(record):
            return
        said = human.judge_result(record, block, text, name)
        if said is not None and self._first(record, call):
            out.append(
                self._turn(
                    line, offset, record, "human", said.kind, said.text, tool=tool, typed=said.typed
                )
            )

    def _beside(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        """What a person wrote along when they allowed the call."""
        said = None if self._by_a_model(record) else human.judge_beside(record)
        if said is not None:
            self._say(line, offset, record, said, out)

    def _first(self, record: Record, call: str) -> bool:
        """Whether this refusal was not told before (a duplicated line)."""
        key = f"{record.uuid or ''}/{call}"
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _queued(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        texts = human.texts_of(record.content)
        # Later on a delivery tells whose words they were; these are only what waited.
        alone = human.queue_alone_tells(self._head.get("version"))
        said = human.judge_queued(texts, "typed" if alone else "probable")
        if record.operation != "enqueue":
            # Newer versions say which text left.
            if record.operation == "popAll":
                self.undone += [(place, place + 1) for place in self._queue.taken_back()]
            else:
                self._queue.leave(said.text if said else "\n".join(texts))
            if record.operation != "remove":
                return
        if said is None or self._in_subagents:
            return
        key, known = trace_of(record.timestamp or "", said.text), trace_of("queued", said.text)
        # What leaves the queue is told only if the line that put it there is missing.
        if key in self._seen or (record.operation == "remove" and known in self._seen):
            return
        self._seen |= {key, known}
        self._queue.put(said.text, key, offset, line)
        out.append(
            self._turn(line, offset, record, "human", said.kind, said.text, typed=said.typed)
        )

    def _attachment(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        attachment = record.attachment
        if attachment is None:
            return
        kind = attachment.type or ""
        if kind == "queued_command":
            said = None if self._by_a_model(record) else human.judge_delivered(record, attachment)
            if said is not None:
                self._delivered(line, offset, record, said, out)
            else:
                self._queue.delivered(human.typed_words(human.texts_of(attachment.prompt)))
        elif kind.startswith("hook_"):
            content = attachment.content
            text = "\n".join(content) if isinstance(content, list) else content or ""
            if text:
                out.append(self._turn(line, offset, record, "harness", "injected", clip(text)))

    def _system(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        texts = human.texts_of(record.content)
        text = "\n".join(texts)
        if record.subtype == "compact_boundary":
            self._prompts.clear()
            out.append(self._turn(line, offset, record, "harness", "boundary", "compacted"))
        elif record.subtype == "local_command":
            said = human.judge_text(texts)
            if said.kind in {"command", "shell"} and not self._by_a_model(record):
                self._say(line, offset, record, said, out)
        elif record.subtype == "away_summary" and text:
            out.append(self._turn(line, offset, record, "harness", "note", clip(text)))

    def _state(self, line: int, offset: int, record: Record, out: list[Turn]) -> None:
        """Lines without a conversation: titles (the last one wins) and links to outcomes."""
        if record.sessionId and "session_id" not in self._head:
            self._head["session_id"] = record.sessionId
        match record.type:
            case "custom-title" if record.customTitle:
                self._titles["custom"] = record.customTitle
            case "ai-title" if record.aiTitle:
                self._titles["ai"] = record.aiTitle
            case "summary" if record.summary:
                self._titles["summary"] = record.summary
            case "pr-link" if record.prUrl:
                out.append(self._turn(line, offset, record, "harness", "outcome", record.prUrl))
            case _:
                pass


def _of_a_subagent(path: Path) -> bool:
    """Whether a log lies where subagents write theirs; a folder far above may have any name."""
    if SUBAGENT_FILE.match(path.name) or path.parent.name == "subagents":
        return True
    above = [inner.parent.name for inner in path.parents if inner.name == "subagents"]
    return any(map(UUID.fullmatch, above))
