"""The JSON forms of everything Reverie shows: for `--json`, for MCP and for programs.

One function per value, named after it; `plain` for what is shown as it is. Keys are in the order
they are printed in.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from datetime import datetime

    from _typeshed import DataclassInstance

    from reverie.dream.proposals.work import Taken
    from reverie.forget.archive import Archived
    from reverie.forget.stale import Stale
    from reverie.imports.run import Imported
    from reverie.imports.write_back import WrittenBack
    from reverie.learn.due import Due
    from reverie.learn.memories.queue import Review
    from reverie.learn.memories.unlearn import Unlearned
    from reverie.learn.report import LearnReport
    from reverie.measure.result import Cell, Measurement, Run
    from reverie.mounts.sync import Report
    from reverie.mounts.transfer import Loaded
    from reverie.operations.engines.working import AnyTask
    from reverie.operations.figures import Helped
    from reverie.operations.forgotten import Forgot
    from reverie.operations.history import Difference
    from reverie.operations.memories import Reasons
    from reverie.operations.projects import Merged, ProjectView, Reindexed, Worked
    from reverie.operations.reach import Grounds
    from reverie.operations.references import Spoken
    from reverie.operations.serving.distant import Looked
    from reverie.operations.sessions import Dropped, KeptLogs, PendingDay, Stretch, Transcript
    from reverie.recall.digest import Digest
    from reverie.recall.ledger import LedgerRow
    from reverie.recall.recall import Item as RecallItem
    from reverie.recall.recall import Recall
    from reverie.recall.sources import RankedCorrection
    from reverie.sessions.labels import Label
    from reverie.settings import Due as Interval
    from reverie.store.copying import Copied
    from reverie.store.library import Item
    from reverie.store.model import Attachment, Version

Form = dict[str, Any]


def plain(value: "DataclassInstance | tuple[object, ...]") -> Form:
    """A value as it is, field for field: a dataclass or a named tuple."""
    return cast(Any, value)._asdict() if isinstance(value, tuple) else asdict(value)


def some(value: object, names: str) -> Form:
    """Some fields of a value, under their names."""
    return {name: getattr(value, name) for name in names.split()}


def known(value: object, names: str) -> Form:
    """As `some`, with nothing for what is empty."""
    return {name: given or None for name, given in some(value, names).items()}


# --- memories and stores ------------------------------------------------------------------------


def item(found: "Item") -> Form:
    """A memory, without its text."""
    memory, document = found.memory, found.document
    return {
        "id": memory.id,
        **some(found, "name store"),
        "path": memory.path,
        **some(document, "title description"),
        **known(document, "type kind scope section"),
        "pinned": document.pinned,
        "pin_reason": document.pin_reason or None,
        "archived": found.archived,
        "trust": memory.trust,
        "support": document.support,
        "evidence": list(document.evidence),
        "created": document.created or memory.created_at,
        "updated": memory.updated_at,
        **some(memory, "version version_id"),
        "sha256": memory.content_sha256,
        "problem": document.problem or None,
    }


def reasons(found: "Reasons") -> Form:
    """A memory with what it rests on and what became of it."""
    return (
        item(found.item)
        | some(found, "helpful harmful")
        | some(found.item.memory, "valid_from valid_to")
        | {
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
            "last_recalls": [plain(told) for told in found.last_recalls],
        }
    )


def grounds(found: "Grounds") -> Form:
    """A memory with what it rests on, as far as whoever asks may see that."""
    return item(found.item) | {
        "quotes": [
            {
                "evidence": quote.id,
                "session": quote.session,
                **some(quote, "at quote"),
                "premise": quote.premise or None,
                "trust": quote.trust,
            }
            for quote in found.quotes
        ],
        "elsewhere": found.elsewhere,
        "versions": [version(one) for one in found.versions],
    }


def version(found: "Version") -> Form:
    """A version, without its text."""
    return {
        **some(found, "id memory_id number operation path"),
        "sha256": found.content_sha256,
        "size_bytes": found.size_bytes,
        "actor": {"kind": found.actor.kind, "id": found.actor.id or None},
        **some(found, "reason trust"),
        "created": found.created_at,
        **some(found, "valid_from valid_to"),
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


def attachment(found: "Attachment") -> Form:
    """A store attached to somebody, and what they are told about it if anything."""
    form = plain(found) | {"principal": plain(found.principal)}
    return form if found.instructions else {k: v for k, v in form.items() if k != "instructions"}


def copied(found: "Copied") -> Form:
    """Which stores were copied, by id."""
    return {
        "copied": [info.id for info in found.stores],
        "already": [info.id for info in found.already],
        "disowned": [info.id for info in found.disowned],
    }


def sync(found: "Report") -> Form:
    """What bringing one folder and its store together did."""
    left = [
        # A name on disk may hold bytes that are no text.
        {"file": one.file.encode(errors="backslashreplace").decode(), "why": one.why}
        for one in found.left
    ]
    return plain(found) | {"left": left}


def looked(found: "Looked") -> Form:
    """What bringing a copy together with its server did."""
    done = found.exchange
    left = [{"path": path, "why": why} for path, why in done.left] if done else []
    return {
        "store": found.name,
        **some(found.link, "url access"),
        "trouble": found.trouble or None,
        **({name: getattr(done, name) if done else [] for name in ("pulled", "pushed", "beside")}),
        "left": left,
    }


def imported(found: "Imported") -> Form:
    """What was taken over from one place."""
    return plain(found) | {
        "written": [plain(one) for one in found.written],
        "skipped": [plain(one) for one in found.skipped],
    }


def loaded(found: "Loaded") -> Form:
    """What came back of an export."""
    return {
        "stores": [info.id for info in found.copied.stores],
        "already": [info.id for info in found.copied.already],
        "edited": list(found.edited),
    }


def written_back(found: "WrittenBack") -> Form:
    """What became of each memory in Claude Code's folder."""
    return some(found, "written unchanged") | {
        "left_alone": found.left,
        "not_in_index": found.unlisted,
    }


