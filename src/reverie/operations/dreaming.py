"""Dreaming: learn what is new, find what recurs over sessions, and propose better memory."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.errors import Refused, Unavailable
from reverie.home import Home
from reverie.operations import keeping, learning, stores

if TYPE_CHECKING:
    from reverie.dream.model import Ask, Night, Step
    from reverie.dream.run import Dreamer, Run
    from reverie.operations.engines.catalog import Chosen
    from reverie.operations.engines.thinking import Estimate
    from reverie.sessions.index import Progress


@dataclass(frozen=True, slots=True)
class Thinker:
    """A model that a dream asks, and who is to know of it."""

    engine: "Chosen"
    must: bool = False  # without its answers there is to be no dream
    # Told what it would take before anything is sent; whoever minds raises `Refused`.
    before: "Callable[[Estimate], None]" = keeping.unheard
    tell: Callable[[str], None] = keeping.unheard  # what became of it
    done: Callable[[str], None] = keeping.unheard  # which pieces it was asked about


def asked(
    home: Home,
    *,
    project: str | None = None,
    since: str | None = None,
    sessions: Sequence[str] = (),
    last: int = 0,
    new: bool = False,
    store: str | None = None,
    instructions: str = "",
    min_sessions: int | None = None,
    min_days: int | None = None,
    most: int | None = None,
) -> "Ask":
    """What a dream is to be about, in names as people give them.

    Args:
        last: Only the sessions of so many diaries, the latest; 0 for all.
        new: Only what came since the last dream about the same.
        most: How many patterns are offered at most, 0 for all; ten if absent.
    """
    from reverie.dream.model import MOST, Ask

    settings = home.settings.dream
    return Ask(
        project=project,
        since=since or "",
        sessions=tuple(sessions),
        last=last,
        new=new,
        store=store,
        instructions=instructions,
        min_sessions=min_sessions or settings.min_sessions,
        min_days=min_days or settings.min_days,
        most_false=settings.most_false,
        most=MOST if most is None else most,
    )


def _found(home: Home, ask: "Ask") -> "Ask":
    """What is asked for by the names it is known by; after the logs were read, which may be the
    first to tell of it.

    Raises:
        NotFound, Ambiguous: the project, a session or the store is not known.
        Archived: the store is, and cannot be changed.
    """
    project = None if ask.project is None else home.projects.find(ask.project).slug
    sessions = tuple(home.index.session(name).key for name in ask.sessions)
    store = None if ask.store is None else _store(home, ask.store)
    if store and not (project or sessions) and _is_project(home, store):
        project = store  # what was said in other projects is not for its store
    return replace(ask, project=project, sessions=sessions, store=store)


def _store(home: Home, name: str) -> str:
    """The store named; that of a known project need not be there yet."""
    from reverie.errors import Archived
    from reverie.store.library import GLOBAL

    if name == GLOBAL or _is_project(home, name):
        return name
    info = home.store.resolve_store(name)
    if info.archived_at:
        raise Archived(f"the store {info.name} is archived", hint="it can be read, not changed")
    return home.store.find_store(info.name).name  # several may have one name


def _is_project(home: Home, name: str) -> bool:
    return any(project.slug == name for project in home.projects.all())


def dream(
    home: Home,
    ask: "Ask",
    logs: Path | None = None,
    *,
    jobs: int | None = None,
    apply: bool = False,
    into: str | None = None,
    thinker: Thinker | None = None,
    waiting: learning.Waiting = keeping.unheard,
    progress: "Progress" = keeping.unheard,
) -> "Run":
    """Learn what is new, then offer what recurs over many sessions as a proposal.

    About one store or some sessions, or into a new store, nothing is learned besides: no other
    memory changes.

    Args:
        logs: Learn from this folder; from all known logs if absent.
        jobs: Processes to read with; the setting `learn.jobs` if absent.
        apply: Make at once what needs no person.
        into: Leave the stores alone and write a new one of that name: what the dream was about,
            with the changes made.
        thinker: Also have a model look over the sessions.
        progress: Told how far reading has come, and then how far the dream.

    Raises:
        LeaseHeld: another dream about the same stores is going on.
        InvalidInput, Conflict: no new store can be named `into`.
        NotFound, Ambiguous: the project, a session or the store is not known.
        Refused, Unavailable: a thinker that must answer may not, or does not.
    """
    with keeping.in_step(home):
        if into is not None:
            stores.refuse_name(home, into)  # before anything else is done
        if ask.store is not None or ask.sessions or into is not None:
            _read(home, logs, jobs, waiting, progress)
        else:
            only: dict[str, Any] = {"project": ask.project, "since": ask.since or None}
            callbacks: dict[str, Any] = {"waiting": waiting, "progress": progress}
            learning.learn(home, logs, jobs=jobs, **only, **callbacks)
        ask = _found(home, ask)
        dreamer = _dreamer(home, _think(home, home, ask, thinker, waiting))
        run = dreamer.run(ask, progress=progress)
        learning.remind(home)
        if into is not None:
            return dreamer.into(run, into)
        if apply and run.proposal is not None:
            return replace(run, applied=tuple(dreamer.apply_unattended(run.proposal)))
    return run


def dream_dry(
    home: Home,
    ask: "Ask",
    logs: Path | None = None,
    *,
    jobs: int | None = None,
    thinker: Thinker | None = None,
    waiting: learning.Waiting = keeping.unheard,
    progress: "Progress" = keeping.unheard,
) -> "Run":
    """As `dream`, with nothing written: over what is known, or over `logs` alone.

    What a thinker costs is noted all the same, and so are its answers about what is known.
    """
    from reverie.dream.run import Run

    if logs is None:
        ask = _found(home, ask)
        return Run("", _dreamer(home, _think(home, home, ask, thinker, waiting)).dry(ask), None)
    with _scratch(home) as scratch:
        _read(scratch, logs, jobs, waiting, progress)
        if ask.store:
            scratch.store.ensure_store(ask.store)  # over logs alone no store is read
        ask = _found(scratch, ask)
        think = _think(home, scratch, ask, thinker, waiting)
        return Run("", _dreamer(scratch, think).dry(ask), None)


def imagine(
    home: Home, ask: "Ask", think: "Step | None", after: "Callable[[str, Night], None]"
) -> "Night":
    """What a dream would change, over what is known; nothing is written.

    Args:
        ask: By keys of sessions and the id of a store.
        think: What a model makes of it (`thought`).
        after: Told when a step is done; may raise to stop.
    """
    return _dreamer(home, think).dry(ask, after)


def thought(home: Home, ask: "Ask", thinker: Thinker | None) -> "Step | None":
    """The step of a dream that a model takes, asked already; None without one.

    Raises:
        Refused, Unavailable: a thinker that must answer may not, or does not.
    """
    return _think(home, home, ask, thinker, keeping.unheard)


def _read(
    home: Home,
    logs: Path | None,
    jobs: int | None,
    waiting: learning.Waiting,
    progress: "Progress",
) -> None:
    """Bring what is known of the sessions up to date, while nobody else does; no memory changes."""
    with (
        learning.alone(home, waiting) as keep,
        learning.processes(jobs or home.settings.learn.jobs) as pool,
    ):
        learning.learner(home, keep, pool).read(home.logs(logs).logs, progress)


@contextmanager
def _scratch(home: Home) -> Generator[Home]:
    """A home that is thrown away, when logs are to be read and nothing written."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="reverie-dream-") as folder:
        config = home.config.elsewhere(Path(folder))
        with home.at(config=config) as scratch:
            yield scratch


