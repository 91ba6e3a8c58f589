"""A store as a folder of files: what is in it, one pass over it, merging, who really wrote."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.db.database import Database


def any_mount(database: "Database") -> bool:
    """Whether any folder shows a store, on whatever machine.

    Here, because every command asks this first, and most find none.
    """
    return bool(database.query("SELECT 1 FROM mounts LIMIT 1"))
