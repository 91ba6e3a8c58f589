"""JSON forms of what is kept: memories, stores, sessions, projects, and the state of things."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from _typeshed import DataclassInstance

    from reverie.imports.run import Imported, Undone
    from reverie.imports.write_back import WrittenBack
    from reverie.measure.diaries import Statement
    from reverie.mounts.sync import Report
    from reverie.mounts.table import Mount
    from reverie.mounts.transfer import Exported, Loaded
    from reverie.operations.checking import Finding
    from reverie.operations.figures import Costs, Engine, Helped
    from reverie.operations.history import Difference
    from reverie.operations.memories import Reasons
    from reverie.operations.projects import Merged, ProjectView, Reindexed, Worked
    from reverie.operations.sessions import Dropped, KeptLogs, PendingDay, Stretch, Transcript
    from reverie.operations.status import Status
    from reverie.operations.transfer import Page
    from reverie.sessions.query import SessionRow, TurnHit
    from reverie.sessions.registry import Project
    from reverie.store.copying import Copied
    from reverie.store.library import Item
    from reverie.store.model import Attachment, StoreInfo, Version

Form = dict[str, Any]

# --- memories and stores ------------------------------------------------------------------------


def item(found: "Item") -> Form:
    """A memory, without its text."""
    memory, document = found.memory, found.document
    return {
        "id": memory.id,
        "name": found.name,
        "store": found.store,
        "path": memory.path,
        "title": document.title,
        "description": document.description,
        "type": document.type or None,
        "kind": document.kind or None,
        "scope": document.scope or None,
        "section": document.section or None,
        "pinned": document.pinned,
        "pin_reason": document.pin_reason or None,
        "archived": found.archived,
        "trust": memory.trust,
        "support": document.support,
        "evidence": list(document.evidence),
        "created": document.created or memory.created_at,
        "updated": memory.updated_at,
        "version": memory.version,
        "version_id": memory.version_id,
        "sha256": memory.content_sha256,
        "problem": document.problem or None,
    }


def reasons(found: "Reasons") -> Form:
    """A memory with what it rests on and what became of it."""
    memory = found.item.memory
    return item(found.item) | {
        "helpful": found.helpful,
        "harmful": found.harmful,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "quotes": [
            {
                "evidence": evidence,
                "session": evidence.rpartition("#")[0],
                "at": quote.at if quote else None,
                "quote": quote.quote if quote else None,
                "premise": (quote.premise or None) if quote else None,
                "trust": quote.trust if quote else None,
            }
            for evidence, quote in found.quotes
        ],
        "versions": [version(one) for one in found.versions],
        "recalled": found.recalled,
        "last_recalls": [told._asdict() for told in found.last_recalls],
    }


def version(found: "Version") -> Form:
    """A version, without its text."""
    return {
        "id": found.id,
        "memory_id": found.memory_id,
        "number": found.number,
        "operation": found.operation,
        "path": found.path,
        "sha256": found.content_sha256,
        "size_bytes": found.size_bytes,
        "actor": {"kind": found.actor.kind, "id": found.actor.id or None},
        "reason": found.reason,
        "trust": found.trust,
        "created": found.created_at,
        "valid_from": found.valid_from,
        "valid_to": found.valid_to,
        "redacted": found.redacted_at,
    }


def difference(found: "Difference") -> Form:
    """What changed between two versions."""
    return {
        "name": found.name,
        "from": version(found.before) if found.before else None,
        "to": version(found.after),
        "diff": found.lines,
    }


def store(found: "StoreInfo") -> Form:
    """A store, without its memories."""
    return found._asdict()


def attachment(found: "Attachment") -> Form:
    """A store attached to somebody."""
    return found._asdict() | {"principal": found.principal._asdict()}


def copied(found: "Copied") -> Form:
    """Which stores were copied, by id."""
    return {
        "copied": [info.id for info in found.stores],
        "already": [info.id for info in found.already],
    }


def mount(found: "Mount") -> Form:
    """A folder that shows a store."""
    return found._asdict()


def sync(found: "Report") -> Form:
    """What bringing one folder and its store together did."""
    left = [
        # A name on disk may hold bytes that are no text.
        {"file": one.file.encode(errors="backslashreplace").decode(), "why": one.why}
        for one in found.left
    ]
    return asdict(found) | {"left": left}


def imported(found: "Imported") -> Form:
    """What was taken over from one place."""
    return {
        "batch": found.batch,
        "written": [one._asdict() for one in found.written],
        "already": found.already,
        "redacted": found.redacted,
        "skipped": [one._asdict() for one in found.skipped],
        "notes": found.notes,
    }


def import_undone(found: "Undone") -> Form:
    """What taking an import back did."""
    return asdict(found)


def loaded(found: "Loaded") -> Form:
    """What came back of an export."""
    return {
        "stores": [info.id for info in found.copied.stores],
        "already": [info.id for info in found.copied.already],
        "edited": list(found.edited),
    }


def exported(found: "Exported") -> Form:
    """What was written of stores."""
    return asdict(found)


def written_back(found: "WrittenBack") -> Form:
    """What became of each memory in Claude Code's folder."""
    return {
        "written": found.written,
        "unchanged": found.unchanged,
        "left_alone": found.left,
        "not_in_index": found.unlisted,
    }


