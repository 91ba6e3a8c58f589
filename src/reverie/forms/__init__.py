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
    return {name: content or None for name, content in some(value, names).items()}


# --- memories and stores ------------------------------------------------------------------------


def item(stored: "Item") -> Form:
    """A memory, without its text."""
    memory, document = stored.memory, stored.document
    return {
        "id": memory.id,
        **some(stored, "name store"),
        "path": memory.path,
        **some(document, "title description"),
        **known(document, "type kind scope section"),
        "pinned": document.pinned,
        "pin_reason": document.pin_reason or None,
        "archived": stored.archived,
        "trust": memory.trust,
        "support": document.support,
        "evidence": list(document.evidence),
        "created": document.created or memory.created_at,
        "updated": memory.updated_at,
        **some(memory, "version version_id"),
        "sha256": memory.content_sha256,
        "problem": document.problem or None,
    }


def reasons(background: "Reasons") -> Form:
    """A memory with what it rests on and what became of it."""
    return (
        item(background.item)
        | some(background, "helpful harmful")
        | some(background.item.memory, "valid_from valid_to")
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
                for evidence, quote in background.quotes
            ],
            "versions": [version(revision) for revision in background.versions],
            "recalled": background.recalled,
            "last_recalls": [plain(call) for call in background.last_recalls],
        }
    )


def grounds(basis: "Grounds") -> Form:
    """A memory with what it rests on, as far as whoever asks may see that."""
    return item(basis.item) | {
        "quotes": [
            {
                "evidence": quote.id,
                "session": quote.session,
                **some(quote, "at quote"),
                "premise": quote.premise or None,
                "trust": quote.trust,
            }
            for quote in basis.quotes
        ],
        "elsewhere": basis.elsewhere,
        "versions": [version(revision) for revision in basis.versions],
    }


def version(revision: "Version") -> Form:
    """A version, without its text."""
    return {
        **some(revision, "id memory_id number operation path"),
        "sha256": revision.content_sha256,
        "size_bytes": revision.size_bytes,
        "actor": {"kind": revision.actor.kind, "id": revision.actor.id or None},
        **some(revision, "reason trust"),
        "created": revision.created_at,
        **some(revision, "valid_from valid_to"),
        "redacted": revision.redacted_at,
    }


def difference(diff: "Difference") -> Form:
    """What changed between two versions."""
    return {
        "name": diff.name,
        "from": version(diff.before) if diff.before else None,
        "to": version(diff.after),
        "diff": diff.lines,
    }


def attachment(attached: "Attachment") -> Form:
    """A store attached to somebody, and what they are told about it if anything."""
    form = plain(attached) | {"principal": plain(attached.principal)}
    return form if attached.instructions else {k: v for k, v in form.items() if k != "instructions"}


def copied(copies: "Copied") -> Form:
    """Which stores were copied, by id."""
    return {
        "copied": [info.id for info in copies.stores],
        "already": [info.id for info in copies.already],
        "disowned": [info.id for info in copies.disowned],
    }


def sync(report: "Report") -> Form:
    """What bringing one folder and its store together did."""
    left = [
        # A name on disk may hold bytes that are no text.
        {"file": leftover.file.encode(errors="backslashreplace").decode(), "why": leftover.why}
        for leftover in report.left
    ]
    return plain(report) | {"left": left}


def looked(visit: "Looked") -> Form:
    """What bringing a copy together with its server did."""
    done = visit.exchange
    left = [{"path": path, "why": why} for path, why in done.left] if done else []
    return {
        "store": visit.name,
        **some(visit.link, "url access"),
        "trouble": visit.trouble or None,
        **({name: getattr(done, name) if done else [] for name in ("pulled", "pushed", "beside")}),
        "left": left,
    }


def imported(batch: "Imported") -> Form:
    """What was taken over from one place."""
    return plain(batch) | {
        "written": [plain(memory) for memory in batch.written],
        "skipped": [plain(skipped) for skipped in batch.skipped],
    }


def loaded(export: "Loaded") -> Form:
    """What came back of an export."""
    return {
        "stores": [info.id for info in export.copied.stores],
        "already": [info.id for info in export.copied.already],
        "edited": list(export.edited),
    }


def written_back(outcome: "WrittenBack") -> Form:
    """What became of each memory in Claude Code's folder."""
    return some(outcome, "written unchanged") | {
        "left_alone": outcome.left,
        "not_in_index": outcome.unlisted,
    }


# --- sessions and projects ----------------------------------------------------------------------


def transcript(reading: "Transcript") -> Form:
    """A session with its turns."""
    return plain(reading.session) | {"turns": [plain(turn) for turn in reading.turns]}


def pending_day(day: "PendingDay") -> Form:
    """A day that was not processed."""
    sessions = [row.session for row in day.stretches]
    return {"day": day.day, "sessions": sessions} | some(day, "projects human_turns")


