"""Records: the machine contract of `reverie learn --dry-run --logs DIR --json`."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from reverie.config import Learn
from reverie.errors import Unavailable
from reverie.learn.judge import Judge, Judgement
from reverie.sessions.discover import LogFile, Skipped, logs_in
from reverie.sessions.model import Head
from reverie.sessions.readers import by_agent
from reverie.sessions.turns import spoken_records

DIGITS = 4


def judged_records(
    folder: Path,
    settings: Learn | None = None,
    skipped: Callable[[Skipped], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Every human turn under a folder with its verdicts, by path and then in order. Writes nothing.

    Raises:
        NotFound: there is no such folder.
    """
    found = logs_in(folder)
    if skipped:
        for item in found.skipped:
            skipped(item)
    yield from judged_logs(found.logs, Judge.load(settings or Learn()), skipped)


def judged_logs(
    logs: Iterable[LogFile],
    judge: Judge,
    skipped: Callable[[Skipped], None] | None = None,
    wanted: Callable[[Head], bool] | None = None,
) -> Iterator[dict[str, Any]]:
    """As `judged_records`, for logs found elsewhere and sessions that are `wanted`."""
    told: set[tuple[str, str, str]] = set()
    for log in logs:
        transcript = by_agent(log.agent).open(log.path, part=log.part)
        try:
            turns = list(transcript)
        except (Unavailable, OSError) as error:
            if skipped:
                skipped(Skipped(log.path, str(error)))
            continue
        if wanted and not wanted(transcript.head):
            continue
        judged = judge.session(turns)
        spoken = [turns[judgement.turn_index] for judgement in judged]
        for place, record in spoken_records(transcript, log.relative, spoken, told):
            yield {**record, **verdicts(judged[place])}


def verdicts(judgement: Judgement) -> dict[str, Any]:
    """The two verdicts as the contract spells them; null where there is nothing to say."""
    correction, durable = judgement.correction, judgement.durable
    return {
        "correction": {
            "score": round(correction.score, DIGITS),
            "label": correction.label,
            "premise": correction.premise.text if correction.premise else None,
            "premise_line": correction.premise.line if correction.premise else None,
            "span": correction.span or None,
        },
        "durable": {
            "score": round(durable.score, DIGITS),
            "label": durable.label,
            "write": durable.write,
            "type": durable.type or None,
            "kind": durable.kind or None,
            "lesson": durable.lesson or None,
        },
        "standing": judgement.standing,
        "confirms": judgement.confirms,
    }
