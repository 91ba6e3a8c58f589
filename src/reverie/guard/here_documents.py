"""Here-documents taken out of a line before it is parsed: their text is data, not shell.

The grammar is weakest here, so a document is cut out by the shell's own rule, and only where that
rule is simple: one per row, begun by a row that is a whole command line of its own, with a
delimiter that is quoted or a text without anything to expand. In its place stands a redirection
from `PLACE`, and who reads the rest must find that redirection: inside quotes or a comment `<<`
begins nothing, and the rows below it are commands.
"""

import re

from reverie.errors import Refused

PLACE = "/a-here-document"
_BEGINS = re.compile(r"(?<!<)<<(?!<)")
_OPERATOR = re.compile(
    r"<<[ ]?(?:'([A-Z_]\w*)'|\"([A-Z_]\w*)\"|([A-Z_]\w*))(?=[ \t;|)&]|\Z)",
    re.ASCII | re.IGNORECASE,
)


def without_here_documents(line: str) -> list[tuple[str, int]]:
    """The line as pieces that the shell reads one after another, each with its redirections.

    Raises:
        Refused: a here-document is not of the simple kind.
    """
    rows = line.split("\n")
    at = next((at for at, row in enumerate(rows) if _BEGINS.search(row)), None)
    if at is None:
        return [(line, 0)]
    if PLACE in line:
        raise Refused("the line holds a name that is needed to read it")
    operators = list(_OPERATOR.finditer(rows[at]))
    if len(operators) != 1 or len(_BEGINS.findall(rows[at])) != 1 or _continues(rows, at):
        raise Refused("the here-document is not understood")
    single, double, bare = operators[0].groups()
    delimiter = single or double or bare
    if delimiter not in rows[at + 1 :]:
        raise Refused("the here-document does not end")
    end = rows.index(delimiter, at + 1)
    if bare and any(re.search(r"[$`\\]", row) for row in rows[at + 1 : end]):
        raise Refused("the shell expands the here-document; quote its delimiter: <<'EOF'")
    start = _OPERATOR.sub(f"< {PLACE}", rows[at])
    pieces = [("\n".join(rows[:at]), 0), (start, 1)]
    rest = "\n".join(rows[end + 1 :])
    return [piece for piece in pieces if piece[0].strip()] + (
        without_here_documents(rest) if rest.strip() else []
    )


def _continues(rows: list[str], at: int) -> bool:
    return rows[at].endswith("\\") or (at > 0 and rows[at - 1].endswith("\\"))
