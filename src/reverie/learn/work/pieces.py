"""Pieces: a session cut into portions that an agent can think about at once.

What is quoted are the words of person and agent and what tools reported as failed, each with its
evidence id. The cuts lie between lines of the log, so a session that grows keeps its first pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reverie.sessions.model import SPOKEN
from reverie.sessions.query import TurnRow
from reverie.trust import Trust, lowest

MATERIAL = 16_000  # characters of one piece
FRAME = 80  # characters around each quoted text

# Longest quotes; a person's words say most, and what a tool printed least.
_CLIP = {"person": 3_000, "agent": 800, "tool": 400}


@dataclass(frozen=True, slots=True)
class Line:
    """One quoted turn."""

    id: str  # evidence id
    number: int  # line of the log
    who: str  # person, agent, tool
    at: str
    text: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a session, at most `MATERIAL` characters of it."""

    session: str
    first: int
    last: int
    lines: tuple[Line, ...]

    @property
    def trusts(self) -> dict[str, Trust]:
        """The trust of each evidence id; a line that several had a part in has the lowest."""
        found: dict[str, Trust] = {}
        for line in self.lines:
            found[line.id] = lowest(line.trust, found.get(line.id, line.trust))
        return found

    def said(self, evidence: str) -> Line:
        """The quote of an id; a person's words before others of the same line."""
        fitting = [line for line in self.lines if line.id == evidence]
        return next((line for line in fitting if line.who == "person"), fitting[0])


def next_piece(session: str, turns: Sequence[TurnRow], after: int) -> Piece | None:
    """The piece that begins after a line; None when no person speaks from there on."""
    lines = _quoted(session, turns)
    fresh = [line for line in lines if line.number > after]
    if not any(line.who == "person" for line in fresh):
        return None
    # What the first words of a later part answer was said at the end of the one before.
    context = [line for line in lines if line.number <= after][-1:]
    taken = list(context)
    size = sum(_size(line) for line in context)
    for line in fresh:
        if size + _size(line) > MATERIAL and line.number != taken[-1].number:
            break
        taken.append(line)
        size += _size(line)
    return Piece(session, fresh[0].number, taken[-1].number, tuple(taken))


def piece_between(session: str, turns: Sequence[TurnRow], first: int, last: int) -> Piece:
    """The piece that was handed out with these lines."""
    lines = _quoted(session, turns)
    context = [line for line in lines if line.number < first][-1:]
    part = [line for line in lines if first <= line.number <= last]
    return Piece(session, first, last, (*context, *part))


def _quoted(session: str, turns: Sequence[TurnRow]) -> list[Line]:
    found: list[Line] = []
    for turn in turns:
        who = _who(turn)
        if who and turn.text.strip():
            text = _clipped(turn.text, _CLIP[who])
            identity = f"{session}#{turn.line}"
            found.append(Line(identity, turn.line, who, turn.at, text, _trust(turn, who)))
    return found


def _who(turn: TurnRow) -> str:
    """Whose words a turn holds; "" for what is not to be shown (again)."""
    if turn.copied or turn.undone:
        return ""
    if turn.role == "human":
        return "person" if turn.kind in SPOKEN and turn.typed != "injected" else ""
    if turn.role == "agent":
        return "agent" if turn.kind == "text" else ""
    return "tool" if turn.role == "tool" else ""


def _trust(turn: TurnRow, who: str) -> Trust:
    if who == "tool":
        return "tool"
    return "user" if who == "person" and turn.typed == "typed" else "agent"


def _clipped(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} […] {text[-half:]}"


def _size(line: Line) -> int:
    return len(line.text) + len(line.id) + FRAME
