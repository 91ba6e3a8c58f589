"""The values that pass between the steps of a dream.

    Night         the whole, handed from step to step: each returns it with its own part filled in
    Observation   one thing one session showed: a person's words, or a trace in the tool traffic
    Group         observations that say the same thing
    Pattern       a group that was weighed: how often, where, against what chance would give
    Change        one edit of one memory, in one of six verbs, with the forms that suit the pattern

What an observation rests on decides its trust; nothing later may raise it.
"""

import difflib
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from reverie.data import patterns
from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.plural import several
from reverie.sessions.derived import Chosen
from reverie.sessions.forgotten import Forgotten
from reverie.sessions.labels import Label
from reverie.sessions.query import SessionRow
from reverie.store.library import stem
from reverie.store.model import Memory, StoreInfo
from reverie.trust import Trust, lowest

Source = Literal[
    "said",  # a person's words
    "fix",  # a call that failed and what then worked
    "question",  # a fact that the person asks for again
    "sequence",  # commands that follow each other and succeed
    "lag",  # one event after another with a stable delay
    "ask",  # what a person asks for once the work is done
    "refusal",  # a command that the person does not let run
    "overlap",  # sessions that edit the same files at the same time
    "check",  # checks that were not run before a commit
    "diary",  # what a diary holds of a task
    "end",  # what an agent said last
]
Verb = Literal["create", "corroborate", "refine", "correct", "supersede", "archive"]
Form = Literal["rule", "command", "skill", "hook", "test", "observation"]
Standing = Literal["pattern", "candidate", "dropped"]

VERBS: tuple[Verb, ...] = ("create", "corroborate", "refine", "correct", "supersede", "archive")
FORMS: tuple[Form, ...] = ("rule", "command", "skill", "hook", "test", "observation")


MOST = 10  # patterns that one dream offers, unless it is asked for more
LEAST_TOLD = 0.05  # sessions; fewer are none
SURENESS = (
    (0.9, "almost certain"),
    (0.75, "likely"),
    (0.5, "more likely than not"),
    (0.0, "a guess"),
)
CHANGE = "chg_"  # how the ids of changes begin

_RE = patterns("dreams.txt", "model")


def named_once(project: str) -> str:
    """What several clones of one repository have in common."""
    return _RE.clone.sub("", project)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a dream is asked to look at, and how much it takes to be a pattern."""

    project: str | None = None  # slug; None for all
    since: str = ""  # ISO
    sessions: tuple[str, ...] = ()  # keys; () for all
    last: int = 0  # of their diaries the latest, with the sessions they tell of; 0 for all
    new: bool = False  # only what came since the last dream about the same
    store: str | None = None  # read and changed alone; None for those the sessions belong to
    instructions: str = ""
    min_sessions: int = 3
    min_days: int = 2
    most_false: float = 0.05  # share of proposed patterns that chance may have made
    most: int = MOST  # patterns that are offered, those of most worth; 0 for all


@dataclass(frozen=True, slots=True)
class Cost:
    """What a mistake or a detour cost, where the log tells."""

    failed_calls: int = 0
    minutes: float = 0.0
    tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.failed_calls + other.failed_calls,
            round(self.minutes + other.minutes, 2),
            self.tokens + other.tokens,
        )


NOTHING = Cost()


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing one session showed.

    `key` groups: observations of one source with the same key are the same thing, and the source
    has already decided so. With an empty key, they are grouped by what `text` says. `text` is one
    line that a reader of the finished memory understands.
    """

    source: Source
    text: str
    session: str  # session key
    project: str  # slug
    at: str  # ISO
    evidence: str  # `agent:session#line`
    key: str = ""
    quote: str = ""  # the words it rests on; "" when they are `text`
    trust: Trust = "user"
    kind: str = "best-practice"
    type: str = "feedback"
    lasting: float = 0.0  # 0 … 1: how much it reads as if it will hold tomorrow
    standing: bool = False  # said as a rule: "always…", "from now on…"
    shared: bool = False  # said of all projects, or of the person
    cost: Cost = NOTHING
    # Sessions in which chance alone would show it, if the source knows better than word counts.
    chance: float | None = None
    call: str = ""  # the call that would show it again; "" for any
    # What forms are made of, where the source knows it.
    why: str = ""  # the reason that was given with it
    order: str = ""  # what to do about it, as one order with its reason
    failed: str = ""  # the call that failed; `…` stands for what differs
    message: str = ""  # what it failed with
    fix: str = ""  # the call that worked in its place
    steps: tuple[str, ...] = ()  # commands to run, in order; after a failure, what then helped

    @property
    def day(self) -> str:
        return self.at[:10]


