"""JSON forms of dreams: their patterns, and what they propose."""

from typing import TYPE_CHECKING

from reverie.forms import Form, plain, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.dream.model import Night, Pattern
    from reverie.dream.proposals.applying import Undone
    from reverie.dream.proposals.proposals import Offer, Proposal
    from reverie.dream.run import Run


def dream(found: "Run") -> Form:
    """What a dream came to."""
    proposed = found.proposal
    return {
        "proposal": proposed.id if proposed else None,
        "changes": [change.id for change in proposed.changes] if proposed else [],
        "applied": list(found.applied),
        "into": found.into or None,
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
                "artefacts": [plain(one) for one in artefacts],
            }
    for found in night.patterns:
        if found.status == "candidate":
            more: Form = {"forms": [], "supersedes": [], "candidate": True, "reason": found.reason}
            yield _pattern(found) | more


def _pattern(found: "Pattern") -> Form:
    group = found.group
    cost = group.cost
    record: Form = {
        **some(found, "text scope type kind"),
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
        record["cost"] = plain(cost)
    return record


def proposal(found: "Proposal") -> Form:
    """The changes of one dream and what became of them."""
    return some(found, "id dream created_at status") | {
        "changes": [offer(one) for one in found.offers]
    }


def offer(found: "Offer") -> Form:
    """One change with everything a person needs to decide."""
    change = found.change
    names = "verb store path new_path title reason support sessions chance confidence trust"
    return {
        "id": change.id,
        **some(found, "proposal status note"),
        **some(change, f"{names} quarantined"),
        "replaces": list(change.replaces),
        "forms": [plain(one) for one in change.forms],
        "evidence": [
            {"id": quote.evidence} | some(quote, "session at quote trust")
            for quote in change.evidence
        ],
        "diff": change.diff(),
    }


def undone(found: "Undone") -> Form:
    """What taking back one change came to."""
    return {"change": found.change} | some(found.result, "outcome words")
