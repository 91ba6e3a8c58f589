"""Taking secrets out of text before anything is stored.

A secret becomes `[redacted:<rule>:<hmac8>]`. The mark is keyed: equal secrets get equal marks, so a
reader still sees that two places held the same one, and nobody without the key can try guesses.
"""

import hashlib
import hmac
import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

from reverie.privacy.rules import Rule, gate
from reverie.privacy.wrapped import LEAST_ENCODED, Joined, encoded

_MARK = re.compile(rb"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]|\[private\]")
_PRIVATE = re.compile(r"<(/?)private>", re.IGNORECASE)
_PRIVATE_MARK = "[private]"

# What one pass leaves beside a mark may look like a secret only now; it never takes many passes.
_PASSES = 10


class Finding(NamedTuple):
    """One secret in a text: which rule saw it, and where (in characters)."""

    rule: str
    start: int
    end: int


class _Span(NamedTuple):
    start: int
    stop: int
    rank: int
    rule: str
    secret: bytes  # unwrapped: what is equal is marked as equal, however it is written


class Redactor:
    """Replaces secrets and `<private>` parts. Holds no text; safe to share and to pickle."""

    def __init__(self, key: bytes, *, enabled: bool = True) -> None:
        self._key = key
        self._enabled = enabled

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._key, self._enabled)

    def redact(self, text: str) -> str:
        """`text` without secrets; the same object if there are none. Doing it twice is the same."""
        if "private>" in text or "PRIVATE>" in text:
            text = without_private(text)
        if not self._enabled:
            return text
        data = _bytes(text)
        for _ in range(_PASSES):
            spans = _spans(data)
            if not spans:
                break
            data = self._replaced(data, spans)
            text = ""
        return text or data.decode("utf-8", "surrogatepass")

    def __call__(self, text: str) -> str:
        return self.redact(text)

    def findings(self, text: str) -> list[Finding]:
        """The secrets of `text`, first to last, not overlapping."""
        data = _bytes(text)
        return [
            Finding(span.rule, _characters(data, span.start), _characters(data, span.stop))
            for span in _spans(data)
        ]

    def _replaced(self, data: bytes, spans: list[_Span]) -> bytes:
        pieces: list[bytes] = []
        at = 0
        for span in spans:
            pieces += (data[at : span.start], self._mark(span.rule, span.secret))
            at = span.stop
        pieces.append(data[at:])
        return b"".join(pieces)

    def _mark(self, rule: str, secret: bytes) -> bytes:
        digest = hmac.new(self._key, secret, hashlib.sha256).hexdigest()
        return f"[redacted:{rule}:{digest[:8]}]".encode()


def has_mark(text: str) -> bool:
    """Whether something was taken out of `text`."""
    return "[redacted:" in text or _PRIVATE_MARK in text


def _restored(key: bytes, enabled: bool) -> Redactor:
    return Redactor(key, enabled=enabled)


def without_private(text: str) -> str:
    """`text` with everything between `<private>` and its `</private>` replaced.

    A tag without its partner stays as it is: it is more often prose or code than a wish.
    """
    pieces: list[str] = []
    at = depth = opened = 0
    for tag in _PRIVATE.finditer(text):
        if not tag.group(1):
            opened = tag.start() if depth == 0 else opened
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                pieces += (text[at:opened], _PRIVATE_MARK)
                at = tag.end()
    pieces.append(text[at:])
    return "".join(pieces)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _characters(data: bytes, offset: int) -> int:
    return len(data[:offset].decode("utf-8", "surrogatepass"))


def _spans(data: bytes) -> list[_Span]:
    """All secrets, whichever way they are wrapped; merged, in order, outside existing marks."""
    candidates = gate().candidates(data)
    found: list[_Span] = []
    if candidates:
        found += _direct(data, candidates)
        found += _over_lines(data, candidates)
    if len(data) >= LEAST_ENCODED:
        found += _inside_base64(data)
    if not found:
        return []
    if b"[redacted:" in data or b"[private]" in data:
        marks = [match.span() for match in _MARK.finditer(data)]
        found = [span for span in found if not _touches(span, marks)]
    return _merged([_whole_characters(data, span) for span in found])


def _direct(data: bytes, candidates: Iterable[Rule]) -> Iterable[_Span]:
    for rule in candidates:
        for start, stop in rule.spans(data):
            yield _Span(start, stop, rule.rank, rule.id, data[start:stop])


def _inside_base64(data: bytes) -> Iterable[_Span]:
    for run in encoded(data):
        inner = list(_direct(run.text, gate().candidates(run.text)))
        inner = inner or list(_inside_base64(run.text))
        if inner:
            best = min(inner, key=lambda span: span.rank)
            yield best._replace(start=run.start, stop=run.stop)


def _over_lines(data: bytes, candidates: Iterable[Rule]) -> Iterable[_Span]:
    formats = [rule for rule in candidates if rule.has_prefix]
    if not formats or (b"\n" not in data and b"\\n" not in data):
        return
    joined = Joined(data)
    if not joined.breaks:
        return
    for span in _direct(joined.text, formats):
        if joined.crosses(span.start, span.stop):
            start, stop = joined.origin(span.start, span.stop)
            yield span._replace(start=start, stop=stop)


def _touches(span: _Span, marks: list[tuple[int, int]]) -> bool:
    # Marks are in order and apart, so the last one that begins before the end reaches furthest.
    before = bisect_left(marks, (span.stop,))
    return before > 0 and marks[before - 1][1] > span.start


def _whole_characters(data: bytes, span: _Span) -> _Span:
    """The span widened so that it cuts no UTF-8 sequence."""
    start, stop = span.start, span.stop
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while stop < len(data) and data[stop] & 0xC0 == 0x80:
        stop += 1
    return span._replace(start=start, stop=stop)


def _merged(spans: list[_Span]) -> list[_Span]:
    """Overlapping spans as one, named by the rule that ranks first."""
    merged: list[_Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].stop:
            last = merged[-1]
            best = min(last, span, key=lambda one: one.rank)
            merged[-1] = best._replace(start=last.start, stop=max(last.stop, span.stop))
        else:
            merged.append(span)
    return merged
