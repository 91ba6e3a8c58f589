"""Where each session stood when it was last extracted, and what the agent saved by itself there.

Hooks leave one file per project, `$REVERIE_HOME/spool/<project>/stretches`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Ranges = tuple[tuple[int, int], ...]  # of bytes of a log


def stretches_file(spool: Path) -> Path:
    """The file of one project's spool."""
    # Not `.json`: that is what the staged files are told by.
    return spool / "stretches"


def stretches(spool: Path) -> dict[str, Any]:
    """Log path → its `end` and `saved` ranges; nothing when the file is not there or not ours."""
    try:
        return json.loads(stretches_file(spool).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def saved_ranges(home: Path) -> Mapping[str, Ranges]:
    """Log path → byte ranges in which the agent saved memory itself, over all projects."""
    saved: dict[str, Ranges] = {}
    folder = home / "spool"
    for project in sorted(folder.iterdir()) if folder.is_dir() else []:
        for transcript, state in stretches(project).items():
            if state["saved"]:
                saved[transcript] = tuple((int(a), int(b)) for a, b in state["saved"])
    return saved
