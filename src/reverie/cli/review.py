"""`reverie review`: the one queue of what waits for a person."""

import sys
from dataclasses import replace
from typing import Any

import click

from reverie.cli.app import App
from reverie.cli.printing import out, out_json, say
from reverie.errors import InvalidInput
from reverie.learn.candidates import name_from
from reverie.learn.labels import Labels
from reverie.learn.queue import Queue, Review
from reverie.learn.writing import Writer
from reverie.store.documents import Document, parse
from reverie.store.values import Actor, Author

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
        outcome = self._writer.remember(review.candidate, by=by, document=wanted)
        status = "accepted" if document is None else "edited"
        self.queue.decide(review.id, status, outcome.memory_id)
        self._label(review, review.candidate.scope)
        return f"{outcome.action} in {review.candidate.store}"

    def reject(self, review: Review) -> str:
        self.queue.decide(review.id, "rejected")
        self._label(review, "none")
        return "rejected"

    def _label(self, review: Review, durable: str) -> None:
        known = self._labels.all().get(review.candidate.evidence)
        correction = (
            known.correction if known else "explicit" if review.candidate.premise else "none"
        )
        self._labels.put(review.candidate.evidence, review.candidate.session, correction, durable)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the queue as JSON and ask nothing.")
@click.option("--accept", multiple=True, metavar="ID", help="Accept this one (may be repeated).")
@click.option("--reject", multiple=True, metavar="ID", help="Reject this one (may be repeated).")
@click.option("--accept-all", is_flag=True, help="Accept everything that waits.")
@click.option("--project", help="Only what was said in this project.")
def review(
    as_json: bool,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    accept_all: bool,
    project: str | None,
) -> None:
    """Decide about what was learned but is not sure enough to be written unasked.

    One keystroke each: accept, edit, reject, skip. What you decide is remembered and never asked
    again, and teaches the detector; stop at any time and go on later.
    """
    app = App.load()
    desk = Desk(app)
    for reference in accept:
        say(desk.accept(desk.queue.find(reference)))
    for reference in reject:
        say(desk.reject(desk.queue.find(reference)))
    waiting = [r for r in desk.queue.pending() if project in (None, r.candidate.project)]
    if accept_all:
        for entry in waiting:
            say(f"{desk.accept(entry)}: {entry.candidate.lesson}")
        return
    if as_json:
        out_json([as_data(entry) for entry in waiting])
    elif accept or reject:
        say(f"{len(waiting)} waiting")
    elif not waiting:
        say("nothing waits for review")
    elif sys.stdin.isatty() and sys.stderr.isatty():
        _ask(desk, waiting)
    else:
        for entry in waiting:
            store = entry.candidate.store
            out(f"{entry.id[:12]}  {entry.score:.2f}  [{store}] {entry.candidate.lesson}")


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
    }


def _ask(desk: Desk, waiting: list[Review]) -> None:
    for number, entry in enumerate(waiting, 1):
        _show(entry, number, len(waiting))
        while True:
            key = click.getchar().lower()
            if key == "q":
                say(f"{len(waiting) - number + 1} left for later")
                return
            if key == "s":
                break
            if key == "a":
                say(desk.accept(entry))
                break
            if key == "r":
                say(desk.reject(entry))
                break
            if key == "e":
                edited = _edited(entry)
                if edited is not None:
                    say(desk.accept(entry, edited))
                    break
            say(KEYS)


def _show(entry: Review, number: int, total: int) -> None:
    candidate = entry.candidate
    say(f"\n{number} of {total}  {entry.id[:12]}  score {entry.score:.2f}")
    say(f"  {candidate.lesson}")
    say(f"  {candidate.type}/{candidate.kind} → {candidate.store}, trust {candidate.trust}")
    say(f"  {candidate.at[:10]} {candidate.evidence}")
    say("  “" + " ".join(candidate.quote.split())[:300] + "”")
    if candidate.premise:
        say("  answered: " + " ".join(candidate.premise.split())[:200])
    say(KEYS)


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
