"""`reverie proposals`: what dreams offered, what became of it, and taking it back."""

import difflib
from typing import Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import out, out_json, say, table
from reverie.dream.applying import Applying
from reverie.dream.proposals import Offer, Proposal, Proposals
from reverie.errors import InvalidInput


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def proposals(ctx: click.Context, as_json: bool) -> None:
    """List the proposals of dreams, newest first."""
    if ctx.invoked_subcommand is not None:
        return
    found = _proposals(App.load()).all()
    if as_json:
        out_json([as_data(one) for one in found])
        return
    if not found:
        say("no proposals yet")
        say("hint: `reverie dream` makes one when there is something to propose")
        return
    table(
        [
            [one.id, one.created_at[:10], one.status, str(len(one.offers)), _first(one)]
            for one in found
        ],
        ["proposal", "day", "status", "changes", ""],
    )


@proposals.command("show")
@click.argument("proposal")
@json_option
def show(proposal: str, as_json: bool) -> None:
    """Show PROPOSAL: each change with its diff, its evidence and what it replaces."""
    found = _proposals(App.load()).find(proposal)
    if as_json:
        out_json(as_data(found))
        return
    for number, offer in enumerate(found.offers, 1):
        show_offer(offer, number, len(found.offers))


@proposals.command("undo")
@click.argument("proposal")
@json_option
def undo(proposal: str, as_json: bool) -> None:
    """Take back what was applied of PROPOSAL; what was edited since stays as it is."""
    from reverie.connect.placing import Placing

    app = App.load()
    kept = _proposals(app)
    found = kept.find(proposal)
    applied = [one for one in found.offers if one.status in {"accepted", "edited"}]
    if not applied:
        raise InvalidInput(f"nothing of {found.id} is applied")
    applying = Applying(app.store, kept)
    placing = Placing(app.home)
    results: list[dict[str, Any]] = []
    for offer in reversed(applied):
        words = [placing.take_back(place) for place in reversed(offer.applied.get("placed", []))]
        result = applying.undo(offer)
        results.append({"change": offer.id, "outcome": result.outcome, "words": result.words})
        for line in [result.words, *words]:
            say(line)
    if as_json:
        out_json({"proposal": found.id, "results": results})


def as_data(one: Proposal) -> dict[str, Any]:
    return {
        "id": one.id,
        "dream": one.dream,
        "created_at": one.created_at,
        "status": one.status,
        "changes": [offer_data(offer) for offer in one.offers],
    }


def offer_data(offer: Offer) -> dict[str, Any]:
    """One change with everything a person needs to decide."""
    change = offer.change
    return {
        "id": change.id,
        "proposal": offer.proposal,
        "status": offer.status,
        "note": offer.note,
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
        "forms": [{"form": a.form, "path": a.path, "content": a.content} for a in change.forms],
        "evidence": [
            {"id": q.evidence, "session": q.session, "at": q.at, "quote": q.quote, "trust": q.trust}
            for q in change.evidence
        ],
        "diff": diff_of(offer),
    }


def diff_of(offer: Offer) -> str:
    """The change as a unified diff; a move shows as one line."""
    change = offer.change
    old = change.path if change.before_sha256 else "/dev/null"
    new = change.new_path or change.path
    lines = difflib.unified_diff(
        change.before.splitlines(keepends=True),
        change.after.splitlines(keepends=True),
        f"{change.store}{old}" if change.before_sha256 else old,
        f"{change.store}{new}",
        n=2,
    )
    text = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    moved = f"moved: {change.store}{change.path} → {change.new_path}\n" if change.new_path else ""
    return moved + text


def show_offer(offer: Offer, number: int, total: int) -> None:
    """A change as a person reads it."""
    change = offer.change
    out(f"\n{number} of {total}  {change.id}  {change.verb} in {change.store}  ({offer.status})")
    out(f"  {change.title}")
    out(f"  {change.support}; confidence {change.confidence:.0%}, trust {change.trust}")
    if change.quarantined:
        out("  rests on tools or the web alone: applied only when you say so")
    for name in change.replaces:
        out(f"  replaces: {name}")
    for quote in change.evidence:
        out(f"    {quote.at[:10]} {quote.session}: “{quote.quote}”")
    for artefact in change.forms:
        out(f"  as {artefact.form}: {artefact.path or '(kept as a memory only)'}")
    if offer.note:
        out(f"  note: {offer.note}")
    out("".join(f"  {line}" for line in diff_of(offer).splitlines(keepends=True)).rstrip("\n"))


def _proposals(app: App) -> Proposals:
    return Proposals(app.store.database, app.clock)


def _first(one: Proposal) -> str:
    return one.changes[0].title[:60] if one.changes else ""
