"""A text seen another way, and the way back.

What a tool prints is rarely the text itself: it stands inside a string of JSON, behind a quote mark
or a line number, between codes for colours. A view is the text without one such thing, and knows
for each of its bytes where that came from.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from urllib.parse import unquote_to_bytes

from reverie.privacy.automaton import Span, expression

# Between two strings that have nothing to do with each other: no rule reads across it.
APART = b"\n\n\x1c\n\n"
_IN_STRING = re.compile(rb"\\[nrtu\"'x]")
_REST = {quote: re.compile(rb"(?:[^\\\n" + quote + rb"]|\\.)*+") for quote in (b'"', b"'")}
_ESCAPE = re.compile(rb"((?:\\u[0-9a-fA-F]{4})+)|\\x([0-9a-fA-F]{2})|\\([\"'\\/bfnrt])")
_PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b" ", b"f": b" "}

# What stands before each line: quotes, numbers, diffs, frames, names of files, times, comments.
_TIME = (
    r"(?:\d{4}-\d\d-\d\d[T ][\d:.,+Z-]{5,24}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\[?\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?\]?)[ \t]+(?:std(?:out|err) [FP] |\[?[A-Z]{3,8}\]?:? )?"
    r"(?:(?:[\w.-]+ )?[\w./-]+\[\d+\]: )?"
)
_PREFIX = (
    rf"(?:{_TIME}|[ \t]*\d{{1,6}}(?:\xe2\x86\x92|\t|[:|] ?| {{1,2}}\| ?)|[ \t]*(?:> ?)+"
    r"|[+-](?![+-])|[ \t]*(?:#|//|;|--|%|\*|!|::|REM|rem|dnl)(?= )"
    r"|[ \t]*\|(?![^\n]*\|) ?|[\w./-]{1,40} +\| |[\w./-]{1,120}:\d{1,6}[:-])"
)
_LINE_START = re.compile(rf"(?m)^({_PREFIX}{{0,3}})([ \t]*+)(?=\S)".encode("latin-1"))

# Of a file as a tool shows it: its first line, and the next.
_NUMBERED = re.compile(
    rb"[ \t]*(\d{1,6})(\xe2\x86\x92|\t|\| )[^\n]*(?:\n[ \t]*\d{1,6}\2|\n?\Z|\n\s*<system-reminder>)"
)
_LINE_NUMBER = re.compile(rb"(?m)^[ \t]*\d{1,6}(?:\xe2\x86\x92|\t|\| )")

# RE2 knows no look ahead, and this only has to be quick.
_ANY_PREFIX = (
    r"(?m)^(?:[ \t]*\d{1,6}(?:\xe2\x86\x92|[\t:|]| {1,2}\|)"
    r"|[ \t]*(?:[>|]|(?:#|//|;|--|%|\*|!|::|REM|rem|dnl) )"
    r"|[+-]|\d{4}-\d\d-"
    r"|\[?\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d|[\w./-]{1,120}(?::\d|  *\|))"
)

# Colours and entities stand inside what a rule reads; of quotes and colons it knows those of code.
# Each begins with a sign of its own: only then the rest of a text is passed over quickly.
_COVER = re.compile(
    rb"\x1b\[[0-9;]*[A-Za-z]|\r(?=\n)|&(?:amp|lt|gt|quot|apos|#\d{2,6}|#x[0-9a-fA-F]{2,5});"
    rb"|<!\[CDATA\[|\]\]>|\xe2\x80[\x9c-\x9f]|\xc2\xab(?:\xc2\xa0|\xe2\x80\xaf| )?"
    rb"|\xc2\xa0\xc2\xbb|\xe2\x80\xaf\xc2\xbb| \xc2\xbb|\xc2\xbb|\xe3\x80[\x8c-\x8f]"
    rb"|\xef\xbc\x9a|\\(?=[$`])"
    rb"|\xe2\x80[\x8b-\x8f]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad|\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]"
    rb"| [ \t]*[\\^`]\r?\n[ \t]*|\t[ \t]*[\\^`]\r?\n[ \t]*|\x00"
)
_QUOTE = re.compile(rb"\xe2\x80[\x9c-\x9f]|\xc2[\xab\xbb]|\xe3\x80[\x8c-\x8f]")
_SPACE = re.compile(rb"\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|[ \t]+[\\^`]\r?\n[ \t]*")
_JOINT = re.compile(rb"([\"'])\s?(?:\+|\.\.?|&)\s{0,40}\1(?=[^\s\"',;)])")
_TAG = re.compile(
    rb"(?i)\s*<(/?)(table|thead|tbody|tr|td|th|code|b|strong|em|i|span|kbd|pre|p|a|div)\b[^<>]{0,200}>\s*"
)
_COLUMN = {b"/tr": b"|\n", b"td": b"| ", b"th": b"| ", b"/td": b" ", b"/th": b" ", b"/table": b"\n"}
_PERCENT = re.compile(rb"(?:%[0-9A-Fa-f]{2})+")


Cut = tuple[int, int, bytes]  # a stretch of the text, and what stands for it in the view
Opens = Callable[[bytes], "View | None"]


class View:
    """The text after some cuts, and the way back to the original."""

    __slots__ = ("_ends", "_origins", "_starts", "text")

    def __init__(self, text: bytes, cuts: Iterable[Cut]) -> None:
        """The view of `text`; what is cut comes in order, as where it begins, ends, and becomes."""
        pieces: list[bytes] = []
        starts: list[int] = []  # of each piece, in the view
        origins: list[int] = []  # the same places in the original
        ends: list[int] = []  # of what a piece stands for; -1 if it is the original's own
        at = size = 0
        for start, stop, instead in (*cuts, (len(text), len(text), b"")):
            if start > at:
                starts.append(size)
                origins.append(at)
                ends.append(-1)
                pieces.append(text[at:start])
                size += start - at
            if instead:
                starts.append(size)
                origins.append(start)
                ends.append(stop)
                pieces.append(instead)
                size += len(instead)
            at = stop
        self._starts, self._origins, self._ends = starts, origins, ends
        self.text = b"".join(pieces)

    def crosses(self, start: int, stop: int) -> bool:
        """Whether something was cut inside this span."""
        return bisect_right(self._starts, start) != bisect_right(self._starts, stop - 1)

    def origin(self, start: int, stop: int) -> Span:
        """The span of the original text that holds this one."""
        first, last = (bisect_right(self._starts, at) - 1 for at in (start, stop - 1))
        begin, end = self._origins[first], self._ends[last]
        if self._ends[first] < 0:
            begin += start - self._starts[first]
        if end < 0:
            end = self._origins[last] + stop - self._starts[last]
        return begin, end


def uncovered(text: bytes) -> View | None:
    """Without colours, carriage returns, zeros, marks of character data, what a shell escapes and
    what nobody sees; plain quotes and spaces, no entities, commands on one line."""
    return _view(text, ((*cover.span(), _entity(cover.group())) for cover in _COVER.finditer(text)))


def decoded(text: bytes) -> View | None:
    """Without percent escapes, where a whole address is written in them."""
    runs = _PERCENT.finditer(text)
    return _view(text, ((*run.span(), unquote_to_bytes(run.group())) for run in runs))


def strings(text: bytes) -> View | None:
    """What the strings say that hold escapes, each for itself."""
    return _view(text, _unescaped(text))


def tabled(text: bytes) -> View | None:
    """Tables of HTML as tables of text, a row on each line; no marks inside of lines."""
    return _view(text, ((*tag.span(), _column(tag)) for tag in _TAG.finditer(text)))


def concatenated(text: bytes) -> View | None:
    """Strings that an operator joins, as the one they make."""
    return _view(text, ((*joint.span(), b"") for joint in _JOINT.finditer(text)))


# What a text has that is worth such a look.
SIGNS: tuple[tuple[str, Opens], ...] = (
    (
        r"\x1b\[|\r\n|&(?:amp|lt|gt|quot|apos|#[x0-9]\w{1,5});"
        r"|<!\[CDATA\[|\xe2\x80[\x9c-\x9f]|\xc2[\xab\xbb\xad\xa0]|\xe3\x80[\x8c-\x8f]|\xef\xbc\x9a|\\[$`]"
        r"|\xe2\x80[\x80-\x8f\xaf]|\xe2\x81\xa0|\xef\xbb\xbf|[ \t][\\^`]\r?\n|\x00",
        uncovered,
    ),
    (r"[\"'] ?(?:\+|\.\.?|&)\s{0,40}[\"']", concatenated),
    (r"(?i)</(?:t[dh]|code|b|strong|em|kbd)>", tabled),
    (r"\\[nrtux\"']", strings),
    (
        r"(?i)%3a%2f%2f|%40(?:tcp|unix)%28|jdbc%3a|%3b(?:pwd|password)%3d|%22%3a|[a-z]%20[a-z]{3,8}%20",
        decoded,
    ),
)


def unnumbered(text: bytes) -> View | None:
    """The lines of a file without the numbers that a tool shows it with."""
    if not _NUMBERED.match(text):
        return None
    return View(text, ((*number.span(), b"") for number in _LINE_NUMBER.finditer(text)))


def unmargined(text: bytes) -> View | None:
    """The lines without what stands before them, and without the margin they share."""
    if not text[:1].isspace() and not expression(_ANY_PREFIX).search(text):
        return None
    starts = list(_LINE_START.finditer(text))
    margin = min((len(start[2]) for start in starts), default=0)
    return _view(
        text,
        (
            (start.start(), start.start(2) + margin, b"")
            for start in starts
            if margin or start.start(2) > start.start()
        ),
    )


def _view(text: bytes, cuts: Iterable[Cut]) -> View | None:
    all_cuts = list(cuts)
    return View(text, all_cuts) if all_cuts else None


def _column(tag: re.Match[bytes]) -> bytes:
    return _COLUMN.get((tag[1] + tag[2]).lower(), b" ")


def _entity(cover: bytes) -> bytes:
    if cover[:1] == b"&":
        return unescape(cover.decode()).encode("utf-8", "replace")
    if cover == b"\xef\xbc\x9a":
        return b": "
    if _SPACE.fullmatch(cover):
        return b" "
    return b'"' if _QUOTE.search(cover) else b""


def _unescaped(text: bytes) -> Iterator[Cut]:
    at = 0
    while first := _IN_STRING.search(text, at):
        start, stop = _string_around(text, at, first.start())
        yield at, start, APART
        for escape in _ESCAPE.finditer(text, start, stop):
            yield *escape.span(), _meaning(escape)
        at = stop
    if at:
        yield at, len(text), APART


def _string_around(text: bytes, least: int, first: int) -> Span:
    """The string whose first escape is at `first`; a line is one where none was opened."""
    line = max(least, text.rfind(b"\n", least, first) + 1)
    opened = text.rfind(b'"', line, first)
    quote = b'"' if opened >= 0 else b"'"
    if opened < 0:
        opened = text.rfind(quote, line, first)
    rest = _REST[quote].match(text, first)
    return max(line, opened + 1), rest.end() if rest else len(text)


def _meaning(escape: re.Match[bytes]) -> bytes:
    unicode, byte, sign = escape.groups()
    if unicode:
        return json.loads(b'"' + unicode + b'"').encode("utf-8", "surrogatepass")
    return bytes.fromhex(byte.decode()) if byte else _PLAIN.get(sign, sign)
