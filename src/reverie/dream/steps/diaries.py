"""Diaries as a source: what tasks taught, in the words of those who did them.

What an agent handed in counts whole, with the trust `agent`. Of a derived diary only what the agent
itself noticed counts: a person's words and what tools showed have sources of their own.
"""

from collections.abc import Iterator
from contextlib import suppress

from reverie.documents.document import parse
from reverie.dream.model import Observation, ObservationSource
from reverie.errors import InvalidDocument, NotFound, TooLarge
from reverie.learn.diary.diaries import is_derived, store_of
from reverie.learn.diary.diary import Diary, diary_from
from reverie.learn.diary.handed_in import OwnDiary, read_own
from reverie.sessions.derived import Chosen
from reverie.sessions.diaries import DiaryRow, diaries
from reverie.store.store import Store

# How much each part reads as if it will hold tomorrow.
PARTS = {"patterns": 1.0, "mistakes": 0.6, "edge_cases": 0.6, "errors": 0.4, "worked": 0.4}
OWN = ("edge_cases", "patterns")  # parts of a derived diary in which the agent speaks


def noted(store: Store) -> ObservationSource:
    """The source that reads the diaries of sessions, those handed in before derived ones."""

    def read(chosen: Chosen) -> Iterator[Observation]:
        for row in diaries(chosen):
            derived = diary_from(row.data)
            own = _handed_in(store, row)
            for part, text in _lines(own) if own else _noticed(derived):
                yield _observation(row, derived, part, text)

    return read


def _handed_in(store: Store, row: DiaryRow) -> OwnDiary | None:
    """What an agent handed in or a person edited, if it can still be read as a diary."""
    with suppress(NotFound, InvalidDocument, TooLarge):
        memory = store.get(store_of(row.project), row.path)
        if not is_derived(store, memory):
            return read_own(parse(memory.content, path=row.path).body)
    return None


def _lines(own: OwnDiary) -> Iterator[tuple[str, str]]:
    for part in PARTS:
        for text in getattr(own, part):
            yield part, text


def _noticed(diary: Diary) -> Iterator[tuple[str, str]]:
    for part in OWN:
        for line in getattr(diary, part):
            if line.by == "agent":
                yield part, line.text


def _observation(row: DiaryRow, diary: Diary, part: str, text: str) -> Observation:
    first = min(diary.spoken, default=0)
    line = text[0].upper() + text[1:].rstrip(". ") + "."
    return Observation(
        source="diary",
        text=line,
        session=row.session,
        project=row.project,
        at=row.started,
        evidence=f"{row.session}#{first}",
        quote=text,
        trust="agent",
        kind="best-practice",
        lasting=PARTS[part],
    )