def stretch(passage: "Stretch") -> Form:
    """What was said in one session on one day."""
    return (
        some(passage.row, "day session agent project")
        | some(passage.session, "cwd title")
        | {"turns": [plain(turn) for turn in passage.turns]}
    )


def kept_logs(logs: "KeptLogs", now: "datetime") -> list[Form]:
    """The logs that were due to be kept."""
    failed = dict(logs.failed)
    return [
        {
            "path": str(rescue.log.path),
            "agent": rescue.log.agent,
            "copy": str(rescue.copy),
            "deleted_in_days": rescue.days_left(now),
            "error": failed.get(str(rescue.log.path)),
        }
        for rescue in logs.due
    ]


def dropped(drop: "Dropped") -> Form:
    """What was marked as processed."""
    return {"marked": drop.marked, "sessions": drop.sessions, "copies_deleted": drop.copies}


def worked(work: "Worked") -> Form:
    """A project and when somebody worked in it."""
    return {
        **some(work.project, "slug name"),
        "roots": list(work.project.roots),
        "remotes": list(work.project.remotes),
        "agents": sorted({row.agent for row in work.sessions}),
        "sessions": len(work.sessions),
        "days": work.days,
    }


def project_view(view: "ProjectView") -> Form:
    """A project with its last days and what is remembered of it."""
    return worked(view.worked) | {
        "recent": [
            {
                "day": day.day,
                "sessions": [plain(session) for session in day.sessions],
                "daily": day.daily,
            }
            for day in view.recent
        ],
        "memories": [
            {"name": memory.name} | some(memory.document, "description type")
            for memory in view.memories
        ],
    }


def merged_projects(merged: "Merged") -> Form:
    """What became of a project that is part of another now."""
    both = {"merged": merged.gone.slug, "into": merged.kept.slug}
    return both | some(merged.joined, "sessions memories diaries")


def reindexed(index: "Reindexed") -> Form:
    """An index that was built anew."""
    return plain(index.report) | {"sessions": len(index.sessions), "without_log": index.without_log}


# --- the state of things ------------------------------------------------------------------------


def helped(figures: "Helped") -> Form:
    """Whether memory helps, and what that number cannot say."""
    from reverie.recall.stats import CONFOUNDERS

    counted = figures.stats
    return {
        "periods": [
            {
                **some(period, "project agent month sessions"),
                "human_turns": period.turns,
                "corrections": period.corrections,
                "per_100_turns": round(period.per_100_turns, 2),
            }
            for period in figures.periods
        ],
        "corrections": counted.corrections,
        "repeats": [
            {
                "first": repeat.first.id,
                "again": repeat.again.id,
                "text": repeat.again.text,
                "recalled_before": [recall.id for recall in repeat.recalls],
            }
            for repeat in counted.repeats
        ],
        "labels": figures.labels,
        "fitted": figures.fitted,
        "repeat_share": round(counted.repeat_share, 4),
        "recalled_corrections": counted.recalled,
        "repeat_correction_rate": counted.repeat_rate,
        "recalls": len(figures.recalls),
        "recalled_characters": figures.characters,
        "recalled_tokens": figures.tokens,
        "callers": [caller._asdict() for caller in figures.callers],
        "confounded_by": list(CONFOUNDERS),
    }


def measurement(measured: "Measurement", run: "Run") -> Form:
    """All figures of a measurement, and how to make them again."""
    return {
        "measurement": measured.name,
        "command": run.command,
        "seed": measured.seed,
        "versions": dict(run.versions),
        "data": measured.data,
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
            for table in measured.tables
        ],
        "notes": list(measured.notes),
    }


def _figure(cell: "Cell") -> "Form | float | str | None":
    """Digits behind the sixth differ between processors."""
    if isinstance(cell, float):
        return round(cell, 6)
    if cell is None or isinstance(cell, int | str):
        return cell
    return {name: round(value, 6) for name, value in plain(cell).items()}


# --- learning -----------------------------------------------------------------------------------


def learn_report(run: "LearnReport") -> Form:
    """What one run of learning did."""
    return {
        "files": run.index.files,
        "unchanged": run.index.unchanged,
        **some(run, "sessions human_turns corrections durable diaries"),
        "dailies": [
            {"day": page.day, "action": page.action, "bytes": page.size, "grade": page.grade}
            for page in run.dailies
        ],
        "bad_lines": run.index.bad_lines,
        "set_aside": [plain(aside) for aside in run.aside],
        "outcomes": [
            {
                "action": outcome.action,
                "why": outcome.why,
                "memory": outcome.memory_id,
                "replaced": list(outcome.replaced),
                "candidate": candidate.id,
                **some(candidate, "store lesson evidence"),
            }
            for candidate, outcome in run.outcomes
        ],
        "taken_over": list(run.followed.taken),
        "gone_from_agents": list(run.followed.gone),
        "kept_from_agents": [{"source": source, "why": why} for source, why in run.followed.kept],
        "ended": [{"store": item.store, "name": item.name} for item in run.ended],
    }


