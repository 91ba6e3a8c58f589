"""Where secrets are in a text: every rule, whichever way a secret is wrapped.

Loading the rules takes longer than most texts do; `redactor` imports this when there is something
to look at.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from reverie.privacy.automaton import Expression, expression
from reverie.privacy.invented import is_telling
from reverie.privacy.keywords import PHRASE
from reverie.privacy.phrases import phrases
from reverie.privacy.rules import Rule, Seen, gate, heading
from reverie.privacy.views import View, uncovered, unmargined, unnumbered
from reverie.privacy.wrapped import (
    ENCODED_TEXT,
    LEAST_ENCODED,
    MAY_BE_BROKEN,
    encoded,
    joined,
    unfolded,
)

_MARK = re.compile(rb"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]|\[private\]")

_NAMES_IT = re.compile(
    rb"(?i)[\w.-]{0,60}?(?:pass|password|passphrase|passwd|pwd|psk|secret|token|key|passwort|kennwort)"
    rb"[=:][\"'`\\]{0,4}(?=[^\s=\"'`\\]{3})"
)
_SPACED = re.compile(rb"[\s\[\]]")
_LONGEST = 400  # bytes of a secret that is looked for again

# How far a token reaches before and after its keyword.
_BEFORE, _AFTER = 200, 2_000
_BELOW = 400  # bytes below a heading
_DEPTH = 3  # strings inside of strings


class Span(NamedTuple):
    """One secret, in bytes."""

    start: int
    stop: int
    rank: int
    rule: str
    secret: bytes  # unwrapped: what is equal is marked as equal, however it is written


def spans_of(data: bytes) -> list[Span]:
    """All secrets, merged, in order, outside existing marks."""
    spans = list(_search(data, _DEPTH))
    if not spans:
        return []
    spans += _again(data, spans)
    if b"[redacted:" in data or b"[private]" in data:
        marks = [match.span() for match in _MARK.finditer(data)]
        spans = [span for span in spans if not _touches(span, marks)]
    return _merged([_whole_characters(data, _behind_name(data, span)) for span in spans])


def _again(data: bytes, spans: list[Span]) -> Iterable[Span]:
    """The same secrets once more, where nothing beside them says so."""
    known = {
        span.secret: span
        for span in spans
        if len(span.secret) <= _LONGEST
        and not _SPACED.search(span.secret)
        and is_telling(span.secret.decode("utf-8", "replace"))
    }
    for secret, span in known.items():
        if data.count(secret) > 1:
            alone = re.compile(rb"(?<![A-Za-z0-9])" + re.escape(secret) + rb"(?![A-Za-z0-9])")
            for again in alone.finditer(data):
                yield span._replace(start=again.start(), stop=again.end())


def _search(data: bytes, depth: int) -> Iterable[Span]:
    """The secrets of a text, and of what stands inside its strings."""
    seen = gate().look(data)
    # The numbers of lines hide nothing from a look for keywords, and much from a rule.
    if seen.rules and (view := unnumbered(data)):
        yield from _through(view, _found(view.text, seen, depth))
    else:
        yield from _found(data, seen, depth)


def _found(data: bytes, seen: Seen, depth: int) -> Iterable[Span]:
    """The secrets of a text, by the rules and through the views that a look has told."""
    candidates, views, is_announced = seen
    if uncovered in views and (view := uncovered(data)):
        yield from _through(view, _search(view.text, depth))
        if b"&" not in data:
            return
    if is_announced:
        yield from _direct(data, candidates)
        yield from _over_lines(data, candidates)
        if candidates and b"\n" in data and (view := unfolded(data)):
            spans = _direct(view.text, candidates)
            yield from _through(view, (s for s in spans if view.crosses(s.start, s.stop)))
        rules = [rule for rule in candidates if rule.lines]
        if (rules or (b"\n" in data and heading().search(data))) and (view := unmargined(data)):
            yield from _through(view, _direct(view.text, rules))
            yield from _through(view, _phrases(view.text))
            yield from _through(view, _below_headings(view.text))
    if len(data) >= LEAST_ENCODED and (first := _without_keyword().search(data)):
        at = first[0][0]
        yield from _inside_base64(data, at)
        yield from _phrases(data, at)
    if depth and views and (is_announced or b"\\u0" in data):
        for view in filter(None, (see(data) for see in views - {uncovered})):
            yield from _through(view, _search(view.text, depth - 1))


def _phrases(data: bytes, at: int = 0) -> Iterable[Span]:
    for place in phrases(data, at):
        yield Span(*place, 0, "seed-phrase", data[slice(*place)])


def _through(view: View, spans: Iterable[Span]) -> Iterable[Span]:
    for span in spans:
        start, stop = view.origin(span.start, span.stop)
        if start < stop:  # in a view that goes back, what lies on both sides is no stretch
            yield span._replace(start=start, stop=stop)


@cache
def _without_keyword() -> Expression:
    """What no keyword announces, in one pass; most texts have neither."""
    return expression(f"{ENCODED_TEXT}|{PHRASE}")


def _direct(data: bytes, candidates: Iterable[Rule]) -> Iterable[Span]:
    for rule in candidates:
        for start, stop in rule.spans(data):
            yield Span(start, stop, rule.rank, rule.id, data[start:stop])


def _below_headings(data: bytes) -> Iterable[Span]:
    """What stands below a line that ends in a name, for all rules."""
    at = 0
    while groups := heading().search(data, at):
        begin = data.rfind(b"\n", 0, groups[0][0]) + 1
        end = groups[0][1] + _BELOW
        part = data[begin:end].rpartition(b"\n")[0] if end < len(data) else data[begin:]
        # A table that begins in its middle would have a row for its head.
        for span in _direct(part, [r for r in gate().look(part).rules if not r.is_column]):
            yield span._replace(start=begin + span.start, stop=begin + span.stop)
        at = max(groups[0][1], begin + len(part))


def _inside_base64(data: bytes, at: int = 0) -> Iterable[Span]:
    for run in encoded(data, at):
        if inner := list(_search(run.text, 0)):
            best = min(inner, key=lambda span: span.rank)
            yield best._replace(start=run.start, stop=run.stop)


def _over_lines(data: bytes, candidates: Iterable[Rule]) -> Iterable[Span]:
    formats = [rule for rule in candidates if rule.has_prefix]
    if not formats or (b"\n" not in data and b"\\n" not in data):
        return
    if not expression(MAY_BE_BROKEN).search(data):
        return
    for begin, end in _around_keywords(data, formats):
        if view := joined(data[begin:end]):
            broken = (s for s in _direct(view.text, formats) if view.crosses(s.start, s.stop))
            for span in _through(view, broken):
                yield span._replace(start=begin + span.start, stop=begin + span.stop)


def _around_keywords(data: bytes, rules: Iterable[Rule]) -> list[tuple[int, int]]:
    """The parts of a text that could hold a whole secret of these rules."""
    lowered = data.lower()
    places = sorted({place for rule in rules for place in rule.places(data, lowered)})
    parts: list[tuple[int, int]] = []
    for place in places:
        begin, end = max(0, place - _BEFORE), min(len(data), place + _AFTER)
        if parts and begin <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((begin, end))
    return parts


def _touches(span: Span, marks: list[tuple[int, int]]) -> bool:
    # Marks are in order and apart, so the last one that begins before the end reaches furthest.
    before = bisect_left(marks, (span.stop,))
    return before > 0 and marks[before - 1][1] > span.start


def _whole_characters(data: bytes, span: Span) -> Span:
    """The span widened so that it cuts no UTF-8 sequence."""
    start, stop = span.start, span.stop
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while stop < len(data) and data[stop] & 0xC0 == 0x80:
        stop += 1
    return span._replace(start=start, stop=stop)


def _behind_name(data: bytes, span: Span) -> Span:
    """Of `password=blue` the name stays, whatever took both for one value: what is put in the place
    of the mark later is seen again."""
    name = _NAMES_IT.match(data, span.start, span.stop)
    if name is None or data[span.start : span.stop] != span.secret:
        return span
    return span._replace(start=name.end(), secret=data[name.end() : span.stop])


def _merged(spans: list[Span]) -> list[Span]:
    """Overlapping spans as one, named by the rule that ranks first."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].stop:
            last = merged[-1]
            best = min(last, span, key=lambda candidate: candidate.rank)
            merged[-1] = best._replace(start=last.start, stop=max(last.stop, span.stop))
        else:
            merged.append(span)
    return merged
