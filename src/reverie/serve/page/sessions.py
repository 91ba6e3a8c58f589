"""Sessions: found and read: what people said, what went wrong, what was handed over."""

from collections import Counter
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from reverie.errors import InvalidInput
from reverie.operations import recalling
from reverie.operations import sessions as operations
from reverie.operations.serving import browsing
from reverie.recall.ledger import LedgerRow
from reverie.serve.page.rendering import query, segment
from reverie.serve.page.site import Routes, Site, number
from reverie.sessions.corrections import CorrectionRow
from reverie.sessions.fixes import FixRow
from reverie.sessions.query import TurnRow

PAGE = 30
TURNS = 300  # of a session at once
_FILTERS = ("q", "project", "agent", "since", "until")
_MAP = 600.0  # height of the map of a session


class Shown(NamedTuple):
    """One turn as it is read."""

    turn: TurnRow
    sort: str  # "human", "agent", "call", "failure", "note"
    correction: CorrectionRow | None
    fix: FixRow | None  # what worked in its place, of a call that failed
    told: list[LedgerRow]  # what an agent was handed before the turn


class Mark(NamedTuple):
    """One place on the map of a session."""

    top: float
    height: float
    sort: str
    line: int
    title: str


class Sessions:
    """The list of sessions, and one of them."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.home = site.home

    def listed(self, request: Request) -> Response:
        asked = {name: request.query_params.get(name, "") for name in _FILTERS}
        first = number(request.query_params.get("from", ""))
        latest, hits = [], []
        if self.home.config.has_index:
            filters = {name: asked[name] or None for name in ("agent", "project", "since", "until")}
            if asked["q"]:
                hits = operations.search(self.home, asked["q"], **filters, limit=PAGE)
            else:
                latest = browsing.latest_sessions(self.home, **filters, first=first, limit=PAGE + 1)
        return self.site.page(
            request,
            "sessions",
            "sessions",
            "Sessions",
            found=latest[:PAGE],
            hits=hits,
            asked=asked,
            before=query({**asked, "from": max(0, first - PAGE)}) if first else "",
            after=query({**asked, "from": first + PAGE}) if len(latest) > PAGE else "",
            projects=sorted(project.slug for project in self.home.projects.all()),
            agents=browsing.agents(self.home) if self.home.config.has_index else [],
            place_of=place_of,
        )

    def read(self, request: Request) -> Response:
        session = request.path_params["session"]
        transcript = operations.transcript(self.home, session)
        line = number(request.query_params.get("line", ""))
        turns = transcript.turns
        at = next((place for place, turn in enumerate(turns) if turn.line >= line), 0)
        first = at // TURNS * TURNS
        part = turns[first : first + TURNS]
        corrections = {
            row.line: row for row in browsing.corrections_in(self.home, transcript.session.key)
        }
        handed = recalling.ledger(self.home).rows(session=transcript.session.session_id)
        fixes = {row.line: row for row in browsing.fixes_in(self.home, transcript.session.key)}
        shown, rest = _shown(part, corrections, fixes, _of_part(handed, turns, first))
        if not turns:
            raise InvalidInput("nothing of what was said in it is known")
        return self.site.page(
            request,
            "session",
            "sessions",
            transcript.session.about or "A session",
            session=transcript.session,
            shown=shown,
            rest=rest if first + TURNS >= len(turns) else [],
            tasks=(tasks := browsing.diaries_in(self.home, transcript.session.key)),
            diaries={task.path: browsing.diary_text(self.home, task) for task in tasks},
            corrections=list(corrections.values()),
            counts=Counter(_sort(turn) for turn in turns),
            marks=_marks(turns, corrections),
            place=place_of(transcript.session.key),
            chosen=line if "line" in request.query_params else None,
            map_height=_MAP,
            before=turns[first - TURNS].line if first else None,
            after=turns[first + TURNS].line if first + TURNS < len(turns) else None,
            whole=len(turns),
            first=first,
            told=handed,
        )

    def routes(self) -> Routes:
        return [
            Route("/sessions", self.listed),
            Route("/sessions/{session}", self.read),
        ]


def place_of(key: str) -> str:
    """Where a session is read."""
    return f"/sessions/{segment(key)}"


def _sort(turn: TurnRow) -> str:
    if turn.role == "human":
        return "human"
    if turn.role == "tool":
        return "failure"  # of results only those that failed are kept
    return "call" if turn.kind == "tool_call" else "agent" if turn.role == "agent" else "note"


def _of_part(handed: list[LedgerRow], turns: list[TurnRow], first: int) -> list[LedgerRow]:
    """What was handed over from the turn before a part on, in order."""
    since = turns[first - 1].at if first else ""
    return sorted((row for row in handed if row.at > (since or "")), key=lambda row: row.at)


def _shown(
    turns: list[TurnRow],
    corrections: dict[int, CorrectionRow],
    fixes: dict[int, FixRow],
    handed: list[LedgerRow],
) -> tuple[list[Shown], list[LedgerRow]]:
    """Turns with what belongs to each; what was handed over stands before the turn after it.

    What nobody said anything after is left over.
    """
    shown: list[Shown] = []
    for turn in turns:
        before = [row for row in handed if turn.at and row.at <= turn.at]
        handed = handed[len(before) :]
        fix = fixes.get(turn.line)
        shown.append(Shown(turn, _sort(turn), corrections.get(turn.line), fix, before))
    return shown, handed


def _marks(turns: list[TurnRow], corrections: dict[int, CorrectionRow]) -> list[Mark]:
    """Where on the map people spoke, corrected, and things failed."""
    height = _MAP / max(1, len(turns))
    mark = max(3.0, min(height, 8.0))
    marks: list[Mark] = []
    for place, turn in enumerate(turns):
        sort = _sort(turn)
        if turn.line in corrections:
            sort = "correction"
        if sort in ("human", "correction", "failure"):
            title = " ".join(turn.text.split())[:80] or sort
            marks.append(Mark(round(place * height, 1), mark, sort, turn.line, title))
    return marks
