"""Checking: is anything wrong with the home, and what to do about it."""

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reverie.config import user_home
from reverie.db import sqlite
from reverie.errors import ReverieError
from reverie.home import Home
from reverie.inert import smuggled
from reverie.operations.keeping import Tell, starts_prepared, sync, unheard
from reverie.plural import several
from reverie.sessions.aside import asides
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import diaries
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.logs.kept import rescues
from reverie.sessions.readers.agents import READERS

Level = Literal["ok", "note", "warning", "error"]

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has to say. Only an error makes `doctor` fail."""

    check: str
    level: Level
    message: str
    hint: str = ""


Check = Callable[[Home], Iterable[Finding]]


def _more(check: str, level: Level, things: Sequence[object], words: str) -> Iterator[Finding]:
    """How many were found beyond those that are shown."""
    if len(things) > _SHOWN:
        yield Finding(check, level, f"and {words.format(len(things) - _SHOWN)}")


def sqlite_version(_home: Home) -> Iterator[Finding]:
    """SQLite's own version: older ones have a bug that loses data."""
    version = ".".join(map(str, sqlite.VERSION))
    if sqlite.VERSION >= sqlite.WAL_RESET_FIXED:
        yield Finding("sqlite", "ok", f"SQLite {version}")
        return
    yield Finding(
        "sqlite",
        "warning",
        f"SQLite {version} is older than 3.51.3: two writers that checkpoint at the same moment"
        " can damage a database",
        "use a Python with a newer SQLite; Reverie keeps to one writer at a time meanwhile",
    )


def file_modes(home: Home) -> Iterator[Finding]:
    """Nobody else on this machine may read the home."""
    folder = home.config.home
    if not folder.exists():
        yield Finding("modes", "ok", f"{folder} does not exist yet")
        return
    if os.name != "posix":
        yield Finding("modes", "note", "file modes are not checked on this system")
        return
    loose = [path for path in _own_files(folder) if _others_may(path)]
    if not loose:
        yield Finding("modes", "ok", "only you can read what is kept")
    for path in loose[:_SHOWN]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        wanted = "700" if path.is_dir() else "600"
        yield Finding(
            "modes", "error", f"others can reach {path} (mode {mode:o})", f"chmod {wanted} {path}"
        )
    yield from _more("modes", "error", loose, "{} more files others can reach")


def backup_age(home: Home) -> Iterator[Finding]:
    """There is a copy to go back to."""
    if home.config.database_url or not home.exists or home.settings.store.backups < 1:
        return
    from reverie.operations.copies import backups

    if copies := backups(home):
        name = os.path.basename(copies[0])
        yield Finding("backup", "ok", f"{several(len(copies), 'backup')}, the newest is {name}")
    else:
        hint = "`reverie learn` makes one a day when it learned something"
        yield Finding("backup", "note", "there is no backup yet", hint)


def index_health(home: Home) -> Iterator[Finding]:
    """The index can be opened and is whole."""
    if not home.config.has_index:
        yield Finding("index", "note", "there is no index yet", "`reverie learn` makes it")
        return
    if damage := home.index.database.damage():
        yield Finding("index", "error", f"the index is damaged: {damage[0]}", "`reverie reindex`")
    else:
        sessions = several(len(home.index.sessions()), "session")
        yield Finding("index", "ok", f"{sessions} in the index")


def store_health(home: Home, tell: Tell = unheard) -> Iterator[Finding]:
    """The database is whole, every hash and link of every chain adds up.

    Mounted folders are looked at first; what could not be taken over from them is told.
    """
    if not home.exists:
        yield Finding("stores", "note", "there is no store yet", "`reverie learn` makes it")
        return
    with starts_prepared(home):
        sync(home, tell)
    hint = "`reverie repair` brings back the newest backup that adds up, and keeps this one"
    damage = home.store.database.damage()
    problems = home.store.verify()
    stores = home.store.stores(archived=True)
    wrong = damage + [f"{problem.subject} {problem.message}" for problem in problems]
    if home.config.database_url is None:
        wrong += home.high_water.missing()
    if not wrong:
        versions = sum(info.versions for info in stores)
        sums = f"{several(versions, 'version')} in {several(len(stores), 'store')}"
        yield Finding("stores", "ok", f"{sums}, every hash and link checked")
    for message in wrong[:_SHOWN]:
        yield Finding("stores", "error", message, hint)
    yield from _more("stores", "error", wrong, "{} more things that do not add up")


