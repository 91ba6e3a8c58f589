"""A diary an agent hands in: the same parts, in its own words, checked before it is kept.

JSON with the parts as keys, or Markdown with the parts as headings. It is preferred over the
derived diary of the same task, has the trust `agent` whatever it says, and its lines need no
places: the session it names is the evidence.
"""

import re
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, cast, get_args

import msgspec

from reverie.documents.exclusions import why_not
from reverie.errors import InvalidDocument, TooLarge
from reverie.inert import unframed
from reverie.learn.diary.condense import titled
from reverie.learn.diary.diary import Verdict, changed
from reverie.learn.diary.text import TITLES
from reverie.store.model import Memory

MAX_TEXT = 64_000  # characters of the whole
MAX_LINE = 2_000
VERDICTS: tuple[str, ...] = get_args(Verdict)

Text = Annotated[str, msgspec.Meta(max_length=MAX_LINE)]
Needed = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_LINE)]
Lines = tuple[Text, ...]
_ENDS = f"an approach may end {', '.join(VERDICTS)}"

_HEADINGS = {name: name for name in ("task", "approaches", "worked", "patterns")} | {
    title.lower(): name for name, title in TITLES.items()
}
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.+?)\s*#*$")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?P<text>.+)$")
_APPROACH = re.compile(
    rf"(?P<what>.+?)\s*(?:→|->|—|–|:)\s*\**(?P<outcome>{'|'.join(VERDICTS)})\**"
    r"\s*(?:[:,(—–-]\s*(?P<why>.+?)\)?)?$"
)


class OwnApproach(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One try: what, how it ended, why."""

    what: Needed
    outcome: Verdict
    why: Text = ""


class OwnDiary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parts as an agent filled them in."""

    task: Needed
    approaches: Annotated[tuple[OwnApproach, ...], msgspec.Meta(min_length=1)]
    worked: Lines = ()
    mistakes: Lines = ()
    errors: Lines = ()
    edge_cases: Lines = ()
    patterns: Lines = ()
    title: Text = ""

    def markdown(self, session: str, number: int) -> str:
        """As it is kept, in the form of the derived ones."""
        tries = [
            f"{place}. {way.what} → **{way.outcome}**" + (f" ({way.why})" if way.why else "")
            for place, way in enumerate(self.approaches, 1)
        ]
        parts = [
            f"# {self.title or titled(self.task, 100)}",
            f"Session `{session}`, task {number} · handed in by the agent",
            f"## Task\n\n- {self.task}",
            "## Approaches\n\n" + "\n".join(tries),
        ]
        for name, title in TITLES.items():
            if lines := cast("tuple[str, ...]", getattr(self, name)):
                parts.append(f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines))
        return "\n\n".join(parts) + "\n"


class Checked(NamedTuple):
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
    data = _from_json(stripped) if stripped[:1] == "{" else _from_markdown(stripped)
    if isinstance(tries := data.get("approaches"), list):
        data["approaches"] = [_approach(item) for item in cast("list[Any]", tries)]
    try:
        return msgspec.convert(changed(data, _one_line), OwnDiary)
    except msgspec.ValidationError as error:
        hint = f"the parts are {', '.join(OwnDiary.__struct_fields__)}"
        raise InvalidDocument(f"not a diary: {error}", hint=f"{hint}; {_ENDS}") from None


def check(diary: OwnDiary, redact: Callable[[str], str]) -> Checked:
    """Take secrets out of every line, and out of the patterns what is not worth keeping."""
    hidden = 0

    def clean(text: str) -> str:
        nonlocal hidden
        after = redact(text)
        hidden += after != text
        return after

    data = changed(msgspec.to_builtins(diary), clean)
    reasons = {pattern: why_not(pattern) for pattern in data["patterns"]}
    data["patterns"] = [pattern for pattern in data["patterns"] if reasons[pattern] is None]
    left_out = tuple((pattern, why.reason) for pattern, why in reasons.items() if why is not None)
    # A mark in the place of a secret may be longer than it was.
    shortened = changed(data, lambda text: text[:MAX_LINE])
    return Checked(msgspec.convert(shortened, OwnDiary), hidden, left_out)


def _one_line(text: str) -> str:
    return unframed(" ".join(text.split()))


def _from_json(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise InvalidDocument(f"the diary is not valid JSON: {error}") from None


def _from_markdown(text: str) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    part = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            title = heading["title"].strip()
            part = _HEADINGS.get(title.lower().rstrip(":"), "")
            if not part and line.startswith("# ") and "title" not in parts:
                parts["title"] = title
            elif not part:
                known = ", ".join(sorted({name.capitalize() for name in _HEADINGS}))
                raise InvalidDocument(f"unknown part {title!r}", hint=f"the parts are {known}")
        elif part and line.strip():
            bullet = _BULLET.match(line)
            parts.setdefault(part, []).append((bullet["text"] if bullet else line).strip())
    if "task" in parts:
        parts["task"] = " ".join(parts["task"])
    return parts


def _approach(item: Any) -> Any:
    """A line that says what was tried and how it ended, as a table."""
    if not isinstance(item, str):
        return item
    match = _APPROACH.match(_one_line(item))
    if match is None:
        hint = f"write `what → worked: why`; {_ENDS}"
        raise InvalidDocument(f"approach {item[:80]!r} does not say how it ended", hint=hint)
    return match.groupdict(default="")
