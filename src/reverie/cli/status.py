"""`reverie` without a command: what is known, what is pending, what to do next."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from reverie.cli.app import App
from reverie.cli.printing import out, out_json

if TYPE_CHECKING:
    from reverie.sessions.index import Index


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the home, in numbers."""

    home: str
    logs: int
    unread_logs: int
    sessions: int
    projects: int
    human_turns: int
    memories: int
    reviews: int
    pending_days: int
    first_pending: str
    next: list[str]


def show_status(*, as_json: bool = False) -> None:
    """Print the status in at most ten lines. Nothing is read but stats, nothing is made."""
    status = status_of(App.load())
    if as_json:
        out_json(asdict(status))
        return
    out(f"reverie keeps its memory in {status.home}")
    known = [
        f"{status.sessions} sessions of {status.projects} projects" if status.sessions else "",
        f"{status.human_turns} things you said" if status.human_turns else "",
        f"{status.memories} memories" if status.memories else "",
    ]
    out("known:    " + (", ".join(part for part in known if part) or "nothing yet"))
    waiting = f"{status.unread_logs} of {status.logs} logs not read"
    if status.pending_days:
        waiting += f", {status.pending_days} days not processed since {status.first_pending}"
    if status.reviews:
        waiting += f", {status.reviews} to review"
    out(f"pending:  {waiting}")
    for number, step in enumerate(status.next[:3]):
        out(f"{'next:   ' if number == 0 else '        '}  {step}")


def status_of(app: App) -> Status:
    """Look at the home and at the logs on disk, without opening either to write."""
    logs = [log for log in app.log_files() if not log.path.is_relative_to(app.config.kept)]
    memories, reviews = _kept(app)
    if not app.config.index_db.exists():
        return Status(
            home=str(app.config.home),
            logs=len(logs),
            unread_logs=len(logs),
            sessions=0,
            projects=0,
            human_turns=0,
            memories=memories,
            reviews=reviews,
            pending_days=0,
            first_pending="",
            next=_steps(len(logs), len(logs), 0, reviews),
        )
    from reverie.sessions.logfiles import name_of, stat_of

    index = app.index
    seen = {
        path: (inode, size, mtime)
        for path, inode, size, mtime in index.connection.execute(
            "SELECT path, inode, size, mtime_ns FROM files"
        )
    }
    unread = sum(1 for log in logs if seen.get(name_of(log)) != stat_of(log))
    sessions, projects, turns = _counts(index)
    days = sorted({row.day for row in app.marks.pending(index.days())})
    return Status(
        home=str(app.config.home),
        logs=len(logs),
        unread_logs=unread,
        sessions=sessions,
        projects=projects,
        human_turns=turns,
        memories=memories,
        reviews=reviews,
        pending_days=len(days),
        first_pending=next((day for day in days if day), ""),
        next=_steps(len(logs), unread, len(days), reviews),
    )


def _kept(app: App) -> tuple[int, int]:
    """Memories in all live stores, and what waits for review; opens nothing that is not there."""
    if app.config.database_url is None and not app.config.memory_db.exists():
        return 0, 0
    memories = sum(store.memories for store in app.store.stores())
    waiting = app.store.database.query("SELECT count(*) FROM reviews WHERE status = 'pending'")
    return memories, int(waiting[0][0])


def _counts(index: "Index") -> tuple[int, int, int]:
    row = index.connection.execute(
        "SELECT count(*), count(DISTINCT project), coalesce(sum(human_turns), 0)"
        " FROM sessions WHERE NOT subagent"
    ).fetchone()
    return row[0], row[1], row[2]


def _steps(logs: int, unread: int, pending: int, reviews: int) -> list[str]:
    if not logs and not reviews:
        return [
            "no agent has logged a session here: `reverie learn --logs DIR` reads any folder",
            "`reverie doctor` says where logs are looked for",
        ]
    steps: list[str] = []
    if unread or pending:
        steps.append("`reverie learn --dry-run` shows what it would find, `reverie learn` keeps it")
    if reviews:
        steps.append(f"`reverie review` asks about {reviews} lessons, one key each")
    steps.append("`reverie sessions search WORDS` finds what was said")
    steps.append("`reverie --help` lists every command")
    return steps
