"""`python -m reverie.connect.worker PROJECT`: the detached worker that hooks start.

Not a command for people: it takes the project's lock, learns what hooks staged, prepares what the
next session start may be told, and ends. Nothing keeps running.
"""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.connect import spool, switches
from reverie.connect.project_files import without_named_in
from reverie.connect.stretches import Stretch, drain, locked, sweep
from reverie.errors import Unavailable
from reverie.handover import paused_until
from reverie.operations.starts import remembered, starting, telling
from reverie.sessions.logs.discover import lies_in_place
from reverie.sessions.logs.own_memory import saves_for_itself, saves_here, saving
from reverie.sessions.readers.agents import reader_for

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.sessions.query import SessionRow

# Clients write their logs late: a log counts as complete when it has been still for a moment.
STILL_SECONDS = 1.0
LONGEST_WAIT = 10.0
ABANDONED_SECONDS = 30 * 24 * 3600


def saved_between(transcript: Path, start: int, end: int) -> bool:
    """True when a tool call between the two bytes wrote memory."""
    reader = reader_for(transcript)
    if reader is None:
        return False
    saved = saving(reader.open(transcript), lambda turn: saves_here(turn) or saves_for_itself(turn))
    return any(start <= offset < end for offset in saved)


def main() -> int:
    """Drain one project's spool; failures are written to `hooks.log`."""
    project = sys.argv[1]
    home = ""
    try:
        # A burst of sessions starts many workers; all but one go away before anything is loaded.
        place = switches.home_of(os.environ)
        with locked(Path(place), project) as free:
            if not free or paused_until(place, time.time_ns() / 1e9):
                return 0
        from reverie.asker import Asker
        from reverie.memory import Memory

        with Memory.open(asker=Asker("hook")) as memory:
            # An agent can call a hook, with a folder of its own in its variables: as in its shell,
            # only places that are known are believed.
            memory.agent_above = lambda: "whoever called the hook"
            home = str(memory.config.home)
            run(memory, project)
    except Exception as error:  # noqa: BLE001 - outermost: nobody is there to read a traceback
        fallback = home or switches.home_of({})
        spool.log(fallback, "extract", f"{type(error).__name__}: {error}")
        return 1
    return 0


def run(memory: "Memory", project: str) -> None:
    """Learn what is staged for `project`, and enter what sessions were told."""
    known = remembered.before(memory)
    taught: list[SessionRow] = []

    def learn(stretch: Stretch) -> None:
        # One log is read faster than another process starts.
        report = memory.learn(stretch.transcript, jobs=1)
        for log in report.index.doubted:
            message = f"{log} lies where no agent of yours is known to log: trusted as an agent's"
            spool.log(str(memory.config.home), "extract", message)
        sessions = memory.index.sessions_of_log(stretch.transcript.resolve())
        taught.extend(sessions)
        # Once for each session: what is thought about in parts costs more, and is thought worse.
        if stretch.over and memory.settings.engines.default != "rules":
            for session in sessions:
                _think(memory, session, saved=stretch.saved)

    def is_log(transcript: Path) -> bool:
        try:
            return lies_in_place(transcript, memory.config.environ, memory.log_roots)
        except Unavailable:
            return True  # learning says what is wrong with it

    home = memory.make_home()
    drain(home, project, learn, saved_between, wait_until_still, is_log)
    sweep(home, memory.clock().timestamp() - ABANDONED_SECONDS)
    telling.enter_told(memory)
    starting.refresh(memory)
    if taught:
        keys = {session.key for session in taught}
        remembered.leave(memory, project, taught[-1].session_id, keys, known)
    # Last: a remote that answers late keeps nothing from the next session but what is there.
    if memory.settings.sync.auto and memory.exists and _exchange(memory):
        starting.refresh(memory)


def _think(memory: "Memory", session: "SessionRow", *, saved: bool) -> None:
    """Let an engine think about what is new in a session, unless its agent saved that itself.

    What it cannot do is written down and left: the rules have learned the session already.
    """
    from reverie.errors import Refused, ReverieError
    from reverie.operations import keeping
    from reverie.operations.engines import catalog as engines
    from reverie.operations.engines import thinking

    def note(error: ReverieError) -> None:
        spool.log(str(memory.config.home), "engine", f"{name}: {error.message}")

    name = engines.thinks_about(memory, session.agent)
    if not name:
        return
    try:
        if saved:
            thinking.pass_over(memory, session.key)
            return
        asked = thinking.Wanted(session=session.key)
        environ = without_named_in(session.cwd, memory.config.environ)
        engine = engines.chosen(memory, name, environ)
        for thought in thinking.run(memory, engine, asked, waiting=keeping.unheard):
            if thought.error:
                note(thought.error)
    except Refused:
        return  # a cap, which is no failure: what was not thought about waits
    except ReverieError as error:
        note(error)


def _exchange(memory: "Memory") -> bool:
    """Sync with the person's other machines; whether anything came.

    A remote that is not there is tried the next time, and noted with its link, for `doctor`.
    """
    from reverie.errors import Busy, ReverieError
    from reverie.operations import syncing

    try:
        done = syncing.sync_remotes(memory)
    except Busy:
        return False  # whoever is at it takes this along
    except ReverieError as error:
        spool.log(str(memory.config.home), "sync", error.message)
        return False
    return any(outcome.received for outcome in done if not isinstance(outcome, ReverieError))


def wait_until_still(transcript: Path) -> None:
    """Wait, not for ever, until nobody writes to the log."""
    began = time.monotonic()
    while transcript.exists() and time.monotonic() - began < LONGEST_WAIT:
        age = time.time_ns() / 1e9 - transcript.stat().st_mtime
        if age >= STILL_SECONDS or age < 0:
            return
        time.sleep(STILL_SECONDS - age)


if __name__ == "__main__":
    sys.exit(main())
