"""Where a value ends: where what holds it ends.

A rule finds where a value begins. It goes on to its closing quote, to the tag behind it, to the end
of the string it stands in; quotes and brackets inside it that close nothing are its own.
"""

import re
from collections.abc import Iterator

from reverie.privacy.places import alone

_LONGEST = 256
_LONGEST_PHRASE = 64
_LINE = 400  # bytes that are looked at before the value
_TAG = re.compile(rb"<(?:/|[a-z][\w:-]*[ />])|-\]\{\+|[-+]\]$|\+\}$")
_ESCAPE = re.compile(rb"\\+[nrtux\"'0]")
_OPENED = re.compile(rb"(?:^|[\s=(\[{,:;|])\\*([\"'`])")
_MORE = re.compile(rb"(?!'s\b)[\"'`\\(\[{)\]}|][^\s<>]*")
_LINE_BREAK = re.compile(rb"\n|\\[nr]")
_LINE_END = re.compile(rb"(?:\\[nr])+$")
_QUOTE_AND_MORE = re.compile(rb"(?!'s\b)[\"'`\\][^\s<>]*")
_NOTHING_BEFORE = re.compile(
    rb"(?:[\w./-]{1,120}[:-]\d{1,6}[:-])?[\s>+\d:|*#.-]{0,40}(?:export )?"
    rb"(?:\S{1,40}'s )?(?:[\w\x80-\xff-]{1,20} ){0,3}"
)
# Words that a clause ends behind.
_PHRASE = re.compile(
    rb"([A-Za-z0-9]+(?: [A-Za-z0-9]+){2,9}?)"
    rb"(?:[.,;!?)]|\s+(?:[(-]|\xe2\x80)|\r?\n|$"
    rb"| (?:in case|if|for|when|so|because|and|but|until)\b)"
)
# Groups of one length, as what is typed in is printed.
_GROUPED = re.compile(
    rb"(?:[0-9]{4}(?: [0-9]{4}){1,7}|[0-9]{5,6}(?: [0-9]{5,6}){1,7}"
    rb"|[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){2,7}|[A-Za-z0-9]{5}(?: [A-Za-z0-9]{5}){2,7})"
    rb"(?![A-Za-z0-9])"
)
_ENVIRONMENT = re.compile(rb"[+-]?[ \t]*(?:(?:export|ENV|ARG) |- )?[A-Z][A-Z0-9_]*=")
_BLANK = re.compile(rb"\s")
_IDENTIFIER = re.compile(rb"[\w.:$>-]*")
# Where the signs of a value end and a script without spaces goes on.
_LATIN = re.compile(rb"[!-~]{4,}(?=[\xe3-\xef][\x80-\xbf]{2})")
_INNER_QUOTE = re.compile(rb"'(?:'|\\'')(?=[^\s',;)])")
_BEHIND = b"\"'`,;)}]\\"


def ends(text: bytes, begin: int, start: int, stop: int, *, spaces: bool) -> Iterator[int]:
    """Where the value that begins at `start` may end, what holds most of it first.

    `stop` is how far the rule went; with `spaces` a value may have several words.
    """
    if tag := _TAG.search(text, start, stop):
        stop = tag.start()
    if text[start - 1 : start] in (b'"', b"'", b"`"):
        closed = _closing_quote(text, start)
        if closed > stop and (spaces or b" " not in text[start:closed]):
            yield closed
        yield stop
        return
    if text[stop : stop + 1] in (b"<", b">") and _ENVIRONMENT.fullmatch(
        text, text.rfind(b"\n", 0, start) + 1, start
    ):
        # All of such a line is the value, whatever its signs mean elsewhere.
        yield stop + len(_BLANK.split(text[stop : start + _LONGEST], 1)[0])
    grouped = _GROUPED.match(text, start) if text[stop : stop + 1] == b" " else None
    if grouped and grouped.end() > stop:
        yield grouped.end()
    if spaces and text[stop : stop + 1] == b" ":
        if (phrase := _PHRASE.match(text, start)) and phrase.end(1) > stop:
            yield phrase.end(1)
        limit, opened = _limit(text, start)
        nothing_else = _NOTHING_BEFORE.fullmatch(text, text.rfind(b"\n", 0, begin) + 1, begin)
        held = nothing_else or text[start - 1 : start] == b">" or 0 <= opened == begin
        if held and limit - start <= _LONGEST_PHRASE:
            yield limit
    more = (_MORE if spaces else _QUOTE_AND_MORE).match(text, stop, start + _LONGEST)
    if more and more.group().rstrip(_BEHIND) and not _ESCAPE.match(text, stop):
        limit, _ = _limit(text, start)
        end = start + len(text[start : min(limit, more.end())].rstrip(_BEHIND))
        called = text[stop] in b"([{" and _IDENTIFIER.fullmatch(text, start, stop)
        if end > stop and not called:
            yield end
    if latin := _LATIN.match(text, start, stop):
        yield latin.end()
    before = text[max(begin, start - _LINE) : start].decode("latin-1")
    yield start + len(alone(text[start:stop].decode("latin-1"), before))


def _limit(text: bytes, start: int) -> tuple[int, int]:
    """The end of the line, of the element or of the string around `start`; where that began."""
    line = _LINE_BREAK.split(text[start : start + _LONGEST], 1)[0].rstrip()
    limit = start + len(line)
    if tag := _TAG.search(text, start, limit):
        limit = tag.start()
    begin = max(text.rfind(b"\n", 0, start) + 1, start - _LINE)
    opened, quote = -1, b""
    at = begin
    while opening := _OPENED.search(text, at, start):
        closed = text.find(opening[1], opening.end(), start)
        if closed < 0:
            opened, quote = opening.end(), opening[1]
            break
        at = closed + 1
    if quote and (closed := _closed(text[start:limit], quote)) >= 0:
        limit = start + len(text[start : start + closed].rstrip(b"\\"))
    return limit, opened


def _closed(line: bytes, closing: bytes) -> int:
    """Where `closing` ends a string; -1 if it does not.

    In `"a\\"b"` the first one belongs to the string, in `'a''b'` and `'a'\\''b'` the first ones.
    """
    at = line.find(closing)
    while at > 0:
        if line[at - 1 : at] == b"\\":
            at = line.find(closing, at + 1)
        elif closing == b"'" and (more := _INNER_QUOTE.match(line, at)):
            at = line.find(closing, more.end())
        else:
            break
    return at


def _closing_quote(text: bytes, start: int) -> int:
    """Where the string that begins at `start` ends on its line; 0 if it does not."""
    opened = start - 1
    while opened > 0 and text[opened - 1 : opened] == b"\\":
        opened -= 1
    closing = text[opened:start]
    line = text[start : start + _LONGEST].split(b"\n", 1)[0]
    at = _closed(line, closing)
    # A backtick may as well end what stands before it.
    goes_on = line[at + 1 : at + 2] not in {b";", b",", b")", b""}
    if closing == b"`" and b" " in line[:at] and goes_on:
        return 0
    return start + len(_LINE_END.sub(b"", line[:at])) if at >= 0 else 0
