"""The six tools: what an agent can do with memory.

Whatever an agent writes has the trust `agent`: it can be recalled, it never becomes a standing
rule by itself. Text that comes back is quoted (`recall.frame`), so it cannot act.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from reverie.errors import InvalidInput, ReadOnly, Refused, ReverieError
from reverie.memory import Memory
from reverie.operations import keeping, pausing, reach, recalling
from reverie.serve.desk import Call, Confirm, Desk, Told, fitted, nobody
from reverie.serve.schema import INSTRUCTIONS, TOOLS, check_arguments

if TYPE_CHECKING:
    from reverie.recall.ledger import LedgerEntry
    from reverie.sessions.query import TurnRow

MAX_TURN = 1_500
MAX_STORES = 2_000  # characters about the stores that a client is told when it connects
UNKNOWN = "unknown"  # as which a tool that nobody knows is entered
_FILES = frozenset({"remember", "why", "memory"})  # these see or change files of a store
_WRITING = frozenset({"create", "str_replace", "insert", "delete", "rename"})
_NOTHING = "Nothing is remembered that fits well enough."


class Tools:
    """The toolbox of one server: one project, one agent, opened when first used."""

    def __init__(
        self,
        memory: Memory,
        *,
        read_only: bool = False,
        opening: Callable[[], str] = str,
        offered: list[dict[str, Any]] = TOOLS,
    ) -> None:
        """`opening` says what a session knows from its start on, if nothing else tells it."""
        self._memory = memory
        self._desk = Desk(memory)
        self._read_only = read_only
        self._told = opening
        self._offered = offered
        self._claim_told = False
        self._readers: dict[str, Callable[[dict[str, Any], int], Told]] = {
            "recall": self._recall,
            "search_sessions": self._search_sessions,
            "read_session": self._read_session,
            "why": self._why,
            "memory": self._view,
        }

    def meet(self, client: str) -> None:
        self._memory.asker = self._memory.asker._replace(client=client)

    @property
    def instructions(self) -> str:
        """When to ask, and what a session is told without asking."""
        if pausing.paused(self._memory):
            return INSTRUCTIONS
        return "\n\n".join(filter(None, (INSTRUCTIONS, self._stores(), self._told())))

    def _stores(self) -> str:
        """The stores a person said something about; the others need no word."""
        from reverie.store.heads import any_told

        # What is said of the stores of a guest are other guests' words.
        if self._memory.asker.guest:
            return ""
        # A client waits for this: the stores are opened only if there is something to say.
        if not (self._memory.exists and any_told(self._memory.database)):
            return ""
        from reverie.serve.files import told_of

        stores = [
            store
            for store in reach.described(self._memory)
            if store.description or store.instructions
        ]
        if not stores:
            return ""
        lines = ["Stores, as files of the tool `memory`, in the user's words:", *told_of(stores)]
        call = Call("instructions", "", MAX_STORES)
        return self._desk.hand_over(
            call, lambda room: Told(fitted(lines, room, heads=1)[0]), nobody
        )

    def listed(self) -> list[dict[str, Any]]:
        return self._offered

    def call(self, name: str, arguments: dict[str, Any], confirm: Confirm = nobody) -> str:
        call = self._asked(name, arguments)
        try:
            check_arguments(name, arguments, self._offered)
            if pausing.paused(self._memory):
                hint = "`reverie resume` ends the pause"
                raise Refused("memory is paused by the user", hint=hint)
            if name not in _FILES:
                return self._answer(call, arguments, confirm)
            with keeping.starts_prepared(self._memory):
                self._memory.sync()
                answer = self._answer(call, arguments, confirm)
                self._memory.sync()
            return answer
        except KeyError:
            # What somebody calls a tool that is none may be anything, a secret too.
            self._desk.refuse(call._replace(tool=UNKNOWN), InvalidInput("no such tool"))
            raise
        except ReverieError as error:
            self._desk.refuse(call, error)
            raise

    def _asked(self, name: str, arguments: dict[str, Any]) -> Call:
        """A call as it is entered; its arguments are not checked yet.

        What is written, and the names of memories, stand in the store alone, where they can be
        forgotten.
        """
        settings = self._memory.settings.recall
        usual = settings.budget_chars if name == "recall" else settings.read_chars
        about = arguments.get("query", arguments.get("session", arguments.get("command", "")))
        budget, window = arguments.get("budget_chars", usual), arguments.get("window_tokens")
        return Call(
            name,
            about if isinstance(about, str) else "",
            budget if isinstance(budget, int) and abs(budget) < 2**31 else 0,
            window if isinstance(window, int) else None,
        )

    def _answer(self, call: Call, arguments: dict[str, Any], confirm: Confirm) -> str:
        if call.tool == "remember" or arguments.get("command") in _WRITING:
            done = self._write(call.tool, arguments)
            # It is done: nobody is asked whether that may be said.
            return self._desk.hand_over(call, lambda room: Told(done[:room]), _agreed)
        read, claim = self._readers[call.tool], self._claim()

        def answer(room: int) -> Told:
            note = claim if 2 * len(claim) <= room else ""
            reply = read(arguments, room - len(note))
            return reply._replace(text=reply.text[: room - len(note)] + note)

        text = self._desk.hand_over(call, answer, confirm)
        self._claim_told = self._claim_told or text.endswith(claim)
        return text

    def _claim(self) -> str:
        """The first answer says if the folder is not taken for what it says it is."""
        claim = "" if self._claim_told else self._memory.claim
        return f"\n\nFor the user: {claim}" if claim else ""

    def _recall(self, arguments: dict[str, Any], room: int) -> Told:
        from reverie.recall.ledger import HandOver
        from reverie.recall.recall import Request

        if room < 1:
            return Told("")
        request = Request(
            query=arguments.get("query", ""),
            budget=room,
            types=tuple(arguments.get("types", ())),
            since=reach.day_of(arguments.get("since", "")),
            rules=arguments.get("rules", True),
            sessions=arguments.get("sessions", False),
        )
        result = recalling.answered(self._memory, request)
        return Told(result.text or _notice(_NOTHING, room), HandOver.of(request, result).entries)

    def _write(self, name: str, arguments: dict[str, Any]) -> str:
        if self._read_only:
            raise ReadOnly("this server was started read-only")
        if name == "remember":
            return self._remember(arguments)
        from reverie.serve.files import MemoryFiles

        return MemoryFiles(self._memory).run(arguments)

    def _remember(self, arguments: dict[str, Any]) -> str:
        done = self._memory.remember(
            arguments["text"],
            type=arguments.get("type"),
            kind=arguments.get("kind"),
            scope=arguments.get("scope"),
            store=arguments.get("store"),
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

    def _search_sessions(self, arguments: dict[str, Any], room: int) -> Told:
        from reverie.recall.frame import around, quoted

        hits = recalling.search_sessions(
            self._memory,
            arguments["query"],
            since=reach.day_of(arguments.get("since", "")),
            limit=arguments.get("limit", 10),
        )
        if not hits:
            return Told(_notice("No earlier session of this project says that.", room))
        shown = [
            f"- {entry.id}, {entry.at[:10]}, {entry.type}\n{quoted(around(entry.text, '', 500))}"
            for entry in hits
        ]
        text, taken = fitted(shown, room)
        return Told(text, _places([entry.id for entry in hits], shown[:taken]))

    def _read_session(self, arguments: dict[str, Any], room: int) -> Told:
        from reverie.inert import inert

        asked, _, line = arguments["session"].partition("#")
        at = arguments.get("line", int(line) if line.isdigit() else 0)
        read = recalling.read_session(
            self._memory, asked, line=at, turns=arguments.get("turns", 12)
        )
        session = read.session
        head = f"# {session.key}, {session.started[:10]}, {inert(session.title) or 'untitled'}"
        turns = [_turn(turn) for turn in read.turns] or ["(no turns from there on)"]
        text, taken = fitted([head, *turns], room, heads=1)
        names = [f"{session.key}#{turn.line}" for turn in read.turns]
        return Told(text, _places(names, turns[: max(0, taken - 1)]))

    def _why(self, arguments: dict[str, Any], room: int) -> Told:
        from reverie.inert import inert
        from reverie.recall.frame import in_marks, quoted
        from reverie.recall.ledger import LedgerEntry

        item, quotes, versions, elsewhere = reach.grounds(self._memory, arguments["memory"])
        memory, document = item.memory, item.document
        lines = [f"# {item.store}{memory.path}, trust {memory.trust}, {document.support} sessions"]
        lines.append(quoted(document.description or document.title))
        for quote in quotes:
            lines.append(f"- source {quote.id}, {quote.at[:10]}, trust {quote.trust}")
            if quote.answered:
                lines.append(f"  the agent held: {in_marks(quote.answered[:300])}")
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
        text, _ = fitted(lines, room, heads=1)
        shown = tuple(quote.id for quote in quotes)
        return Told(text, (LedgerEntry("why", item.name, shown, len(text)),))

    def _view(self, arguments: dict[str, Any], room: int) -> Told:
        from reverie.serve.files import MemoryFiles

        return MemoryFiles(self._memory).view(arguments, room)


def _agreed(question: str, characters: int) -> bool:
    return True


def _turn(turn: "TurnRow") -> str:
    from reverie.inert import inert
    from reverie.recall.frame import around, quoted

    tool = f", {inert(turn.tool)}" if turn.tool else ""
    return f"- line {turn.line}, {turn.role}{tool}\n{quoted(around(turn.text, '', MAX_TURN))}"


def _places(names: Sequence[str], shown: Sequence[str]) -> "tuple[LedgerEntry, ...]":
    """Turns of earlier sessions as the ledger names them."""
    from reverie.recall.ledger import LedgerEntry

    return tuple(
        LedgerEntry("session", name, (), len(text))
        for name, text in zip(names, shown, strict=False)
    )


def _notice(text: str, room: int) -> str:
    """A sentence of ours, where there is room for it."""
    return text if len(text) <= room else ""
