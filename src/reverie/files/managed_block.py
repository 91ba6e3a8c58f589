"""A block of lines in somebody's CLAUDE.md or AGENTS.md that is ours; nothing else is touched.

Each line carries the id of the change it came from, so that one can be taken out again whatever
happened to the others. Line ends stay as the file has them.
"""

from reverie.errors import InvalidInput
from reverie.inert import unframed

BEGIN = "<!-- reverie: learned from your sessions; `reverie proposals undo` takes lines out -->"
END = "<!-- reverie: end -->"


def with_line(text: str, identity: str, line: str) -> str:
    """`text` with `line` in the block, made at the end if there is none; unchanged if it is there.

    Raises:
        InvalidInput: the block has a beginning and no end, or the other way round.
    """
    newline = _newline(text)
    entry = f"{unframed(' '.join(line.split()))} <!-- {identity} -->"
    place = _block(text)
    if place is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return f"{text}{gap}{BEGIN}{newline}{entry}{newline}{END}{newline}"
    start, end = place
    inside = text[start:end]
    if f"<!-- {identity} -->" in inside:
        return text
    return f"{text[:end]}{entry}{newline}{text[end:]}"


def without_line(text: str, identity: str) -> str:
    """`text` without the line of `identity`; an empty block goes too."""
    place = _block(text)
    if place is None:
        return text
    start, end = place
    lines = text[start:end].splitlines(keepends=True)
    kept = [line for line in lines if f"<!-- {identity} -->" not in line]
    if any(line.strip() for line in kept):
        return text[:start] + "".join(kept) + text[end:]
    before = text[: text.index(BEGIN)]
    after = text[end + len(END) :]
    newline = _newline(text)
    # The empty line that was put before the block goes with it.
    if before.endswith(newline * 2):
        before = before[: -len(newline)]
    return before + after.removeprefix(newline)


def _block(text: str) -> tuple[int, int] | None:
    """Where the lines of the block begin and end."""
    begin = text.find(BEGIN)
    end = text.find(END, max(begin, 0))
    if begin < 0 and end < 0:
        return None
    if begin < 0 or end < begin:
        raise InvalidInput(
            "the managed block is damaged", hint=f"it begins with {BEGIN} and ends with {END}"
        )
    return text.index("\n", begin) + 1, end


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text and text.count("\r\n") * 2 > text.count("\n") else "\n"