def seals_of_others(home: Home) -> Iterator[Finding]:
    """Nothing lies in the database that another home, or nobody of ours, wrote into it."""
    if not home.exists:
        return
    from reverie.learn.memories import queue, quotes

    for info in home.store.strangers():
        message = (
            f"the store {info.name} was sealed by another home; an agent's trust is all it gets"
        )
        hint = f"`reverie stores adopt {info.name}` keeps it so, with --mine as your own"
        yield Finding("seals", "error", message, hint)
    forged = [f"the review {review}" for review in queue.unreadable(home.database)]
    forged += [f"the quote {quote}" for quote in quotes.unreadable(home.database)]
    for thing in forged[:_SHOWN]:
        message = f"{thing} was not written by Reverie, and is told to nobody"
        hint = "`reverie repair` takes it out and learns again what was said"
        yield Finding("seals", "error", message, hint)
    yield from _more("seals", "error", forged, "{} more that Reverie did not write")


def hidden_words(home: Home) -> Iterator[Finding]:
    """No memory says what only a machine can read."""
    if not home.exists:
        return
    for item in home.library.documents(everywhere=True):
        for words in smuggled(item.memory.content):
            message = (
                f"{item.store}:{item.name} hides words in characters that do not show: {words!r}"
            )
            yield Finding(
                "hidden", "warning", message, f"`reverie forget {item.store}:{item.name}`"
            )


def capture_gap(home: Home) -> Iterator[Finding]:
    """Logs on disk against logs read."""
    discovered = home.logs()
    logs = [log for log in discovered.logs if not log.path.is_relative_to(home.config.kept)]
    seen = home.index.seen(logs) if home.config.has_index else ()
    unseen = len(logs) - len(seen)
    if not logs:
        yield Finding(
            "capture", "note", "no logs found in the agents' places", "--logs DIR reads any folder"
        )
    elif unseen:
        yield Finding(
            "capture", "warning", f"{unseen} of {len(logs)} sessions unseen", "`reverie learn`"
        )
    else:
        yield Finding("capture", "ok", f"all {len(logs)} sessions on disk were read")
    yield from _places(home, logs)
    for skipped in discovered.skipped[:_SHOWN]:
        yield Finding("capture", "note", f"not read: {skipped.path}: {skipped.reason}")
    yield from _more("capture", "note", discovered.skipped, "{} more files skipped")


def _places(home: Home, logs: list[LogFile]) -> Iterator[Finding]:
    """Where each agent's logs are looked for, and how many are there."""
    counts = Counter(log.agent for log in logs)
    without: list[str] = []
    for reader in READERS:
        roots = reader.roots(home.config.environ)
        if count := counts[reader.agent]:
            where = (
                ", ".join(_short(root, home) for root in roots if root.is_dir()) or "other folders"
            )
            yield Finding("places", "ok", f"{several(count, 'log')} of {reader.agent} in {where}")
        elif roots:
            places = ", ".join(_short(root, home) for root in roots)
            without.append(f"{reader.agent} ({places})")
    if without:
        yield Finding("places", "note", f"no logs of {'; '.join(without)}")


def _short(path: Path, home: Home) -> str:
    """A path as people write it: `~` for their home."""
    users_home = user_home(home.config.environ)
    below = path != users_home and users_home in path.parents
    return f"~/{path.relative_to(users_home)}" if below else str(path)


def damaged_lines(home: Home) -> Iterator[Finding]:
    """Lines no reader could make sense of, per file."""
    if not home.config.has_index:
        return
    rows = home.index.damaged()
    if not rows:
        yield Finding("lines", "ok", "no damaged lines")
    for path, lines, size, reasons in rows[: 4 * _SHOWN]:
        yield Finding(
            "lines", "warning", f"{path}: {lines} damaged lines, {size} bytes lost {reasons}"
        )
    if len(rows) > 4 * _SHOWN:
        yield Finding("lines", "warning", f"and {len(rows) - 4 * _SHOWN} more files with damage")


def set_aside(home: Home) -> Iterator[Finding]:
    """Sessions that could not be learned from, each with its reason."""
    if not home.config.has_index:
        return
    rows = asides(home.index.database)
    if not rows:
        yield Finding("learning", "ok", "no session is set aside")
    for row in rows[: 4 * _SHOWN]:
        # A log may belong to somebody else; that a session cannot be learned is a fault.
        level: Level = "warning" if row.step == "reading" else "error"
        message = f"{row.session} could not be learned ({row.step}): {row.reason}"
        yield Finding("learning", level, message, "the next `reverie learn` tries again")
    if len(rows) > 4 * _SHOWN:
        yield Finding("learning", "error", f"and {len(rows) - 4 * _SHOWN} more are set aside")


