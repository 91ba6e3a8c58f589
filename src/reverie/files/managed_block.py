"""A block of lines in somebody's file that is ours; nothing else is touched.

In a CLAUDE.md or AGENTS.md each line carries the id of the change it came from, so that one can be
taken out again whatever happened to the others. Line ends stay as the file has them.
"""

import re
from typing import NamedTuple

from reverie.errors import InvalidInput
from reverie.inert import unframed

BEGIN = "<!-- reverie: learned from your sessions; `reverie proposals undo` takes lines out -->"
END = "<!-- reverie: end -->"
_OPENINGS = re.compile(r"^[ \t]*<!-- reverie: (?!end )", re.M)
_CLOSINGS = re.compile(rf"^[ \t]*{re.escape(END)}", re.M)


class Block(NamedTuple):
    """A block between two marks, each on a line of its own."""

    begin: str
    end: str
    problem: str  # what is said when one mark is there without the other
    hint: str | None = None
    mark: str = ""  # how the first line begins, if `begin` was once worded otherwise
    apart: bool = True  # an empty line stands before it

    def inside(self, text: str) -> tuple[int, int] | None:
        """Where the lines between the marks begin and end; `None` when there is no block.

        Raises:
            InvalidInput: it has a beginning and no end.
        """
        marks = self._marks(text)
        return None if marks is None else (marks[0].end(), marks[1].start())

    def damaged(self) -> InvalidInput:
        return InvalidInput(self.problem, hint=self.hint)

    def added(self, text: str, lines: str) -> str:
        """`text` with a block of `lines` at its end; there must be none yet."""
        newline = newline_of(text)
        block = f"{self.begin}\n{lines}{self.end}\n".replace("\n", newline)
        joint = "" if not text or text.endswith("\n") else newline
        return text + joint + (newline if text and self.apart else "") + block

    def removed(self, text: str) -> str:
        """`text` without the block, and without the empty line that was put before it.

        Raises:
            InvalidInput: it has a beginning and no end.
        """
        while marks := self._marks(text):
            before, after = text[: marks[0].start()], text[marks[1].end() :]
            newline = newline_of(text)
            if self.apart and before.endswith(newline * 2):
                before = before[: -len(newline)]
            text = before + after
        return text

    def _marks(self, text: str) -> tuple[re.Match[str], re.Match[str]] | None:
        first = _line(self.mark or self.begin, whole=not self.mark).search(text)
        if first is None:
            return None
        last = _line(self.end, whole=True).search(text, first.end())
        if last is None:
            raise self.damaged()
        return first, last


LEARNED = Block(
    BEGIN, END, "the managed block is damaged", f"it begins with {BEGIN} and ends with {END}"
)


def with_line(text: str, identity: str, line: str) -> str:
    """`text` with `line` in the block, made at the end if there is none; unchanged if it is there.

    Raises:
        InvalidInput: the block has a beginning and no end, or the other way round.
    """
    entry = f"{unframed(' '.join(line.split()))} <!-- {identity} -->"
    place = LEARNED.inside(text)
    if place is None:
        if not balanced(text):
            raise LEARNED.damaged()
        return LEARNED.added(text, f"{entry}\n")
    start, end = place
    if f"<!-- {identity} -->" in text[start:end]:
        return text
    return f"{text[:end]}{entry}{newline_of(text)}{text[end:]}"


def without_line(text: str, identity: str) -> str:
    """`text` without the line of `identity`; an empty block goes too."""
    place = LEARNED.inside(text)
    if place is None:
        return text
    start, end = place
    lines = text[start:end].splitlines(keepends=True)
    kept = [line for line in lines if f"<!-- {identity} -->" not in line]
    if any(line.strip() for line in kept):
        return text[:start] + "".join(kept) + text[end:]
    return LEARNED.removed(text)


def balanced(text: str) -> bool:
    """Whether every block of ours in instructions for agents has its beginning and its end."""
    return len(_OPENINGS.findall(text)) == len(_CLOSINGS.findall(text))


def newline_of(text: str) -> str:
    """How most lines of a text end."""
    return "\r\n" if "\r\n" in text and text.count("\r\n") * 2 > text.count("\n") else "\n"


def _line(mark: str, *, whole: bool) -> re.Pattern[str]:
    rest = r"[ \t]*\r?" if whole else r"[^\n]*"
    return re.compile(rf"^[ \t]*{re.escape(mark)}{rest}(?:\n|\Z)", re.M)
