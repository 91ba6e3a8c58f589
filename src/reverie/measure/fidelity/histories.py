"""Histories: sessions of several projects that one memory learned as if they were of one.

The questions of a project are asked of its own sessions and of others drawn by the seed, so many
that a pool has the size asked for. A project with more sessions than that is cut into pools.
"""

import os
import random
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from reverie.clock import parse_iso
from reverie.errors import InvalidInput
from reverie.home import Home, part
from reverie.measure.fidelity.questions import Question
from reverie.operations import learning
from reverie.sessions.logs.discover import logs_under
from reverie.sessions.projects import ProjectId
from reverie.sessions.registry import Projects

SLUG = "history"
# Read at a moment when every session is over.
_LATER = datetime(2200, 1, 1, tzinfo=UTC)
_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Pool:
    """Logs that make up one history, and the questions that are asked of it."""

    name: str  # its size, or `all`
    logs: tuple[str, ...]  # below the corpus
    questions: tuple[Question, ...]


class Said(NamedTuple):
    """One turn of a history."""

    session: str
    line: int
    role: str
    at: str
    text: str


def pools(
    corpus: Path, questions: Sequence[Question], sizes: Sequence[int | None], seed: int
) -> list[Pool]:
    """The histories of every size, smallest first; None, and what all logs do not fill, is all.

    Raises:
        InvalidInput: no question belongs to a log of the corpus.
    """
    # As the labels name them, wherever one stands.
    root = corpus.resolve()
    logs = sorted(log.path.resolve().relative_to(root).as_posix() for log in logs_under(root))
    asked = [question for question in questions if question.transcript in set(logs)]
    if not asked:
        raise InvalidInput(f"no question belongs to a log of {corpus}")
    histories: list[Pool] = []
    for size in sorted({min(size or len(logs), len(logs)) for size in sizes}):
        if size == len(logs):
            histories.append(Pool("all", tuple(logs), tuple(asked)))
        else:
            histories += _cut(logs, asked, size, seed)
    return histories


def _cut(logs: Sequence[str], asked: Sequence[Question], size: int, seed: int) -> list[Pool]:
    histories: list[Pool] = []
    for project in sorted({question.project for question in asked}):
        dice = random.Random(f"{seed} {size} {project}")  # noqa: S311  (a sample, not a secret)
        project_logs = [log for log in logs if _project(log) == project]
        others = [log for log in logs if _project(log) != project]
        dice.shuffle(project_logs)
        dice.shuffle(others)
        for start in range(0, len(project_logs), size):
            piece = project_logs[start : start + size]
            rest = [log for log in project_logs if log not in piece] + others
            chosen = sorted([*piece, *rest[: size - len(piece)]])
            mine = tuple(question for question in asked if question.transcript in piece)
            if mine:
                histories.append(Pool(str(size), tuple(chosen), mine))
    return histories


def _project(log: str) -> str:
    return log.partition("/")[0] if "/" in log else ""


class _OneProject(Projects):
    """Every session is of the same project."""

    def identify(self, cwd: str, remote: str = "", branch: str = "") -> ProjectId:
        return ProjectId(SLUG, "")

    def is_guess(self, cwd: str, remote: str = "") -> bool:
        return False


def projects(home: Home) -> Projects:
    """One, whatever the logs say."""
    return _OneProject.open(home.config.home / "projects.json")


class HistoryHome(Home):
    """A home that holds one history."""

    projects = part(projects)

    @property
    def stores(self) -> tuple[str, ...]:
        """Ids of all there are."""
        return tuple(info.id for info in self.store.stores())

    def said(self) -> list[Said]:
        """What was said in the history by a person or an agent, oldest session first."""
        rows = sorted(self.index.sessions(), key=lambda row: (row.started, row.key))
        return [
            Said(row.key, turn.line, turn.role, turn.at, turn.text)
            for row in rows
            for turn in self.index.turns(row.key)
            if turn.role in ("human", "agent") and turn.text and not turn.copied
        ]


@contextmanager
def learned(corpus: Path, pool: Pool) -> Generator[HistoryHome]:
    """A scratch home into which the logs of a pool were learned; now is a day after the last."""
    now = [_LATER]
    with tempfile.TemporaryDirectory(prefix="reverie-") as scratch:
        environ = {"HOME": scratch, "PATH": os.defpath}
        home = HistoryHome.open(
            Path(scratch) / "home", folder=scratch, environ=environ, clock=lambda: now[0]
        )
        with home:
            wanted = {str(corpus.resolve() / log) for log in pool.logs}
            files = [log for log in home.logs(corpus.resolve()).logs if str(log.path) in wanted]
            with learning.alone(home) as keep:
                learning.learner(home, keep).read(files)
            last = max((row.ended for row in home.index.sessions()), default="")
            if last:
                now[0] = parse_iso(last) + _AFTER
            with learning.alone(home) as keep:
                learning.learner(home, keep).learn(files)
            yield home
