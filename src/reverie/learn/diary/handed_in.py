"""A diary an agent hands in: the same parts, in its own words, checked before it is kept.

JSON with the parts as keys, or Markdown with the parts as headings. It is preferred over the
derived diary of the same task, has the trust `agent` whatever it says, and its lines need no
places: the session it names is the evidence.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, cast, get_args

import msgspec

from reverie.documents.exclusions import why_not
from reverie.errors import InvalidDocument, TooLarge
from reverie.inert import unframed
from reverie.learn.diary.diary import Verdict
from reverie.learn.diary.text import TITLES
from reverie.store.model import Memory

MAX_TEXT = 64_000  # characters of the whole
MAX_LINE = 2_000
VERDICTS: tuple[str, ...] = get_args(Verdict)

_HEADINGS = {name: name for name in ("task", "approaches", "worked", "patterns")} | {
    title.lower(): name for name, title in TITLES.items()
}
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*$")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?P<text>.+)$")
_APPROACH = re.compile(
    rf"(?P<what>.+?)\s*(?:→|->|—|–|:)\s*\**(?P<outcome>{'|'.join(VERDICTS)})\**"
    r"\s*(?:[:,(—–-]\s*(?P<why>.+?)\)?)?$"
)


class OwnApproach(NamedTuple):
    """One try: what, how it ended, why."""

    what: str
    outcome: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class OwnDiary:
    """The parts as an agent filled them in."""

    task: str
    approaches: tuple[OwnApproach, ...]
    worked: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    edge_cases: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    title: str = ""

    def markdown(self, session: str, number: int) -> str:
        """As it is kept, in the form of the derived ones."""
        tries = [
            f"{place}. {way.what} → **{way.outcome}**" + (f" ({way.why})" if way.why else "")
            for place, way in enumerate(self.approaches, 1)
        ]
        parts = [
            f"# {self.title or self.task[:100]}",
            f"Session `{session}`, task {number} · handed in by the agent",
            f"## Task\n\n- {self.task}",
            "## Approaches\n\n" + "\n".join(tries),
        ]
        for name, title in TITLES.items():
            if lines := cast("tuple[str, ...]", getattr(self, name)):
                parts.append(f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines))
        return "\n\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class Checked:
    """A diary fit to be kept, and what was taken out of it."""

    diary: OwnDiary
    redacted: int
    left_out: tuple[tuple[str, str], ...]  # pattern, why


class HandedIn(NamedTuple):
    """An agent's diary that is kept."""

    memory: Memory
    checked: Checked


def read_own(text: str) -> OwnDiary:
    """Read what was handed in.

    Raises:
        TooLarge: it is longer than a diary may be.
        InvalidDocument: a part is missing, unknown, or not of its form.
    """
    if len(text) > MAX_TEXT:
        raise TooLarge(f"a diary has at most {MAX_TEXT:,} characters, not {len(text):,}")
    stripped = text.lstrip("\ufeff \t\r\n")
    return _validated(_from_json(stripped) if stripped[:1] == "{" else _from_markdown(stripped))


def check(diary: OwnDiary, redact: Callable[[str], str]) -> Checked:
    """Take secrets out of every line, and out of the patterns what is not worth keeping."""
    hidden = 0

    def clean(text: str) -> str:
        nonlocal hidden
        after = redact(text)
        hidden += after != text
        return after

    lists: dict[str, tuple[str, ...]] = {
        name: tuple(map(clean, getattr(diary, name))) for name in TITLES
    }
    reasons = {pattern: why_not(pattern) for pattern in lists["patterns"]}
    left_out = [(pattern, why.reason) for pattern, why in reasons.items() if why is not None]
    lists["patterns"] = tuple(p for p in lists["patterns"] if reasons[p] is None)
    ways = diary.approaches
    tries = tuple(way._replace(what=clean(way.what), why=clean(way.why)) for way in ways)
    cleaned = replace(
        diary, task=clean(diary.task), title=clean(diary.title), approaches=tries, **lists
    )
    return Checked(cleaned, hidden, tuple(left_out))


def _from_json(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidDocument(f"the diary is not valid JSON: {error}") from None


def _from_markdown(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    part = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            title = heading["title"].strip()
            part = _HEADINGS.get(title.lower().rstrip(":"), "")
            if not part and line.startswith("# ") and "title" not in found:
                found["title"] = title
            elif not part:
                raise _unknown(title, (name.capitalize() for name in _HEADINGS))
        elif part and line.strip():
            bullet = _BULLET.match(line)
            found.setdefault(part, []).append(bullet["text"].strip() if bullet else line.strip())
    if "task" in found:
        found["task"] = " ".join(found["task"])
    return found


def _unknown(part: str, known: Iterable[str]) -> InvalidDocument:
    hint = f"the parts are {', '.join(sorted(set(known)))}"
    return InvalidDocument(f"unknown part {part!r}", hint=hint)


def _validated(data: dict[str, Any]) -> OwnDiary:
    known = {part.name for part in fields(OwnDiary)}
    for key in data:
        if key not in known:
            raise _unknown(key, known)
    task = _line("task", data.get("task", ""))
    if not task:
        raise InvalidDocument("a diary says what the task was: `task` is missing")
    approaches = tuple(_approach(item) for item in _items("approaches", data))
    if not approaches:
        raise InvalidDocument("a diary says what was tried: `approaches` is missing")
    lists = {
        name: tuple(_line(name, item) for item in _items(name, data) if item) for name in TITLES
    }
    title = _line("title", data.get("title", ""))
    return OwnDiary(task=task, approaches=approaches, title=title, **lists)


def _items(name: str, data: dict[str, Any]) -> list[Any]:
    value: Any = data.get(name, [])
    if not isinstance(value, list):
        raise InvalidDocument(f"{name} must be a list, not {type(value).__name__}")
    return cast("list[Any]", value)


def _approach(item: Any) -> OwnApproach:
    if isinstance(item, str):
        match = _APPROACH.match(_line("approaches", item))
        if match is None:
            raise InvalidDocument(
                f"approach {item[:80]!r} does not say how it ended",
                hint=f"write `what → worked: why`; it may end {', '.join(VERDICTS)}",
            )
        item = match.groupdict(default="")
    if not isinstance(item, dict):
        raise InvalidDocument("an approach is a table with what, outcome and why")
    values = cast("dict[str, Any]", item)
    if unknown := set(values) - set(OwnApproach._fields):
        raise InvalidDocument(f"an approach has what, outcome and why, not {min(unknown)!r}")
    way = OwnApproach(*(_line(name, values.get(name, "")) for name in OwnApproach._fields))
    if way.outcome not in VERDICTS:
        raise InvalidDocument(f"outcome must be one of {', '.join(VERDICTS)}, not {way.outcome!r}")
    if not way.what:
        raise InvalidDocument("an approach says what was tried: `what` is missing")
    return way


def _line(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidDocument(f"{name} must be text, not {type(value).__name__}")
    if len(value) > MAX_LINE:
        raise InvalidDocument(f"{name}: a line has at most {MAX_LINE} characters")
    return unframed(" ".join(value.split()))
