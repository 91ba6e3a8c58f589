"""Events: things that happened at a time, out of logs, alerts and messages that passed by.

A line with a time in it is an event of what the rest of the line says (`10:02 CPU spike on db-1`);
a short line that speaks of an alert without a time happened when it was said. Two lines are of one
type when their telling words agree; numbers, hosts and filler do not count.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, cast

from reverie.clock import iso
from reverie.data import patterns
from reverie.language.lexicon import lexicon
from reverie.language.words import stem
from reverie.learn.diary.tasks import moment_of
from reverie.learn.traffic.sieve import may_hold
from reverie.sessions.model import Turn
from reverie.sessions.traces import Trace
from reverie.trust import Trust

MAX_LABEL = 60
MAX_LINE = 400
MAX_EVENTS = 200  # per session
TELLING = frozenset({"prompt", "steer", "tool_result", "text", "injected", "note"})
FEW = 8  # lines of an output that reports; longer ones hold code and prose
SHORT = 100  # characters of a line that tells of an event without its time
CLOCK = timedelta(seconds=5)  # between a call and the time of the machine that it prints
LATER = timedelta(minutes=10)  # a clock time so far after the turn was meant of the day before

EARLIEST_EPOCH, LATEST_EPOCH = 1.4e9, 2e9  # from 2014 to 2033

_RE = patterns("traffic.txt", "events")
_WITHOUT_YEAR = {"day": "%Y %b %d %H:%M:%S", "brief": "%Y %m%d %H:%M:%S"}
_TIMES = ("time", "timestamp", "at", "ts", "date", "started_at", "startsAt", "fired_at", "when")
_NAMES = (
    "event", "alert", "alertname", "name", "type", "kind", "title", "message", "summary", "msg",
)  # fmt: skip


def events(turns: list[Turn]) -> list[Trace]:
    """The events that a session tells of, each once, in the order they were told."""
    events: dict[tuple[str, datetime], Trace] = {}
    for turn in turns:
        for label, at in _in_text(turn) if turn.kind in TELLING else ():
            if kind := type_of(label):
                event = Trace(turn.line, iso(at), "event", kind, data=[label, _trust(turn)])
                events.setdefault((kind, at.replace(second=0, microsecond=0)), event)
        if len(events) >= MAX_EVENTS:
            break
    return list(events.values())[:MAX_EVENTS]


@cache
def _filler() -> frozenset[str]:
    return lexicon().stop | lexicon().words("passing.alarm")


def type_of(label: str) -> str:
    """The telling words of a label, in one order; "" when it has none."""
    words = [_RE.place.sub("", word) for word in _RE.word.findall(label)]
    # `alert B`: a lone capital is a name, unless it begins a sentence.
    names = {word for word in words[1:] if len(word) == 1 and word.isupper()}
    long = {word.lower() for word in words if len(word) > 1} - _filler()
    return " ".join(sorted(names.union(map(stem, long)))[:6])


def happens(line: str) -> bool:
    """Whether a line speaks of something that happened."""
    return may_hold(_RE.happens, line) and _RE.happens.search(line) is not None


def reported(line: str) -> str:
    """What a short line without a time says happened (`pager again: disk full`); "" for nothing."""
    if len(line) > SHORT or _RE.asks.search(_RE.tells.sub("", line)):
        return ""
    if called := _RE.called.search(line):
        return label_of(called[1] or called[2])
    happened = happens(line) and not _RE.asks.search(line)
    return label_of(_RE.teller.sub("", line)) if happened else ""


def _trust(turn: Turn) -> Trust:
    if turn.role == "human":
        return "user" if turn.typed == "typed" else "agent"
    return "agent" if turn.role == "agent" else "tool"


def _in_text(turn: Turn) -> Iterator[tuple[str, datetime]]:
    unread = turn.tool.unread if turn.tool is not None else None
    if unread is not None and not unread.may_hold(_tells):
        return
    text = turn.whole
    if _may_be_json(text) and (structured := list(_in_json(text))):
        yield from structured
        return
    lines = text.splitlines()
    # Long outputs hold code and prose that speak of alerts; short ones, and people, report them.
    reports = turn.role == "human" or (turn.role == "tool" and len(lines) <= FEW)
    # Most texts have neither: they are looked through once.
    reports = reports and may_hold(_RE.happens, "\n".join(lines))
    if not reports and not may_hold(_RE.time, text):
        return
    said = moment_of(turn.at)
    for line in lines:
        if len(line) > MAX_LINE or not line.strip():
            continue
        stamped = list(_RE.stamp.finditer(line)) if _RE.time.search(line) else []
        if stamped:
            yield from _in_line(line, stamped, said, spoken=turn.role != "tool")
        elif reports and said and (label := reported(line)):
            yield label, said


def _tells(text: str) -> bool:
    """Whether there may be an event in what a tool printed."""
    is_short = len(text.splitlines()) <= FEW
    return (
        _may_be_json(text) or (is_short and may_hold(_RE.happens, text)) or may_hold(_RE.time, text)
    )


def _may_be_json(text: str) -> bool:
    return text.lstrip()[:1] in {"{", "["} and '"' in text


def _in_line(
    line: str, stamped: list["re.Match[str]"], said: datetime | None, *, spoken: bool
) -> Iterator[tuple[str, datetime]]:
    """Each time of a line with the words that belong to it: after it, or before an `at`.

    A log's lines are events whatever they say; what is spoken must tell of one.
    """
    start = 0
    ends = [stamp.start() for stamp in stamped[1:]] + [len(line)]
    for stamp, end in zip(stamped, ends, strict=True):
        before = _RE.clause.split(line[start : stamp.start()])[-1]
        after = line[stamp.end() : end]
        behind = bool(_RE.before.search(before)) and len(before.split()) > 2
        words = _RE.before.sub("", before) if behind or not _RE.word.search(after) else after
        start = stamp.end()
        at = _moment(stamp, said)
        if at is None or ((spoken or stamp["clock"]) and not happens(words)):
            continue
        label = label_of(words)
        # One word beside the time at which it was looked at is a state: `12:00:01 | pending`.
        seen_now = not spoken and said is not None and abs(at - said) <= CLOCK
        if label and not (seen_now and label.islower() and " " not in label):
            yield label, at


def _moment(stamp: "re.Match[str]", said: datetime | None) -> datetime | None:
    if stamp["full"]:
        day, time = stamp["full"][:10].replace("/", "-"), stamp["full"][10:].lstrip(" T|,;\t")
        time = time.replace(",", ".").replace("UTC", "Z").replace(" ", "")
        return moment_of(f"{day}T{time}")
    if stamp["epoch"]:
        return since_epoch(float(stamp["epoch"]))
    if stamp["access"]:
        return _parsed(stamp["access"], "%d/%b/%Y:%H:%M:%S %z")
    if said is None:
        return None
    if stamp["clock"]:
        hour, minute, *rest = (int(part) for part in stamp["clock"].split(":"))
        second = rest[0] if rest else 0
        at = said.replace(hour=hour, minute=minute, second=second, microsecond=0)
        return at - timedelta(days=1) if at > said + LATER else at
    form = _WITHOUT_YEAR["day" if stamp["day"] else "brief"]
    text = stamp["day"] or stamp["brief"][1:]
    at = _parsed(f"{said.year} {text}", form)
    # A log is of the past: in January, December is of the year before.
    late = at is not None and at > said + timedelta(days=1)
    return _parsed(f"{said.year - 1} {text}", form) if late else at


def since_epoch(number: float) -> datetime | None:
    """A number of seconds or milliseconds as a moment; None for one that is none of our days."""
    seconds = number / 1000 if number >= LATEST_EPOCH else number
    return (
        datetime.fromtimestamp(seconds, UTC) if EARLIEST_EPOCH <= seconds < LATEST_EPOCH else None
    )


def _parsed(text: str, form: str) -> datetime | None:
    try:
        at = datetime.strptime(text, form)  # noqa: DTZ007
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def label_of(text: str) -> str:
    """What an event is called, without where it happened and how strong it was."""
    if field := _RE.field.search(text):
        text = field[1] or field[2]
    plain = _RE.lead.sub("", text).strip(" .,;:-–—\t*`\"'{}[]|")
    for match in _RE.rest.finditer(plain):
        if len(_RE.word.findall(plain[: match.start()])) >= 2:
            plain = plain[: match.start()]
            break
    plain = _RE.host.sub("", " ".join(plain.split()))
    usable = len(plain) <= MAX_LABEL and not _RE.code.search(plain) and not _RE.self.match(plain)
    return plain.rstrip(" .:,;|") if usable else ""


def _in_json(text: str) -> Iterator[tuple[str, datetime]]:
    """Objects with a time and a name: one document, or one object per line."""
    try:
        documents = [json.loads(text)]
    except (ValueError, RecursionError):
        documents = map(_object, text.splitlines())
    for document in documents:
        listed = cast("list[Any]", document) if isinstance(document, list) else [document]
        for entry in listed:
            if isinstance(entry, Mapping):
                yield from _from_object(cast("Mapping[str, Any]", entry))


def _object(line: str) -> Any:
    try:
        return json.loads(line) if line.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None


def _when(value: Any) -> datetime | None:
    try:
        return since_epoch(float(value))
    except (TypeError, ValueError):
        return moment_of(str(value))


def _from_object(entry: Mapping[str, Any]) -> Iterator[tuple[str, datetime]]:
    at = next((_when(entry[key]) for key in _TIMES if entry.get(key)), None)
    names = [str(entry[key]) for key in _NAMES if isinstance(entry.get(key), str)]
    label = next((label_of(name.replace("_", " ")) for name in names if type_of(name)), "")
    if at and label:
        yield label, at.astimezone(UTC)
