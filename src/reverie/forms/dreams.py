"""JSON forms of dreams: their patterns, and what they propose."""

from typing import TYPE_CHECKING

from reverie.forms import Form, plain, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.dream.model import Artefact, Night, Pattern
    from reverie.dream.proposals.applying import Undone
    from reverie.dream.proposals.proposals import Offer, Proposal
    from reverie.dream.proposals.trying import Trial
    from reverie.dream.run import Run


def dream(run: "Run") -> Form:
    """What a dream came to."""
    proposed = run.proposal
    return {
        "proposal": proposed.id if proposed else None,
        "changes": [change.id for change in proposed.changes] if proposed else [],
        "applied": list(run.applied),
        "left": len(run.night.left),
        "into": run.into or None,
        "notes": dict(run.night.notes),
    }


def patterns(night: "Night") -> "Iterator[Form]":
    """The machine contract of a dry dream: one object per pattern, then one per candidate.

    Patterns come by worth, those of a model by the `rank` it gives them (5 … 1) before; what is
    beyond what was asked for is told too, as not `offered`.
    """
    from reverie.dream.proposals.pattern_forms import names

    offered = {change.pattern for change in night.changes}
    for pattern in night.patterns:
        if pattern.status == "pattern" and pattern.group.id in offered.union(night.left):
            yield _pattern(pattern) | {
                "offered": pattern.group.id in offered,
                "forms": names(pattern.forms),
                "supersedes": list(pattern.supersedes),
                "worth": pattern.worth,
                **({"rank": pattern.rank} if pattern.reader else {}),
                "artefacts": [artefact(form) for form in pattern.forms],
                "quotes": [
                    {"id": member.evidence, "at": member.at, "quote": member.quote or member.text}
                    for member in pattern.group.members
                ],
            }
    for pattern in night.patterns:
        if pattern.status == "candidate":
            more: Form = {
                "forms": [],
                "supersedes": [],
                "candidate": True,
                "reason": pattern.reason,
            }
            yield _pattern(pattern) | more


def artefact(form: "Artefact") -> Form:
    """A form of a pattern; of a hook also what it would have done in the past."""
    shown = some(form, "form path content") | ({"note": form.note} if form.note else {})
    return shown | {"replay": plain(form.replay)} if form.replay else shown


def _pattern(pattern: "Pattern") -> Form:
    from reverie.dream.model import sureness

    group = pattern.group
    cost = group.cost
    record: Form = {
        "text": pattern.line,
        **some(pattern, "scope type kind"),
        "trust": group.trust,
        "sessions": list(group.sessions),
        "days": len(group.days),
        "chance": pattern.chance,
        "confidence": pattern.confidence,
        "sure": sureness(pattern.confidence),
        "source": group.source,
        "support": pattern.sentence(),
        "evidence": [member.evidence for member in group.members],
    }
    if cost.failed_calls or cost.minutes or cost.tokens:
        record["cost"] = plain(cost)
    return record


def proposal(dreamt: "Proposal") -> Form:
    """The changes of one dream and what became of them."""
    return some(dreamt, "id dream created_at status") | {
        "changes": [offer(offered) for offered in dreamt.offers]
    }


def offer(offered: "Offer") -> Form:
    """One change with everything a person needs to decide."""
    change = offered.change
    from reverie.dream.model import sureness

    names = "verb store path new_path title reason support sessions chance confidence worth trust"
    return {
        "id": change.id,
        **some(offered, "proposal status note"),
        **some(change, f"{names} quarantined superseded_by"),
        "sure": sureness(change.confidence),
        "replaces": list(change.replaces),
        "forms": [artefact(form) for form in change.forms],
        "evidence": [
            {"id": quote.evidence} | some(quote, "session at quote trust")
            for quote in change.evidence
        ],
        "diff": change.diff(),
    }


def undone(reversal: "Undone") -> Form:
    """What taking back one change came to."""
    return {"change": reversal.change} | some(reversal.result, "outcome words")


def trial(tried: "Trial") -> Form:
    """What a form would be in its place."""
    shown = some(tried, "change form path shown")
    if tried.form != "hook":
        return shown
    replay = plain(tried.replay) if tried.replay else None
    return shown | some(tried, "fires decision") | {"replay": replay}
