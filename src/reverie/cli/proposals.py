"""`reverie proposals`: what dreams offered, what became of it, and taking it back."""

import difflib
from typing import Any

import click

from reverie.cli.app import App
from reverie.cli.options import json_option
from reverie.cli.printing import (
    diff_line,
    hanging,
    one_line,
    out,
    out_json,
    plain,
    say,
    styled,
    table,
)
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Offer, Proposal, Proposals
from reverie.errors import InvalidInput

SHORT_EVIDENCE = 4  # quotes, lines and characters of a line in the short view
SHORT_LINES = 12
WIDTH = 160


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
    from reverie.dream.proposals.placing import Placing

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


def show_offer(offer: Offer, number: int, total: int, *, short: bool = False) -> None:
    """A change as a person reads it; short, it fits on a screen."""
    change = offer.change
    out(f"\n{number} of {total}  {change.id}  {change.verb} in {change.store}  ({offer.status})")
    click.echo(styled(hanging("  ", plain(change.title)), bold=True))
    out(f"  {change.support}; confidence {change.confidence:.0%}, trust {change.trust}")
    if change.quarantined:
        out("  rests on tools or the web alone: applied only when you say so")
    for name in change.replaces:
        out(f"  replaces: {name}")
    for quote in change.evidence[: SHORT_EVIDENCE if short else None]:
        session = _shortened(quote.session) if short else quote.session
        out(hanging(f"    {quote.at[:10]} {session}: ", f"“{quote.quote}”"))
    if short and len(change.evidence) > SHORT_EVIDENCE:
        out(f"    … and {len(change.evidence) - SHORT_EVIDENCE} more")
    for artefact in change.forms:
        out(f"  as {artefact.form}: {artefact.path or '(kept as a memory only)'}")
    if offer.note:
        out(f"  note: {offer.note}")
    for line in _short_diff(offer) if short else diff_of(offer).splitlines():
        click.echo(f"  {diff_line(line)}")


def _shortened(session: str) -> str:
    agent, _, identity = session.partition(":")
    return f"{agent}:{identity[:8]}"


def _short_diff(offer: Offer) -> list[str]:
    """The lines that change; a new memory says nothing that its title and evidence do not."""
    change = offer.change
    if not change.before:
        return [f"+++ {change.store}{change.path}"]
    lines = [one_line(line, WIDTH) if len(line) > WIDTH else line for line in _changed(offer)]
    more = len(lines) - SHORT_LINES
    return [*lines[:SHORT_LINES], f"… {more} more lines"] if more > 1 else lines


def _changed(offer: Offer) -> list[str]:
    """The diff without what stays, and without the ids of the evidence that is quoted above."""
    return [
        line
        for line in diff_of(offer).splitlines()
        if not line.startswith(("@@ ", " ")) and not line[1:].lstrip().startswith("evidence: ")
    ]


def _proposals(app: App) -> Proposals:
    return Proposals(app.store.database, app.clock)


def _first(one: Proposal) -> str:
    return one.changes[0].title[:60] if one.changes else ""