def _think(
    home: Home, at: Home, ask: "Ask", thinker: Thinker | None, waiting: learning.Waiting
) -> "Step | None":
    """The step of a dream that a model takes: all it is asked is asked before the dream begins.

    Args:
        home: Whose receipts and caps these are.
        at: Where the sessions are known.
    """
    if thinker is None:
        return None
    from reverie.dream.proposals.work import DreamWork
    from reverie.operations.engines import thinking

    left_out = thinking.excluded(home)
    desk = DreamWork(at.store, at.index, at.clock, at.redact, ask, leave_out=left_out)
    answered, expected = 0, None
    try:
        if ask.project in left_out:
            raise Refused(f"engines.ignore_projects keeps {ask.project} from engines")
        expected = thinking.estimate_of(home, thinker.engine, desk.waiting(ask.project))
        if expected.pieces:
            thinker.before(expected)
        for done in thinking.dream_with(home, thinker.engine, desk, ask.project, waiting=waiting):
            thinker.done(done.piece)
            answered += done.error is None
            if done.error is not None:
                thinker.tell(done.error.message)
    except (Refused, Unavailable) as error:
        if thinker.must:
            raise
        pieces = f"{answered} of {expected.pieces}" if expected else "none"
        part = f"with the answers to {pieces} pieces only" if answered else "without a model"
        thinker.tell(f"{part}: {error.message}")
    return partial(desk.thought, project=ask.project)


def _dreamer(home: Home, think: "Step | None" = None) -> "Dreamer":
    from reverie.dream.run import Dreamer
    from reverie.forget.stale import vanished

    return Dreamer(home.store, home.index, home.clock, vanished(home.index.database), think)
