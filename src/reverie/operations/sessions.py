"""Sessions: which there are, what was said in them, what of it was processed, copies of logs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from reverie.errors import NotFound, Unavailable
from reverie.home import Home
from reverie.operations.keeping import unheard

if TYPE_CHECKING:
    from reverie.sessions.index import Progress
    from reverie.sessions.logs.kept import Rescue
    from reverie.sessions.query import DayRow, SessionRow, TurnHit, TurnRow


class Transcript(NamedTuple):
    """A session and its turns, or some of them."""

    session: "SessionRow"
    turns: "list[TurnRow]"


class PendingDay(NamedTuple):
    """A day (UTC) on which somebody said something that was not processed."""

    day: str  # "" when the logs have no times
    stretches: "list[DayRow]"

    @property
    def projects(self) -> list[str]:
        return sorted({row.project for row in self.stretches})

    @property
    def human_turns(self) -> int:
        return sum(row.human_turns for row in self.stretches)


class Stretch(NamedTuple):
    """What was said in one session on one day, and what failed."""

    row: "DayRow"
    session: "SessionRow"
    turns: "list[TurnRow]"


@dataclass(frozen=True, slots=True)
class KeptLogs:
    """The logs there are to keep, those of them that were due, and why some were not copied."""

    found: "list[Rescue]"
    due: "list[Rescue]"
    failed: list[tuple[str, str]]  # path, why


class Dropped(NamedTuple):
    """What was marked as processed, and how many kept copies went."""

    marked: int
    sessions: list[str]
    copies: int


def sessions(
    home: Home,
    *,
    agent: str | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    subagents: bool = False,
) -> "list[SessionRow]":
    """Sessions, the newest first; `since` is inclusive, `until` exclusive, both ISO.

    Raises:
        NotFound: no such project.
        InvalidInput: no reader writes that agent's name.
    """
    slug = home.projects.find(project).slug if project else None
    rows = home.index.sessions(agent, slug, since, until, subagents=subagents)[::-1]
    if agent and not rows:
        _must_be_known(agent)
    return rows


def transcript(
    home: Home, session: str, *, human: bool = False, line: int = 0, limit: int | None = None
) -> Transcript:
    """One session by its id or the beginning of it, from a line of its log on.

    Raises:
        NotFound, Ambiguous: none or several fit.
    """
    row = home.index.session(session)
    turns = [
        turn
        for turn in home.index.turns(row.key)
        if (not human or turn.role == "human") and turn.line >= line
    ]
    return Transcript(row, turns[: limit or len(turns)])


def trajectory(home: Home, session: str, folder: Path | None = None) -> dict[str, Any]:
    """A session out of its log as ATIF, whole but redacted; the index holds only a part of it.

    Raises:
        NotFound: there is no such session, or its log is gone.
    """
    from reverie.sessions.logfiles import name_of
    from reverie.sessions.logs.ahead import read_log
    from reverie.sessions.logs.atif import trajectory as as_atif

    row = home.index.session(session)
    for log in home.logs(folder).logs:
        here = row.path in (str(log.path), name_of(log))
        if here and log.part in ("", row.session_id):
            reading = read_log(log, None, home.redact, None)
            if reading.head.session_id == row.session_id:
                return as_atif(reading.head, reading.turns)
    raise NotFound(f"the log of {row.key} is not there any more: {row.path}")


def search(
    home: Home,
    words: str,
    *,
    agent: str | None = None,
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int = 20,
) -> "list[TurnHit]":
    """Turns that hold all words: what people and agents said, and what tools failed with.

    Raises:
        NotFound: no such project.
        InvalidInput: no reader writes that agent's name.
    """
    slug = home.projects.find(project).slug if project else None
    hits = home.index.search(
        words, agent=agent, project=slug, since=since, until=until, limit=limit
    )
    if agent and not hits:
        _must_be_known(agent)
    return hits


def pending(home: Home, project: str | None = None) -> list[PendingDay]:
    """The days with sessions that were not processed yet."""
    rows = home.marks.pending(_days(home, project))
    return [PendingDay(day, of_day) for day, of_day in _by_day(rows).items()]


def extract(
    home: Home, day: date | None = None, *, everything: bool = False, project: str | None = None
) -> list[Stretch]:
    """What was said on a day, or on all pending days; with `everything` on processed ones too."""
    rows = _days(home, project)
    if day is not None:
        # A day that is asked for by name is given whole; all days means those not processed.
        rows = [row for row in rows if row.day == day.isoformat()]
    elif not everything:
        rows = home.marks.pending(rows)
    return [Stretch(row, home.index.session(row.session), _said(home, row)) for row in rows]


def mark_extracted(home: Home, stretches: Iterable[Stretch]) -> int:
    """Mark what was extracted as processed; how many were not before."""
    return home.marks.mark([stretch.row for stretch in stretches], "extract", home.now)


def keep_logs(
    home: Home,
    folder: Path | None = None,
    *,
    everything: bool = False,
    older_than: int | None = None,
    dry_run: bool = False,
    progress: "Progress" = unheard,
) -> KeptLogs:
    """Copy logs, redacted and compressed, before the agent deletes them.

    Without `everything`, those without a change for `older_than` days, by default as many as the
    setting `sessions.keep_before_days` says.
    """
    from reverie.sessions.logs.kept import keep, rescues
    from reverie.sessions.logs.vouching import remain_doubted

    days = home.settings.sessions.keep_before_days if older_than is None else older_than
    oldest = (home.clock() - timedelta(days)).timestamp() * 1e9
    candidates = rescues(home.logs(folder).logs, home.config.kept, home.config.environ)
    due = [r for r in candidates if not r.current and (everything or r.log.mtime_ns < oldest)]
    failed: list[tuple[str, str]] = []
    for number, rescue in enumerate(() if dry_run else due, start=1):
        try:
            keep(rescue.log, rescue.copy, home.redact)
            # The copy of a log that anybody may have put there is as doubtful.
            if remain_doubted(home.index.database, [rescue.log])[0].vouched:
                home.copies.note([rescue.copy])
        except Unavailable as error:
            failed.append((str(rescue.log.path), error.message))
        progress(number, len(due))
    return KeptLogs(candidates, due, failed)


def drop(home: Home, targets: Sequence[date | str] = (), *, processed: bool = False) -> Dropped:
    """Mark days or sessions as processed and delete their kept copies; never the logs themselves.

    With `processed`, the copies of all sessions that were processed.

    Raises:
        NotFound, Ambiguous: no session, or several, fit.
    """
    from reverie.sessions.logs.kept import drop as drop_copies

    rows = home.index.days()
    chosen = [row for target in targets for row in _meant(home, rows, target)]
    marked = home.marks.mark(chosen, "drop", home.now)
    waiting = {row.session for row in home.marks.pending(rows)}
    keys = sorted({row.session for row in (rows if processed else chosen)} - waiting)
    copies = sum(drop_copies(home.index.files_of(key), home.config.kept) for key in keys)
    return Dropped(marked, keys, copies)


def _by_day(rows: "Iterable[DayRow]") -> "dict[str, list[DayRow]]":
    """Stretches by their day, in their order."""
    days: dict[str, list[DayRow]] = {}
    for row in rows:
        days.setdefault(row.day, []).append(row)
    return days


def _days(home: Home, project: str | None) -> "list[DayRow]":
    return home.index.days(home.projects.find(project).slug if project else None)


def _said(home: Home, row: "DayRow") -> "list[TurnRow]":
    """What human and agent said in one stretch, and what failed."""
    return [
        turn
        for turn in home.index.turns(row.session)
        if turn.at[:10] == row.day
        and not turn.copied
        and (turn.role in {"human", "tool"} or turn.kind == "text")
    ]


def _meant(home: Home, rows: "list[DayRow]", target: date | str) -> "list[DayRow]":
    """The stretches a day or a session stands for."""
    if isinstance(target, date):
        return [row for row in rows if row.day == target.isoformat()]
    key = home.index.session(target).key
    return [row for row in rows if row.session == key]


def _must_be_known(agent: str) -> None:
    """Nothing was found for `agent`: a misspelt name is told from one without sessions."""
    from reverie.sessions.readers.agents import by_agent

    by_agent(agent)
