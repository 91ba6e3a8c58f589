"""`reverie doctor`: is anything wrong, and what to do about it."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, several
from reverie.errors import ReverieError

if TYPE_CHECKING:
    from reverie.sessions.discover import LogFile

Level = Literal["ok", "note", "warning", "error"]

# Below this, two writers that checkpoint at the same moment can damage a WAL database.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has to say. Only an error makes `doctor` fail."""

    check: str
    level: Level
    message: str
    hint: str = ""


Check = Callable[[App], Iterable[Finding]]


def sqlite_version(_app: App) -> Iterator[Finding]:
    """SQLite's own version: older ones have a bug that loses data."""
    from reverie.db.sqlite import VERSION, WAL_RESET_FIXED

    version = ".".join(map(str, VERSION))
    if VERSION >= WAL_RESET_FIXED:
        yield Finding("sqlite", "ok", f"SQLite {version}")
        return
    yield Finding(
        "sqlite",
        "warning",
        f"SQLite {version} is older than 3.51.3: two writers that checkpoint at the same moment"
        " can damage a database",
        "use a Python with a newer SQLite; Reverie keeps to one writer at a time meanwhile",
    )


def file_modes(app: App) -> Iterator[Finding]:
    """Nobody else on this machine may read the home."""
    home = app.config.home
    if not home.exists():
        yield Finding("modes", "ok", f"{home} does not exist yet")
        return
    if os.name != "posix":
        yield Finding("modes", "note", "file modes are not checked on this system")
        return
    loose = [path for path in _own_files(home) if _others_may(path)]
    if not loose:
        yield Finding("modes", "ok", "only you can read what is kept")
    for path in loose[:_SHOWN]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        wanted = "700" if path.is_dir() else "600"
        yield Finding(
            "modes", "error", f"others can reach {path} (mode {mode:o})", f"chmod {wanted} {path}"
        )
    if len(loose) > _SHOWN:
        yield Finding("modes", "error", f"and {len(loose) - _SHOWN} more files others can reach")


def index_health(app: App) -> Iterator[Finding]:
    """The index can be opened and is whole."""
    if not app.config.has_index:
        yield Finding("index", "note", "there is no index yet", "`reverie learn` makes it")
        return
    damage = app.index.database.damage()
    if not damage:
        yield Finding(
            "index", "ok", f"{several(len(app.index.sessions()), 'session')} in the index"
        )
    else:
        yield Finding("index", "error", f"the index is damaged: {damage[0]}", "`reverie reindex`")


def store_health(app: App) -> Iterator[Finding]:
    """The database is whole, every hash and link of every chain adds up."""
    if app.config.database_url is None and not app.config.memory_db.exists():
        yield Finding("stores", "note", "there is no store yet", "`reverie learn` makes it")
        return
    hint = "`reverie backup restore FILE --replace` brings a backup back, and keeps this one"
    damage = app.store.database.damage()
    problems = app.store.verify()
    stores = app.store.stores(archived=True)
    wrong = damage + [f"{problem.subject} {problem.message}" for problem in problems]
    if not wrong:
        versions = sum(info.versions for info in stores)
        told = f"{several(versions, 'version')} in {several(len(stores), 'store')}"
        yield Finding("stores", "ok", f"{told}, every hash and link checked")
    for message in wrong[:_SHOWN]:
        yield Finding("stores", "error", message, hint)
    if len(wrong) > _SHOWN:
        yield Finding(
            "stores", "error", f"and {len(wrong) - _SHOWN} more things that do not add up"
        )


def capture_gap(app: App) -> Iterator[Finding]:
    """Logs on disk against logs read."""
    found = app.logs()
    logs = [log for log in found.logs if not log.path.is_relative_to(app.config.kept)]
    seen: set[str] = set()
    if app.config.has_index:
        from reverie.sessions.logfiles import name_of

        known = {path for (path,) in app.index.database.query("SELECT path FROM files")}
        seen = {name for log in logs if (name := name_of(log)) in known}
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
    yield from _places(logs)
    for skipped in found.skipped[:_SHOWN]:
        yield Finding("capture", "note", f"not read: {skipped.path}: {skipped.reason}")
    if len(found.skipped) > _SHOWN:
        yield Finding("capture", "note", f"and {len(found.skipped) - _SHOWN} more files skipped")


def _places(logs: "list[LogFile]") -> Iterator[Finding]:
    """Where each agent's logs are looked for, and how many are there."""
    from collections import Counter

    from reverie.sessions.readers import READERS

    counts = Counter(log.agent for log in logs)
    without: list[str] = []
    for reader in READERS:
        roots = reader.roots(os.environ)
        if count := counts[reader.agent]:
            where = ", ".join(_short(root) for root in roots if root.is_dir()) or "other folders"
            yield Finding("places", "ok", f"{several(count, 'log')} of {reader.agent} in {where}")
        elif roots:
            without.append(f"{reader.agent} ({', '.join(map(_short, roots))})")
    if without:
        yield Finding("places", "note", f"no logs of {'; '.join(without)}")


