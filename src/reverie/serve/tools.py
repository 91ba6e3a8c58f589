"""The six tools: what an agent can do with memory.

Whatever an agent writes has the trust `agent`: it can be recalled, it never becomes a standing
rule by itself. Text that comes back is quoted (`recall.frame`), so it cannot act.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reverie.errors import ReadOnly, Refused
from reverie.memory import Memory
from reverie.operations import keeping, pausing, reach, recalling
from reverie.serve.schema import INSTRUCTIONS, TOOLS, check_arguments

if TYPE_CHECKING:
    from reverie.sessions.query import TurnRow

MAX_ANSWER = 24_000  # characters of one answer other than recall, which has its own budget
MAX_TURN = 1_500
_FILES = frozenset({"remember", "why", "memory"})  # these see or change files of a store
_WRITING = frozenset({"create", "str_replace", "insert", "delete", "rename"})


class Tools:
    """The toolbox of one server: one project, one agent, opened when first used."""

    def __init__(
        self, memory: Memory, *, read_only: bool = False, told: Callable[[], str] = str
    ) -> None:
        """`told` says what a session knows from its start on, if nothing else tells it."""
        self._memory = memory
        self._read_only = read_only
        self._told = told
        self._claim_told = False
        self._handlers: dict[str, Callable[[dict[str, Any]], str]] = {
            "recall": self._recall,
            "remember": self._remember,
            "search_sessions": self._search_sessions,
            "read_session": self._read_session,
            "why": self._why,
            "memory": self._memory_files,
        }

    @property
    def instructions(self) -> str:
        """When to ask, and what a session is told without asking."""
        if pausing.paused(self._memory):
            return INSTRUCTIONS
        return "\n\n".join(filter(None, (INSTRUCTIONS, self._stores(), self._told())))

    def _stores(self) -> str:
        """The stores a person said something about; the others need no word."""
        from reverie.store.heads import any_told

        # A client waits for this: the stores are opened only if there is something to say.
        if not (self._memory.exists and any_told(self._memory.database)):
            return ""
        from reverie.serve.files import told_of

        found = [
            one for one in reach.described(self._memory) if one.description or one.instructions
        ]
        lines = ["Stores, as files of the tool `memory`, in the user's words:", *told_of(found)]
        return "\n".join(lines) if found else ""

    def listed(self) -> list[dict[str, Any]]:
        return TOOLS

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        check_arguments(name, arguments)
        if pausing.paused(self._memory):
            raise Refused("memory is paused by the user", hint="`reverie resume` ends the pause")
        if name not in _FILES:
            return self._with_claim(self._handlers[name](arguments))
        with keeping.starts_prepared(self._memory):
            self._memory.sync()
            answer = self._handlers[name](arguments)
            self._memory.sync()
        return self._with_claim(answer)

    def _with_claim(self, answer: str) -> str:
        """The first answer says if the folder is not taken for what it says it is."""
        claim, self._claim_told = "" if self._claim_told else self._memory.claim, True
        return f"{answer}\n\nFor the user: {claim}" if claim else answer

    def _recall(self, arguments: dict[str, Any]) -> str:
        result = self._memory.recall(
            arguments.get("query", ""),
            budget=arguments.get("budget_chars"),
            window=arguments.get("window_tokens"),
            types=arguments.get("types", ()),
            since=_since(arguments),
            rules=arguments.get("rules", True),
            sessions=arguments.get("sessions", False),
            confirmed=arguments.get("confirm", False),
        )
        warning = f"warning: {result.warning}\n\n" if result.warning else ""
        return warning + (result.text or "Nothing is remembered that fits well enough.")

    def _remember(self, arguments: dict[str, Any]) -> str:
        self._refuse_if_read_only()
        done = self._memory.remember(
            arguments["text"],
            type=arguments.get("type"),
            kind=arguments.get("kind"),
            scope=arguments.get("scope"),
            why=arguments.get("why", ""),
            name=arguments.get("name"),
            expires=arguments.get("expires", ""),
        )
        if not done.created:
            return f"{done.store}{done.path} says this already."
        over = ", ".join(f"{item.store}/{item.name}" for item in done.ended)
        return (
            f"Remembered as {done.store}{done.path} with trust agent;"
            " `reverie memories --by agent` lists it for the user."
            + (f" No longer holds, and went to the archive: {over}." if over else "")
        )

    def _search_sessions(self, arguments: dict[str, Any]) -> str:
        from reverie.recall.frame import around, quoted

        hits = recalling.search_sessions(
            self._memory,
            arguments["query"],
            since=_since(arguments),
            limit=arguments.get("limit", 10),
        )
        if not hits:
            return "No earlier session of this project says that."
        shown = [
            f"- {entry.id}, {entry.at[:10]}, {entry.type}\n{quoted(around(entry.text, '', 500))}"
            for entry in hits
        ]
        return _capped(shown)

    def _read_session(self, arguments: dict[str, Any]) -> str:
        from reverie.inert import inert

        asked, _, line = arguments["session"].partition("#")
        at = arguments.get("line", int(line) if line.isdigit() else 0)
        read = recalling.read_session(
            self._memory, asked, line=at, turns=arguments.get("turns", 12)
        )
        found = read.session
        head = f"# {found.key}, {found.started[:10]}, {inert(found.title) or 'untitled'}"
        if not read.turns:
            return head + "\n(no turns from there on)"
        return _capped([head, *(_turn(turn) for turn in read.turns)])

    def _why(self, arguments: dict[str, Any]) -> str:
        from reverie.inert import inert
        from reverie.recall.frame import in_marks, quoted

        item, quotes, versions, elsewhere = reach.grounds(self._memory, arguments["memory"])
        memory, document = item.memory, item.document
        lines = [f"# {item.store}{memory.path}, trust {memory.trust}, {document.support} sessions"]
        lines.append(quoted(document.description or document.title))
        for quote in quotes:
            lines.append(f"- source {quote.id}, {quote.at[:10]}, trust {quote.trust}")
            if quote.premise:
                lines.append(f"  the agent held: {in_marks(quote.premise[:300])}")
            lines.append(quoted(quote.quote[:MAX_TURN]))
        if elsewhere:
            lines.append(f"- {elsewhere} more source{'s' * (elsewhere > 1)} in other projects")
        for version in versions:
            actor = f"{version.actor.kind} {version.actor.id}".strip()
            reason = f": {inert(version.reason)}" if version.reason else ""
            lines.append(
                f"- version {version.number} {version.operation} {version.created_at[:10]}"
                f" by {inert(actor)}{reason}"
            )
        return _capped(lines)

    def _memory_files(self, arguments: dict[str, Any]) -> str:
        from reverie.serve.files import MemoryFiles

        if arguments["command"] in _WRITING:
            self._refuse_if_read_only()
        return MemoryFiles(self._memory).run(arguments)

    def _refuse_if_read_only(self) -> None:
        if self._read_only:
            raise ReadOnly("this server was started read-only")


def _since(arguments: dict[str, Any]) -> str:
    from reverie.clock import iso, parse_iso

    return iso(parse_iso(arguments["since"]))[:10] if arguments.get("since") else ""


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
