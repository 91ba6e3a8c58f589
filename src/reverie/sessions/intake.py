"""One log in, redacted turns and the rows of the index out. Nothing unredacted leaves here."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple, cast

from reverie.clock import iso
from reverie.privacy import Ignored, Redact, Told, redact_value
from reverie.sessions.hearing import hear
from reverie.sessions.logs.transcript import Resume, Transcript
from reverie.sessions.model import ASKING, Damage, Head, Tool, Turn
from reverie.sessions.unread import MARGIN, Unread, storable

# How much text of a turn is kept. What a person said is kept whole, short of a pasted file.
HUMAN_CHARS = 100_000
AGENT_CHARS = 8_000
INPUT_CHARS = 4_000
CALL_CHARS = 200
NOTE_CHARS = 2_000

_LOGIN = re.compile(r"://[^/@]*@")
_MAX_DEPTH = 6
_TOLD = "told"
_STORED_NOTES = frozenset({"summary", "boundary", "title", "plan", "outcome"})
_CALL_KEYS = (
    "command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt",
)  # fmt: skip


class Row(NamedTuple):
    """One stored turn, before it has an id and a place."""

    line: int
    offset: int
    role: str
    kind: str
    at: str
    text: str
    tool: str
    typed: str
    undone: bool
    searchable: bool
    event: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass over a log gave."""

    head: Head
    turns: list[Turn]  # all of this pass, redacted
    rows: list[Row]  # those the index stores
    places: list[int]  # turn index of each row
    damage: Damage
    resume: Resume
    undone: list[tuple[int, int]]


def take_in(
    transcript: Transcript,
    redact: Redact,
    policy: Ignored | None,
    *,
    vouched: bool = True,
    unread: bool = False,
) -> Reading:
    """Read `transcript` to its end, redact every text, and choose what the index stores.

    Of a log for which nobody vouches no word is surely typed. What is stored nowhere may be left
    `unread`: it is redacted when somebody asks for it.
    """
    turns: list[Turn] = []
    rows: list[Row] = []
    places: list[int] = []
    where = cache(redact)  # the same few folders and branches again and again
    context = Told(redact, transcript.resume.state.get(_TOLD))
    for turn in transcript.read():
        if policy and turn.role == "human" and policy.turn(turn.text):
            continue
        if not vouched and turn.role == "human" and turn.typed == "typed":
            turn = turn._replace(typed="probable")
        hear(context, turn)
        clean = _redacted(turn, context, where, unread=unread)
        turns.append(clean)
        row = _row(clean)
        if row is not None:
            places.append(len(turns) - 1)
            rows.append(row)
    return Reading(
        redacted_head(transcript.head, context.redact),
        turns,
        rows,
        places,
        transcript.damage,
        replace(transcript.resume, state=_carried_over(transcript.resume.state, context)),
        transcript.undone,
    )


def _carried_over(state: dict[str, Any], context: Told) -> dict[str, Any]:
    """What the next reading begins with: what the reader knows, and what was told."""
    carried = state | {_TOLD: context.noted} if context.noted else state
    return cast("dict[str, Any]", redact_value(carried, context.redact))


def redacted_head(head: Head, redact: Redact) -> Head:
    """A title is often the first words a person typed, a remote often holds a login."""
    return replace(
        head,
        title=storable(redact(head.title[:500])),
        cwd=redact(head.cwd),
        branch=redact(head.branch),
        remote=redact(_LOGIN.sub("://", head.remote)),
    )


def utc(text: str) -> str:
    """A time of a log as sortable UTC; "" when there is none or it is none (year 0, words)."""
    try:
        moment = datetime.fromisoformat(text)
        if len(text) == 24 and text[-1] == "Z" and text[10] == "T" and text[19] == ".":
            return text
        aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return iso(aware.astimezone(UTC))
    except (ValueError, OverflowError):
        return ""


def event_of(turn: Turn) -> int | None:
    """What makes two records the same event: time (else the log's id), kind and words.

    An id alone is not enough: logs exist in which one id stands for two different records. A turn
    with neither time nor id is never taken for a copy.
    """
    anchor = turn.at or turn.event_id
    if not anchor:
        return None
    material = f"{anchor}\0{turn.kind}\0{turn.text}".encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(material, digest_size=8).digest(), "big", signed=True)


def _redacted(turn: Turn, context: Told, where: Redact, *, unread: bool) -> Turn:
    at = utc(turn.at) if turn.at else ""
    tool = turn.tool
    if tool is not None and tool.input:
        tool = tool._replace(input=_redacted_input(tool.input, context.redact))
    later = unread and tool is not None and turn.kind == "tool_result" and not _is_kept(tool)
    if later and tool is not None and turn.text:
        tool = tool._replace(unread=Unread(turn.text, context.so_far()))
    return turn._replace(
        at=at,
        text="" if later else _clipped(turn, context.redact),
        tool=tool,
        cwd=where(turn.cwd),
        branch=where(turn.branch),
    )


def _clipped(turn: Turn, redact: Redact) -> str:
    text = turn.text
    if not text:
        return ""
    if turn.role == "tool":
        return Unread(text, redact).text
    limit = {"human": HUMAN_CHARS, "agent": AGENT_CHARS}.get(turn.role, NOTE_CHARS)
    return storable(_front(text, limit, redact))


def _front(text: str, limit: int, redact: Redact) -> str:
    if len(text) <= limit:
        return redact(text)
    return f"{redact(text[: limit + MARGIN])[:limit]} […{len(text) - limit} more]"


def _redacted_input(value: Mapping[str, Any], redact: Redact) -> dict[str, Any]:
    def clipped(text: str, redact: Redact) -> str:
        return storable(_front(text, INPUT_CHARS, redact))

    return cast("dict[str, Any]", redact_value(_shallow(value, 0), redact, clipped))


def _shallow(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value
    if depth >= _MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {key: _shallow(item, depth + 1) for key, item in items}
    if isinstance(value, Sequence):
        return [_shallow(item, depth + 1) for item in cast("Sequence[Any]", value)]
    return value


def _row(turn: Turn) -> Row | None:
    """The row of a turn; None for what the index does not keep (thinking, good results, notes).

    What a person chose when the agent asked is kept: nobody said it elsewhere.
    """
    role, kind, text, tool = turn.role, turn.kind, turn.text, turn.tool
    searchable = role == "human" or kind == "text"
    if kind == "tool_call":
        text = _call_line(tool)
    elif kind == "tool_result":
        if tool is None or not _is_kept(tool):
            return None
        searchable = tool.ok is False
    elif not searchable and kind not in _STORED_NOTES:
        return None
    return Row(
        turn.line,
        turn.offset,
        role,
        kind,
        turn.at,
        text,
        tool.name if tool else "",
        turn.typed if role == "human" else "",
        turn.undone,
        searchable and bool(text),
        event_of(turn) if searchable else None,
    )


def _is_kept(tool: Tool) -> bool:
    """Whether the index keeps the result of a call."""
    return tool.ok is False or tool.name.lower() in ASKING


def _call_line(tool: Tool | None) -> str:
    """What a call was about, in one short line."""
    if tool is None:
        return ""
    chosen = next((tool.input[key] for key in _CALL_KEYS if tool.input.get(key)), None)
    if chosen is None:
        chosen = next((v for v in tool.input.values() if isinstance(v, str)), "")
    if isinstance(chosen, list):
        chosen = " ".join(map(str, cast("list[Any]", chosen)))
    return " ".join(str(chosen)[:CALL_CHARS].split())
