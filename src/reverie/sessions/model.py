"""The neutral form of a session, whatever agent wrote the log.

A reader turns one log file into a `Head` and a stream of `Turn`s in file order. Everything after
the readers (index, learn, dream) sees only these values.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from reverie.data import word_sets
from reverie.sessions.unread import Unread

TOOLS = word_sets("traffic.txt", "tools")  # by the names agents give them, lower case

Role = Literal["human", "agent", "tool", "harness"]

Kind = Literal[
    # human
    "prompt",  # typed and sent
    "steer",  # typed while the agent worked
    "reject_feedback",  # typed when refusing a tool call
    "accept_feedback",  # typed when allowing one; the contract of `sessions turns` has no such kind
    "command",  # /name args
    "shell",  # !command
    "reject",  # a refusal without words
    "interrupt",  # Esc
    # agent
    "text",
    "thinking",
    "tool_call",
    # tool
    "tool_result",
    # harness
    "summary",  # compaction summary
    "boundary",  # compaction, clear, rewind
    "title",
    "plan",
    "outcome",  # pull request, commit, task result
    "injected",  # what a hook, a skill or we ourselves put into the context
    "note",  # everything else worth keeping in order
]

# How sure it is that a person typed it. `probable`: came through an SDK front end.
Typed = Literal["typed", "probable", "injected"]

# The kinds of text a person typed that `sessions turns` prints.
SPOKEN: frozenset[str] = frozenset({"prompt", "steer", "reject_feedback", "command", "shell"})

# The tools by which agents ask a person to choose, in lower case.
ASKING: frozenset[str] = frozenset(
    {"askuserquestion", "ask_user", "request_user_input", "question"}
)


class Tool(NamedTuple):
    """One tool call or its result. `input` is filled on calls, the rest on results."""

    name: str
    call_id: str
    input: dict[str, Any] = {}  # noqa: RUF012  (never mutated; NamedTuple keeps the hot path fast)
    ok: bool | None = None
    exit_code: int | None = None
    user_modified: bool = False
    unread: Unread | None = None  # what it printed, where the turn has no text for that reason


class Turn(NamedTuple):
    """One event of a session.

    A NamedTuple, not a frozen dataclass: a million of them are made per gigabyte of log.
    """

    line: int  # 0-based line of the record; message index in JSON formats
    offset: int  # byte offset of the record in the file (decompressed)
    role: Role
    kind: Kind
    at: str  # ISO time as in the log, "" when it has none
    text: str
    event_id: str = ""  # the log's own id of the record; "" when it has none
    cwd: str = ""
    branch: str = ""
    typed: Typed = "typed"  # only meaningful for human turns
    tool: Tool | None = None
    undone: bool = False  # on a branch the person rewound
    tokens: int = 0  # counted by the log since the turn before; what came from a cache is not

    @property
    def whole(self) -> str:
        """The text, also of an output that nobody has read so far."""
        unread = self.tool.unread if self.tool is not None else None
        return self.text if unread is None else unread.text

    def read(self) -> "Turn":
        """The turn with its text in its place, to be stored."""
        if self.tool is None or self.tool.unread is None:
            return self
        return self._replace(text=self.whole, tool=self.tool._replace(unread=None))


@dataclass(frozen=True, slots=True)
class Head:
    """What a log says about its session as a whole."""

    agent: str  # "claude-code", "codex", …
    session_id: str
    cwd: str = ""
    started: str = ""
    ended: str = ""
    title: str = ""
    version: str = ""  # of the agent
    remote: str = ""  # git remote URL, where the log has it
    branch: str = ""
    parent: str = ""  # the session this one was forked from or belongs to
    subagent: bool = False  # a model wrote the prompts


@dataclass(frozen=True, slots=True)
class Damage:
    """What could not be read in one file, by reason: never silence, never a stop."""

    bad_lines: int = 0
    bad_bytes: int = 0
    reasons: dict[str, int] = field(default_factory=dict[str, int])


def session_key(agent: str, session_id: str) -> str:
    """`claude-code:1f2e…`: how a session is named everywhere, also in evidence."""
    return f"{agent}:{session_id}"


def evidence_id(agent: str, session_id: str, line: int) -> str:
    """`claude-code:1f2e…#42`: one turn, as memories cite it."""
    return f"{session_key(agent, session_id)}#{line}"