def page(found: "Page") -> Form:
    """Long-term memory as one page."""
    return found._asdict()


# --- sessions and projects ----------------------------------------------------------------------


def session(found: "SessionRow") -> Form:
    """A session, without its turns."""
    return asdict(found)


def transcript(found: "Transcript") -> Form:
    """A session with its turns."""
    return session(found.session) | {"turns": [asdict(turn) for turn in found.turns]}


def turn_hit(found: "TurnHit") -> Form:
    """A turn that was found."""
    return asdict(found)


def pending_day(found: "PendingDay") -> Form:
    """A day that was not processed."""
    return {
        "day": found.day,
        "sessions": [row.session for row in found.stretches],
        "projects": found.projects,
        "human_turns": found.human_turns,
    }


def stretch(found: "Stretch") -> Form:
    """What was said in one session on one day."""
    return {
        "day": found.row.day,
        "session": found.row.session,
        "agent": found.row.agent,
        "project": found.row.project,
        "cwd": found.session.cwd,
        "title": found.session.title,
        "turns": [asdict(turn) for turn in found.turns],
    }


def kept_logs(found: "KeptLogs", now: "datetime") -> list[Form]:
    """The logs that were due to be kept."""
    failed = dict(found.failed)
    return [
        {
            "path": str(rescue.log.path),
            "agent": rescue.log.agent,
            "copy": str(rescue.copy),
            "deleted_in_days": rescue.days_left(now),
            "error": failed.get(str(rescue.log.path)),
        }
        for rescue in found.due
    ]


def dropped(found: "Dropped") -> Form:
    """What was marked as processed."""
    return {"marked": found.marked, "sessions": found.sessions, "copies_deleted": found.copies}


def worked(found: "Worked") -> Form:
    """A project and when somebody worked in it."""
    return {
        "slug": found.project.slug,
        "name": found.project.name,
        "roots": list(found.project.roots),
        "remotes": list(found.project.remotes),
        "agents": sorted({row.agent for row in found.sessions}),
        "sessions": len(found.sessions),
        "days": found.days,
    }


def project_view(found: "ProjectView") -> Form:
    """A project with its last days and what is remembered of it."""
    return worked(found.worked) | {
        "recent": [
            {"day": day.day, "sessions": [one._asdict() for one in day.sessions]}
            for day in found.recent
        ],
        "memories": [
            {
                "name": one.name,
                "description": one.document.description,
                "type": one.document.type,
            }
            for one in found.memories
        ],
    }


def renamed_project(found: "Project") -> Form:
    """A project under its new name."""
    return {"slug": found.slug, "name": found.name}


def merged_projects(found: "Merged") -> Form:
    """What became of a project that is part of another now."""
    return {
        "merged": found.gone.slug,
        "into": found.kept.slug,
        "sessions": found.joined.sessions,
        "memories": found.joined.memories,
        "diaries": found.joined.diaries,
    }


def reindexed(found: "Reindexed") -> Form:
    """An index that was built anew."""
    return asdict(found.report) | {
        "sessions": len(found.sessions),
        "without_log": found.without_log,
    }


# --- the state of things ------------------------------------------------------------------------


def status(found: "Status") -> Form:
    """The state of the home, in numbers."""
    return asdict(found)


def finding(found: "Finding") -> Form:
    """What one check has to say."""
    return asdict(found)


def helped(found: "Helped") -> Form:
    """Whether memory helps, and what that number cannot say."""
    from reverie.recall.stats import CONFOUNDERS

    counted = found.stats
    return {
        "periods": [
            {
                "project": p.project,
                "agent": p.agent,
                "month": p.month,
                "sessions": p.sessions,
                "human_turns": p.turns,
                "corrections": p.corrections,
                "per_100_turns": round(p.per_100_turns, 2),
            }
            for p in found.periods
        ],
        "corrections": counted.corrections,
        "repeats": [
            {
                "first": one.first.id,
                "again": one.again.id,
                "text": one.again.text,
                "recalled_before": [recall.id for recall in one.recalls],
            }
            for one in counted.repeats
        ],
        "repeat_share": round(counted.repeat_share, 4),
        "recalled_corrections": counted.recalled,
        "repeat_correction_rate": counted.repeat_rate,
        "recalls": len(found.recalls),
        "recalled_characters": found.characters,
        "recalled_tokens": found.tokens,
        "confounded_by": list(CONFOUNDERS),
    }


def engine(found: "Engine") -> Form:
    """Who can do the thinking."""
    return found._asdict()


def costs(found: "Costs") -> Form:
    """Receipts, and what is left for today."""
    return {
        "total_usd": round(found.total_usd, 6),
        "today_usd": round(found.today_usd, 6),
        "cap_usd_per_day": found.cap_usd_per_day,
        "receipts": [asdict(one) for one in found.receipts],
    }


def figures(found: "DataclassInstance") -> Form:
    """The report of a measurement, as it is."""
    return asdict(found)


def miss(share: float, found: "Statement") -> Form:
    """A statement about a session that its diary does not hold."""
    return {"share": share, "part": found.part, "log": found.log, "text": found.text}
