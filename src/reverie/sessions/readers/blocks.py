"""Blocks that a client puts around what a person typed, and texts that it sends in their place.

What is inside a block may be anybody's: a file, a page, a selection. It can hold the block's own
closing tag, so that only the last one ends the block; what cannot be told apart is left out.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

_TEMPLATES = Path(__file__).resolve().parents[2] / "data" / "client_templates.txt"
_SPACE = re.compile(r"\s*")
_MOST_NAMES = 32  # each costs a search: a text made of them is not looked at further


class Words(NamedTuple):
    """What is left of a text. Not `whole`: a block has only one of its two ends."""

    text: str
    whole: bool = True


class Blocks:
    """The blocks of one client, by the names of their tags."""

    def __init__(self, names: str) -> None:
        self._opening = re.compile(rf"<({names})\b[^<>]*>")
        self._closing = re.compile(rf"</(?:{names})>")

    def around(self, parts: Sequence[str]) -> Words:
        """The text parts of a message without the blocks: none reaches from one into the next."""
        remainders = [self._around(part) for part in parts]
        text = "\n".join(words.text for words in remainders if words.text)
        return Words(text, all(words.whole for words in remainders))

    def _around(self, text: str) -> Words:
        if "<" not in text:
            return Words(text.strip())
        kept: list[str] = []
        at, ends, whole = 0, dict[str, int](), True
        for opening in self._opening.finditer(text):
            if opening.start() < at:
                continue
            name = opening.group(1)
            if name not in ends:
                if len(ends) == _MOST_NAMES:
                    return Words("".join((*kept, text[at:])).strip(), whole=False)
                ends[name] = text.rfind(f"</{name}>")
            if ends[name] < opening.end():
                whole = False
                continue
            kept.append(text[at : opening.start()])
            after = _SPACE.match(text, ends[name] + len(name) + 3)
            at = after.end() if after else len(text)
        words = "".join((*kept, text[at:])).strip()
        return Words(words, whole and self._closing.search(words) is None)


def is_template(words: str) -> bool:
    """Whether a text is one that a client sends when a command of its own is called."""
    return words.startswith(_templates())


@cache
def _templates() -> tuple[str, ...]:
    lines = _TEMPLATES.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("# "))