# --- sessions and projects ----------------------------------------------------------------------


def transcript(found: "Transcript") -> Form:
    """A session with its turns."""
    return plain(found.session) | {"turns": [plain(turn) for turn in found.turns]}


def pending_day(found: "PendingDay") -> Form:
    """A day that was not processed."""
    sessions = [row.session for row in found.stretches]
    return {"day": found.day, "sessions": sessions} | some(found, "projects human_turns")


def stretch(found: "Stretch") -> Form:
    """What was said in one session on one day."""
    return (
        some(found.row, "day session agent project")
        | some(found.session, "cwd title")
        | {"turns": [plain(turn) for turn in found.turns]}
    )


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
        **some(found.project, "slug name"),
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
            {
                "day": day.day,
                "sessions": [plain(one) for one in day.sessions],
                "daily": day.daily,
            }
            for day in found.recent
        ],
        "memories": [
            {"name": one.name} | some(one.document, "description type") for one in found.memories
        ],
    }


def merged_projects(found: "Merged") -> Form:
    """What became of a project that is part of another now."""
    both = {"merged": found.gone.slug, "into": found.kept.slug}
    return both | some(found.joined, "sessions memories diaries")


def reindexed(found: "Reindexed") -> Form:
    """An index that was built anew."""
    return plain(found.report) | {"sessions": len(found.sessions), "without_log": found.without_log}


# --- the state of things ------------------------------------------------------------------------


