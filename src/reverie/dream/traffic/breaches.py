"""Breaches: rules of linters and compilers that code written in many sessions did not keep."""

from collections import Counter
from collections.abc import Iterator, Sequence

from reverie.db.database import Database
from reverie.dream.model import Cost, Observation
from reverie.dream.traffic.tally import LEAST_CHANCE, observed, several
from reverie.learn.traffic.commands import VARYING, shortened
from reverie.sessions.traces import TraceRow, shared, traces

ALIKE = 0.5  # share of the words of a complaint that most of its wordings must have


# Misedits: edits that keep failing because the file is not what the agent takes it for.
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


def breaches(database: Database) -> Iterator[Observation]:
    """Rules that several sessions broke in one way."""
    found = ((row.trace.key, row) for row in traces(database, "breach"))
    for rule, rows, chance in several(found):
        message = shared_words([row.trace.data["message"] for row in rows])
        if message:
            yield from _broken(rule, message, rows, chance)


def shared_words(messages: Sequence[str]) -> str:
    """What the messages have in common, `…` where they differ; "" when that is too little."""
    cut = [message.split() for message in messages]
    counts = Counter(word for words in cut for word in set(words))
    least = len(cut) / 2
    first = min(cut, key=lambda words: (-sum(counts[word] for word in set(words)), words))
    kept = [word if counts[word] > least else VARYING for word in first]
    same = sum(word != VARYING for word in kept)
    if not kept or same < ALIKE * len(kept):
        return ""
    short = [word for place, word in enumerate(kept) if place == 0 or word != kept[place - 1]]
    return " ".join(short).replace("`", "'")


def _broken(
    rule: str, message: str, rows: Sequence[TraceRow], chance: float
) -> Iterator[Observation]:
    forms = Counter(row.trace.data["form"] for row in rows)
    check = min(forms, key=lambda form: (-forms[form], len(form), form))
    text = f"`{check}` stops again and again at {rule} (“{message}”): mind it while writing"
    for row in rows:
        yield observed(
            "breach",
            text,
            row,
            quote=f"{rule}: {row.trace.data['message']}",
            trust="tool",
            kind="error",
            type="feedback",
            cost=Cost(failed_calls=row.trace.failed, tokens=row.trace.tokens),
            chance=chance,
            detail={"rule": rule, "message": message, "check": check},
        )
