"""`/v1/reverie/proposals`: what dreams offered, accepted in part, turned down, or taken back."""

from typing import Any, Literal

import msgspec

from reverie.forms import dreams as forms
from reverie.hosting import reviewing
from reverie.hosting.guests import Guest
from reverie.serve.http.routing import Call, Route


class ListProposals(msgspec.Struct):
    """Which proposals."""

    status: Literal["open", "applied", "decided", "undone"] | None = None


class Proposals(msgspec.Struct):
    """Proposals, newest first."""

    data: list[dict[str, Any]]


class Chosen(msgspec.Struct):
    """Some changes of a proposal, by their ids; all of them if absent."""

    changes: list[str] | None = None


class Outcome(msgspec.Struct):
    """What became of one change: `done`, or `again` if it has to be looked at once more."""

    change: str
    outcome: str
    words: str


class Outcomes(msgspec.Struct):
    """What became of each change."""

    data: list[Outcome]


def list_(call: Call, query: ListProposals) -> Proposals:
    """List what the dreams of this key offered."""
    listed = reviewing.proposals(call.view, guest_of(call))
    fitting = [proposal for proposal in listed if query.status in (None, proposal.status)]
    return Proposals([forms.proposal(proposal) for proposal in fitting])


def retrieve(call: Call, proposal_id: str) -> dict[str, Any]:
    """One proposal, with the evidence and the difference of each change."""
    return forms.proposal(reviewing.find(call.view, guest_of(call), proposal_id))


def accept(call: Call, proposal_id: str, body: Chosen) -> Outcomes:
    """Make changes of a proposal, some or all that wait."""
    return _told(reviewing.accept(call.view, guest_of(call), proposal_id, body.changes))


def reject(call: Call, proposal_id: str, body: Chosen) -> Outcomes:
    """Turn changes of a proposal down, some or all that wait."""
    return _told(reviewing.reject(call.view, guest_of(call), proposal_id, body.changes))


def undo(call: Call, proposal_id: str, body: Chosen) -> Outcomes:
    """Take back what was made of a proposal, some or all; what was edited since stays."""
    return _told(reviewing.undo(call.view, guest_of(call), proposal_id, body.changes))


def guest_of(call: Call) -> Guest:
    return Guest(call.key.id, call.store)


def _told(decided: "list[reviewing.Decided] | list[reviewing.Undone]") -> Outcomes:
    return Outcomes(
        [
            Outcome(decision.change, decision.result.outcome, decision.result.words)
            for decision in decided
        ]
    )


_ALL = "/v1/reverie/proposals"
_ONE = "/v1/reverie/proposals/{proposal_id}"

ROUTES = (
    Route("GET", _ALL, "dream:run", list_),
    Route("GET", _ONE, "dream:run", retrieve),
    Route("POST", f"{_ONE}/accept", "memory:write", accept),
    Route("POST", f"{_ONE}/reject", "memory:write", reject),
    Route("POST", f"{_ONE}/undo", "memory:write", undo),
)