def helped(found: "Helped") -> Form:
    """Whether memory helps, and what that number cannot say."""
    from reverie.recall.stats import CONFOUNDERS

    counted = found.stats
    return {
        "periods": [
            {
                **some(period, "project agent month sessions"),
                "human_turns": period.turns,
                "corrections": period.corrections,
                "per_100_turns": round(period.per_100_turns, 2),
            }
            for period in found.periods
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
        "labels": found.labels,
        "fitted": found.fitted,
        "repeat_share": round(counted.repeat_share, 4),
        "recalled_corrections": counted.recalled,
        "repeat_correction_rate": counted.repeat_rate,
        "recalls": len(found.recalls),
        "recalled_characters": found.characters,
        "recalled_tokens": found.tokens,
        "callers": [caller._asdict() for caller in found.callers],
        "confounded_by": list(CONFOUNDERS),
    }


def measurement(found: "Measurement", run: "Run") -> Form:
    """All figures of a measurement, and how to make them again."""
    return {
        "measurement": found.name,
        "command": run.command,
        "seed": found.seed,
        "versions": dict(run.versions),
        "data": found.data,
        "tables": [
            {
                **some(table, "title note"),
                "rows": [
                    {
                        "name": row.name,
                        "cells": dict(zip(table.columns, map(_figure, row.cells), strict=True)),
                    }
                    for row in table.rows
                ],
            }
            for table in found.tables
        ],
        "notes": list(found.notes),
    }


def _figure(cell: "Cell") -> "Form | float | str | None":
    """Digits behind the sixth differ between processors."""
    if isinstance(cell, float):
        return round(cell, 6)
    if cell is None or isinstance(cell, int | str):
        return cell
    return {name: round(value, 6) for name, value in plain(cell).items()}


# --- learning -----------------------------------------------------------------------------------


def learn_report(found: "LearnReport") -> Form:
    """What one run of learning did."""
    return {
        "files": found.index.files,
        "unchanged": found.index.unchanged,
        **some(found, "sessions human_turns corrections durable diaries"),
        "dailies": [
            {"day": one.day, "action": one.action, "bytes": one.size, "grade": one.grade}
            for one in found.dailies
        ],
        "bad_lines": found.index.bad_lines,
        "set_aside": [plain(one) for one in found.aside],
        "outcomes": [
            {
                "action": outcome.action,
                "why": outcome.why,
                "memory": outcome.memory_id,
                "replaced": list(outcome.replaced),
                "candidate": candidate.id,
                **some(candidate, "store lesson evidence"),
            }
            for candidate, outcome in found.outcomes
        ],
        "taken_over": list(found.followed.taken),
        "gone_from_agents": list(found.followed.gone),
        "kept_from_agents": [{"source": source, "why": why} for source, why in found.followed.kept],
        "ended": [{"store": item.store, "name": item.name} for item in found.ended],
    }


def unlearned(found: "Unlearned") -> Form:
    """What was removed with a session."""
    return {
        **some(found, "session deleted weakened restored"),
        "redacted_versions": found.redacted,
        **some(found, "reviews turns"),
        "kept_copies": found.copies,
    }


def due(found: "Due", interval: "Interval") -> Form:
    """Whether a dream is due, and after how much one would be."""
    return {
        "due": found.due,
        "last_dream": found.last or None,
        "since": found.since or None,
        "hours": round(found.hours, 1),
        **some(found, "sessions learned"),
        "interval": plain(interval),
        "sentence": found.sentence or None,
    }


def correction(found: "RankedCorrection") -> Form:
    """What a person said against what an agent held, and how telling it is."""
    names = "id at project agent label score premise text span lesson durable tier"
    return some(found.row, names) | {
        "signals": dict(found.row.signals),
        "rank": round(found.ranked.score, 4),
    }


def label(found: "Label") -> Form:
    """What a person said about one turn."""
    return some(found, "evidence correction durable") | {"at": found.labelled_at}


def review(found: "Review") -> Form:
    """One entry of the review queue."""
    names = "store type kind lesson quote premise evidence at trust"
    also = [some(said, "lesson quote evidence at") for said in found.also]
    return some(found, "id status score why") | some(found.candidate, names) | {"also": also}


# --- forgetting and work ------------------------------------------------------------------------


def archived(found: "Archived") -> Form:
    """A memory in the archive."""
    return {
        "day": found.day or None,
        "store": found.item.store,
        "name": found.item.name,
        "source": found.source or None,
        "reason": found.reason,
        "purged_on": found.purged_on or None,
    }


def forgot(found: "Forgot") -> Form:
    """What was forgotten or brought back; of a memory that was named also what it is."""
    named = ":" in found.subject and "#" not in found.subject
    return (item(found.items[0]) if named and found.items else {}) | {
        "subject": found.subject,
        "memories": [f"{one.store}:{one.name}" for one in found.items],
        "reviews": list(found.reviews),
        "turns": list(found.places),
    }


def stale(found: "Stale") -> Form:
    """A memory that names something which changed."""
    return some(found.item, "store name") | {
        "description": found.item.document.description,
        "changes": [plain(change) for change in found.changes],
    }


def task(found: "AnyTask") -> Form:
    """A piece of work, as an agent gets it to think about."""
    given = found.assignment
    sessions = [{"session": part.subject, "lines": [part.first, part.last]} for part in given.parts]
    return {
        "id": given.id,
        "kind": given.kind,
        "project": found.project,
        **({"sessions": sessions} if given.kind == "session" else {}),
        "answer_before": given.leased_until,
        **some(found.prompt, "version instructions schema material"),
    }


def taken(found: "Taken") -> Form:
    """What became of an agent's answer."""
    if found.assignment.kind == "dream":
        changes = [
            {"verb": one.verb, "memory": one.path, "title": one.title} for one in found.changes
        ]
        return {"id": found.assignment.id, "proposal": found.proposal, "changes": changes}
    if found.assignment.kind in ("triage", "day", "revise"):
        return {"id": found.assignment.id, **some(found, "advised day revised")}
    lessons = [
        {
            "lesson": one.lesson.text,
            "trust": one.trust,
            "memory": one.outcome.memory_id,
            **some(one.outcome, "action why"),
        }
        for one in found.lessons
    ]
    return {"id": found.assignment.id, "lessons": lessons}


# --- answers ------------------------------------------------------------------------------------


def recall(result: "Recall", project: str) -> Form:
    """The answer for programs; `text` is exactly what an agent would get."""
    return {
        "project": project,
        **some(result, "text characters tokens budget"),
        "warning": result.warning or None,
        "entries": [handed_over(item) for item in result.items],
    }


def told(row: "LedgerRow") -> Form:
    """What one session was told at its start."""
    entries = ((one.entry, one.part, list(one.evidence)) for one in row.entries)
    keys = ("id", "part", "evidence")
    form = some(row, "at session project surface strategy characters")
    return form | {"entries": [dict(zip(keys, entry, strict=True)) for entry in entries]}


def spoken(found: "Spoken") -> Form:
    """Something that was said in a session."""
    turn, row = found.turn, found.correction
    return {
        "id": found.place,
        "session": found.session.key,
        "project": found.session.project,
        "role": turn.role if turn else "human",
        "at": turn.at if turn else row.at if row else "",
        "text": turn.text if turn else row.text if row else "",
        "premise": row.premise if row else "",
        "label": row.label if row else "none",
    }


def digest(found: "Digest") -> Form:
    """What a session is told, and what each line of it rests on."""
    return {
        "project": found.project,
        "text": found.text,
        "entries": [
            {
                **some(line, "text handle confirmed why"),
                "kind": line.group,
                "id": line.entry.id,
                "evidence": list(line.entry.evidence),
            }
            for line in found.lines
        ],
    }


def handed_over(item: "RecallItem") -> Form:
    """One entry of an answer, and what was checked in it."""
    entry = item.entry
    return {
        "id": entry.id,
        "part": item.part,
        **some(entry, "origin type at place trust support"),
        "premise": entry.premise or None,
        "text": entry.text,
        "evidence": list(entry.evidence),
        "checked": [
            {"name": f.reference.text, "sort": f.reference.sort, "state": f.state, "now": f.where}
            for f in item.findings
        ],
        "score": round(item.score, 4),
    }