def unlearned(removed: "Unlearned") -> Form:
    """What was removed with a session."""
    return {
        **some(removed, "session deleted weakened restored"),
        "redacted_versions": removed.redacted,
        **some(removed, "reviews turns"),
        "kept_copies": removed.copies,
    }


def due(state: "Due", interval: "Interval") -> Form:
    """Whether a dream is due, and after how much one would be."""
    return {
        "due": state.due,
        "last_dream": state.last or None,
        "since": state.since or None,
        "hours": round(state.hours, 1),
        **some(state, "sessions learned"),
        "interval": plain(interval),
        "sentence": state.sentence or None,
    }


def correction(entry: "RankedCorrection") -> Form:
    """What a person said against what an agent held, and how telling it is."""
    names = "id at project agent label score premise text span lesson durable tier"
    return some(entry.row, names) | {
        "signals": dict(entry.row.signals),
        "rank": round(entry.ranked.score, 4),
    }


def label(judgement: "Label") -> Form:
    """What a person said about one turn."""
    return some(judgement, "evidence correction durable") | {"at": judgement.labelled_at}


def review(waiting: "Review") -> Form:
    """One entry of the review queue."""
    names = "store type kind lesson quote premise evidence at trust"
    also = [some(candidate, "lesson quote evidence at") for candidate in waiting.also]
    return some(waiting, "id status score why") | some(waiting.candidate, names) | {"also": also}


# --- forgetting and work ------------------------------------------------------------------------


def archived(entry: "Archived") -> Form:
    """A memory in the archive."""
    return {
        "day": entry.day or None,
        "store": entry.item.store,
        "name": entry.item.name,
        "source": entry.source or None,
        "reason": entry.reason,
        "purged_on": entry.purged_on or None,
    }


def forgot(gone: "Forgot") -> Form:
    """What was forgotten or brought back; of a memory that was named also what it is."""
    named = ":" in gone.subject and "#" not in gone.subject
    return (item(gone.items[0]) if named and gone.items else {}) | {
        "subject": gone.subject,
        "memories": [f"{memory.store}:{memory.name}" for memory in gone.items],
        "reviews": list(gone.reviews),
        "turns": list(gone.places),
    }


def stale(flag: "Stale") -> Form:
    """A memory that names something which changed."""
    return some(flag.item, "store name") | {
        "description": flag.item.document.description,
        "changes": [plain(change) for change in flag.changes],
    }


def task(piece: "AnyTask") -> Form:
    """A piece of work, as an agent gets it to think about."""
    work = piece.assignment
    sessions = [{"session": part.subject, "lines": [part.first, part.last]} for part in work.parts]
    return {
        "id": work.id,
        "kind": work.kind,
        "project": piece.project,
        **({"sessions": sessions} if work.kind == "session" else {}),
        "answer_before": work.leased_until,
        **some(piece.prompt, "version instructions schema material"),
    }


def taken(answer: "Taken") -> Form:
    """What became of an agent's answer."""
    if answer.assignment.kind == "dream":
        changes = [
            {"verb": change.verb, "memory": change.path, "title": change.title}
            for change in answer.changes
        ]
        return {"id": answer.assignment.id, "proposal": answer.proposal, "changes": changes}
    if answer.assignment.kind in ("triage", "day", "revise"):
        return {"id": answer.assignment.id, **some(answer, "advised day revised")}
    lessons = [
        {
            "lesson": entry.lesson.text,
            "trust": entry.trust,
            "memory": entry.outcome.memory_id,
            **some(entry.outcome, "action why"),
        }
        for entry in answer.lessons
    ]
    return {"id": answer.assignment.id, "lessons": lessons}


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
    entries = ((handed.entry, handed.part, list(handed.evidence)) for handed in row.entries)
    keys = ("id", "part", "evidence")
    form = some(row, "at session project surface strategy characters")
    return form | {"entries": [dict(zip(keys, entry, strict=True)) for entry in entries]}


def spoken(statement: "Spoken") -> Form:
    """Something that was said in a session."""
    turn, row = statement.turn, statement.correction
    return {
        "id": statement.place,
        "session": statement.session.key,
        "project": statement.session.project,
        "role": turn.role if turn else "human",
        "at": turn.at if turn else row.at if row else "",
        "text": turn.text if turn else row.text if row else "",
        "premise": row.premise if row else "",
        "label": row.label if row else "none",
    }


def digest(composed: "Digest") -> Form:
    """What a session is told, and what each line of it rests on."""
    return {
        "project": composed.project,
        "text": composed.text,
        "entries": [
            {
                **some(line, "text handle confirmed why"),
                "kind": line.group,
                "id": line.entry.id,
                "evidence": list(line.entry.evidence),
            }
            for line in composed.lines
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
