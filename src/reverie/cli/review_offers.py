"""The dream's part of `reverie review`: decide about proposed changes, one key each."""

from dataclasses import replace
from pathlib import Path

import click

from reverie.cli import asking
from reverie.cli.app import App
from reverie.cli.printing import say, say_dim
from reverie.cli.proposals import show_offer
from reverie.documents.document import parse
from reverie.dream.model import FORMS, Form
from reverie.dream.proposals.applying import Applying
from reverie.dream.proposals.proposals import Offer, Proposals
from reverie.errors import InvalidInput

KEYS = "a accept · f accept, with its forms · e edit · r reject · s skip · d details · q quit"


class OfferDesk:
    """Takes decisions about changes; forms are put below `root` when asked for."""

    def __init__(self, app: App, root: Path | None = None, forms: tuple[Form, ...] = ()) -> None:
        self.proposals = Proposals(app.store.database, app.clock)
        self._applying = Applying(app.store, self.proposals)
        self._home = app.home
        self._root = root or Path.cwd()
        self._forms = forms

    def accept(self, offer: Offer, *, text: str = "", forms: tuple[Form, ...] = ()) -> str:
        result = self._applying.accept(offer, text=text)
        wanted = forms or self._forms
        if result.outcome == "done" and wanted:
            return "\n".join([result.words, *self._place(offer, wanted)])
        return result.words

    def reject(self, offer: Offer) -> str:
        return self._applying.reject(offer).words

    def _place(self, offer: Offer, wanted: tuple[Form, ...]) -> list[str]:
        from reverie.dream.proposals.placing import Placing

        placing = Placing(self._home)
        chosen = [a for a in offer.change.forms if a.form in wanted and a.path]
        placed = [placing.put(self._root, offer.change, artefact) for artefact in chosen]
        if placed:
            fresh = self.proposals.offer(offer.id)
            self.proposals.decide(
                fresh, fresh.status, applied=fresh.applied | {"placed": placed}
            )  # fmt: skip
        return [f"{one['form']}: {one['path']}" for one in placed]


def forms_named(text: str | None) -> tuple[Form, ...]:
    """`rule,hook` or `all`.

    Raises:
        InvalidInput: there is no such form.
    """
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


def ask(desk: OfferDesk, waiting: list[Offer]) -> bool:
    """Go through changes with one key each; False when the person quits."""
    for number, offer in enumerate(waiting, 1):
        show_offer(offer, number, len(waiting), short=True)
        say_dim(KEYS)
        while True:
            key = asking.key()
            if key == "q":
                say(f"{len(waiting) - number + 1} left for later")
                return False
            if key == "d":
                show_offer(offer, number, len(waiting))
            if key == "s" or _decided(desk, offer, key):
                break
            say_dim(KEYS)
    return True


def _decided(desk: OfferDesk, offer: Offer, key: str) -> bool:
    if key == "a":
        say(desk.accept(offer))
    elif key == "f":
        say(desk.accept(offer, forms=FORMS))
    elif key == "r":
        say(desk.reject(offer))
    elif key == "e":
        edited = _edited(offer)
        if not edited:
            return False
        say(desk.accept(offer, text=edited))
    else:
        return False
    return True


def _edited(offer: Offer) -> str:
    """The memory after the person's editor; "" when nothing was saved or it is not valid."""
    text = click.edit(offer.change.after, extension=".md")
    if not text:
        return ""
    try:
        document = parse(text, path=offer.change.path).validate()
    except InvalidInput as error:
        say(f"error: {error.message}")
        return ""
    return replace(document, name=parse(offer.change.after, path=offer.change.path).name).text()
