"""The desk: all that leaves through a tool is counted, asked for and entered here.

A budget is exact: what the client gets has at most so many characters, with headings, warnings and
notes. What is large needs a person's yes, which no argument of a model is. Every call is in the
ledger and the audit log, refused ones with the reason.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import ReverieError
from reverie.operations import allowing, recalling

if TYPE_CHECKING:
    from reverie.home import Home
    from reverie.recall.ledger import LedgerEntry


class Told(NamedTuple):
    """What a tool answers, and the entries of memory that this holds."""

    text: str
    entries: "tuple[LedgerEntry, ...]" = ()


class Call(NamedTuple):
    """What is asked for: by which tool, about what, and how much of it at most."""

    tool: str
    query: str
    budget: int
    window: int | None = None  # tokens of the session, where the caller says so


# Whether a person agrees to so many characters; None where nobody can be asked.
Confirm = Callable[[str, int], bool | None]


def nobody(question: str, characters: int) -> None:
    """The person behind a client that cannot ask them."""


class Desk:
    """Hands over what tools answer to one asker."""

    def __init__(self, home: "Home") -> None:
        self._home = home
        self._window: int | None = None

    def hand_over(self, call: Call, answer: Callable[[int], Told], confirm: Confirm) -> str:
        """What `answer` has to say in the budget, or less of it where something must be added.

        Raises:
            Refused: it is large, and no person agreed.
        """
        self._window = call.window or self._window
        reply = answer(call.budget)
        text = reply.text
        if warning := self._warning(text):
            reply = answer(max(0, call.budget - len(warning)))
            text = (warning + reply.text)[: call.budget]
        self._ask(call, len(text), confirm)
        self._enter(call, text=text, entries=reply.entries)
        return text

    def refuse(self, call: Call, error: ReverieError) -> None:
        """Enter a call that got nothing."""
        self._enter(call, refused=recalling.reason_of(error))

    def _warning(self, text: str) -> str:
        from reverie.recall.recall import tokens_of, window_warning

        settings = self._home.settings.recall
        tokens = recalling.handed_before(self._home) + tokens_of(text)
        window = self._window or settings.window_tokens
        warning = window_warning(tokens, window, settings.warn_share)
        return f"warning: {warning}\n\n" if warning else ""

    def _ask(self, call: Call, characters: int, confirm: Confirm) -> None:
        if characters <= allowing.limit(self._home):
            return
        asker = self._home.asker
        who = asker.client or asker.agent or "An agent"
        agreed = confirm(
            f"{who} asks Reverie ({call.tool}) for {characters:,} characters of your memory at"
            " once. Hand them over?",
            characters,
        )
        if not agreed:
            recalling.refuse_large(self._home, characters, asked=agreed is False)

    def _enter(
        self,
        call: Call,
        *,
        text: str = "",
        entries: "tuple[LedgerEntry, ...]" = (),
        refused: str = "",
    ) -> None:
        from reverie.recall.ledger import RECALL, HandOver

        recalling.record(
            self._home,
            HandOver(
                call.tool,
                self._home.here.slug,
                call.query,
                "ours" if call.tool == RECALL else "",
                call.budget,
                text,
                entries,
                refused,
            ),
        )


def fitted(parts: list[str], room: int, hint: str = "", heads: int = 0) -> tuple[str, int]:
    """Parts as far as they go into `room` characters, and how many; the rest is counted.

    Only the first after the `heads` is cut, if not even that fits: it may be all there is.
    """
    if sum(map(len, parts)) + len(parts) - 1 <= room:
        return "\n".join(parts), len(parts)
    taken, left = list[str](), room
    for place, part in enumerate(parts):
        rest = f"({len(parts) - place} more left out{hint})"
        if len(part) + 1 + len(rest) <= left:
            taken.append(part)
            left -= len(part) + 1
            continue
        if place <= heads and (cut := part[: max(0, left - len(rest) - 1)]):
            taken.append(cut)
        return "\n".join([*taken, rest])[:room], len(taken)
    return "\n".join(taken), len(taken)
