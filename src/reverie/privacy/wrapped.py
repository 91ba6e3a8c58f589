"""Secrets in disguise: inside base64, broken over lines, or behind what is put before each line.

All are looked at through a second text, the unwrapped one, whose findings are mapped back to the
bytes they came from.
"""

import binascii
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from reverie.privacy.automaton import expression

# Four base64 characters hold three bytes. If all three are ASCII, the first character is one of
# 32, the second one of 32, the third one of 32: random base64 (images, hashes) passes six such
# groups once in 260,000 places, encoded text always. This is what makes looking inside affordable.
_GROUP = r"[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_-]"
ENCODED_TEXT = (
    rf"{_GROUP}(?:{_GROUP}){{5}}(?:(?:{_GROUP})+(?:\\?\r?\n[ \t]*)?)*[A-Za-z0-9+/_-]{{0,3}}={{0,2}}"
)
LEAST_ENCODED = 24  # bytes; less cannot match
_BLANK = re.compile(rb"[\\\s]+")
_TEXT = re.compile(rb"[\t\r\n\x20-\x7e]+")

# A line end inside a token: after a piece of it, before another that ends its line or string.
_LINE_END = r"(?:\n[+\-> \t|]*|\\+n[ \t]*)[\"']?"
_PIECE_AFTER = r"([A-Za-z0-9_+/=.-]{4,})[\"'`,;)]*[ \t]*(?:[\r\n\\\"'`]|$)"
_PIECE_BEFORE = r"[A-Za-z0-9_+/=.-]{6}([\"']?[ \t]*[+\\]?[ \t]*(?:\\+r|\r)?)"
_BREAK = re.compile(f"{_LINE_END}(?={_PIECE_AFTER})".encode())
_ENDS_IN_PIECE = re.compile(f"{_PIECE_BEFORE}$".encode())
_BROKEN = _PIECE_BEFORE + _LINE_END + _PIECE_AFTER
_WORDS = re.compile(
    rb"(?:[._=/+-]*(?:[A-Za-z]?[a-z]+|[A-Z]+|\d{1,4}))(?:[._=/+-]+(?:[A-Za-z]?[a-z]+|[A-Z]+|\d{1,4}))*"
)
_REACH = 32

# What tools put before each line: quotes, numbers, diffs, frames, names of files, times.
_PREFIX = re.compile(
    rb"(?m)^(?:\d{4}-\d\d-\d\d[T ][\d:.,+Z-]{5,24} (?:std(?:out|err) [FP] |\[?[A-Z]{3,8}\]?:? )?"
    rb"|[ \t]*\d{1,6}(?:\xe2\x86\x92|\t|[:|] ?| {1,2}\| ?)|[ \t]*(?:> ?)+|[+-](?![+-])"
    rb"|[ \t]*\| ?|[\w./-]{1,120}:\d{1,6}[:-])"
)
_ESCAPES = {rb"\r\n": b"  \r\n", rb"\n": b" \n", rb"\t": b" \t"}


class Wrapped(NamedTuple):
    """A stretch of the text that holds another text."""

    start: int
    stop: int
    text: bytes


def plain_lines(text: bytes) -> bytes:
    """The text with escaped line ends as real ones, and spaces for what stands before its lines.

    It is as long as it was, so a place in it is the same place in the original.
    """
    for escape, plain in _ESCAPES.items():
        text = text.replace(escape, plain)
    return _PREFIX.sub(lambda prefix: b" " * len(prefix.group()), text)


def may_be_broken(text: bytes) -> bool:
    """Whether any line end could stand inside a token; most texts have none."""
    return expression(_BROKEN).search(text) is not None


def encoded(text: bytes, at: int = 0) -> Iterator[Wrapped]:
    """Stretches of base64 that decode to plain text, from `at` on."""
    pattern = expression(ENCODED_TEXT)
    while at < len(text) and (found := pattern.search(text, at)):
        start, stop = found[0]
        stop = start + len(text[start:stop].rstrip(b"\\ \t\r\n"))
        decoded = _decode(text[start:stop])
        if decoded:
            yield Wrapped(start, stop, decoded)
        at = stop


def _decode(run: bytes) -> bytes:
    """The plain text in `run`; nothing if it holds none."""
    run = _BLANK.sub(b"", run).rstrip(b"=").translate(_URL_SAFE)
    run = run[: len(run) - (len(run) % 4 == 1)]
    decoded = binascii.a2b_base64(run + b"=" * (-len(run) % 4))
    readable = _TEXT.match(decoded)
    return readable.group() if readable else b""


_URL_SAFE = bytes.maketrans(b"-_", b"+/")


class Joined:
    """The text without the line ends that break tokens, and the way back to the original."""

    def __init__(self, text: bytes) -> None:
        pieces: list[bytes] = []
        self._starts: list[int] = [0]  # of each piece, in the joined text
        self._origins: list[int] = [0]  # the same places in the original
        at = size = 0
        for match in _BREAK.finditer(text):
            before = _ENDS_IN_PIECE.search(text[max(at, match.start() - _REACH) : match.start()])
            if before is None or _WORDS.fullmatch(match.group(1)):
                continue
            stop = match.start() - len(before.group(1))
            pieces.append(text[at:stop])
            size += stop - at
            at = match.end()
            self._starts.append(size)
            self._origins.append(at)
        pieces.append(text[at:])
        self.text = b"".join(pieces)

    def crosses(self, start: int, stop: int) -> bool:
        """Whether a line end was taken out inside this span."""
        return bisect_right(self._starts, start) != bisect_right(self._starts, stop - 1)

    def origin(self, start: int, stop: int) -> tuple[int, int]:
        """The span of the original text that holds this one."""
        return self._origin(start), self._origin(stop - 1) + 1

    def _origin(self, at: int) -> int:
        piece = bisect_right(self._starts, at) - 1
        return self._origins[piece] + at - self._starts[piece]
