"""Reviewing: what dreams of guests offered, accepted in part, turned down, or taken back.

A proposal is seen by whoever sees its dream, as far as it changes stores they see. Nothing that is
accepted here has a person's word: a key that a person holds may accept what waits for one to look
at it, and it stays as little trusted as what it rests on.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from reverie.dream.proposals.applying import Applied, Undone
from reverie.dream.proposals.proposals import Offer, Proposal, Proposals
from reverie.errors import InvalidInput, NotFound
from reverie.hosting import jobs, sessions
from reverie.hosting.guests import Guest
from reverie.hosting.home import ServerHome
from reverie.operations.reviewing import Desk


class Decided(NamedTuple):
    """What became of one change."""

    change: str
    result: Applied


def proposals(home: ServerHome, guest: Guest) -> list[Proposal]:
    """All that a guest sees, newest first."""
    listed = Proposals(home.database, home.clock).all()
    hidden = set(sessions.missing(home.database, [proposal.dream for proposal in listed], guest))
    seen = (_seen(home, guest, proposal) for proposal in listed if proposal.dream not in hidden)
    return [proposal for proposal in seen if proposal.offers]


def find(home: ServerHome, guest: Guest, identity: str) -> Proposal:
    """A proposal by its whole id.

    Raises:
        NotFound: it is not there for the guest.
    """
    proposal = next((listed for listed in proposals(home, guest) if listed.id == identity), None)
    if proposal is None:
        raise NotFound(f"there is no proposal {identity!r}")
    return proposal


def accept(
    home: ServerHome, guest: Guest, identity: str, changes: Sequence[str] | None
) -> list[Decided]:
    """Make some changes of a proposal, or all that are pending.

    Raises:
        NotFound: the proposal, or one of the changes, is not there for the guest.
        InvalidInput: a change was decided already, or none waits.
        Refused: only a person may accept one of them. Those before it are made.
    """
    return _decide(home, guest, identity, changes, Desk(home).accept)


def reject(
    home: ServerHome, guest: Guest, identity: str, changes: Sequence[str] | None
) -> list[Decided]:
    """Turn some changes of a proposal down, or all that are pending.

    Raises:
        NotFound: the proposal, or one of the changes, is not there for the guest.
        InvalidInput: a change was decided already, or none waits.
    """
    return _decide(home, guest, identity, changes, Desk(home).reject)


def undo(
    home: ServerHome, guest: Guest, identity: str, changes: Sequence[str] | None
) -> list[Undone]:
    """Take back what was made of a proposal, or some of it; what was edited since stays.

    Raises:
        NotFound: the proposal, or one of the changes, is not there for the guest.
        InvalidInput: nothing of it is made.
        Refused: it became a person's word since.
    """
    proposal = find(home, guest, identity)
    chosen = _chosen(proposal, changes)
    _refuse_read_only(home, chosen)
    return Desk(home).undo(proposal.id, [offer.id for offer in chosen])


def _decide(
    home: ServerHome,
    guest: Guest,
    identity: str,
    changes: Sequence[str] | None,
    decide: Callable[[Offer], Applied],
) -> list[Decided]:
    proposal = find(home, guest, identity)
    chosen = _chosen(proposal, changes)
    if changes is None:
        chosen = [offer for offer in chosen if offer.status == "pending"]
    if wrong := [offer.id for offer in chosen if offer.status != "pending"]:
        raise InvalidInput(f"the change {wrong[0]} does not wait")
    if not chosen:
        raise InvalidInput(f"nothing of {identity} waits")
    _refuse_read_only(home, chosen)
    return [Decided(offer.id, decide(offer)) for offer in chosen]


def _chosen(proposal: Proposal, changes: Sequence[str] | None) -> list[Offer]:
    if changes is None:
        return list(proposal.offers)
    known = {offer.id: offer for offer in proposal.offers}
    if missing := [identity for identity in changes if identity not in known]:
        raise NotFound(f"there is no change {missing[0]!r} in this proposal")
    return [known[identity] for identity in dict.fromkeys(changes)]


def _refuse_read_only(home: ServerHome, offers: Sequence[Offer]) -> None:
    """Before anything is decided: turning down what others may still want is a change, too."""
    for store in {offer.change.store for offer in offers}:
        home.store.refuse_read_only(store)


def _seen(home: ServerHome, guest: Guest, proposal: Proposal) -> Proposal:
    """A proposal with the changes of stores that the guest sees, by their ids."""
    try:
        job = jobs.of_session(home.database, proposal.dream)
    except NotFound:
        return replace(proposal, offers=())
    target = job.output if job.output in {info.id for info in guest.store.stores()} else None
    return replace(
        proposal,
        offers=tuple(
            replace(offer, change=replace(offer.change, store=target))
            for offer in proposal.offers
            if target
        ),
    )
