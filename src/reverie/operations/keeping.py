"""Keeping in step: mounted folders and what sessions are told at their start follow the stores."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from reverie.distant.table import any_link
from reverie.home import Home

if TYPE_CHECKING:
    from reverie.mounts.sync import Report

Tell = Callable[["Report"], None]

# The homes that are kept in step already, in this thread.
_kept: ContextVar[tuple[Home, ...]] = ContextVar("kept", default=())


def unheard(*_: object) -> None:
    """Nobody is told."""


@contextmanager
def in_step(home: Home, tell: Tell = unheard) -> Generator[None]:
    """Take over what was edited in mounted folders; at the end show there what changed.

    What could not be taken over is in the reports that `tell` gets. Where nothing is stored yet,
    nothing is made. Inside of another one for the same home this does nothing.
    """
    if any(home is other for other in _kept.get()):
        yield
        return
    mark = _kept.set((*_kept.get(), home))
    try:
        with starts_prepared(home), _shown(home, tell):
            yield
    finally:
        _kept.reset(mark)


@contextmanager
def starts_prepared(home: Home) -> Generator[None]:
    """What is told at the next start of a session follows what changed."""
    if home.asker.guest:
        yield  # whoever owns the home is told by commands of their own
        return
    try:
        yield
    finally:
        if (home.config.home / "remembered").is_dir():
            from reverie.operations.starts import remembered

            remembered.renew(home)
        if home.settings.hooks.digest:
            from reverie.operations.starts import starting

            starting.refresh(home)


@contextmanager
def _shown(home: Home, tell: Tell) -> Generator[None]:
    before: dict[str, int] = {}
    if home.exists:
        sync(home, tell)
        before = home.store.sequences()
    try:
        yield
    finally:
        if home.exists and home.store.sequences() != before:
            sync(home, tell)


def sync(home: Home, tell: Tell = unheard) -> None:
    """One look at the folders that show a store, and what has expired leaves its place; one query
    each when there is nothing to do. Not for guests: folders are the owner's."""
    if home.asker.guest:
        return
    if any_link(home.database):
        from reverie.operations.serving import distant

        distant.refresh(home)
    _look(home, tell)
    if expire(home):
        _look(home, tell)


def expire(home: Home) -> bool:
    """What has expired goes to the archive; whether there was any."""
    from reverie.store.heads import over

    expired = over(home.database, home.now)
    if not expired:
        return False
    from reverie.forget.expiry import archive_expired

    return bool(archive_expired(home.store, expired))


def _look(home: Home, tell: Tell) -> None:
    from reverie.mounts import any_mount

    if any_mount(home.database):
        from reverie.mounts.sync import sync_mounts

        for report in sync_mounts(home.store, redact=home.redact):
            tell(report)
