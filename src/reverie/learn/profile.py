"""The user's profile as it is by now: what the index knows of their work, what they said of it.

Projects, system, agents and tools are read off the sessions whenever the page is asked for, so they
are never out of date and nobody is asked about them. What a person said about themselves is kept in
memories; the same said in several sessions is told once.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from reverie.clock import iso
from reverie.data import word_sets
from reverie.db.database import Database
from reverie.documents.document import Document
from reverie.language.compare import relation
from reverie.plural import several
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import last_diary
from reverie.sessions.query import SessionRow, sessions
from reverie.sessions.traces import traces

CURRENT = timedelta(days=30)  # since somebody last worked on a project
MOST_PROJECTS = 8
MOST_TOOLS = 12
OFTEN = 2  # sessions that used a tool
MAX_TITLE = 90
SAID = ("about-me", "preferences")  # parts that only the person's words fill

_NO_TOOLS = (
    word_sets("long-term.txt", "profile").no_tools
    | word_sets("traffic.txt", "sequences").everyday
    | word_sets("traffic.txt", "commands").readers
)
_PROGRAM = re.compile(r"[a-z][\w.+-]*(?= |$)")
_SYSTEMS = (
    (re.compile(r"/Users/"), "macOS"),
    (re.compile(r"/(?:home|root)\b"), "Linux"),
    (re.compile(r"[A-Za-z]:[\\/]"), "Windows"),
)


def current_projects(database: Database, now: datetime) -> list[str]:
    """The projects that were worked on lately, the latest first; else the last one."""
    by_project: dict[str, list[SessionRow]] = {}
    for row in sessions(database):
        if row.project:
            by_project.setdefault(row.project, []).append(row)
    ordered = sorted(by_project, key=lambda name: (_last(by_project[name]), name), reverse=True)
    since = iso(now - CURRENT)
    recent = [name for name in ordered if _last(by_project[name]) >= since] or ordered[:1]
    return [_project(database, name, by_project[name]) for name in recent[:MOST_PROJECTS]]


def _last(rows: Iterable[SessionRow]) -> str:
    return max(row.ended for row in rows)


def _project(database: Database, name: str, rows: Sequence[SessionRow]) -> str:
    last = last_diary(database, name)
    title = " ".join(last.title.split()) if last else ""
    short = title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"
    about = f": {short} → {last.outcome}" if last and short else ""
    return f"- **{name}** ({several(len(rows), 'session')}, last on {_last(rows)[:10]}){about}"


def environment(database: Database) -> list[str]:
    """Systems, agents and tools, each with the sessions that say so."""
    rows = sessions(database)
    systems = Counter(name for row in rows if (name := _system(row.cwd)))
    agents = Counter(row.agent for row in rows)
    newest = {row.agent: row.version for row in sorted(rows, key=lambda row: row.ended)}
    named = Counter({f"{name} {newest[name]}".strip(): count for name, count in agents.items()})
    tools: Counter[str] = Counter()
    for row in traces(Chosen(database), "runs"):
        forms = [str(form) for form, _ in row.trace.data]
        tools.update({match[0] for form in forms if (match := _PROGRAM.match(form))})
    used = Counter(
        {n: times for n, times in tools.items() if times >= OFTEN and n not in _NO_TOOLS}
    )
    parts = (("System", systems), ("Agents", named), ("Tools", used))
    return [f"- {what}: {_told(counts)}" for what, counts in parts if counts]


def _system(cwd: str) -> str:
    return next((name for shape, name in _SYSTEMS if shape.match(cwd)), "")


def _told(counts: Counter[str]) -> str:
    ranked = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_TOOLS]
    return ", ".join(f"{name} ({counts[name]})" for name in ranked)


def merged(documents: Iterable[Document]) -> list[Document]:
    """The memories; of what a person said of themselves in several sessions only the latest."""
    kept: list[Document] = []
    for document in sorted(documents, key=lambda memory: (memory.dated, memory.name), reverse=True):
        said = document.section in SAID
        alike = (place for place, later in enumerate(kept) if said and _same(later, document))
        if (place := next(alike, None)) is None:
            kept.append(document)
        else:
            later = kept[place]
            support = len({*later.evidence, *document.evidence})
            kept[place] = replace(later, support=max(support, later.support))
    return kept


def _same(document: Document, other: Document) -> bool:
    same_section = document.section == other.section
    return same_section and relation(document.description, other.description) == "same"
