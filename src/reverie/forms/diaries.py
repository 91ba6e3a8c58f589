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


def diary_row(row: "DiaryRow") -> Form:
    """A diary in a list."""
    numbered = {"session": row.session, "task": row.number}
    return numbered | some(row, "project day title outcome path")


def diary(page: "DiaryPage") -> Form:
    """A diary with its text."""
    return {
        "path": page.row.path,
        "derived": page.derived,
        "diary": json.loads(page.row.data),
        "markdown": page.text,
    }


def diary_handed_in(handed: "HandedIn") -> Form:
    """An agent's own diary that is kept, and what was taken out of it."""
    return {
        "path": handed.memory.path,
        "version": handed.memory.version_id,
        "trust": handed.memory.trust,
        "redacted": handed.checked.redacted,
        "left_out": [{"pattern": text, "why": why} for text, why in handed.checked.left_out],
    }


def daily_entry(page: "DailyPage") -> Form:
    """A daily in a list."""
    return {"day": page.day, "path": page.path, "bytes": page.size}


def daily(page: "DailyPage", composed: "Daily | None") -> Form:
    """A daily with its text and what it was made from."""
    memory = page.memory
    return {
        "day": page.day,
        "path": page.path,
        "bytes": page.size,
        "version": memory.version if memory else 0,
        "updated_at": memory.updated_at if memory else None,
        "notes": page.notes,
        "text": page.content,
        "data": None if composed is None else _composed(composed),
    }


def daily_of_project(part: "ProjectDaily") -> Form:
    """What a daily holds of one project."""
    return some(part, "project day text") | {"data": _composed(part.daily)}


def _composed(summary: "Daily") -> Form:
    from reverie.documents.long_term import entry

    return {
        "projects": list(summary.projects),
        "sessions": [plain(stretch) for stretch in summary.stretches],
        "topics": list(summary.topics),
        "points": [some(point, "project text") for point in summary.points],
        "learnings": [
            {
                "text": entry(learned.document, learned.document.scope),
                "name": learned.document.name,
                "occasion": learned.occasion,
                "waiting": learned.waiting,
            }
            for learned in summary.learned
        ],
        "commits": [{"project": project, "commit": text} for project, text in summary.commits],
        "links": list(summary.links),
        "new_files": [{"project": project, "file": name} for project, name in summary.made],
    }
