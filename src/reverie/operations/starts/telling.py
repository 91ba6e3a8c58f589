"""Telling: what sessions were told at their start, entered in the ledger and found there again.

A hook has no time for a database: it leaves a note (`connect.spool`), and whoever comes next enters
it.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.errors import NotFound
from reverie.home import Home
from reverie.operations.recalling import ledger
from reverie.recall.ledger import LedgerEntry, Told

if TYPE_CHECKING:
    from reverie.recall.ledger import LedgerRow


def enter_told(home: Home) -> None:
    """Enter in the ledger what sessions were told; a note goes when it is entered."""
    for note in sorted((home.config.home / "spool" / "told").glob("*.json")):
        with suppress(FileNotFoundError):
            if entry := _told(note):
                ledger(home).enter(entry)
            note.unlink()


def told_to(home: Home, session: str) -> "list[LedgerRow]":
    """What a session was told at its start, by its id or the beginning of it.

    Raises:
        NotFound: nothing was told to such a session.
    """
    enter_told(home)
    bare = session.rpartition(":")[2]
    rows = [row for row in ledger(home).told() if bare and row.session.startswith(bare)]
    if not rows:
        raise NotFound(
            f"no session {session!r} was told anything at its start",
            hint="`reverie sessions list` shows those known",
        )
    return rows


def _told(file: Path) -> "Told | None":
    """What one note of a hook says; None when it is not one of ours."""
    try:
        record: Any = json.loads(file.read_text(encoding="utf-8"))
        note: Any = json.loads(record["note"])
        entries = tuple(
            LedgerEntry("digest", str(name), tuple(map(str, evidence)), int(size))
            for name, evidence, size in note["entries"]
        )
        # The name of a note begins with its time in nanoseconds.
        seconds = int(file.name.partition("-")[0]) / 1e9
        return Told(
            file.stem, seconds, str(record["session"]), str(note["project"]),
            int(note["characters"]), entries,
        )  # fmt: skip
    except (ValueError, KeyError, TypeError):
        return None
