"""`reverie review`: the one queue of what waits for a person."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli import printing
from reverie.cli.opening import opened_in_step
from reverie.cli.printing import hanging, one_line, out, out_json, plain, say, say_dim, styled
from reverie.cli.speaker import only_a_person
from reverie.errors import InvalidInput, Refused

if TYPE_CHECKING:
    from reverie.documents.document import Document
    from reverie.dream.model import Form
    from reverie.dream.proposals.applying import Applied
    from reverie.dream.proposals.proposals import Offer
    from reverie.forget.stale import Stale
    from reverie.learn.memories.candidate import Candidate
    from reverie.learn.memories.queue import Review
    from reverie.memory import Memory
    from reverie.operations.reviewing import Desk
    from reverie.store.library import Item

# Whose words a candidate rests on, by the trust they have.
SPEAKERS = {"user": "the person", "agent": "a program", "tool": "a tool", "web": "a page"}
KEYS = "a accept · e edit · r reject · s skip · q quit"
OFFER_KEYS = "a accept · f accept, with its forms · e edit · r reject · s skip · d details · q quit"
STALE_KEYS = "k still right · a archive · e edit · s skip · q quit"


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
    from reverie import forms as json_forms
    from reverie.forms import dreams

    if reject:
        only_a_person("turn down what waits for you", f"review --reject {reject[0]}")
    asked = sys.stdin.isatty() and sys.stderr.isatty() and not as_json
    memory = opened_in_step(speaking=bool(accept or reject or accept_all) or asked)
    if stale:
        _review_stale(memory, accept, reject, as_json=as_json)
        return
    desk = memory.review(root=root, forms=_forms_named(forms))
    for reference in (*accept, *reject):
        _say(desk.accept(reference) if reference in accept else desk.reject(reference))
    reviews, offers = desk.pending(proposal=proposal, project=project)
    if accept_all and (reviews or offers):
        _accept_all(desk, reviews, offers)
    elif as_json:
        out_json([*map(json_forms.review, reviews), *map(dreams.offer, offers)])
    elif accept or reject:
        say(f"{len(reviews) + len(offers)} waiting")
    elif not reviews and not offers:
        say("nothing waits for review")
    elif asked:
        if _ask_offers(desk, offers):
            ask_reviews(desk, reviews)
    else:
        _list(reviews, offers)


def _forms_named(text: str | None) -> "tuple[Form, ...]":
    """`rule,hook` or `all`."""
    from reverie.dream.model import FORMS

    if not text:
        return ()
    if text == "all":
        return FORMS
    known: dict[str, Form] = {str(form): form for form in FORMS}
    wanted = [word.strip() for word in text.split(",")]
    for word in wanted:
        if word not in known:
            raise InvalidInput(f"no form {word!r}", hint=f"there are {', '.join(FORMS)}, and all")
    return tuple(known[word] for word in wanted)


def _say(applied: "Applied") -> None:
    for line in (applied.words, *applied.placed):
        say(line)


def _accept_all(desk: "Desk", reviews: "list[Review]", offers: "list[Offer]") -> None:
    """Accept one after the other; what only a person may accept goes on waiting."""
    titled = [(entry, entry.candidate.lesson) for entry in reviews]
    for waiting, title in [*titled, *((offer, offer.change.title) for offer in offers)]:
        try:
            applied = desk.accept(waiting)
        except Refused as error:
            say(f"left for you: {error.message}")
            continue
        say(f"{applied.words}: {title}")
        for line in applied.placed:
            say(f"  {line}")


def _list(reviews: "list[Review]", offers: "list[Offer]") -> None:
    for entry in reviews:
        store, times = entry.candidate.store, len(entry.also) + 1
        said = f" (said {times} times)" if times > 1 else ""
        said += "" if entry.candidate.trust == "user" else f" (by {speaker(entry.candidate)})"
        out(f"{entry.id[:12]}  {entry.score:.2f}  [{store}] {entry.candidate.lesson}{said}")
    for offer in offers:
        change = offer.change
        out(f"{change.id[:12]}  {change.confidence:.2f}  [{change.store}] {change.title}")
    say("hint: decide in a terminal, one key each, or with --accept ID, --reject ID, --accept-all")


# --- one key each -------------------------------------------------------------------------------


def _ask_offers(desk: "Desk", offers: "list[Offer]") -> bool:
    """Go through changes with one key each; False when the person quits."""
    from reverie.cli.dreaming import show_offer

    for number, offer in enumerate(offers, 1):
        show_offer(offer, number, len(offers), short=True)
        say_dim(OFFER_KEYS)
        while True:
            key = printing.key()
            if key == "q":
                say(f"{len(offers) - number + 1} left for later")
                return False
            if key == "d":
                show_offer(offer, number, len(offers))
            if key == "s" or _offer_decided(desk, offer, key):
                break
            say_dim(OFFER_KEYS)
    return True


def _offer_decided(desk: "Desk", offer: "Offer", key: str) -> bool:
    from reverie.dream.model import FORMS

    if key == "a":
        _say(desk.accept(offer))
    elif key == "f":
        _say(desk.accept(offer, forms=FORMS))
    elif key == "r":
        _say(desk.reject(offer))
    elif key == "e":
        document = _edited(desk, offer, offer.change.after)
        if document is None:
            return False
        _say(desk.accept(offer, document=document))
    else:
        return False
    return True


def speaker(said: "Candidate") -> str:
    """Who said it, as far as it is known: words that a script may have sent are no person's."""
    return SPEAKERS.get(said.trust, "somebody")


