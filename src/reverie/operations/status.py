"""Status: what is known, what is pending, what to do next. Nothing is read but stats."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from reverie.clock import iso
from reverie.home import Home
from reverie.operations.pausing import paused
from reverie.operations.starts.starting import Consent, consent
from reverie.plural import several
from reverie.sessions.aside import asides


@dataclass(frozen=True, slots=True)
class Kept:
    """What the stores hold, and what waits in them for a person or a dream."""

    memories: int = 0
    diaries: int = 0
    dailies: int = 0
    reviews: int = 0
    proposed: int = 0
    dream_due: bool = False
    by_calendar: int = 0  # memories that only the calendar archived, until that was told


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the home, in numbers."""

    home: str
    database: str
    logs: int
    unread_logs: int
    sessions: int
    projects: int
    human_turns: int
    memories: int
    diaries: int
    dailies: int
    reviews: int
    proposed: int
    by_calendar: int
    pending_days: int
    first_pending: str
    set_aside: int  # what could not be learned; `doctor` says why
    dream_due: bool
    connected: list[str]
    digest: str  # what the user answered when asked for it
    paused: str  # until when; "" while nothing is
    next: list[str]


def status(home: Home, connected: Sequence[str] = ()) -> Status:
    """Look at the home and at the logs on disk, without opening either to write.

    `connected` names the agents whose settings know this memory.
    """
    logs = [log for log in home.logs().logs if not log.path.is_relative_to(home.config.kept)]
    kept = _kept(home)
    sessions = projects = turns = aside = 0
    unread = len(logs)
    days: list[str] = []
    if home.config.has_index:
        index = home.index
        unread = len(index.unread(logs))
        aside = len(asides(index.database))
        totals = index.totals()
        sessions, projects, turns = totals.sessions, totals.projects, totals.human_turns
        days = sorted({row.day for row in home.marks.pending(index.days())})
    agents = sorted({log.agent for log in logs})
    answer = consent(home)
    return Status(
        home=str(home.config.home),
        database=home.config.truth.partition(":")[0],
        logs=len(logs),
        unread_logs=unread,
        sessions=sessions,
        projects=projects,
        human_turns=turns,
        pending_days=len(days),
        first_pending=next((day for day in days if day), ""),
        set_aside=aside,
        connected=list(connected),
        digest=answer,
        paused=iso(end) if (end := paused(home)) else "",
        next=[*_out_of_reach(home), *_steps(agents, bool(unread or days), kept, connected, answer)],
        **asdict(kept),
    )


def _kept(home: Home) -> Kept:
    """What all live stores hold; opens nothing that is not there."""
    if not home.exists:
        return Kept()
    from reverie.operations.forgetting import taken_by_calendar
    from reverie.operations.learning import due

    sorts = Counter(_sort(path) for path in home.store.paths())
    return Kept(
        memories=sorts["memory"],
        diaries=sorts["diary"],
        dailies=sorts["daily"],
        reviews=home.queue.waiting(),
        proposed=home.proposals.waiting(),
        dream_due=due(home).due,
        by_calendar=taken_by_calendar(home),
    )


def _out_of_reach(home: Home) -> list[str]:
    """A line for each remote that could not be synced the last time."""
    if not home.exists:
        return []
    from reverie.sync.links import links

    return [
        f"not synced since {link.synced_at[:10] or 'ever'}: {link.state}"
        for link in links(home.database)
        if link.trouble
    ]


def _sort(path: str) -> str:
    from reverie.store.library import ARCHIVE, is_memory

    if is_memory(path) and not path.startswith(ARCHIVE):
        return "memory"
    return path.split("/")[1]


def calendar_offer(count: int) -> str:
    """What a person is told once after the rule changed."""
    return (
        f"`reverie decay --undo --by-calendar` brings back {several(count, 'memory')}"
        " that mere time had archived"
    )


def _steps(
    agents: list[str], unread: bool, kept: Kept, connected: Sequence[str], answer: Consent
) -> list[str]:
    """What to do next, the most useful first."""
    if not agents and kept == Kept():
        return [
            "no agent has logged a session here: `reverie learn --logs DIR` reads any folder",
            "`reverie doctor` says where logs are looked for",
        ]
    steps: list[str] = []
    if unread:
        steps.append("`reverie learn --dry-run` shows what it would find, `reverie learn` keeps it")
    if waiting := kept.reviews + kept.proposed:
        steps.append(f"`reverie review` asks about {several(waiting, 'thing')}, one key each")
    if kept.by_calendar:
        steps.append(calendar_offer(kept.by_calendar))
    if kept.dream_due and not kept.proposed:
        steps.append("`reverie dream` looks for what recurs over your sessions")
    if kept.memories and not connected:
        agent = next((name for name in ("claude-code", "codex") if name in agents), "claude-code")
        steps.append(f"`reverie connect {agent}` lets your agent ask for it")
    if connected and answer in {"unasked", "earlier"}:
        agent = connected[0].removesuffix("-hooks").removesuffix("-hint")
        asks = "asks whether a digest of what you taught may be shown when a session starts"
        steps.insert(0 if answer == "earlier" else len(steps), f"`reverie connect {agent}` {asks}")
    steps.append("`reverie recall QUESTION` shows what an agent would be told")
    steps.append("`reverie --help` lists every command")
    return steps
