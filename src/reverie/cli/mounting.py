"""Every command that opens a store looks at its mounts first, and again if it changed something."""

from typing import TYPE_CHECKING

import click

from reverie.cli.app import App
from reverie.cli.printing import say

if TYPE_CHECKING:
    from reverie.mounts.sync import Report
    from reverie.store.store import Store


def kept_in_step(app: App, store: "Store") -> None:
    """Sync the mounts now, and when the command ends if it wrote to a store."""
    _sync(app, store)
    context = click.get_current_context(silent=True)
    if context is None:
        return
    before = _moment(store)

    def at_the_end() -> None:
        if _moment(store) != before:
            _sync(app, store)

    # Called before the store is closed: what was registered last is called first.
    context.call_on_close(at_the_end)


def tell(report: "Report") -> None:
    """What a person should know of a sync, to stderr."""
    for file, why in report.left:
        say(f"warning: {report.folder}{'/' + file if file else ''}: {why}")


def _sync(app: App, store: "Store") -> None:
    from reverie.mounts.sync import sync_mounts

    for report in sync_mounts(store, redact=lambda text: app.redact(text)):
        tell(report)


def _moment(store: "Store") -> object:
    return store.database.query("SELECT sum(sequence), sum(memories) FROM stores")
