"""`reverie review`: the one queue of what waits for a person."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from reverie.cli import asking
from reverie.cli.app import App
from reverie.cli.printing import hanging, one_line, out, out_json, plain, say, say_dim, styled
from reverie.cli.proposals import offer_data
from reverie.cli.review_offers import OfferDesk, ask, forms_named
from reverie.documents.document import Document, parse
from reverie.dream.proposals.proposals import Offer
from reverie.errors import InvalidInput
from reverie.learn.detect.labels import Labels
from reverie.learn.memories.candidate import Candidate, name_from
from reverie.learn.memories.queue import Queue, Review
from reverie.learn.memories.writing import Writer
from reverie.store.library import GLOBAL
from reverie.store.model import Actor, Author

# Whose words a candidate rests on, by the trust they have.
SPEAKERS = {"user": "the person", "agent": "a program", "tool": "a tool", "web": "a page"}
KEYS = "a accept · e edit · r reject · s skip · q quit"


class Desk:
    """Takes decisions: writes what is accepted and remembers what was said about each."""

    def __init__(self, app: App) -> None:
        store = app.store
        self.queue = Queue(store.database, app.clock)
        self._writer = Writer(store, self.queue)
        self._labels = Labels(store.database, app.clock)

    def accept(self, review: Review, document: Document | None = None) -> str:
        """Write it with the trust of a person, as it is or as edited; says where."""
        reason = "accepted in review" if document is None else "accepted in review, edited"
        by = Author(Actor("user"), reason, "user", valid_from=review.candidate.at or None)
        wanted = replace(document or review.candidate.document(), trust="user")
        outcome = self._writer.remember(review.candidate, by=by, document=wanted, also=review.also)
        status = "accepted" if document is None else "edited"
        self.queue.decide(review.id, status, outcome.memory_id)
        self._label(review, review.candidate.scope)
        return f"{outcome.action} in {review.candidate.store}"

    def reject(self, review: Review) -> str:
        self.queue.decide(review.id, "rejected")
        self._label(review, "none")
        return "rejected"

    def _label(self, review: Review, durable: str) -> None:
        labels = self._labels.all()
        for said in (review.candidate, *review.also):
            known = labels.get(said.evidence)
            correction = known.correction if known else "explicit" if said.premise else "none"
            self._labels.put(said.evidence, said.session, correction, durable)


@click.command()
@click.argument("proposal", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the queue as JSON and ask nothing.")
@click.option("--accept", multiple=True, metavar="ID", help="Accept this one (may be repeated).")
@click.option("--reject", multiple=True, metavar="ID", help="Reject this one (may be repeated).")
@click.option("--accept-all", is_flag=True, help="Accept everything that waits.")
@click.option("--forms", help="Also put these in place: rule,command,skill,hook,test or all.")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where forms are put; the working directory if not given.",
)
@click.option("--project", help="Only what was said in this project (name, slug or path).")
@click.option("--stale", is_flag=True, help="Memories that name something that changed, instead.")
def review(
    proposal: str | None,
    as_json: bool,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    accept_all: bool,
    forms: str | None,
    root: Path | None,
    project: str | None,
    stale: bool,
) -> None:
    """Decide about what was learned but is not sure enough, and what dreams propose.

    One keystroke each: accept, edit, reject, skip. What you decide is remembered and never asked
    again, and teaches the detector; stop at any time and go on later. With PROPOSAL, only that one.
    With --stale, accepting STORE:NAME says that a memory is still right, rejecting archives it.
    """
    app = App.load()
    if stale:
        from reverie.cli.stale import review_stale

        review_stale(app, accept, reject, as_json=as_json)
        return
    desk, offers = Desk(app), OfferDesk(app, root, forms_named(forms))
    for reference in (*accept, *reject):
        _by_reference(desk, offers, reference, accept=reference in accept)
    chosen = offers.proposals.find(proposal).id if proposal else None
    waiting = [] if chosen else desk.queue.pending()
    slug = app.projects.find(project).slug if project and project != GLOBAL else project
    waiting = [r for r in waiting if slug in (None, r.candidate.project)]
    changes = offers.proposals.pending(chosen)
    changes = [one for one in changes if slug in (None, one.change.store)]
    if accept_all and (waiting or changes):
        for entry in waiting:
            say(f"{desk.accept(entry)}: {entry.candidate.lesson}")
        for change in changes:
            first, *placed = offers.accept(change).splitlines()
            say(f"{first}: {change.change.title}")
            for line in placed:
                say(f"  {line}")
    elif as_json:
        out_json([*(as_data(entry) for entry in waiting), *map(offer_data, changes)])
    elif accept or reject:
        say(f"{len(waiting) + len(changes)} waiting")
    elif not waiting and not changes:
        say("nothing waits for review")
    elif sys.stdin.isatty() and sys.stderr.isatty():
        if ask(offers, changes):
            ask_about(desk, waiting)
    else:
        _list(waiting, changes)


def _list(waiting: list[Review], changes: list[Offer]) -> None:
    for entry in waiting:
        store, times = entry.candidate.store, len(entry.also) + 1
        said = f" (said {times} times)" if times > 1 else ""
        said += "" if entry.candidate.trust == "user" else f" (by {speaker(entry.candidate)})"
        out(f"{entry.id[:12]}  {entry.score:.2f}  [{store}] {entry.candidate.lesson}{said}")
    for one in changes:
        change = one.change
        out(f"{change.id[:12]}  {change.confidence:.2f}  [{change.store}] {change.title}")
    say("hint: decide in a terminal, one key each, or with --accept ID, --reject ID, --accept-all")


def _by_reference(desk: Desk, offers: OfferDesk, reference: str, *, accept: bool) -> None:
    """Changes of proposals are known by `chg_`; everything else is of the queue."""
    if reference.startswith("chg_"):
        offer = offers.proposals.offer(reference)
        say(offers.accept(offer) if accept else offers.reject(offer))
        return
    entry = desk.queue.find(reference)
    say(desk.accept(entry) if accept else desk.reject(entry))


def as_data(entry: Review) -> dict[str, Any]:
    candidate = entry.candidate
    return {
        "id": entry.id,
        "status": entry.status,
        "score": entry.score,
        "why": entry.why,
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
            for said in entry.also
        ],
    }


def speaker(said: Candidate) -> str:
    """Who said it, as far as it is known: words that a script may have sent are no person's."""
    return SPEAKERS.get(said.trust, "somebody")


