"""The copies of its memories that a home makes by itself: one a day, the last few days."""

import glob
import os

from reverie.errors import ReverieError
from reverie.home import Home


def backups(home: Home) -> list[str]:
    """The backups a home has made by itself, newest first."""
    from reverie.db.backups import FOLDER

    names = glob.glob(str(home.config.home / FOLDER / f"{home.config.memory_db.stem}-*.db*"))
    whole = [name for name in names if name.endswith((".db", ".db.zst"))]
    return sorted(whole, key=lambda name: (os.stat(name).st_mtime_ns, name), reverse=True)


def back_up_daily(home: Home) -> None:
    """Keep a copy of the memories, at most one a day and only so many; see `store.backups`.

    A full disk must not undo what was learned: `doctor` says how old the newest copy is.
    """
    from reverie.db.backups import rotate

    if home.config.database_url or not home.exists or home.settings.store.backups < 1:
        return
    try:
        rotate(home.database, home.clock, home.settings.store.backups)
    except (OSError, ReverieError):
        return
