"""Misedits: edits that keep failing because the file is not what the agent takes it for."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.db.database import Database
from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, observed
from reverie.learn.traffic.commands import shortened
from reverie.sessions.traces import TraceRow, shared, traces

MISSES = 0.1  # share of editing sessions in which an edit misses by accident
MAX_MESSAGE = 90
NAMED = 0.25  # share of the failed edits that a file must have to be named


def misedits(database: Database) -> Iterator[Observation]:
    """Ways in which edits of many sessions failed."""
    working = sum(1 for _ in traces(database, "edited"))
    chance = max(LEAST_CHANCE, MISSES * working)
    for rows in shared(database, "misedit"):
        if len(rows) > chance:
            yield from _missed(rows, chance)


def _missed(rows: Sequence[TraceRow], chance: float) -> Iterator[Observation]:
    data = rows[0].trace.data
    message = shortened(data["message"], MAX_MESSAGE).replace("`", "'").rstrip(".")
    calls = sum(row.trace.failed for row in rows)
    text = f"`{data['tool']}` fails again and again with “{message}” ({calls} calls)"
    files = Counter(file for row in rows for file in row.trace.data["files"])
    often = min(files, key=lambda file: (-files[file], file), default="")
    if often and files[often] >= NAMED * calls:
        text += f", most often in `{often}`"
    text += ": look at the exact text, its tabs and line ends, right before an edit"
    for row in rows:
        yield observed(
            "misedit",
            text,
            row,
            quote=f"{row.trace.failed} failed: {row.trace.data['message']}",
            trust="tool",
            kind="error",
            type="feedback",
            cost=Cost(failed_calls=row.trace.failed, tokens=row.trace.tokens),
            chance=chance,
            detail={"message": message, "files": sorted(files)},
        )
