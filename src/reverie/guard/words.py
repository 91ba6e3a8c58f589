"""A word of a command line, as far as it is known before the shell runs."""

import os
import re
from dataclasses import dataclass

from reverie.errors import Refused

# What stands for a part that only the shell will know. No line may hold it, so no text that is
# compared with a known word can match by accident.
UNKNOWN = "\0"
_NULL_DEVICE_OPERATORS = {">", ">>", "&>", "&>>", ">|"}
_LONE_DOLLAR = re.compile(r"\$(?=[] |)/,.]|\Z)")
UNSPLIT = re.compile(r"[A-Za-z0-9_./:@%+,=-]+")
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
    # True when no blank can be in what is not known, so that a shell may split it.
    plain: bool = False

    @property
    def is_option(self) -> bool:
        return len(self.text) > 1 and self.text.startswith("-")


# A file that git knows, by its name in the folder at hand, which may begin with a dash.
TRACKED = Word(f"./{UNKNOWN}", static=False, safe_start=False)


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command of the line, in the order written."""

    name: str
    words: tuple[Word, ...]
    # True when every word of its input is plain, so that it may hand them to any other.
    told_plain: bool = False


def values_of(words: list[Word]) -> list[Word | None]:
    """What the variable of a loop over `words` holds in each round; None where nobody knows.

    A body that may run more often than is known is looked at twice: what it does to the place of
    the next round (`cd`) must show.
    """
    if not words or not all(word.static or word.safe_start for word in words):
        return [None, None]
    values: list[Word | None] = []
    for word in words:
        whole = word.static or word.plain
        known = word if whole else Word(_beginning(word) + UNKNOWN, static=False)
        values += [known] if word.static else [known, known]
    return values


def _beginning(word: Word) -> str:
    """What every file that a pattern stands for begins with, or might as well."""
    if word.text.startswith(("*", "?")) and "/" not in word.text:
        return "./"
    match = _BEGINNING.match(word.text)
    return match[0] if match is not None else ""


def double_quoted(raw: str) -> Word:
    plain = re.sub(r"\\[$`\"\\]", "", raw)
    if re.search(r'["`]|\\\n|\$', _LONE_DOLLAR.sub("", plain)):
        raise Refused("a quoted text holds an expansion that is not understood")
    return Word(re.sub(r"\\([$`\"\\])", r"\1", raw))


def concatenated(parts: list[Word]) -> Word:
    kept = [part for part in parts if part.text or not part.static] or [Word("")]
    text = "".join(part.text for part in kept)
    static = all(part.static for part in kept)
    # An unquoted value with blanks in it ends this word and begins others, wherever it stands.
    together = [part for part in kept if part.single or part.plain or part.safe_start]
    splits = any(UNKNOWN in part.text for part in kept if part not in together)
    return Word(
        text,
        static=static,
        safe_start=static or (_starts_safely(kept) and not splits),
        single=all(part.single for part in kept),
        plain=any(part.plain for part in kept)
        and all(part.plain or (part.static and UNSPLIT.fullmatch(part.text)) for part in kept),
    )


def _starts_safely(parts: list[Word]) -> bool:
    for part in parts:
        if not part.safe_start or part.text.startswith("-"):
            return False
        # What is not known may also be nothing.
        if part.text != UNKNOWN:
            return True
    return True


def only_reads(operator: str, target: Word, kind: str) -> bool:
    """Whether a redirection from or to `target` writes nothing and connects to nothing."""
    if operator == "<<<" or (operator == "<" and kind == "process_substitution"):
        return True
    if operator == "<":
        return _is_file(target)
    if operator in _NULL_DEVICE_OPERATORS:
        return target == Word("/dev/null")
    return operator == ">&" and target.static and target.text in {"1", "2", "/dev/null"}


def _is_file(target: Word) -> bool:
    """Whether the path is surely none of `/dev/tcp/…`, which is a connection to bash."""
    if target.static or target == TRACKED:
        # Only `/dev/tcp/` is one; who writes it in another way means it too.
        return not re.match(r"/+dev/(?:tcp|udp)", os.path.normpath(target.text))
    # It begins with a name, or with a folder; behind one that may be nothing all must be known.
    known = re.match(r"[\w.][^\0]*\0|\0/(?!.*\0|/*dev/|.*/dev/)", target.text)
    return target.single and target.safe_start and known is not None
