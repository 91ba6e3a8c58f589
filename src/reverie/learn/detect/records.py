"""Records: the machine contract of `reverie learn --dry-run --logs DIR --json`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from reverie.learn.detect.judge import Judge, Judgement
from reverie.sessions.logs.discover import LogFile
from reverie.sessions.model import Head
from reverie.sessions.turns import Tell, Told, each_log

DIGITS = 4


class Judged(NamedTuple):
    """The human turns of some logs, each with its verdicts, judged as they are asked for."""

    logs: int
    turns: Iterator[dict[str, Any]]


def judged_logs(
    logs: Iterable[LogFile],
    judge: Judge,
    skipped: Tell | None = None,
    wanted: Callable[[Head], bool] | None = None,
) -> Iterator[dict[str, Any]]:
    """Every human turn of logs with its verdicts, of sessions that are `wanted`; writes nothing."""
    history = Told()
    for log, transcript, turns in each_log(logs, skipped):
        if wanted and not wanted(transcript.head):
            continue
        judged = judge.session(turns)
        spoken = [turns[judgement.turn_index] for judgement in judged]
        for place, record in history.records(transcript, log.relative, spoken):
            yield {**record, **verdicts(judged[place])}


def verdicts(judgement: Judgement) -> dict[str, Any]:
    """The two verdicts as the contract spells them; null where there is nothing to say."""
    correction, best = judgement.correction, judgement.best
    return {
        "correction": {
            "score": round(correction.score, DIGITS),
            "label": correction.label,
            "premise": correction.premise.text if correction.premise else None,
            "premise_line": correction.premise.line if correction.premise else None,
            "span": correction.span or None,
        },
        "durable": {
            "score": round(judgement.worth, DIGITS),
            "label": "none" if best is None else "global" if best.shared else "project",
            "write": best is not None and best.sure,
            "type": best.type if best else None,
            "kind": best.kind if best else None,
            "lesson": best.rule if best else None,
            "why": (best.why or None) if best else None,
            "quote": best.quote if best else None,
        },
        "standing": best is not None and best.standing,
        "confirms": judgement.confirms,
    }
