"""A word of a command line, as far as it is known before the shell runs."""

import re
from dataclasses import dataclass

from reverie.errors import Refused

# What stands for a part that only the shell will know. No line may hold it, so no text that is
# compared with a known word can match by accident.
UNKNOWN = "\0"
_LONE_DOLLAR = re.compile(r"\$(?=[] |)/,.]|\Z)")
_BEGINNING = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_./-]*(?=[*?\[])")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the command would get it; parts not known before the run are `UNKNOWN`."""

    text: str
    static: bool = True
    # True when every result of the expansion begins with something other than a dash.
    safe_start: bool = True
    # True when the word stays exactly one word: no glob, no brace, no unquoted variable.
    single: bool = True

    @property
    def is_option(self) -> bool:
        return len(self.text) > 1 and self.text.startswith("-")


def values_of(words: list[Word]) -> list[Word | None]:
    """What the variable of a loop over `words` holds in each round; None where nobody knows.

    A body that may run more often than is known is looked at twice: what it does to the place of
    the next round (`cd`) must show.
    """
    if not words or not all(word.static or word.safe_start for word in words):
        return [None, None]
    values: list[Word | None] = []
    for word in words:
        known = word if word.static else Word(_beginning(word) + UNKNOWN, static=False)
        values += [known] if word.static else [known, known]
    return values


def _beginning(word: Word) -> str:
    """What every file that a pattern stands for begins with."""
    found = _BEGINNING.match(word.text)
    return found[0] if found is not None else ""


def double_quoted(raw: str) -> Word:
    plain = re.sub(r"\\[$`\"\\]", "", raw)
    if re.search(r'["`]|\\\n|\$', _LONE_DOLLAR.sub("", plain)):
        raise Refused("a quoted text holds an expansion that is not understood")
    return Word(re.sub(r"\\([$`\"\\])", r"\1", raw))


def concatenated(parts: list[Word]) -> Word:
    kept = [part for part in parts if part.text or not part.static] or [Word("")]
    first = kept[0]
    text = "".join(part.text for part in kept)
    static = all(part.static for part in kept)
    starts_with_dash = not static and first.static and first.text.startswith("-")
    # An unquoted value with blanks in it ends this word and begins others, wherever it stands.
    splits = any(UNKNOWN in part.text and not (part.single or part.safe_start) for part in kept)
    return Word(
        text,
        static=static,
        safe_start=first.safe_start and not starts_with_dash and not splits,
        single=all(part.single for part in kept),
    )