@dataclass(frozen=True, slots=True)
class Group:
    """Observations that say the same thing, in order of time; `text` is how it is best said."""

    id: str
    source: Source
    text: str
    members: tuple[Observation, ...]
    anchor: str = ""  # the word that its rules share, if they share no more
    over: tuple[str, ...] = ()  # evidence of what was said before, and no longer holds

    @property
    def sessions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(member.session for member in self.members))

    @property
    def days(self) -> tuple[str, ...]:
        return tuple(sorted({member.day for member in self.members if member.day}))

    @property
    def projects(self) -> tuple[str, ...]:
        return tuple(sorted({member.project for member in self.members}))

    @property
    def trust(self) -> Trust:
        trusts: list[Trust] = [member.trust for member in self.members]
        return lowest(*trusts)

    @property
    def last(self) -> str:
        return max(member.at for member in self.members)

    @property
    def standing(self) -> bool:
        return any(member.standing for member in self.members)

    @property
    def cost(self) -> Cost:
        total = NOTHING
        for member in self.members:
            total += member.cost
        return total


@dataclass(frozen=True, slots=True)
class Replay:
    """What a hook would have done in the past.

    A call was bad when it failed, was refused, or the person then said what forbids it; any other
    was good.
    """

    sessions: int = 0  # whose commands were looked at
    unread: int = 0  # sessions whose commands an earlier version did not keep
    commands: int = 0
    bad: int = 0  # calls on which it would have fired
    good: int = 0
    fired: tuple[str, ...] = ()  # the first of them, as evidence


@dataclass(frozen=True, slots=True)
class Artefact:
    """A pattern in one of its forms: a file, or a part of one, ready to be put in its place."""

    form: Form
    path: str  # relative to the project's root; "" for an observation
    content: str
    replay: Replay | None = None  # of a hook
    note: str = ""  # what it does less than was asked for, and why


class Rule(NamedTuple):
    """A pattern as one order, for those who act on it."""

    order: str  # without its full stop
    reason: str = ""  # "" when nothing but its evidence speaks for it
    counted: str = ""  # of how many sessions it is true: a reason for who decides, not for agents
    is_reminder: bool = False  # it tells nobody what to do

    @property
    def line(self) -> str:
        """The order with its reason, as one sentence."""
        if not self.reason:
            return f"{self.order}."
        # Brackets within brackets are hard to read.
        apart = ": {}." if "(" in self.reason or self.order.endswith(")") else " ({})."
        return self.order + apart.format(self.reason)


@dataclass(frozen=True, slots=True)
class Suggested:
    """A form that a model would give to a pattern; what it names stands in the evidence."""

    form: Form
    name: str = ""
    steps: tuple[str, ...] = ()  # of a command or a skill
    match: str = ""  # the command that a hook looks for
    decision: str = ""  # of a hook: deny or remind
    note: str = ""  # why it is not what was asked for


