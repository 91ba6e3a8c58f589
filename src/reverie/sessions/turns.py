"""What people said in the logs under a folder: the contract of `sessions turns --json`."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from reverie.errors import Unavailable
from reverie.sessions.discover import Skipped, logs_in
from reverie.sessions.model import SPOKEN, Turn
from reverie.sessions.readers import by_agent
from reverie.sessions.transcript import Transcript


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


def human_records(
    folder: Path, skipped: Callable[[Skipped], None] | None = None
) -> Iterator[HumanRecord]:
    """Every human turn of every log under a folder, by path and then in order. Writes nothing.

    Raises:
        NotFound: there is no such folder.
    """
    found = logs_in(folder)
    if skipped:
        for item in found.skipped:
            skipped(item)
    told: set[tuple[str, str, str]] = set()
    for log in found.logs:
        transcript = by_agent(log.agent).open(log.path, part=log.part)
        try:
            turns = [turn for turn in transcript if turn.role == "human" and turn.kind in SPOKEN]
            for _, record in spoken_records(transcript, log.relative, turns, told):
                yield record
        except (Unavailable, OSError) as error:
            if skipped:
                skipped(Skipped(log.path, str(error)))


def spoken_records(
    transcript: Transcript, relative: str, turns: Sequence[Turn], told: set[tuple[str, str, str]]
) -> Iterator[tuple[int, HumanRecord]]:
    """Of the spoken turns of one log, read to its end, those that were not copied from one told
    before (a fork): (place in `turns`, record). `told` grows by them."""
    head = transcript.head
    fresh: set[tuple[str, str, str]] = set()
    for place, turn in enumerate(turns):
        key = (transcript.agent, turn.at, turn.text)
        if key in told:
            continue
        if turn.at:
            fresh.add(key)
        record = HumanRecord(
            transcript=relative,
            agent=transcript.agent,
            session=head.session_id,
            line=turn.line,
            turn=turn.kind,
            at=turn.at,
            cwd=turn.cwd or head.cwd,
            text=turn.text,
        )
        yield place, record
    told |= fresh
