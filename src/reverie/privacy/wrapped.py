"""Secrets in disguise: inside base64, or broken over lines."""

import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

from reverie.privacy.automaton import expression
from reverie.privacy.views import Cut, View

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
# What a text has that is broken anywhere.
MAY_BE_BROKEN = rf"{_PIECE_BEFORE}{_LINE_END}[A-Za-z0-9_+/=.-]{{4}}"
_WORDS = re.compile(
    rb"(?:[._=/+-]*(?:[A-Za-z]?[a-z]+|[A-Z]+|\d{1,4}))(?:[._=/+-]+(?:[A-Za-z]?[a-z]+|[A-Z]+|\d{1,4}))*"
)
_REACH = 32
_NARROWEST = 40  # columns of a terminal
_IN_TOKEN = re.compile(rb"[A-Za-z0-9_+/=.~%-]{2}\n")
# What every such place has; most texts have none, and lines are not counted then.
_FOLDS = r"[A-Za-z0-9_+/=.~%-]{2}\n[A-Za-z0-9_+/.~%-]"
_FOLDED = re.compile(rb"([A-Za-z0-9_+/.~%-]+={0,2})(?:[\s\"'`,;)\]}]|$)")


class Wrapped(NamedTuple):
    """A stretch of the text that holds another text."""

    start: int
    stop: int
    text: bytes


def encoded(text: bytes, at: int = 0) -> Iterator[Wrapped]:
    """Stretches of base64 that decode to plain text, from `at` on."""
    pattern = expression(ENCODED_TEXT)
    while at < len(text) and (groups := pattern.search(text, at)):
        start, stop = groups[0]
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


def joined(text: bytes) -> View | None:
    """The text without the line ends that break tokens."""
    return View(text, _breaks(text)) if expression(_BROKEN).search(text) else None


def unfolded(text: bytes) -> View | None:
    """The text without the line ends that a terminal put where a line was as wide as it is."""
    if not expression(_FOLDS).search(text):
        return None
    widths = list(map(len, text.split(b"\n")))
    widest = max(widths)
    folds = list(_folds(text, widths, widest)) if widest >= _NARROWEST else []
    return View(text, folds) if folds else None


def _folds(text: bytes, widths: list[int], widest: int) -> Iterator[Cut]:
    line = at = 0
    for _ in range(widths.count(widest)):
        widest_line = widths.index(widest, line)
        at += sum(widths[line:widest_line]) + (widest_line - line) + widest + 1
        line = widest_line + 1
        piece = _FOLDED.match(text, at)
        if piece and _IN_TOKEN.match(text, at - 3) and not _WORDS.fullmatch(piece[1]):
            yield at - 1, at, b""


def _breaks(text: bytes) -> Iterator[Cut]:
    at = 0
    for match in _BREAK.finditer(text):
        before = _ENDS_IN_PIECE.search(text[max(at, match.start() - _REACH) : match.start()])
        if before and not _WORDS.fullmatch(match.group(1)):
            yield match.start() - len(before.group(1)), match.end(), b""
            at = match.end()
