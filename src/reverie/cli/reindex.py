"""`reverie reindex`."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from reverie.cli.app import App
from reverie.cli.options import json_option, logs_option
from reverie.cli.printing import out_json, say, several
from reverie.errors import StoreDamaged


@click.command()
@logs_option
@json_option
def reindex(folder: Path | None, as_json: bool) -> None:
    """Read every log and kept copy again and rebuild the index from them.

    Sessions whose log is gone and was not kept stay as they are in the index. Renames, merges and
    what was marked as processed are not part of it and are not lost. Corrections are found again;
    memories are not touched.
    """
    from reverie.cli.alone import learning
    from reverie.cli.refresh import progress_bar, tell_problems

    app = App.load()
    _set_aside_if_damaged(app)
    with learning(app) as keep, progress_bar("reading logs") as progress:
        app.index.forget_files()
        report = app.learner(keep).read(app.log_files(folder), progress).index
    sessions = app.index.sessions(subagents=True)
    gone = [row.key for row in sessions if not os.path.exists(row.path)]
    if as_json:
        out_json(asdict(report) | {"sessions": len(sessions), "without_log": gone})
        return
    tell_problems(report)
    projects = {row.project for row in sessions}
    found = f"{several(len(sessions), 'session')} of {several(len(projects), 'project')}"
    say(f"{found} from {several(report.files, 'log')}")
    if gone:
        say(f"{len(gone)} of them have neither a log nor a kept copy any more, and were left alone")


def _set_aside_if_damaged(app: App) -> None:
    """A database that cannot be read is moved away, never deleted: someone may need it."""
    if _sound(app):
        return
    stamp = app.clock().strftime("%Y%m%dT%H%M%S")
    for suffix in ("", "-wal", "-shm"):
        file = Path(f"{app.config.index_db}{suffix}")
        if file.exists():
            file.rename(f"{file}.damaged-{stamp}")
    say(f"the old index could not be read; it is now {app.config.index_db}.damaged-{stamp}")


def _sound(app: App) -> bool:
    """Whether the index can be opened, holds together, and its sessions can be read."""
    try:
        index = app.index
    except StoreDamaged:
        return False
    try:
        damage = index.database.damage()
        index.sessions(subagents=True)
    except StoreDamaged as error:
        damage = [error.message]
    if damage:
        index.close()
        del app.index
    return not damage
