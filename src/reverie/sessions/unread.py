"""What a tool printed and nobody has read yet: its secrets are taken out when somebody does.

The index stores no result of a call that worked, and few of them are read at all; looking through
each costs more than everything else that is done with a session. Whoever wants the text gets it
without secrets, as all others do; where it goes to another process, it goes so.
"""

from collections.abc import Callable

from reverie.privacy import Redact

# How much of an output is kept: of a long one the end matters as much as the beginning.
HEAD = 2_000
TAIL = 2_000
# Cutting may split a secret so that no rule knows it any more: redact beyond the cut, then cut.
MARGIN = 4_096


class Unread:
    """An output with its secrets, and what takes these out; it shows nothing of them."""

    __slots__ = ("_clean", "_parts", "_redact", "_size")

    def __init__(self, text: str, redact: Redact, clean: str | None = None) -> None:
        self._size = len(text)
        whole = self._size <= HEAD + TAIL + MARGIN
        self._parts = (text,) if whole else (text[: HEAD + MARGIN], text[-TAIL - MARGIN :])
        self._redact = redact
        self._clean = clean

    def __reduce__(self) -> tuple[object, ...]:
        return Unread, ("", str, self.text)

    def may_hold(self, look: Callable[[str], bool]) -> bool:
        """Whether `look` sees something that the text without secrets could hold."""
        return any(map(look, self._parts if self._clean is None else (self._clean,)))

    @property
    def text(self) -> str:
        """The output without secrets; of a long one, both ends."""
        if self._clean is None:
            clean = list(map(self._redact, self._parts))
            first, last = clean[0], clean[-1]
            if len(clean) > 1 or len(first) > HEAD + TAIL:
                left = self._size - HEAD - TAIL
                first = f"{first[:HEAD]}\n[…{left} more…]\n{last[-TAIL:]}"
            self._clean, self._parts = storable(first), ()
        return self._clean


def storable(text: str) -> str:
    """SQLite takes UTF-8 only, and ends a text at NUL when it compares or prints it."""
    if text.isascii():
        return text.replace("\0", "�") if "\0" in text else text
    return text.encode("utf-8", "replace").decode().replace("\0", "�")