def ask_reviews(desk: "Desk", reviews: "list[Review]") -> None:
    """Show one after the other and do what the key says."""
    for number, entry in enumerate(reviews, 1):
        _show(entry, number, len(reviews))
        while True:
            key = printing.key()
            if key == "q":
                say(f"{len(reviews) - number + 1} left for later")
                return
            if key == "s" or _review_decided(desk, entry, key):
                break
            say_dim(KEYS)


def _review_decided(desk: "Desk", entry: "Review", key: str) -> bool:
    if key == "a":
        _say(desk.accept(entry))
    elif key == "r":
        back = f"`reverie review --accept {entry.id[:12]}` takes it back"
        say(f"{desk.reject(entry).words}; {back}")
    elif key == "e":
        document = _edited(desk, entry, entry.candidate.document().text())
        if document is None:
            return False
        _say(desk.accept(entry, document=document))
    else:
        return False
    return True


def _show(entry: "Review", number: int, total: int) -> None:
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


def _edited(desk: "Desk", what: "Review | Offer", text: str) -> "Document | None":
    """The document after the person's editor; None when nothing was saved or it is not valid."""
    after = click.edit(text, extension=".md")
    if after is None:
        return None
    try:
        return desk.edited(what, after)
    except InvalidInput as error:
        say(f"error: {error.message}")
        return None


# --- memories that name something which changed -------------------------------------------------


def _review_stale(
    memory: "Memory", accept: Sequence[str], reject: Sequence[str], *, as_json: bool
) -> None:
    """Put each stale memory before a person: still right, archive, edit, or later."""
    from reverie import forms
    from reverie.operations import forgetting

    for name in accept:
        _keep(memory, name)
    for name in reject:
        _archive(memory, name)
    waiting = forgetting.stale(memory)
    if as_json:
        out_json([forms.stale(one) for one in waiting])
        return
    if not waiting:
        say("no memory names anything that changed")
    asking = sys.stdin.isatty() and sys.stderr.isatty() and not (accept or reject)
    for number, one in enumerate(waiting, 1):
        out(f"{one.item.store}:{one.item.name}  {one.item.document.description}")
        for change in one.changes:
            out(f"  {change.state}: {change.reference}, {change.what}")
        if asking and not _stale_decided(memory, one):
            say(f"{len(waiting) - number + 1} left for later")
            return


def _stale_decided(memory: "Memory", one: "Stale") -> bool:
    """Take one decision; False when the person wants to stop."""
    from reverie.operations import forgetting

    say_dim(STALE_KEYS)
    while True:
        match printing.key():
            case "q":
                return False
            case "s":
                return True
            case "k":
                _keep(memory, one.item)
                return True
            case "a":
                _archive(memory, one.item)
                return True
            case "e":
                text = click.edit(one.item.document.text(), extension=".md")
                if text is not None:
                    forgetting.put_right(memory, one.item, text)
                    return True
            case _:
                say_dim(STALE_KEYS)


def _keep(memory: "Memory", what: "str | Item") -> None:
    from reverie.operations import forgetting

    item = forgetting.still_right(memory, what)
    say(f"{item.store}:{item.name} is still right")


def _archive(memory: "Memory", what: "str | Item") -> None:
    from reverie.operations import forgetting

    item = forgetting.no_longer_right(memory, what)
    say(f"{item.store}:{item.name} archived")
