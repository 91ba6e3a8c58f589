"""What people said in the logs under a folder: the contract of `sessions turns --json`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from reverie.errors import Unavailable
from reverie.sessions.logs.discover import LogFile, Skipped, logs_in
from reverie.sessions.logs.transcript import Transcript
from reverie.sessions.model import SPOKEN, Turn, session_key
from reverie.sessions.readers.agents import by_agent
from reverie.sessions.readers.base import trace_of

Tell = Callable[[Skipped], None]

# An id of so many characters names one event wherever it stands; shorter ones count from one.
_UNIQUE = 32


class HumanRecord(TypedDict):
    """One human turn, as machines read it."""

    transcript: str
    agent: str
    session: str
    line: int
    turn: str
    at: str
    cwd: str
    text: str


def human_records(folder: Path, skipped: Tell | None = None) -> Iterator[HumanRecord]:
    """Every human turn of every log under a folder, by path and then in order. Writes nothing.

    Raises:
        NotFound: there is no such folder.
    """
    history = Told()
    for log, transcript, turns in each_log(logs_below(folder, skipped), skipped, _spoken):
        for _, record in history.records(transcript, log.relative, turns):
            yield record


def _spoken(turn: Turn) -> bool:
    return turn.role == "human" and turn.kind in SPOKEN


def logs_below(folder: Path, skipped: Tell | None = None) -> list[LogFile]:
    """The logs under a folder; what is named like one and was left out is told.

    Raises:
        NotFound: there is no such folder.
    """
    discovery = logs_in(folder)
    if skipped:
        for item in discovery.skipped:
            skipped(item)
    return discovery.logs


def each_log(
    logs: Iterable[LogFile],
    skipped: Tell | None = None,
    wanted: Callable[[Turn], bool] | None = None,
) -> Iterator[tuple[LogFile, Transcript, list[Turn]]]:
    """Logs read to their end, one after the other, with the turns that are `wanted` (all)."""
    for log in logs:
        transcript = by_agent(log.agent).open(log.path, part=log.part)
        try:
            turns = [turn for turn in transcript if wanted is None or wanted(turn)]
        except (Unavailable, OSError) as error:
            if skipped:
                skipped(Skipped(log.path, str(error)))
            continue
        yield log, transcript, turns


class Told:
    """What was told so far. A fork begins with a copy of another log, which is not told again."""

    def __init__(self) -> None:
        self._events: set[tuple[str, str, str]] = set()
        self._said: dict[str, list[str]] = {}  # session → the traces of its turns, in order

    def records(
        self, transcript: Transcript, relative: str, turns: Sequence[Turn]
    ) -> Iterator[tuple[int, HumanRecord]]:
        """Of the spoken turns of one log, read to its end, those that are no copies:
        (place in `turns`, record)."""
        head = transcript.head
        fresh: set[tuple[str, str, str]] = set()
        inherited = self._inherited(session_key(head.agent, head.parent), turns)
        for place, turn in enumerate(turns):
            keys = _keys(head.agent, turn)
            if place < inherited or not self._events.isdisjoint(keys):
                continue
            fresh |= keys
            yield (
                place,
                HumanRecord(
                    transcript=relative,
                    agent=head.agent,
                    session=head.session_id,
                    line=turn.line,
                    turn=turn.kind,
                    at=turn.at,
                    cwd=turn.cwd or head.cwd,
                    text=turn.text,
                ),
            )
        self._events |= fresh
        traces = [trace_of(turn.kind, turn.text) for turn in turns]
        self._said.setdefault(session_key(head.agent, head.session_id), traces)

    def _inherited(self, parent: str, turns: Sequence[Turn]) -> int:
        """How many turns at the start are the parent's: some agents copy them with new times.

        They are written at once; the same words in another minute were typed again.
        """
        count = 0
        for turn, trace in zip(turns, self._said.get(parent, ()), strict=False):
            if trace_of(turn.kind, turn.text) != trace or turn.at[:16] != turns[0].at[:16]:
                break
            count += 1
        return count


def _keys(agent: str, turn: Turn) -> set[tuple[str, str, str]]:
    """What makes two turns of two logs the same: words, and the time or the log's own id."""
    names = [turn.at] if turn.at else []
    if len(turn.event_id) >= _UNIQUE:
        names.append(turn.event_id)
    return {(agent, name, turn.text) for name in names}