def _short(path: Path) -> str:
    """A path as people write it: `~` for their home."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path != home and home in path.parents else str(path)


def damaged_lines(app: App) -> Iterator[Finding]:
    """Lines no reader could make sense of, per file."""
    if not app.config.has_index:
        return
    rows = app.index.database.query(
        "SELECT path, bad_lines, bad_bytes, reasons FROM files WHERE bad_lines > 0"
        " ORDER BY bad_lines DESC, path"
    )
    if not rows:
        yield Finding("lines", "ok", "no damaged lines")
    for path, lines, size, reasons in rows[: 4 * _SHOWN]:
        yield Finding(
            "lines", "warning", f"{path}: {lines} damaged lines, {size} bytes lost {reasons}"
        )
    if len(rows) > 4 * _SHOWN:
        yield Finding("lines", "warning", f"and {len(rows) - 4 * _SHOWN} more files with damage")


def about_to_go(app: App) -> Iterator[Finding]:
    """Logs the agent will delete soon and of which there is no copy."""
    from reverie.sessions.kept import rescues

    now = app.clock()
    soon = 30 - app.settings.sessions.keep_before_days
    going = [
        rescue
        for rescue in rescues(app.logs().logs, app.config.kept, os.environ)
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


def cut_marks(app: App) -> Iterator[Finding]:
    """Marks of processed sessions that a crash cut short."""
    if app.marks.unreadable:
        yield Finding(
            "marks",
            "warning",
            f"{app.marks.unreadable} lines of {app.marks.file} cannot be read;"
            " their sessions count as unprocessed",
        )


def diary_invariants(app: App) -> Iterator[Finding]:
    """Every diary accounts for what was said and what failed, and can be made again."""
    if not app.config.has_index:
        return
    from reverie.sessions.diaries import diaries

    rows = diaries(app.index.database)
    wrong = [row for row in rows if row.broken]
    if rows and not wrong:
        told = f"{sum(r.human_turns for r in rows)} human turns and all failures accounted for"
        yield Finding("diaries", "ok", f"{len(rows)} diaries hold: {told}, traceable, repeatable")
    for row in wrong[:_SHOWN]:
        told = f"{row.session} task {row.number} breaks: {row.broken}"
        yield Finding("diaries", "error", f"the diary of {told}", "please report it")
    if len(wrong) > _SHOWN:
        yield Finding("diaries", "error", f"and {len(wrong) - _SHOWN} of {len(rows)} more diaries")


def split_projects(app: App) -> Iterator[Finding]:
    """Two projects that look like one."""
    for first, second in app.projects.lookalikes():
        yield Finding(
            "projects",
            "note",
            f"{first.slug} and {second.slug} look like one project",
            f"`reverie projects merge {second.slug} {first.slug}`",
        )


def hooks(app: App) -> Iterator[Finding]:
    """What failed while nobody was looking: hooks and the worker they start never talk."""
    from reverie.connect.stretches import troubles
    from reverie.connect.switches import why_off

    if off := why_off(os.environ, str(app.config.home)):
        yield Finding("hooks", "note", f"hooks would do nothing here: {off}")
    found = troubles(app.config.home)
    for trouble in found:
        yield Finding("hooks", "warning", trouble, "`reverie learn` reads what hooks could not")
    if not off and not found:
        yield Finding("hooks", "ok", "no failures")


# Each looks at one thing and changes nothing.
CHECKS: tuple[Check, ...] = (
    sqlite_version,
    file_modes,
    store_health,
    index_health,
    capture_gap,
    damaged_lines,
    about_to_go,
    cut_marks,
    diary_invariants,
    split_projects,
    hooks,
)

_SIGNS: dict[Level, str] = {
    "ok": "ok     ",
    "note": "note   ",
    "warning": "warning",
    "error": "ERROR  ",
}


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check databases, files and logs; exits with 1 when something is wrong."""
    app = App.load()
    findings = [finding for check in CHECKS for finding in _run(check, app)]
    if as_json:
        out_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            out(f"{finding.level:<7}  {finding.check}: {finding.message}")
            if finding.hint:
                out(f"         hint: {finding.hint}")
    return int(any(finding.level == "error" for finding in findings))


def _run(check: Check, app: App) -> list[Finding]:
    """One check that cannot be made is a finding; the others still are."""
    try:
        return list(check(app))
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