def about_to_go(home: Home) -> Iterator[Finding]:
    """Logs the agent will delete soon and of which there is no copy."""
    now = home.clock()
    soon = 30 - home.settings.sessions.keep_before_days
    going = [
        rescue
        for rescue in rescues(home.logs().logs, home.config.kept, home.config.environ)
        if not rescue.current and (left := rescue.days_left(now)) is not None and left <= soon
    ]
    if going:
        yield Finding(
            "kept",
            "warning",
            f"{several(len(going), 'log')} will be deleted by their agent within {soon} days",
            "`reverie sessions keep`",
        )
    else:
        yield Finding("kept", "ok", f"no log is about to be deleted within {soon} days")


def cut_marks(home: Home) -> Iterator[Finding]:
    """Marks of processed sessions that a crash cut short."""
    if home.marks.unreadable:
        yield Finding(
            "marks",
            "warning",
            f"{home.marks.unreadable} lines of {home.marks.file} cannot be read;"
            " their sessions count as unprocessed",
        )


def diary_invariants(home: Home) -> Iterator[Finding]:
    """Every diary accounts for what was said and what failed, and can be made again."""
    if not home.config.has_index:
        return

    rows = diaries(Chosen(home.index.database))
    wrong = [row for row in rows if row.broken]
    if rows and not wrong:
        sums = f"{sum(r.human_turns for r in rows)} human turns and all failures accounted for"
        yield Finding("diaries", "ok", f"{len(rows)} diaries hold: {sums}, traceable, repeatable")
    for row in wrong[:_SHOWN]:
        task = f"{row.session} task {row.number} breaks: {row.broken}"
        yield Finding("diaries", "error", f"the diary of {task}", "please report it")
    yield from _more("diaries", "error", wrong, f"{{}} of {len(rows)} more diaries")


def split_projects(home: Home) -> Iterator[Finding]:
    """Two projects that look like one."""
    for first, second in home.projects.lookalikes():
        yield Finding(
            "projects",
            "note",
            f"{first.slug} and {second.slug} look like one project",
            f"`reverie projects merge {second.slug} {first.slug}`",
        )


# Each looks at one thing and changes nothing.
def remotes(home: Home) -> Iterator[Finding]:
    """How the last exchange with each remote went; one that is not there is no fault."""
    from reverie.operations import syncing

    for link in syncing.remotes(home):
        if link.trouble:
            since = f"; last synced {link.synced_at[:16]}" if link.synced_at else ""
            yield Finding("sync", "note", f"{link.state}{since}")
        else:
            yield Finding("sync", "ok", f"{link.state}: synced {link.synced_at[:16]}")


CHECKS: tuple[Check, ...] = (
    sqlite_version,
    file_modes,
    store_health,
    seals_of_others,
    hidden_words,
    backup_age,
    index_health,
    capture_gap,
    damaged_lines,
    set_aside,
    about_to_go,
    cut_marks,
    diary_invariants,
    split_projects,
    remotes,
)


# What a server's home is asked: nothing about the logs and projects of whoever runs it.
OF_A_SERVER: tuple[Check, ...] = (
    sqlite_version,
    file_modes,
    store_health,
    seals_of_others,
    hidden_words,
    backup_age,
    remotes,
)


def check(
    home: Home,
    more: Sequence[Check] = (),
    tell: Tell = unheard,
    checks: Sequence[Check] = CHECKS,
) -> list[Finding]:
    """Check databases, files and logs, and what the caller knows `more` of."""
    return [finding for each in (*checks, *more) for finding in _run(each, home, tell)]


def _run(check: Check, home: Home, tell: Tell) -> list[Finding]:
    """One check that cannot be made is a finding; the others still are."""
    try:
        return list(store_health(home, tell) if check is store_health else check(home))
    except ReverieError as error:
        return [Finding(check.__name__, "error", error.message, error.hint or "")]


def _own_files(home: Path) -> Iterator[Path]:
    yield home
    for folder, names, files in os.walk(home):
        names.sort()
        yield from (Path(folder, name) for name in names)
        yield from (Path(folder, name) for name in sorted(files))


def _others_may(path: Path) -> bool:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False  # SQLite's side files come and go
    return not stat.S_ISLNK(status.st_mode) and bool(status.st_mode & 0o077)
