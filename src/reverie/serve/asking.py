"""Asking the person behind a client, in both eras of the protocol (elicitation).

With a handshake the server sends a question of its own and waits; with the stateless envelope it
answers that input is required, and the client comes again with it. A model has no part in either:
answers stand beside the arguments of a call, not among them.
"""

from typing import Any, cast

from reverie.errors import InvalidInput

METHOD = "elicitation/create"
_KEY = "hand-over"


class InputRequired(Exception):
    """The person has to be asked first; the client calls again with the answer."""

    def __init__(self, question: str, characters: int) -> None:
        super().__init__(question)
        self.result: dict[str, Any] = {
            "resultType": "input_required",
            "inputRequests": {_KEY: {"method": METHOD, "params": form(question)}},
            "requestState": str(characters),
        }


def can_ask(capabilities: Any) -> bool:
    """Whether a client shows forms to a person; one without modes does."""
    if not isinstance(capabilities, dict):
        return False
    modes: Any = cast("dict[str, Any]", capabilities).get("elicitation")
    return isinstance(modes, dict) and (not modes or "form" in modes)


def form(question: str) -> dict[str, Any]:
    """A question with nothing to fill in: to accept it is to say yes."""
    return {
        "mode": "form",
        "message": question,
        "requestedSchema": {"type": "object", "properties": {}},
    }


def agreed(answer: Any) -> bool:
    """Whether the person accepted; whoever turned away did not."""
    return isinstance(answer, dict) and cast("dict[str, Any]", answer).get("action") == "accept"


def brought(params: dict[str, Any], characters: int) -> bool | None:
    """What the person answered as the client brings it along; None when it brings nothing.

    Raises:
        InvalidInput: the client does not say what was asked.
    """
    answers: Any = params.get("inputResponses")
    if not isinstance(answers, dict) or _KEY not in answers:
        return None
    asked: Any = params.get("requestState")
    if not isinstance(asked, str) or not asked.isascii() or not asked.isdigit():
        raise InvalidInput("requestState is not as it was sent")
    # A yes to less is none to more.
    return agreed(cast("dict[str, Any]", answers)[_KEY]) and characters <= int(asked[:12])
