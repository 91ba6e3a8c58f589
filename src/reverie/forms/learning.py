"""JSON forms of learning, dreaming, reviewing and forgetting, and of answers."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.config import Due as Interval
    from reverie.dream.model import Artefact, Pattern
    from reverie.dream.night import Night
    from reverie.dream.proposals.applying import Undone
    from reverie.dream.proposals.proposals import Offer, Proposal
    from reverie.dream.proposals.work import DreamTask, Taken
    from reverie.dream.run import Run
    from reverie.forget.archive import Archived
    from reverie.forget.run import Decayed
    from reverie.forget.stale import Stale
    from reverie.learn.daily.dailies import DailyEntry, DailyPage
    from reverie.learn.daily.daily import Daily
    from reverie.learn.diary.diaries import DiaryPage
    from reverie.learn.diary.handed_in import HandedIn
    from reverie.learn.due import Due
    from reverie.learn.memories.queue import Review
    from reverie.learn.memories.unlearn import Derived, Unlearned
    from reverie.learn.run import LearnReport
    from reverie.learn.work.desk import Task
    from reverie.recall.recall import Item as RecallItem
    from reverie.recall.recall import Recall
    from reverie.recall.sources import RankedCorrection
    from reverie.sessions.diaries import DiaryRow
    from reverie.sessions.labels import Label

Form = dict[str, Any]

# --- learning -----------------------------------------------------------------------------------


def learn_report(found: "LearnReport") -> Form:
    """What one run of learning did."""
    return {
        "files": found.index.files,
        "unchanged": found.index.unchanged,
        "sessions": found.sessions,
        "human_turns": found.human_turns,
        "corrections": found.corrections,
        "durable": found.durable,
        "diaries": found.diaries,
        "dailies": [
            {"day": one.day, "action": one.action, "bytes": one.size, "grade": one.grade}
            for one in found.dailies
        ],
        "bad_lines": found.index.bad_lines,
        "outcomes": [
            {
                "action": outcome.action,
                "why": outcome.why,
                "memory": outcome.memory_id,
                "replaced": list(outcome.replaced),
                "candidate": candidate.id,
                "store": candidate.store,
                "lesson": candidate.lesson,
                "evidence": candidate.evidence,
            }
            for candidate, outcome in found.outcomes
        ],
    }


def derived(found: "Derived") -> Form:
    """What rests on a session."""
    return {"session": found.session, "memories": list(found.memories)}


def unlearned(found: "Unlearned") -> Form:
    """What was removed with a session."""
    return {
        "session": found.session,
        "deleted": found.deleted,
        "weakened": found.weakened,
        "restored": found.restored,
        "redacted_versions": found.redacted,
        "reviews": found.reviews,
        "turns": found.turns,
        "kept_copies": found.copies,
    }


def due(found: "Due", interval: "Interval") -> Form:
    """Whether a dream is due, and after how much one would be."""
    return {
        "due": found.due,
        "last_dream": found.last or None,
        "since": found.since or None,
        "hours": round(found.hours, 1),
        "sessions": found.sessions,
        "learned": found.learned,
        "interval": {"sessions": interval.sessions, "hours": interval.hours},
        "sentence": found.sentence or None,
    }


def correction(found: "RankedCorrection") -> Form:
    """What a person said against what an agent held, and how telling it is."""
    row = found.row
    return {
        "id": row.id,
        "at": row.at,
        "project": row.project,
        "agent": row.agent,
        "label": row.label,
        "score": row.score,
        "premise": row.premise,
        "text": row.text,
        "span": row.span,
        "lesson": row.lesson,
        "durable": row.durable,
        "tier": row.tier,
        "signals": dict(row.signals),
        "rank": round(found.ranked.score, 4),
    }


def label(found: "Label") -> Form:
    """What a person said about one turn."""
    return {
        "evidence": found.evidence,
        "correction": found.correction,
        "durable": found.durable,
        "at": found.labelled_at,
    }


def diary_row(found: "DiaryRow") -> Form:
    """A diary in a list."""
    return {
        "session": found.session,
        "task": found.number,
        "project": found.project,
        "day": found.day,
        "title": found.title,
        "outcome": found.outcome,
        "path": found.path,
    }


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


def daily_entry(found: "DailyEntry") -> Form:
    """A daily in a list."""
    return {"day": found.day, "path": found.path, "bytes": found.size}


def daily(found: "DailyPage", composed: "Daily | None") -> Form:
    """A daily with its text and what it was made from."""
    memory = found.memory
    return {
        "day": found.day,
        "path": memory.path,
        "bytes": memory.size_bytes,
        "version": memory.version,
        "updated_at": memory.updated_at,
        "notes": found.notes,
        "text": memory.content,
        "data": None if composed is None else _composed(composed),
    }


def _composed(found: "Daily") -> Form:
    from reverie.documents.long_term import entry

    return {
        "projects": list(found.projects),
        "sessions": [asdict(stretch) for stretch in found.stretches],
        "topics": list(found.topics),
        "points": [{"project": point.project, "text": point.text} for point in found.points],
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
        "files": list(found.files),
        "new_files": [{"project": project, "file": name} for project, name in found.made],
    }


def review(found: "Review") -> Form:
    """One entry of the review queue."""
    candidate = found.candidate
    return {
        "id": found.id,
        "status": found.status,
        "score": found.score,
        "why": found.why,
        "store": candidate.store,
        "type": candidate.type,
        "kind": candidate.kind,
        "lesson": candidate.lesson,
        "quote": candidate.quote,
        "premise": candidate.premise,
        "evidence": candidate.evidence,
        "at": candidate.at,
        "trust": candidate.trust,
        "also": [
            {"lesson": said.lesson, "quote": said.quote, "evidence": said.evidence, "at": said.at}
            for said in found.also
        ],
    }


def dream(found: "Run") -> Form:
    """What a dream came to."""
    proposed = found.proposal
    return {
        "proposal": proposed.id if proposed else None,
        "changes": [change.id for change in proposed.changes] if proposed else [],
        "applied": list(found.applied),
        "notes": dict(found.night.notes),
    }


def patterns(night: "Night") -> "Iterator[Form]":
    """The machine contract of a dry dream: one object per pattern, then one per candidate."""
    from reverie.dream.proposals.pattern_forms import forms_of, names

    offered = {change.pattern for change in night.changes}
    for found in night.patterns:
        if found.status == "pattern" and found.group.id in offered:
            artefacts = forms_of(found)
            yield _pattern(found) | {
                "forms": names(artefacts),
                "supersedes": list(found.supersedes),
                "artefacts": [_artefact(one) for one in artefacts],
            }
    for found in night.patterns:
        if found.status == "candidate":
            yield _pattern(found) | {
                "forms": [],
                "supersedes": [],
                "candidate": True,
                "reason": found.reason,
            }


def _pattern(found: "Pattern") -> Form:
    group = found.group
    cost = group.cost
    record: Form = {
        "text": found.text,
        "scope": found.scope,
        "type": found.type,
        "kind": found.kind,
        "trust": group.trust,
        "sessions": list(group.sessions),
        "days": len(group.days),
        "chance": found.chance,
        "confidence": found.confidence,
        "source": group.source,
        "support": found.sentence(),
        "evidence": [member.evidence for member in group.members],
    }
    if cost.failed_calls or cost.minutes or cost.tokens:
        record["cost"] = {
            "failed_calls": cost.failed_calls,
            "minutes": cost.minutes,
            "tokens": cost.tokens,
        }
    lag = next((m.detail["lag_seconds"] for m in group.members if "lag_seconds" in m.detail), None)
    return record | ({"lag_seconds": lag} if lag is not None else {})


def _artefact(found: "Artefact") -> Form:
    return {"form": found.form, "path": found.path, "content": found.content}


def proposal(found: "Proposal") -> Form:
    """The changes of one dream and what became of them."""
    return {
        "id": found.id,
        "dream": found.dream,
        "created_at": found.created_at,
        "status": found.status,
        "changes": [offer(one) for one in found.offers],
    }


def offer(found: "Offer") -> Form:
    """One change with everything a person needs to decide."""
    change = found.change
    return {
        "id": change.id,
        "proposal": found.proposal,
        "status": found.status,
        "note": found.note,
        "verb": change.verb,
        "store": change.store,
        "path": change.path,
        "new_path": change.new_path,
        "title": change.title,
        "reason": change.reason,
        "support": change.support,
        "sessions": change.sessions,
        "chance": change.chance,
        "confidence": change.confidence,
        "trust": change.trust,
        "quarantined": change.quarantined,
        "replaces": list(change.replaces),
        "forms": [_artefact(one) for one in change.forms],
        "evidence": [
            {"id": q.evidence, "session": q.session, "at": q.at, "quote": q.quote, "trust": q.trust}
            for q in change.evidence
        ],
        "diff": change.diff(),
    }


def undone(found: "Undone") -> Form:
    """What taking back one change came to."""
    return {"change": found.change, "outcome": found.result.outcome, "words": found.result.words}


def decayed(found: "Decayed") -> Form:
    """What a run of forgetting did, or would do; as it is in the audit log."""
    return found.record()


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


def stale(found: "Stale") -> Form:
    """A memory that names something which changed."""
    return {
        "store": found.item.store,
        "name": found.item.name,
        "description": found.item.document.description,
        "changes": [change._asdict() for change in found.changes],
    }


def task(found: "Task | DreamTask") -> Form:
    """A piece of work, as an agent gets it to think about."""
    given = found.assignment
    lines = {"session": given.subject, "lines": [given.first, given.last]}
    return {
        "id": given.id,
        "kind": given.kind,
        "project": found.project,
        **(lines if given.kind == "learn" else {}),
        "answer_before": given.leased_until,
        "instructions": found.instructions,
        "schema": found.schema,
        "material": found.material,
    }


def taken(found: "Taken") -> Form:
    """What became of an agent's answer."""
    if found.assignment.kind == "dream":
        return {
            "id": found.assignment.id,
            "proposal": found.proposal,
            "changes": [
                {"verb": one.verb, "memory": one.path, "title": one.title} for one in found.changes
            ],
        }
    return {
        "id": found.assignment.id,
        "lessons": [
            {"lesson": lesson.text, "action": outcome.action, "why": outcome.why}
            for lesson, outcome in found.lessons
        ],
    }


# --- answers ------------------------------------------------------------------------------------


def recall(result: "Recall", project: str) -> dict[str, Any]:
    """The answer for programs; `text` is exactly what an agent would get."""
    return {
        "project": project,
        "text": result.text,
        "characters": result.characters,
        "tokens": result.tokens,
        "budget": result.budget,
        "warning": result.warning or None,
        "entries": [handed_over(item) for item in result.items],
    }


def handed_over(item: "RecallItem") -> dict[str, Any]:
    """One entry of an answer, and what was checked in it."""
    entry = item.entry
    return {
        "id": entry.id,
        "part": item.part,
        "origin": entry.origin,
        "type": entry.type,
        "at": entry.at,
        "place": entry.place,
        "trust": entry.trust,
        "support": entry.support,
        "premise": entry.premise or None,
        "text": entry.text,
        "evidence": list(entry.evidence),
        "checked": [
            {"name": f.reference.text, "sort": f.reference.sort, "state": f.state, "now": f.where}
            for f in item.findings
        ],
        "score": round(item.score, 4),
    }
