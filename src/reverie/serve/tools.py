"""The six tools: what an agent can do with memory.

Whatever an agent writes has the trust `agent`: it can be recalled, it never becomes a standing
rule by itself. Text that comes back is quoted (`recall.frame`), so it cannot act.
"""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reverie.errors import NotFound, NotWorthKeeping, PathTaken, ReadOnly
from reverie.serve.schema import INSTRUCTIONS, TOOLS, check_arguments
from reverie.serve.workspace import GLOBAL, Workspace

if TYPE_CHECKING:
    from reverie.sessions.query import TurnRow
    from reverie.store.model import Author, Memory

MAX_ANSWER = 24_000  # characters of one answer other than recall, which has its own budget
MAX_TURN = 1_500
_FILES = frozenset({"remember", "why", "memory"})  # these see or change files of a store
_WRITING = frozenset({"create", "str_replace", "insert", "delete", "rename"})


class Tools:
    """The toolbox of one server: one project, one agent, opened when first used."""

    instructions = INSTRUCTIONS

    def __init__(self, workspace: Workspace, *, read_only: bool = False) -> None:
        self._workspace = workspace
        self._read_only = read_only
        self._handlers: dict[str, Callable[[dict[str, Any]], str]] = {
            "recall": self._recall,
            "remember": self._remember,
            "search_sessions": self._search_sessions,
            "read_session": self._read_session,
            "why": self._why,
            "memory": self._memory,
        }

    def listed(self) -> list[dict[str, Any]]:
        return TOOLS

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        check_arguments(name, arguments)
        if name not in _FILES:
            return self._handlers[name](arguments)
        self._workspace.look_at_mounts()
        answer = self._handlers[name](arguments)
        self._workspace.look_at_mounts()
        return answer

    def _recall(self, arguments: dict[str, Any]) -> str:
        from reverie.recall.ledger import Asker
        from reverie.recall.recall import Request

        request = Request(
            query=arguments.get("query", ""),
            budget=arguments.get("budget_chars"),
            window=arguments.get("window_tokens"),
            types=tuple(arguments.get("types", ())),
            since=_since(arguments),
            rules=arguments.get("rules", True),
            sessions=arguments.get("sessions", False),
            confirmed=arguments.get("confirm", False),
        )
        result = self._workspace.recall(request, Asker("mcp", _session()))
        warning = f"warning: {result.warning}\n\n" if result.warning else ""
        return warning + (result.text or "Nothing is remembered that fits well enough.")

    def _remember(self, arguments: dict[str, Any]) -> str:
        from reverie.documents.bodies import compose
        from reverie.documents.dates import absolute_dates
        from reverie.documents.document import Document
        from reverie.documents.exclusions import why_not
        from reverie.documents.vocabulary import type_of_kind

        self._refuse_if_read_only()
        workspace = self._workspace
        now = workspace.clock()
        text = absolute_dates(workspace.redact(arguments["text"]).strip(), now)
        why = workspace.redact(arguments.get("why", "")).strip()
        excluded = why_not(text)
        if excluded is not None:
            raise NotWorthKeeping(excluded.reason, hint=excluded.instead)
        kind = arguments.get("kind", "")
        kind_type = type_of_kind(kind) or "project"
        chosen = arguments.get("type", kind_type)
        shared = chosen == "user" or arguments.get("scope") == GLOBAL
        store = GLOBAL if shared else workspace.project.slug
        document = Document(
            name=_name(workspace.redact(arguments.get("name", "")) or text),
            description=" ".join(text.split())[:200],
            type=chosen,
            kind=kind,
            scope=store,
            created=now.date().isoformat(),
            trust="agent",
            support=1,
            body=compose(text, why),
        ).validate()
        info = workspace.make_store(store)
        memory = self._stored(info.id, document.name, document.text())
        return f"Remembered as {store}{memory.path} with trust agent; a person can review it."

    def _stored(self, store: str, name: str, content: str) -> "Memory":
        """Create it under the first free name; the same words twice are one memory."""
        by = self._by("remembered")
        for attempt in range(1, 20):
            path = f"/{name}.md" if attempt == 1 else f"/{name}-{attempt}.md"
            try:
                return self._workspace.store.create(store, path, content, by)
            except PathTaken:
                there = self._workspace.store.get(store, path)
                if there.content == content:
                    return there
        raise PathTaken(f"there are many memories named {name}", hint="give it another name")

    def _search_sessions(self, arguments: dict[str, Any]) -> str:
        from reverie.recall.frame import around, quoted
        from reverie.recall.query import parse_query
        from reverie.recall.sources import search_turns

        hits = search_turns(
            self._workspace.index,
            parse_query(arguments["query"]),
            self._workspace.project.slug,
            _since(arguments),
            arguments.get("limit", 10),
        )
        if not hits:
            return "No earlier session of this project says that."
        shown = [
            f"- {entry.id}, {entry.at[:10]}, {entry.type}\n{quoted(around(entry.text, '', 500))}"
            for entry, _ in hits
        ]
        return _capped(shown)

    def _read_session(self, arguments: dict[str, Any]) -> str:
        from reverie.inert import inert
        from reverie.sessions.query import session, turns

        asked, _, line = arguments["session"].partition("#")
        found = session(self._workspace.index, asked)
        if found.project != self._workspace.project.slug:
            raise NotFound(f"no session {asked!r} in this project")
        at = arguments.get("line", int(line) if line.isdigit() else 0)
        spoken = [turn for turn in turns(self._workspace.index, found.key) if turn.text]
        before = max(0, sum(1 for turn in spoken if turn.line < at) - 2)
        chosen = spoken[before : before + arguments.get("turns", 12)]
        head = f"# {found.key}, {found.started[:10]}, {inert(found.title) or 'untitled'}"
        if not chosen:
            return head + "\n(no turns from there on)"
        return _capped([head, *(_turn(turn) for turn in chosen)])

    def _why(self, arguments: dict[str, Any]) -> str:
        from reverie.documents.document import load
        from reverie.inert import inert
        from reverie.recall.frame import in_marks, quoted

        memory, store = self._find(arguments["memory"])
        document = load(memory.content, path=memory.path)
        lines = [f"# {store}{memory.path}, trust {memory.trust}, {document.support} sessions"]
        lines.append(quoted(document.description or document.title))
        for row in self._quotes(list(document.evidence)):
            lines.append(f"- source {row[0]}, {row[1][:10]}, trust {row[4]}")
            if row[3]:
                lines.append(f"  the agent held: {in_marks(row[3][:300])}")
            lines.append(quoted(row[2][:MAX_TURN]))
        for version in self._workspace.store.versions(memory.store_id, memory.id, limit=20).items:
            actor = f"{version.actor.kind} {version.actor.id}".strip()
            reason = f": {inert(version.reason)}" if version.reason else ""
            lines.append(
                f"- version {version.number} {version.operation} {version.created_at[:10]}"
                f" by {inert(actor)}{reason}"
            )
        return _capped(lines)

    def _quotes(self, evidence: list[str]) -> list[tuple[Any, ...]]:
        if not evidence:
            return []
        marks = ", ".join("?" * len(evidence))
        return self._workspace.database.query(
            f"SELECT id, at, quote, premise, trust FROM evidence WHERE id IN ({marks})"
            " ORDER BY at, id",
            evidence,
        )

    def _find(self, name: str) -> tuple["Memory", str]:
        """A memory of this project by path, name or `store/path`."""
        for info in self._workspace.stores():
            bare = name.removeprefix("/memories/").removeprefix(f"{info.name}/")
            path = "/" + bare.removeprefix("/")
            for candidate in (path, f"{path}.md"):
                try:
                    return self._workspace.store.get(info.id, candidate), info.name
                except NotFound:
                    continue
        raise NotFound(f"no memory {name!r} in this project")

    def _memory(self, arguments: dict[str, Any]) -> str:
        from reverie.serve.files import MemoryFiles

        if arguments["command"] in _WRITING:
            self._refuse_if_read_only()
        return MemoryFiles(self._workspace, self._by).run(arguments)

    def _refuse_if_read_only(self) -> None:
        if self._read_only:
            raise ReadOnly("this server was started read-only")

    def _by(self, did: str) -> "Author":
        from reverie.store.model import Actor, Author

        return Author(Actor("agent", _session()), f"{did} through MCP", trust="agent")


def _session() -> str:
    """The session that started this server, where its agent says so."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "")


def _since(arguments: dict[str, Any]) -> str:
    from reverie.clock import iso, parse_iso

    return iso(parse_iso(arguments["since"]))[:10] if arguments.get("since") else ""


def _name(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(words[:8])[:60].strip("-") or "memory"


def _turn(turn: "TurnRow") -> str:
    from reverie.inert import inert
    from reverie.recall.frame import around, quoted

    tool = f", {inert(turn.tool)}" if turn.tool else ""
    return f"- line {turn.line}, {turn.role}{tool}\n{quoted(around(turn.text, '', MAX_TURN))}"


def _capped(parts: list[str]) -> str:
    """Whole parts up to the largest answer, and a word about what was left out."""
    taken: list[str] = []
    size = 0
    for part in parts:
        size += len(part) + 1
        if size > MAX_ANSWER:
            taken.append(f"({len(parts) - len(taken)} more left out)")
            break
        taken.append(part)
    return "\n".join(taken)