def ask_about(desk: Desk, waiting: list[Review]) -> None:
    """Show one after the other and do what the key says."""
    for number, entry in enumerate(waiting, 1):
        _show(entry, number, len(waiting))
        while True:
            key = asking.key()
            if key == "q":
                say(f"{len(waiting) - number + 1} left for later")
                return
            if key == "s":
                break
            if key == "a":
                say(desk.accept(entry))
                break
            if key == "r":
                say(
                    f"{desk.reject(entry)}; `reverie review --accept {entry.id[:12]}` takes it back"
                )
                break
            if key == "e":
                edited = _edited(entry)
                if edited is not None:
                    say(desk.accept(entry, edited))
                    break
            say_dim(KEYS)


def _show(entry: Review, number: int, total: int) -> None:
    candidate = entry.candidate
    say(f"\n{number} of {total}  {entry.id[:12]}  score {entry.score:.2f}")
    lesson = hanging("  ", plain(candidate.lesson), err=True)
    click.echo(styled(lesson, bold=True, err=True), err=True)
    for said in (candidate, *entry.also):
        if said.premise:
            say(hanging("  the agent:  ", one_line(said.premise, 200), err=True))
        say(hanging(f"  {speaker(said) + ':':<11} ", f"“{one_line(said.quote, 300)}”", err=True))
        say(f"              {said.at[:10]} {said.evidence}")
    kept_as = f"{candidate.type}/{candidate.kind} in {candidate.store}"
    say(f"  would be kept as {kept_as}, trust {candidate.trust}")
    say_dim(KEYS)


def _edited(entry: Review) -> Document | None:
    """The document after the person's editor; None when nothing was saved or it is not valid."""
    text = click.edit(entry.candidate.document().text(), extension=".md")
    if text is None:
        return None
    try:
        document = parse(text).validate()
    except InvalidInput as error:
        say(f"error: {error.message}")
        return None
    if document.description != entry.candidate.lesson and document.name == name_from(
        entry.candidate.lesson
    ):
        return replace(document, name=name_from(document.description))
    return document
