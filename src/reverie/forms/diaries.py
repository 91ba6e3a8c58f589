"""JSON forms of diaries and dailies."""

import json
from typing import TYPE_CHECKING

from reverie.forms import Form, plain, some

if TYPE_CHECKING:
    from reverie.learn.daily.dailies import DailyPage
    from reverie.learn.daily.daily import Daily
    from reverie.learn.diary.diaries import DiaryPage
    from reverie.learn.diary.handed_in import HandedIn
    from reverie.operations.diaries import ProjectDaily
    from reverie.sessions.diaries import DiaryRow


def diary_row(found: "DiaryRow") -> Form:
    """A diary in a list."""
    numbered = {"session": found.session, "task": found.number}
    return numbered | some(found, "project day title outcome path")


def diary(found: "DiaryPage") -> Form:
    """A diary with its text."""
    return {
        "path": found.row.path,
        "derived": found.derived,
        "diary": json.loads(found.row.data),
        "markdown": found.text,
    }


def diary_handed_in(found: "HandedIn") -> Form:
    """An agent's own diary that is kept, and what was taken out of it."""
    return {
        "path": found.memory.path,
        "version": found.memory.version_id,
        "trust": found.memory.trust,
        "redacted": found.checked.redacted,
        "left_out": [{"pattern": text, "why": why} for text, why in found.checked.left_out],
    }


def daily_entry(found: "DailyPage") -> Form:
    """A daily in a list."""
    return {"day": found.day, "path": found.path, "bytes": found.size}


def daily(found: "DailyPage", composed: "Daily | None") -> Form:
    """A daily with its text and what it was made from."""
    memory = found.memory
    return {
        "day": found.day,
        "path": found.path,
        "bytes": found.size,
        "version": memory.version if memory else 0,
        "updated_at": memory.updated_at if memory else None,
        "notes": found.notes,
        "text": found.content,
        "data": None if composed is None else _composed(composed),
    }


def daily_of_project(found: "ProjectDaily") -> Form:
    """What a daily holds of one project."""
    return some(found, "project day text") | {"data": _composed(found.daily)}


def _composed(found: "Daily") -> Form:
    from reverie.documents.long_term import entry

    return {
        "projects": list(found.projects),
        "sessions": [plain(stretch) for stretch in found.stretches],
        "topics": list(found.topics),
        "points": [some(point, "project text") for point in found.points],
        "learnings": [
            {
                "text": entry(learned.document, learned.document.scope),
                "name": learned.document.name,
                "occasion": learned.occasion,
                "waiting": learned.waiting,
            }
            for learned in found.learned
        ],
        "commits": [{"project": project, "commit": text} for project, text in found.commits],
        "links": list(found.links),
        "new_files": [{"project": project, "file": name} for project, name in found.made],
    }
