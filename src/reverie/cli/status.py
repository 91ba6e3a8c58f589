"""`reverie` without a command: what is known, what is pending, what to do next."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from reverie.cli.app import App
from reverie.cli.printing import out, out_json, several

if TYPE_CHECKING:
    from reverie.sessions.index import Index

STEPS = 3  # named at most: the whole stays within ten lines


@dataclass(frozen=True, slots=True)
class Kept:
    """What the stores hold, and what waits in them for a person or a dream."""

    memories: int = 0
    diaries: int = 0
    dailies: int = 0
    reviews: int = 0
    proposed: int = 0
    dream_due: bool = False


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
    pending_days: int
    first_pending: str
    dream_due: bool
    connected: list[str]
    next: list[str]


def show_status(*, as_json: bool = False) -> None:
    """Print the status in at most ten lines. Nothing is read but stats, nothing is made."""
    status = status_of(App.load())
    if as_json:
        out_json(asdict(status))
        return
    shared = "PostgreSQL, and the rest in " if status.database != "sqlite" else ""
    out(f"reverie keeps its memory in {shared}{status.home}")
    _listed("known:", _known(status), "nothing yet")
    _listed("pending:", _pending(status), "nothing")
    for number, step in enumerate(status.next[:STEPS]):
        out(f"{'next:' if number == 0 else '':10}{step}")


def _known(status: Status) -> list[str]:
    said = several(status.human_turns, "thing")
    read = f"{several(status.sessions, 'session')} of {several(status.projects, 'project')}"
    kept = ", ".join(
        several(count, one)
        for count, one in (
            (status.memories, "memory"),
            (status.diaries, "diary"),
            (status.dailies, "daily"),
        )
        if count
    )
    return [line for line in (f"{read}, {said} you said" if status.sessions else "", kept) if line]


def _pending(status: Status) -> list[str]:
    parts: list[str] = []
    if status.unread_logs:
        parts.append(f"{status.unread_logs} of {several(status.logs, 'log')} not read")
    if status.pending_days:
        days = several(status.pending_days, "day")
        since = f" since {status.first_pending}" if status.first_pending else ""
        parts.append(f"{days} not processed{since}")
    waiting = [
        several(count, one)
        for count, one in ((status.reviews, "lesson"), (status.proposed, "proposed change"))
        if count
    ]
    if waiting:
        parts.append(f"{' and '.join(waiting)} to review")
    return [", ".join(parts)] if parts else []


def _listed(title: str, lines: list[str], otherwise: str) -> None:
    for number, line in enumerate(lines or [otherwise]):
        out(f"{title if number == 0 else '':10}{line}")


def status_of(app: App) -> Status:
    """Look at the home and at the logs on disk, without opening either to write."""
    logs = [log for log in app.log_files() if not log.path.is_relative_to(app.config.kept)]
    kept = _kept(app)
    connected = _connected(app)
    sessions = projects = turns = 0
    unread = len(logs)
    days: list[str] = []
    if app.config.has_index:
        from reverie.sessions.logfiles import name_of, stat_of, stats

        index = app.index
        seen = stats(index.database, visited=False)
        unread = sum(1 for log in logs if seen.get(name_of(log)) != stat_of(log))
        sessions, projects, turns = _counts(index)
        days = sorted({row.day for row in app.marks.pending(index.days())})
    agents = sorted({log.agent for log in logs})
    return Status(
        home=str(app.config.home),
        database=app.config.truth.partition(":")[0],
        logs=len(logs),
        unread_logs=unread,
        sessions=sessions,
        projects=projects,
        human_turns=turns,
        memories=kept.memories,
        diaries=kept.diaries,
        dailies=kept.dailies,
        reviews=kept.reviews,
        proposed=kept.proposed,
        pending_days=len(days),
        first_pending=next((day for day in days if day), ""),
        dream_due=kept.dream_due,
        connected=connected,
        next=_steps(agents, bool(unread or days), kept, connected),
    )


def _kept(app: App) -> Kept:
    """What all live stores hold; opens nothing that is not there."""
    if app.config.database_url is None and not app.config.memory_db.exists():
        return Kept()
    from collections import Counter

    from reverie.cli.due import look
    from reverie.store.library import is_memory

    query = app.store.database.query
    paths = query(
        "SELECT path FROM memories JOIN stores ON stores.id = memories.store_id"
        " WHERE stores.archived_at IS NULL"
    )
    sorts = Counter(_sort(str(path), is_memory(str(path))) for (path,) in paths)
    return Kept(
        memories=sorts["memory"],
        diaries=sorts["diary"],
        dailies=sorts["daily"],
        reviews=int(query("SELECT count(*) FROM reviews WHERE status = 'pending'")[0][0]),
        proposed=int(query("SELECT count(*) FROM proposal_changes WHERE status = 'pending'")[0][0]),
        dream_due=look(app).due,
    )


def _sort(path: str, memory: bool) -> str:
    if memory and not path.startswith("/archive/"):
        return "memory"
    return path.split("/")[1]


def _connected(app: App) -> list[str]:
    """The agents whose settings name this memory, as far as `reverie connect` wrote them."""
    from reverie.connect.plugin import installed

    folder = app.config.home / "connections"
    names = {file.stem for file in folder.glob("*.after")} if folder.is_dir() else set[str]()
    if installed():
        names.add("claude-code")
    return sorted(names)


def _counts(index: "Index") -> tuple[int, int, int]:
    row = index.database.query(
        "SELECT count(*), count(DISTINCT project), coalesce(sum(human_turns), 0)"
        " FROM sessions WHERE subagent = 0"
    )[0]
    return row[0], row[1], int(row[2])


def _steps(agents: list[str], unread: bool, kept: Kept, connected: list[str]) -> list[str]:
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
    if kept.dream_due and not kept.proposed:
        steps.append("`reverie dream` looks for what recurs over your sessions")
    if kept.memories and not connected:
        agent = next((name for name in ("claude-code", "codex") if name in agents), "claude-code")
        steps.append(f"`reverie connect {agent}` lets your agent ask for it")
    steps.append("`reverie recall QUESTION` shows what an agent would be told")
    steps.append("`reverie --help` lists every command")
    return steps
