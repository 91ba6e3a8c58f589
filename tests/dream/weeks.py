"""Weeks of scripted sessions, one a day, and what a dream would see of their tool traffic."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from tests.databases import scratch_index
from tests.learn.scripts import judged, played

from reverie.clock import iso, parse_iso
from reverie.db.database import Database
from reverie.dream.model import Observation
from reverie.dream.steps.gather import traffic
from reverie.learn.diary.diaries import written_up
from reverie.learn.diary.tasks import tasks
from reverie.learn.traffic.traces import traces
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import replace_diaries
from reverie.sessions.fixes import replace_fixes
from reverie.sessions.index import SessionRead
from reverie.sessions.model import Head, Turn, session_key
from reverie.sessions.projects import ProjectId
from reverie.sessions.traces import replace_traces

PROJECT = ProjectId("app", "/w/app", "")


def session(number: int, turns: list[Turn], project: ProjectId = PROJECT) -> SessionRead:
    """A session of day `number`."""
    later = [
        turn._replace(at=iso(parse_iso(turn.at) + timedelta(days=number))) if turn.at else turn
        for turn in turns
    ]
    head = Head("claude-code", f"s{number:04d}", project.root)
    key = session_key(head.agent, head.session_id)
    return SessionRead(head, later, project, Path(f"{key}.jsonl"), key, grown=False)


def kept(sessions: Iterable[SessionRead]) -> Database:
    """An index that holds what is kept of the sessions."""
    database = scratch_index()
    with database.atomic():
        for one in sessions:
            replace_traces(database, one.key, one.project.slug, traces(one))
            found = judged(one.turns)
            corrected = {j.turn_index for j in found if j.correction.label != "none"}
            diaries, fixes = written_up(one, found, tasks(one.turns, corrected))
            replace_diaries(database, one.key, diaries)
            replace_fixes(database, one.key, fixes)
    return database


def weeks(*scripts: str) -> Database:
    """One session per script, a day after each other."""
    return kept(session(number, played(script)) for number, script in enumerate(scripts))


def seen(database: Database, source: str) -> dict[str, list[Observation]]:
    """What the traffic shows of one source: text → its observations."""
    found: defaultdict[str, list[Observation]] = defaultdict(list)
    for observation in traffic(Chosen(database)):
        if observation.source == source:
            found[observation.text].append(observation)
    return dict(found)
