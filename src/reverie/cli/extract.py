"""`python -m reverie.cli.extract PROJECT`: the detached worker that hooks start.

Not a command for people: it takes the project's lock, learns what hooks staged, prepares what the
next session start may be told, and ends. Nothing keeps running.
"""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.connect import spool, switches
from reverie.connect.stretches import Stretch, drain, locked, sweep

if TYPE_CHECKING:
    from reverie.cli.app import App

# Clients write their logs late: a log counts as complete when it has been still for a moment.
STILL_SECONDS = 1.0
LONGEST_WAIT = 10.0
AGENT = "claude-code"  # whose sessions can be forked
ABANDONED_SECONDS = 30 * 24 * 3600


def main() -> int:
    """Drain one project's spool; failures are written to `hooks.log`."""
    project = sys.argv[1]
    home = ""
    try:
        # A burst of sessions starts many workers; all but one go away before anything is loaded.
        with locked(Path(switches.home_of(os.environ)), project) as free:
            if not free:
                return 0
        from reverie.cli.app import App

        app = App.load()
        home = str(app.config.home)
        run(app, project)
    except Exception as error:  # noqa: BLE001 - outermost: nobody is there to read a traceback
        fallback = home or switches.home_of({})
        spool.log(fallback, "extract", f"{type(error).__name__}: {error}")
        return 1
    return 0


def run(app: "App", project: str) -> None:
    """Learn what is staged for `project`."""
    from reverie.cli.alone import learning
    from reverie.connect.own_writes import saved_between

    folders: set[str] = set()

    def learn(stretch: Stretch) -> None:
        transcript = stretch.transcript.resolve()
        logs = [log for log in app.log_files(transcript.parent) if log.path == transcript]
        with learning(app, quiet=True) as keep:
            app.learner(keep).learn(logs)
        if app.settings.engines.extraction == AGENT:
            _think(app, transcript)
        folders.update(_folders(app, transcript))

    drain(app.home, project, learn, saved_between, wait_until_still)
    sweep(app.home, app.clock().timestamp() - ABANDONED_SECONDS)
    if app.settings.hooks.standing_rules:
        for folder in sorted(folders):
            prepare_rules(app, folder)


def _think(app: "App", transcript: Path) -> None:
    """Let a fork of each session in the log think about what is new in it.

    What it cannot do is written down and left: the rules have learned the session already.
    """
    from reverie.cli.thinking import think
    from reverie.errors import ReverieError
    from reverie.learn.work.desk import Work

    desk = Work(app.store, app.index, app.clock, app.redact)
    rows = app.index.database.query(
        "SELECT key FROM sessions WHERE path = ? AND agent = ?", (str(transcript), AGENT)
    )
    for (key,) in rows:
        while task := desk.next(buried=app.buried, session=key):
            try:
                think(app, desk, task)
            except ReverieError as error:
                spool.log(str(app.home), "extract", f"{AGENT}: {error.message}")
                break


def wait_until_still(transcript: Path) -> None:
    """Wait, not for ever, until nobody writes to the log."""
    began = time.monotonic()
    while transcript.exists() and time.monotonic() - began < LONGEST_WAIT:
        age = time.time_ns() / 1e9 - transcript.stat().st_mtime
        if age >= STILL_SECONDS or age < 0:
            return
        time.sleep(STILL_SECONDS - age)


def _folders(app: "App", transcript: Path) -> set[str]:
    rows = app.index.database.query(
        "SELECT cwd FROM sessions WHERE path = ? AND cwd != ''", (str(transcript),)
    )
    return {str(row[0]) for row in rows}


def refresh_rules(app: "App") -> None:
    """Prepare anew what was prepared before, after memories were changed."""
    from reverie.recall.start import read_start

    for root in sorted(read_start(app.home).get("rules", {})):
        if root and Path(root).is_dir():
            prepare_rules(app, root)


def prepare_rules(app: "App", folder: str) -> None:
    """Write the standing rules for sessions that start in the project of `folder`."""
    from reverie.connect.hook import RULES_CHARS
    from reverie.recall.recall import Request, Sources, recall
    from reverie.recall.start import write_rules
    from reverie.serve.workspace import Workspace

    workspace = Workspace(app.config, cwd=folder, clock=app.clock)
    try:
        project = workspace.project
        stores = tuple(info.id for info in workspace.stores())
        request = Request(project=project.slug, stores=stores, budget=RULES_CHARS)
        sources = Sources(workspace.owner.database, workspace.index, app.settings, app.clock)
        rules = [item.entry.title for item in recall(request, sources).items if item.part == "rule"]
    finally:
        workspace.close()
    write_rules(app.home, str(Path(project.root or folder).resolve()), rules, RULES_CHARS)


if __name__ == "__main__":
    sys.exit(main())
