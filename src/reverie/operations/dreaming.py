"""Dreaming: learn what is new, find what recurs over sessions, and propose better memory."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import Refused, Unavailable
from reverie.home import Home
from reverie.operations import keeping, learning

if TYPE_CHECKING:
    from reverie.dream.model import Ask, Step
    from reverie.dream.proposals.proposals import Proposal
    from reverie.dream.run import Dreamer, Run
    from reverie.learn.run import Learner
    from reverie.operations.engines import Chosen
    from reverie.operations.thinking import Estimate
    from reverie.sessions.index import Progress


@dataclass(frozen=True, slots=True)
class Thinker:
    """A model that a dream asks, and who is to know of it."""

    engine: "Chosen"
    must: bool = False  # without its answers there is to be no dream
    # Told what it would take before anything is sent; whoever minds raises `Refused`.
    before: "Callable[[Estimate], None]" = keeping.unheard
    tell: Callable[[str], None] = keeping.unheard  # what became of it


def asked(
    home: Home,
    *,
    project: str | None = None,
    since: str | None = None,
    sessions: Sequence[str] = (),
    store: str | None = None,
    instructions: str = "",
    min_sessions: int | None = None,
    min_days: int | None = None,
    unread: bool = False,
) -> "Ask":
    """What a dream is to be about, from names as people give them.

    Args:
        unread: The logs are read first, so that a name cannot be looked up yet: it is taken as it
            stands.

    Raises:
        NotFound, Ambiguous: the project, a session or the store is not known.
    """
    from reverie.dream.model import Ask

    settings = home.settings.dream
    if not unread:
        project = home.projects.find(project).slug if project else project
        sessions = [home.index.session(name).key for name in sessions]
        store = _store(home, store)
    return Ask(
        project=project,
        since=since or "",
        sessions=tuple(sessions),
        store=store,
        instructions=instructions,
        min_sessions=min_sessions or settings.min_sessions,
        min_days=min_days or settings.min_days,
        most_false=settings.most_false,
    )


def _store(home: Home, name: str | None) -> str | None:
    """The store named; that of a known project need not be there yet."""
    from reverie.store.library import GLOBAL

    if name is None or name in {GLOBAL, *(project.slug for project in home.projects.all())}:
        return name
    return home.store.resolve_store(name).name


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

    Args:
        logs: Learn from this folder; from all known logs if absent.
        jobs: Processes to read with; the setting `learn.jobs` if absent.
        apply: Make at once what needs no person.
        into: Leave the stores alone and write a new one of that name.
        thinker: Also have a model look over the sessions.
        progress: Told how far reading has come, and then how far the dream.

    Raises:
        LeaseHeld: another dream about the same stores is going on.
        InvalidInput: there is a store named `into` already.
        Refused, Unavailable: a thinker that must answer may not, or does not.
    """
    with keeping.in_step(home):
        with _learner(home, jobs, waiting) as learner:
            learner.learn(home.logs(logs).logs, progress)
        learning.note(home)
        dreamer = _dreamer(home, _think(home, home, ask, thinker, waiting))
        run = dreamer.run(ask, progress=progress)
        learning.remind(home)
        if run.proposal is None:
            return run
        applied: list[str] = []
        if into:
            applied = dreamer.into(run.proposal, into)
        elif apply:
            applied = dreamer.apply_unattended(run.proposal)
    return replace(run, applied=tuple(applied))


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
        return Run("", _dreamer(home, _think(home, home, ask, thinker, waiting)).dry(ask), None)
    with _scratch(home) as scratch:
        with _learner(scratch, jobs, waiting) as learner:
            learner.read(home.logs(logs).logs, progress)
        think = _think(home, scratch, ask, thinker, waiting)
        return Run("", _dreamer(scratch, think).dry(ask), None)


def proposals(home: Home) -> "list[Proposal]":
    """What dreams and agents offered, newest first."""
    from reverie.dream.proposals.proposals import Proposals

    return Proposals(home.database, home.clock).all()


def proposal(home: Home, reference: str) -> "Proposal":
    """One of them, by id or unique prefix.

    Raises:
        NotFound, Ambiguous: none or several fit.
    """
    from reverie.dream.proposals.proposals import Proposals

    return Proposals(home.database, home.clock).find(reference)


@contextmanager
def _learner(home: Home, jobs: int | None, waiting: learning.Waiting) -> "Generator[Learner]":
    """What learns, while nobody else does."""
    with (
        learning.alone(home, waiting) as keep,
        learning.processes(jobs or home.settings.learn.jobs) as pool,
    ):
        yield learning.learner(home, keep, pool)


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
    from reverie.operations import thinking

    left_out = thinking.excluded(home)
    desk = DreamWork(at.store, at.index, at.clock, at.redact, ask, leave_out=left_out)
    try:
        if ask.project in left_out:
            raise Refused(f"engines.ignore_projects keeps {ask.project} from engines")
        expected = thinking.estimate_of(home, thinker.engine, desk.waiting(ask.project))
        if expected.pieces:
            thinker.before(expected)
        for done in thinking.dream_with(home, thinker.engine, desk, ask.project, waiting=waiting):
            if done.error is not None:
                thinker.tell(done.error.message)
    except (Refused, Unavailable) as error:
        if thinker.must:
            raise
        thinker.tell(f"without a model: {error.message}")
    return partial(desk.thought, project=ask.project)


def _dreamer(home: Home, think: "Step | None" = None) -> "Dreamer":
    from reverie.dream.run import Dreamer
    from reverie.forget.stale import vanished

    return Dreamer(home.store, home.index, home.clock, vanished(home.index.database), think)
