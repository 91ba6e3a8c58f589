"""`reverie due`: whether a dream is due, and the reminder that a starting session may show."""

from typing import TYPE_CHECKING

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, several

if TYPE_CHECKING:
    from reverie.learn.due import Due


@click.command()
@json_option
def due(as_json: bool) -> None:
    """Say whether a dream is due; silent on stdout when it is not.

    Due after 10 new sessions or 24 hours, and only if something new was learned since the last.
    """
    app = App.load()
    found = remind(app)
    if as_json:
        interval = app.settings.due
        out_json(
            {
                "due": found.due,
                "last_dream": found.last or None,
                "since": found.since or None,
                "hours": round(found.hours, 1),
                "sessions": found.sessions,
                "learned": found.learned,
                "interval": {"sessions": interval.sessions, "hours": interval.hours},
                "sentence": found.sentence or None,
            }
        )
    elif found.due:
        out(found.sentence)
    else:
        last = f"last dream {found.last[:16].replace('T', ' ')} UTC" if found.last else "none yet"
        new = f"{several(found.sessions, 'session')}, {several(found.learned, 'lesson')}"
        say(f"not due ({last}; since then {new})")


def remind(app: App) -> "Due":
    """See whether a dream is due, and leave or take away the reminder for the next session."""
    from reverie.recall.start import read_start, write_due

    found = look(app)
    if read_start(app.home).get("due", "") != found.sentence:
        write_due(app.home, found.sentence)
    return found


def look(app: App) -> "Due":
    """Whether a dream is due; changes nothing."""
    from reverie.dream.proposals.proposals import last_dreamt
    from reverie.learn.due import due as is_due

    last = last_dreamt(app.store.database)
    return is_due(app.store.database, last, app.marks.learned_at, app.clock(), app.settings.due)
