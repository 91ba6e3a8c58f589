"""How much of what a model wrote about a session our diaries of it hold.

A weak measure: the share of a statement's content words that the diary has. So two bounds are
given beside it: the diary of another session (what chance and a shared vocabulary give), and all
the words of the log itself (what a diary could reach at most). Summaries lie beside the logs as
`<log>.meta.json`, in `_summaries[].summary`: intent, outcome, learnings, friction.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from reverie.config import Learn
from reverie.errors import NotFound
from reverie.language.words import content, words
from reverie.learn.detect.judge import Judge
from reverie.learn.diary.account import account
from reverie.learn.diary.tasks import tasks
from reverie.learn.diary.text import broken, markdown
from reverie.measure.result import (
    SEED,
    Measurement,
    Row,
    Table,
    bootstrap,
    fingerprint,
)
from reverie.sessions.discover import logs_in
from reverie.sessions.model import Turn, session_key
from reverie.sessions.readers.agents import by_agent

COVERED = 0.5  # share of content words from which a statement counts as covered
PARTS = ("intent", "outcome", "repo", "code", "workflow", "friction", "open_items")


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing a summary says."""

    log: str
    part: str
    text: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Compared:
    """The shares of a statement's words that three texts hold."""

    statement: Statement
    ours: float
    other: float  # the diary of the session before in the list
    log: float


@dataclass(slots=True)
class _WrittenUp:
    """What was counted on the way."""

    sessions: int = 0
    diaries: int = 0
    characters: int = 0
    broken: int = 0  # invariants
    summarised: int = 0


def measure_diaries(corpus: Path, *, seed: int = SEED) -> Measurement:
    """Write up every log under `corpus` and compare with the summaries beside them.

    Raises:
        NotFound: no log there has a summary.
    """
    counted = _WrittenUp()
    compared: list[Compared] = []
    judge = Judge.load(Learn())
    other: frozenset[str] = frozenset()
    logs = logs_in(corpus).logs
    for log in logs:
        transcript = by_agent(log.agent).open(log.path, part=log.part)
        turns = transcript.read()
        key = session_key(log.agent, transcript.head.session_id)
        own = content(words(_written_up(turns, key, judge, counted)))
        statements = list(_statements(log.path, log.relative))
        if statements and other:
            said = content(words(" ".join(_told(turns))))
            counted.summarised += 1
            compared += [
                Compared(
                    one, *(len(one.words & text) / len(one.words) for text in (own, other, said))
                )
                for one in statements
            ]
        other = own or other
    if not compared:
        raise NotFound(f"no log under {corpus} has a summary beside it")
    missed = sorted(
        (one for one in compared if one.ours < COVERED),
        key=lambda one: (one.ours, one.statement.log, one.statement.text),
    )
    return Measurement(
        "diaries",
        (_table(compared, seed),),
        seed=seed,
        data={corpus.resolve().name: fingerprint(*{log.path for log in logs})},
        notes=(
            f"{counted.diaries} diaries of {counted.sessions} sessions,"
            f" {counted.characters // max(1, counted.diaries)} characters each,"
            f" {counted.broken} break an invariant; {counted.summarised} sessions have summaries",
            "intervals over sessions",
        ),
        records=tuple(
            {
                "share": round(one.ours, 2),
                "part": one.statement.part,
                "log": one.statement.log,
                "text": one.statement.text,
            }
            for one in missed
        ),
    )


def _table(compared: Sequence[Compared], seed: int) -> Table:
    rows: list[Row] = []
    for part in dict.fromkeys(one.statement.part for one in compared):
        found = [one for one in compared if one.statement.part == part]
        logs = [one.statement.log for one in found]
        shares = (
            [one.ours for one in found],
            [one.other for one in found],
            [one.log for one in found],
            [float(one.ours >= COVERED) for one in found],
        )
        estimates = (bootstrap(values, logs, seed=seed) for values in shares)
        rows.append(Row(part, (*estimates, len(found))))
    columns = ("diary", "another's diary", "whole log", "half covered", "statements")
    return Table("Words of a summary that the diary holds", columns, tuple(rows))


def _written_up(turns: list[Turn], key: str, judge: Judge, counted: _WrittenUp) -> str:
    judged = judge.session(turns)
    split = tasks(turns, {j.turn_index for j in judged if j.correction.label != "none"})
    texts: list[str] = []
    for task in split:
        diary, _ = account(turns, task, judged, key, "", len(split))
        counted.broken += bool(broken(turns, task, diary))
        texts.append(markdown(diary))
    counted.sessions += 1
    counted.diaries += len(texts)
    counted.characters += sum(map(len, texts))
    return "\n".join(texts)


def _told(turns: list[Turn]) -> Iterator[str]:
    for turn in turns:
        yield turn.text
        if turn.tool is not None:
            yield from (value for value in turn.tool.input.values() if isinstance(value, str))


def _statements(path: Path, log: str) -> Iterator[Statement]:
    beside = path.with_name(path.name.split(".")[0] + ".meta.json")
    if not beside.is_file():
        return
    meta: dict[str, Any] = json.loads(beside.read_bytes())
    for entry in cast("list[dict[str, Any]]", meta.get("_summaries") or []):
        for part, text in _parts(entry.get("summary") or {}):
            found = content(words(text))
            if len(found) > 2:
                yield Statement(log, part, text, found)


def _parts(summary: dict[str, Any]) -> Iterator[tuple[str, str]]:
    learnings = cast("dict[str, Any]", summary.get("learnings") or {})
    for part in PARTS:
        value: Any = summary.get(part, learnings.get(part)) or []
        items = cast("list[Any]", value if isinstance(value, list) else [value])
        for item in items:
            if isinstance(item, dict):
                found = cast("dict[str, Any]", item)
                yield part, f"{found.get('path', '')} {found.get('finding', '')}"
            else:
                yield part, str(item)