class Met(NamedTuple):
    """What most sessions ran first when they met a remark."""

    command: str
    sessions: int
    of: int

    @property
    def counted(self) -> str:
        return f"{self.sessions} of {several(self.of, 'session')} used `{self.command}` for it"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A group with its weight and what became of it."""

    group: Group
    status: Standing
    reason: str  # why it has this status, one sentence
    total: int  # sessions looked at, of the projects it was seen in
    chance: float  # sessions in which chance alone would show it
    probability: float  # of so many sessions by chance
    confidence: float  # 0 … 1
    scope: str  # "global" or a project's slug
    type: str
    kind: str
    supersedes: tuple[str, ...] = ()  # what it replaces, in words
    valid_from: str = ""
    forms: tuple[Artefact, ...] = ()  # that suit it
    rule: Rule | None = None  # where it is one
    worth: float = 0.0  # minutes that it would have saved
    met: Met | None = None  # by its sessions, in the same way
    # Of a model that read the sessions: none of it is the rules' own.
    reader: str = ""  # the version of what it was asked; "" for the rules
    why: str = ""
    rank: int = 0  # 1 … 5: what it is worth
    suggested: tuple[Suggested, ...] = ()

    @property
    def text(self) -> str:
        return self.group.text

    @property
    def title(self) -> str:
        """What is to be done, where it is a rule; else what was seen."""
        return f"{self.rule.order}." if self.rule else self.text

    @property
    def line(self) -> str:
        """Its title with the reason."""
        return self.rule.line if self.rule else self.text

    @property
    def support(self) -> int:
        return len(self.group.sessions)

    def sentence(self) -> str:
        """`seen in 5 sessions on 4 days; by accident about 0.2 would be expected`."""
        days = len(self.group.days)
        on = f" on {several(days, 'day')}" if days else ""
        seen = f"seen in {several(self.support, 'session')}{on}"
        if self.reader:
            return f"{seen}, as a model reads them"
        return f"{seen}; by accident {by_chance(self.chance)} would be expected"


def by_chance(sessions: float) -> str:
    """How many sessions chance alone would show, in words."""
    if sessions < LEAST_TOLD:
        return "none"
    return f"about {sessions:.0f}" if sessions >= 1 else f"about {sessions:.1f}"


def sureness(confidence: float) -> str:
    """How sure it is that a pattern is one, in words."""
    return next(words for least, words in SURENESS if confidence >= least)


@dataclass(frozen=True, slots=True)
class Drop:
    """Something a step left out, and why: shown by `--explain`."""

    step: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """One piece of evidence as a reviewer sees it."""

    evidence: str
    session: str
    at: str
    quote: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of one memory. `before_sha256` is what it was made against; "" for a new one."""

    id: str
    verb: Verb
    store: str
    path: str
    title: str
    before: str
    before_sha256: str
    after: str
    reason: str
    support: str  # the plain sentence
    sessions: int
    chance: float
    confidence: float
    trust: Trust
    evidence: tuple[Quoted, ...]
    replaces: tuple[str, ...] = ()
    forms: tuple[Artefact, ...] = ()
    new_path: str = ""  # where it moves to: superseded and archived ones go to the archive
    valid_from: str = ""
    valid_to: str = ""
    quarantined: bool = False  # rests on tools or the web alone: never applied without a person
    pattern: str = ""  # the group's id: a rejected pattern is known by it
    superseded_by: str = ""  # `store:name` of the memory that holds instead
    worth: float = 0.0  # minutes that its pattern would have saved

    def diff(self) -> str:
        """The change as a unified diff; a move shows as one line."""
        old = self.path if self.before_sha256 else "/dev/null"
        new = self.new_path or self.path
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"{self.store}{old}" if self.before_sha256 else old,
            f"{self.store}{new}",
            n=2,
        )
        text = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
        moved = f"moved: {self.store}{self.path} → {self.new_path}\n" if self.new_path else ""
        return moved + text


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is there already."""

    store: str  # its name
    memory: Memory
    document: Document

    @property
    def text(self) -> str:
        return self.document.description or self.document.title

    @property
    def name(self) -> str:
        """`store:name`, as it is spoken of."""
        return f"{self.store}:{stem(self.memory.path)}"


def change_of(
    verb: Verb, store: str, path: str, old: Known | None, after: str, **more: Any
) -> Change:
    """An edit of a memory, or with no `old` one a new memory; the same one has the same id."""
    before = old.memory.content if old else ""
    sha = old.memory.content_sha256 if old else ""
    seed = "\0".join((verb, store, path, sha, after)).encode("utf-8", "replace")
    identity = CHANGE + hashlib.sha256(seed).hexdigest()[:16]
    fields: dict[str, Any] = {"before": before, "before_sha256": sha, "after": after}
    return Change(identity, verb, store, path, **(fields | more))


# Given the sessions that are dreamt about: others do not even count towards what is usual.
ObservationSource = Callable[[Chosen], Iterable[Observation]]


@dataclass(frozen=True, slots=True)
class Reach:
    """The sessions that are dreamt about, the index that has them, and who reads what it kept."""

    database: Database
    rows: Sequence[SessionRow]
    sources: Sequence[ObservationSource]
    forgotten: Forgotten | None = None
    labels: Mapping[str, Label] = field(default_factory=dict[str, Label])  # evidence: a person's


@dataclass(frozen=True, slots=True)
class Rejected:
    """A pattern that a person turned down, and in how many sessions it had been seen then."""

    pattern: str
    text: str
    sessions: int


@dataclass(frozen=True, slots=True)
class Night:
    """One dream between two steps."""

    ask: Ask
    now: str  # ISO: the moment of the dream
    reach: Reach | None = None  # what `gather` reads; the other steps need none of it
    sessions: tuple[str, ...] = ()  # keys of those that are dreamt about
    stores: tuple[StoreInfo, ...] = ()  # those that are read, and changed if a person agrees
    known: tuple[Known, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    vanished: tuple[tuple[str, str], ...] = ()  # (version id of a memory, what it names in vain)
    observations: tuple[Observation, ...] = ()
    groups: tuple[Group, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    changes: tuple[Change, ...] = ()
    left: tuple[str, ...] = ()  # ids of patterns of less worth, beyond those asked for
    edits: tuple[Change, ...] = ()  # changes that a model would make beside the patterns
    drops: tuple[Drop, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()  # (step, what it did), in order

    def after(self, step: str, note: str, drops: Iterable[Drop] = (), **made: Any) -> "Night":
        """The night when a step is over: what it made, what it left out, and a note of it."""
        notes, left_out = (*self.notes, (step, note)), (*self.drops, *drops)
        return replace(self, drops=left_out, notes=notes, **made)


# One step of a dream: a function of what there is, without effects.
Step = Callable[[Night], Night]
