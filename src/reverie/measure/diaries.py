"""How much of what a model wrote about a session our diaries of it hold.

A weak measure: the share of a statement's content words that the diary has. So two bounds are
given beside it: the diary of another session (what chance and a shared vocabulary give), and all
the words of the log itself (what a diary could reach at most). Summaries lie beside the logs as
`<log>.meta.json`, in `_summaries[].summary`: intent, outcome, learnings, friction.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from reverie.config import Learn
from reverie.errors import NotFound
from reverie.language.words import content, words
from reverie.learn.detect.judge import Judge
from reverie.learn.diary.account import account
from reverie.learn.diary.tasks import tasks
from reverie.learn.diary.text import broken, markdown
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


@dataclass(slots=True)
class Part:
    """One part of all summaries: means of the shares, and how many statements are covered."""

    statements: int = 0
    ours: float = 0.0
    other: float = 0.0  # the diary of the session before in the list
    log: float = 0.0
    covered: int = 0


@dataclass(slots=True)
class DiariesReport:
    """What `measure_diaries` found."""

    sessions: int = 0
    diaries: int = 0
    characters: int = 0
    broken: int = 0  # invariants
    summarised: int = 0
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    misses: list[tuple[float, Statement]] = field(default_factory=list[tuple[float, Statement]])


def measure_diaries(corpus: Path) -> DiariesReport:
    """Write up every log under `corpus` and compare with the summaries beside them.

    Raises:
        NotFound: no log there has a summary.
    """
    report = DiariesReport()
    judge = Judge.load(Learn())
    other: frozenset[str] = frozenset()
    for log in logs_in(corpus).logs:
        transcript = by_agent(log.agent).open(log.path, part=log.part)
        turns = transcript.read()
        key = session_key(log.agent, transcript.head.session_id)
        own = content(words(_written_up(turns, key, judge, report)))
        statements = list(_statements(log.path, log.relative))
        if statements and other:
            said = content(words(" ".join(_told(turns))))
            report.summarised += 1
            for statement in statements:
                _count(report, statement, own, other, said)
        other = own or other
    if not report.summarised:
        raise NotFound(f"no log under {corpus} has a summary beside it")
    for part in report.parts.values():
        part.ours /= part.statements
        part.other /= part.statements
        part.log /= part.statements
    report.misses.sort(key=lambda miss: (miss[0], miss[1].log, miss[1].text))
    return report


def _written_up(turns: list[Turn], key: str, judge: Judge, report: DiariesReport) -> str:
    judged = judge.session(turns)
    split = tasks(turns, {j.turn_index for j in judged if j.correction.label != "none"})
    texts: list[str] = []
    for task in split:
        diary, _ = account(turns, task, judged, key, "", len(split))
        report.broken += bool(broken(turns, task, diary))
        texts.append(markdown(diary))
    report.sessions += 1
    report.diaries += len(texts)
    report.characters += sum(map(len, texts))
    return "\n".join(texts)


def _told(turns: list[Turn]) -> Iterator[str]:
    for turn in turns:
        yield turn.text
        if turn.tool is not None:
            yield from (value for value in turn.tool.input.values() if isinstance(value, str))


def _count(
    report: DiariesReport,
    statement: Statement,
    own: frozenset[str],
    other: frozenset[str],
    said: frozenset[str],
) -> None:
    part = report.parts.setdefault(statement.part, Part())
    size = len(statement.words)
    share = len(statement.words & own) / size
    part.statements += 1
    part.ours += share
    part.other += len(statement.words & other) / size
    part.log += len(statement.words & said) / size
    part.covered += share >= COVERED
    if share < COVERED:
        report.misses.append((round(share, 2), statement))


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
